"""The folder that a study is saved in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rosenblatt._util import files
from rosenblatt._util.files import as_path
from rosenblatt._util.spelling import option
from rosenblatt.errors import InputError

MODEL, CERTIFICATE, REPORT = "model.json", "certificate.json", "report.html"
_OURS = frozenset({MODEL, CERTIFICATE, REPORT})


def default_folder(names: tuple[str, ...]) -> str:
    """After the first file; after nothing in particular where there is none."""
    name = Path(names[0]).name if names else ""
    stem = name.split(".")[0] or name
    stem = re.sub(r"[*?\[\]]+", "", stem).strip("-_ ")  # of a pattern what is no riddle to a shell
    return f"{stem or 'table'}-rosenblatt"


def check(path: Any, *, force: bool, checkpoint: Any = None) -> None:
    """Before any work: may this folder be written, with checkpoints in that one?"""
    if checkpoint is not None:
        place = as_path(checkpoint).resolve()
        if as_path(path).resolve() in (place, *place.parents):
            raise InputError(
                f"{option('checkpoint', str(checkpoint))} is in the folder of the results, "
                f"{path}, which is replaced as a whole. Give another one.",
                option="checkpoint",
                value=str(checkpoint),
            )
    files.check_folder(path, ours=_OURS, overwrite=force)


@contextmanager
def writing(path: Any, *, force: bool) -> Iterator[Path]:
    """A folder to write these files into, whole or not at all."""
    with files.writing_whole_folder(path, ours=_OURS, overwrite=force) as part:
        yield part
