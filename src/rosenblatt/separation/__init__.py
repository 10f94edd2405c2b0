"""After the verdict of `certify`: what a logistic regression still has where its estimate is not
finite.

- `firth`: estimates by Firth's penalised likelihood, always finite, with profile intervals.
- `limiting_model`: Geyer's limiting conditional model: what maximum likelihood comes to. Separated
  rows have probability 0 or 1, and the others are fitted as ever.
"""

from rosenblatt.separation.firth import FirthEstimate, firth
from rosenblatt.separation.limit import LimitingModel, limiting_model

__all__ = ["FirthEstimate", "LimitingModel", "firth", "limiting_model"]
