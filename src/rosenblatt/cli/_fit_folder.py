"""A folder of results: there whole or not at all."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rosenblatt.errors import InputError

OURS = {"model.json", "certificate.json", "report.html"}


def default_folder(files: tuple[str, ...]) -> str:
    name = Path(files[0]).name
    stem = name.split(".")[0] or name
    stem = re.sub(r"[*?\[\]]+", "", stem).strip("-_ ")  # of a pattern what is no riddle to a shell
    return f"{stem or 'table'}-rosenblatt"


def check_folder(path: str, *, force: bool) -> None:
    """Before any work: may this folder be written?"""
    target = Path(path)
    if not path or "\0" in path:
        raise InputError(f"{path!r} is not the name of a folder.")
    if not target.absolute().parent.is_dir():
        raise InputError(f"There is no folder {target.absolute().parent} to make {path} in.")
    if not os.path.lexists(target):
        return
    if target.is_symlink() or not target.is_dir():
        raise InputError(f"{path} is no folder; give the name of one to write: -o FOLDER.")
    if not (held := {entry.name for entry in target.iterdir()}):
        return
    if others := sorted(held - OURS):
        raise InputError(
            f"{path} holds other files ({', '.join(others[:3])}), and a folder is replaced as a "
            "whole. Give another one: -o FOLDER."
        )
    if not force:
        raise InputError(
            f"{path} exists already. Give another folder, -o FOLDER, or --force to replace it."
        )


@contextmanager
def whole_folder(path: str, *, force: bool) -> Iterator[Path]:
    """A folder to write into; it takes its name when all is written, or leaves no trace."""
    target = Path(path).absolute()
    mark = os.urandom(8).hex()
    part, old = (target.with_name(f".rosenblatt-{mark}{end}") for end in ("", "-old"))
    part.mkdir()
    try:
        yield part
        check_folder(path, force=force)  # somebody may have been faster
        if target.exists():
            os.rename(target, old)
        try:
            os.rename(part, target)
        except OSError:
            if old.exists():
                os.rename(old, target)
            raise
    finally:
        for rest in (part, old):
            shutil.rmtree(rest, ignore_errors=True)
