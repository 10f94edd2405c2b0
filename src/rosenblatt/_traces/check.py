"""All claims of the convergence proofs about one run, together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from html import escape
from typing import final

import numpy as np

from rosenblatt._traces import claims
from rosenblatt._traces.claims import FAILS, HELD, VIOLATED, WITHIN, Claim, Constants
from rosenblatt._traces.run import Run
from rosenblatt._traces.space import Space, Star

MOST_EXACT = 200_000
"""Up to so many numbers (those of the rows, times updates) a run is checked in fractions."""


@final
@dataclass(frozen=True)
class Check:
    """How each claim ended: "held", "violated", "within rounding" or "assumption fails"."""

    claims: list[Claim]
    exact: bool  # decided in fractions; otherwise in floats with a bound on their rounding
    assumption: str = ""  # which one fails, where one does

    @property
    def ok(self) -> bool:
        """No claim is violated."""
        return not self.violations

    @property
    def violations(self) -> list[Claim]:
        return [claim for claim in self.claims if claim.status == VIOLATED]

    def __getitem__(self, name: str) -> Claim:
        return next(claim for claim in self.claims if claim.name == name)

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
        counts = {
            s: [c.status for c in self.claims].count(s) for s in (HELD, VIOLATED, WITHIN, FAILS)
        }
        total = ", ".join(f"{count} {status}" for status, count in counts.items() if count)
        lines = [f"{len(self.claims)} claims, decided {how}: {total}"]
        lines += [
            f"  {name:<10}{status:<18}{statement}" + (f"   [{words}]" if words else "")
            for name, status, statement, words in self.lines()
        ]
        if self.assumption:
            lines.append(f"The theorem does not apply: {self.assumption}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in line) + "</tr>"
            for line in self.lines()
        )
        head = "".join(f"<th>{h}</th>" for h in ("claim", "", "statement", "tightest moment"))
        note = f"<p>{escape(self.assumption)}</p>" if self.assumption else ""
        return f"<table><tr>{head}</tr>{rows}</table>{note}"


def check(
    run: Run,
    space: Space,
    star: Star | None,
    no_star: str,
    true: Constants,
    *,
    radius: float | None,
    gamma: float | None,
) -> Check:
    """Test every claim; `no_star` says why there is no w*, where there is none."""
    exact = (len(run.rows) + len(np.unique(run.rows))) * space.work <= MOST_EXACT
    n = claims.numbers(run, space, star, exact=exact)
    k = true
    if radius is not None:
        k = replace(true, longest=(Fraction(radius) * true.heaviest) ** 2)
    replayed = n.path.scores if not exact else space.path(None).scores
    first = [
        claims.record(run, n, replayed),
        claims.lemma_2(run, n, k.margin),
        claims.lengths(true.longest, k.longest),
        claims.norm_grows_slowly(run, n, k),
    ]
    lemma_1 = None
    if star is not None:
        lemma_1 = claims.lemma_1(k, n.path.star2, gamma)
        if k.least <= 0:
            no_star = f"w* does not separate the rows, {lemma_1.detail}."
    if star is None or k.least <= 0:
        return Check([*first, *_without(lemma_1, no_star)], exact, no_star)
    assert lemma_1 is not None
    rest = [
        lemma_1,
        claims.product_grows_fast(run, n, k),
        claims.angle_shrinks(run, n, k),
        claims.distance_falls(run, n, k, star),
        claims.mistake_bound(run, k.bound(space, star, n.path)),
    ]
    return Check([*first, *rest], exact)


_NEED_STAR: dict[str, str] = {
    "lemma 1": "every row has c_i y_i ŵ*·x̃_i >= γ > 0",
    "product": "⟨w, w*⟩ >= ⟨w₀, w*⟩ + k γ ‖w*‖",
    "angle": "cos∠(w, w*) >= (⟨w₀, ŵ*⟩ + kγ) / √(‖w₀‖² + kβ²)",
    "distance": "‖w' - αŵ‖² <= ‖w - αŵ‖² - β²",
    "bound": "updates <= the mistake bound",
}


def _without(lemma_1: Claim | None, why: str) -> Iterator[Claim]:
    for name, statement in _NEED_STAR.items():
        if name == "lemma 1" and lemma_1 is not None:
            yield lemma_1
        else:
            yield Claim(name, statement, FAILS)
