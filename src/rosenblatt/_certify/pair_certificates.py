"""A certificate for each pair of classes, shown as a table."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, final

from rosenblatt._util.text import row_number

if TYPE_CHECKING:
    from rosenblatt.certificate import Certificate, Margin

Pair = tuple[str, str]


@final
class PairCertificates(Mapping[Pair, "Certificate"]):
    """By the two labels, as text: what `certify` says about the rows of these two classes alone.

    Rows keep the numbers that they have in the whole table; those of other classes are left out.
    """

    def __init__(self, certificates: dict[Pair, Certificate]):
        self._certificates = certificates

    def __getitem__(self, pair: Pair) -> Certificate:
        return self._certificates[pair]

    def __iter__(self) -> Iterator[Pair]:
        return iter(self._certificates)

    def __len__(self) -> int:
        return len(self._certificates)

    def table(self) -> list[dict[str, Any]]:
        return [
            {
                "classes": list(pair),
                "rows": certificate.n_rows,
                "verdict": certificate.verdict,
                "separable": certificate.separable,
                "geometric_margin": _shown(certificate.geometric_margin),
                "conflict_rows": certificate.conflict and certificate.conflict.rows,
            }
            for pair, certificate in self._certificates.items()
        ]

    def _cells(self) -> list[tuple[str, ...]]:
        last = f"margin, or rows in conflict (counted from {row_number(0)})"
        head = ("classes", "rows", "verdict", last)
        return [head, *(_line(pair, one) for pair, one in self._certificates.items())]

    def __str__(self) -> str:
        cells = self._cells()
        width = [max(len(line[k]) for line in cells) for k in range(3)]
        rows = (
            f"{a:<{width[0]}}  {n:>{width[1]}}  {verdict:<{width[2]}}  {last}"
            for a, n, verdict, last in cells
        )
        return "\n".join(row.rstrip() for row in rows)

    def _repr_html_(self) -> str:
        def row(line: tuple[str, ...], cell: str) -> str:
            return "".join(f"<{cell}>{html.escape(text)}</{cell}>" for text in line)

        head, *body = self._cells()
        lines = "".join(f"<tr>{row(line, 'td')}</tr>" for line in body)
        return f"<table><tr>{row(head, 'th')}</tr>{lines}</table>"


def _shown(margin: Margin | None) -> list[float] | None:
    return None if margin is None else [margin.lo, margin.hi]


def _line(pair: Pair, certificate: Certificate) -> tuple[str, ...]:
    margin, conflict = certificate.geometric_margin, certificate.conflict
    if margin is not None:
        last = f"{margin.lo:.6g}" if margin.exact else f"{margin.lo:.6g} to {margin.hi:.6g}"
    elif conflict is not None:
        last = ", ".join(str(row_number(i)) for i in conflict.rows[:6])
        last += ", …" if len(conflict.rows) > 6 else ""
    else:
        last = "; ".join(certificate.limits)
    return f"{pair[0]} | {pair[1]}", f"{certificate.n_rows:,}", certificate.verdict, last
