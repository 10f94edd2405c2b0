"""An epoch of order="mixed" that is under way: what its shards have added so far."""

from __future__ import annotations

from typing import Any

from rosenblatt._compute.backend import compute
from rosenblatt._compute.folding import Fold
from rosenblatt._learning.mixing import Share, together
from rosenblatt._model.linear import read_weights, written_weights
from rosenblatt._support.strict_json import InvalidDocument, Part

# --- Writing -----------------------------------------------------------------------------------


def written(mixing: Fold[Share] | None) -> dict[str, Any]:
    """Only where there is one."""
    if mixing is None:
        return {}
    branches = [_written_share(share) for share in mixing.branches]
    return {"mixing": {"shards": int(mixing.parts), "branches": branches}}


def _written_share(share: Share) -> dict[str, Any]:
    return {
        "moved": written_weights(share.moved),
        "summed": None if share.summed is None else written_weights(share.summed),
        "visits": int(share.visits),
        "mistakes": int(share.mistakes),
        "loss": float(share.loss),
    }


# --- Reading -----------------------------------------------------------------------------------


def read(
    part: Part, shape: tuple[int, ...], position: int, *, averaged: bool
) -> Fold[Share] | None:
    """Of an epoch in which so many visits were made; None where there is none."""
    if "mixing" not in part:
        return None
    with part.part("mixing") as mixing:
        shards = mixing.whole("shards")
        branches = [_read_share(branch, shape, averaged) for branch in mixing.parts("branches")]
    # A fold of so many has one branch for each 1 among their binary digits.
    sound = len(branches) == shards.bit_count() and shards * compute.rows_of_shard == position
    if not sound or sum(branch.visits for branch in branches) != position:
        raise InvalidDocument(
            f"{part.name('mixing')} is not of {shards} shards and {position} visits"
        )
    return Fold(together, shards, branches)


def _read_share(part: Part, shape: tuple[int, ...], averaged: bool) -> Share:
    with part:
        with part.part("moved") as moved:
            change = read_weights(moved, shape)
        given = part.optional(part.part, "summed")
        if (given is not None) != averaged:
            raise InvalidDocument(f"{part.name('summed')} does not go with what is kept")
        summed = None
        if given is not None:
            with given:
                summed = read_weights(given, shape)
        visits, mistakes = part.whole("visits"), part.whole("mistakes")
        return Share(change, summed, visits, mistakes, part.number("loss"))
