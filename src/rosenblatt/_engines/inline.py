"""No machines but this process: where nothing else was asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, final


@final
class Inline:
    """Does what it is asked at once."""

    at_once = 1

    def place(self, load: Callable[..., Any], *given: Any) -> Any:
        return load(*given)

    def call(self, work: Callable[..., Any], *given: Any) -> Any:
        return work(*given)

    def gather(self, handles: Sequence[Any], hear: Callable[[], None]) -> list[Any]:
        hear()
        return list(handles)
