"""What can be trained on as a stream, and the key under which its rows are kept."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

from rosenblatt._streams.batches import BatchRows
from rosenblatt._streams.chosen import ChosenRows
from rosenblatt._streams.meta import FORMAT, VERSION
from rosenblatt._streams.progress import Silent
from rosenblatt._streams.svmlight import SvmlightRows
from rosenblatt._streams.tables import TableRows
from rosenblatt.data import files
from rosenblatt.data.files import is_svmlight
from rosenblatt.data.rows_from import TableStream
from rosenblatt.data.sparse import SparseTable
from rosenblatt.data.table import Table
from rosenblatt.errors import InputError, InputTypeError


class Source(Protocol):
    """Labelled rows that can be written down."""

    @property
    def files(self) -> list[files.File] | None:
        """Where they come from; None if that cannot be read twice."""

    def options(self) -> dict[str, Any]:
        """How they are read and encoded."""

    def write(self, folder: Path, say: Silent) -> None:
        """Write them into an empty folder."""


def source_of(source: Any) -> Source:
    """What was given, as rows that can be written down."""
    if isinstance(source, (TableRows, SvmlightRows, ChosenRows, BatchRows)):
        return source
    if isinstance(source, Table):
        return TableRows(source)
    if isinstance(source, TableStream):
        return TableRows(source.table, source.scale)
    if isinstance(source, SparseTable):
        return SvmlightRows(source.files, source.positive, source.n_features)
    if isinstance(source, (str, os.PathLike)) or _are_paths(source):
        return _svmlight(source)
    if isinstance(source, Iterator):
        raise InputTypeError(
            f"A {type(source).__name__} can be gone through once only. Give the function that "
            "makes it: batches, not batches()."
        )
    if callable(source) and not isinstance(source, type):
        return BatchRows(source)
    raise InputTypeError(
        f"A {type(source).__name__} is not a stream of rows. Give a table from "
        "rosenblatt.data.read, the path of svmlight files, or a function that gives an iterator of "
        "batches (X, y)."
    )


def _are_paths(source: Any) -> bool:
    return isinstance(source, (list, tuple)) and all(
        isinstance(entry, (str, os.PathLike)) for entry in source
    )


def _svmlight(source: Any) -> SvmlightRows:
    shown = os.fspath(source) if isinstance(source, (str, os.PathLike)) else list(map(str, source))
    if is_svmlight(source):
        found = files.find(source)
        if all(file.kind == "svmlight" for file in found):
            return SvmlightRows(found)
    raise InputError(
        f"{shown} is not named like svmlight files (.svm, .svmlight, .libsvm). For a table, say "
        f'which column holds the labels: rosenblatt.data.read({shown!r}, target="...").'
    )


def key_of(source: Source) -> str | None:
    """Changes with the files and with how they are read and encoded; None where there are none."""
    found = stamps(source)
    if found is None:
        return None
    document = {"format": [FORMAT, VERSION], "files": found, "options": source.options()}
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()


def stamps(source: Source) -> list[list[Any]] | None:
    """Path, size and time of the last change of each file; None where they cannot be read again."""
    found = source.files
    if found is None or any(file.kind == "frame" or file.keep is not None for file in found):
        return None
    return [[os.path.abspath(file.path), *file.stamp] for file in found]
