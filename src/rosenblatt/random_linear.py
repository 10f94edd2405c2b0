"""The random linear classifier: what guessing hyperplanes achieves. A baseline."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from rosenblatt._core.rows import Examples
from rosenblatt._training.estimator import LinearClassifier
from rosenblatt._training.fit import changing
from rosenblatt._training.linear_rule import LinearRule
from rosenblatt._training.monitor import Interrupted, Watch
from rosenblatt._util.progress import check_interrupt, interrupted_by
from rosenblatt._validation import parameters, rows, targets

_TOGETHER = 25  # hyperplanes judged in one pass over the rows


class RandomLinearClassifier(LinearClassifier):
    """The best of k random hyperplanes.

    Each is uniform on the unit sphere of the lifted space: (w, b) is Gaussian, divided by its norm.
    The one with the fewest training mistakes (by weight) is kept; on a tie the first. With
    more than two classes a draw is a hyperplane for each class, all together on the unit sphere,
    and the class with the highest score is predicted.

    Parameters
    ----------
    k : int, default=100
        How many hyperplanes are drawn.
    fit_intercept : bool, default=True
        False: hyperplanes through the origin, b = 0.
    random_state : int, RandomState instance or None, default=None
        Seeds the draws.

    Attributes
    ----------
    coef_, intercept_ : arrays of shape (1, d) and (1,), of c > 2 classes (c, d) and (c,)
        The best hyperplane, or one for each class.
    classes_ : array of shape (c,)
        The labels. Of two, a score of 0 or greater means `classes_[1]`; of more, the highest score
        decides, on a tie the first.
    training_errors_ : int
        Training rows with y_i (w·x_i + b) <= 0; of more than two classes, rows whose class does
        not have the highest score alone.
    candidate_errors_ : array of shape (k,)
        The same for each draw.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt import RandomLinearClassifier
    >>> X, y = np.array([[3, 3], [4, 3], [1, 1]]), [1, 1, -1]
    >>> RandomLinearClassifier(random_state=0).fit(X, y).training_errors_
    0
    """

    _rule: LinearRule
    training_errors_: int
    candidate_errors_: NDArray[np.int64]

    def __init__(self, k: int = 100, *, fit_intercept: bool = True, random_state: Any = None):
        self.k = k
        self.fit_intercept = fit_intercept
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Draw k hyperplanes and keep the best on rows X with labels y.

        Ctrl-C leaves the estimator fitted with the best so far, then raises KeyboardInterrupt.
        """
        with changing(self) as watch:
            parameters.whole("k", self.k)
            parameters.flag("fit_intercept", self.fit_intercept)
            X = rows.checked_rows(self, X, reset=True)
            examples, classes = targets.examples(X, y, sample_weight, None)
            self._draw(examples, watch)
            self.classes_ = classes
        return self

    def _draw(self, examples: Examples, watch: Watch) -> None:
        random, shape = check_random_state(self.random_state), examples.shape_of_weights
        ones = (-1, *(1 for _ in shape))
        errors: list[NDArray[np.int64]] = []
        fewest = np.inf
        for begin in range(0, self.k, _TOGETHER):
            planes = random.standard_normal((min(_TOGETHER, self.k - begin), *shape))
            planes[..., -1] *= self.fit_intercept
            planes /= np.linalg.norm(planes.reshape(len(planes), -1), axis=1).reshape(ones)
            try:
                # The first are judged whatever happens: there must be a best one.
                with interrupted_by(watch.check_interrupt if begin else None):
                    check_interrupt()
                    plain, weighted = examples.count(list(planes))
            except Interrupted:
                break
            errors.append(plain)
            best = int(np.argmin(weighted))
            if begin == 0 or weighted[best] < fewest:
                fewest = weighted[best]
                self._rule = LinearRule(planes[best].copy(), 1.0)
                self.training_errors_ = int(plain[best])
        self.candidate_errors_ = np.concatenate(errors)
