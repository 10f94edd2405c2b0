"""All claims of the convergence proofs about one run, together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from html import escape
from typing import final

import numpy as np

from rosenblatt._traces import claims
from rosenblatt._traces.claims import Constants
from rosenblatt._traces.record import record
from rosenblatt._traces.run import Run
from rosenblatt._traces.space import Space
from rosenblatt._traces.verdict import FAILS, HELD, VIOLATED, WITHIN, Claim, Numbers
from rosenblatt._traces.walk import Path, Star

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
        counts = {
            s: [c.status for c in self.claims].count(s) for s in (HELD, VIOLATED, WITHIN, FAILS)
        }
        total = ", ".join(f"{count} {status}" for status, count in counts.items() if count)
        lines = [
            f"{len(self.claims)} claims, decided {how}: {total}. In brackets: the step where both "
            "sides are nearest, and the sides"
        ]
        lines += [self.setting] if self.setting else []
        lines += [
            f"  {name:<10}{status:<18}{statement}" + (f"   [{words}]" if words else "")
            for name, status, statement, words in self.lines()
        ]
        if self.assumption:
            lines.append(f"The theorem does not apply: {self.assumption}")
        if self.compared:
            lines.append(self.compared)
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in line) + "</tr>"
            for line in self.lines()
        )
        head = "".join(f"<th>{h}</th>" for h in ("claim", "", "statement", "tightest moment"))
        notes = [text for text in (self.setting, self.assumption, self.compared) if text]
        note = "".join(f"<p>{escape(text)}</p>" for text in notes)
        return f"<table><tr>{head}</tr>{rows}</table>{note}"


@np.errstate(over="ignore", invalid="ignore", divide="ignore")  # what is infinite decides nothing
def check(
    run: Run,
    space: Space,
    star: Star | None,
    path: Path,
    true: Constants,
    *,
    no_star: str,
    converged: bool,
    radius: float | None,
    gamma: float | None,
) -> Check:
    """Test every claim about a path; `no_star` says why there is no w*, where there is none."""
    exact = (len(run.rows) + len(np.unique(run.rows))) * space.work <= MOST_EXACT
    decided_by = space.exact_path(star) if exact else path
    n = Numbers(path, decided_by, exact, space.size, space.squares_met())
    claimed, k, rows = None, true, true.longest / space.copies
    if radius is not None:
        claimed, rows = Fraction(radius) ** 2, space.longest(weighted=False)
        k = replace(true, longest=space.copies * claimed * true.heaviest**2)
    found = [
        record(run, path, converged=converged, kernel_doubt=space.kernel_doubt),
        claims.lemma_2(run, n, k.margin),
        claims.lengths(rows, claimed, run.c is not None),
        claims.norm_grows_slowly(run, n, k),
    ]
    if star is None:
        return Check([*found, *_without(run)], exact, no_star)
    lemma_1 = claims.lemma_1(run, k, gamma)
    bound = k.bound
    if bound is None:
        why = (
            _no_inner_product("w*")
            if k.least > 0
            else f"w* does not separate the rows, {lemma_1.detail}."
        )
        return Check([*found, lemma_1, *list(_without(run))[1:]], exact, why)
    distance = claims.distance_falls(run, n, k, star)
    theorem, why = claims.mistake_bound(run, bound), ""
    if theorem.status == VIOLATED and distance.status == WITHIN:
        theorem = replace(theorem, status=WITHIN)  # updates that only rounding called for
    elif theorem.status == VIOLATED and distance.status == HELD and not run.linear():
        # The distance fell at every step, below zero: there is no such distance.
        theorem, why = replace(theorem, status=FAILS), _no_inner_product("w - αŵ*")
    found += [lemma_1, claims.product_grows_fast(run, n, k), claims.angle_shrinks(run, n, k)]
    return Check([*found, distance, theorem], exact, why, setting=claims.setting(run, k, bound))


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
        words = claims.every_margin(run) + statement if name == "lemma 1" else statement
        yield Claim(name, words, FAILS)
