"""What a fitted Perceptron of scikit-learn has besides. Abstract: not an estimator."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn import get_config
from sklearn.utils.validation import check_is_fitted

from rosenblatt._estimators.linear import LinearClassifier


class AsScikitLearn(LinearClassifier):
    """`t_`, `sparsify` and `densify`, with the meaning they have there."""

    _of_classes: tuple[Any, ...] | None
    _sparse: Any = None  # the rule whose weights are shown sparse

    @property
    def t_(self) -> int:
        """One more than the visits made; multi_class="ovr": those of the longest training."""
        if "_rule" not in vars(self):
            raise AttributeError(f"{type(self).__name__} has no t_ before it is fitted")
        trained: tuple[Any, ...] = self._of_classes or (self,)
        return 1 + max(int(one._state.visits) for one in trained)

    @property
    def coef_(self) -> NDArray[np.float64]:
        """The weights w, of shape (1, d); of k > 2 classes (k, d). Sparse after `sparsify`."""
        dense = self._one_rule("coef_").coef
        # Another rule was learned since: its weights are dense, as after every fit.
        return _sparse(dense) if self._sparse is self._rule else dense

    def sparsify(self) -> Self:
        """Show `coef_` as a sparse matrix until the next training; what is predicted stays."""
        check_is_fitted(self)
        self._one_rule("coef_")
        self._sparse = self._rule
        return self

    def densify(self) -> Self:
        """Show `coef_` as an array again."""
        check_is_fitted(self)
        self.__dict__.pop("_sparse", None)
        return self


def _sparse(dense: NDArray[np.float64]) -> Any:
    """Of the kind that scikit-learn is set to (from 1.9 on)."""
    arrays = get_config().get("sparse_interface") == "sparray"
    return sparse.csr_array(dense) if arrays else sparse.csr_matrix(dense)
