"""The training of one candidate after the other, with or without checkpoints."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, final

from sklearn.exceptions import ConvergenceWarning

from rosenblatt._out_of_core.train import Linear, train
from rosenblatt._util.files import as_path, make_folder

Progress = Callable[[int, int, str], None]
Trained = Callable[[Any, Any, Any, int], None]  # fits a rule to rows, the k-th one


def trained_with(checkpoint: Any, every: float) -> Trained:
    """How a candidate is fitted to rows in memory; `checkpoint` is a folder or None."""
    return _fit if checkpoint is None else _Kept(checkpoint, every)


def checkpoint_of(folder: Path, number: int) -> Path:
    """The file that keeps where the training of this number stands."""
    return folder / f"{number}.checkpoint"


def _fit(rule: Any, X: Any, y: Any, number: int) -> None:
    rule.fit(X, y)


@final
class _Kept:
    """Trains with a checkpoint for each perceptron, named by its number in the comparison."""

    def __init__(self, folder: Any, every: float):
        self._folder, self._every = as_path(folder), every
        make_folder(self._folder)

    def __call__(self, rule: Any, X: Any, y: Any, number: int) -> None:
        if not isinstance(rule, Linear):
            rule.fit(X, y)
            return
        place = checkpoint_of(self._folder, number)
        rule.set_params(warm_start=False)  # the checkpoint goes on, and it is a clone anyway
        train(rule, (X, y), checkpoint=place, checkpoint_every=self._every)


@final
class Training:
    """Fits rules, counts them, says which one is under way, and keeps what Ctrl-C left."""

    def __init__(self, trained: Trained, progress: Progress | None, total: int):
        self.trained, self.progress = trained, progress
        self.done, self.total = 0, total
        self.interrupted = False

    def fit(
        self, name: str, rule: Any, X: Any, y: Any, *, kept: bool = True
    ) -> tuple[Any, tuple[str, ...]]:
        """The rule, fitted, and what it warned of; None where Ctrl-C came before there was one.

        `kept=False`: of few rows, soon done again, and without a checkpoint.
        """
        trained = self.trained if kept else _fit
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                if self.progress is not None:
                    self.progress(self.done, self.total, name)
                trained(rule, X, y, self.done)
            except KeyboardInterrupt:
                self.interrupted = True
                rule = rule if _is_left_fitted(rule) else None
        self.done += 1
        notes = []
        for warning in caught:
            if issubclass(warning.category, ConvergenceWarning):  # said of the candidate instead
                notes.append(str(warning.message))
            else:
                warnings.warn(warning.message, warning.category, stacklevel=5)
        return rule, tuple(notes)


def _is_left_fitted(rule: Any) -> bool:
    """Our estimators are left with the best so far when Ctrl-C comes; nobody knows of others."""
    return type(rule).__module__.startswith("rosenblatt.") and hasattr(rule, "classes_")
