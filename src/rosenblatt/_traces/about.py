"""What is said of the estimator that was traced."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class About:
    """Its name, its words and how it ended; the fields of the JSON document, in its order."""

    estimator: str
    classes: list[Any]  # in the order of their numbers; of two the second is +1
    feature_names: list[str] | None
    converged: bool
    ended: str
    all_rows: bool = True  # False: only the rows that made updates are here
    data_fingerprint: str | None = None  # of all rows, where only some are here


def about(estimator: Any, feature_names: list[str] | None = None) -> About:
    """Of a fitted estimator; the names of its columns unless others are given."""
    names = getattr(estimator, "feature_names_in_", None)
    if feature_names is None and names is not None:
        feature_names = [str(name) for name in names]
    return About(
        estimator=str(estimator).replace("\n", ""),
        classes=estimator.classes_.tolist(),
        feature_names=feature_names,
        converged=bool(estimator.converged_),
        ended=str(estimator.stop_reason_.value),
    )
