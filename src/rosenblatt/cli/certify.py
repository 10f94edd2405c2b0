"""rosenblatt certify: does a hyperplane separate the labels of a table? Decided, and proved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from functools import cached_property, partial
from math import isfinite, isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from rosenblatt import verify
from rosenblatt._util.files import make_folder
from rosenblatt._util.spelling import command_line
from rosenblatt._util.text import listed, many, of_files, one_line
from rosenblatt.cli import _common, _options
from rosenblatt.cli._help import Command
from rosenblatt.errors import InputError

if TYPE_CHECKING:
    from rosenblatt import Certificate
    from rosenblatt.data.options import ReadOptions
    from rosenblatt.error_bracket import ErrorBracket
    from rosenblatt.report.document import Warned
    from rosenblatt.separation import FirthEstimate, LimitingModel
    from rosenblatt.sign_report import SignReport

    Model = FirthEstimate | LimitingModel | str

FAMILIES = ("logistic", *verify.FAMILIES)
ESTIMATED = ("logistic", "poisson", "ppml", "ordinal")  # by rosenblatt.separation
UNDECIDED = 3  # as an exit code
_NAMED = 12  # columns
_CODES = {  # with --exit-code
    "complete separation": 0,
    "overlap": 10,
    "quasi-complete separation": 11,
    verify.CHANCE: 13,
}
_NOT_SEPARABLE = 12


@click.command(cls=Command)
@_options.table_options
@_options.file_option(
    "-o",
    "--output",
    help="Write the certificate to FILE as JSON; proofs of errors and signs: --proofs.",
)
@_options.file_option("--encoded", help="Write the numbers that the proof is about to FILE as CSV.")
@_options.flag(
    "--scale",
    "Standardise numbers first, as training does; margins and bounds are then those of the "
    "scaled numbers.",
)
@click.option(
    "--numbers",
    type=click.Choice(["float", "decimal"]),
    default="float",
    help="What the numbers of a file mean: the nearest float64 numbers, or the decimals as written."
    "  [default: float]",
)
@click.option(
    "--weight",
    metavar="COLUMN",
    help="Column of row weights or counts; rows of weight 0 are left out.  [default: 1 each]",
)
@click.option(
    "--family",
    type=click.Choice(FAMILIES),
    default="logistic",
    help="Model whose estimate is checked; logistic also covers probit and complementary log-log "
    "models.  [default: logistic]",
)
@click.option(
    "--event",
    metavar="COLUMN",
    help="With --family cox, instead of --target: which rows have an event.  [default: none]",
)
@click.option(
    "--time",
    metavar="COLUMN",
    help="With --family cox: when a row had its event, or was last seen.  [default: none]",
)
@click.option(
    "--entry",
    metavar="COLUMN",
    help="With --family cox: when a row came under observation.  [default: before all events]",
)
@click.option(
    "--strata",
    metavar="COLUMN",
    help="With --family conditional or cox: rows are compared within their stratum.  "
    "[default: all are compared]",
)
@click.option(
    "--levels",
    metavar="A,B,...",
    help="With --family ordinal: the labels, starting with the lowest.  "
    "[default: the order of numbers]",
)
@click.option(
    "--absorb",
    metavar="COLUMN",
    multiple=True,
    help="A factor of many levels (fixed effects), none of which becomes a column; may be given "
    "several times, with two labels or with --family poisson or ppml.",
)
@_options.sign_option(
    "With two labels: ask about rules whose weight on COLUMN is not negative (COLUMN:-: not "
    "positive), for the positive label; several times for several columns. A level of a column of "
    "words is COLUMN=LEVEL:+.  [default: none]"
)
@_options.flag("--no-intercept", "Allow hyperplanes through the origin only.")
@_options.seconds_option(
    "--time-limit",
    "Stop the separability check after SECONDS; the verdict is then undecided.  [default: none]",
)
@_options.flag(
    "--estimates",
    "With two labels, or with --family poisson, ppml or ordinal: also the coefficients with 95 % "
    "profile intervals; where some are infinite, Geyer's limiting model, and Firth's penalised "
    "estimates for two labels.",
)
@_options.flag(
    "--min-errors",
    "With two labels: also search for the fewest errors that any linear rule can make; --proofs "
    "writes the proof.",
)
@click.option(
    "--forced-signs",
    "forced",
    is_flag=True,
    help="Also find the weights whose sign is the same in every linear rule that makes no more "
    "errors than the best rule found, of two labels and at most 10 columns of numbers. The signs "
    "of infinite logistic coefficients need no option.",
)
@_options.seconds_option(
    "--search-time",
    "With --min-errors or --forced-signs: how long each of them searches.  [default: 10]",
)
@click.option(
    "--proofs",
    metavar="FOLDER",
    help="With --min-errors or --forced-signs: write their proofs into FOLDER as JSON files, which "
    "rosenblatt verify checks.  [default: none]",
)
@_options.flag("--pairs", "With more than two labels: also check each pair of labels.")
@_options.flag(
    "--exit-code",
    "Exit with 0 for complete separation, 10 for overlap, 11 for quasi-complete separation, "
    "12 if 10 or 11 is open, and 13 for overlap up to chance.",
)
@_options.force_option
@_options.output_options
def command(
    files: tuple[str, ...],
    output: str | None,
    encoded: str | None,
    exit_code: bool,
    force: bool,
    out: _common.Output,
    **options: Any,
) -> int:
    """Prove whether a linear rule can be right about every row of a table.

    In other words: does a hyperplane separate the labels? With more than two labels: is there a
    linear score for each label, such that every row has the highest score for its own?

    Text is one-hot encoded: a 0/1 column for each word but the most frequent one of its column
    (on a tie the first in sorted order), the reference level. Row numbers start at 1 for the first
    row below the header; in the certificate and in --json they start at 0.

    Exits with 0 if the question is decided, whatever the verdict, and with 3 if it is not.

    \b
    Examples:
      rosenblatt certify credit.csv --target card -o certificate.json
      rosenblatt verify certificate.json credit.csv
    """
    asked = _Asked(**{field.name: options.pop(field.name) for field in fields(_Asked)})
    if asked.event is not None:
        asked.check_event(options["target"])
        options["target"] = asked.event
    opened = _common.open_table(files, options)
    asked.check()
    if output is not None and output == encoded:
        raise InputError(f"-o and --encoded both name {output}: give two different files.")
    for path in (output, encoded):
        _common.check_output(path, files, force=force)
    _common.check_folder(asked.proofs, force=force)

    with out.reading():
        rows = _read(opened, asked)
    found = _Found(asked, rows, out)
    if asked.forced and len(set(rows.y.tolist())) == 2:
        _check_columns(files, rows.X.shape[1] - len(asked.signs))
    certificate = found.decide()
    if encoded is not None:
        found.write_encoded(encoded, options["target"] or "y")
    if output is not None:
        certificate.save(output)
        out.say(f"The certificate is in {output}.")
    found.search()
    if asked.proofs is not None:
        _write_proofs(asked.proofs, found.bracket, found.report, out)
    elif output is not None and _proofs(found.bracket, found.report):
        out.say(f"{output} is about the separation alone: --proofs FOLDER writes the other proofs.")
    if out.as_json:
        _common.print_json("certify", {"files": list(files)} | found.as_dict())
    else:
        found.show()
        several = len(certificate.classes) > 1 and asked.weight is None and asked.of_rules
        if not out.quiet and (
            then := _next_command(files, output, opened.options, several=several)
        ):
            _common.print_text(f"Next: {one_line(command_line(then))}")
    if certificate.separable is None and certificate.verdict != verify.CHANCE:
        return UNDECIDED
    return _CODES.get(certificate.verdict, _NOT_SEPARABLE) if exit_code else 0


@dataclass(frozen=True)
class _Asked:
    """The question, as the options have it."""

    scale: bool
    numbers: str
    weight: str | None
    family: str
    event: str | None
    time: str | None
    entry: str | None
    strata: str | None
    levels: str | None
    absorb: tuple[str, ...]
    signs: tuple[str, ...]
    no_intercept: bool
    time_limit: float | None
    estimates: bool
    min_errors: bool
    forced: bool
    search_time: float | None
    proofs: str | None
    pairs: bool

    @property
    def decimal(self) -> bool:
        return self.numbers == "decimal"

    @property
    def of_rules(self) -> bool:
        """Of other models no linear rule is right or wrong."""
        return self.family == "logistic" and not self.absorb

    @property
    def beside(self) -> dict[str, str]:
        """Columns that are no features, by role."""
        names = {"time": self.time, "entry": self.entry, "strata": self.strata}
        names |= {f"absorb{k}": name for k, name in enumerate(self.absorb)}
        return {role: name for role, name in names.items() if name is not None}

    @property
    def demand(self) -> dict[str, Any]:
        return {"signs": _options.signs_of(self.signs)}

    @property
    def seconds(self) -> float:
        return _SECONDS if self.search_time is None else self.search_time

    def check_event(self, target: str | None) -> None:
        if self.family != "cox":
            raise click.UsageError("--event goes with --family cox: give --target COLUMN.")
        if target is not None:
            raise click.UsageError("--event takes the place of --target: give only one.")

    def check(self) -> None:
        """What goes together."""
        searches = self.min_errors or self.forced
        for wrong, why in (
            (
                self.scale and self.decimal,
                "--numbers decimal certifies the numbers as written, and --scale changes them: "
                "give only one.",
            ),
            (
                self.estimates and self.decimal,
                "--estimates are computed from float64 numbers: leave out --numbers decimal.",
            ),
            (
                self.estimates and self.signs,
                "--estimates are of a model without --sign: give only one.",
            ),
            (
                not self.of_rules and bool(searches or self.signs),
                "--min-errors, --sign and --forced-signs are about logistic models and linear "
                "rules: leave out --family and --absorb.",
            ),
            (
                self.estimates and (self.family not in ESTIMATED or bool(self.absorb)),
                f"--estimates works with {', '.join(ESTIMATED)} models, without --absorb: "
                "leave it out to ask for the verdict alone.",
            ),
            (
                self.forced and (self.decimal or self.no_intercept),
                "--forced-signs works for rules with an intercept on float64 numbers: leave out "
                "--numbers decimal and --no-intercept.",
            ),
            (
                self.min_errors and self.decimal,
                "--min-errors works on float64 numbers: leave out --numbers decimal.",
            ),
            (
                self.search_time is not None and not searches,
                "--search-time goes with --min-errors or --forced-signs: add one of them.",
            ),
            (
                self.proofs is not None and not searches,
                "--proofs goes with --min-errors or --forced-signs: add one of them.",
            ),
        ):
            if wrong:
                raise click.UsageError(why)


class _Found:
    """The verdict, and what was asked beside it."""

    certificate: Certificate

    def __init__(self, asked: _Asked, rows: _Rows, out: _common.Output):
        self.asked, self.rows, self.out = asked, rows, out
        self.models: dict[str, Model] = {}
        self.bracket: ErrorBracket | None = None
        self.free: ErrorBracket | None = None  # without the signs that are demanded
        self.report: SignReport | None = None
        self._through = {
            "fit_intercept": not asked.no_intercept,
            "preprocessing": rows.preprocessing,
            "sample_weight": rows.weights,
        }

    def decide(self) -> Certificate:
        from rosenblatt import certify
        from rosenblatt.data.batch import unlabelled

        asked, rows, out = self.asked, self.rows, self.out
        n, d = rows.X.shape
        out.say_detail(f"{n - len(rows.left_out):,} rows, {d:,} features.")
        if len(rows.left_out):
            out.say(f"{unlabelled(len(rows.left_out), rows.preprocessing.reading)}.")
        with out.working(f"deciding about {n:,} rows"), of_files():
            self.certificate = certify(
                rows.X,
                rows.y,
                numbers=asked.numbers,
                time_limit=asked.time_limit,
                pairs=asked.pairs,
                family=asked.family,
                levels=rows.levels,
                **rows.columns,
                **self._through,
                **asked.demand,
            )
        return self.certificate

    def search(self) -> None:
        from rosenblatt import minimum_errors

        asked, rows, out, certificate = self.asked, self.rows, self.out, self.certificate
        how = {"time_limit": asked.seconds, **self._through}
        if asked.min_errors and not certificate.many and certificate.separable is not True:
            with out.working("searching for the fewest errors"):
                self.bracket = minimum_errors(rows.X, rows.y, **how, **asked.demand)
            if asked.signs:
                with out.working("searching for the fewest errors without these signs"):
                    self.free = minimum_errors(rows.X, rows.y, **how)
        if asked.forced and not certificate.many:
            with out.working("searching for signs that the rows force"):
                self.report = _forced_signs(self)
            self.bracket = self.bracket and self.report.improved(self.bracket)
        if asked.estimates and (asked.family != "logistic" or len(certificate.classes) == 2):
            with out.working("estimating coefficients"):
                self.models = _estimates(self, **self._through)

    def write_encoded(self, path: str, target: str) -> None:
        from rosenblatt._certify.check import with_columns
        from rosenblatt._certify.families import Beside

        rows = self.rows
        labels = rows.y.astype(object)
        labels[rows.left_out] = ""
        _, beside = Beside.of(None, self.asked.family, rows.levels, **rows.columns)
        names = [*self.certificate.feature_names, *(beside.names.values() if beside else ())]
        _common.write_encoded(path, names, target, with_columns(rows.X, beside), labels)
        self.out.say(f"The encoded numbers are in {path}.")

    @property
    def price(self) -> tuple[ErrorBracket, ErrorBracket] | None:
        return None if self.bracket is None or self.free is None else (self.bracket, self.free)

    @cached_property
    def parts(self) -> dict[str, list[str]]:
        from rosenblatt._certify.text import sections

        return dict(sections(self.certificate))

    def as_dict(self) -> dict[str, Any]:
        from rosenblatt._study.verdict import describe

        content = describe(self.certificate, self.bracket) | {"warnings": self.rows.warnings}
        if self.asked.signs:
            content |= self.asked.demand
        if self.price is not None:
            demanded, free = self.price
            content["price"] = dict(zip(("at_least", "at_most"), demanded.price(free), strict=True))
        if self.asked.estimates:
            content["estimates"] = {name: _as_dict(model) for name, model in self.models.items()}
        return content | ({} if self.report is None else _described(self.report))

    def show(self) -> None:
        asked, certificate = self.asked, self.certificate
        with of_files():
            _common.print_text(_in_full(self) if self.out.verbose else _short(self))
            for warned in self.rows.warnings:
                _common.print_text(f"Warning: {one_line(warned['sentence'])}")
            for model in self.models.values():
                _common.print_text(f"\n{model}")
            if self.models:
                click.echo()
            if self.bracket is not None:
                click.echo("\n".join(self.bracket.lines(alone=False)))
            if self.price is not None:
                demanded, free = self.price
                _common.print_text(one_line(demanded.price_sentence(free)))
            if self.report is not None:
                click.echo(str(self.report))
        of_two = {
            "--forced-signs": asked.forced,
            "--min-errors": asked.min_errors,
            "--estimates": asked.estimates,
        }
        for name, wanted in of_two.items():
            if wanted and certificate.many:
                click.echo(
                    f"{name} needs two labels: choose one against all others with --positive LABEL."
                )
        if asked.scale:
            click.echo("The numbers were scaled (--scale): so are the margins and the bound.")
        known = certificate.many or asked.min_errors or self.out.quiet
        if certificate.separable is False and asked.of_rules and not known:
            click.echo("--min-errors searches for the fewest errors that any linear rule can make.")


def _in_full(found: _Found) -> str:
    from rosenblatt._certify.text import as_text

    certificate = found.certificate
    text = as_text(certificate, without=["instead"] if found.models else [])
    more = [*_permuted(found), *_of_counts(certificate), *_filled(found.rows)]
    return "\n".join([text, *map(one_line, more)])


# What is said without -v, beside the answer: each the first so many lines of a section.
_BESIDE = {
    "separated": 9,
    "columns": 9,
    "rare": 9,
    "coefficients": 3,
    "conflict": 1,
    "chance": 1,
    "pairs": 99,
}


def _short(found: _Found) -> str:
    """The answer in the words of a logistic regression, and the reason."""
    from rosenblatt._certify.text import sections

    certificate, rows, told = found.certificate, found.rows, found.asked.estimates
    parts = dict(sections(certificate))
    if certificate.family != "logistic" or certificate.absorbed or certificate.signs:
        names = ("coefficients", "collinear", *["levels"] * told)
        said = [*parts.pop("verdict"), *(line for name in names for line in parts.get(name, []))]
        return "\n".join(one_line(line) for line in [*said, *_about(certificate, rows)])
    first, *rest = parts["verdict"]
    answer = [first, *(rest if certificate.verdict == "undecided" else [])]
    through = "" if certificate.fit_intercept else " through the origin"
    all_rows = f"all {certificate.n_rows:,} rows"
    none = f"no linear rule{through} is right about {all_rows}"
    unique = ", but not a unique one" if certificate.collinear else ""
    answers = {
        "complete separation": f"Complete separation: a linear rule{through} is right about "
        f"{all_rows}, and a logistic regression has no finite estimate.",
        "quasi-complete separation": "Quasi-complete separation: a logistic regression has no "
        f"finite estimate, and {none}.",
        "overlap": f"Overlap: a logistic regression has a finite estimate{unique}; {none}.",
    }
    if len(certificate.classes) > 1 and certificate.verdict in answers:
        answer = [answers[certificate.verdict]]
    if certificate.verdict == "quasi-complete separation":  # contradictions make nothing infinite
        parts.pop("conflict", None)
    elif certificate.conflict is not None and (k := len(certificate.conflict.rows)) > 2:
        parts["conflict"] = [f"Why: {k:,} rows contradict each other; -v names them."]
    beside = _BESIDE | ({"levels": 1} if told else {})  # estimates are against these
    reasons = [line for name, most in beside.items() for line in parts.get(name, [])[:most]]
    reasons += [*_permuted(found), *_of_counts(certificate)]
    if certificate.verdict.endswith("separation") and len(certificate.classes) == 2 and not told:
        reasons.append("--estimates adds what can be reported instead.")
    return "\n".join(one_line(line) for line in [*answer, *reasons, *_about(certificate, rows)])


def _about(certificate: Certificate, rows: _Rows) -> list[str]:
    word = "Asked about" if certificate.separable is None else "Proved for"
    if certificate.verdict == verify.CHANCE:
        word = "Checked up to chance for"
    cut = [] if certificate.verdict == "undecided" else certificate.limits
    left_out = f" ({certificate.n_dropped:,} left out)" if certificate.n_dropped else ""
    columns = certificate.feature_names
    columns = columns if rows.preprocessing is None else list(rows.preprocessing.inputs)
    by = f"covariate{'s' * (len(columns) > 1)} {listed(columns, _NAMED)}"
    about = f"{word} {certificate.n_rows:,} rows{left_out}, {by}. Details: -v."
    return [*(f"Cut short: {limit}." for limit in cut), *_filled(rows), about]


def _filled(rows: _Rows) -> list[str]:
    if rows.preprocessing is None:
        return []
    n = len(rows.y) - len(rows.left_out)
    names = [c.name for c in rows.preprocessing.numbers if c.fill is not None]
    mostly = [name for name in names if 2 * rows.missing.get(name, 0) > n]
    some = f"{many(len(names), 'column')}: {listed(names, _NAMED)}"
    filled = [f"Missing values were filled in {some}; intervals and p values do not allow for it."]
    if mostly:
        each = listed([f"{name} ({rows.missing[name]:,} of {n:,})" for name in mostly], _NAMED)
        filled.append(f"Filled in most rows: {each}. Their coefficients are about few rows.")
    return filled if names else []


def _of_counts(certificate: Certificate) -> list[str]:
    """Of more than two labels that are counts, or may be."""
    if not certificate.many or not all(label.isdecimal() for label in certificate.classes):
        return []
    return [
        "The labels are whole numbers, and were taken as classes without an order. For counts: "
        "--family poisson. For ordered levels: --family ordinal."
    ]


_PERMUTED = 40  # tables
_MOST_NUMBERS = 20_000  # in a table that is worth deciding so often


def _permuted(found: _Found) -> list[str]:
    """How often the same covariates separate permuted labels: there is no formula for a given
    number of events. The permutations are always the same."""
    import numpy as np

    from rosenblatt import certify

    certificate, rows = found.certificate, found.rows
    parts = found.parts
    if "chance" not in parts or certificate.family != "logistic" or certificate.absorbed:
        return []
    present = np.setdiff1d(np.arange(len(rows.y)), rows.left_out)
    if rows.weights is not None:
        present = present[np.asarray(rows.weights)[present] != 0]
    X, y = rows.X[present], np.asarray(rows.y)[present]
    if X.shape[0] * X.shape[1] > _MOST_NUMBERS:
        return []
    complete = certificate.verdict == "complete separation"
    draw, count = np.random.default_rng(0), 0
    for _ in range(_PERMUTED):
        other = certify(X, draw.permutation(y), fit_intercept=certificate.fit_intercept)
        count += other.verdict.endswith("separation") and (not complete or other.separable is True)
    share = count / _PERMUTED
    error = (share * (1 - share) / _PERMUTED) ** 0.5
    return [
        f"Of {_PERMUTED} tables with these covariates and permuted labels, {count} were "
        f"{'completely ' if complete else ''}separated: {share:.0%}, with a standard error of "
        f"{error:.0%}."
    ]


class _Rows(NamedTuple):
    X: Any
    y: Any
    weights: Any
    preprocessing: Any  # for `verify`
    left_out: Any  # rows that have no label
    warnings: list[Warned]  # of columns
    columns: dict[str, Any]  # beside the rows, by role
    levels: list[Any] | None  # of ordinal labels
    missing: dict[str, int]  # values that were filled, by column


def _levels(text: str, y: Any) -> list[Any]:
    """As the table has them, where it has them."""
    known = {str(label): label for label in set(y.tolist())}
    return [known.get(level.strip(), level.strip()) for level in text.split(",")]


def _read(opened: Any, asked: _Asked) -> _Rows:
    import numpy as np

    from rosenblatt._study.column_warnings import like_row_numbers
    from rosenblatt._util.spelling import option
    from rosenblatt.data.stack import in_place
    from rosenblatt.data.table import weights_of
    from rosenblatt.data.transformation import refuse_merged

    weights, warnings, missing = None, list[Any](), dict[str, int]()
    if asked.weight is not None:
        column, opened = opened.split_off(asked.weight, "weight")
        weights = weights_of(column)
    for role, name in asked.beside.items():
        opened.check_column(role.rstrip("0123456789"), name)
        opened = opened.with_options(ignore=(*opened.options.ignore, name))
    table = opened.read()
    left_out: Any = getattr(table, "left_out", [])
    if weights is not None and hasattr(table, "weigh"):
        table.weigh(np.delete(weights, left_out))
    X, y, preprocessing = table.encode(scale=asked.scale)
    table.refuse_rounded(preprocessing, decimal=asked.decimal)
    if preprocessing is not None:
        if asked.scale:
            refuse_merged(preprocessing, table.batches())
        numbers = preprocessing.head(X), preprocessing.without_prose()
        warnings = like_row_numbers(*numbers, len(y), lambda names: option("ignore", *names))
        missing = {c.name: c.missing for c in table.columns if c.missing}
        preprocessing = preprocessing.filling([*missing])
    columns = _common.columns_beside(table.reader, asked.beside, left_out) if asked.beside else {}
    X, y, weights = in_place(X, y, left_out, weights)
    levels = None if asked.levels is None else _levels(asked.levels, y)
    return _Rows(X, y, weights, preprocessing, left_out, warnings, columns, levels, missing)


def _next_command(
    files: tuple[str, ...], output: str | None, options: ReadOptions, *, several: bool
) -> list[str]:
    if "-" in files:  # it is read once
        return []
    if output is not None:
        return ["rosenblatt", "verify", output, *files]
    return ["rosenblatt", "fit", *files, *options.typed()] if several else []


# --- What can be reported: coefficients and their intervals --------------------------------------


def _estimates(found: _Found, **through: Any) -> dict[str, Model]:
    """Maximum likelihood where it exists; else its limit, where rows are left to fit, and of a
    logistic model Firth's. A text says why there is none."""
    from rosenblatt.separation import firth, limiting_model

    asked, rows, verdict = found.asked, found.rows, found.certificate.verdict
    of_family: dict[str, Any] = {"family": asked.family, "levels": rows.levels}
    limit = partial(limiting_model, certificate=found.certificate, **of_family)
    wanted: dict[str, Callable[..., Model]] = {}
    if verdict != "complete separation":
        wanted["maximum_likelihood" if verdict == "overlap" else "limiting_model"] = limit
    if verdict != "overlap" and asked.family == "logistic":
        wanted["firth"] = firth
    models: dict[str, Model] = {}
    for name, model in wanted.items():
        try:
            models[name] = model(rows.X, rows.y, **through)
        except InputError as error:
            models[name] = f"No estimates: {error}"
    return models


