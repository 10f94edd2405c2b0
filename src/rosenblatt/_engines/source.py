"""From what a person names to rows on the machines of an engine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from rosenblatt._engines.divided import Divided, of_stored
from rosenblatt._engines.engine import Engine, opened
from rosenblatt._engines.inline import Inline
from rosenblatt._engines.tables import are_files, of_table
from rosenblatt._engines.team import Team
from rosenblatt._streams.progress import Silent
from rosenblatt._streams.sources import source_of
from rosenblatt._streams.tables import TableRows
from rosenblatt._support.files import as_path


@contextmanager
def divided(source: Any, engine: Any, cache: Any, say: Silent | None = None) -> Iterator[Divided]:
    """The rows of a source, in place. What was opened or written for them is gone in the end."""
    from rosenblatt._engines.collections import are_collections, of_collections
    from rosenblatt._streams.cache import stored
    from rosenblatt._streams.train import are_arrays

    with ExitStack() as until_the_end:
        machines: Engine = Inline()
        if engine is not None:
            machines = until_the_end.enter_context(opened(engine))
        team = Team(machines)
        if are_collections(source):
            yield of_collections(team, *source)
            return
        if are_arrays(source):
            arrays = source
            source = lambda: iter([arrays])  # noqa: E731 - batches
        found, folder = source_of(source), None if cache is None else as_path(cache)
        if engine is not None and are_files(found):
            assert isinstance(found, TableRows)
            yield of_table(team, found, folder)
            return
        rows = until_the_end.enter_context(stored(found, folder=folder, say=say))
        yield of_stored(team, rows)
