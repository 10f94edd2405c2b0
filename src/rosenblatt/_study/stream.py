"""The work of a study with `stream`: tables that memory cannot hold, in files of encoded rows.

Up to MOST_ASKED bytes all rows are read into memory besides, to be described and decided about as
ever. Of more, rows at even distances are, for what is shown of them, and no verdict is asked for.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from rosenblatt._core.rows import as_table
from rosenblatt._out_of_core import fit as streams
from rosenblatt._out_of_core.cache import stored
from rosenblatt._out_of_core.client import Client
from rosenblatt._out_of_core.engine import opened
from rosenblatt._out_of_core.sources import ChosenRows, SvmlightRows, source_of
from rosenblatt._out_of_core.tables import TableRows
from rosenblatt._study.checkpoints import Checkpoints
from rosenblatt._study.objective import judge_of
from rosenblatt._study.options import Options
from rosenblatt._study.source import TableSource
from rosenblatt._study.work import Work, look_at
from rosenblatt.data.exact_decimals import refuse_rounded_entries
from rosenblatt.data.open_table import OpenSvmlight
from rosenblatt.data.preparation import Preparation
from rosenblatt.selection.candidates import not_streamed
from rosenblatt.selection.stored import TRAIN_SHARE, select_stored, trains
from rosenblatt.selection.training import Progress

if TYPE_CHECKING:
    from rosenblatt._out_of_core.store import Stored
    from rosenblatt.selection import Selection


SAMPLE = 160_000  # rows that stand for more than MOST_ASKED bytes of them; three fifths train
_BYTES = 256 << 20  # of these rows, if they are long; a thousand at least


def work_on(
    source: TableSource,
    options: Options,
    checkpoints: Checkpoints | None,
    progress: Progress,
) -> Work:
    """Read, train and compare; what is left to do is decided on what memory can hold."""
    begin = time.perf_counter()
    rows_of = _source(source, options)
    with stored(rows_of, folder=options.cache) as rows:
        work = _beginning(rows_of, rows, options.target)
        _fill(work, rows_of, rows)  # Ctrl-C later on finds all that the report needs
        work.seconds["reading"] = time.perf_counter() - begin
        if checkpoints is not None:
            checkpoints.begin()
            progress = checkpoints.seeing(progress)
        with work.timed("training"):
            _compare(work, rows, options, checkpoints, progress)
    return work


def _source(source: TableSource, options: Options) -> TableRows | SvmlightRows:
    if isinstance(source.opened, OpenSvmlight):
        return SvmlightRows(source.opened.files, options.positive)
    rows = source_of(source.opened.read())
    assert isinstance(rows, TableRows)
    rows.table.refuse_rounded(rows.table.encoding(), decimal=False)
    return rows


def _beginning(source: TableRows | SvmlightRows, rows: Stored, target: str | None) -> Work:
    counts = dict(zip(map(str, rows.classes.tolist()), rows.counts, strict=True))
    if isinstance(source, SvmlightRows):
        for file in source.files:
            refuse_rounded_entries(file, decimal=False)
        return Work(None, None, counts, "y", None, None)
    assert target is not None
    table = source.table
    work = Work(None, None, counts, target, table.encoding(), table.impute)
    look_at(work, table)
    return work


def _compare(
    work: Work,
    rows: Stored,
    options: Options,
    checkpoints: Checkpoints | None,
    progress: Progress,
) -> None:
    seed = options.seed
    work.not_tried = not_streamed(peers=options.peers)
    chosen = ChosenRows(rows, lambda begin, end: trains(seed, begin, end), TRAIN_SHARE)
    with (
        stored(chosen, folder=options.cache) as training,
        _client(options.engine) as client,
        work.until_interrupted(),
    ):
        work.selection = select_stored(
            rows,
            training,
            seed=seed,
            judge=judge_of(options, work.counts),
            class_weight=options.class_weight,
            progress=progress,
            checkpoint=None if checkpoints is None else checkpoints.folder,
            checkpoint_every=0 if checkpoints is None else checkpoints.every,
            client=client,
        )
    assert work.selection is not None
    work.selection = _prepared(work.selection, work, rows)


@contextmanager
def _client(engine: Any) -> Iterator[Client | None]:
    """The machines that were asked for, if any."""
    if engine is None:
        yield None
        return
    with opened(engine) as machines:
        yield Client(machines)


def _prepared(found: Selection, work: Work, rows: Stored) -> Selection:
    """With the fills and scales that the stored rows have."""
    if work.encoding is None or rows.encoding is None:
        return found
    prepare = Preparation(work.encoding, impute=work.impute)
    prepare.encoding_ = rows.encoding
    return replace(found, prepare=prepare)


# --- What is described ---------------------------------------------------------------------------


def _fill(work: Work, source: TableRows | SvmlightRows, rows: Stored) -> None:
    """Rows in memory, as they stand in the table: all, or a sample."""
    y: Any
    if rows.nbytes + rows.n * rows.classes.dtype.itemsize > streams.MOST_ASKED:
        most = min(SAMPLE, max(1000, _BYTES * rows.n // rows.nbytes))
        every = -(-rows.n // most)
        parts = list(_every(every, _parts(work, source, rows)))
        work.X = _stacked([X for X, _ in parts])
        y = np.concatenate([some for _, some in parts])
        work.sample = np.arange(0, rows.n, every)
        work.unasked = _unasked(rows)
    elif isinstance(source, SvmlightRows):
        X, y = rows.whole()  # nothing was filled or scaled
        work.X = as_table(X)
    else:
        work.X, work.y, _ = source.table.encode_with_gaps()
        return
    work.y = rows.named(y)


def _unasked(rows: Stored) -> str:
    return (
        f"Not asked: whether a hyperplane separates all {rows.n:,} rows needs them in memory, "
        f"{rows.nbytes / 2**30:,.1f} GiB as numbers. rosenblatt.certify_stored asks."
    )


def _parts(work: Work, source: TableRows | SvmlightRows, rows: Stored) -> Iterator[tuple[Any, Any]]:
    if not isinstance(source, SvmlightRows):
        assert work.encoding is not None
        yield from source.parts(work.encoding)
        return
    for b in range(rows.n_blocks):
        X, y = rows.block(b)
        yield as_table(X), y


def _every(step: int, parts: Iterator[tuple[Any, Any]]) -> Iterator[tuple[Any, Any]]:
    row = 0
    for X, y in parts:
        first = -row % step
        row += len(y)
        yield X[first::step].copy(), y[first::step].copy()


def _stacked(parts: list[Any]) -> Any:
    if sparse.issparse(parts[0]):
        return sparse.vstack(parts, format="csr")
    return np.concatenate(parts)
