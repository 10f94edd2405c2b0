"""What the kernels decide, by their twin in NumPy: the same updates as visiting row after row."""

import itertools
import re
from importlib.resources import files

import numpy as np
import pytest

import gpu_twin
from rosenblatt._core import reference
from rosenblatt._core.gpu import backend
from rosenblatt._core.gpu.rows import (
    _AHEAD,
    _RING,
    _STATIC,
    AT_FIRST,
    AT_ONCE,
    BLOCK,
    Regime,
    bounds,
    layout_of,
    ratio_of,
)
from rosenblatt._core.protocol import LabelledRows, LearnerArrays, UpdateRule


def case(rng, n, d, *, kind):
    """Rows, labels, weights of rows, margin and intercept."""
    X = rng.standard_normal((n, d)).astype(rng.choice(["f4", "f8"]))
    u = rng.standard_normal(d)
    if kind == "whole":  # many rows lie on the hyperplane exactly, and many are equal
        X = rng.integers(-2, 3, (n, d)).astype("f4")
    if kind == "scales":
        X = (X * 10.0 ** rng.integers(-4, 5)).astype("f8")
    if kind == "near":  # within some ulps of a hyperplane that training comes by
        X[:, 0] = np.nextafter(-X[:, 1:].sum(axis=1), rng.choice([-9.0, 9.0]))
    y = np.where(X @ u >= 0, 1, -1) * np.where(rng.random(n) < 0.1, -1, 1)
    c = None if rng.integers(2) else rng.choice([0.5, 1.0, 3.7], n)
    return X, y.astype(np.int8), c, float(rng.choice([0.0, 0.01, 2.0])), bool(rng.integers(2))


def by_reference(X, y, c, margin, intercept, w):
    counts = np.zeros(len(X), dtype=np.int64)
    examples = LabelledRows(reference.dense(X), y, c)
    rule, learner = UpdateRule("perceptron", margin, intercept), LearnerArrays(w, None, counts)
    _, updates = reference.visit(examples, rule, learner, None, 0, len(X), 1 << 62)
    return updates, counts


