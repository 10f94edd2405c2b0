"""Training that survives a crash: where it stands is kept in a file, and goes on from there.

The state is written between chunks of visits, where it is consistent, whole or not at all. Going on
from any of these states gives the same bits as never having stopped (`_fit.py`).
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rosenblatt import _validate
from rosenblatt._files import as_path, read_whole, write_whole
from rosenblatt._model import checkpoint as document
from rosenblatt._model import labels
from rosenblatt._model.document import Wrong
from rosenblatt.errors import InputError, MissingFileError

if TYPE_CHECKING:
    from rosenblatt._fit import State
    from rosenblatt._settings import Recipe, Settings

_MOST_BYTES = 4 << 30


class Checkpoint:
    """A file that holds where one training stands."""

    def __init__(self, path: Any, every: Any):
        self._path = as_path(path)
        self._every = _validate.not_negative("checkpoint_every", every)
        self._made_with: dict[str, Any] = {}
        self._written_at = 0.0

    def resume(self, recipe: Recipe, settings: Settings, seed: int | None) -> State | None:
        """The state in the file; None where there is none yet.

        `seed` is None where the training has no seed of its own: then that in the file is used.
        """
        self._made_with = _made_with(recipe, settings, seed)
        _remove_leftovers(self._path)
        try:
            content = read_whole(self._path, most=_MOST_BYTES)
        except MissingFileError:
            return None
        try:
            before, part = document.read(content)
            self._refuse_other(before)
            state = document.read_state(part, recipe.units.keep, *recipe.shape)
        except Wrong as why:
            raise InputError(
                f"{self._path} cannot be read as a checkpoint: {why}. Delete it to begin anew."
            ) from None
        self._refuse_further(state, settings)
        return state

    def _refuse_other(self, before: dict[str, Any]) -> None:
        for name in sorted(before.keys() | self._made_with.keys()):
            was, now = before.get(name), self._made_with.get(name)
            if was != now:
                what = _WORDS.get(name, f"{name} is {now!r} and was {was!r}")
                raise InputError(
                    f"The checkpoint {self._path} is of another training: {what}. Give it what it "
                    "was begun with, name another file, or delete this one to begin anew."
                )

    def _refuse_further(self, state: State, settings: Settings) -> None:
        """It may go on for longer than was wanted at first, but not be cut short."""
        epochs = state.epoch - state.under_way
        for name, limit, reached in (
            ("max_iter", settings.max_iter, epochs),
            ("max_updates", settings.max_updates, state.updates),
        ):
            if limit is not None and reached > limit:
                raise InputError(
                    f"{name}={limit}, but the training in the checkpoint {self._path} has come to "
                    f"{reached} already. Give {reached} or more, or name another file."
                )

    def chunk(self, state: State) -> None:
        """Some visits were made: time to write?"""
        if time.monotonic() - self._written_at >= self._every:
            self.write(state)

    def write(self, state: State) -> None:
        content = document.written(self._made_with, state)
        write_whole(self._path, content, overwrite=True, mark=_mark(self._path, os.getpid()))
        self._written_at = time.monotonic()


_WORDS = {
    "data": "the rows, labels or weights are not the same",
    "seed": "random_state is another",
}


def _made_with(recipe: Recipe, settings: Settings, seed: int | None) -> dict[str, Any]:
    """All that decides what training does, but for its limits."""
    n, d = recipe.shape
    return {
        "order": recipe.order,
        "keep": recipe.units.keep,
        "eta0": recipe.units.eta0,
        "fit_intercept": recipe.units.fit_intercept,
        "margin": recipe.margin,
        "patience": settings.patience,
        "seed": seed,
        "classes": [labels.label(value) for value in recipe.classes],
        "rows": n,
        "features": d,
        "data": recipe.data,
    }


def _mark(path: Path, process: int | str) -> str:
    name = hashlib.sha256(os.fsencode(os.path.realpath(path))).hexdigest()[:16]
    return f"{name}-{process}-"


def _remove_leftovers(path: Path) -> None:
    """Files that processes which are no more were about to write."""
    name = re.compile(rf"\.rosenblatt-{_mark(path, '([0-9]+)')}[0-9a-f]{{16}}")
    with suppress(OSError):
        for found in Path(os.path.realpath(path)).parent.iterdir():
            match = name.fullmatch(found.name)
            if match and not _lives(int(match[1])):
                found.unlink()


def _lives(process: int) -> bool:
    if os.name == "nt":  # there is no harmless signal to ask with
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
