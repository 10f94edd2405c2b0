"""A result, described once: printed by --json, shown in the terminal, embedded in report.html.

Text, numbers, lists and dicts only. Rows are counted from 0, in the order of the files. A rate is a
share of 1. None stands for what is not known, or was left out by --private.

It can be mailed whatever the table is: a list of columns, features or terms has LISTED entries at
most, and a count beside it says how many there are. model.json and certificate.json have them all.

`Fit` is the whole document. `terminal` says which of its sections the terminal shows, in its order;
templates/page.html has the order of the page.
"""

from __future__ import annotations

from typing import Any, TypedDict

# --- A card in the document of `rosenblatt fit`: its terms, and an example added up --------------


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


class CardBeside(TypedDict):
    """A card that is offered beside the rule: it learned from the same rows, and is hardly worse on
    the same test rows."""

    terms: list[CardTerm]
    threshold: int
    test_errors: int
    test_n: int
    interval: list[float] | None
    cost: float | None  # of a row, by what the rule was chosen by; None: by errors alone
    sentence: str


class OfCard(TypedDict, total=False):
    """What a rule has besides that is a card."""

    card: CardRule


# --- The part of the document about kinds of errors: costs, thresholds, ranking, probabilities ---


class CostOfPair(TypedDict):
    """What a row labelled `actual` costs that is predicted `predicted`."""

    actual: str
    predicted: str
    cost: float


class Asked(TypedDict):
    objective: str  # "error" | "cost" | "balanced": what chose candidate and threshold
    costs: list[CostOfPair]  # those given; all others are 1
    class_weight: str | None
    # what the cost, or the balanced error, is; None where errors decide and all cost the same
    meaning: str | None
    # how much the threshold of the score was moved, of more than two labels the score of each was
    # lowered; it is in the rule
    moved: float | list[float]
    sentence: str


class OfClass(TypedDict):
    """The test rows of a label."""

    label: str
    rows: int
    errors: int
    predicted: int  # test rows that were given this label
    expected: float | None  # the sum of its probabilities over all test rows
    recall: float | None  # the share of its rows that were found
    precision: float | None  # the share of those given the label that have it
    cost: float | None  # of its errors, where costs were given


class Constant(TypedDict):
    """Always the same answer."""

    label: str
    per_row: float


class Cost(TypedDict):
    """What the errors on test rows cost."""

    total: float
    per_row: float
    interval: list[float] | None  # of the cost of a row; none without an error
    interval_words: str
    confidence: float
    method: str  # "bootstrap"
    always: dict[str, float]  # by label: the total if it were always said
    baseline: Constant  # the cheapest of these
    sentence: str


class Balanced(TypedDict):
    """The mean of the error rates of the labels on test rows: each label counts the same."""

    rate: float
    interval: list[float] | None  # none by group
    interval_words: str
    confidence: float
    method: str  # "MOVER"
    baseline: float  # of always the same label, whichever
    sentence: str


class RocCurve(TypedDict):
    """Of the test rows; thinned."""

    label: str  # the one to be found
    other: str
    points: list[list[float]]  # [share of the other rows given the label, share of its rows found]
    at: list[float]  # the rule as it is written
    auc: float
    interval: list[float] | None
    confidence: float
    method: str  # "DeLong"
    sentence: str


class ThresholdPoint(TypedDict):
    """Rows with a score from the threshold on are given the label."""

    threshold: float
    probability: float | None
    predicted: int
    missed: int  # rows of the label that are not given it
    false: int  # rows of the other one that are
    cost: float


class Thresholds(TypedDict):
    """What each threshold would do, on rows that the scoring rule had not seen; thinned."""

    label: str
    other: str
    rows: int
    how: str  # whose scores they are
    costs: list[float]  # of a row that is missed, and of a false one
    points: list[ThresholdPoint]
    chosen: ThresholdPoint  # threshold 0: the rule as it is written


class CalibrationBin(TypedDict):
    low: float
    high: float
    rows: int
    predicted: float  # mean probability
    share: float  # of the label among them, or of the rows whose most probable label is theirs
    interval: list[float] | None  # of the share, as that of the error