KINDS = ["gauss", "whole", "scales", "near"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_walk_makes_the_updates_of_row_after_row(rng, heavy, kind):
    doubts = 0
    for _ in range(heavy(100)):
        n, d = int(rng.integers(1, 400)), int(rng.integers(2, 40))
        given = case(rng, n, d, kind=kind)
        start = np.append(rng.standard_normal(d), 0.0) * rng.choice([0, 1, 50])
        w, twin, counts = start.copy(), start.copy(), np.zeros(n, dtype=np.int64)
        updates, expected = by_reference(*given, w)
        walked = gpu_twin.walk(*given, twin, counts)
        assert walked.updates == updates
        assert np.array_equal(w, twin)
        assert np.array_equal(counts, expected)
        assert walked.sharpest <= 1  # the bound holds for every row at every moment
        doubts += walked.exact
    assert doubts or kind != "whole"  # rows on the hyperplane are never decided by float32


def test_without_the_bound_rows_on_the_hyperplane_go_wrong(rng):
    """So that the tests above can fail."""
    wrong = 0
    for _ in range(20):
        given = case(rng, 300, 5, kind="whole")
        X, y, c, _, intercept = given
        X = X / np.float32(3)
        given = X, y, c, 0.0, intercept
        w, twin = np.zeros(6), np.zeros(6)
        by_reference(*given, w)
        gpu_twin.walk(*given, twin, shrink=0.0)
        wrong += not np.array_equal(w, twin)
    assert wrong


@pytest.mark.parametrize("kind", KINDS)
def test_speculation_makes_the_updates_of_row_after_row(rng, heavy, kind):
    for _ in range(heavy(100)):
        n, d = int(rng.integers(1, 400)), int(rng.integers(2, 40))
        given = case(rng, n, d, kind=kind)
        w, twin, counts = np.zeros(d + 1), np.zeros(d + 1), np.zeros(n, dtype=np.int64)
        updates, expected = by_reference(*given, w)
        window = int(rng.integers(1, 50))
        assert gpu_twin.speculate(*given, twin, counts, window) == updates
        assert np.array_equal(w, twin)
        assert np.array_equal(counts, expected)


@pytest.mark.parametrize("n", [1, 2, 3, 17, 300])
def test_all_places_of_a_permutation_are_found_at_once(rng, n):
    for _ in range(10):
        seed, k = int(rng.integers(1 << 62)), int(rng.integers(100))
        expected = np.empty(n, dtype=np.int32)
        reference.arrange(expected, None, seed, k, n)
        assert np.array_equal(gpu_twin.permutation(n, n, seed, k, [0]), expected)


def test_blocks_are_permuted_by_themselves(rng):
    n, size, seed, first = 23, 7, 11, 1 << 32
    rows = rng.permutation(100)[:n].astype(np.int32)
    order = [2, 0, 3, 1]
    places, expected, place = [0] * 4, np.empty(n, dtype=np.int32), 0
    for b in order:
        places[b] = place
        some = rows[b * size : (b + 1) * size]
        reference.arrange(expected[place : place + len(some)], some, seed, first + b, len(some))
        place += len(some)
    found = gpu_twin.permutation(n, size, seed, first, places, rows)
    assert np.array_equal(found, expected)


# --- Which way is taken --------------------------------------------------------------------------


def test_many_mistakes_make_it_walk_and_few_make_it_speculate():
    regime = Regime()
    regime.speculated(rows=100, updates=64, ratio=160)  # the first few never count
    assert not regime.walking
    regime.speculated(rows=10_000, updates=200, ratio=160)
    assert regime.walking
    assert regime.steps == AT_FIRST
    regime.walked(rows=AT_FIRST, updates=200, ratio=160)  # one row in 82
    assert regime.walking
    assert regime.steps == 4 * AT_FIRST
    regime.walked(rows=100_000, updates=300, ratio=160)
    assert not regime.walking


def test_long_rows_speculate_longer():
    assert ratio_of(1) == ratio_of(128) == 160
    assert ratio_of(1000) < ratio_of(200) < 160
    assert ratio_of(10**6) == 80


@pytest.mark.parametrize(
    "change",
    [
        {"longest": 1e25},
        {"longest": 1e-13, "intercept": False},
        {"longest": np.inf},
        {"longest": np.nan},
        {"heaviest": 1e10},
        {"heaviest": 1e-10},
        {"w_length": 1e31},
        {"w_length": np.nan},
        {"longest": 1e23, "w_length": 1e29},
    ],
)
def test_numbers_that_float32_cannot_hold_are_never_walked(change):
    usual = {"longest": 9.0, "heaviest": 1.0, "intercept": True, "w_length": 5.0, "rows": 9, "d": 3}
    assert bounds(**usual) is not None
    assert bounds(**{**usual, **change}) is None


def test_the_bound_is_the_one_of_the_comment():
    found = bounds(longest=3.0, heaviest=2.0, intercept=True, w_length=5.0, rows=10, d=16)
    reach = 5 + 10 * 2 * 2  # the length of x and 1 is 2
    assert found.size == pytest.approx(2 * 4, rel=1e-3)
    assert found.radius == pytest.approx(2, rel=1e-3)
    assert found.error == pytest.approx((2 + 64 + 2 * 96) * 2.0**-52 * 2 * reach, rel=0.03)
    assert found.error >= (2 + 64 + 2 * 96) * 2.0**-52 * 2 * reach


def test_python_and_the_kernels_mean_the_same_numbers():
    folder = files("rosenblatt._core.gpu") / "kernels"
    text = "".join(f.read_text(encoding="utf-8") for f in folder.iterdir())

    def constant(name):
        return int(re.search(rf"constexpr int {name} = (\d+);", text)[1])

    assert constant("W") == BLOCK
    assert constant("RING") == _RING
    assert constant("AHEAD") == _AHEAD
    assert constant("KEEPERS") == backend._WALKERS
    assert AT_ONCE < 1 << 20


@pytest.mark.parametrize(
    ("shared_memory", "processors", "slice_bytes"), [(232448, 132, 512), (166912, 108, 256)]
)
def test_the_walk_fits_into_the_memory_of_an_h200_and_an_a100(
    shared_memory, processors, slice_bytes
):
    found = layout_of(1000, 4, shared_memory, processors)
    assert found.slice_bytes == slice_bytes
    assert found.slices * slice_bytes >= 1001 * 4
    assert found.shared + _STATIC <= shared_memory
    assert found.slices + 1 <= processors


def test_pieces_are_all_rows_and_the_first_is_small():
    found = layout_of(100, 4, 232448, 132)
    pieces = list(found.pieces(100_000))
    assert pieces[0] == (0, 64 * 96)
    assert all(a + n == b for (a, n), (b, _) in itertools.pairwise(pieces))
    assert sum(n for _, n in pieces) == 100_000
    assert max(n for _, n in pieces) <= found.blocks * 96


def test_a_small_gpu_does_not_walk():
    assert layout_of(100, 4, 101376, 46) is None
    assert layout_of(100_000, 4, 232448, 132) is None  # too many slices
