"""What `rosenblatt predict` says beside a label and its reasons: the smallest change, second
opinions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rosenblatt._study.reasons import lead, weights
from rosenblatt._util.spelling import option
from rosenblatt._util.text import many
from rosenblatt.cli import _common
from rosenblatt.cli._rows import NewRows
from rosenblatt.errors import InputError

if TYPE_CHECKING:
    from rosenblatt._study.counterfactual import Change, Changes
    from rosenblatt.cli._common import Output
    from rosenblatt.cli._rows import RowFiles
    from rosenblatt.opinions import Opinions, RuleSet


# --- The smallest change of a row that changes its label: `predict --counterfactual` -----------


_SINGLE = 3  # changes of one column that are named


class SmallestChange:
    column, key = "smallest change", "changes"

    def __init__(self, known: Any, model: str, fixed: Sequence[str]):
        from rosenblatt._study.counterfactual import changeable
        from rosenblatt.data import Preprocessing

        if known.preprocessing is None:
            raise InputError(
                f"--counterfactual: {model} was saved without the preprocessing of its table, so "
                "there are no columns to change. rosenblatt fit saves it."
            )
        self._estimator = known.estimator
        self._weights = weights(known.estimator)
        self._columns = changeable(Preprocessing.from_dict(known.preprocessing), fixed)

    def of(self, k: int, x: Any, label: Any) -> tuple[str, Any]:
        from rosenblatt._core.rows import dense

        changes = self._smallest(dense(x).ravel().astype(float), label)
        return _changes_in_words(changes), {
            "single": [_as_dict(change) for change in changes.single],
            "double": None if changes.double is None else _as_dict(changes.double),
        }

    def _smallest(self, row: Any, label: Any) -> Changes:
        from rosenblatt._study import counterfactual
        from rosenblatt._study.counterfactual import Turning
        from rosenblatt._training.card_rule import Card

        if isinstance(self._estimator._rule, Card):
            return counterfactual.smallest(self._estimator._rule, self._columns, row)

        def turned(other: Any) -> bool:
            return bool(self._estimator.predict(other[None, :])[0] != label)

        return Turning(self._columns, row, turned).smallest(self._leads(row, label))

    def _leads(self, x: Any, label: Any) -> list[tuple[Any, float]]:
        """By how much the label is ahead of each other one, and the weights of that."""
        classes = self._estimator.classes_.tolist()
        if len(classes) == 2:
            w, b = lead(*self._weights, 0, None)
            sign = 1.0 if label == classes[1] else -1.0
            return [(sign * w, sign * (float(w @ x) + b))]
        mine = classes.index(label)
        others = (lead(*self._weights, mine, c) for c in range(len(classes)) if c != mine)
        return [(w, float(w @ x) + b) for w, b in others]


def _changes_in_words(changes: Changes) -> str:
    texts = [_moves(change) for change in changes.single[:_SINGLE]]
    if changes.double is not None:
        texts.append(f"two together: {_moves(changes.double)}")
    if not texts:
        return "no change of one or two columns within the ranges seen in training changes it"
    return "; or ".join(texts)


def _moves(change: Change) -> str:
    from rosenblatt._study.counterfactual import shown

    return " and ".join(f"{m.column} {shown(m.now)} → {shown(m.to)}" for m in change.moves)


def _as_dict(change: Change) -> dict[str, Any]:
    moves = [{"column": m.column, "now": m.now, "to": m.to} for m in change.moves]
    return {"moves": moves, "size": change.size}


# --- What other rules say that fit the training rows as well: `predict --second-opinion` ---------


class SecondOpinion:
    """All are found before the first row is written."""

    column, key = "second opinion", "second_opinion"

    def __init__(
        self, opinions: Opinions, numbers: Sequence[int], preprocessing: Any, objective: Any
    ):
        self.opinions, self._numbers, self._preprocessing = opinions, numbers, preprocessing
        self._objective = objective

    def of(self, k: int, x: Any, label: Any) -> tuple[str, Any]:
        if k >= len(self.opinions):
            return "", None  # Ctrl-C came before
        one = self.opinions[k]
        content = {
            "status": one.status,
            "at_least": one.at_least,
            "at_most": one.at_most,
            "cost": one.cost,
            "because": one.because,
            "rival": one.rival and one.rival.to_dict(),
        }
        return self.opinions.sentence(k, lambda row: row + 1), content

    def tell(self, out: Output) -> None:
        from rosenblatt._study.costs import chosen_by

        if self._objective is not None and self._objective.decides != "error":
            out.say(
                f"This rule was chosen by {chosen_by(self._objective)}. The second opinion only "
                "counts errors, so it also asks rules of a very different kind: expect many "
                "contested rows."
            )
        for line in self.opinions.lines():
            out.say(line)

    def write_proofs(self, folder: str, out: Output) -> None:
        """row-7.json and row-7.csv, for `python -m rosenblatt.verify`, for each forced row, counted
        from 1 as in the predictions."""
        from rosenblatt._util.files import make_folder

        forced = [opinion.row for opinion in self.opinions if opinion.conflict is not None]
        if not forced:
            out.say("No answer is forced by a few rows, so there is no proof to write.")
            return
        make_folder(Path(folder))
        names, target = self._preprocessing.feature_names, self._preprocessing.target.name
        for k in forced:
            X, y = self.opinions.rows_of(k)
            path = Path(folder) / f"row-{self._numbers[k] + 1}"
            self.opinions.certificate(k).save(f"{path}.json")
            _common.write_encoded(f"{path}.csv", names, target, X, y)
        path = Path(folder) / f"row-{self._numbers[forced[0]] + 1}"
        check = f"python -m rosenblatt.verify {path}.json {path}.csv"
        out.say(f"{many(len(forced), 'proof')} in {folder}. To check one: {check}")


def second_opinion(known: Any, train: str, new: RowFiles, out: Output) -> SecondOpinion:
    """About the rows that `known`, a model, says something of. Ctrl-C keeps what is there."""
    from rosenblatt.data import Preprocessing
    from rosenblatt.data.files import find

    find([train])
    _check_two_labels(known, new.model)
    preprocessing = Preprocessing.from_dict(known.preprocessing)
    plain = _unscaled(preprocessing)
    rows, numbers = _complete_rows(new.of(known))
    raw, _ = _complete_rows(new.of(replace(known, preprocessing=plain.to_dict())))
    labelled = _labelled(train, new.reading, plain, preprocessing)
    rules = _rule_set(known, train, labelled, plain, rows, raw)
    opinions: list[Any] = []
    with out.working("second opinions"):
        try:
            opinions.extend(rules.opinions())
        except KeyboardInterrupt:
            left = f"{len(opinions):,} of {many(len(numbers), 'row')} have a second opinion"
            _common.say(f"Interrupted: {left}.")
    return SecondOpinion(rules.all(opinions), numbers, plain, known.objective)


def _check_two_labels(known: Any, model: str) -> None:
    if known.preprocessing is None or known.preprocessing.get("target") is None:
        raise InputError(
            f"--second-opinion: {model} was saved without the preprocessing of its table. Use "
            "rosenblatt.second_opinion in Python."
        )
    k = len(known.estimator.classes_)
    if k != 2:
        raise InputError(f"--second-opinion works with two labels, and {model} tells {k} apart.")


def _unscaled(preprocessing: Any) -> Any:
    """In the units of the table; missing values are filled as before."""
    from rosenblatt.data.preprocessing import Number

    fills = [c.fill for c in preprocessing.columns if isinstance(c, Number)]
    return preprocessing.with_scales(fills, [0.0] * len(fills), [1.0] * len(fills))


def _complete_rows(new: NewRows) -> tuple[Any, list[int]]:
    from rosenblatt.data.stack import below

    parts, numbers, first = [], [], 0
    for batch in new.batches:
        parts.append(batch.X)
        numbers += [first + i for i in range(batch.rows) if i not in batch.lacking]
        first += batch.rows
    return below(parts, len(new.names)), numbers


def _labelled(
    train: str, reading: dict[str, Any], plain: Any, preprocessing: Any
) -> tuple[Any, ...]:
    """The rows of TRAIN in its units, as the rule takes them, and their labels.

    The options are about the new rows: TRAIN is read as the table of training was. Where it has
    another form than that, it is taken to have that of the new rows.
    """
    typed = {name: value for name, value in reading.items() if value not in (None, ())}
    how: dict[str, Any] = {}
    try:
        X, y = plain.transform_labelled([train])
    except InputError as error:
        if not typed:
            raise InputError(f"--second-opinion: {error}") from None
        how = typed
        try:
            X, y = plain.transform_labelled([train], **how)
        except InputError as again:
            options = ", ".join(
                option(name, False) if value is False else option(name)
                for name, value in typed.items()
            )
            raise InputError(
                f"--second-opinion: {train} can be read neither as the training table was nor with "
                f"{options}: {again} Write it in one of these two forms."
            ) from None
    return X, preprocessing.transform_labelled([train], **how)[0], y


def _rule_set(
    known: Any, train: str, labelled: tuple[Any, ...], plain: Any, rows: Any, raw: Any
) -> RuleSet:
    import numpy as np

    from rosenblatt._certify.table import named, read
    from rosenblatt.opinions import RuleSet

    rule, classes = known.estimator, known.estimator.classes_
    X, encoded, y = labelled
    if sorted(set(y.tolist())) != sorted(classes.tolist()):
        raise InputError(
            f"{train} has the labels {sorted(set(y.tolist()))}, but the rule was trained on "
            f"{classes.tolist()}: give the rows that it was trained on."
        )
    table = named(read(X, y, numbers="float", function="second_opinion"), plain)
    wrong = rule.predict(encoded) != y
    signs = np.where(rule.predict(rows) == classes[1], 1, -1) if len(rows) else np.empty(0)
    return RuleSet(table, raw, answers=signs.astype(np.int8), errors=int(wrong.sum()))
