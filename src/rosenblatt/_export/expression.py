"""A trained rule as expressions: the score of each class, or the points of a card."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rosenblatt._core.reference import LANES
from rosenblatt._training.card_rule import Card, Term, number
from rosenblatt._training.linear_rule import LinearRule
from rosenblatt._util.spelling import either, option
from rosenblatt._util.text import Numbered
from rosenblatt.data.dialect import MISSING as SPELLED_MISSING
from rosenblatt.data.features import MISSING, OTHER, Words
from rosenblatt.data.preprocessing import Number
from rosenblatt.errors import InputError

if TYPE_CHECKING:
    from rosenblatt.data import Preprocessing
    from rosenblatt.data.dates import Days
    from rosenblatt.data.formatted_numbers import Style


@dataclass(frozen=True)
class Spelled:
    """A rule in a language."""

    sums: list[str]  # one for two classes, else one for each; of a card its points
    threshold: str  # of two classes: from there on it is the second one
    labels: list[Any]
    guards: list[str]  # conditions under which there is no answer
    sources: list[Source]  # the columns of the table that are needed
    notes: list[str]
    taken: list[str]  # names of columns that the table has beside these
    target: str | None
    is_card: bool

    @property
    def inputs(self) -> list[str]:
        return [source.name for source in self.sources]

    @property
    def several(self) -> bool:
        return len(self.labels) > 2

    @property
    def decides(self) -> str:
        """What the label follows from."""
        return "points" if self.is_card else "scores" if self.several else "score"

    @property
    def about(self) -> str:
        """In one line."""
        return " ".join(f"{'. '.join([self.sentence, *self.notes])}.".split())

    @property
    def sentence(self) -> str:
        what = self.target or "the label"
        if self.several:
            return f"{what}: the label with the highest score, on a tie the first"
        sum_ = "points reach" if self.is_card else "score reaches"
        first, second = self.labels
        return f"{what} is {second} where the {sum_} {self.threshold}, else {first}"


@dataclass(frozen=True)
class Source:
    """A column as it stands in the table."""

    name: str
    words: bool = False  # or numbers
    missing: tuple[str, ...] = ("",)  # what stands for a missing value
    decimal: str = "."
    style: Style | Days | None = None  # numbers that are dates, or written with a unit
    whole: bool = True  # no moment of training had a part of a second


def spelled(
    estimator: Any,
    preprocessing: Preprocessing | None,
    language: Language,
    *,
    on_unseen: str = "error",
) -> Spelled:
    """The rule of an estimator for the columns of the table."""
    rule = estimator._rule
    features = Features(language, preprocessing, feature_names(estimator, None), on_unseen)
    is_card = isinstance(rule, Card)
    sums = [_points(rule, features)] if is_card else _scores(rule, features)
    target = (
        None if preprocessing is None or preprocessing.target is None else preprocessing.target.name
    )
    taken = [] if preprocessing is None else [*preprocessing.inputs, *([target] if target else [])]
    return Spelled(
        sums,
        str(rule.threshold) if is_card else "0",
        estimator.classes_.tolist(),
        features.guards,
        features.sources,
        features.notes,
        taken,
        target,
        is_card,
    )


def inputs(estimator: Any, preprocessing: Preprocessing | None) -> list[str]:
    """The columns that a rule needs, in the order of the table."""
    names = feature_names(estimator, None)
    if preprocessing is not None:
        names = [column.name for column in preprocessing.columns for _ in column.features]
    return list(dict.fromkeys(names[j] for j in _used(estimator._rule)))


def _used(rule: LinearRule | Card) -> list[int]:
    """The features that have a weight, or a term."""
    if isinstance(rule, Card):
        return sorted({term.column for term in rule.terms})
    weights = np.atleast_2d(rule.weights)[:, :-1]
    return [int(j) for j in np.flatnonzero((weights != 0).any(axis=0))]


def readings(
    estimator: Any, preprocessing: Preprocessing, language: Language, *, on_unseen: str
) -> Iterator[tuple[int, str, str]]:
    """Each feature that the rule uses, the column that it is of, and its value by itself."""
    for j in _used(estimator._rule):
        features = Features(language, preprocessing, preprocessing.feature_names, on_unseen)
        features.use([j])
        value, condition = features.of(j)
        if condition:
            value = language.chosen(value, "1", "0")
        if features.guards:
            value = language.chosen(language.any_of(features.guards), language.none, value)
        yield j, features.sources[0].name, value


def check_features(estimator: Any, preprocessing: Preprocessing | None) -> None:
    d = estimator.n_features_in_
    if preprocessing is not None and len(preprocessing.feature_names) != d:
        raise InputError(
            f"The preprocessing makes {len(preprocessing.feature_names)} features, but the "
            f"estimator was trained on {d}. Give the one that made its rows, or none."
        )


def feature_names(estimator: Any, preprocessing: Preprocessing | None) -> Sequence[str]:
    if preprocessing is not None:
        return preprocessing.feature_names
    names = getattr(estimator, "feature_names_in_", None)
    return Numbered(estimator.n_features_in_) if names is None else [str(name) for name in names]


# --- Weights of the features -----------------------------------------------------------------


def _scores(rule: LinearRule, features: Features) -> list[str]:
    weights = np.atleast_2d(rule.weights)
    features.use(_used(rule))
    return [_score(w, features) for w in weights]


def _score(w: NDArray[np.float64], features: Features) -> str:
    """The score as it is defined: product j in lane j mod L, the lanes fold in halves, b is last.

    What is 0 is left out: it changes no sum.
    """
    language, products = features.language, [list[str]() for _ in range(LANES)]
    for j in np.flatnonzero(w[:-1]).tolist():
        products[j % LANES].append(_product(j, float(w[j]), features))
    lanes = [" + ".join(lane) for lane in products]  # from the left
    while len(lanes) > 1:
        half = len(lanes) // 2
        lanes = [_sum(a, b) for a, b in zip(lanes[:half], lanes[half:], strict=True)]
    return _sum(lanes[0], language.number(float(w[-1])))


def _product(j: int, weight: float, features: Features) -> str:
    language = features.language
    feature, condition = features.of(j)
    if condition:
        return language.chosen(feature, language.number(weight), language.number(0.0))
    return f"{language.number(weight)} * {feature}"


def _sum(a: str, b: str) -> str:
    return f"({a}) + ({b})" if a and b else a or b


# --- Points of a card ------------------------------------------------------------------------


def _points(card: Card, features: Features) -> str:
    features.use([term.column for term in card.terms])
    total = ""
    for term, points in zip(card.terms, card.points, strict=True):
        one = _earned(term, points, features)
        total = f"{total} + {one}" if total else one
    return total or "0"


def _earned(term: Term, points: int, features: Features) -> str:
    language = features.language
    feature, condition = features.of(term.column)
    if condition and (term.cut is None or 0 < term.cut <= 1):
        return language.chosen(feature, str(points), "0")
    if condition:
        feature = language.chosen(feature, "1", "0")
    if term.cut is None:
        return f"{points} * {feature}"
    short = number(term.cut)  # whole numbers are exact everywhere
    cut = short if short.lstrip("-").isdigit() else language.number(term.cut)
    return language.chosen(f"{feature} >= {cut}", str(points), "0")


# --- Features as they follow from the columns of a table: filled, shifted, scaled, or words -------


@dataclass
class Features:
    """Says features in a language, and notes which columns they need."""

    language: Language
    preprocessing: Preprocessing | None
    names: Sequence[str]  # of the features, where there is no preprocessing
    on_unseen: str  # "reference": words that were not seen count as the reference level
    sources: list[Source] = field(default_factory=list)  # in use, in the order of the table
    guards: list[str] = field(default_factory=list)  # conditions under which there is no answer
    notes: list[str] = field(
        default_factory=list
    )  # what a column is read as, where that is not plain

    def use(self, features: Sequence[int]) -> None:
        """Which features there will be."""
        wanted = set(features)
        if self.preprocessing is None:
            for j in sorted(wanted):
                self._take(Number(self.names[j]))
            return
        begin = 0
        for column in self.preprocessing.columns:
            end = begin + len(column.features)
            if not wanted.isdisjoint(range(begin, end)):
                if not isinstance(column, Number | Words):
                    raise InputError(
                        f"Column {column.name!r} holds prose, which becomes a number for each of "
                        "its words: that cannot be written as a formula. Export to "
                        f"{either('ONNX', 'ONNX with --onnx')}, or train without it: "
                        f"{option('ignore', column.name)}.",
                        column=column.name,
                    )
                self._take(column)
            begin = end

    def _take(self, column: Number | Words) -> None:
        language, source = self.language, source_of(column, self.preprocessing)
        self.sources.append(source)
        missing = language.missing(source)
        if isinstance(column, Number):
            language.check(source)
            if column.fill is None:
                self.guards.append(language.no_number(source))
            else:
                self.guards.append(language.both(language.no(missing), language.no_number(source)))
            if source.style is not None:
                self.notes.append(f"{source.name} is read as numbers{source.style}")
            return
        if not column.missing:
            self.guards.append(missing)
        if self.on_unseen == "reference" or column.pooled:
            return
        stranger = language.no(self._known(column, source))
        if column.missing:  # no value is a value
            stranger = language.both(language.no(missing), stranger)
        self.guards.append(stranger)

    def _known(self, column: Words, source: Source) -> str:
        language, value = self.language, self.language.word(source)
        if column.boolean:
            return language.any_of([language.is_truth(value, truth) for truth in (True, False)])
        return language.is_word(value, list(column.words))

    def of(self, j: int) -> tuple[str, bool]:
        """Feature j: a number; or a condition, and True."""
        column, place = self._column(j)
        if isinstance(column, Number):
            return self._number(column), False
        language, source = self.language, source_of(column, self.preprocessing)
        level = "True" if column.features == [column.name] else column.levels[place]
        if level == MISSING and column.missing:
            return language.missing(source), True
        if level == OTHER and column.pooled:
            known = [language.is_word(language.word(source), list(column.words))]
            others = [language.missing(source), *(known if column.words else [])]
            return language.no(language.any_of(others)), True
        if column.boolean:
            return language.is_truth(language.word(source), level == "True"), True
        return language.is_word(language.word(source), [level]), True

    def _column(self, j: int) -> tuple[Number | Words, int]:
        if self.preprocessing is None:
            return Number(self.names[j]), 0
        column, place = self.preprocessing.column_of(j)
        assert isinstance(column, Number | Words)  # `use` refuses others
        return column, place

    def _number(self, column: Number) -> str:
        """Filled, shifted and scaled, in the same operations as the preprocessing."""
        language = self.language
        source = source_of(column, self.preprocessing)
        value = language.column(source)
        if column.fill is not None:
            none = language.no_number(source)  # other text has no answer at all
            value = language.chosen(none, language.number(column.fill), value)
        if column.center != 0.0:
            value = f"({value} - {language.number(column.center)})"
        if column.scale != 1.0:
            value = f"({value} / {language.number(column.scale)})"
        return value


def source_of(column: Number | Words, preprocessing: Preprocessing | None) -> Source:
    words = isinstance(column, Words)
    if preprocessing is None:
        return Source(column.name, words)
    reading = preprocessing.reading
    missing = tuple(dict.fromkeys(word.strip() for word in (*SPELLED_MISSING, *reading.na_values)))
    seen = None if isinstance(column, Words) else column.seen
    whole = seen is None or seen.whole
    style = None if words else reading.styles.get(column.name)
    return Source(column.name, words, missing, reading.mark, style, whole)


def refused(source: Source, why: str) -> InputError:
    """A column that a language cannot read as it is written."""
    return InputError(
        f"Column {source.name!r}: {why}. Export it {either('as Python', 'with --python')}, or make "
        "it a column of plain numbers and fit again.",
        column=source.name,
    )


# --- What a language says: sums, products and comparisons are the same in all of them -------------


class Language(ABC):
    """Each method gives a piece of text; a condition is one that is true or false."""

    none: ClassVar[str]  # no answer
    choice: ClassVar[str]  # one of two values, by a condition
    negation: ClassVar[str]
    conjunction: ClassVar[str]  # between conditions, as the next one
    disjunction: ClassVar[str]
    no_word_for: ClassVar[str]  # a number that is infinite or none

    def number(self, value: float) -> str:
        """A floating-point number, to the bit where the language can."""
        if not math.isfinite(value):
            raise InputError(f"The rule holds {value}, which {self.no_word_for}.")
        return self._literal(value)

    def no(self, condition: str) -> str:
        return self.negation.format(condition)

    def both(self, first: str, second: str) -> str:
        return f"({first}{self.conjunction}{second})"

    def any_of(self, conditions: list[str]) -> str:
        return self.disjunction.join(conditions)

    def chosen(self, condition: str, yes: str, no: str) -> str:
        return self.choice.format(condition, yes, no)

    def check(self, source: Source) -> None:  # noqa: B027 - most languages read most columns
        """InputError where a column of numbers cannot be read as it is written."""

    def _literal(self, value: float) -> str:
        return f"({value!r})" if value < 0 else repr(value)

    @abstractmethod
    def column(self, source: Source) -> str:
        """The value of a column of numbers that holds one."""

    def word(self, source: Source) -> str:
        """The value of a column that holds words, or truth values."""
        return self.column(source)

    @abstractmethod
    def missing(self, source: Source) -> str:
        """The condition that a column has no value."""

    @abstractmethod
    def no_number(self, source: Source) -> str:
        """The condition that a column of numbers has no number: none at all, or some text."""

    @abstractmethod
    def is_word(self, value: str, words: list[str]) -> str:
        """The condition that this value is one of the words."""

    @abstractmethod
    def is_truth(self, value: str, truth: bool) -> str:
        """The condition that this value is true, or false, however it is spelled."""

    @abstractmethod
    def text(self, text: str) -> str:
        """Text in quotes."""

    def label(self, label: Any) -> str:
        """A label: text, a number or a truth value."""
        if isinstance(label, str):
            return self.text(label)
        return str(int(label)) if isinstance(label, bool | int) else self.number(label)
