"""The convergence proof on a run: the bound R²/γ², its inequalities at every step, its record.

In units of η, with z_i = c_i y_i x̃_i, g = min w*·z_i, Z² = max ‖z_i‖², C = max c_i, and M the most
rows of one step (1 unless order="batch"):

    B = M Z² + 2μ C,   αŵ* = B w*/g.

For single rows B is the β² of the theorem. A step with m mistakes has m <= M, so that
‖w'‖² <= ‖w‖² + m² Z² + 2μ m C <= ‖w‖² + m B and ‖w' - αŵ*‖² <= ‖w - αŵ*‖² - m B. An epoch of
several shards counts for a mean of their mistakes (`run.gains`) as so many single rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from html import escape
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from rosenblatt._core.protocol import TIES
from rosenblatt._core.rows import Labelled
from rosenblatt._tracing.rounding import TINY, ULP, by_step, running
from rosenblatt._tracing.run import Floats, Run
from rosenblatt._tracing.space import ProjectedFeatures, Space
from rosenblatt._tracing.verdict import (
    FAILS,
    HELD,
    VIOLATED,
    WITHIN,
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
from rosenblatt._tracing.walk import Path, Reference, Standing
from rosenblatt._util.text import html_table, row_number
from rosenblatt.theory.bounds import bound_from, root

if TYPE_CHECKING:
    from rosenblatt._tracing.replay import Replay

MOST_EXACT = 200_000
"""Up to so many numbers (those of the rows, times updates) a run is checked in fractions."""


@final
@dataclass(frozen=True)
class Check:
    """How each claim ended: "held", "violated", "within rounding" or "assumption fails"."""

    claims: list[Claim]
    exact: bool  # decided in fractions; otherwise in floats with a bound on their rounding
    assumption: str = ""  # which one fails, where one does
    compared: str = ""  # what u is, where a theorem has one
    setting: str = ""  # the constants of the theorem, where it applies

    @property
    def ok(self) -> bool:
        """No claim is violated."""
        return not self.violations

    @property
    def violations(self) -> list[Claim]:
        return [claim for claim in self.claims if claim.status == VIOLATED]

    def __getitem__(self, name: str) -> Claim:
        for claim in self.claims:
            if claim.name == name:
                return claim
        raise KeyError(f"{name!r} is no claim; there are {[c.name for c in self.claims]}")

    def lines(self) -> Iterator[tuple[str, str, str, str]]:
        """Name, status, statement, the tightest moment."""
        for claim in self.claims:
            moment = ""
            if claim.step is not None and claim.left is not None:
                moment = f"step {claim.step}: {claim.left:.6g} and {claim.right:.6g}"
            words = "; ".join(part for part in (moment, claim.detail) if part)
            yield claim.name, claim.status, claim.statement, words

    def __str__(self) -> str:
        how = "in fractions" if self.exact else "in floating point, with a bound on its rounding"
        counts = Counter(claim.status for claim in self.claims)
        total = ", ".join(f"{counts[s]} {s}" for s in (HELD, VIOLATED, WITHIN, FAILS) if counts[s])
        lines = [
            f"{len(self.claims)} claims, decided {how}: {total}. In brackets: the step where both "
            "sides are nearest, and the sides"
        ]
        lines += [self.setting] if self.setting else []
        wide = max(10, *(len(claim.name) + 1 for claim in self.claims))
        lines += [
            f"  {name:<{wide}}{status:<18}{statement}" + (f"   [{words}]" if words else "")
            for name, status, statement, words in self.lines()
        ]
        if self.assumption:
            lines.append(f"The theorem does not apply: {self.assumption}")
        if self.compared:
            lines.append(self.compared)
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        head = ("claim", "", "statement", "tightest moment")
        notes = [text for text in (self.setting, self.assumption, self.compared) if text]
        note = "".join(f"<p>{escape(text)}</p>" for text in notes)
        return html_table(head, list(self.lines())) + note


@np.errstate(over="ignore", invalid="ignore", divide="ignore")  # what is infinite decides nothing
def check(replay: Replay, *, radius: float | None, gamma: float | None) -> Check:
    run, space, star, path = replay.run, replay.space, replay.star, replay.path
    k = replay.constants
    assert k is not None
    exact = (len(run.rows) + len(np.unique(run.rows))) * space.work <= MOST_EXACT
    decided_by = space.exact_path(star) if exact else path
    n = Numbers(path, decided_by, exact, space.size, space.squares_met())
    claimed, longest = None, k.longest / space.copies
    if radius is not None:
        claimed, longest = Fraction(radius) ** 2, space.longest(weighted=False)
        k = replace(k, longest=space.copies * claimed * k.heaviest**2)
    converged, kernel_doubt = replay.about.converged, space.kernel_doubt
    claims = [
        record(run, path, converged=converged, kernel_doubt=kernel_doubt),
        second_lemma(run, n, k.margin),
        lengths(longest, claimed, run.c is not None),
        norm_grows_slowly(run, n, k),
    ]
    if star is None:
        return Check([*claims, *_without(run)], exact, replay.why_no_star)
    lemma_1 = first_lemma(run, k, gamma)
    bound = k.bound
    if bound is None:
        why = f"w* does not separate the rows, {lemma_1.detail}."
        if k.least > 0:
            why = _no_inner_product("w*")
        return Check([*claims, lemma_1, *list(_without(run))[1:]], exact, why)
    distance = distance_falls(run, n, k, star)
    projected = [projection(space, k, star)] if isinstance(space, ProjectedFeatures) else []
    theorem, why = mistake_bound(run, bound), ""
    if theorem.status == VIOLATED and distance.status == WITHIN:
        theorem = replace(theorem, status=WITHIN)  # updates that only rounding called for
    elif theorem.status == VIOLATED and distance.status == HELD and not run.linear():
        # The distance fell at every step, below zero: there is no such distance.
        theorem, why = replace(theorem, status=FAILS), _no_inner_product("w - αŵ*")
    claims += [lemma_1, product_grows_fast(run, n, k), angle_shrinks(run, n, k)]
    claims += [*projected, distance, theorem]
    return Check(claims, exact, why, setting=setting(run, k, bound))


def _no_inner_product(vector: str) -> str:
    return (
        f"the kernel is no inner product (not positive semidefinite): ‖{vector}‖² is not positive."
    )


_NEED_STAR: dict[str, str] = {
    "lemma 1": " >= γ > 0",
    "product": "⟨w, w*⟩ >= ⟨w₀, w*⟩ + k γ ‖w*‖",
    "angle": "cos∠(w, w*) >= (⟨w₀, ŵ*⟩ + kγ) / √(‖w₀‖² + kβ²)",
    "distance": "‖w' - αŵ*‖² - ‖w - αŵ*‖² <= -β²",
    "bound": "updates <= the mistake bound",
}


def _without(run: Run) -> Iterator[Claim]:
    for name, statement in _NEED_STAR.items():
        words = every_margin(run) + statement if name == "lemma 1" else statement
        yield Claim(name, words, FAILS)


# --- The inequalities ----------------------------------------------------------------------------


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
        return root(self.least**2 / self.ends[0]) * (-1 if self.least < 0 else 1)

    @property
    def bound(self) -> int | None:
        if self.ends is None or not self.separated:
            return None
        return bound_from(self.least, self.growth, *self.ends)


def constants(run: Run, space: Space, star: Reference | None, path: Path) -> Constants:
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
    if run.k is None:
        return "every row has c_i y_i ŵ*·x̃_i"
    return "every row has, for all r ≠ y, c_i (ŵ*_y - ŵ*_r)·x̃_i"


def first_lemma(run: Run, k: Constants, claimed: float | None) -> Claim:
    assert k.ends is not None
    gamma = k.gamma if claimed is None else claimed
    statement = f"{every_margin(run)} >= γ = {gamma:.6g} > 0"
    reached = claimed is None or k.least**2 >= Fraction(claimed) ** 2 * k.ends[0]
    status = HELD if k.least > 0 and reached else VIOLATED
    detail = f"row {row_number(k.row)} has {k.gamma:.6g}"
    return Claim("lemma 1", statement, status, None, k.gamma, gamma, detail)


def lengths(longest: Fraction, claimed: Fraction | None, weighted: bool) -> Claim:
    """No row is longer than R. A claim is about the rows themselves, whatever their weights."""
    used = longest if claimed is None else claimed
    status = HELD if longest <= used else VIOLATED
    left, right = (root(max(v, Fraction(0))) for v in (longest, used))
    row = "c_i x̃_i" if weighted and claimed is None else "x̃_i"
    return Claim("length", f"every row has ‖{row}‖ <= {right:.6g}", status, None, left, right)


def second_lemma(run: Run, n: Numbers, margin: Fraction) -> Claim:
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
    return "R²" if run.k is None else "2R²"


def _count(run: Run) -> str:
    return "Σ (Σ k_s²/k)" if run.mixed else "k"


def norm_bound(run: Run, n: Numbers, k: Constants) -> NDArray[Any]:
    """‖w_0‖² + Σ (m² Z² + 2μ m C), by step."""
    squares = n.kind(running(run.gains if run.mixed else run.sizes**2))
    extra = n.kind(2 * k.margin * k.heaviest) * n.kind(running(run.gains))
    return np.asarray(n.path.norms2[0] + (squares * n.kind(k.longest) + extra))


def product_bound(run: Run, n: Numbers, k: Constants) -> NDArray[Any]:
    """⟨w_0, w*⟩ + (updates so far) g, by step."""
    assert n.path.products is not None
    return np.asarray(n.path.products[0] + n.kind(running(run.gains)) * n.kind(k.least))


def norm_grows_slowly(run: Run, n: Numbers, k: Constants) -> Claim:
    bound, doubts = norm_bound(run, n, k), n.doubts.norms2
    most = f"Σ |M_t|² {_longest(run)}" if run.order == "batch" else f"{_count(run)} β²"
    statement = f"‖w‖² <= ‖w₀‖² + {most}"
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


def distance_falls(run: Run, n: Numbers, k: Constants, star: Reference) -> Claim:
    change, slop = _change_of_distance(run, n, k, star)
    fall = n.kind(run.gains) * n.kind(k.growth)
    slop = slop + by_step(run, 2 * np.abs(run.steps) * n.doubts.scores) + 4 * ULP * floats(fall)
    return worst(
        "distance",
        "‖w' - αŵ*‖² - ‖w - αŵ*‖² <= -β², with α = β²/γ and w in units of η",
        n.status(-fall - change, slop),
        change,
        -fall,
    )


def _change_of_distance(
    run: Run, n: Numbers, k: Constants, star: Reference
) -> tuple[NDArray[Any], Floats]:
    """Of ‖w - αŵ*‖², by step; and how far rounding can have moved it."""
    factor, doubts = n.kind(2 * k.growth / k.least), n.doubts
    norms2, products = n.path.norms2, n.path.products
    assert products is not None
    if n.exact:
        return np.diff(norms2) - factor * np.diff(products), np.zeros(run.n_steps)
    if not run.single or run.signs is not None:
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


def projection(space: ProjectedFeatures, k: Constants, star: Reference) -> Claim:
    """‖P(v) - u‖² - ‖v - u‖² = 2 m·u - ‖m‖², where m is what the projection took away: of another
    sign than u = αŵ*, or u is 0 there. Every term is 0 at most, in floats too."""
    u = star.w * real(k.growth / k.least)
    change = [np.zeros(0)]
    for _, block, moved in space.steps_and_blocks():
        taken = moved - block[1:]
        change.append(2 * (taken @ u) - (taken**2).sum(axis=1))
    changes = np.concatenate(change)
    return worst(
        "projection",
        "‖P(v) - αŵ*‖² <= ‖v - αŵ*‖², with v the weights before they are projected",
        np.where(changes <= 0, HELD, VIOLATED),
        changes,
        np.zeros(len(changes)),
    )


def mistake_bound(run: Run, bound: int) -> Claim:
    made, words = len(run.rows), "updates <= ⌊‖w₀ - αŵ*‖²/β²⌋"
    if run.order == "batch":
        words = f"Σ|M_t| <= max|M_t| {_longest(run)}/γ²"
    if run.mixed:
        made = run.n_steps
        words = "epochs with a mistake <= ⌊‖w₀ - αŵ*‖²/β²⌋, whatever the shards"
    status = HELD if made <= bound else VIOLATED
    return Claim("bound", words, status, run.n_steps, float(made), real(bound))


# --- Is it the record of a run on this data? -----------------------------------------------------

_STATEMENT = "a replay visits rows in the same order, with the same scores, and ends alike"


def record(run: Run, path: Path, *, converged: bool, kernel_doubt: float) -> Claim:
    """The order of visits, every score, and that training ended clean where it says so.

    `kernel_doubt`: how far a kernel value can be off, since another machine may have trained.
    """
    impossible = _of_visits(run)
    if impossible is not None:
        return impossible
    added = running(np.abs(run.steps)) * (1 if run.k is None else 2)
    doubts = kernel_doubt * (np.abs(run.start[..., :-1]).sum() + added)
    scores = _of_scores(run, path, doubts[:-1])
    rivals = None if path.standing is None else _of_rivals(run, path, path.standing, doubts[:-1])
    end = _of_the_end(run, path, doubts[-1]) if converged else None
    claims = [claim for claim in (scores, rivals, end) if claim is not None]
    for status in (VIOLATED, WITHIN):
        for claim in claims:
            if claim.status == status:
                return claim
    return Claim("record", _STATEMENT, HELD)


def _of_visits(run: Run) -> Claim | None:
    batch, rows, visits = run.order == "batch", run.rows, run.visits
    present = np.flatnonzero(run.weights)
    late = np.diff(visits, prepend=-1)
    wrong = (late < 0) | (late > 1) if batch else late < 1
    if wrong.any():
        u = int(np.argmax(wrong))
        before = f"after visit {visits[u - 1]}" if u else "first"
        return _odd(run, u, f"visit {visits[u]} comes {before}")
    if run.n != len(present):
        return _odd(run, 0, f"{len(present)} rows have a weight, but {run.n} were visited")
    absent = run.weights[rows] == 0
    if absent.any():
        u = int(np.argmax(absent))
        return _odd(run, u, f"row {rows[u]} has weight 0 and was never visited")
    if run.order == "cyclic":
        expected = present[visits % run.n]
        if (expected != rows).any():
            u = int(np.argmax(expected != rows))
            return _odd(run, u, f"visit {visits[u]} is to row {expected[u]}, not {rows[u]}")
    if batch or run.order in ("shuffle", "blocks", "mixed"):
        _, first = np.unique(run.epochs * len(run.y) + rows, return_index=True)
        if len(first) < len(rows):
            u = int(np.setdiff1d(np.arange(len(rows)), first)[0])
            return _odd(run, u, f"row {rows[u]} is there twice in epoch {run.epochs[u]}")
    return None


def _odd(run: Run, u: int, detail: str) -> Claim:
    return Claim("record", _STATEMENT, VIOLATED, step_of(run, u), detail=detail)


def _of_scores(run: Run, path: Path, of_kernel: Floats) -> Claim | None:
    assert path.doubts is not None
    replayed, doubts = path.scores, path.doubts.scores + of_kernel
    same = run.scores == replayed  # also where both are infinite
    if same.all():
        return None
    difference = np.where(same, 0.0, np.abs(run.scores - replayed))
    far = np.nan_to_num(difference - 2 * doubts, nan=-np.inf)
    u = int(np.argmax(far))
    return Claim(
        "record",
        _STATEMENT,
        VIOLATED if far[u] > 0 else WITHIN,
        step_of(run, u),
        run.scores[u],
        replayed[u],
        f"row {run.rows[u]} is recorded with the score {run.scores[u]:.6g}, a replay gives "
        f"{replayed[u]:.6g}",
    )


def _of_rivals(run: Run, path: Path, by_replay: Standing, of_kernel: Floats) -> Claim | None:
    assert path.doubts is not None
    other = by_replay.rivals != run.rivals
    if not other.any():
        return None
    # Weights of the features have the bits of training: the rival is the same, or it is not one.
    sure = other
    if run.kernel is not None:
        sure = other & (by_replay.ahead > 2 * (path.doubts.scores + of_kernel))
    u = int(np.argmax(sure if sure.any() else other))
    detail = f"the rival of row {row_number(run.rows[u])} is another class by a replay"
    status = VIOLATED if sure.any() else WITHIN
    return Claim("record", _STATEMENT, status, step_of(run, u), detail=detail)


def _of_the_end(run: Run, path: Path, of_kernel: float) -> Claim | None:
    assert path.doubts is not None
    assert path.last is not None
    # The bits are those of training, unless that was in dual form and the replay is not.
    doubts = np.zeros(len(path.last)) if run.kernel is None else path.doubts.last + of_kernel
    labelled = Labelled(run.y, None, run.k, TIES[run.tie])
    margins = np.where(run.weights > 0, labelled.margins(path.last), np.inf)
    i = int(np.argmin(margins))
    calls = np.less_equal if run.by_count else np.less  # other rules are content with 1 itself
    if not calls(margins[i], run.margin):
        return None
    sure = bool(calls(margins + 2 * doubts, run.margin).any())
    detail = (
        f"training ended clean, but row {row_number(i)} has the margin {margins[i]:.6g} in the end"
    )
    return Claim("record", _STATEMENT, VIOLATED if sure else WITHIN, run.n_steps, detail=detail)
