"""What to do where a regression has no finite estimate.

That is under complete or quasi-complete separation, as `certify` finds it. Ask in this order:

1. Is the column known before the outcome? If not, it is target leakage: leave it out.
2. Is it a rare category, all of whose rows had one outcome? Merge it with another one, or report
   that nothing but its direction is known.
3. Is it real? Under quasi-complete separation report `limiting_model`: Geyer's limiting conditional
   model, the limit of maximum likelihood. Separated rows have probability 0 or 1, and the other
   rows are fitted as usual.
4. Do you need finite numbers? `firth` has estimates by Firth's penalised likelihood, which are
   always finite, with profile intervals.
5. Do you need only the rule? Under complete separation `Perceptron.from_certificate` is the
   separator of the largest margin.
"""

from rosenblatt.separation.firth_estimate import FirthEstimate, firth
from rosenblatt.separation.limit import LimitingModel, limiting_model

__all__ = ["FirthEstimate", "LimitingModel", "firth", "limiting_model"]
