"""Pictures of training and of what was learned, with matplotlib: pip install ".[plot]".

Each is a Display as in scikit-learn: `from_estimator`, `from_trace` or `from_rows` computes and
draws it, `plot` draws it again, `ax_` and `figure_` are matplotlib's. `animate` writes a film
of a trace.
"""

from rosenblatt.plots.alpha import AlphaDisplay
from rosenblatt.plots.animation import animate
from rosenblatt.plots.boundary import BoundaryDisplay
from rosenblatt.plots.cone import ConeDisplay
from rosenblatt.plots.loss_bound import LossBoundDisplay
from rosenblatt.plots.losses import LossLineDisplay
from rosenblatt.plots.mistakes import MistakesDisplay
from rosenblatt.plots.pocket import PocketDisplay
from rosenblatt.plots.regions import RegionsDisplay
from rosenblatt.plots.squeeze import SqueezeDisplay
from rosenblatt.plots.update import UpdateDisplay

__all__ = [
    "AlphaDisplay",
    "BoundaryDisplay",
    "ConeDisplay",
    "LossBoundDisplay",
    "LossLineDisplay",
    "MistakesDisplay",
    "PocketDisplay",
    "RegionsDisplay",
    "SqueezeDisplay",
    "UpdateDisplay",
    "animate",
]
