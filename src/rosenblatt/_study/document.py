"""What `rosenblatt fit` found, as one document: printed by --json, embedded in report.html.

Text, numbers, lists and dicts only. Rows are counted from 0, in the order of the files. A rate is a
share of 1. None stands for what is not known, or was left out by --no-rows.

It can be mailed whatever the table is: a list of columns, features or terms has LISTED entries at
most, and a count beside it says how many there are. model.json and certificate.json have them all.
"""

from __future__ import annotations

from typing import Any, TypedDict

from rosenblatt._study.card_document import OfCard
from rosenblatt._study.judged_document import Judged
from rosenblatt._study.opinion_document import Progressive, SecondOpinions

LISTED = 500
LISTED_OF_A_COLUMN = 20  # features that one column of text became
LISTED_OF_A_ROW = 20  # columns, those that weigh most


class Warned(TypedDict):
    """Something about the data that a person should look at before believing anything else."""

    # "revealing" | "collinear" | "rare" | "identifier" | "constant" | "header" | "like missing"
    # | "unlabelled"; and of the rule: "no better" | "worse" | "missed"
    kind: str
    columns: list[str]  # of the table; may be empty
    sentence: str


class EncodedColumn(TypedDict):
    """How a column of the table became numbers."""

    name: str
    kind: str  # "number" | "text" | "boolean"
    features: list[str]  # the names of the numbers it became, LISTED_OF_A_COLUMN at most
    n_features: int
    reference: str | None  # text: the value that has no number of its own, and weight 0
    center: float | None  # numbers: x became (x - center) / scale, see split
    scale: float | None
    fill: float | None  # what stands for a missing number


class Data(TypedDict):
    files: list[str]
    rows: int
    columns: int  # of the table that were learned from
    features: list[str]  # the names of the numbers that they became, LISTED at most
    n_features: int
    # the labels as text; of two a score of 0 or greater means the second
    classes: list[str]
    counts: dict[str, int]  # rows by label
    target: str
    ignored: list[str]
    encoding: list[EncodedColumn]  # LISTED columns at most; empty for svmlight files
    warnings: list[Warned]


class Split(TypedDict):
    method: str  # "split" | "cross-validation"
    train: int  # rows; with cross-validation every row is in each of the three in turn
    validation: int
    test: int
    learned_from: int  # rows that the rule which is written was fitted on
    folds: int | None  # with cross-validation
    group: str | None  # the column whose equal values stay together
    seed: int
    stream: bool  # rows were divided one by one; fills and scales are those of all rows
    sentence: str


class Candidate(TypedDict):
    """With cross-validation errors and rows are added up over the folds."""

    name: str
    train_errors: int
    train_n: int
    validation_errors: int
    validation_n: int
    baseline: bool  # the floor, largest class and random hyperplanes: compared, not chosen
    peer: bool  # somebody else's rule: for comparison, not written
    price: float | None  # of its validation errors; None: errors decide
    passed_over: bool  # it has no weights, and would have won by less than a standard error
    chosen: bool


class Error(TypedDict):
    """Of the chosen rule, on rows that neither trained nor chose it."""

    test_errors: int
    test_n: int
    rate: float
    interval: list[float]  # [lo, hi], Clopper-Pearson
    confidence: float  # 0.95
    majority_label: str
    majority_errors: int  # of "always <majority_label>" on the same rows
    sentence: str
    optimism: str  # why the winner's validation error is too low, in a sentence or two


class Term(TypedDict):
    feature: str
    indicator: bool  # the feature is 1 where a column has some value, else 0
    weight: float  # for a number as it stands in the table
    scaled_weight: float  # for one standard deviation of the training rows: how heavy it is


class ClassRule(TypedDict):
    """The score of a class: the sum of weight times feature, plus the constant."""

    label: str
    terms: list[Term]  # the heaviest: LISTED by the number of classes, 20 at least
    n_terms: int
    constant: float


class Difference(TypedDict):
    """Two classes: `label` has no lower score than `other` where the sum reaches the threshold."""

    label: str
    other: str
    terms: list[Term]
    n_terms: int
    threshold: float
    sentence: str


class OfManyClasses(TypedDict, total=False):
    """What a rule of more than two classes has besides, where it has weights."""

    classes: list[ClassRule]
    differences: list[Difference]  # of each class from its nearest rival


class Rule(OfManyClasses, OfCard):
    """The label is `label` where the sum of weight times feature reaches the threshold.

    Of more than two classes it is the one with the highest score; these fields are empty then.
    """

    name: str  # of the candidate
    terms: list[Term]  # the LISTED heaviest; empty for a kernel, which has no weights of features
    n_terms: int
    references: list[str]  # levels of text that have no term: their weight is 0; LISTED at most
    threshold: float | None
    label: str | None
    other: str | None
    sentence: str


