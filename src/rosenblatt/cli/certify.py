"""rosenblatt certify: does a hyperplane separate the labels of a table? Decided, and proved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from math import isfinite, isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from rosenblatt import verify
from rosenblatt._util.files import make_folder
from rosenblatt._util.spelling import command_line
from rosenblatt._util.text import listed, of_files, one_line
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
UNDECIDED = 3  # as an exit code
_NAMED = 12  # columns
# With --exit-code. 13 is kept for an overlap that is proved up to chance.
_CODES = {"complete separation": 0, "overlap": 10, "quasi-complete separation": 11}
_NOT_SEPARABLE = 12


@click.command(cls=Command)
@_options.table_options
@_options.file_option("-o", "--output", help="Write the certificate to FILE as JSON.")
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
    help="Whose estimate is asked about; logistic is for probit and complementary log-log models, "
    "too.  [default: logistic]",
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
    help="With --family ordinal: the labels from the lowest on.  [default: the order of numbers]",
)
@click.option(
    "--absorb",
    metavar="COLUMN",
    multiple=True,
    help="A factor of many levels (fixed effects), none of which becomes a column; may be given "
    "several times, of two labels or with --family poisson or ppml.",
)
@_options.sign_option(
    "Of two labels: ask about rules whose weight on COLUMN is not negative (COLUMN:-: not "
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
    "Of two labels: also the coefficients of a logistic regression with 95 % profile intervals; "
    "where they are infinite, Firth's penalised estimates and Geyer's limiting model.",
)
@_options.flag(
    "--min-errors",
    "Of two labels: also search for the fewest errors that any linear rule can make.",
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
    help="With --min-errors or --forced-signs: write their proofs into FOLDER as JSON files.  "
    "[default: none]",
)
@_options.flag("--pairs", "With more than two labels: also check each pair of labels.")
@_options.flag(
    "--exit-code",
    "Exit with 0 for complete separation, 10 for overlap, 11 for quasi-complete separation, "
    "and 12 if 10 or 11 is open.",
)
@_options.force_option
@_options.output_options
def command(
    files: tuple[str, ...],
    output: str | None,
    encoded: str | None,
    scale: bool,
    numbers: str,
    weight: str | None,
    family: str,
    event: str | None,
    time: str | None,
    entry: str | None,
    strata: str | None,
    levels: str | None,
    absorb: tuple[str, ...],
    signs: tuple[str, ...],
    no_intercept: bool,
    time_limit: float | None,
    estimates: bool,
    min_errors: bool,
    forced: bool,
    search_time: float | None,
    proofs: str | None,
    pairs: bool,
    exit_code: bool,
    force: bool,
    out: _common.Output,
    **reading: Any,
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
    if event is not None:
        _check_event(family, reading["target"])
        reading["target"] = event
    beside = {"time": time, "entry": entry, "strata": strata}
    of_family: dict[str, Any] = {"family": family, **beside, "levels": levels}
    beside |= {f"absorb{k}": name for k, name in enumerate(absorb)}
    rules = family == "logistic" and not absorb
    opened = _common.open_table(files, reading)
    decimal = numbers == "decimal"
    if scale and decimal:
        raise click.UsageError(
            "--numbers decimal certifies the numbers as written, and --scale changes them: "
            "give only one."
        )
    if estimates and decimal:
        raise click.UsageError(
            "--estimates are computed from float64 numbers: leave out --numbers decimal."
        )
    if estimates and signs:
        raise click.UsageError("--estimates are of a model without --sign: give only one.")
    if not rules and (estimates or min_errors or forced or signs):
        raise click.UsageError(
            "--estimates, --min-errors, --sign and --forced-signs are about logistic models and "
            "linear rules: leave out --family and --absorb."
        )
    demand: dict[str, Any] = {"signs": _options.signs_of(signs)}
    _check_search(min_errors, forced, search_time, proofs, decimal, no_intercept)
    if output is not None and output == encoded:
        raise InputError(f"-o and --encoded both name {output}: give two different files.")
    for path in (output, encoded):
        _common.check_output(path, files, force=force)
    _common.check_folder(proofs, force=force)

    from rosenblatt import certify, minimum_errors
    from rosenblatt._certify.check import with_columns
    from rosenblatt._certify.families import Beside
    from rosenblatt._study.verdict import describe
    from rosenblatt.data.numbering import unlabelled

    with out.reading():
        rows = _read(opened, weight, beside, scale=scale, decimal=decimal)
    X, y, preprocessing, left_out = rows.X, rows.y, rows.preprocessing, rows.left_out
    of_family |= rows.columns
    if levels is not None:
        of_family["levels"] = _levels(levels, y)
    out.say_detail(f"{X.shape[0] - len(left_out):,} rows, {X.shape[1]:,} features.")
    if len(left_out):
        out.say(f"{unlabelled(len(left_out), preprocessing.reading)}.")
    if forced and len(set(y.tolist())) == 2:
        _check_columns(files, X.shape[1] - len(signs))
    through = {
        "fit_intercept": not no_intercept,
        "preprocessing": preprocessing,
        "sample_weight": rows.weights,
    }
    with out.working(f"deciding about {X.shape[0]:,} rows"), of_files():
        certificate = certify(
            X,
            y,
            numbers=numbers,
            time_limit=time_limit,
            pairs=pairs,
            **through,
            **demand,
            **of_family,
        )
    if encoded is not None:
        labels = y.astype(object)
        labels[left_out] = ""
        _, of_rows = Beside.of(None, family, of_family["levels"], **rows.columns)
        names = [*certificate.feature_names, *(of_rows.names.values() if of_rows else ())]
        numbered = with_columns(X, of_rows)
        _common.write_encoded(encoded, names, reading["target"] or "y", numbered, labels)
        out.say(f"The encoded numbers are in {encoded}.")
    if output is not None:
        certificate.save(output)
        out.say(f"The certificate is in {output}.")
    seconds = _SECONDS if search_time is None else search_time
    separable = certificate.separable is True
    bracket = free = None
    if min_errors and not certificate.many and not separable:
        with out.working("searching for the fewest errors"):
            bracket = minimum_errors(X, y, time_limit=seconds, **through, **demand)
        if signs:
            with out.working("searching for the fewest errors without these signs"):
                free = minimum_errors(X, y, time_limit=seconds, **through)
    report = None
    if forced and not certificate.many:
        with out.working("searching for signs that the rows force"):
            report = _forced_signs(rows, bracket, seconds, separable=separable, **demand)
        bracket = bracket and report.improved(bracket)
    models: dict[str, Model] = {}
    if estimates and len(certificate.classes) == 2:
        with out.working("estimating coefficients"):
            models = _estimates(certificate, through, X, y)
    if proofs is not None:
        _write_proofs(proofs, bracket, report, out)
    if out.as_json:
        content = {"files": list(files)} | describe(certificate, bracket)
        content["warnings"] = rows.warnings
        if signs:
            content |= demand
        if free is not None and bracket is not None:
            content["price"] = dict(zip(("at_least", "at_most"), bracket.price(free), strict=True))
        if estimates:
            content["estimates"] = {name: _as_dict(model) for name, model in models.items()}
        _common.print_json("certify", content | ({} if report is None else _described(report)))
    else:
        with of_files():
            short = not out.verbose
            answer = _short(certificate, rows, told=estimates) if short else str(certificate)
            _common.print_text(answer)
            for warned in rows.warnings:
                _common.print_text(f"Warning: {one_line(warned['sentence'])}")
            for model in models.values():
                _common.print_text(f"\n{model}")
            if models:
                click.echo()
            if bracket is not None:
                click.echo("\n".join(bracket.lines(alone=False)))
            if free is not None and bracket is not None:
                _common.print_text(one_line(bracket.price_sentence(free)))
            if report is not None:
                click.echo(str(report))
        asked = {"--forced-signs": forced, "--min-errors": min_errors, "--estimates": estimates}
        for name, wanted in asked.items():
            if wanted and certificate.many:
                click.echo(
                    f"{name} needs two labels: choose one against all others with --positive LABEL."
                )
        if scale:
            click.echo("The numbers were scaled (--scale): so are the margins and the bound.")
        asked_more = certificate.many or min_errors or out.quiet
        if certificate.separable is False and rules and not asked_more:
            click.echo("--min-errors searches for the fewest errors that any linear rule can make.")
        several = len(certificate.classes) > 1 and weight is None and rules
        if not out.quiet and (
            then := _next_command(files, output, opened.options, several=several)
        ):
            _common.print_text(f"Next: {one_line(command_line(then))}")
    if certificate.separable is None:
        return UNDECIDED
    return _CODES.get(certificate.verdict, _NOT_SEPARABLE) if exit_code else 0


# What is said without -v, beside the answer: each the first so many lines of a section.
_BESIDE = {"columns": 9, "rare": 9, "coefficients": 3, "conflict": 1, "chance": 1, "pairs": 99}


def _short(certificate: Certificate, rows: _Rows, *, told: bool) -> str:
    """The answer in the words of a logistic regression, and the reason. `told`: the estimates are
    below."""
    from rosenblatt._certify.text import sections

    parts = dict(sections(certificate))
    if certificate.family != "logistic" or certificate.absorbed or certificate.signs:
        said = [*parts.pop("verdict"), *parts.get("coefficients", []), *parts.get("collinear", [])]
        return "\n".join(one_line(line) for line in [*said, *_about(certificate, rows)])
    first, *rest = parts["verdict"]
    answer = [first, *(rest if certificate.verdict == "undecided" else [])]
    through = "" if certificate.fit_intercept else " through the origin"
    all_rows = f"all {certificate.n_rows:,} rows"
    none = f"no linear rule{through} is right about {all_rows}"
    if len(certificate.classes) > 1:
        if certificate.verdict == "complete separation":
            answer = [
                f"Complete separation: a linear rule{through} is right about {all_rows}, and a "
                "logistic regression has no finite estimate."
            ]
        elif certificate.verdict == "quasi-complete separation":
            answer = [
                f"Quasi-complete separation: a logistic regression has no finite estimate, and "
                f"{none}."
            ]
        elif certificate.verdict == "overlap":
            unique = ", but not a unique one" if certificate.collinear else ""
            answer = [f"Overlap: a logistic regression has a finite estimate{unique}; {none}."]
    if certificate.conflict is not None and (k := len(certificate.conflict.rows)) > 2:
        parts["conflict"] = [f"Why: {k:,} rows contradict each other; -v names them."]
    beside = _BESIDE | ({"levels": 1} if told else {})  # estimates are against these
    reasons = [line for name, most in beside.items() for line in parts.get(name, [])[:most]]
    if certificate.verdict.endswith("separation") and len(certificate.classes) > 1 and not told:
        reasons.append("--estimates adds what can be reported instead.")
    return "\n".join(one_line(line) for line in [*answer, *reasons, *_about(certificate, rows)])


def _about(certificate: Certificate, rows: _Rows) -> list[str]:
    word = "Asked about" if certificate.separable is None else "Proved for"
    cut = [] if certificate.verdict == "undecided" else certificate.limits
    left_out = f" ({certificate.n_dropped:,} left out)" if certificate.n_dropped else ""
    columns = certificate.feature_names
    columns = columns if rows.preprocessing is None else list(rows.preprocessing.inputs)
    by = f"covariate{'s' * (len(columns) > 1)} {listed(columns, _NAMED)}"
    about = f"{word} {certificate.n_rows:,} rows{left_out}, {by}. Details: -v."
    return [*(f"Cut short: {limit}." for limit in cut), about]


def _check_search(
    min_errors: bool,
    forced: bool,
    search_time: float | None,
    proofs: str | None,
    decimal: bool,
    no_intercept: bool,
) -> None:
    if forced and (decimal or no_intercept):
        raise click.UsageError(
            "--forced-signs works for rules with an intercept on float64 numbers: leave out "
            "--numbers decimal and --no-intercept."
        )
    if min_errors and decimal:
        raise click.UsageError(
            "--min-errors works on float64 numbers: leave out --numbers decimal."
        )
    for option, value in (("--search-time", search_time), ("--proofs", proofs)):
        if value is not None and not (min_errors or forced):
            raise click.UsageError(
                f"{option} goes with --min-errors or --forced-signs: add one of them."
            )


class _Rows(NamedTuple):
    X: Any
    y: Any
    weights: Any
    preprocessing: Any  # for `verify`
    left_out: Any  # rows that have no label
    warnings: list[Warned]  # of columns
    columns: dict[str, Any]  # beside the rows, by role


def _check_event(family: str, target: str | None) -> None:
    if family != "cox":
        raise click.UsageError("--event goes with --family cox: give --target COLUMN.")
    if target is not None:
        raise click.UsageError("--event takes the place of --target: give only one.")


def _levels(text: str, y: Any) -> list[Any]:
    """As the table has them, where it has them."""
    known = {str(label): label for label in set(y.tolist())}
    return [known.get(level.strip(), level.strip()) for level in text.split(",")]


def _read(
    opened: Any, weight: str | None, beside: dict[str, str | None], *, scale: bool, decimal: bool
) -> _Rows:
    import numpy as np

    from rosenblatt._study.column_warnings import like_row_numbers
    from rosenblatt._util.spelling import option
    from rosenblatt.cli._likelihood import columns_of
    from rosenblatt.data.stack import head, in_place
    from rosenblatt.data.table import weights_of
    from rosenblatt.data.transformation import refuse_merged

    weights, warnings = None, list[Any]()
    if weight is not None:
        column, opened = opened.split_off(weight, "weight")
        weights = weights_of(column)
    names = {role: name for role, name in beside.items() if name is not None}
    for role, name in names.items():
        opened.check_column(role.rstrip("0123456789"), name)
        opened = opened.with_options(ignore=(*opened.options.ignore, name))
    table = opened.read()
    left_out: Any = getattr(table, "left_out", [])
    if weights is not None and hasattr(table, "weigh"):
        table.weigh(np.delete(weights, left_out))
    X, y, preprocessing = table.encode(scale=scale)
    table.refuse_rounded(preprocessing, decimal=decimal)
    if preprocessing is not None:
        if scale:
            refuse_merged(preprocessing, table.batches())
        numbers = head(preprocessing, X), preprocessing.without_prose()
        warnings = like_row_numbers(*numbers, len(y), lambda names: option("ignore", *names))
        preprocessing = preprocessing.filling([c.name for c in table.columns if c.missing])
    columns = columns_of(table.reader, names, left_out) if names else {}
    X, y, weights = in_place(X, y, left_out, weights)
    return _Rows(X, y, weights, preprocessing, left_out, warnings, columns)


def _next_command(
    files: tuple[str, ...], output: str | None, options: ReadOptions, *, several: bool
) -> list[str]:
    if "-" in files:  # it is read once
        return []
    if output is not None:
        return ["rosenblatt", "verify", output, *files]
    return ["rosenblatt", "fit", *files, *options.typed()] if several else []


# --- What can be reported: coefficients and their intervals --------------------------------------


def _estimates(
    certificate: Certificate, through: dict[str, Any], X: Any, y: Any
) -> dict[str, Model]:
    """Maximum likelihood where it exists; else its limit, where rows are left to fit, and
    penalised. A text says why there is none."""
    from rosenblatt.separation import firth, limiting_model

    limit = partial(limiting_model, certificate=certificate)
    wanted: dict[str, Callable[..., Model]] = {"firth": firth}
    if certificate.verdict == "overlap":
        wanted = {"maximum_likelihood": limit}
    elif certificate.verdict == "quasi-complete separation":
        wanted = {"limiting_model": limit, "firth": firth}
    models: dict[str, Model] = {}
    for name, model in wanted.items():
        try:
            models[name] = model(X, y, **through)
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
        "log_likelihood": model.log_likelihood,
    }


# --- What the rows force: signs, and proofs in files ---------------------------------------------


_SECONDS = 10.0  # for a search, where no other time was asked for


def _check_columns(files: tuple[str, ...], columns: int) -> None:
    from rosenblatt._bounds.directions import MOST_COLUMNS

    if columns > MOST_COLUMNS:
        raise InputError(
            f"--forced-signs takes at most {MOST_COLUMNS} columns of numbers; "
            f"{', '.join(files)} has {columns:,}. Leave some out with --ignore COLUMN."
        )


def _forced_signs(
    rows: _Rows,
    bracket: ErrorBracket | None,
    seconds: float,
    *,
    separable: bool,
    signs: dict[str, str] | None,
) -> SignReport:
    """Of the best rule that this search and that for the fewest errors find."""
    from rosenblatt._util.budget import Clock
    from rosenblatt.sign_report import found_within

    return found_within(
        Clock(seconds),
        rows.X,
        rows.y,
        errors=0 if separable else None,
        sample_weight=rows.weights,
        preprocessing=rows.preprocessing,
        longer=f"more time than {seconds:g} seconds",
        known=bracket,
        signs=signs,
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


def _write_proofs(
    folder: str, bracket: ErrorBracket | None, report: SignReport | None, out: _common.Output
) -> None:
    """fewest-errors.json, and sign-1.json for the first column; each says how to read the table."""
    from rosenblatt._bounds.proof import save

    documents, groups = {}, ""
    if bracket is not None and bracket.proof == "directions":
        documents["fewest-errors.json"] = bracket.to_dict()
    elif bracket is not None and bracket.proof == "conflicts" and bracket.proved_lower:
        groups = (
            "The bound on the errors has no file: it is proved by groups of rows (conflicts), and "
            "only proofs by directions have one."
        )
    if report is not None:
        signs = [(place, c) for place, c in enumerate(report, 1) if c.sign is not None]
        documents |= {f"sign-{place}.json": report.to_dict(c.name) for place, c in signs}
    if not documents:
        why = groups or "No bound on the errors and no sign was proved here."
        out.say(f"--proofs: nothing was written. {why}")
        return
    make_folder(Path(folder))
    for name, document in documents.items():
        save(document, Path(folder) / name)
    out.say(f"The proofs are in {folder}: {', '.join(documents)}. {groups}".rstrip())
