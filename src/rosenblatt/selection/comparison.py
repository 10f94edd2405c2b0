"""One comparison: candidates learn on some rows and are judged on others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.dummy import DummyClassifier

from rosenblatt.selection.candidates import alone, baseline, floor
from rosenblatt.selection.folds import Indices
from rosenblatt.selection.judge import Judge
from rosenblatt.selection.out_of_sample import Floats, Unit, Unseen, scores_of
from rosenblatt.selection.result import Candidate
from rosenblatt.selection.training import Training


@final
@dataclass
class Contest:
    """What is compared, on which rows, by which judge."""

    X: Any
    y: NDArray[Any]
    candidates: dict[str, Any]
    peers: Mapping[str, Any]
    prepare: Any
    groups: NDArray[Any] | None
    seed: int
    confidence: float
    judge: Judge
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
        found = []
        for name, given in self.rules.items():
            try:
                rule, notes = self.training.fit(name, clone(given), *parts[0])
                if rule is not None:
                    found.append(self._counted(name, rule, notes, *parts))
            except KeyboardInterrupt:  # while predicting
                self.training.interrupted = True
            if self.training.interrupted:
                break
        if peers and not self.training.interrupted:
            found += self._peers(*parts)
        return prepare, found

    def _peers(self, train: tuple[Any, Any], validation: tuple[Any, Any]) -> list[Candidate]:
        """A peer that cannot be fitted is left out: nothing depends on it."""
        found = []
        for name, given in self.peers.items():
            try:
                with alone():
                    rule, notes = self.training.fit(name, clone(given), *train)
                    if rule is not None:
                        one = self._counted(name, rule, notes, train, validation, peer=True)
                        found.append(one)
            except KeyboardInterrupt:
                self.training.interrupted = True
            except Exception as error:  # whatever somebody else's code raises
                self.failed[name] = f"it failed: {type(error).__name__}"
            if self.training.interrupted:
                break
        return found

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
        scored = self.two and not isinstance(rule, DummyClassifier)  # which says what it says
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
            losses=self.judge.priced(y_val, predicted, self.classes),
            unseen=self.unseen(rule, X, X_val, y_val) if scored else None,
            seen=self.unseen(rule, X, X, y) if scored and self.judge.moves else None,
        )

    def unseen(self, rule: Any, X: Any, X_val: Any, y_val: Any) -> Unseen:
        """Scores in units of those of the rows X that trained it."""
        unit = Unit.of(scores_of(rule, X))
        return Unseen(unit.measured(scores_of(rule, X_val)), y_val == self.classes[1])

    def chosen(self, found: list[Candidate]) -> tuple[Candidate, Candidate | None]:
        """The winner, and who was passed over. `found` gets their losses."""
        found[:] = [self.judge.judged(c) for c in found]
        return self.judge.best(found)

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
