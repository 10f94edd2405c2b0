"""rosenblatt predict: a trained rule on new rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import click

from rosenblatt._util.text import named
from rosenblatt.cli import _common, _options, _prediction_columns
from rosenblatt.cli._explain import (
    SmallestChange,
    is_card,
    lead,
    points_of,
    weighed,
    weights,
    why_of,
)
from rosenblatt.cli._prediction_columns import (
    Beside,
    Columns,
    Row,
    SecondOpinion,
    as_dict,
    check_together,
    write,
)
from rosenblatt.cli._rows import NewRows, check_model, new_rows, of_many, of_two
from rosenblatt.errors import InputError

_REASONS = 3


@click.command()
@click.argument("model", type=click.Path())
@_options.row_options()
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write the predictions to FILE as CSV.  [default: standard output]",
)
@click.option(
    "--keep",
    multiple=True,
    metavar="COLUMN",
    help="Copy this column of FILE into the predictions (repeatable), or all for every one.",
)
@click.option(
    "--explain",
    is_flag=True,
    help="Add the features that contribute most to the score of each row.",
)
@click.option(
    "--reasons",
    type=click.IntRange(1),
    help=f"With --explain: how many features to name.  [default: {_REASONS}]",
)
@click.option(
    "--change",
    is_flag=True,
    help="With --explain: add the smallest change of one column, and of two, that changes the "
    "predicted label.",
)
@click.option(
    "--fixed",
    multiple=True,
    metavar="COLUMN",
    help="With --change: a column that cannot be changed, such as age (repeatable).",
)
@click.option(
    "--second-opinion",
    metavar="TRAIN",
    help="Say whether other linear rules that fit the training rows in the file TRAIN as well "
    "would predict otherwise.",
)
@click.option(
    "--proofs",
    metavar="FOLDER",
    help="With --second-opinion: write the proofs of forced answers into FOLDER.  [default: none]",
)
@click.option(
    "--probability",
    is_flag=True,
    help="Add the probability of the label that the rule names (card = yes if ...), by Platt "
    "scaling.",
)
@click.option(
    "--unseen",
    type=click.Choice(["refuse", "zero"]),
    default="refuse",
    show_default=True,
    help="What to do with a category that did not occur in training: stop with an error, or set "
    "all its 0/1 columns to 0, as for the reference level; such rows are marked.",
)
@click.option(
    "--gaps",
    type=click.Choice(["mark", "refuse"]),
    default="mark",
    show_default=True,
    help="What to do with a row that lacks a value which training did not learn to fill: leave its "
    "prediction empty, or stop with an error.",
)
@_options.force_option
@_options.output_options
def command(
    model: str,
    files: tuple[str, ...],
    output: str | None,
    keep: tuple[str, ...],
    explain: bool,
    reasons: int | None,
    change: bool,
    fixed: tuple[str, ...],
    second_opinion: str | None,
    proofs: str | None,
    probability: bool,
    unseen: str,
    gaps: str,
    force: bool,
    as_json: bool,
    quiet: bool,
    verbose: bool,
    **reading: Any,
) -> int:
    """Predict the labels of new rows with a trained model.

    MODEL is a file that `rosenblatt fit` or rosenblatt.save wrote. FILE has the columns of the
    training table; the target is not needed. The output has one line for each row. The column row
    is 1 for the first row below the header (in --json it is 0).

    The score is the left side of the rule that `rosenblatt fit` printed minus its threshold: with
    the rule "card = yes if ...", a score of 0 or more means yes. For a scorecard it is the points
    minus the threshold plus 0.5. With more than two labels the one with the highest score is
    predicted, and the runner-up is named beside it.

    --explain: a reason is what a feature adds to the score, compared with an average training row:
    its weight times (value - average); for a category, compared with the reference level. With the
    other features and the intercept, the reasons add up to the score (with more than two labels: to
    the lead over the runner-up). The intercept is the score of an average row whose categories are
    the reference levels. Features that add 0, such as these categories, are not counted among the
    others. For a scorecard, the reasons are the points of each term.

    --change stays within the ranges and categories seen in training, and keeps whole numbers whole.

    --second-opinion: an answer is forced if every linear rule that makes no more errors on TRAIN
    gives it, and contested if one of them says otherwise. TRAIN is the table that was given to
    `rosenblatt fit`. It is read as it was then; if that fails, with the options given for FILE.

    --probability: computed from the score by Platt scaling, which `rosenblatt fit` fitted to rows
    that the scoring rule had not seen.

    Missing values are filled if training learned how (fit --impute). Otherwise such a row gets no
    prediction, and a message says how many there are.

    \b
    Examples:
      rosenblatt fit credit.csv --target card
      rosenblatt predict credit-rosenblatt/model.json credit.csv -o predictions.csv
      rosenblatt predict credit-rosenblatt/model.json credit.csv --keep age --explain
      rosenblatt predict credit-rosenblatt/model.json credit.csv --explain --change
    """
    if reasons is not None and not explain:
        raise click.UsageError(
            "--reasons is the number of reasons that --explain gives: add --explain."
        )
    check_together(
        explain=explain,
        change=change,
        fixed=fixed,
        opinion=second_opinion,
        proofs=proofs,
        files=files,
        force=force,
    )
    check_model(model, files, "predict")
    _common.check_files(model, files if second_opinion is None else (second_opinion, *files))
    _common.check_output(output, (model, *files), force=force)

    from rosenblatt import model_file

    known = model_file.read(model)
    platt = _platt(known, model) if probability else None
    new = new_rows(known, model, files, reading, unseen=unseen, gaps=gaps, keep=keep)
    beside: list[Beside] = [SmallestChange(known, model, fixed)] if change else []
    if second_opinion is not None:
        again = partial(
            new_rows, model=model, files=files, reading=reading, unseen=unseen, gaps=gaps
        )
        opinion = _prediction_columns.second_opinion(
            known, model, second_opinion, again, reading, quiet=quiet
        )
        beside.append(opinion)
    rows = _rows(known.estimator, new, (reasons or _REASONS) if explain else 0, beside)
    rows = _with_probability(rows, platt)
    if as_json:
        with _common.reading(quiet=quiet):
            keys = [one.key for one in beside]
            content = [as_dict(row, new.kept, keys) for row in rows]
        labels = known.estimator.classes_.tolist()
        _common.print_json("predict", {"files": list(files), "labels": labels, "rows": content})
        _tell(beside, proofs, quiet=quiet)
        return 0
    ranked = len(known.estimator.classes_) > 2
    columns = Columns(
        f"probability of {known.estimator.classes_[-1]}" if probability else None,
        explain=explain,
        ranked=ranked,
        marked=unseen == "zero" or new.prose,
        beside=tuple(one.column for one in beside),
        points=is_card(known.estimator),
    )
    write(output, rows, new.kept, columns, quiet=quiet)
    if output is not None:
        _common.say(f"The predictions are in {output}.", quiet=quiet)
    if platt is not None:
        _common.say(_from_on(known, platt), quiet=quiet)
    _tell(beside, proofs, quiet=quiet)
    return 0


def _from_on(known: Any, platt: Any) -> str:
    """The probability at which the answer changes, which is one half only by chance."""
    label, why = named(known.estimator.classes_[-1]), ""
    if known.objective is not None and known.objective.decides != "error":
        from rosenblatt._study.costs import chosen_by

        why = f", because it was chosen by {chosen_by(known.objective)}"
    return f"This rule says {label} from a probability of {float(platt.of(0.0)):.1%} on{why}."


def _tell(beside: list[Beside], proofs: str | None, *, quiet: bool) -> None:
    for one in beside:
        if isinstance(one, SecondOpinion):
            one.tell(quiet=quiet)
            if proofs is not None:
                one.write_proofs(proofs, quiet=quiet)


def _rows(estimator: Any, new: NewRows, count: int, beside: Sequence[Beside] = ()) -> Iterator[Row]:
    from rosenblatt._core.rows import dense

    says = of_two if len(estimator.classes_) == 2 else of_many
    rule, of = weights(estimator) if count else None, weighed(estimator, new)
    number = predicted = 0
    for batch in new.batches:
        answers = enumerate(says(estimator, batch.X))
        rows = batch.X if rule is None else of.rows(batch.X)
        points = points_of(estimator, batch.X)
        for i, kept in zip(range(batch.rows), batch.kept, strict=True):
            unseen, lacking = "; ".join(batch.unseen.get(i, [])), batch.lacking.get(i, [])
            label, score, rival, why, sum_ = None, None, None, None, None
            more: tuple[tuple[str, Any], ...] = ()
            if not lacking:
                j, (label, score, rival, at) = next(answers)
                sum_ = None if points is None else points[j]
                if rule is not None:
                    w, b = lead(*rule, *at)
                    x = dense(rows[j]).ravel()
                    why = why_of(of, x, w, count, b)
                more = tuple(one.of(predicted, batch.X[j], label) for one in beside)
                predicted += 1
            no_word = batch.wordless.get(i, [])
            row = Row(number, kept, label, score, rival, why, unseen, lacking, no_word, more)
            yield row._replace(points=sum_)
            number += 1


def _platt(known: Any, model: str) -> Any:
    """From a score to a probability."""
    if known.probability is not None:
        return known.probability
    k = len(known.estimator.classes_)
    why = "it was saved without one. rosenblatt fit writes models that have one"
    if k > 2:
        why = f"it tells {k} labels apart, and probabilities are for two labels"
    raise InputError(f"--probability: {model} cannot give a probability: {why}.")


def _with_probability(rows: Iterator[Row], platt: Any) -> Iterator[Row]:
    for row in rows:
        known = platt is not None and row.score is not None
        yield row._replace(probability=float(platt.of(row.score))) if known else row
