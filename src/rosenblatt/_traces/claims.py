"""The inequalities of the convergence proofs, tested at every step of a run.

In units of η, with z_i = c_i y_i x̃_i, g = min w*·z_i, Z² = max ‖z_i‖², C = max c_i, and M the most
rows of one step (1 unless order="batch"):

    B = M Z² + 2μ C,   αŵ* = B w*/g.

For single rows B is the β² of the theorem. A step with m mistakes has m <= M, so that
‖w'‖² <= ‖w‖² + m² Z² + 2μ m C <= ‖w‖² + m B and ‖w' - αŵ*‖² <= ‖w - αŵ*‖² - m B. An epoch of
several shards counts for a mean of their mistakes (`run.gains`) as so many single rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._support.row_numbers import row_number
from rosenblatt._traces.rounding import TINY, ULP, by_step
from rosenblatt._traces.run import Floats, Run
from rosenblatt._traces.space import Space
from rosenblatt._traces.verdict import (
    HELD,
    VIOLATED,
    Claim,
    Numbers,
    after_each,
    exponents,
    floats,
    real,
    scaled,
    step_of,
    worst,
)
from rosenblatt._traces.walk import Path, Star
from rosenblatt.theory.bounds import bound_from, root


@dataclass(frozen=True)
class Constants:
    """Of the data and w*, exactly."""

    least: Fraction  # g; 0 without w*
    row: int  # that has it
    longest: Fraction  # Z²
    heaviest: Fraction  # C
    margin: Fraction  # μ
    most: int  # M
    ends: tuple[Fraction, Fraction, Fraction] | None  # ‖w*‖², ⟨w_0, w*⟩, ‖w_0‖²

    @property
    def growth(self) -> Fraction:
        """B."""
        return self.most * self.longest + 2 * self.margin * self.heaviest

    @property
    def separated(self) -> bool:
        """w* separates, and has a length; a kernel that is no inner product may give none."""
        return self.ends is not None and self.least > 0 and self.ends[0] > 0 and self.growth > 0

    @property
    def gamma(self) -> float:
        """γ, the homogeneous margin of w*; below 0 where w* has a row on the wrong side."""
        if self.ends is None or self.ends[0] <= 0:
            return 0.0
        return root(self.least**2 / self.ends[0]) * (1 if self.least > 0 else -1)

    @property
    def bound(self) -> int | None:
        """The most updates that there can be."""
        if self.ends is None or not self.separated:
            return None
        return bound_from(self.least, self.growth, *self.ends)


def constants(run: Run, space: Space, star: Star | None, path: Path) -> Constants:
    least, row = (Fraction(0), 0) if star is None else space.least_margin(star)
    return Constants(
        least,
        row,
        space.copies * space.longest(),
        Fraction(float(run.weights.max())),
        Fraction(run.margin),
        1 if run.mixed else int(run.sizes.max(initial=1)),
        None if star is None else space.ends(star, path),
    )


def setting(run: Run, k: Constants, bound: int) -> str:
    """The constants in one line, where a step is one row."""
    if k.ends is None or not run.single:
        return ""
    simple = [("w₀ = 0", k.ends[2] == 0), ("all c_i = 1", run.c is None)]
    star, square = root(k.ends[0]), "" if run.k is None else "2"
    beta = f"β = {'√2 ' if square else ''}R" if k.margin == 0 else f"β² = {square}R² + 2μ/η, β"
    known = [words for words, holds in simple if holds]
    beta = beta if len(known) == 2 else "β"
    known += [f"{beta} = {root(k.growth):.6g}", f"γ = {k.gamma:.6g}", f"‖w*‖ = {star:.6g}"]
    formula = "⌊β²/γ²⌋ = " if k.ends[2] == 0 else ""
    return f"{', '.join(known)}: the bound is {formula}{bound:,}."


def every_margin(run: Run) -> str:
    """Of w*, in words."""
    if run.k is None:
        return "every row has c_i y_i ŵ*·x̃_i"
    return "every row has, for all r ≠ y, c_i (ŵ*_y - ŵ*_r)·x̃_i"


def lemma_1(run: Run, k: Constants, claimed: float | None) -> Claim:
    """Every margin of w* is at least γ > 0."""
    assert k.ends is not None
    found = k.gamma
    gamma = found if claimed is None else claimed
    statement = f"{every_margin(run)} >= γ = {gamma:.6g} > 0"
    reached = claimed is None or k.least**2 >= Fraction(claimed) ** 2 * k.ends[0]
    status = HELD if k.least > 0 and reached else VIOLATED
    detail = f"row {row_number(k.row)} has {found:.6g}"
    return Claim("lemma 1", statement, status, None, found, gamma, detail)


def lengths(longest: Fraction, claimed: Fraction | None, weighted: bool) -> Claim:
    """No row is longer than R. A claim is about the rows themselves, whatever their weights."""
    used = longest if claimed is None else claimed
    status = HELD if longest <= used else VIOLATED
    left, right = (root(max(v, Fraction(0))) for v in (longest, used))
    row = "c_i x̃_i" if weighted and claimed is None else "x̃_i"
    return Claim("length", f"every row has ‖{row}‖ <= {right:.6g}", status, None, left, right)


def lemma_2(run: Run, n: Numbers, margin: Fraction) -> Claim:
    """No update at a margin beyond μ."""
    mu = n.kind(margin)
    slack = mu - run.margins_of(n.path.scores)
    before = "y_i (w·x_i + b)" if run.k is None else "s_y - s_r"
    return worst(
        "lemma 2",
        f"at each update {before} <= " + ("0" if margin == 0 else f"μ/η = {real(mu):.6g}"),
        n.status(slack, n.doubts.scores),
        mu - slack,
        np.full(len(slack), mu),
        [step_of(run, u) for u in range(len(slack))],
    )


def _longest(run: Run) -> str:
    """Z² in words."""
    return "R²" if run.k is None else "2R²"


def _count(run: Run) -> str:
    """The number of updates in words; of epochs what they count for."""
    return "Σ (Σ k_s²/k)" if run.mixed else "k"


def norm_bound(run: Run, n: Numbers, k: Constants) -> NDArray[Any]:
    """‖w_0‖² + Σ (m² Z² + 2μ m C), by step."""
    squares = n.kind(_so_far(run.gains if run.mixed else run.sizes**2))
    extra = n.kind(2 * k.margin * k.heaviest) * n.kind(_so_far(run.gains))
    return np.asarray(n.path.norms2[0] + (squares * n.kind(k.longest) + extra))


def product_bound(run: Run, n: Numbers, k: Constants) -> NDArray[Any]:
    """⟨w_0, w*⟩ + (updates so far) g, by step."""
    assert n.path.products is not None
    return np.asarray(n.path.products[0] + n.kind(_so_far(run.gains)) * n.kind(k.least))


def _so_far(values: NDArray[Any]) -> NDArray[Any]:
    """0, then the sums."""
    return np.append(np.zeros(1, dtype=values.dtype), np.cumsum(values))


def norm_grows_slowly(run: Run, n: Numbers, k: Constants) -> Claim:
    bound, doubts = norm_bound(run, n, k), n.doubts.norms2
    batch = run.order == "batch"
    most = f"Σ |M_t|² {_longest(run)}" if batch else f"{_count(run)} β²"
    statement = "‖w‖² <= ‖w₀‖² + " + most
    slop = doubts + doubts[0] + 8 * ULP * np.abs(floats(bound))
    return after_each("norm", statement, n, n.path.norms2, bound, slop)


def product_grows_fast(run: Run, n: Numbers, k: Constants) -> Claim:
    assert n.path.products is not None
    bound, doubts = product_bound(run, n, k), n.doubts.products
    slop = doubts + doubts[0] + 8 * ULP * np.abs(floats(bound))
    statement = f"⟨w, w*⟩ >= ⟨w₀, w*⟩ + {_count(run)} γ ‖w*‖"
    return after_each("product", statement, n, -n.path.products, -bound, slop, sign=-1)


def angle_shrinks(run: Run, n: Numbers, k: Constants) -> Claim:
    """Compared in squares: P |P| (N_0 + Σ …) >= (P_0 + k g)² N."""
    assert n.path.products is not None
    above, below = norm_bound(run, n, k), product_bound(run, n, k)
    slack, slop, claimed = _slack_of_angle(n, n.path.products, above, below)
    some = np.flatnonzero(claimed)
    some = some[some > 0]
    length = real(n.path.star2) ** 0.5
    cosine = floats(n.path.products) / (length * np.sqrt(floats(n.path.norms2)))
    least = floats(below) / (length * np.sqrt(floats(above)))
    return worst(
        "angle",
        "cos∠(w, w*) >= (⟨w₀, ŵ*⟩ + kγ) / √(‖w₀‖² + kβ²)",
        n.status(slack[some], slop[some]),
        -cosine[some],
        -least[some],
        some.tolist(),
        sign=-1,
    )


def _slack_of_angle(
    n: Numbers, products: NDArray[Any], above: NDArray[Any], below: NDArray[Any]
) -> tuple[NDArray[Any], Floats, NDArray[np.bool_]]:
    """P |P| A - B² N, its slop, and where something is claimed: where B > 0 and A > 0, or may be.

    Products of four soon leave the range of floats: P and B are divided by 2^r, A and N by 2^s.
    """
    p, a, b, q = (floats(v) for v in (products, above, below, n.path.norms2))
    r, s = exponents(p, b), exponents(a, q)
    dp, dq = np.ldexp(n.doubts.products, -r), np.ldexp(n.doubts.norms2 + TINY**2, -s)
    da = np.ldexp(n.doubts.norms2[0] + TINY**2, -s)
    db = np.ldexp(n.doubts.products[0] + TINY**2, -r)
    P, B = scaled(products, -r), scaled(below, -r)
    A, N = scaled(above, -s), scaled(n.path.norms2, -s)
    p, b, a, q = (np.abs(floats(v)) for v in (P, B, A, N))
    da, db = da + 8 * ULP * a, db + 8 * ULP * b
    slop = (2 * p * dp + dp**2) * (a + da) + p**2 * da
    slop += (2 * b * db + db**2) * (q + dq) + b**2 * dq + 16 * ULP * (p**2 * a + b**2 * q)
    claimed = (B > 0) & (A > 0) if n.exact else (B + db > 0) & (A + da > 0)
    return P * np.abs(P) * A - B**2 * N, slop + TINY**2, claimed.astype(bool)


def distance_falls(run: Run, n: Numbers, k: Constants, star: Star) -> Claim:
    change, slop = _change_of_distance(run, n, k, star)
    fall = n.kind(run.gains) * n.kind(k.growth)
    slop = slop + by_step(run, 2 * np.abs(run.steps) * n.doubts.scores) + 4 * ULP * floats(fall)
    return worst(
        "distance",
        "‖w' - αŵ*‖² - ‖w - αŵ*‖² <= -β², with α = β²/γ and w in units of η",
        n.status(-fall - change, slop),
        change,
        -fall,
        list(range(1, len(fall) + 1)),
    )


def _change_of_distance(
    run: Run, n: Numbers, k: Constants, star: Star
) -> tuple[NDArray[Any], Floats]:
    """Of ‖w - αŵ*‖², by step; and how far rounding can have moved it."""
    factor, doubts = n.kind(2 * k.growth / k.least), n.doubts
    norms2, products = n.path.norms2, n.path.products
    assert products is not None
    if n.exact:
        return np.diff(norms2) - factor * np.diff(products), np.zeros(run.n_steps)
    if not run.single:
        sizes = doubts.norms2 + 8 * ULP * np.abs(norms2)
        sizes = sizes + factor * (doubts.products + 8 * ULP * np.abs(products))
        return np.diff(norms2) - factor * np.diff(products), sizes[1:] + sizes[:-1]
    # For single rows without the cancellation.
    steps = np.abs(run.steps)
    growth = 2 * run.steps * n.path.scores + run.steps**2 * n.squares
    with_star = factor * run.steps * run.by_update(star.products)
    terms = 2 * steps * np.abs(n.path.scores) + steps**2 * np.abs(n.squares) + np.abs(with_star)
    doubt = 2 * steps * doubts.scores + factor * steps * run.by_update(star.doubts, sign=1)
    return growth - with_star, doubt + (n.size + 16) * ULP * terms + TINY**2 * (1 + steps**2)


def mistake_bound(run: Run, bound: int) -> Claim:
    """The theorem: no more updates than its bound."""
    batch = run.order == "batch"
    words = "updates <= ⌊‖w₀ - αŵ*‖²/β²⌋"
    if batch:
        words = f"Σ|M_t| <= max|M_t| {_longest(run)}/γ²"
    if run.mixed:
        words, made = "epochs with a mistake <= ⌊‖w₀ - αŵ*‖²/β²⌋, whatever the shards", run.n_steps
        return Claim(
            "bound", words, HELD if made <= bound else VIOLATED, made, float(made), real(bound)
        )
    status = HELD if len(run.rows) <= bound else VIOLATED
    return Claim("bound", words, status, run.n_steps, float(len(run.rows)), real(bound))
