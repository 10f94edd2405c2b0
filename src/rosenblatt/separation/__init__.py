"""What to do where a logistic regression has no finite estimate: complete or quasi-complete
separation, as `certify` finds it.

- `firth`: estimates by Firth's penalised likelihood. They are always finite, with profile
  intervals. The usual choice.
- `limiting_model`: Geyer's limiting conditional model, the limit of maximum likelihood. Separated
  rows have probability 0 or 1, and the other rows are fitted as usual.
"""

from rosenblatt.separation.firth import FirthEstimate, firth
from rosenblatt.separation.limit import LimitingModel, limiting_model

__all__ = ["FirthEstimate", "LimitingModel", "firth", "limiting_model"]
