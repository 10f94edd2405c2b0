"""Callbacks of scikit-learn, from its version 1.9 on: a fit is a task, each of its epochs another.

`estimator.set_callbacks(...)` names them. They may look at the estimator as it would be if training
ended with this epoch, and one that answers True ends it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # before 1.9 there are none, and none can be set

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing is supported."""

    def with_callbacks(method: Any) -> Any:
        """Nobody is called."""
        return method


__all__ = ["CallbackSupportMixin", "Callbacks", "are_set", "begun", "with_callbacks"]


class Callbacks:
    """Those of one fit."""

    def __init__(self, estimator: Any, context: Any, **given: Any):
        self.estimator, self._context = estimator, context
        self._given = given  # X, y, metadata
        self._epoch: Any = None  # the context of the epoch under way
        self.fitted: Callable[[], dict[str, Any]] | None = None  # attributes, had training ended

    def begin_epoch(self) -> None:
        self._epoch = self._context.subcontext(task_name="epoch")
        self._epoch.call_on_fit_task_begin(estimator=self.estimator, **self._given)

    def end_epoch(self) -> bool:
        """Whether one of them wants training to end."""
        if self._epoch is None:  # it had begun in the fit before
            self.begin_epoch()
        epoch, self._epoch = self._epoch, None
        return bool(
            epoch.call_on_fit_task_end(
                estimator=self.estimator, **self._given, reconstruction_attributes=self.fitted
            )
        )

    def end(self) -> None:
        """The estimator is fitted."""
        if self._epoch is not None:  # it was cut short
            self._epoch.call_on_fit_task_end(estimator=self.estimator)
        self._context.call_on_fit_task_end(
            estimator=self.estimator, **self._given, reconstruction_attributes={}
        )


def are_set(estimator: Any) -> bool:
    """On it, or on what it is a part of, a search for example."""
    return "_skl_callbacks" in vars(estimator) or "_parent_callback_ctx" in vars(estimator)


def begun(estimator: Any, max_iter: int, X: Any, y: Any, sample_weight: Any) -> Callbacks | None:
    """A fit begins; None where nobody wants to know."""
    if not are_set(estimator):
        return None
    metadata = None if sample_weight is None else {"sample_weight": sample_weight}
    context = estimator._init_callback_context(max_subtasks=max_iter)
    context.call_on_fit_task_begin(estimator=estimator, X=X, y=y, metadata=metadata)
    return Callbacks(estimator, context, X=X, y=y, metadata=metadata)
