"""Parts of the document of `rosenblatt fit`: what other rules say, and what one pass bounds."""

from __future__ import annotations

from typing import TypedDict


class Example(TypedDict):
    """A test row that is contested, or where there is none another one."""

    row: int  # of the table, from 0
    label: str
    answer: str  # of the rule
    status: str  # "contested" | "open" | "forced" | "overruled"
    sentence: str


class SecondOpinions(TypedDict):
    """Whether other linear rules with few errors on the training rows answer test rows alike."""

    asked: int  # test rows, some or all of them
    test_rows: int  # all of them
    train: int  # training rows
    separable: bool
    errors: int  # of so many or fewer rules are asked
    contested: int  # rows to which one of them gives the other answer
    forced: int  # all give the answer
    overruled: int  # all give the other one
    open: int  # not settled in the short time
    contested_wrong: int  # test errors of the rule among the contested
    other_wrong: int  # and among all others
    bound: float | None  # of separable rows (d + 2)/(m + 1)
    examples: list[Example]  # three at most; empty with --no-rows
    sentence: str


class Support(TypedDict):
    """Of separable rows: the separator of the largest margin, by the rows that determine it."""

    rows: int  # so many
    bound: float  # of its error on new rows, with the same confidence


class Progressive(TypedDict):
    """One pass over all rows in random order, each judged before it is learned from."""

    rows: int  # those of the second half, which count
    mistakes: int  # of them
    bound: float  # of the mean error on new rows of the rules met there
    confidence: float  # 0.95
    lam: float  # λ, fixed by the first half
    support: Support | None
    sentence: str