class Learning(TypedDict):
    mistakes: list[int]  # rows that called for an update, by epoch
    kept: list[int] | None  # training errors of the rule that would be returned after each epoch
    rows: int  # training rows
    updates: int
    epochs: int
    ended: str  # why, in words


class Histogram(TypedDict):
    """Signed distances to the hyperplane, scaled training rows; below 0 is the wrong side.

    Of more than two classes: to the nearest hyperplane between a row's own class and another one.
    """

    edges: list[float]  # one more than counts
    counts: dict[str, list[int]]  # by label
    unit: str  # "distance" in standard deviations | "score" of a kernel rule
    sample: int | None  # so many training rows stand for all of them; None: all are counted


class Confusion(TypedDict):
    """counts[i][j]: test rows of labels[i] that were called labels[j]."""

    labels: list[str]
    counts: list[list[int]]


class HardRow(TypedDict):
    row: int  # of the table, from 0
    updates: int
    label: str
    predicted: str
    values: dict[str, Any]  # by column of the table, the LISTED_OF_A_ROW heaviest columns first


class Pairs(TypedDict, total=False):
    """What a verdict on more than two classes has besides."""

    # where separation is quasi-complete {first, second, rows, separated}, LISTED at most
    class_pairs: list[dict[str, Any]] | None


class Verdict(Pairs):
    """About all rows with a label, the numbers as they stand in the table."""

    verdict: str  # "complete separation" | "quasi-complete separation" | "overlap" | "undecided"
    separable: bool | None
    rows: int
    labels: list[str]
    geometric_margin: dict[str, Any] | None  # {lo, hi, exact}
    homogeneous_margin: dict[str, Any] | None
    mistake_bound: int | None
    conflict: dict[str, Any] | None  # {rows, labels}; of more than two classes {…, rivals}
    infinite_coefficients: dict[str, str] | None  # by feature, LISTED at most: "+", "-" or "±"
    revealing_columns: list[str]
    rare_columns: list[str]  # those among them that differ in a few rows only
    rare_numbers: list[str]  # those of the rare columns that stand for no category
    collinear: list[str]  # columns that are combinations of others, as formulas; LISTED at most
    limits: list[str]
    sha256: str
    separated_rows: int | None  # how many
    meeting_point: dict[str, float] | None  # by feature, LISTED at most: where both classes meet
    sentence: str
    chance: str | None  # of a separation that says little: how likely coin tosses have one
    text: str  # the whole certificate in words, several lines


class ForcedColumn(TypedDict):
    """What rules with weight 0 or the other sign cost, and so whether the sign is forced."""

    feature: str
    sign: str | None  # "+" | "-"; None: not known to be forced
    free: bool  # a rule with so few errors has weight 0 there or the other sign
    collinear: bool  # it is a combination of others: its weight can always be 0
    otherwise_at_least: int
    otherwise_at_most: int


class Forced(TypedDict):
    """About linear rules with at most so many errors on all rows, as they stand in the table."""

    rows: int
    at_least: int  # errors of every linear rule; 0: nothing was proved in the time
    errors: int  # of the best found
    rule_errors: int | None  # of the chosen rule on these rows; None: it is not a linear one
    columns: list[ForcedColumn]
    sentence: str


class Training(TypedDict):
    """Margins and bounds: about the training rows, scaled as training saw them."""

    separable: bool | None
    rows: int
    geometric_margin: dict[str, Any] | None  # {lo, hi, exact}
    homogeneous_margin: dict[str, Any] | None
    mistake_bound: int | None
    updates: int | None  # of the chosen rule, to be compared with the bound
    sentence: str


class Proof(TypedDict):
    accepted: bool
    by: str  # "the stand-alone verifier" | "the vectorised verifier"
    milliseconds: float | None
    sentence: str


class Reproduce(TypedDict):
    command: str
    seed: int
    verify: str | None  # the command; None where no certificate was written
    predict: str | None


class Beginning(Judged):
    """What is known before the verdict. The warnings of the data are those of columns then."""

    rosenblatt: dict[str, str]  # {version, core}
    data: Data
    split: Split
    candidates: list[Candidate]
    not_tried: dict[str, str]  # candidates that were left out, and why
    error: Error | None
    rule: Rule | None


class Fit(Beginning):
    """The document. Where Ctrl-C cut it short, the parts that were not reached are None."""

    schema_version: int
    command: str  # "fit"
    interrupted: bool
    learning: Learning | None
    margins: Histogram | None
    confusion: Confusion | None
    hardest_rows: list[HardRow]
    verdict: Verdict | None
    unasked: str | None  # why there is no verdict, where that was not asked
    forced: Forced | None  # of two classes that overlap, up to 10 numbers a row
    opinions: SecondOpinions | None  # of two classes, where rows are tested once
    progressive: Progressive | None  # not with groups, nor of streams or cards
    training: Training | None
    proof: Proof | None
    reproduce: Reproduce
    files: dict[str, str]  # {"model": path, "certificate": path, "report": path}, those written
