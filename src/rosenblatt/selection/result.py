"""What a comparison found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.selection.interval import clopper_pearson


@dataclass(frozen=True)
class Candidate:
    """A rule that was compared; with `cv` errors and rows are added up over the folds."""

    name: str
    estimator: Any  # fitted
    train_errors: int
    train_n: int
    validation_errors: int
    validation_n: int
    baseline: bool = False  # the floor: compared, not chosen
    notes: tuple[str, ...] = ()  # warnings of its training

    @property
    def validation_rate(self) -> float:
        return self.validation_errors / self.validation_n


@dataclass(frozen=True)
class Selection:
    """The answer of `select`.

    Attributes
    ----------
    candidates : list of Candidate
        In the order given, the largest class before them.
    winner : Candidate
        The fewest validation errors; of equal ones one with weights, then the fewest training
        errors, then the first. The floor is not chosen: the largest class, and a
        RandomLinearClassifier beside other candidates.
    estimator : estimator
        The winner, fitted: on the training rows, or on all rows with `cv`.
    prepare : transformer or None
        Fitted on the rows that the winner was fitted on: rows go through it first.
    test_errors, test_n : int
        The winner's errors on rows that neither trained nor chose it. With `cv` those of the whole
        procedure, each row judged by a rule that never saw it.
    interval : tuple of float
        Clopper-Pearson, for the error rate.
    majority, majority_errors : label, int
        The largest class of the training rows, and the errors of always saying it, on these rows.
    train, validation, test : arrays of int
        The rows. With `cv` all rows are in the first two, and those judged so far in the third.
    predictions : array
        The labels predicted for the rows in `test`.
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
    cv: int | None = None
    interrupted: bool = False

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
            f"{100 * self.confidence:g} % confidence{how}; always {self.majority} is wrong on "
            f"{self.majority_errors:,}."
        )

    @property
    def optimism(self) -> str:
        """Why the winner's validation error is no estimate."""
        winner, compared = self.winner, sum(not c.baseline for c in self.candidates)
        if compared < 2:
            return "One candidate was given, so that nothing was chosen on the validation rows."
        return (
            f"The winner's validation error, {winner.validation_errors:,} of "
            f"{winner.validation_n:,}, is too optimistic: the best of {compared} candidates on the "
            "same rows is partly the luckiest. So it is measured once more, on test rows that "
            "chose nothing."
        )

    def __str__(self) -> str:
        room = max(16, 1 + max(len(c.name) for c in self.candidates))
        lines = [f"{'candidate':<{room}}{'train':>10}{'validation':>12}"]
        lines += [
            f"{c.name:<{room}}{c.train_errors / c.train_n:>10.1%}{c.validation_rate:>12.1%}"
            f"{'  chosen' if c is self.winner else ''}"
            for c in self.candidates
        ]
        return "\n".join([*lines, *([self.sentence] if self.test_n else []), self.optimism])


class SelectionInterrupted(KeyboardInterrupt):
    """Ctrl-C; `selection` compares the candidates that were done, or is None if none was."""

    def __init__(self, selection: Selection | None):
        super().__init__("interrupted")
        self.selection = selection
