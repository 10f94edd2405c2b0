"""The inequalities of the convergence proofs, tested at every step of a run.

In units of η, with z_i = c_i y_i x̃_i, g = min w*·z_i, Z² = max ‖z_i‖², C = max c_i, and M the most
rows of one step (1 unless order="batch"):

    B = M Z² + 2μ C,   αŵ = B w*/g.

For single rows B is the β² of the theorem. A step with m mistakes has m <= M, so that
‖w'‖² <= ‖w‖² + m² Z² + 2μ m C <= ‖w‖² + m B and ‖w' - αŵ‖² <= ‖w - αŵ‖² - m B.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._traces.rounding import TINY, ULP, Doubts, by_step
from rosenblatt._traces.run import Floats, Run
from rosenblatt._traces.space import Space
from rosenblatt._traces.walk import Path, Star
from rosenblatt.theory.bounds import bound_from, root

HELD, VIOLATED, WITHIN, FAILS = "held", "violated", "within rounding", "assumption fails"


@dataclass(frozen=True)
class Claim:
    """One inequality: how it ended, and the step where it was nearest to failing."""

    name: str
    statement: str
    status: str
    step: int | None = None  # the tightest one; step 0 is the start
    left: float | None = None  # both sides there
    right: float | None = None
    detail: str = ""


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
    def bound(self) -> int | None:
        """The most updates that there can be."""
        if self.ends is None or not self.separated:
            return None
        return bound_from(self.least, self.growth, *self.ends)


def constants(
    run: Run, space: Space, star: Star | None, path: Path, longest: Fraction | None = None
) -> Constants:
    """`longest`: to be used instead of the true one."""
    least, row = (Fraction(0), 0) if star is None else space.least_margin(star)
    return Constants(
        least,
        row,
        space.longest() if longest is None else longest,
        Fraction(float(run.weights.max())),
        Fraction(run.margin),
        int(run.sizes.max(initial=1)),
        None if star is None else space.ends(star, path),
    )


@dataclass(frozen=True)
class Numbers:
    """The path in floats; the one that is decided by, which may be in fractions."""

    floats: Path
    path: Path
    exact: bool
    size: int  # terms in a score
    squares: Floats  # ‖x̃_i‖², by update

    @property
    def doubts(self) -> Doubts:
        assert self.floats.doubts is not None
        return self.floats.doubts

    def kind(self, values: Any) -> Any:
        """Numbers of the kind that the path has."""
        if isinstance(values, Fraction):
            return values if self.exact else real(values)
        return values.astype(object) if self.exact else values.astype(np.float64)

    def status(self, slack: NDArray[Any], slop: Floats) -> NDArray[np.str_]:
        """By entry. Fractions hold where they hold; floats only beyond doubt.

        What fails by no more than rounding can explain is not violated.
        """
        slack = np.asarray(slack)
        held = np.array(slack >= 0, dtype=bool) if self.exact else np.array(slack >= slop)
        far = np.array([v < -s for v, s in zip(slack.tolist(), slop.tolist(), strict=True)], bool)
        return np.where(held, HELD, np.where(far, VIOLATED, WITHIN))


# --- The claims ----------------------------------------------------------------------------------


def lemma_1(k: Constants, claimed: float | None) -> Claim:
    """Every margin of w* is at least γ > 0."""
    assert k.ends is not None
    found = root(k.least**2 / k.ends[0]) * (1 if k.least > 0 else -1) if k.ends[0] > 0 else 0.0
    gamma = found if claimed is None else claimed
    statement = f"every row has c_i y_i ŵ*·x̃_i >= γ = {gamma:.6g} > 0"
    reached = claimed is None or k.least**2 >= Fraction(claimed) ** 2 * k.ends[0]
    status = HELD if k.least > 0 and reached else VIOLATED
    detail = f"row {k.row} has {found:.6g}"
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
    slack = mu - run.y[run.rows] * n.path.scores
    return _worst(
        "lemma 2",
        "at each update y_i (w·x_i + b) <= " + ("0" if margin == 0 else f"μ/η = {real(mu):.6g}"),
        n.status(slack, n.doubts.scores),
        mu - slack,
        np.full(len(slack), mu),
        [step_of(run, u) for u in range(len(slack))],
    )


def norm_bound(run: Run, n: Numbers, k: Constants) -> NDArray[Any]:
    """‖w_0‖² + Σ (m² Z² + 2μ m C), by step."""
    squares = n.kind(np.append(0, np.cumsum(run.sizes**2)))
    extra = n.kind(2 * k.margin * k.heaviest) * n.kind(run.edges)
    return np.asarray(n.path.norms2[0] + (squares * n.kind(k.longest) + extra))


def product_bound(run: Run, n: Numbers, k: Constants) -> NDArray[Any]:
    """⟨w_0, w*⟩ + (updates so far) g, by step."""
    assert n.path.products is not None
    return np.asarray(n.path.products[0] + n.kind(run.edges) * n.kind(k.least))


def norm_grows_slowly(run: Run, n: Numbers, k: Constants) -> Claim:
    bound, doubts = norm_bound(run, n, k), n.doubts.norms2
    batch = run.order == "batch"
    statement = "‖w‖² <= ‖w₀‖² + " + ("Σ |M_t|² R²" if batch else "k β²")
    slop = doubts + doubts[0] + 8 * ULP * np.abs(floats(bound))
    return _after_each("norm", statement, n, n.path.norms2, bound, slop)


def product_grows_fast(run: Run, n: Numbers, k: Constants) -> Claim:
    assert n.path.products is not None
    bound, doubts = product_bound(run, n, k), n.doubts.products
    slop = doubts + doubts[0] + 8 * ULP * np.abs(floats(bound))
    statement = "⟨w, w*⟩ >= ⟨w₀, w*⟩ + k γ ‖w*‖"
    return _after_each("product", statement, n, -n.path.products, -bound, slop, sign=-1)


def angle_shrinks(run: Run, n: Numbers, k: Constants) -> Claim:
    """Compared in squares: P |P| (N_0 + Σ …) >= (P_0 + k g)² N."""
    assert n.path.products is not None
    above, below = norm_bound(run, n, k), product_bound(run, n, k)
    p, a, b, q = (floats(v) for v in (n.path.products, above, below, n.path.norms2))
    dp, dq = n.doubts.products, n.doubts.norms2
    da, db = dq[0] + 8 * ULP * np.abs(a), dp[0] + 8 * ULP * np.abs(b)
    slack = n.path.products * np.abs(n.path.products) * above - below**2 * n.path.norms2
    slop = (2 * np.abs(p) * dp + dp**2) * (np.abs(a) + da) + p**2 * da
    slop += (2 * np.abs(b) * db + db**2) * (np.abs(q) + dq) + b**2 * dq
    slop += 16 * ULP * (p**2 * np.abs(a) + b**2 * np.abs(q))
    # Nothing is claimed while the lower bound of the product is not positive.
    positive = below > 0 if n.exact else b > -db
    some = np.flatnonzero(np.array(positive, dtype=bool) & np.array(above > 0, dtype=bool))
    some = some[some > 0]
    length = real(n.path.star2) ** 0.5
    cosine, least = p / (length * np.sqrt(q)), b / (length * np.sqrt(a))
    return _worst(
        "angle",
        "cos∠(w, w*) >= (⟨w₀, ŵ*⟩ + kγ) / √(‖w₀‖² + kβ²)",
        n.status(slack[some], slop[some]),
        -cosine[some],
        -least[some],
        some.tolist(),
        sign=-1,
    )


def distance_falls(run: Run, n: Numbers, k: Constants, star: Star) -> Claim:
    change, slop = _change_of_distance(run, n, k, star)
    fall = n.kind(run.sizes) * n.kind(k.growth)
    slop = slop + by_step(run, 2 * np.abs(run.steps) * n.doubts.scores) + 4 * ULP * floats(fall)
    return _worst(
        "distance",
        "‖w' - αŵ‖² <= ‖w - αŵ‖² - β², with α = β²/γ (in units of η)",
        n.status(-fall - change, slop),
        change,
        -fall,
        list(range(1, len(fall) + 1)),
    )


def _change_of_distance(
    run: Run, n: Numbers, k: Constants, star: Star
) -> tuple[NDArray[Any], Floats]:
    """Of ‖w - αŵ‖², by step; and how far rounding can have moved it."""
    factor, doubts = n.kind(2 * k.growth / k.least), n.doubts
    norms2, products = n.path.norms2, n.path.products
    assert products is not None
    if n.exact:
        return np.diff(norms2) - factor * np.diff(products), np.zeros(run.n_steps)
    if run.order == "batch":
        sizes = doubts.norms2 + 8 * ULP * np.abs(norms2)
        sizes = sizes + factor * (doubts.products + 8 * ULP * np.abs(products))
        return np.diff(norms2) - factor * np.diff(products), sizes[1:] + sizes[:-1]
    # For single rows without the cancellation.
    steps = np.abs(run.steps)
    growth = 2 * run.steps * n.path.scores + run.steps**2 * n.squares
    with_star = factor * run.steps * star.products[run.rows]
    terms = 2 * steps * np.abs(n.path.scores) + steps**2 * np.abs(n.squares) + np.abs(with_star)
    doubt = 2 * steps * doubts.scores + factor * steps * star.doubts[run.rows]
    return growth - with_star, doubt + (n.size + 16) * ULP * terms + TINY**2 * (1 + steps**2)


def mistake_bound(run: Run, bound: int) -> Claim:
    """The theorem: no more updates than its bound."""
    batch = run.order == "batch"
    words = "Σ|M_t| <= max|M_t| R²/γ²" if batch else "updates <= ⌊‖w₀ - αŵ‖²/β²⌋"
    status = HELD if len(run.rows) <= bound else VIOLATED
    return Claim("bound", words, status, run.n_steps, float(len(run.rows)), real(bound))


# --- Helpers -------------------------------------------------------------------------------------


def real(value: Any) -> float:
    """As a float; infinity where it is beyond them."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def floats(values: Any) -> Floats:
    return np.array([real(v) for v in values])


