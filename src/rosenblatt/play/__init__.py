"""The playground: watch a perceptron learn, in a page that needs nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rosenblatt.play.html_page import page
from rosenblatt.play.recorded import fingerprint

if TYPE_CHECKING:
    from rosenblatt.play.notebook import Playground

__all__ = ["Playground", "fingerprint", "page"]


def __getattr__(name: str) -> object:
    """Playground is imported when it is asked for: it needs anywidget (extra "notebook")."""
    if name != "Playground":
        raise AttributeError(f"module 'rosenblatt.play' has no attribute {name!r}")
    from rosenblatt.play.notebook import Playground

    return Playground
