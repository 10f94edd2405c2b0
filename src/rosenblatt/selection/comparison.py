"""One comparison: candidates learn on some rows and are evaluated on others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.dummy import DummyClassifier

from rosenblatt.selection.candidates import alone, baseline, floor
from rosenblatt.selection.criterion import Criterion
from rosenblatt.selection.folds import Indices
from rosenblatt.selection.out_of_sample import Floats, OutOfSample, Unit, scores_of
from rosenblatt.selection.result import Candidate
from rosenblatt.selection.training import Training


@final
@dataclass
class Comparison:
    """What is compared, on which rows, by which criterion."""

    X: Any
    y: NDArray[Any]
    candidates: dict[str, Any]
    peers: Mapping[str, Any]
    prepare: Any
    groups: NDArray[Any] | None
    seed: int
    confidence: float
    criterion: Criterion
    training: Training
    failed: dict[str, str] = field(default_factory=dict)  # peers, and why

    def __post_init__(self) -> None:
        self.classes = np.unique(self.y)
        always = baseline(len(self.classes))
        self.rules = {always: DummyClassifier(strategy="most_frequent")} | self.candidates
        self.floor = floor(self.rules)

    @property
    def two(self) -> bool:
        return len(self.classes) == 2

    def compare(
        self, train: Indices, validation: Indices, *, peers: bool = True
    ) -> tuple[Any, list[Candidate]]:
        """All candidates, fitted on `train`; those done so far if Ctrl-C came."""
        prepare = self.prepared(train)
        parts = (
            (self.rows(train, prepare), self.y[train]),
            (self.rows(validation, prepare), self.y[validation]),
        )
        candidates = []
        for name, rule in self.rules.items():
            try:
                fitted, notes = self.training.fit(name, clone(rule), *parts[0])
                if fitted is not None:
                    candidates.append(self._counted(name, fitted, notes, *parts))
            except KeyboardInterrupt:  # while predicting
                self.training.interrupted = True
            if self.training.interrupted:
                break
        if peers and not self.training.interrupted:
            candidates += self._peers(*parts)
        return prepare, candidates

    def _peers(self, train: tuple[Any, Any], validation: tuple[Any, Any]) -> list[Candidate]:
        """A peer that cannot be fitted is left out: nothing depends on it."""
        candidates = []
        for name, rule in self.peers.items():
            try:
                with alone():
                    fitted, notes = self.training.fit(name, clone(rule), *train)
                    if fitted is not None:
                        one = self._counted(name, fitted, notes, train, validation, peer=True)
                        candidates.append(one)
            except KeyboardInterrupt:
                self.training.interrupted = True
            except Exception as error:  # whatever somebody else's code raises
                self.failed[name] = f"it failed: {type(error).__name__}"
            if self.training.interrupted:
                break
        return candidates

    def _counted(
        self,
        name: str,
        rule: Any,
        notes: tuple[str, ...],
        train: tuple[Any, Any],
        validation: tuple[Any, Any],
        *,
        peer: bool = False,
    ) -> Candidate:
        (X, y), (X_val, y_val) = train, validation
        predicted = rule.predict(X_val)
        has_scores = self.two and not isinstance(rule, DummyClassifier)
        return Candidate(
            name,
            rule,
            int((rule.predict(X) != y).sum()),
            len(y),
            int((predicted != y_val).sum()),
            len(y_val),
            name in self.floor,
            notes,
            peer,
            losses=self.criterion.priced(y_val, predicted, self.classes),
            out_of_sample=self.scored(rule, X, X_val, y_val) if has_scores else None,
            in_sample=self.scored(rule, X, X, y) if has_scores and self.criterion.moves else None,
        )

    def scored(self, rule: Any, X: Any, X_val: Any, y_val: Any) -> OutOfSample:
        """Scores in units of those of the rows X that trained it."""
        unit = Unit.of(scores_of(rule, X))
        return OutOfSample(unit.measured(scores_of(rule, X_val)), y_val == self.classes[1])

    def chosen(self, candidates: list[Candidate]) -> tuple[Candidate, Candidate | None]:
        """The winner, and who was passed over. `candidates` get their losses."""
        candidates[:] = [self.criterion.evaluated(c) for c in candidates]
        return self.criterion.best(candidates)

    def prepared(self, rows: Indices) -> Any:
        return None if self.prepare is None else clone(self.prepare).fit(taken(self.X, rows))

    def rows(self, part: Indices, prepare: Any) -> Any:
        X = taken(self.X, part)
        return X if prepare is None else prepare.transform(X)

    def scores(self, rule: Any, X: Any) -> Floats | None:
        return scores_of(rule, X) if self.two else None


def majority_of(baseline: Candidate) -> Any:
    """The label that it always says."""
    rule = baseline.estimator
    return _plain(rule.classes_[int(np.argmax(rule.class_prior_))])


def _plain(label: Any) -> Any:
    """A label as Python writes it."""
    return label.item() if isinstance(label, np.generic) else label


def taken(X: Any, rows: Indices) -> Any:
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]
