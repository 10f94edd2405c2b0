"""The playground: watch a perceptron learn, in a page that needs nothing else."""

from __future__ import annotations

from rosenblatt.play.fingerprints import fingerprint
from rosenblatt.play.page import page

__all__ = ["fingerprint", "page"]