def _as_dict(model: Model) -> dict[str, Any]:
    """JSON has no infinite numbers: the text "inf" or "-inf" stands there, null for not fixed."""
    if isinstance(model, str):
        return {"error": model}

    def number(value: float) -> float | str | None:
        return value if isfinite(value) else None if isnan(value) else str(value)

    return {
        "label": model.label,
        "confidence": model.confidence,
        "coefficients": {name: number(v) for name, v in model.coefficients.items()},
        "intervals": {name: [number(v) for v in ends] for name, ends in model.intervals.items()},
        "p_values": {name: number(v) for name, v in model.p_values.items()},
        "log_likelihood": model.log_likelihood,
        **_of_maxima(model),
    }


def _of_maxima(model: FirthEstimate | LimitingModel) -> dict[str, Any]:
    from rosenblatt.separation import FirthEstimate

    if not isinstance(model, FirthEstimate):  # a concave likelihood
        return {}
    return {"lower_maxima": list(model.lower_maxima), "warning": model.warning}


# --- What the rows force: signs, and proofs in files ---------------------------------------------


_SECONDS = 10.0  # for a search, where no other time was asked for


def _check_columns(files: tuple[str, ...], columns: int) -> None:
    from rosenblatt._bounds.directions import MOST_COLUMNS

    if columns > MOST_COLUMNS:
        raise InputError(
            f"--forced-signs takes at most {MOST_COLUMNS} columns of numbers; "
            f"{', '.join(files)} has {columns:,}. Leave some out with --ignore COLUMN."
        )


