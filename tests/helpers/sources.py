"""What the tests of streams share: tables in files, and stored rows put together again."""

import numpy as np
import pandas as pd
from scipy import sparse

from rosenblatt._core.rows import Csr
from rosenblatt._validation import targets


def frame(n=523, seed=0, gaps=False):
    """Numbers, few and many words, booleans and whole numbers; two labels that depend on them."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "height": rng.normal(170, 10, n),
            "count": rng.integers(0, 9, n),
            "town": rng.choice(["Bern", "Genf", "Zug"], n),
            "old": rng.choice([True, False], n),
            "tiny": rng.normal(size=n) * 1e-30,
            "label": rng.choice(["no", "yes"], n, p=[0.3, 0.7]),
        }
    )
    if gaps:
        table.loc[rng.choice(n, n // 9, replace=False), "height"] = np.nan
        table.loc[rng.choice(n, n // 9, replace=False), "town"] = None
    return table


def together(rows):
    """All rows and signs of the blocks, below each other, and checked to be what kernels take."""
    parts, signs = [], []
    for b in range(rows.n_blocks):
        rows.expect(b)
        X, y = rows.block(b)
        arrays = [X.data, X.indices, X.indptr] if isinstance(X, Csr) else [X]
        assert all(a.flags.c_contiguous and not a.flags.writeable for a in [*arrays, y])
        assert arrays[0].dtype == rows.dtype
        assert y.dtype == np.int8
        assert isinstance(X, Csr) == rows.sparse
        if rows.sparse:
            assert X.indices.dtype == X.indptr.dtype
            assert X.indptr[0] == 0
            X = sparse.csr_array((X.data, X.indices, X.indptr), shape=X.shape)
        parts.append(X)
        signs.append(y)
    y = np.concatenate(signs)
    assert rows.counts == ((y < 0).sum(), (y > 0).sum())
    return (sparse.vstack(parts, "csr") if rows.sparse else np.concatenate(parts)), y


def same(rows, X, y):
    """Are these the rows and labels, to the bit?"""
    found, signs = together(rows)
    classes = targets.classes_of(targets.labels(y, len(y)))
    assert (rows.n, rows.d) == X.shape
    assert (rows.classes.dtype, rows.classes.tolist()) == (classes.dtype, classes.tolist())
    assert (rows.classes[(signs > 0).astype(int)] == y).all()
    if sparse.issparse(X):
        assert found.data.tobytes() == X.data.tobytes()
        assert found.indices.tolist() == X.indices.tolist()
        assert found.indptr.tolist() == X.indptr.tolist()
    else:
        assert (found.dtype, found.tobytes()) == (X.dtype, X.tobytes())
    whole, all_signs = rows.whole()
    assert all_signs.tobytes() == signs.tobytes()
    numbers = whole.data if rows.sparse else whole
    assert numbers.tobytes() == (found.data if rows.sparse else found).tobytes()
    return True
