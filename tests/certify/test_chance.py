"""Overlap up to chance: a verdict and an exit code of its own, exact sums, and false claims."""

import json
import math
from fractions import Fraction
from unittest import mock

import numpy as np
import pytest

from certificates import accepted, accepted_in_bulk
from rosenblatt import Certificate, certify, verify
from rosenblatt._certify import chance, wide
from rosenblatt._certify.exact_product import combinations
from rosenblatt._certify.rows import Rows
from rosenblatt._util.budget import Budget

CHANCE = "overlap up to chance"


def as_wide(X, y, **asked):
    with mock.patch.object(wide, "is_wide", return_value=True):
        return certify(X, y, **asked)


def noise(n=120, d=12, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)), rng.integers(0, 2, n)


@pytest.fixture(scope="module")
def claim():
    return json.loads(json.dumps(as_wide(*noise()).to_dict()))


def signs(y):
    return np.where(y, 1, -1).tolist()


@pytest.mark.parametrize("intercept", [True, False])
def test_noise_overlaps_up_to_chance(intercept):
    X, y = noise()
    scales = 2.0 ** np.random.default_rng(1).integers(-30, 30, 12)
    for table in (X.astype(np.float32), X * scales, X + 5, np.maximum(X, 0)):
        found = as_wide(table, y, fit_intercept=intercept)
        assert (found.verdict, found.separable) == (CHANCE, None)
        assert (found.conflict, found.separated_rows, found.limits) == (None, None, [])
        assert found.coefficient_signs.keys() >= {"x0", "x11"}
        found.verify(table, y)
        assert certify(table, y, fit_intercept=intercept).verdict == "overlap"


def test_with_a_known_conflict_it_is_not_separable_and_that_is_proved():
    X, y = noise()
    X[1], y[0], y[1] = X[0], 0, 1
    found = as_wide(X, y)
    assert (found.verdict, found.separable, found.conflict.rows) == (CHANCE, False, [0, 1])


def written(folder, X, y):
    lines = [",".join(map(repr, [*x, v])) for x, v in zip(X.tolist(), y.tolist(), strict=True)]
    names = [*(f"x{j}" for j in range(X.shape[1])), "y"]
    (folder / "t.csv").write_text("\n".join([",".join(names), *lines]))
    return folder / "t.csv"


def test_it_is_accepted_with_a_status_of_its_own(tmp_path, claim, capfd):
    X, y = noise()
    Certificate.from_dict(claim).save(tmp_path / "c.json")
    table = written(tmp_path, X, y)
    assert verify.main([str(tmp_path / "c.json"), str(table)]) == 13
    said = capfd.readouterr().out
    assert "proved" not in said
    assert "2^-128" in said


def test_the_shell_has_the_same_status(tmp_path, shell, monkeypatch):
    monkeypatch.setattr(wide, "is_wide", lambda rows: True)
    X, y = noise()
    table = written(tmp_path, X, y)
    asked = ("certify", table, "--target", "y", "-o", tmp_path / "c.json")
    code, out, _ = shell(*asked, "--exit-code")
    assert (code, out.startswith("Overlap up to chance")) == (13, True)
    code, out, _ = shell("verify", tmp_path / "c.json", table)
    assert (code, "proved" in out.replace("not proved", "")) == (13, False)


# --- False claims ---------------------------------------------------------------------------------


def changed(claim, **parts):
    return claim | {"chance": claim["chance"] | parts}


def spoiled(claim):
    part = claim["chance"]
    rows, weights, vectors = part["rows"], part["weights"], part["vectors"]
    yield changed(claim, weights=[*weights[:-1], hex(int(weights[-1], 16) + 1)])  # other vectors
    yield changed(claim, weights=weights[:-1], rows=rows[:-1])
    yield changed(claim, weights=["0x0", *weights[1:]])
    yield changed(claim, weights=["-" + weights[0], *weights[1:]])
    yield changed(claim, rows=[rows[1], rows[0], *rows[2:]])
    yield changed(claim, rows=[rows[0], rows[0], *rows[2:]])
    yield changed(claim, vectors=vectors[:3])
    yield changed(claim, vectors=[vectors[0]] * 4)
    yield changed(claim, vectors=[vectors[1], vectors[0], *vectors[2:]])
    yield changed(claim, vectors=[[*vectors[0][:-1], "0x0"], *vectors[1:]])
    yield changed(claim, vectors=[vectors[0][:-1], *vectors[1:]])
    yield changed(claim, vectors=[[*vectors[0][:-1], "0x1/0x2"], *vectors[1:]])
    yield changed(claim, bits=part["bits"] + 1)
    yield changed(claim, bits=0)
    yield claim | {"verdict": "overlap"}
    yield claim | {"separable": False}


def test_another_one_is_rejected(claim):
    X, y = noise()
    assert accepted(claim, X.tolist(), signs(y))
    assert accepted_in_bulk(claim, X.tolist(), signs(y))
    for k, other in enumerate(spoiled(claim)):
        assert not accepted(other, X.tolist(), signs(y)), k
        assert not accepted_in_bulk(other, X.tolist(), signs(y)), k


