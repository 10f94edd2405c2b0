"""The folder that a study is saved in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rosenblatt._util import files
from rosenblatt._util.files import Place, beginning, place_of
from rosenblatt._util.remote import Remote
from rosenblatt._util.spelling import option
from rosenblatt.errors import InputError

MODEL, CERTIFICATE, REPORT = "model.json", "certificate.json", "report.html"
_OURS = (MODEL, CERTIFICATE, REPORT)  # with the first of them a folder is whole
# How a model file and a certificate begin that were written here.
_BEGINS = re.compile(rb'\{\s*"(?:format": "rosenblatt-model|schema": "rosenblatt-certificate/\d+)"')
_SUFFIXES = re.compile(r"(?<=.)\.[A-Za-z]\w*(?:\.(?:gz|bz2|zst|zip))?$")


def default_folder(names: tuple[str, ...]) -> str:
    """After the first file; after nothing in particular where there is none."""
    name = Path(names[0]).name if names else ""
    stem = _SUFFIXES.sub("", name)  # sales.2024.csv and sales.2023.csv are two tables
    stem = re.sub(r"[*?\[\]]+", "", stem).strip("-_ ")  # of a pattern what is no riddle to a shell
    return f"{stem or 'table'}-rosenblatt"


def is_ours(path: Any) -> bool:
    """Whether the folder is the result of a study, and nothing else: it may be replaced."""
    folder = place_of(path)
    if folder.is_symlink() or not folder.is_dir():
        return False
    names = {entry.name for entry in folder.iterdir()}
    return names <= set(_OURS) and any(_is_written_here(folder / name) for name in names)


def _is_written_here(file: Place) -> bool:
    try:
        return _BEGINS.match(beginning(file, 100)) is not None
    except OSError:
        return False


def check(path: Any, *, force: bool, checkpoint: Any = None) -> None:
    """Before any work: may this folder be written, with checkpoints in that one?"""
    if checkpoint is not None and _resolved(checkpoint).startswith(_resolved(path)):
        raise InputError(
            f"{option('checkpoint', str(checkpoint))} is in the folder of the results, "
            f"{path}, which is replaced as a whole. Give another one.",
            option="checkpoint",
            value=str(checkpoint),
        )
    files.check_folder(path, ours=_OURS, overwrite=force)
    files.check_writable(path, of="folder")


def _resolved(path: Any) -> str:
    place = place_of(path)
    text = place.address if isinstance(place, Remote) else str(place.resolve())
    return f"{text.rstrip('/')}/"


@contextmanager
def writing(path: Any, *, force: bool) -> Iterator[Path]:
    """A folder to write these files into, whole or not at all."""
    with files.writing_whole_folder(path, ours=_OURS, overwrite=force) as part:
        yield part
