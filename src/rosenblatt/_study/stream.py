"""The stages of a study with `stream`: tables that memory cannot hold, in files of encoded rows.

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
from rosenblatt._study.costs import criterion_of
from rosenblatt._study.options import Options
from rosenblatt._study.reading import Read, TableSource, notes_on
from rosenblatt._study.stages import Checkpoints, Compared, Seconds, partial_selection
from rosenblatt.data.open_table import OpenSvmlight
from rosenblatt.data.preparation import Preparation
from rosenblatt.data.transformation import refuse_rounded_entries
from rosenblatt.selection import SelectionInterrupted
from rosenblatt.selection.candidates import not_streamed
from rosenblatt.selection.comparison import Progress
from rosenblatt.selection.stored import TRAIN_SHARE, CheckpointFolder, select_stored, trains

if TYPE_CHECKING:
    from rosenblatt._out_of_core.store import Stored
    from rosenblatt.data import Preprocessing


SAMPLE = 160_000  # rows that stand for more than MOST_ASKED bytes of them; three fifths train
_BYTES = 256 << 20  # of these rows, if they are long; a thousand at least


@contextmanager
def reading(
    source: TableSource, options: Options, seconds: Seconds
) -> Iterator[tuple[Read, Stored]]:
    """What memory can hold of the table, and all of it in files that are held meanwhile."""
    begin = time.perf_counter()
    table = _source(source, options)
    with stored(table, folder=options.cache) as rows:
        read = _read(table, rows, options.target)
        seconds["reading"] = time.perf_counter() - begin
        yield read, rows


def _source(source: TableSource, options: Options) -> TableRows | SvmlightRows:
    if isinstance(source.opened, OpenSvmlight):
        return SvmlightRows(source.opened.files, options.positive)
    rows = source_of(source.opened.read())
    assert isinstance(rows, TableRows)
    rows.table.refuse_rounded(rows.table.preprocessing(), decimal=False)
    return rows


def compare(
    read: Read,
    rows: Stored,
    options: Options,
    checkpoints: Checkpoints | None,
    progress: Progress,
    seconds: Seconds,
) -> Compared:
    """Train the candidates a block at a time, choose among them, test the chosen one."""
    seed, kept = options.random_state, None
    if checkpoints is not None:
        checkpoints.begin()
        progress = checkpoints.seeing(progress)
        kept = CheckpointFolder(checkpoints.folder, checkpoints.every)
    train = ChosenRows(rows, lambda begin, end: trains(seed, begin, end), TRAIN_SHARE)
    with (
        seconds.timed("training"),
        stored(train, folder=options.cache) as training,
        _client(options.engine) as client,
    ):
        try:
            selection = select_stored(
                rows,
                training,
                random_state=seed,
                criterion=criterion_of(options, list(read.counts)),
                class_weight=options.class_weight,
                progress=progress,
                checkpoints=kept,
                client=client,
            )
        except SelectionInterrupted as stopped:
            selection = partial_selection(stopped)
    if read.preprocessing is not None and rows.preprocessing is not None:
        preprocessor = Preparation(read.preprocessing, impute=read.impute)
        preprocessor.preprocessing_ = (
            rows.preprocessing
        )  # the fills and scales that the stored rows have
        selection = replace(selection, preprocessor=preprocessor)
    return Compared(read, selection, not_streamed(comparison=options.comparison is not False))


@contextmanager
def _client(engine: Any) -> Iterator[Client | None]:
    if engine is None:
        yield None
        return
    with opened(engine) as machines:
        yield Client(machines)


# --- What is described ---------------------------------------------------------------------------


def _read(source: TableRows | SvmlightRows, rows: Stored, target: str | None) -> Read:
    """Rows in memory, as they stand in the table: all, or a sample."""
    counts = dict(zip(map(str, rows.classes.tolist()), rows.counts, strict=True))
    if isinstance(source, SvmlightRows):
        for file in source.files:
            refuse_rounded_entries(file, decimal=False)
        read = Read(None, None, counts)
    else:
        assert target is not None
        table = source.table
        preprocessing = table.preprocessing()
        read = Read(None, None, counts, target, preprocessing, table.impute, notes=notes_on(table))
    y: Any
    if rows.nbytes + rows.n * rows.classes.dtype.itemsize > streams.MOST_ASKED:
        most = min(SAMPLE, max(1000, _BYTES * rows.n // rows.nbytes))
        step = -(-rows.n // most)
        batches = list(_every(step, _batches(source, rows, read.preprocessing)))
        X = _stacked([X for X, _ in batches])
        y = rows.named(np.concatenate([labels for _, labels in batches]))
        numbers = np.arange(0, rows.n, step)
        return replace(read, X=X, y=y, sample=numbers, unasked=_unasked(rows))
    if isinstance(source, SvmlightRows):
        X, y = rows.whole()  # nothing was filled or scaled
        return replace(read, X=as_table(X), y=rows.named(y))
    X, y, _ = source.table.encode_with_missing()
    return replace(read, X=X, y=y)


def _unasked(rows: Stored) -> str:
    return (
        f"Separability was not checked: that takes all {rows.n:,} rows in memory, "
        f"{rows.nbytes / 2**30:,.1f} GiB as numbers. rosenblatt.certify_stored checks it."
    )


def _batches(
    source: TableRows | SvmlightRows, rows: Stored, preprocessing: Preprocessing | None
) -> Iterator[tuple[Any, Any]]:
    if not isinstance(source, SvmlightRows):
        assert preprocessing is not None
        yield from source.parts(preprocessing)
        return
    for _, X, y in rows.blocks():
        yield as_table(X), y


def _every(step: int, batches: Iterator[tuple[Any, Any]]) -> Iterator[tuple[Any, Any]]:
    row = 0
    for X, y in batches:
        first = -row % step
        row += len(y)
        yield X[first::step].copy(), y[first::step].copy()


def _stacked(batches: list[Any]) -> Any:
    if sparse.issparse(batches[0]):
        return sparse.vstack(batches, format="csr")
    return np.concatenate(batches)
