"""Callbacks of scikit-learn, from its version 1.9 on: a fit is a task, each of its epochs another.

`estimator.set_callbacks(...)` names them. They may look at the estimator as it would be if training
ended with this epoch, and one that answers True ends it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import sklearn

from rosenblatt.errors import InputError


class TakesCallbacks:
    """scikit-learn's `CallbackSupportMixin`, which loads a progress bar when it is imported."""

    def set_callbacks(self, *callbacks: Any) -> Self:
        """Callbacks of scikit-learn that are told of every fit and its epochs; none: no more."""
        try:
            from sklearn.callback import CallbackSupportMixin
        except ImportError:
            raise InputError(
                f"scikit-learn has callbacks from version 1.9 on, and this is {sklearn.__version__}"
                ": install a newer one, or use verbose=1 to see the epochs."
            ) from None
        CallbackSupportMixin.set_callbacks(self, *callbacks)
        return self


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


def managed(fit: Callable[..., Any], estimator: Any) -> Callable[..., Any]:
    """`fit`, after which those who were set up for this estimator are taken down, in any case."""
    if not are_set(estimator):
        return fit
    from sklearn.callback import with_callbacks

    told: Callable[..., Any] = with_callbacks(fit)
    return told


def begun(estimator: Any, max_iter: int, X: Any, y: Any, sample_weight: Any) -> Callbacks | None:
    """A fit begins; None where nobody wants to know."""
    if not are_set(estimator):
        return None
    from sklearn.callback import CallbackSupportMixin

    metadata = None if sample_weight is None else {"sample_weight": sample_weight}
    begin = CallbackSupportMixin._init_callback_context  # documented for those who support them
    context = begin(estimator, max_subtasks=max_iter)
    context.call_on_fit_task_begin(estimator=estimator, X=X, y=y, metadata=metadata)
    return Callbacks(estimator, context, X=X, y=y, metadata=metadata)
