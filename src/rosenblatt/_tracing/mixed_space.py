"""order="mixed" with several shards: a step is an epoch, after which their weights are mixed.

Shard s makes k_s of the k mistakes of an epoch. Its weights w_s have ⟨w_s, w*⟩ >= ⟨w, w*⟩ + k_s g
and ‖w_s‖² <= ‖w‖² + k_s B, as those of single updates do; the mixture Σ (k_s/k) w_s has the mean of
the products and, since squares are convex, at most the mean of the squares. So an epoch counts for
Σ k_s²/k >= 1 updates.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from rosenblatt._core.rows import Examples
from rosenblatt._core.summation import folded
from rosenblatt._tracing.rounding import (
    SLIGHTLY_MORE,
    ULP,
    Doubts,
    by_step,
    lengths_of,
    of_reach,
    running,
)
from rosenblatt._tracing.run import Floats, Ints
from rosenblatt._tracing.space import Features, scores_on_the_way
from rosenblatt._tracing.walk import Path, Reference, Standing
from rosenblatt.theory.bounds import dot


class MixedFeatures(Features):
    """Weights of the features, those after each epoch."""

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
                scores[some] = scores_on_the_way(examples, w, run.rows[some], run.intercept)
        return scores, None

    @np.errstate(over="ignore", invalid="ignore")
    def _doubts(self, norms2: Floats, star2: float) -> Doubts:
        """Of at most m + 16 roundings each in a step of m updates, of lengths up to ‖w‖ + Σ ‖z‖."""
        run, rows, weights = self.run, lengths_of(self.squares()), lengths_of(norms2)
        z = by_step(run, np.abs(run.steps) * rows[run.rows])
        within = weights[:-1] + weights[1:] + z
        off = SLIGHTLY_MORE * ULP * running((run.sizes + 16) * within)
        reach = off + SLIGHTLY_MORE * ULP * (self.size + 8) * np.append(within, weights[-1])
        scores, size = rows[run.rows] * np.repeat(reach[:-1] + off[1:], run.sizes), self.size
        return of_reach(
            run, scores, rows=rows, weights=weights, reach=reach, star2=star2, size=size
        )

    def exact_path(self, star: Reference | None) -> Path:
        run, w = self.run, list(self.exact_start)
        of_star = None if star is None else [Fraction(v) for v in star.w.tolist()]
        scores: list[Fraction] = []
        norms2 = [dot(w, w)]
        products = [] if of_star is None else [dot(w, of_star)]
        for t in range(run.n_steps):
            after = list(w)
            for some in self._shards(t):
                last, share = list(w), Fraction(len(some), int(run.sizes[t]))
                for u in some.tolist():
                    x = [Fraction(v) for v in run.lifted([int(run.rows[u])])[0].tolist()]
                    scores.append(dot(x, last))
                    step = Fraction(float(run.steps[u]))
                    last = [v + step * xj for v, xj in zip(last, x, strict=True)]
                after = [v + share * (b - a) for v, a, b in zip(after, w, last, strict=True)]
            w = after
            norms2.append(dot(w, w))
            if of_star is not None:
                products.append(dot(w, of_star))
        return Path(
            np.array(norms2, dtype=object),
            None if of_star is None else np.array(products, dtype=object),
            np.array(scores, dtype=object),
            None if of_star is None else dot(of_star, of_star),
        )