def _forced_signs(found: _Found) -> SignReport:
    """Of the best rule that this search and that for the fewest errors find."""
    from rosenblatt._util.budget import Clock
    from rosenblatt.sign_report import signs_within

    rows, seconds = found.rows, found.asked.seconds
    return signs_within(
        Clock(seconds),
        rows.X,
        rows.y,
        errors=0 if found.certificate.separable is True else None,
        sample_weight=rows.weights,
        preprocessing=rows.preprocessing,
        longer=f"more time than {seconds:g} seconds",
        known=found.bracket,
        **found.asked.demand,
    )


def _described(report: SignReport) -> dict[str, Any]:
    columns = [
        {
            "column": c.name,
            "sign": c.sign,
            "free": c.free,
            "collinear": c.collinear,
            "otherwise_at_least": c.at_least,
            "otherwise_at_most": c.at_most,
            "tolerates": asdict(c.tolerates) if c.tolerates else None,
        }
        for c in report
    ]
    return {"forced_signs": {"errors": report.errors, "columns": columns}}


def _proofs(
    bracket: ErrorBracket | None, report: SignReport | None
) -> dict[str, Callable[[Path], None]]:
    """What writes each proof, by the name of its file; each says how to read the table."""
    from rosenblatt._bounds.proof import save

    proofs: dict[str, Callable[[Path], None]] = {}
    if bracket is not None and bracket.proof == "directions":
        proofs["fewest-errors.json"] = bracket.save
    elif bracket is not None and _apart(bracket):
        each = range(len(bracket.conflicts))
        proofs |= {f"conflict-{k + 1}.json": bracket.certificate(k).save for k in each}
    for place, column in enumerate(report or (), 1):
        if report is not None and column.sign is not None:
            proofs[f"sign-{place}.json"] = partial(save, report.to_dict(column.name))
    return proofs


def _apart(bracket: ErrorBracket) -> bool:
    """Its conflicts have no row in common, so that there are as many errors as conflicts."""
    return bracket.shares is not None and set(bracket.shares) == {1}


def _write_proofs(
    folder: str, bracket: ErrorBracket | None, report: SignReport | None, out: _common.Output
) -> None:
    groups = ""
    if bracket is not None and bracket.proof == "conflicts" and bracket.proved_lower:
        groups = (
            "Every linear rule misclassifies a row of each conflict, and no row is in two of them."
            if _apart(bracket)
            else "The bound on the errors has no file: it is proved by shares of groups of rows "
            "(conflicts), and only proofs by directions and by disjoint groups have one."
        )
    proofs = _proofs(bracket, report)
    if not proofs:
        why = groups or "No bound on the errors and no sign was proved here."
        out.say(f"--proofs: nothing was written. {why}")
        return
    make_folder(Path(folder))
    for name, write in proofs.items():
        write(Path(folder) / name)
    out.say(f"The proofs are in {folder}: {listed([*proofs], _NAMED)}. {groups}".rstrip())