def step_of(run: Run, u: int) -> int:
    """The step that update u belongs to, from 1."""
    return int(np.searchsorted(run.edges, u, side="right"))


def _after_each(
    name: str,
    statement: str,
    n: Numbers,
    left: NDArray[Any],
    right: NDArray[Any],
    slop: Floats,
    sign: int = 1,
) -> Claim:
    """left <= right after every step; at the start both are the same."""
    status = n.status((right - left)[1:], slop[1:])
    steps = list(range(1, len(left)))
    return _worst(name, statement, status, left[1:], right[1:], steps, sign=sign)


def _worst(
    name: str,
    statement: str,
    status: NDArray[np.str_],
    left: NDArray[Any],
    right: NDArray[Any],
    steps: list[int],
    sign: int = 1,
) -> Claim:
    """The claim as a whole: its worst status, and the step where both sides were nearest."""
    if not len(status):
        return Claim(name, statement, HELD, detail="there was no update")
    overall = next(s for s in (VIOLATED, WITHIN, HELD) if (status == s).any())
    a, b = floats(left), floats(right)
    slack = np.nan_to_num((b - a) / np.maximum(np.abs(a) + np.abs(b), 1e-300), posinf=1.0)
    slack[status != overall] = np.inf
    at = int(np.argmin(slack))
    several = int(np.count_nonzero(status == overall))
    detail = "" if overall == HELD else f"{several} of {len(status)} steps"
    return Claim(name, statement, overall, steps[at], sign * a[at], sign * b[at], detail)
