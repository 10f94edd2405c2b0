"""One fingerprint of rows: as documented, however rows are stored, whoever shows it."""

import hashlib
import json
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from rosenblatt import Perceptron, certify, model_file, save, trace, train, verify
from rosenblatt._core import fingerprint
from rosenblatt._core.rows import Csr, Examples
from rosenblatt._out_of_core.cache import stored


def literal(X, signs):
    """docs/definitions.md, word by word."""
    whole = struct.pack("<2Q", len(X), len(X[0]))
    for first in range(0, len(X), 65536):
        some = signs[first : first + 65536]
        block = struct.pack("<2Q", 1, len(some)) + b"".join(struct.pack("b", v) for v in some)
        for begin in range(first, min(first + 65536, len(X)), 1024):
            values = [v if v else 0.0 for x in X[begin : begin + 1024] for v in x]
            there = [k for k, v in enumerate(values) if v]
            if 2 * len(there) < len(values):
                block += struct.pack("<2Q", 16, len(there))
                block += b"".join(struct.pack("<Q", k) for k in there)
                values = [values[k] for k in there]
            else:
                block += struct.pack("<2Q", 8, len(values))
            block += b"".join(struct.pack("<d", v) for v in values)
        whole += hashlib.sha256(block).digest()
    return hashlib.sha256(whole).hexdigest()


def by_the_verifier(X, signs):
    X = X.astype("<f8")
    strips = lambda begin, end: verify.strip(X[begin:end].tobytes())  # noqa: E731
    return verify.fingerprint(strips, signs.tolist(), X.shape[1])


def csr(X, index=np.int32):
    found = sparse.csr_matrix(X)
    return Csr(found.data, found.indices.astype(index), found.indptr.astype(index), X.shape)


def with_stored_zeros(X):
    n, d = X.shape
    indptr = np.arange(0, n * d + 1, d)
    return Csr(X.ravel(), np.tile(np.arange(d), n), indptr, X.shape)


def every_form(X):
    """X, whose numbers are exact in float32, as it may be stored."""
    single, double = X.astype(np.float32), X.astype(np.float64)
    for rows in (single, double):
        yield from (rows, csr(rows), csr(rows, np.int64), with_stored_zeros(rows))


def random_rows(rng, n, d, share):
    X = rng.integers(-9, 10, size=(n, d)) * (rng.random((n, d)) < share) / 4
    X[rng.random((n, d)) < 0.1] = -0.0
    return X, rng.choice([-1, 0, 1], n).astype(np.int8)


@given(
    st.integers(1, 12),
    st.integers(1, 5),
    st.sampled_from([0.0, 0.3, 0.5, 0.7, 1.0]),
    st.integers(0, 2**32 - 1),
)
def test_it_is_what_the_documentation_says(n, d, share, seed):
    X, signs = random_rows(np.random.default_rng(seed), n, d, share)
    expected = literal(X.tolist(), signs.tolist())
    assert {fingerprint.of_matrix(rows, signs) for rows in every_form(X)} == {expected}
    assert by_the_verifier(X, signs) == expected


