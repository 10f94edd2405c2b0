"""However rows are stored, unaligned, dense or sparse, they give the same."""

import numpy as np
import pytest
from scipy import sparse

from common import X_VAL, Y_VAL, X, Y, everything, may_not_converge
from rosenblatt import KernelPerceptron, Perceptron, RandomLinearClassifier, certify, train
from rosenblatt._core.backend import compute
from rosenblatt._core.rows import squares_alike

KERNELS = ["rbf", "poly", "sigmoid", "linear"]


def unaligned(array):
    """The same numbers, a byte further on than they should be."""
    array = np.ascontiguousarray(array)
    content = np.frombuffer(bytearray(b"." + array.tobytes()), dtype=np.uint8)
    moved = content[1:].view(array.dtype).reshape(array.shape)
    assert not moved.flags.aligned
    return moved


def unaligned_csr(array, index=np.int32):
    found = sparse.csr_matrix(array)
    found.data = unaligned(found.data)
    found.indices = unaligned(found.indices.astype(index))
    found.indptr = unaligned(found.indptr.astype(index))
    return found


class Careful:
    """The backend; every array that it is given lies where the processor expects it."""

    def __init__(self):
        self.backend = compute.backend

    def __getattr__(self, name):
        found = getattr(self.backend, name)

        def call(*given):
            for argument in given:
                for array in argument if isinstance(argument, tuple) else (argument,):
                    assert not isinstance(array, np.ndarray) or array.flags.aligned, name
            return found(*given)

        return call if callable(found) else found


@pytest.fixture
def careful(with_core):
    with_core(Careful())


FORMS = {
    "float64": unaligned,
    "float32": lambda array: unaligned(array.astype(np.float32)),
    "csr": unaligned_csr,
    "csr int64": lambda array: unaligned_csr(array, np.int64),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.usefixtures("careful")
def test_unaligned_rows_are_copied(form):
    make = FORMS[form]
    choices = {"random_state": 0, "max_iter": 3, "patience": None}
    p = Perceptron(**choices).fit(
        make(X), Y, X_val=make(X_VAL), y_val=Y_VAL, coef_init=unaligned(np.ones(3))
    )
    p.predict(make(X))
    p.decision_function(make(X[:1]))
    p.partial_fit(make(X), unaligned(Y), sample_weight=unaligned(np.ones(len(Y))))
    k = KernelPerceptron(**choices).fit(make(X), Y, dual_coef_init=unaligned(np.ones(len(Y))))
    k.predict(make(X))
    RandomLinearClassifier(k=3, random_state=0).fit(make(X), Y).predict(make(X))
    certify(make(X), Y)


@pytest.mark.usefixtures("careful")
def test_a_large_unaligned_array_and_an_unaligned_gram_matrix(rng):
    large = rng.normal(size=(40_000, 4))
    Perceptron(max_iter=1, keep="average").fit(unaligned(large), large[:, 0] > 0)
    gram = X @ X.T
    k = KernelPerceptron(kernel="precomputed", max_iter=2, keep="best", random_state=0)
    k.fit(unaligned(gram), Y).predict(unaligned(gram))
    train(Perceptron(max_iter=2, order="blocks"), lambda: iter([(unaligned(X), Y)]))


def test_unaligned_rows_give_the_same_bits():
    for form, plain in (("float64", X), ("csr", sparse.csr_matrix(X))):
        one, other = (Perceptron(random_state=0) for _ in range(2))
        assert everything(one.fit(FORMS[form](X), Y)) == everything(other.fit(plain, Y))


def zeros(rng, n=80, d=6, dtype=np.float64):
    rows = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.6)
    return rows.astype(dtype), np.where(rng.random(n) < 0.5, -1, 1)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("kernel", KERNELS)
@may_not_converge
def test_a_kernel_goes_on_across_dense_and_sparse_rows(kernel, dtype, rng):
    rows, labels = zeros(rng, dtype=dtype)
    kept = sparse.csr_matrix(rows)
    choices = {"kernel": kernel, "random_state": 0, "patience": None, "keep": "last"}
    whole = KernelPerceptron(max_iter=6, **choices).fit(rows, labels)
    for first, second in ((rows, kept), (kept, rows), (kept, kept)):
        p = KernelPerceptron(max_iter=3, warm_start=True, **choices)
        p.fit(first, labels).fit(second, labels)
        assert (p.n_iter_, p.n_updates_) == (whole.n_iter_, whole.n_updates_)
        assert p.dual_coef_.tobytes() == whole.dual_coef_.tobytes()
        assert p.gamma == "scale"


@pytest.mark.parametrize(("n", "d"), [(1, 700), (3, 40_000), (300, 1), (50, 37), (2, 2)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_squares_are_the_same_bits(n, d, dtype, rng):
    rows, _ = zeros(rng, n, d, dtype)
    one, other = squares_alike(rows), squares_alike(sparse.csr_matrix(rows))
    assert one.tobytes() == other.tobytes()
    np.testing.assert_allclose(one, np.square(rows, dtype=np.float64).sum(axis=1), rtol=1e-12)


@may_not_converge
def test_a_checkpoint_goes_on_across_dense_and_sparse_rows(tmp_path, rng):
    rows, labels = zeros(rng)
    choices = {"random_state": 0, "patience": None, "keep": "last"}
    whole = Perceptron(max_iter=6, **choices).fit(rows, labels)
    forms = (rows, sparse.csr_matrix(rows), rows, sparse.csr_array(rows))
    for epochs, form in zip((1, 3, 5, 6), forms, strict=True):
        p = Perceptron(max_iter=epochs, **choices)
        train(p, (form, labels), checkpoint=tmp_path / "c")
        assert p.n_iter_ == epochs
    assert everything(p, rows) == everything(whole, rows)
