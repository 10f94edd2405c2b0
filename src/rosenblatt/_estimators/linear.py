"""What linear classifiers have in common once they are trained. Abstract: not an estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._compute.examples import Rows
from rosenblatt._estimators.classifier import Classifier
from rosenblatt._inputs import placed, validate
from rosenblatt._rules.linear import LinearRule
from rosenblatt._rules.voters import VOTING, SeparateVoters, Voters


def decided(scores: NDArray[np.float64]) -> NDArray[np.intp]:
    """The place of each row's class: sign(0) = +1; of many classes the first of the highest."""
    if scores.ndim == 1:
        return (scores >= 0).astype(np.intp)
    return np.asarray(np.argmax(scores, axis=1))


class LinearClassifier(Classifier):
    """Predicts with `_rule`, which fitting sets."""

    _rule: LinearRule | Voters | SeparateVoters

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The score of each row, w·x + b; the mean vote in [-1, 1] with keep="vote".

        Of k > 2 classes one for each, shape (n, k): w_c·x + b_c, or its share of the votes.
        """
        rows = self._rows(X)
        return self._checked(self._rule.scores(rows), rows)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row: `classes_[1]` where the score is 0 or greater.

        Of k > 2 classes the one with the highest score; on a tie the first.
        """
        rows = self._rows(X)
        rule = self._rule
        signed = rule.signed(rows) if isinstance(rule, LinearRule) else rule.scores(rows)
        return self.classes_[decided(self._checked(signed, rows))]

    def _rows(self, X: Any) -> Rows:
        # A number that is not finite makes the score of its row not finite: look at those instead.
        # Votes are always finite.
        finite = isinstance(vars(self).get("_rule"), VOTING)
        return Rows(placed.rows_to_judge(self, X, finite=finite))

    def _checked(self, scores: NDArray[np.float64], rows: Rows) -> NDArray[np.float64]:
        if not np.isfinite(scores).all():
            validate.refuse_not_finite(self, rows.X, scores)
        return scores

    @property
    def coef_(self) -> NDArray[np.float64]:
        """The weights w, of shape (1, d); of k > 2 classes (k, d)."""
        return self._one_rule("coef_").coef

    @property
    def intercept_(self) -> NDArray[np.float64]:
        """The intercept b, of shape (1,); of k > 2 classes (k,)."""
        return self._one_rule("intercept_").intercept

    def _one_rule(self, name: str) -> LinearRule:
        if not hasattr(self, "_rule"):
            raise AttributeError(f"{type(self).__name__} has no {name} before it is fitted")
        if isinstance(self._rule, VOTING):
            raise AttributeError(
                f"keep='vote' has no {name}: {len(self._rule)} weight vectors vote, and no single "
                "one gives the same answers. keep='average' is close to the vote and has one."
            )
        return self._rule

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
