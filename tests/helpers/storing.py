"""The same rows dense and sparse, as a backend takes them."""

import numpy as np
from scipy import sparse


def store(X, storage):
    if storage == "dense":
        return X
    index_type = np.int32 if storage == "csr32" else np.int64
    S = sparse.csr_matrix(X)
    S.indices, S.indptr = S.indices.astype(index_type), S.indptr.astype(index_type)
    return S


def rows_of(core, X, storage):
    S = store(X, storage)
    if storage == "dense":
        return core.dense(S)
    return core.csr(S.data, S.indices, S.indptr, S.shape[1])
