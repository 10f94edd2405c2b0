"""The answer of a comparison: its candidates, and the error of the chosen one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._model.probability import Platt
from rosenblatt._util.text import named
from rosenblatt.selection.criterion import Criterion
from rosenblatt.selection.measures import clopper_pearson
from rosenblatt.selection.out_of_sample import OutOfSample

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Candidate:
    """A rule that was compared; with `cv` errors and rows are added up over the folds.

    Where a threshold is chosen, errors and price are those at the threshold.
    """

    name: str
    estimator: Any  # fitted
    train_errors: int
    train_n: int
    validation_errors: int
    validation_n: int
    baseline: bool = False  # the floor: compared, not chosen
    notes: tuple[str, ...] = ()  # warnings of its training
    peer: bool = False  # somebody else's rule, for comparison: not chosen, not written
    price: float | None = None  # of its validation errors
    losses: Floats | None = field(default=None, repr=False, compare=False)  # by validation row
    out_of_sample: OutOfSample | None = field(
        default=None, repr=False, compare=False
    )  # of validation rows
    in_sample: OutOfSample | None = field(default=None, repr=False, compare=False)

    @property
    def loss(self) -> float:
        """What candidates are chosen by: the errors, or their price."""
        return self.validation_errors if self.price is None else self.price

    @property
    def validation_rate(self) -> float:
        return self.validation_errors / self.validation_n


@dataclass(frozen=True)
class Selection:
    """The answer of `select`.

    Attributes
    ----------
    candidates : list of Candidate
        In the order given, the largest class before them, peers behind them.
    winner : Candidate
        The fewest validation errors, or the lowest price; on a tie one with weights, then the
        fewest training errors, then the first. The floor is not chosen: the largest class, and a
        RandomLinearClassifier beside other candidates. Nor are peers.
    passed_over : Candidate or None
        It would have won by less than a standard error, and has no weights that can be shown.
    estimator : estimator
        The winner, fitted on the rows in `fitted_on`.
    prepare : transformer or None
        Fitted on the rows that the winner was fitted on: rows go through it first.
    fitted_on : array of int
        The training rows; those and the validation rows with `retrain`; all rows with `cv`.
    test_errors, test_n : int
        The winner's errors on rows that neither trained nor chose it. With `cv` those of the whole
        procedure, each row predicted by a rule that never saw it.
    interval : tuple of float
        Clopper-Pearson, for the error rate.
    majority, majority_errors : label, int
        The largest class of the training rows, and the errors of always saying it, on these rows.
    train, validation, test : arrays of int
        The rows. With `cv` all rows are in the first two, and those tested so far in the third.
    predictions : array
        The labels predicted for the rows in `test`.
    scores : array, or None with more than two classes
        Of the rows in `test`; with `cv` in the units of the estimator, whichever rule gave them.
    probabilities : array or None
        Of the second class, for the rows in `test`.
    out_of_sample : OutOfSample or None
        Scores of rows that chose the threshold, in the units of the estimator: each by a rule that
        had not seen its row.
    moved : float
        How much the threshold was moved from where it was learned; the estimator has it already.
    probability : Platt or None
        From a score of the estimator to the probability of the second class.
    criterion : Criterion
        What a wrong answer costs.
    """

    candidates: list[Candidate]
    winner: Candidate
    prepare: Any
    majority: Any
    train: NDArray[np.intp]
    validation: NDArray[np.intp]
    test: NDArray[np.intp]
    labels: NDArray[Any] = field(repr=False)  # of the rows in `test`
    predictions: NDArray[Any] = field(repr=False)
    majority_errors: int
    confidence: float
    seed: int
    criterion: Criterion
    cv: int | None = None
    interrupted: bool = False
    retrained: bool = False
    passed_over: Candidate | None = None
    failed: dict[str, str] = field(default_factory=dict)  # peers that could not be fitted, and why
    scores: Floats | None = field(default=None, repr=False)
    probabilities: Floats | None = field(default=None, repr=False)
    out_of_sample: OutOfSample | None = field(default=None, repr=False)
    probability: Platt | None = None
    moved: float = 0.0

    @property
    def fitted_on(self) -> NDArray[np.intp]:
        if not self.retrained or self.cv:
            return self.train
        return np.sort(np.concatenate([self.train, self.validation]))

    @property
    def estimator(self) -> Any:
        return self.winner.estimator

    @property
    def test_n(self) -> int:
        return len(self.test)

    @property
    def test_errors(self) -> int:
        return int((self.predictions != self.labels).sum())

    @property
    def interval(self) -> tuple[float, float]:
        return clopper_pearson(self.test_errors, self.test_n, self.confidence)

    @property
    def sentence(self) -> str:
        """The error, in words."""
        lo, hi = self.interval
        how = f" (pooled over {self.cv} folds: the interval is a rough one)" if self.cv else ""
        return (
            f"{self.test_errors:,} of {self.test_n:,} test rows are wrong: "
            f"{self.test_errors / self.test_n:.1%}, between {lo:.1%} and {hi:.1%} with "
            f"{100 * self.confidence:g} % confidence{how}; always saying "
            f"{named(self.majority)} is wrong on {self.majority_errors:,}."
        )

    @property
    def optimism(self) -> str:
        """Why the winner's validation error is no estimate."""
        winner, compared = self.winner, sum(not (c.baseline or c.peer) for c in self.candidates)
        if compared < 2:
            return "Only one candidate was given, so nothing was chosen on the validation rows."
        return (
            f"{self._chosen_by(winner)} is too optimistic on average, as it is the lowest of "
            f"{compared} (baselines are not counted). So the winner is measured again, on test "
            "rows that played no part in the choice."
        )

    def _chosen_by(self, winner: Candidate) -> str:
        n = winner.validation_n
        if winner.price is None:
            return f"The winner's validation error, {winner.validation_errors:,} of {n:,},"
        if self.criterion.objective == "balanced":
            mean = f"{winner.price / n:.1%}, the mean of the error rates of the labels"
            return f"The winner's validation error, {mean},"
        return f"The winner's cost, {winner.price:,g} for {n:,} validation rows,"

    def __str__(self) -> str:
        room = max(16, 1 + max(len(c.name) for c in self.candidates))
        lines = [f"{'candidate':<{room}}{'train':>10}{'validation':>12}"]
        lines += [
            f"{c.name:<{room}}{c.train_errors / c.train_n:>10.1%}{c.validation_rate:>12.1%}"
            f"{'  chosen' if c is self.winner else '  for comparison only' if c.peer else ''}"
            for c in self.candidates
        ]
        return "\n".join([*lines, *([self.sentence] if self.test_n else []), self.optimism])


class SelectionInterrupted(KeyboardInterrupt):
    """Ctrl-C; `selection` compares the candidates that were done, or is None if none was."""

    def __init__(self, selection: Selection | None):
        super().__init__("interrupted")
        self.selection = selection