@pytest.mark.parametrize("n", [1023, 1024, 1025, 65535, 65536, 65537, 2 * 65536 + 1500])
def test_strips_and_blocks_end_where_they_should(n, rng):
    share = rng.choice([0.2, 0.9], size=-(-n // 1024))  # by strip: both forms
    X, signs = random_rows(rng, n, 2, 1.0)
    X *= rng.random((n, 2)) < np.repeat(share, 1024)[:n, None]
    expected = literal(X.tolist(), signs.tolist())
    assert {fingerprint.of_matrix(rows, signs) for rows in every_form(X)} == {expected}
    assert by_the_verifier(X, signs) == expected


def test_it_can_be_made_in_parts(rng):
    n = 3 * 65536 - 7
    X, signs = random_rows(rng, n, 3, 0.6)
    parts = [slice(begin, begin + 65536) for begin in range(0, n, 65536)]
    hashes = [fingerprint.of_block(csr(X[part]), signs[part]) for part in reversed(parts)]
    whole = hashlib.sha256(struct.pack("<2Q", n, 3) + b"".join(reversed(hashes)))
    assert whole.hexdigest() == fingerprint.of_matrix(X, signs)


def test_wide_rows_are_made_ready_in_pieces(rng):
    X, signs = random_rows(rng, 3, 200_000, 0.8)
    assert fingerprint.of_matrix(X, signs) == literal(X.tolist(), signs.tolist())


def test_whatever_differs_it_is_another():
    X, signs = np.array([[1.0, 0.0], [2.0, 3.0], [0.0, 4.0]]), np.array([1, -1, 1], dtype=np.int8)
    next_one = X.copy()
    next_one[1, 1] = np.nextafter(3, 4)
    others = [
        (X, signs),
        (next_one, signs),
        (X, -signs),
        (X, signs * [1, 0, 1]),
        (X[::-1], signs[::-1]),
        (X[:, ::-1], signs),
        (X[:2], signs[:2]),
        (np.hstack([X, np.zeros((3, 1))]), signs),
        (X.reshape(2, 3), signs[:2]),
    ]
    found = [fingerprint.of_matrix(np.ascontiguousarray(rows), np.int8(y)) for rows, y in others]
    assert len(set(found)) == len(others)


def test_places_are_not_taken_for_numbers():
    """Two tables whose places and numbers are the same bytes in the same order: of one 511 places,
    511 numbers; 3 places, 3 numbers; of the other 1,024 numbers; 2 places, 2 numbers."""
    tiny = np.arange(1, 512, dtype=np.uint64).view(np.float64)  # the bits of 1, 2, 3, …
    one, other = np.zeros((2, 2048, 1))
    one[1:512, 0] = 1.0
    one[1025:1028, 0] = tiny[8], 2.0, 3.0
    other[:1024, 0] = [*tiny, *np.ones(511), tiny[0], tiny[1]]
    other[[1027, 1033], 0] = 2.0, 3.0

    def untagged(x):
        first, second = (np.flatnonzero(half) for half in (x[:1024], x[1024:]))
        parts = [first, x[first, 0]] if len(first) < 512 else [x[:1024, 0]]
        return b"".join(part.tobytes() for part in [*parts, second, x[1024 + second, 0]])

    assert untagged(one) == untagged(other)
    signs = np.ones(2048, dtype=np.int8)
    assert fingerprint.of_matrix(one, signs) != fingerprint.of_matrix(other, signs)
    assert fingerprint.of_matrix(csr(one), signs) == fingerprint.of_matrix(one, signs)
    for x in (one, other):
        expected = literal(x.tolist(), signs.tolist())
        assert fingerprint.of_matrix(x, signs) == expected
        assert by_the_verifier(x, signs) == expected


def test_signs_are_not_taken_for_numbers_of_classes():
    """The signs of two classes beside the numbers of many: of as many bytes an item."""
    X = np.ones((4, 1))
    signs = np.array([1, 0, 0, 0], dtype=np.int8)
    found = fingerprint.of_block(X, signs)
    assert found != fingerprint.of_block(X[:1], signs.view(np.int32))
    assert found != fingerprint.of_block(X, signs.astype(np.int32))


def test_a_row_of_weight_0_has_no_label_and_weights_have_a_hash_of_their_own():
    X, y, c = np.eye(3), np.array([1, -1, 1], dtype=np.int8), np.array([2.0, 0.5, 0.0])
    weighted = Examples(X, y, c)
    assert fingerprint.of_examples(weighted) == literal(np.eye(3).tolist(), [1, -1, 0])
    content = hashlib.sha256(struct.pack("<3d", *c)).digest()
    assert fingerprint.of_weights_of(weighted) == hashlib.sha256(content).hexdigest()
    assert fingerprint.of_weights_of(Examples(X, y)) is None


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_model_certificate_checkpoint_trace_and_cache_show_the_same(form, tmp_path):
    X = np.array([[3.0, 3.0, 0.0], [4.0, 3.0, -0.0], [1.0, 1.0, 0.0]], dtype=np.float32)
    y = np.array(["yes", "yes", "no"])
    expected = literal(X.tolist(), [1, 1, -1])
    rows = form(X)
    shown = [certify(rows, y).sha256]
    p = Perceptron(order="cyclic", warm_start=True).fit(rows, y)
    save(p, tmp_path / "model.json")
    shown.append(model_file.read(tmp_path / "model.json").about["data_fingerprint"])
    q = Perceptron(order="cyclic", patience=1)
    train(q, (rows, y), checkpoint=tmp_path / "c.json")
    shown.append(json.loads((tmp_path / "c.json").read_text())["made_with"]["data"])
    train(q, lambda: [(rows, y)], checkpoint=tmp_path / "s.json", cache=tmp_path / "cache")
    shown.append(json.loads((tmp_path / "s.json").read_text())["made_with"]["data"])
    shown.append(json.loads(trace(Perceptron(), rows, y).to_json())["data_fingerprint"])
    with stored(lambda: [(rows[:2], y[:2]), (rows[2:], y[2:])], folder=tmp_path) as kept:
        shown.append(kept.fingerprint)
    save(Perceptron.from_certificate(certify(rows, y)), tmp_path / "model.json")
    shown.append(model_file.read(tmp_path / "model.json").about["data_fingerprint"])
    assert shown == [expected] * 7


def test_a_trace_without_all_rows_remembers_it():
    from rosenblatt import Trace

    X, y = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]]), [1, 1, -1]
    some = trace(Perceptron(order="cyclic"), X, y).to_json(all_rows=False)
    again = json.loads(Trace.from_json(some).to_json())
    assert again["data_fingerprint"] == literal(X.tolist(), y)
