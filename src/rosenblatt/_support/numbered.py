"""Names of columns that have none, x0, x1 and so on: made when they are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final, overload


@final
class Numbered(Sequence[str]):
    """As a list of so many would be; of millions of columns nobody asks for all."""

    def __init__(self, count: int):
        self._places = range(count)

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [f"x{j}" for j in self._places[place]]
        return f"x{self._places[place]}"
