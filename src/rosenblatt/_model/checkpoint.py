"""The content of a checkpoint: what the training was begun with, and where it stands."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rosenblatt._compute.fingerprint import FIRST
from rosenblatt._learning.primal import PrimalState
from rosenblatt._learning.state import State
from rosenblatt._model import arrays, linear, training, updates
from rosenblatt._model import state as states
from rosenblatt._support.strict_json import (
    NO_SUM,
    InvalidDocument,
    Part,
    as_text,
    check_sum,
    parse,
    shown,
    with_sum,
)
from rosenblatt._support.version import __version__
from rosenblatt.certificate import Certificate

FORMAT = "rosenblatt checkpoint"
VERSION = 4

# --- Writing -----------------------------------------------------------------------------------


def written(training: dict[str, Any]) -> bytes:
    """One training, as `entry` has it."""
    return _file(VERSION, training)


def written_of_classes(trainings: list[dict[str, Any]]) -> bytes:
    """multi_class="ovr": one for each class, as far as they have begun."""
    return _file(VERSION, {"of_classes": trainings})


def _file(version: int, body: dict[str, Any]) -> bytes:
    head = {
        "format": FORMAT,
        "version": version,
        "written_by": f"rosenblatt {__version__}",
        "sha256": NO_SUM,
    }
    return with_sum(as_text(head | body).encode())


def entry(made_with: dict[str, Any], state: PrimalState) -> dict[str, Any]:
    """What a training was begun with, and where it stands."""
    counts = state.memory.counts
    return {
        "made_with": made_with,
        "state": {
            "epoch": int(state.epoch),
            "updates": int(state.updates),
            "clean": bool(state.clean),
            "mistakes": arrays.counts(state.mistakes),
            "update_counts": updates.written(counts),
            **states.written_place(state),
            "kept": states.written_kept(state.kept, None),
            "voters": None if state.voters is None else linear.written(state.voters),
            "certificate": _certificate(state),
        },
    }


# --- Reading -----------------------------------------------------------------------------------


def _certificate(state: PrimalState) -> dict[str, Any] | None:
    if state.certificate is None:
        return None
    assert isinstance(state.certificate, Certificate)
    return state.certificate.to_dict()


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
    """All that is in it."""
    with parse(content) as file:
        if file.text("format") != FORMAT:
            raise InvalidDocument(f"its format is {shown(file.text('format'))}, not {FORMAT!r}")
        version = file.whole("version")
        if not 1 <= version <= VERSION:
            raise InvalidDocument(
                f"it was written by {shown(file.text('written_by'))}, whose checkpoints are of "
                f"version {version}, and those up to {VERSION} are read here"
            )
        file.text("written_by")
        check_sum(file.text("sha256"), content)
        if "of_classes" not in file:
            return Content([_read_entry(file, version)], separate=False)
        trainings = []
        for part in file.parts("of_classes"):
            with part:
                trainings.append(_read_entry(part, version))
        if not trainings:
            raise InvalidDocument("of_classes is empty")
        return Content(trainings, separate=True)


def _read_entry(part: Part, version: int) -> Entry:
    made_with, state = part.part("made_with").everything(), part.part("state")
    if type(made_with.get("data")) is not str:
        raise InvalidDocument(f"{part.name('made_with')}.data is not text")
    if version == 1:
        made_with["data"] = FIRST + made_with["data"]
        made_with["prove"] = True  # patience always asked for a proof
    return Entry(made_with, state, {"made_with": made_with, "state": part.value("state")})


def read_state(
    part: Part, keep: str, rows: int, d: int, k: int, *, counted: bool, confident: bool
) -> PrimalState:
    """Of training with this `keep` on so many rows of so many features, of k classes.

    `counted`: updates are counted by row. `confident`: precisions of the weights are kept.
    """
    shape = (d,) if k == 2 else (k, d)
    with part:
        counts = updates.read(part, "update_counts", rows, k)
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
            newer="scale" in part,  # versions 1 and 2 have none
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
                lambda field: linear.read_voters(part.part(field), shape), "voters"
            ),
            certificate=part.optional(
                lambda field: training.read_certificate(part, field), "certificate"
            ),
        )
    begun = epochs > 0
    for field, wanted in (("kept", keep in states.JUDGED), ("voters", keep == "vote")):
        if begun and (getattr(state, field) is not None) != wanted:
            raise InvalidDocument(f"state.{field} does not go with keep={keep!r}")
    return state
