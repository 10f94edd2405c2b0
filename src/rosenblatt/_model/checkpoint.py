"""Training that survives a crash: a file keeps what it was begun with and where it stands.

The state is written between chunks of visits, where it is consistent, whole or not at all. Resuming
from any of these states gives the same bits as never having stopped.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from rosenblatt._core.cyclic import overflow
from rosenblatt._model import arrays, parameters, rules, training
from rosenblatt._model import state as states
from rosenblatt._model.training import read_updates, write_updates
from rosenblatt._training.keeps import KEEPS
from rosenblatt._training.learner import PrimalState, is_finite
from rosenblatt._training.settings import Recipe, Settings
from rosenblatt._training.state import State
from rosenblatt._util.files import beginning, place_of, read_whole, write_whole
from rosenblatt._util.progress import log
from rosenblatt._util.remote import Remote
from rosenblatt._util.strict_json import (
    NO_SUM,
    InvalidDocument,
    Part,
    as_text,
    check_sum,
    parse,
    shown,
    with_sum,
)
from rosenblatt._util.version import __version__
from rosenblatt._validation.parameters import not_negative
from rosenblatt.errors import FileError, InputError, MissingFileError

if TYPE_CHECKING:
    from rosenblatt.certificate import Certificate

FORMAT = "rosenblatt checkpoint"
VERSION = 1

# --- Writing -----------------------------------------------------------------------------------


def _file(body: dict[str, Any]) -> bytes:
    head = {
        "format": FORMAT,
        "version": VERSION,
        "written_by": f"rosenblatt {__version__}",
        "sha256": NO_SUM,
    }
    return with_sum(as_text(head | body).encode())


def write_entry(made_with: dict[str, Any], state: PrimalState) -> dict[str, Any]:
    certificate = cast("Certificate | None", state.certificate)
    return {
        "made_with": made_with,
        "state": {
            "epoch": int(state.epoch),
            "updates": int(state.updates),
            "clean": bool(state.clean),
            "mistakes": arrays.counts(state.mistakes),
            "update_counts": write_updates(state.memory.counts),
            **states.write_place(state),
            "kept": states.write_kept(state.kept, None),
            "voters": None if state.voters is None else rules.write_linear(state.voters),
            "certificate": None if certificate is None else certificate.to_dict(),
        },
    }


# --- Reading -----------------------------------------------------------------------------------


class Entry(NamedTuple):
    """What a training was begun with, and its state, for `read_state` where that fits."""

    made_with: dict[str, Any]
    state: Part
    written: dict[str, Any]  # both, as they stand in the file


class Content(NamedTuple):
    """One training, or with multi_class="ovr" those of the classes that have begun."""

    trainings: list[Entry]
    separate: bool


def read(content: bytes) -> Content:
    with parse(content) as file:
        if file.text("format") != FORMAT:
            raise InvalidDocument(f"its format is {shown(file.text('format'))}, not {FORMAT!r}")
        version = file.whole("version")
        if version != VERSION:
            raise InvalidDocument(
                f"it was written by {shown(file.text('written_by'))}, whose checkpoints are of "
                f"version {version}, and version {VERSION} is read here"
            )
        file.text("written_by")
        check_sum(file.text("sha256"), content)
        if "of_classes" not in file:
            return Content([_read_entry(file)], separate=False)
        trainings = []
        for part in file.parts("of_classes"):
            with part:
                trainings.append(_read_entry(part))
        if not trainings:
            raise InvalidDocument("of_classes is empty")
        return Content(trainings, separate=True)


def _read_entry(part: Part) -> Entry:
    made_with, state = part.part("made_with").everything(), part.part("state")
    if type(made_with.get("data")) is not str:
        raise InvalidDocument(f"{part.name('made_with')}.data is not text")
    return Entry(made_with, state, {"made_with": made_with, "state": part.value("state")})


def read_state(
    part: Part, keep: str, rows: int, d: int, k: int, *, counted: bool, confident: bool
) -> PrimalState:
    """`counted`: updates are counted by row. `confident`: precisions of the weights are kept."""
    shape = (d,) if k == 2 else (k, d)
    with part:
        counts = read_updates(part, "update_counts", rows, k)
        if (counts is not None) != counted:  # the kernels believe the state
            raise InvalidDocument(
                "state.update_counts is there on a stream, or is not there on arrays"
            )
        epochs = part.whole("epoch")
        nobody = np.zeros(0 if k == 2 else (0, k), dtype=np.int64)
        place = states.read_place(
            part,
            keep,
            shape,
            rows,
            epochs,
            nobody if counts is None else counts,
            confident=confident,
        )
        state = State(
            **place,
            epoch=epochs,
            updates=part.whole("updates"),
            clean=part.flag("clean"),
            mistakes=arrays.read_counts(part, "mistakes", (epochs,)).tolist(),
            kept=states.read_kept(part, shape, None),
            voters=part.optional(
                lambda field: rules.read_voters(part.part(field), shape), "voters"
            ),
            certificate=part.optional(
                lambda field: training.read_certificate(part, field), "certificate"
            ),
        )
    begun = epochs > 0
    kind = KEEPS[keep]
    for field, wanted in (("kept", kind.evaluated), ("voters", kind.votes)):
        if begun and (getattr(state, field) is not None) != wanted:
            raise InvalidDocument(f"state.{field} does not go with keep={keep!r}")
    return state


# --- The file ------------------------------------------------------------------------------------

EVERY = 60.0  # seconds between two of them; `cli/fit.py` names it
_MOST_BYTES = 4 << 30


class Checkpoint:
    """A file that holds where one training stands, or with multi_class="ovr" that of each class."""

    def __init__(self, path: Any, every: Any):
        self._path = place_of(path)
        self._every = not_negative("checkpoint_every", every)
        self._made_with: dict[str, Any] = {}
        self._class: int | None = None  # of several trainings the one that is under way,
        self._classes: list[Any] = []  # all of them,
        self._trainings: list[dict[str, Any]] = []  # and those that have begun, as they are written
        self._is_there = False
        self._written_at = 0.0

    def begin(self, settings: Settings) -> None:
        """What can be refused before the rows are known, and before they are encoded for hours."""
        if isinstance(self._path, Remote):
            self._path.check_writable()
        else:
            _check_folder(self._path.absolute().parent, new=not self._path.exists())
        if self._path.exists():
            self._refuse_other(self._read().trainings[0].made_with, settings_of(settings))

    def separate(self, c: int, classes: list[Any]) -> None:
        """multi_class="ovr": the training of class c begins, with a state of its own."""
        self._class, self._classes = c, classes

    def resume(
        self,
        recipe: Recipe,
        settings: Settings,
        seed: int | None,
        n: int,
        *,
        counted: bool,
    ) -> PrimalState | None:
        """None where there is none yet. `seed` is None where the training has no seed of its own:
        then that in the file is used. `counted`: updates are counted by row."""
        self._made_with = _made_with(recipe, settings, seed)
        if self._class is not None:
            classes = [parameters.label(value) for value in self._classes]
            self._made_with |= {"classes": classes, "class": classes[self._class]}
        try:
            entry = self._begun()
        except MissingFileError:
            return None
        if entry is None:
            return None
        self._refuse_other(entry.made_with, self._made_with)
        try:
            k = len(recipe.classes)
            state = read_state(
                entry.state,
                recipe.units.keep,
                *recipe.shape,
                k,
                counted=counted,
                confident=settings.rule.kind == "AROW",
            )
            if max(state.position, state.seen) > n:  # the kernels believe the state
                raise InvalidDocument(f"it stands at row {max(state.position, state.seen)} of {n}")
        except InvalidDocument as why:
            raise self._unreadable(why) from None
        self._refuse_further(state, settings)
        self._is_there = True
        log(f"resuming from {self._path}: epoch {state.epoch}, {state.updates:,} updates")
        return state

    def _begun(self) -> Entry | None:
        content = self._read()
        if content.separate != (self._class is not None):
            now, then = ("joint", "ovr") if content.separate else ("ovr", "joint")
            raise self._other(f"multi_class is {now!r} and was {then!r}")
        if self._class is None:
            return content.trainings[0]
        self._trainings, self._is_there = [entry.written for entry in content.trainings], True
        if self._class >= len(content.trainings):
            return None
        return content.trainings[self._class]

    def _read(self) -> Content:
        try:
            return read(read_whole(self._path, most=_MOST_BYTES))
        except InvalidDocument as why:
            raise self._unreadable(why) from None

    def _unreadable(self, why: InvalidDocument) -> InputError:
        ours = FORMAT.encode() in beginning(self._path, 200)  # others are not to be deleted
        advice = "Delete it to start again" if ours else "Name another file for the checkpoint"
        return InputError(f"{self._path} cannot be read as a checkpoint: {why}. {advice}.")

    def _refuse_other(self, before: dict[str, Any], wanted: dict[str, Any]) -> None:
        others = [
            _WORDS.get(name, f"{name} is {now!r} and was {before.get(name)!r}")
            for name, now in wanted.items()
            if before.get(name) != now
        ]
        if others:
            raise self._other("; ".join(others))

    def _other(self, why: str) -> InputError:
        return InputError(
            f"The checkpoint {self._path} is of another training: {why}. Use what it was started "
            "with, name another file, or delete this one to start again."
        )

    def _refuse_further(self, state: PrimalState, settings: Settings) -> None:
        # A step of order="batch" makes many updates and is not cut in two.
        last = state.mistakes[-1] - 1 if settings.order == "batch" and state.mistakes else 0
        for name, limit, reached in (
            ("max_iter", settings.max_iter, state.epoch),
            ("max_updates", settings.max_updates, state.updates - max(last, 0)),
        ):
            if limit is not None and reached > limit:
                raise InputError(
                    f"{name}={limit}, but the training in the checkpoint {self._path} has come to "
                    f"{reached} already. Give {reached} or more, or name another file.",
                    option=name,
                    value=limit,
                )

    def chunk(self, state: PrimalState) -> None:
        if time.monotonic() - self._written_at >= self._every:
            self.write(state)

    def write(self, state: PrimalState) -> None:
        if not is_finite(state.memory):  # the last good one stays
            raise overflow(state.epoch)
        entry = write_entry(self._made_with, state)
        if self._class is None:
            content = _file(entry)
        else:  # those after it have begun where this one was interrupted
            self._trainings[self._class : self._class + 1] = [entry]
            content = _file({"of_classes": self._trainings})
        # Of two that begin together one is refused.
        write_whole(self._path, content, overwrite=self._is_there)
        self._is_there, self._written_at = True, time.monotonic()
        log(f"checkpoint {self._path}: epoch {state.epoch}, {state.updates:,} updates")


def _check_folder(folder: Path, *, new: bool) -> None:
    if not folder.is_dir():
        raise MissingFileError(f"There is no folder {folder} for the checkpoint.")
    if new and not os.access(folder, os.W_OK):
        raise FileError(f"The checkpoint cannot be written: {folder} is write-protected.")


_WORDS = {
    "data": "the rows, their order or labels are not the same",
    "weights": "the weights of the rows are not the same",
    "seed": "random_state is not what it was when training began",
}


def settings_of(settings: Settings) -> dict[str, Any]:
    """The settings that decide what training does: not its limits."""
    rule = settings.rule
    return {
        "rule": rule.kind,
        "order": settings.order,
        "keep": settings.units.keep,
        "eta0": settings.units.eta0,
        "fit_intercept": settings.units.fit_intercept,
        rule.name: rule.number,
        "decay": rule.decay,
        "alpha": rule.penalty,
        "signs": None if rule.signs is None else [*rule.signs],
        "tie": settings.units.tie,
        "patience": settings.patience,
        "tol": settings.tol,
        "prove": settings.prove,
    }


def _made_with(recipe: Recipe, settings: Settings, seed: int | None) -> dict[str, Any]:
    n, d = recipe.shape
    return {
        **settings_of(settings),
        "seed": seed,
        "classes": [parameters.label(value) for value in recipe.classes],
        "rows": n,
        "features": d,
        "data": recipe.data,
        "weights": recipe.weights,
    }
