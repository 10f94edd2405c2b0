"""The inequalities of the convergence proofs, tested at every step of a run.

In units of η, with z_i = c_i y_i x̃_i, g = min w*·z_i, Z² = max ‖z_i‖², C = max c_i, and M the most
rows of one step (1 unless order="batch"):

    B = M Z² + 2μ C,   αŵ = B w*/g.

For single rows B is the β² of the theorem. A step with m mistakes has m <= M, so that
‖w'‖² <= ‖w‖² + m² Z² + 2μ m C <= ‖w‖² + m B and ‖w' - αŵ‖² <= ‖w - αŵ‖² - m B.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._traces.run import Floats, Run
from rosenblatt._traces.space import ULP, Space, Star
from rosenblatt._traces.walk import Path
from rosenblatt.theory.bounds import bound_from

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
    nearest: int  # the row that has it
    longest: Fraction  # Z²
    heaviest: Fraction  # C
    margin: Fraction  # μ
    most: int  # M

    @property
    def growth(self) -> Fraction:
        """B."""
        return self.most * self.longest + 2 * self.margin * self.heaviest

    def bound(self, space: Space, star: Star, path: Path) -> int:
        """⌊‖w_0 - αŵ‖² / B⌋."""
        return bound_from(self.least, self.growth, *space.ends(star, path))


def constants(run: Run, space: Space, star: Star | None) -> Constants:
    least, row = (Fraction(0), 0) if star is None else space.least_margin(star)
    heaviest = Fraction(float(run.weights.max()))
    most = int(run.sizes.max(initial=1))
    return Constants(least, row, space.longest(), heaviest, Fraction(run.margin), most)


@dataclass(frozen=True)
class Numbers:
    """A path, and how far rounding can have moved it.

    doubt: of the numbers here against exact arithmetic; none where they are fractions.
    slop: what rounding in training can explain. Both by step, or by update for scores.
    """

    path: Path
    exact: bool
    score_slop: Floats
    norm_slop: Floats
    product_slop: Floats
    squares: Floats  # ‖x̃_i‖², by update

    def kind(self, values: Any) -> Any:
        """Numbers of the kind that the path has."""
        if isinstance(values, Fraction):
            return values if self.exact else float(values)
        return values.astype(object) if self.exact else values.astype(np.float64)

    def status(self, slack: NDArray[Any], slop: Floats) -> NDArray[np.str_]:
        """By entry. Fractions hold where they hold; floats only beyond doubt."""
        slack = np.asarray(slack)
        held = np.array(slack >= 0, dtype=bool) if self.exact else np.array(slack >= slop)
        far = np.array([float(v) for v in slack]) < -slop
        return np.where(held, HELD, np.where(far, VIOLATED, WITHIN))


def numbers(run: Run, space: Space, star: Star | None, *, exact: bool) -> Numbers:
    """The path with its rounding bounds.

    A sum or product errs by a factor within 1 ± u, u = 2^-53. So the weights of training differ
    from exact ones by a vector of length at most e_t <= u Σ (‖w_τ‖ + (m_τ + 1) Σ ‖z_i‖) over the
    steps τ <= t, and a score by at most ‖x̃‖ (e_t + (D + 8) u ‖w_t‖); the factor 1.01 covers
    what is of second order.
    """
    floats = space.path(star)
    path = space.exact_path(star) if exact else floats
    squares = space.squares()[run.rows]
    lengths, rows = np.sqrt(np.maximum(floats.norms2, 0)), np.sqrt(np.maximum(squares, 0))
    z = by_step(run, np.abs(run.steps) * rows)
    drift = np.append(0.0, 1.01 * ULP * np.cumsum(lengths[1:] + (run.sizes + 1) * z))
    reach = drift + 1.01 * (space.size + 8) * ULP * lengths
    scores = rows * np.repeat(reach[:-1], run.sizes)
    # A norm is what the scores made of it, and is itself a sum.
    made = np.append(0.0, np.cumsum(by_step(run, 4 * np.abs(run.steps) * scores)))
    star_length = 0.0 if star is None else float(np.sqrt(max(floats.star2, 0)))
    return Numbers(
        path, exact, scores, made + 2 * lengths * reach + reach**2, star_length * reach, squares
    )


def by_step(run: Run, values: Floats) -> Floats:
    """Sums over the updates of each step."""
    return np.add.reduceat(values, run.edges[:-1]) if len(values) else np.zeros(0)


# --- The claims ----------------------------------------------------------------------------------


def record(run: Run, n: Numbers, replayed: Floats) -> Claim:
    """Is the trace the record of a run on this data?"""
    statement = "each score is that of its row under the weights so far, visits go on"
    problems = np.flatnonzero(np.diff(run.visits) < (0 if run.order == "batch" else 1))
    if len(problems):
        u = int(problems[0])
        detail = f"visit {run.visits[u + 1]} comes after visit {run.visits[u]}"
        return Claim("record", statement, VIOLATED, u + 1, detail=detail)
    difference = np.abs(run.scores - replayed)
    difference = np.where(np.isnan(difference), np.inf, difference)
    if not difference.any():
        return Claim("record", statement, HELD)
    u = int(np.argmax(difference - n.score_slop))
    status = VIOLATED if difference[u] > 2 * n.score_slop[u] else WITHIN
    detail = f"row {run.rows[u]} is recorded with the score {run.scores[u]:.6g}, a replay gives "
    return Claim(
        "record",
        statement,
        status,
        _step(run, u),
        run.scores[u],
        replayed[u],
        detail + f"{replayed[u]:.6g}",
    )


def lemma_1(k: Constants, star2: Any, claimed: float | None) -> Claim:
    """Every margin of w* is at least γ > 0."""
    length = float(np.sqrt(float(star2)))
    found = float(k.least) / length
    gamma = found if claimed is None else claimed
    statement = f"every row has c_i y_i ŵ*·x̃_i >= γ = {gamma:.6g} > 0"
    status = HELD if k.least > 0 and found >= gamma * (1 - 4 * ULP) else VIOLATED
    detail = f"row {k.nearest} has {found:.6g}"
    return Claim("lemma 1", statement, status, None, found, gamma, detail)


def lengths(longest: Fraction, used: Fraction) -> Claim:
    """No row is longer than R."""
    status = HELD if longest <= used else VIOLATED
    left, right = float(longest) ** 0.5, float(used) ** 0.5
    return Claim("length", f"every row has ‖c_i x̃_i‖ <= {right:.6g}", status, None, left, right)


def lemma_2(run: Run, n: Numbers, margin: Fraction) -> Claim:
    """No update at a margin beyond μ."""
    mu = margin if n.exact else float(margin)
    slack = mu - run.y[run.rows] * n.path.scores
    return _worst(
        "lemma 2",
        "at each update y_i (w·x_i + b) <= " + ("0" if margin == 0 else f"μ/η = {float(mu):.6g}"),
        n.status(slack, n.score_slop),
        mu - slack,
        np.full(len(slack), mu),
        [_step(run, u) for u in range(len(slack))],
    )


def norm_bound(run: Run, n: Numbers, k: Constants) -> NDArray[Any]:
    """‖w_0‖² + Σ (m² Z² + 2μ m C), by step."""
    m = n.kind(run.sizes)
    each = m * (m * n.kind(k.longest) + 2 * n.kind(k.margin) * n.kind(k.heaviest))
    return np.asarray(n.path.norms2[0] + np.append(0, np.cumsum(each)))


def product_bound(run: Run, n: Numbers, k: Constants) -> NDArray[Any]:
    """⟨w_0, w*⟩ + (updates so far) g, by step."""
    assert n.path.products is not None
    return np.asarray(n.path.products[0] + n.kind(run.edges) * n.kind(k.least))


def norm_grows_slowly(run: Run, n: Numbers, k: Constants) -> Claim:
    bound = norm_bound(run, n, k)
    batch = run.order == "batch"
    statement = "‖w‖² <= ‖w₀‖² + " + ("Σ |M_t|² R²" if batch else "k β²")
    slop = n.norm_slop + n.norm_slop[0] + 8 * ULP * floats(bound)
    return _after_each("norm", statement, n, n.path.norms2, bound, slop)


def product_grows_fast(run: Run, n: Numbers, k: Constants) -> Claim:
    assert n.path.products is not None
    bound = product_bound(run, n, k)
    slop = n.product_slop + n.product_slop[0] + 8 * ULP * np.abs(floats(bound))
    statement = "⟨w, w*⟩ >= ⟨w₀, w*⟩ + k γ ‖w*‖"
    return _after_each("product", statement, n, -n.path.products, -bound, slop, sign=-1)


def angle_shrinks(run: Run, n: Numbers, k: Constants) -> Claim:
    """Compared in squares: P² (N_0 + Σ …) >= (P_0 + k g)² N."""
    path = n.path
    assert path.products is not None
    above, below = norm_bound(run, n, k), product_bound(run, n, k)
    # Nothing is claimed while the lower bound of the product is not positive.
    counts = np.array(below > 0, dtype=bool) & (np.arange(len(below)) > 0)
    p, a, b, q = (floats(v) for v in (path.products, above, below, path.norms2))
    slack = path.products**2 * above - below**2 * path.norms2
    slop = 2 * np.abs(p) * n.product_slop * a + b * b * n.norm_slop
    slop = slop + 16 * ULP * (p * p * a + b * b * q)
    length = float(path.star2) ** 0.5
    with np.errstate(divide="ignore", invalid="ignore"):
        cosine, least = p / (length * np.sqrt(q)), b / (length * np.sqrt(a))
    some = np.flatnonzero(counts)
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
    path, m = n.path, n.kind(run.sizes) * n.kind(k.growth)
    factor = 2 * n.kind(k.growth) / n.kind(k.least)
    slop = by_step(run, 2 * np.abs(run.steps) * n.score_slop)
    assert path.products is not None
    if n.exact or run.order == "batch":
        change = np.diff(path.norms2) - factor * np.diff(path.products)
    else:  # without the cancellation
        with_star = run.steps * star.products[run.rows]
        change = 2 * run.steps * path.scores + run.steps**2 * n.squares - factor * with_star
    if not n.exact:
        length = np.sqrt(path.star2 * by_step(run, run.steps**2 * n.squares) * run.sizes)
        slop = slop + 16 * len(star.w) * ULP * (np.abs(change) + m + factor * length)
    if not n.exact and run.order == "batch":
        slop = slop + n.norm_slop[1:] + n.norm_slop[:-1]
        slop = slop + factor * (n.product_slop[1:] + n.product_slop[:-1])
    return _worst(
        "distance",
        "‖w' - αŵ‖² <= ‖w - αŵ‖² - β², with α = β²/γ (in units of η)",
        n.status(-m - change, slop),
        change,
        -m,
        list(range(1, len(m) + 1)),
    )


def mistake_bound(run: Run, bound: int) -> Claim:
    """The theorem: not more updates than its bound."""
    batch = run.order == "batch"
    words = "Σ|M_t| <= max|M_t| R²/γ²" if batch else "updates <= ⌊‖w₀ - αŵ‖²/β²⌋"
    status = HELD if len(run.rows) <= bound else VIOLATED
    return Claim("bound", words, status, run.n_steps, float(len(run.rows)), float(bound))


# --- Helpers -------------------------------------------------------------------------------------


def floats(values: Any) -> Floats:
    return np.array([float(v) for v in values])


def _step(run: Run, u: int) -> int:
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
    slack = (b - a) / np.maximum(np.abs(a) + np.abs(b), 1e-300)
    slack[status != overall] = np.inf
    at = int(np.argmin(slack))
    several = int(np.count_nonzero(status == overall))
    detail = "" if overall == HELD else f"{several} of {len(status)} steps"
    return Claim(name, statement, overall, steps[at], sign * a[at], sign * b[at], detail)
