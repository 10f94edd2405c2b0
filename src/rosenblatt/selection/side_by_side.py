"""Candidates that learn at the same time, each on a machine of an engine."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sklearn.exceptions import ConvergenceWarning

from rosenblatt._engines.parts import StoredPart, load_stored
from rosenblatt._engines.team import Team
from rosenblatt._streams.fit import fit_stored
from rosenblatt._streams.train import keeping

if TYPE_CHECKING:
    from rosenblatt._streams.stored import Stored


class Asked(NamedTuple):
    """A candidate, and the file that keeps where its training stands, if there is one."""

    rule: Any
    checkpoint: Path | None
    every: float


def trained(team: Team, rows: Stored, asked: Sequence[Asked]) -> list[tuple[Any, tuple[str, ...]]]:
    """Each of them fitted to all of the rows, and what it warned of, in the order asked."""
    place = str(rows.folder.absolute())
    part = StoredPart(place, rows.fingerprint, 0, rows.n, rows.nbytes)
    handle = team.place(load_stored, part)
    team.settle([handle])
    return team.all([(_fit, (handle, one)) for one in asked])


def _fit(part: StoredPart, asked: Asked) -> tuple[Any, tuple[str, ...]]:
    """On a worker."""
    rule = asked.rule
    with warnings.catch_warnings(record=True) as caught, keeping(rule, *asked[1:]):
        warnings.simplefilter("always", ConvergenceWarning)
        fit_stored(rule, part.stored)
    return rule, tuple(str(w.message) for w in caught if issubclass(w.category, ConvergenceWarning))
