"""The bounds of PassiveAggressive and AROW: by hand, and along runs that are followed literally."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from raising import raises
from rosenblatt.errors import InputError
from rosenblatt.theory import arow_bound, passive_aggressive_bound
from rounded import Rounded


def test_by_hand():
    # u = (1/2) through the origin: margins 1/2 and 3/2, so ℓ = 1/2 and 0; q = 1 and 9.
    X, y = [[1.0], [-3.0]], [1, -1]
    # II, C = 2: (9 + 1/4) (1/4 + 2·2·1/4) = 37/4 · 5/4 = 185/16, and 11 whole mistakes.
    found = passive_aggressive_bound(X, y, [0.5], C=2.0)
    assert found.factor * found.total == Fraction(185, 16)
    assert (found.mistakes, int(found)) == (11, 11)
    # I: max(9, 1/2) (1/4 + 2·2·1/2) = 9 · 9/4; in three epochs the losses come three times.
    assert passive_aggressive_bound(X, y, [0.5], C=2.0, loss="hinge").mistakes == 20
    assert passive_aggressive_bound(X, y, [0.5], C=2.0, loss="hinge", epochs=3).mistakes == 56
    # With weight 1/4 the first row is to have the margin 1/2, which it has: no loss. C c² is 1/8
    # then, and a row of ‖x‖² = 9 would count for 36: (36 + 4) 1/4.
    found = passive_aggressive_bound(X, y, [0.5], C=2.0, sample_weight=[0.25, 1])
    assert found.mistakes == 10
    assert str(found).startswith("at most 10 mistakes: max (‖x̃‖² + 1/(2C))")


def test_with_an_intercept_rows_are_longer():
    # ‖(1, 1)‖² = 2 and ‖(-3, 1)‖² = 10; u = (1, 1) has margins 2 and 2.
    assert passive_aggressive_bound([[1.0], [-3.0]], [1, -1], [1, 1]).mistakes == 21


@st.composite
def runs(draw):
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    n, d = draw(st.integers(2, 20)), draw(st.integers(1, 5))
    X = rng.normal(size=(n, d)) * draw(st.sampled_from([0.1, 1.0, 10.0]))
    u = rng.normal(size=d + 1) * draw(st.sampled_from([0.1, 1.0, 3.0]))
    y = np.where(X @ u[:d] + u[d] + rng.normal(size=n) * draw(st.sampled_from([0, 2])) > 0, 1, -1)
    y[0], y[-1] = 1, -1
    c = rng.choice([0.2, 1.0, 4.0], n) if draw(st.booleans()) else None
    return X, y, c, u, draw(st.sampled_from([0.05, 1.0, 20.0])), draw(st.integers(1, 4))


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@given(problem=runs())
def test_no_run_of_passive_aggressive_exceeds_its_bound(loss, problem):
    X, y, c, u, C, epochs = problem
    run = Rounded(X, y, kind="PA-I" if loss == "hinge" else "PA-II", number=C, c=c).run(
        "shuffle", epochs
    )
    bound = passive_aggressive_bound(X, y, u, C=C, loss=loss, epochs=epochs, sample_weight=c)
    assert sum(m <= 0 for m in run.margins) <= bound.mistakes
    if loss == "squared_hinge":
        losses = sum((1 - m) ** 2 for m in run.margins if m < 1)
        assert losses <= float(bound.factor * bound.total) * (1 + 1e-9)
    rows = sparse.csr_array(X)
    again = passive_aggressive_bound(rows, y, u, C=C, loss=loss, epochs=epochs, sample_weight=c)
    assert again == bound


@given(problem=runs())
def test_the_inequality_of_arow_holds_along_every_run(problem):
    X, y, c, u, r, epochs = problem
    run = Rounded(X, y, kind="AROW", number=r, c=c).run("cyclic", epochs)
    visits = list(range(len(y))) * len(run.mistakes)
    for star in (u, np.zeros(len(u)), np.array(run.w[0])):
        found = arow_bound(X, y, star, r=r, visits=visits, sample_weight=c)
        assert found.updates == run.updates
        assert found.mistakes == sum(m <= 0 for m in run.margins)
        assert found.holds
        assert found.left > 0


def test_the_left_side_by_hand():
    # x = 2 through the origin, r = 1: m = 0, v = 4, α = 1/5: (4 + 2) / 25. u = 1 has no loss;
    # w = 2/5, and (4/1) (2/5 - 1)² = 36/25.
    found = arow_bound([[2.0]], [1], [1.0], r=1.0)
    assert (found.mistakes, found.updates) == (1, 1)
    assert (found.left, found.right) == pytest.approx((6 / 25, 1 + 36 / 25))


def test_what_is_refused():
    X, y = [[1.0], [-3.0]], [1, -1]
    with raises(InputError):
        arow_bound(X, y, [1.0], r="scale")
    with raises(InputError, option="loss", value="logistic"):
        passive_aggressive_bound(X, y, [1.0], loss="logistic")