class Calibrated(TypedDict):
    """Probabilities on test rows: of the label, by Platt scaling; of more than two labels by a
    softmax, and the bins are about the most probable label of each row."""

    label: str | None
    bins: list[CalibrationBin]
    brier: float
    interval: list[float] | None
    confidence: float
    floor: float  # of always saying the shares of the labels
    slope: float  # of the score
    intercept: float | list[float]  # of more than two labels one for each
    fitted_to: int  # rows
    sentence: str


class ErrorAnalysis(TypedDict):
    """What the test rows say; None and empty where no row was tested."""

    comparisons: list[ComparedOnTest]  # the largest class first
    error: Error | None
    confusion: Confusion | None
    asked: Asked
    by_class: list[OfClass]
    cost: Cost | None
    balanced: Balanced | None  # where the rule was chosen by it
    roc: RocCurve | None  # of two labels
    thresholds: Thresholds | None  # of two labels
    calibration: Calibrated | None


LISTED = 500
LISTED_OF_A_COLUMN = 20  # features that one column of text became
LISTED_OF_A_ROW = 20  # columns, those that weigh most


class Effect(TypedDict):
    """The chosen method, trained and tested on the same rows without these columns."""

    columns: list[str]
    test_errors: int
    test_n: int
    rate: float
    interval: list[float] | None
    sentence: str


class Followed(TypedDict, total=False):
    effect: Effect  # of leaving the columns out, where that was soon tried


class Warned(Followed):
    """Something about the data that a person should look at before believing anything else."""

    # "revealing" | "collinear" | "rare" | "identifier" | "constant" | "header" | "like missing"
    # | "unlabelled" | "dates" | "quantities" | "alike" | "like groups"; and of the rule:
    # "no better" | "worse" | "missed"
    kind: str
    columns: list[str]  # of the table; may be empty
    sentence: str
    advice: dict[str, Any]  # options that follow it, by name: {"ignore": ["share"]}


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
    repeated: int  # rows with the values of an earlier one; 0 where they are few
    columns: int  # of the table that were learned from
    features: list[str]  # the names of the numbers that they became, LISTED at most
    n_features: int
    # the labels as text; of two a score of 0 or greater means the second
    classes: list[str]
    counts: dict[str, int]  # rows by label
    target: str
    ignored: list[str]
    preprocessing: list[EncodedColumn]  # LISTED columns at most; empty for svmlight files
    warnings: list[Warned]


class Split(TypedDict):
    method: str  # "split" | "cross-validation"
    train: int  # rows; with cross-validation every row is in each of the three in turn
    validation: int
    test: int
    learned_from: int  # rows that the rule which is written was fitted on
    folds: int | None  # with cross-validation
    group: str | None  # the column whose equal values stay together
    time: str | None  # the column that rows are divided by: the latest test
    tested_from: str | None  # the first time that is tested; None, too, with --private
    seed: int
    stream: bool  # rows were divided one by one; fills and scales are those of all rows
    tested_by_all: str | None  # how every row tests, where so few did that the error may be another
    sentence: str


class Candidate(TypedDict):
    """With cross-validation errors and rows are added up over the folds."""

    name: str
    train_errors: int
    train_n: int
    validation_errors: int
    validation_n: int
    baseline: bool  # the floor, largest class and random hyperplanes: compared, not chosen
    cost: float | None  # of its validation errors; None: errors decide
    passed_over: bool  # it would have won, but by too little: another is preferred
    chosen: bool


class ComparedOnTest(TypedDict):
    """Another method on the same test rows; nothing was chosen by it."""

    name: str
    test_errors: int
    test_n: int
    interval: list[float] | None  # as that of the error
    column: bool  # it uses a single column
    cost: float | None  # of a row, by what the rule was chosen by; None: by errors alone


