"""The signs that weights may be asked to have: by name of the column, or one for each column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rosenblatt._util.spelling import option
from rosenblatt._util.text import first_few
from rosenblatt.errors import InputError

Signs = NDArray[np.int8]

_MEANT: dict[Any, int] = {"+": 1, "-": -1, 1: 1, -1: -1, 0: 0}


def demanded(signs: Any, names: Sequence[str] | None, d: int) -> Signs | None:
    """-1, 0 and 1 by column; None where no sign is asked for."""
    if signs is None:
        return None
    if isinstance(signs, Mapping):
        out = np.zeros(d, dtype=np.int8)
        for name, sign in signs.items():
            out[_place(name, names, d)] = _meant(sign, name)
    else:
        if isinstance(signs, str) or np.ndim(signs) != 1 or len(signs) != d:
            raise _refused(
                signs, f"give {{'income': '+'}}, by name, or -1, 0 or 1 for each of the {d} columns"
            )
        out = np.array([_meant(sign, k) for k, sign in enumerate(signs)], dtype=np.int8)
    return out if out.any() else None


def refuse_constant(signs: Signs | None, names: Sequence[str] | None, X: Any) -> None:
    """A weight of a column with one value only says nothing: it is part of the intercept."""
    if signs is None:
        return
    ends = X.min(axis=0), X.max(axis=0)
    low, high = (np.asarray(v.todense() if sparse.issparse(v) else v).ravel() for v in ends)
    for j in np.flatnonzero((signs != 0) & (low == high)).tolist():
        name = f"column {j}" if names is None else str(names[j])
        raise InputError(
            f"{option('signs')} asks for the sign of {name!r}, which has one value in all rows: "
            "its weight says nothing. Leave it out.",
            option="signs",
            column=j if names is None else str(names[j]),
        )


def _meant(sign: Any, name: Any) -> int:
    value = sign.item() if isinstance(sign, np.generic) else sign
    if isinstance(value, bool) or not isinstance(value, (str, int, float)) or value not in _MEANT:
        raise InputError(
            f"{option('signs')} has {sign!r} for {name!r}: give '+' or '-', or 1, -1 or 0.",
            option="signs",
            value=sign,
            column=name,
        )
    return _MEANT[value]


def _place(name: Any, names: Sequence[str] | None, d: int) -> int:
    known = [] if names is None else [str(column) for column in names]
    if str(name) in known:
        return known.index(str(name))
    if isinstance(name, (int, np.integer)) and not isinstance(name, bool) and 0 <= name < d:
        return int(name)
    if names is None:
        raise _refused(name, f"these columns have no names: give their numbers, 0 to {d - 1}")
    levels = [column for column in known if column.startswith(f"{name}=")]
    if levels:
        raise _refused(name, f"it is a column of words; name one of {first_few(levels, 8)}")
    raise _refused(name, f"there is no such column. There are {first_few(known, 20)}")


def _refused(value: Any, instead: str) -> InputError:
    column = value if isinstance(value, (str, int)) else None
    return InputError(
        f"{option('signs')} names {value!r}: {instead}.", option="signs", value=value, column=column
    )