def most_products_as_small(claim, X, y, vectors):
    """max 2t + 1 over the vectors, by the definition, in fractions: docs/certificate.md."""
    part, below = claim["chance"], 2 ** claim["chance"]["bits"]
    columns = [[*map(Fraction, column)] for column in [*X.T.tolist(), [1.0] * len(X)]]
    powers = [Fraction(2) ** math.frexp(max(map(abs, column)))[1] for column in columns]
    powers[-1] = Fraction(1)  # of the intercept
    even = [[v / power for v in column] for column, power in zip(columns, powers, strict=True)]
    own, u = part["rows"], [int(w, 16) for w in part["weights"]]

    def blend(shares):
        return [
            sum(v * y[i] * column[i] for i, v in zip(own, shares, strict=True)) for column in even
        ]

    r, out = sum(map(abs, blend(u))), []
    for k, z in enumerate(vectors):
        g = verify.random_vector(claim, part, k, len(columns))
        off = sum(abs(a - b / below) for a, b in zip(g, blend(z), strict=True))
        share = max(Fraction(abs(v), w) for v, w in zip(z, u, strict=True))
        out.append(2 * (r * share / below + off) + 1)
    return max(out)


def test_so_many_of_the_random_numbers_may_be_as_small_and_no_more(claim):
    # Of 2^52 numbers 2^20 or fewer: a chance of 2^-32. One share grows until there are so many.
    X, y = noise()
    sides, most = signs(y), 2**20
    vectors = [[int(v, 16) for v in z] for z in claim["chance"]["vectors"]]

    def moved(k):
        return [[vectors[0][0] + k, *vectors[0][1:]], *vectors[1:]]

    def within(k):
        return most_products_as_small(claim, X, sides, moved(k)) <= most

    low, high = 0, 2**60
    assert within(low)
    assert not within(high)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if within(middle) else (low, middle)
    assert most_products_as_small(claim, X, sides, moved(low)) > most * (1 - 2.0**-30)
    for k, good in ((low, True), (high, False)):
        other = changed(claim, vectors=[[*map(hex, z)] for z in moved(k)])
        assert accepted(other, X.tolist(), sides) is good
        assert accepted_in_bulk(other, X.tolist(), sides) is good


@pytest.mark.parametrize("power", [0, 10, 20, 30])
def test_what_is_quasi_complete_is_not_claimed(power):
    # A column that is 0 but in one row, however small: its weight has this row strictly right.
    X, y = noise()
    column = np.zeros(len(X))
    column[3] = 2.0**-power
    found = as_wide(np.c_[X, column], y, work_limit=10**7)
    assert found.verdict != CHANCE
    # Not even where the verifier is told so by the same guesses.
    guess = lambda blend: np.maximum(blend, 0.1 * blend.max())  # noqa: E731
    rows = Rows(np.c_[X, column], np.array(signs(y), dtype=np.int8), intercept=True, decimal=False,
                budget=Budget())  # fmt: skip
    view, fitted = wide._squared_hinge(rows)
    fitted = type(fitted)(fitted.direction, guess(fitted.blend), fitted.scores)
    about = certify(np.c_[X, column], y).to_dict()
    made = chance.overlap(rows, view, fitted, rows.names(None), about)
    if made is not None:
        kept = {k: v for k, v in about.items() if k in verify.FORMS["always"]}
        claim = kept | {"verdict": CHANCE, "separable": None, "chance": made.document()}
        assert not accepted(claim, np.c_[X, column].tolist(), signs(y))


def test_sums_of_floats_are_exact(rng):
    x = np.ldexp(rng.standard_normal((5, 300)), rng.integers(-90, 90, (5, 300)))
    several = [(rng.integers(-99, 99, 300).astype(object) << 70).tolist() for _ in "ab"]
    for row, sums in zip(x.tolist(), combinations(x, several), strict=True):
        exact = [sum(verify.Fraction(v) * u for v, u in zip(row, w, strict=True)) for w in several]
        assert sums == exact
    x[0, 0] = 2.0**-1000  # beyond what is cut into limbs
    assert combinations(x, several)[1] == sums or len(combinations(x, several)) == 5


def test_random_vectors_are_a_function_of_data_and_weights(claim):
    part = claim["chance"]
    one = verify.random_vector(claim, part, 0, 13)
    assert len(one) == 13
    assert all(-(2**51) <= v < 2**51 for v in one)
    assert one != verify.random_vector(claim, part, 1, 13)
    assert one != verify.random_vector(claim | {"sha256": "0" * 64}, part, 0, 13)
    other = part | {"weights": [*part["weights"][:-1], "0x1"]}
    assert one != verify.random_vector(claim, other, 0, 13)
    assert one[:5] == verify.random_vector(claim, part, 0, 5)
