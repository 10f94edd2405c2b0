"""How far reading has come, as progress: rows, and how much of the files where it is known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rosenblatt._util.progress import progress
from rosenblatt.data.batch import Batch
from rosenblatt.data.files import File


def reading(rows: int, share: float | None) -> None:
    """Say how many rows, and which share of the files, were read."""
    percent = "" if share is None else f", {share:.0%}"
    progress(f"reading: {rows:,} rows{percent}", share, None if share is None else 1)


def watched(batches: Iterable[Batch], files: list[File]) -> Iterator[Batch]:
    """The batches, each of which is said to be read."""
    sizes = {id(file): max(file.stamp[0], 1) for file in files}
    whole, before, rows, last = sum(sizes.values()), 0, 0, files[0]
    for batch in batches:
        if batch.file is not last:
            before, last = before + sizes[id(last)], batch.file
        rows += batch.rows
        reading(rows, (before + batch.share * sizes[id(batch.file)]) / whole)
        yield batch
