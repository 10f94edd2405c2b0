"""What a certificate says of coefficients: where they run, and which columns are collinear."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from rosenblatt import verify

CoefficientSign = Literal["+", "-", "±", "0", "collinear", "?"]

_SHOWN = 4  # further terms of a formula


def coefficient_signs(document: dict[str, Any]) -> dict[str, CoefficientSign]:
    """By name: "+", "-", "±", "0", "collinear", or "?" where it is not known."""
    names, signs = _names(document), document.get("signs")
    left_out = collinear_columns(document)
    found: dict[str, CoefficientSign] = dict.fromkeys(names, "?")
    if signs is not None:
        found = {name: part["signs"] for name, part in zip(names, signs, strict=True)}
    elif document["verdict"] == "overlap":  # free is only what is orthogonal to all rows
        free = len(document["orthogonal"]) - len(left_out)
        found = dict.fromkeys(names, "?" if free else "0")
    found.update((c.column, "collinear") for c in left_out)
    return found


def class_coefficient_signs(
    document: dict[str, Any],
) -> dict[str, dict[str, CoefficientSign]] | None:
    """Of many classes, for each but the last: the same of its coefficients against the last."""
    if "signs" not in document or len(document["labels"]) == 2:
        return None
    names, signs = _names(document), [part["signs"] for part in document["signs"]]
    blocks = (signs[k : k + len(names)] for k in range(0, len(signs), len(names)))
    each = zip(document["labels"], blocks, strict=False)  # the last has none
    return {label: dict(zip(names, block, strict=True)) for label, block in each}


def collinear_columns(document: dict[str, Any]) -> list[CollinearColumn]:
    names, intercept = _names(document), bool(document["fit_intercept"])
    return [CollinearColumn.of(p, names, intercept) for p in document.get("collinear", [])]


def _names(document: dict[str, Any]) -> list[str]:
    """Of the coefficients, that of the intercept last."""
    names = list(document["columns"])
    return [*names, name_of_intercept(names)] if document["fit_intercept"] else names


def name_of_intercept(columns: list[str]) -> str:
    """Among columns of these names: one that is called so keeps its name."""
    name = "(intercept)"
    while name in columns:
        name = f"({name})"
    return name


@dataclass(frozen=True)
class CollinearColumn:
    """In every row: column = constant + Σ factor · other column."""

    column: str
    factors: dict[str, Fraction]  # by column, none of them 0
    constant: Fraction

    @classmethod
    def of(cls, part: dict[str, Any], names: list[str], intercept: bool) -> CollinearColumn:
        """As the document of a certificate has it; `names` are those of the coefficients."""
        place, vector = part["column"], [verify.number(v) for v in part["vector"]]
        shares = {name: -v / vector[place] for name, v in zip(names, vector, strict=True) if v}
        del shares[names[place]]
        constant = shares.pop(names[-1], Fraction(0)) if intercept else Fraction(0)
        return cls(names[place], shares, constant)

    def __str__(self) -> str:
        """As a formula: c = 1 − a − b."""
        terms = [(self.constant, "")] if self.constant or not self.factors else []
        terms += [(factor, name) for name, factor in self.factors.items()]
        (first, name), *rest = terms
        text = f"{_bracketed(self.column)} = {_term(first, name)}"
        for factor, name in rest[:_SHOWN]:
            text += f" {'−' if factor < 0 else '+'} {_term(abs(factor), name)}"
        more = len(rest) - _SHOWN
        return text + (f" + … ({more} more)" if more > 0 else "")


def _term(factor: Fraction, name: str) -> str:
    size = abs(factor)
    value = str(size) if size.denominator < 1000 else f"{float(size):.6g}"
    text = value if not name else _bracketed(name) if size == 1 else f"{value}·{_bracketed(name)}"
    return f"−{text}" if factor < 0 else text


def _bracketed(name: str) -> str:
    """A name with a sign in it, as town=Rome, is read as one."""
    return f"[{name}]" if "=" in name else name
