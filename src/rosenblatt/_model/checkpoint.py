"""The content of a checkpoint: what the training was begun with, and where it stands."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

import rosenblatt
from rosenblatt._fit import State
from rosenblatt._model import arrays, linear, training
from rosenblatt._model import state as states
from rosenblatt._model.document import Part, Wrong, as_text, parse, shown

FORMAT = "rosenblatt checkpoint"
VERSION = 1

# --- Writing -----------------------------------------------------------------------------------


def written(made_with: dict[str, Any], state: State) -> bytes:
    counts = state.memory.counts
    body = {
        "made_with": made_with,
        "state": {
            "epoch": int(state.epoch),
            "updates": int(state.updates),
            "clean": bool(state.clean),
            "mistakes": arrays.counts(state.mistakes),
            "update_counts": arrays.many_counts(counts) if len(counts) else None,
            **states.written_place(state),
            "kept": states.written_kept(state.kept, None),
            "voters": None if state.voters is None else linear.written(state.voters),
            "certificate": None if state.certificate is None else state.certificate.to_dict(),
        },
    }
    text = as_text(body).encode()
    head = {
        "format": FORMAT,
        "version": VERSION,
        "written_by": f"rosenblatt {rosenblatt.__version__}",
        "sha256": hashlib.sha256(text).hexdigest(),  # of what follows the first line
    }
    return as_text({"head": head}).replace("\n", "").encode() + b"\n" + text


# --- Reading -----------------------------------------------------------------------------------


def read(content: bytes) -> tuple[dict[str, Any], Part]:
    """What it was made with, and its state, to be read by `read_state` where that fits."""
    first, _, rest = content.partition(b"\n")
    with parse(first) as line, line.part("head") as head:
        if head.text("format") != FORMAT:
            raise Wrong(f"its format is {shown(head.text('format'))}, not {FORMAT!r}")
        if head.whole("version") != VERSION:
            raise Wrong(
                f"it was written by {shown(head.text('written_by'))}, whose checkpoints are of "
                f"version {head.whole('version')}, and {VERSION} is read here"
            )
        head.text("written_by")
        claimed = head.text("sha256")
    if hashlib.sha256(rest).hexdigest() != claimed:
        raise Wrong("its content does not have the sha256 that it claims: it is damaged")
    with parse(rest) as body:
        return body.part("made_with").everything(), body.part("state")


def read_state(part: Part, keep: str, rows: int, d: int, *, counted: bool) -> State:
    """Of training with this `keep` on so many rows of so many features."""
    with part:
        counts = part.optional(
            lambda field: arrays.read_counts(part, field, (rows,), deflated=True), "update_counts"
        )
        if (counts is not None) != counted:  # the kernels believe the state
            raise Wrong("state.update_counts is there on a stream, or is not there on arrays")
        epochs = part.whole("epoch")
        nobody = np.zeros(0, dtype=np.int64)
        place = states.read_place(part, keep, d, rows, epochs, nobody if counts is None else counts)
        state = State(
            **place,
            epoch=epochs,
            updates=part.whole("updates"),
            clean=part.flag("clean"),
            mistakes=arrays.read_counts(part, "mistakes", (epochs,)).tolist(),
            kept=states.read_kept(part, d, None),
            voters=part.optional(lambda field: linear.read_voters(part.part(field), d), "voters"),
            certificate=part.optional(
                lambda field: training.read_certificate(part, field), "certificate"
            ),
        )
    begun = epochs > 0
    for field, wanted in (("kept", keep in states.JUDGED), ("voters", keep == "vote")):
        if begun and (getattr(state, field) is not None) != wanted:
            raise Wrong(f"state.{field} does not go with keep={keep!r}")
    return state
