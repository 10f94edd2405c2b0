"""The part of the document about kinds of errors: prices, thresholds, ranking, probabilities."""

from __future__ import annotations

from typing import TypedDict


class Price(TypedDict):
    """What a row labelled `actual` costs that is called `predicted`."""

    actual: str
    predicted: str
    cost: float


class Asked(TypedDict):
    objective: str  # "error" | "cost" | "balanced": what chose candidate and threshold
    costs: list[Price]  # those given; all others are 1
    class_weight: str | None
    moved: float  # how much the threshold of the score was moved; it is in the rule
    sentence: str


class OfClass(TypedDict):
    """The test rows of a label."""

    label: str
    rows: int
    errors: int
    called: int  # test rows that were called so
    recall: float | None  # the share of its rows that were found
    precision: float | None  # the share of those called so that are
    price: float | None  # of its errors, where costs were given


class Priced(TypedDict):
    """The errors on test rows, by price."""

    total: float
    per_row: float
    interval: list[float] | None  # of the price of a row; none without an error
    confidence: float
    method: str  # "bootstrap"
    always: dict[str, float]  # by label: the total if it were always said
    sentence: str


class RocCurve(TypedDict):
    """Of the test rows; thinned."""

    label: str  # the one to be found
    other: str
    points: list[list[float]]  # [share of the other rows called so, share of its rows found]
    at: list[float]  # the rule as it is written
    auc: float
    interval: list[float] | None
    confidence: float
    method: str  # "DeLong"
    sentence: str


class ThresholdPoint(TypedDict):
    """Rows with a score from the threshold on are called the label."""

    threshold: float
    probability: float | None
    called: int
    missed: int  # rows of the label that are not called so
    false: int  # rows of the other one that are
    price: float


class Thresholds(TypedDict):
    """What each threshold would do, on rows that the scoring rule had not seen; thinned."""

    label: str
    other: str
    rows: int
    how: str  # whose scores they are
    points: list[ThresholdPoint]
    chosen: ThresholdPoint  # threshold 0: the rule as it is written


class CalibrationBin(TypedDict):
    low: float
    high: float
    rows: int
    predicted: float  # mean probability
    share: float  # of the label among them
    interval: list[float]  # of the share, Clopper-Pearson


class Calibrated(TypedDict):
    """Probabilities of the label on test rows, by Platt scaling."""

    label: str
    bins: list[CalibrationBin]
    brier: float
    interval: list[float]
    confidence: float
    floor: float  # of always saying the share of the label
    slope: float  # of the score
    intercept: float
    fitted_to: int  # rows
    sentence: str


class Judged(TypedDict):
    asked: Asked
    by_class: list[OfClass]  # empty where no row was tested
    price: Priced | None
    roc: RocCurve | None  # of two labels, and so are the following
    thresholds: Thresholds | None
    calibration: Calibrated | None
