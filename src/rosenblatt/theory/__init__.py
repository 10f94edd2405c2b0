"""The formulas of the lecture notes under their own names.

Rows X (arrays, data frames or CSR matrices), labels y (two of any kind; the larger one is +1),
weights w and intercept b. Every function says its formula, and every margin which one it is:

- functional: y_i (w·x_i + b), which grows with the weights,
- geometric: y_i (w·x_i + b) / ‖w‖, the distance to the hyperplane,
- homogeneous: y_i (w·x_i + b) / ‖(w, b)‖, the γ of Novikoff's theorem in the lifted space.
"""

from rosenblatt._certify.cover_theorem import probability_separable
from rosenblatt.theory.bounds import EpochBound, MistakeBound, mistake_bound, mixed_epoch_bound
from rosenblatt.theory.geometry import (
    angle,
    angles,
    distances,
    kesler_lift,
    lift,
    margin_of_data,
    margins,
    normalize,
    radius,
    scores,
    separates,
    sign_switch,
)
from rosenblatt.theory.online import ArowBound, LossBound, arow_bound, passive_aggressive_bound
from rosenblatt.theory.risk import (
    perceptron_loss,
    perceptron_loss_gradient,
    progressive_bound,
    progressive_lambda,
    support_bound,
    zero_one_loss,
)

__all__ = [
    "ArowBound",
    "EpochBound",
    "LossBound",
    "MistakeBound",
    "angle",
    "angles",
    "arow_bound",
    "distances",
    "kesler_lift",
    "lift",
    "margin_of_data",
    "margins",
    "mistake_bound",
    "mixed_epoch_bound",
    "normalize",
    "passive_aggressive_bound",
    "perceptron_loss",
    "perceptron_loss_gradient",
    "probability_separable",
    "progressive_bound",
    "progressive_lambda",
    "radius",
    "scores",
    "separates",
    "sign_switch",
    "support_bound",
    "zero_one_loss",
]
