"""The space that training happens in, where the proofs have their lengths and products.

A step adds z_t = Σ c_i y_i x̃_i. Of the weights w_t after step t the proofs need two numbers,
N_t = ‖w_t‖² and P_t = ⟨w_t, w*⟩, and the scores before each update. `Features` has the weights
themselves; `Kernelled` has only products, those of the Gram matrix.

Of many classes an update adds c_i z with z = (e_y - e_r) ⊗ x̃_i, and w is the weights of all classes
together. That is the perceptron of two classes in a space of k(d + 1) dimensions, where no z is
ever written out: ‖z‖² = 2‖x̃_i‖², and ⟨w, z⟩ = s_y - s_r.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cached_property

import numpy as np

from rosenblatt._core.backend import compute
from rosenblatt._core.protocol import UpdateRule
from rosenblatt._core.rows import Examples, Rows, as_table, squares, standing
from rosenblatt._core.summation import folded, in_order
from rosenblatt._core.update_log import Log
from rosenblatt._tracing.loss_steps import moving
from rosenblatt._tracing.rounding import (
    SLIGHTLY_MORE,
    TINY,
    ULP,
    Doubts,
    by_step,
    lengths_of,
    running,
)
from rosenblatt._tracing.run import Floats, Ints, Run
from rosenblatt._tracing.walk import (
    ExactFeatures,
    ExactGram,
    FloatGram,
    JointSums,
    OfClasses,
    Path,
    Reference,
    Standing,
    Sums,
    Walker,
    walk,
)
from rosenblatt._training.kernels import Gram
from rosenblatt._training.learner import Primal
from rosenblatt._util.one_thread import one_thread
from rosenblatt.theory.bounds import dot, exact_row, least_margin, longest

_BLOCK = 1 << 18  # numbers of weights at a time


def over_blocks(terms: Floats, rows: Ints) -> Floats:
    """Σ terms as the core makes it; those of a batch step come in the order of their rows."""
    edges = np.searchsorted(rows, range(0, int(rows[-1]) + 1, compute.block))
    parts = np.split(terms, edges[1:])
    zero = np.zeros(terms.shape[1:])
    return folded(in_order(np.concatenate([zero[None], part])) for part in parts)


class Space(ABC):
    """Where lengths and products live: of the weights, and of the rows."""

    size: int  # terms in a score
    kernel_doubt = 0.0  # how far kernel values can be off, where another machine computed them
    work: int  # numbers to touch in one update, and for each row

    def __init__(self, run: Run):
        self.run = run
        # How often an update has x̃_i: of many classes twice, so that ‖z‖² = 2‖x̃_i‖².
        self.copies = 1 if run.k is None else 2

    @abstractmethod
    def squares(self) -> Floats:
        """‖x̃_i‖², by row."""

    def squares_met(self) -> Floats:
        return np.asarray(self.copies * self.squares()[self.run.rows])

    @abstractmethod
    def star(self, w: Floats) -> Reference:
        """w* as it is met here."""

    @abstractmethod
    def path(self, star: Reference | None) -> Path:
        """The path in floating point, replayed, with bounds on its rounding."""

    def exact_path(self, star: Reference | None) -> Path:
        walkers = self._walkers(star)
        walker = walkers[0] if self.run.k is None else OfClasses(walkers, self.run)
        return walk(self.run, walker, Fraction)

    def _walkers(self, star: Reference | None) -> list[Walker]:
        """In whole numbers: one for the weights of each class, or the only one."""
        raise NotImplementedError

    def _of_classes(self, star: Reference | None) -> Iterator[tuple[Floats, Floats | None]]:
        """The start and w* of each class, or the only ones."""
        starts = np.atleast_2d(self.run.start)
        stars = [None] * len(starts) if star is None else list(np.atleast_2d(star.w))
        return zip(starts, stars, strict=True)

    @abstractmethod
    def least_margin(self, star: Reference) -> tuple[Fraction, int]:
        """A number that every c_i y_i w*·x̃_i reaches, as large as is certain; the row nearest.

        Of many classes c_i (w*_y - w*_c)·x̃_i for all classes c but the row's own, y.
        """

    @abstractmethod
    def longest(self, *, weighted: bool = True) -> Fraction:
        """max ‖c_i x̃_i‖², or max ‖x̃_i‖² of the rows that exist."""

    @abstractmethod
    def ends(self, star: Reference, path: Path) -> tuple[Fraction, Fraction, Fraction]:
        """‖w*‖², ⟨w_0, w*⟩, ‖w_0‖²; where in doubt so that a bound from them is no lower."""


class Features(Space):
    """Weights of the features, lifted: (w, b), where b stays 0 through the origin."""

    def __init__(self, run: Run):
        super().__init__(run)
        self.table = run.table
        self.d = self.table.shape[1]
        self.size = self.work = self.d + 1

    @cached_property
    def start(self) -> Floats:
        run = self.run
        if run.kernel is None:
            return run.start
        starts = np.atleast_2d(run.start)
        w = np.array([np.append(np.asarray(self.table.T @ v[:-1]).ravel(), v[-1]) for v in starts])
        return w[0] if run.k is None else w

    @cached_property
    def exact_start(self) -> list[Fraction]:
        return [v for start in np.atleast_2d(self.run.start) for v in self._exact_weights(start)]

    def _exact_weights(self, start: Floats) -> list[Fraction]:
        if self.run.kernel is None:
            return [Fraction(v) for v in start.tolist()]
        w = [Fraction(0)] * self.d
        for i in np.flatnonzero(start[:-1]).tolist():
            beta, x = Fraction(float(start[i])), exact_row(self.table, i, self.d)
            w = [v + beta * xj for v, xj in zip(w, x, strict=True)]
        return [*w, Fraction(float(start[-1]))]

    def _start_doubt(self) -> float:
        """With coefficients of the rows the first weights are sums themselves."""
        if self.run.kernel is None:
            return 0.0
        beta = np.abs(np.atleast_2d(self.run.start)[:, :-1])
        terms = 2 * np.count_nonzero(beta) + self.size + 12
        size = float(beta.sum(axis=0) @ lengths_of(self.squares())) if beta.any() else 0.0
        return float(terms * ULP * size)

    def squares(self) -> Floats:
        return squares(self.table) + self.run.intercept

    def star(self, w: Floats) -> Reference:
        with np.errstate(over="ignore", invalid="ignore"):
            products = np.asarray(self.table @ w[..., :-1].T) + w[..., -1]
            lengths = np.linalg.norm(w, axis=-1) + TINY
            size = np.multiply.outer(lengths_of(self.squares()), lengths)
            return Reference(w, products, SLIGHTLY_MORE * (self.d + 10) * ULP * size)

    def _steps(self, begin: int, end: int) -> Floats:
        """z_t for some steps, summed as the core sums them."""
        run = self.run
        first, last = run.edges[begin], run.edges[end]
        z = run.steps[first:last, None] * run.lifted(run.rows[first:last])
        if run.order != "batch":
            return z
        steps = zip(run.edges[begin:end], run.edges[begin + 1 : end + 1], strict=True)
        return np.array([over_blocks(z[a - first : b - first], run.rows[a:b]) for a, b in steps])

    def blocks(self) -> Iterator[tuple[int, Floats]]:
        """(t, the weights before the steps t, t + 1, … and after the last of them)."""
        run, w = self.run, self.start + 0.0
        if run.rule == "AROW":
            yield from ((part.begin, block) for part, block in moving(run, w))
            return
        length = max(1, _BLOCK // (self.size * int(run.sizes.max(initial=1))))
        for begin in range(0, run.n_steps, length):
            end = min(begin + length, run.n_steps)
            # One sum after the other: the bits that training had.
            block = np.add.accumulate(np.concatenate([w[None], self._steps(begin, end)]), axis=0)
            yield begin, block
            w = block[-1]

    def at(self, steps: Iterable[int]) -> Iterator[Floats]:
        """The weights after each of these steps, which rise."""
        blocks, begin, block = self.blocks(), 0, self.start[None] + 0.0
        for step in steps:
            while step >= begin + len(block):
                begin, block = next(blocks)
            yield block[step - begin]

    @np.errstate(over="ignore", invalid="ignore")
    def path(self, star: Reference | None) -> Path:
        run, w = self.run, np.zeros(self.start.size) if star is None else star.w.ravel()
        norms2, products = np.empty(run.n_steps + 1), np.empty(run.n_steps + 1)
        norms2[0], products[0] = self.start.ravel() @ self.start.ravel(), self.start.ravel() @ w
        last = self.start + 0.0
        for begin, block in self.blocks():
            part, flat = slice(begin, begin + len(block)), block.reshape(len(block), -1)
            norms2[part] = np.einsum("ij,ij->i", flat, flat)
            products[part] = flat @ w
            last = block[-1]
        star2 = float(w @ w)
        doubts = self._doubts(norms2, star2)
        last, (scores, standing) = Rows(run.X).scores(last), self._scores()
        if star is None:
            return Path(norms2, None, scores, None, last, doubts, standing)
        return Path(norms2, products, scores, star2, last, doubts, standing)

    @np.errstate(over="ignore", invalid="ignore")  # what is infinite decides nothing
    def _doubts(self, norms2: Floats, star2: float) -> Doubts:
        """A step with m mistakes adds them up and then to w, so that weights are off by a vector of
        length at most e_t <= e_0 + u Σ (‖w_τ‖ + (m_τ + 1) Σ ‖z_i‖) over the steps τ <= t, and a
        score by ‖x̃‖ (e_t + (D + 8) u ‖w_t‖). Training with the linear kernel has sums of rounded
        inner products instead, each of which adds its own rounding."""
        run, rows = self.run, lengths_of(self.copies * self.squares())
        weights, terms = lengths_of(norms2), self.size + 8
        if not run.start.any():
            weights[0] = 0.0
        z = by_step(run, np.abs(run.steps) * rows[run.rows])
        each = weights[1:] + (run.sizes + 1) * z
        if run.kernel is not None:
            each = each + run.sizes * (weights[:-1] + 2 * z) + terms * z
        off = running(each) + terms * weights
        reach = self._start_doubt() + SLIGHTLY_MORE * ULP * off
        scores = rows[run.rows] * np.repeat(reach[:-1], run.sizes)
        return self._off_by(reach, scores, rows, weights, star2)

    def _off_by(
        self, reach: Floats, scores: Floats, rows: Floats, weights: Floats, star2: float
    ) -> Doubts:
        """Where weights are off by a vector as long as `reach`, by step; `rows` and `weights` are
        lengths."""
        run, star = self.run, float(lengths_of(np.array([star2]))[0])
        explained = running(by_step(run, 2 * np.abs(run.steps) * scores))
        return Doubts(
            scores=scores,
            norms2=explained + 2 * weights * reach + reach**2,
            products=star * reach,
            last=rows * reach[-1],
            star2=2 * self.size * ULP * star * star,
        )

    def _scores(self) -> tuple[Floats, Standing | None]:
        """The score before each update, by the core."""
        run = self.run
        if run.by_count and run.order != "batch":
            examples = Examples(run.X, run.y, run.c)
            return scores_on_the_way(examples, self.start, run.rows, run), None
        scores = np.empty(len(run.rows))
        for updates, of_rows in self._scores_of_steps():
            scores[updates] = of_rows
        return scores, None

    def _scores_of_steps(self) -> Iterator[tuple[slice, Floats]]:
        run, rows = self.run, Rows(self.run.X)
        scores = np.empty((rows.n, *self.start.shape[:-1]))
        for begin, block in self.blocks():
            for t, w in enumerate(block[:-1], start=begin + 1):
                updates = run.updates_of(t)
                of_step = run.rows[updates]
                if run.order == "batch":
                    scores = rows.scores(w)
                else:
                    i = int(of_step[0])
                    compute.backend.scores(rows.native, w, i, i + 1, scores)
                yield updates, scores[of_step]

    def _walkers(self, star: Reference | None) -> list[Walker]:
        needed = np.unique(self.run.rows)
        rows = dict(zip(needed.tolist(), self.run.lifted(needed), strict=True))
        return [
            ExactFeatures(rows, self.run, self._exact_weights(start), of_star)
            for start, of_star in self._of_classes(star)
        ]

    def least_margin(self, star: Reference) -> tuple[Fraction, int]:
        w = star.w if self.run.intercept else star.w[..., :-1]
        return least_margin(self.table, self.run.y, self.run.weights, w)

    def longest(self, *, weighted: bool = True) -> Fraction:
        c = self.run.weights if weighted else np.sign(self.run.weights)
        return longest(self.table, c, lifted=self.run.intercept)

    def ends(self, star: Reference, path: Path) -> tuple[Fraction, Fraction, Fraction]:
        start, w = self.exact_start, star.w.ravel()
        return dot(w, w), dot(start, w), dot(start, start)


class SteppedFeatures(Features):
    """Weights that are no sums of the rows: in fractions they are followed step by step."""

    @abstractmethod
    def _exact_steps(self) -> Iterator[tuple[list[Fraction], list[Fraction]]]:
        """The scores before its updates, and the weights after it."""

    def exact_path(self, star: Reference | None) -> Path:
        of_star = [Fraction(0)] if star is None else [Fraction(v) for v in star.w.tolist()]
        parts = [(list[Fraction](), self.exact_start), *self._exact_steps()]
        products = [dot(w, of_star) for _, w in parts] if star is not None else []
        return Path(
            np.array([dot(w, w) for _, w in parts], dtype=object),
            None if star is None else np.array(products, dtype=object),
            np.array([score for scores, _ in parts for score in scores], dtype=object),
            None if star is None else dot(of_star, of_star),
        )


class ProjectedFeatures(SteppedFeatures):
    """Weights that must have signs: after each step those against theirs become 0."""

    def blocks(self) -> Iterator[tuple[int, Floats]]:
        for begin, block, _ in self.steps_and_blocks():
            yield begin, block

    def steps_and_blocks(self) -> Iterator[tuple[int, Floats, Floats]]:
        """With the weights after each step as they were before the projection."""
        run, w = self.run, self.start + 0.0
        length = max(1, _BLOCK // (self.size * int(run.sizes.max(initial=1))))
        for begin in range(0, run.n_steps, length):
            end = min(begin + length, run.n_steps)
            block, moved = [w], []
            for z in self._steps(begin, end):
                moved.append(block[-1] + z)
                block.append(np.where(run.beyond(moved[-1]), 0.0, moved[-1]))
            yield begin, np.array(block), np.array(moved)
            w = block[-1]

    def _exact_steps(self) -> Iterator[tuple[list[Fraction], list[Fraction]]]:
        run, w = self.run, self.exact_start
        signs = [*(run.signs or []), 0]
        for t in range(1, run.n_steps + 1):
            made, moved, scores = run.updates_of(t), w, []
            x = run.lifted(run.rows[made]).tolist()
            for step, row in zip(run.steps[made].tolist(), x, strict=True):
                exact = [Fraction(v) for v in row]
                scores.append(dot(exact, w))
                moved = [v + Fraction(step) * xj for v, xj in zip(moved, exact, strict=True)]
            w = [v if s * v >= 0 else Fraction(0) for s, v in zip(signs, moved, strict=True)]
            yield scores, w


class JointFeatures(Features):
    """Weights of the features for each class."""

    def __init__(self, run: Run):
        super().__init__(run)
        assert run.k is not None
        assert run.rivals is not None
        self.k, self.rivals = run.k, run.rivals
        self.work = self.k * self.size
        self.size = self.work + 1

    def _steps(self, begin: int, end: int) -> Floats:
        run, edges = self.run, self.run.edges
        first, last = int(edges[begin]), int(edges[end])
        if run.order != "batch":
            return np.asarray(run.steps[first:last, None, None] * run.directions(first, last))
        z = np.zeros((end - begin, *self.start.shape))
        x = run.steps[first:last, None] * run.lifted(run.rows[first:last])
        for t, step in enumerate(z, start=begin):
            part = slice(edges[t], edges[t + 1])
            self._sum(step, x[edges[t] - first : edges[t + 1] - first], part)
        return z

    def _sum(self, step: Floats, x: Floats, part: slice) -> None:
        own, rivals = self.run.own[part], self.rivals[part]
        for c in range(self.k):
            signs = (own == c).astype(np.float64) - (rivals == c)
            some = signs != 0
            if some.any():
                step[c] = over_blocks(signs[some, None] * x[some], self.run.rows[part][some])

    def _scores(self) -> tuple[Floats, Standing | None]:
        own = self.run.own
        margins, ahead = np.empty(len(own)), np.empty(len(own))
        rivals = np.empty(len(own), dtype=np.int64)
        for updates, scores in self._scores_of_steps():
            at = np.arange(len(scores))
            rivals[updates] = standing(scores, own[updates])[1]
            recorded = scores[at, self.rivals[updates]]
            margins[updates] = scores[at, own[updates]] - recorded
            ahead[updates] = scores[at, rivals[updates]] - recorded
        return margins, Standing(rivals, ahead)


class MixedFeatures(SteppedFeatures):
    """Weights of the features after each epoch of order="mixed" with several shards.

    Shard s makes k_s of the k mistakes of an epoch. Its weights w_s have ⟨w_s, w*⟩ >=
    ⟨w, w*⟩ + k_s g and ‖w_s‖² <= ‖w‖² + k_s B, as those of single updates do; the mixture
    Σ (k_s/k) w_s has the mean of the products and, since squares are convex, at most the mean of
    the squares. So an epoch counts for Σ k_s²/k >= 1 updates.
    """

    def _shards(self, t: int) -> list[Ints]:
        """The updates of step t (from 0), by shard; those without any are left out."""
        made = np.arange(self.run.edges[t], self.run.edges[t + 1])
        shards = self.run.shards[made]
        return np.split(made, np.flatnonzero(np.diff(shards)) + 1)

    def blocks(self) -> Iterator[tuple[int, Floats]]:
        w = self.start + 0.0
        for t in range(self.run.n_steps):
            after = self._after(w, t)
            yield t, np.array([w, after])
            w = after

    def _after(self, w: Floats, t: int) -> Floats:
        run = self.run
        number = int(run.shards[run.edges[t + 1] - 1]) + 1
        moved = [np.zeros_like(w) for _ in range(number)]
        for some in self._shards(t):
            z = run.steps[some, None] * run.lifted(run.rows[some])
            last = np.add.accumulate(np.concatenate([w[None], z]), axis=0)[-1]
            moved[run.shards[some[0]]] = len(some) * (last - w)
        return np.asarray(w + folded(moved) / int(run.sizes[t]))

    def _scores(self) -> tuple[Floats, Standing | None]:
        run, scores = self.run, np.empty(len(self.run.rows))
        examples = Examples(run.X, run.y, run.c)
        for t, (w, _) in self.blocks():
            for some in self._shards(t):
                scores[some] = scores_on_the_way(examples, w, run.rows[some], run)
        return scores, None

    @np.errstate(over="ignore", invalid="ignore")
    def _doubts(self, norms2: Floats, star2: float) -> Doubts:
        """Of at most m + 16 roundings each in a step of m updates, of lengths up to ‖w‖ + Σ ‖z‖."""
        run, rows, weights = self.run, lengths_of(self.squares()), lengths_of(norms2)
        z = by_step(run, np.abs(run.steps) * rows[run.rows])
        within = weights[:-1] + weights[1:] + z
        off = SLIGHTLY_MORE * ULP * running((run.sizes + 16) * within)
        reach = off + SLIGHTLY_MORE * ULP * (self.size + 8) * np.append(within, weights[-1])
        scores = rows[run.rows] * np.repeat(reach[:-1] + off[1:], run.sizes)
        return self._off_by(reach, scores, rows, weights, star2)

    def _exact_steps(self) -> Iterator[tuple[list[Fraction], list[Fraction]]]:
        run, w = self.run, self.exact_start
        for t in range(run.n_steps):
            after, scores = w, []
            for some in self._shards(t):
                last, share = w, Fraction(len(some), int(run.sizes[t]))
                for u in some.tolist():
                    x = [Fraction(v) for v in run.lifted([int(run.rows[u])])[0].tolist()]
                    scores.append(dot(x, last))
                    step = Fraction(float(run.steps[u]))
                    last = [v + step * xj for v, xj in zip(last, x, strict=True)]
                after = [v + share * (b - a) for v, a, b in zip(after, w, last, strict=True)]
            w = after
            yield scores, w


def scores_on_the_way(examples: Examples, start: Floats, rows: Ints, run: Run) -> Floats:
    """The score of each of these rows, as the core has it, where every row makes an update."""
    every_row_calls = UpdateRule("perceptron", np.inf, run.intercept)
    if run.signs is not None:
        signs = np.array(run.signs, dtype=np.int8)
        every_row_calls = every_row_calls._replace(kind="projected", signs=signs)
    machine = Primal(examples, every_row_calls)
    machine.log = Log()
    memory = machine.start(start, averaged=False)
    at, order = 0, np.ascontiguousarray(rows)
    while at < len(order):
        at, _ = machine.visit(memory, order, at, len(order), len(order), at)
    return machine.log.arrays()[2]


class Kernelled(Space):
    """Functions Σ β_i k(x_i, ·) + b. The kernel values are taken as the numbers they are, those
    of one thread: they have the bits that they had in training."""

    def __init__(self, run: Run):
        super().__init__(run)
        assert run.kernel is not None
        self.gram = Gram(run.kernel, run.X, 2**30)
        table = as_table(run.X)
        longest, epsilon = float(squares(table).max()), float(np.finfo(table.dtype).eps)
        with np.errstate(over="ignore", invalid="ignore"):  # what is infinite decides nothing
            self.kernel_doubt = float(run.kernel.rounding(longest, table.shape[1], epsilon))
        self.size = len(run.y) + 1
        self.work = self.size * (run.k or 1)

    @cached_property
    def _diagonal(self) -> list[float]:
        with one_thread():
            return [float(self.gram.row(i)[i]) for i in range(len(self.run.y))]

    def squares(self) -> Floats:
        return np.array(self._diagonal) + self.run.intercept

    def star(self, w: Floats) -> Reference:
        kind = Sums if self.run.k is None else JointSums
        with one_thread():
            sums = kind(self.gram, w)
        return Reference(w, sums.values, sums.doubts)

    def path(self, star: Reference | None) -> Path:
        with one_thread():
            return FloatGram(self.gram, self.run, self.squares_met(), star).walk()

    def _walkers(self, star: Reference | None) -> list[Walker]:
        run = self.run
        gram = self._needed(run.start if star is None else np.vstack([run.start, star.w]))
        return [ExactGram(gram, run, start, of_star) for start, of_star in self._of_classes(star)]

    def _needed(self, coefficients: Floats) -> dict[int, Floats]:
        some = np.flatnonzero(np.atleast_2d(coefficients)[:, :-1].any(axis=0))
        with one_thread():
            return {i: self.gram.row(i) for i in np.union1d(self.run.rows, some).tolist()}

    def least_margin(self, star: Reference) -> tuple[Fraction, int]:
        run, own = self.run, (np.arange(len(self.run.y)), self.run.y)
        if run.k is None:
            margins, doubts = (run.y * star.products)[:, None], star.doubts[:, None]
        else:
            margins = star.products[own][:, None] - star.products
            doubts = star.doubts[own][:, None] + star.doubts
        rounding = doubts + 8 * ULP * (np.abs(margins) + doubts)
        least = run.weights[:, None] * (margins - rounding)
        least[run.weights == 0] = np.inf
        if run.k is not None:
            least[own] = np.inf
        row = int(np.argmin(least.min(axis=1)))
        return Fraction(float(least[row].min())), row

    def longest(self, *, weighted: bool = True) -> Fraction:
        return max(
            Fraction(c if weighted else 1) ** 2 * (Fraction(k) + self.run.intercept)
            for c, k in zip(self.run.weights.tolist(), self._diagonal, strict=True)
            if c > 0
        )

    def ends(self, star: Reference, path: Path) -> tuple[Fraction, Fraction, Fraction]:
        doubts = path.doubts
        assert path.products is not None
        assert doubts is not None
        return (
            Fraction(path.star2) + Fraction(doubts.star2),
            Fraction(path.products[0]) - Fraction(doubts.products[0]),
            Fraction(path.norms2[0]) + Fraction(doubts.norms2[0]),
        )
