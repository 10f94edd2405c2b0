"""What training leaves on an estimator: every attribute, listed once.

Fitting, certificates and model files make this record, and put it onto the estimator at once.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rosenblatt._training.linear_rule import read_only

if TYPE_CHECKING:
    from rosenblatt._training.settings import Recipe, Units
    from rosenblatt._training.state import AnyState, Candidate
    from rosenblatt._training.stopping import StopReason
    from rosenblatt.certificate import Certificate


Counts = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Course:
    """How training went. The fields have the names of the attributes."""

    _made_with: Units
    _rule_number: float  # the margin μ, or what another rule has instead
    _n_rows: int  # that training was given
    training_errors_: int | None
    converged_: bool
    stop_reason_: StopReason
    certificate_: Certificate | None
    n_iter_: int
    n_updates_: int
    mistakes_: Counts
    update_counts_: Any  # an array, sparse of many classes; None: not counted by row, on a stream
    validation_mistakes_: Counts | None = None  # None: no such attribute

    @classmethod
    def of(cls, estimator: Any) -> Self:
        """As it stands on a fitted estimator."""
        found = vars(estimator)
        return cls(**{field.name: found.get(field.name) for field in fields(cls)})


@dataclass(frozen=True, kw_only=True)
class Fitted(Course):
    """That, and what was learned."""

    _rule: Any
    _state: AnyState | None  # None: a kernel rule that was read from a file
    _kept: Candidate[Any] | None
    _trained_by: Recipe | None
    classes_: NDArray[Any]
    _of_classes: tuple[Any, ...] | None = None  # multi_class="ovr": an estimator for each class

    def put_on(self, estimator: Any, **more: Any) -> None:
        """In one step: not even a second Ctrl-C can come in between. `more`: other attributes."""
        found = {field.name: getattr(self, field.name) for field in fields(self)} | more
        kept = vars(estimator).copy()
        if self.validation_mistakes_ is None:
            del found["validation_mistakes_"]
            kept.pop("validation_mistakes_", None)
        estimator.__dict__ = kept | found


def shown_counts(counts: Counts) -> Any:
    """`update_counts_`: a view that cannot be changed; None where there are none.

    Of many classes, rows and classes: most of them are 0, so a sparse array.
    """
    if not len(counts):
        return None
    if counts.ndim == 1:
        return read_only(counts.view())
    found = sparse.csr_array(counts)
    for part in (found.data, found.indices, found.indptr):
        read_only(part)
    return found
