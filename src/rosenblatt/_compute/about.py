"""Which version this is, and what does its computing."""

from __future__ import annotations

from rosenblatt._compute.backend import compute
from rosenblatt._support.version import __version__


def core() -> dict[str, str]:
    """Version, and what does the computing."""
    name = (
        f"compiled core for {compute.backend.cpu_levels()[-1]}"
        if compute.native
        else "NumPy reference: the same results, much more slowly (no compiled core)"
    )
    return {"version": __version__, "core": name}
