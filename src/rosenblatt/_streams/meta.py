"""What stands beside stored rows: their shape, labels and encoding, in `meta.json`."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._model import labels
from rosenblatt._support.files import read_whole
from rosenblatt._support.strict_json import InvalidDocument, Part
from rosenblatt.data.encode import Encoding
from rosenblatt.errors import FileError, InputError

FORMAT = "rosenblatt-rows"
VERSION = 2
NAME = "meta.json"
_MOST = 1 << 30  # bytes: names of a few million features
_DTYPES: dict[str, np.dtype[Any]] = {
    "float32": np.dtype(np.float32),
    "float64": np.dtype(np.float64),
}
_INDICES: dict[str, np.dtype[Any]] = {"int32": np.dtype(np.int32), "int64": np.dtype(np.int64)}


@dataclass(frozen=True)
class About:
    """All about stored rows but the rows."""

    n: int
    d: int
    dtype: np.dtype[Any]
    index: np.dtype[Any] | None  # the type of CSR indices; None: the rows are dense
    entries: int  # the numbers that are stored
    classes: NDArray[Any]
    counts: tuple[int, ...]
    feature_names: list[str] | None
    encoding: Encoding | None
    fingerprint: str

    @property
    def label(self) -> np.dtype[Any]:
        """Signs of two classes, numbers of more."""
        return np.dtype(np.int8 if len(self.classes) == 2 else np.int32)

    @property
    def sizes(self) -> dict[str, int]:
        """The files and how many bytes they have."""
        rows = {"X.bin": self.entries * self.dtype.itemsize}
        if self.index is not None:
            rows = {
                "data.bin": self.entries * self.dtype.itemsize,
                "indices.bin": self.entries * self.index.itemsize,
                "indptr.bin": (self.n + 1) * 8,
            }
        return rows | {"y.bin": self.n * self.label.itemsize}

    def write(self, folder: Path) -> None:
        document = {
            "format": FORMAT,
            "version": VERSION,
            "byte order": sys.byteorder,
            "n": self.n,
            "d": self.d,
            "dtype": self.dtype.name,
            "index": None if self.index is None else self.index.name,
            "entries": self.entries,
            "classes": labels.written(self.classes),
            "counts": list(self.counts),
            "feature names": self.feature_names,
            "encoding": None if self.encoding is None else self.encoding.to_dict(),
            "fingerprint": self.fingerprint,
            "files": self.sizes,
        }
        (folder / NAME).write_text(json.dumps(document, indent=1))


def read(folder: Path) -> About | None:
    """None where something is missing or other than it should be: such rows are not trusted."""
    try:
        with Part(json.loads(read_whole(folder / NAME, most=_MOST)), "the file") as part:
            about = _about(part)
            good = part.value("files") == about.sizes == _found(folder, about)
    except (InvalidDocument, InputError, FileError, OSError, ValueError, RecursionError):
        return None
    return about if good else None


def _about(part: Part) -> About:
    part.one_of("format", [FORMAT])
    part.one_of("byte order", [sys.byteorder])
    if part.whole("version") != VERSION:
        raise InvalidDocument("of another version")
    index, encoding = part.value("index"), part.value("encoding")
    about = About(
        n=part.whole("n"),
        d=part.whole("d"),
        dtype=_DTYPES[part.one_of("dtype", _DTYPES)],
        index=None if index is None else _INDICES[part.one_of("index", _INDICES)],
        entries=part.whole("entries"),
        classes=labels.read(part.part("classes")),
        counts=tuple(int(count) for count in part.values("counts")),
        feature_names=part.optional(part.texts, "feature names"),
        encoding=None if encoding is None else Encoding.from_dict(encoding),
        fingerprint=part.text("fingerprint"),
    )
    dense = about.index is None and about.entries != about.n * about.d
    if dense or len(about.counts) != len(about.classes):
        raise InvalidDocument("it does not agree with itself")
    return about


def _found(folder: Path, about: About) -> dict[str, int]:
    return {name: (folder / name).stat().st_size for name in about.sizes}
