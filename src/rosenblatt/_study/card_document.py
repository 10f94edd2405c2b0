"""A card in the document of `rosenblatt fit`: its terms, and an example added up."""

from __future__ import annotations

from typing import TypedDict

CARD = "card of"  # so many terms: the name of a candidate


class CardTerm(TypedDict):
    """What earns points on a card."""

    text: str  # "for each of reports", "if income ≥ 6"
    feature: str
    each: bool  # the points are for each unit
    cut: float | None  # else they are for a value from here on
    indicator: bool  # a yes or no
    points: int


class Earned(TypedDict):
    """What a row earns by one term."""

    value: float
    counts: float  # how often the term counts: the value itself, or 0 or 1
    points: int


class CardExample(TypedDict):
    """A made-up row, added up."""

    earned: list[Earned]  # by term
    total: int
    label: str


class OfPoints(TypedDict):
    """Rows that it learned from with so many points."""

    lowest: int
    highest: int
    rows: int
    second: int  # of them of the label that points speak for


class CardRule(TypedDict):
    """A card: the points are added up, and the threshold decides."""

    terms: list[CardTerm]
    threshold: int
    by_points: list[OfPoints]  # from the lowest on, a twentieth of the rows or more in each
    example: CardExample
    bracket: str | None  # how far it is from the best weights on its terms, a sentence or two


class OfCard(TypedDict, total=False):
    """What a rule has besides that is a card."""

    card: CardRule