class Error(TypedDict):
    """Of the chosen rule, on rows that neither trained nor chose it."""

    test_errors: int
    test_n: int
    rate: float
    interval: list[float] | None  # [lo, hi]; None with too few groups
    interval_method: str  # "Clopper-Pearson", or "Korn-Graubard, by group"
    interval_words: str
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
    """counts[i][j]: test rows of labels[i] that were predicted labels[j]."""

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

    # "complete separation" | "quasi-complete separation" | "overlap" | "undecided"
    # | "overlap up to chance": not proved, and wrong with a probability of 2^-128
    # | "not separable": proved, while overlap or quasi-complete separation is open
    verdict: str
    separable: bool | None
    rows: int
    labels: list[str]
    geometric_margin: dict[str, Any] | None  # {lo, hi, exact}
    homogeneous_margin: dict[str, Any] | None
    mistake_bound: int | None  # None, too, of more than a million
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
    tolerates_labels: int | None  # so many may be wrong, and the best rules have the sign still
    tolerates_rows: int | None  # so many may be removed or added


class Forced(TypedDict):
    """About linear rules with at most so many errors on all rows, as they stand in the table."""

    rows: int
    at_least: int  # errors of every linear rule; 0: nothing was proved in the time
    errors: int  # of the best found
    rule_errors: int | None  # of the chosen rule on these rows; None: it is not a linear one
    columns: list[ForcedColumn]
    sentence: str


class Price(TypedDict):
    """Of signs that weights must have: what that costs on all rows, in errors, proved."""

    signs: dict[str, str]
    rows: int
    errors_at_least: int  # of rules with these signs
    errors_at_most: int
    at_least: int  # more than without the demand
    at_most: int
    sentence: str


class Training(TypedDict):
    """Margins and bounds: about the training rows, scaled as training saw them."""

    separable: bool | None
    rows: int
    geometric_margin: dict[str, Any] | None  # {lo, hi, exact}
    homogeneous_margin: dict[str, Any] | None
    mistake_bound: int | None  # None, too, of more than a million
    updates: int | None  # of the chosen rule, to be compared with the bound
    sentence: str


class Proof(TypedDict):
    accepted: bool
    by: str  # "the stand-alone verifier" | "the vectorised verifier"
    milliseconds: float | None
    sentence: str


class Reproduce(TypedDict):
    command: str
    without_costs: str  # the same, to which other costs can be added
    seed: int
    advised: str | None  # the command with the advice of all warnings; None where there is none
    verify: str | None  # the command; None where no certificate was written, or it claims nothing
    predict: str | None
    scorecard: str | None  # the command that makes the card which is offered beside the rule
    export: str | None  # as Python, each row of the table checked; None where it cannot be


class Answer(TypedDict):
    """The study in two sentences."""

    short: str  # "Better than guessing"
    sentence: str
    caution: str | None  # what to know before it is believed


class Beginning(ErrorAnalysis):
    """What is known before the verdict. The warnings of the data are those of columns then."""

    rosenblatt: dict[str, str]  # {version, core}
    data: Data
    split: Split
    candidates: list[Candidate]
    not_tried: dict[str, str]  # candidates that were left out, and why
    rule: Rule | None
    card: CardBeside | None  # where none was asked for, and one does as well


class Fit(Beginning):
    """The document. Where Ctrl-C cut it short, the parts that were not reached are None."""

    schema_version: int
    command: str  # "fit"
    interrupted: bool
    answer: Answer | None  # None without test rows
    learning: Learning | None
    margins: Histogram | None
    hardest_rows: list[HardRow]
    verdict: Verdict | None
    unasked: str | None  # why there is no verdict, where that was not asked
    price: Price | None  # of signs that were demanded
    forced: Forced | None  # of two classes that overlap, up to 10 numbers a row
    opinions: SecondOpinions | None  # of two classes, where rows are tested once
    progressive: Progressive | None  # not with groups, nor of streams or cards
    training: Training | None
    proof: Proof | None
    reproduce: Reproduce
    files: dict[str, str]  # {"model": path, "certificate": path, "report": path}, those written


# --- Parts of the document of `rosenblatt fit`: what other rules say, and what one pass bounds ---


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
    open: int  # not settled in the short time; half of those asked, at most
    contested_wrong: int  # test errors of the rule among the contested
    other_wrong: int  # and among all others
    bound: float | None  # of separable rows (d + 2)/(m + 1)
    examples: list[Example]  # three at most; empty with --private
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
