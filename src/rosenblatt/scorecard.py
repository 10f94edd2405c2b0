"""Scorecard: a rule of a few terms with whole points, which can be added up by hand."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import combinations, product
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from rosenblatt._core.rows import Examples
from rosenblatt._training.card_rule import Card, Floats, Term, minus
from rosenblatt._training.estimator import Classifier
from rosenblatt._training.fit import changing
from rosenblatt._training.monitor import Interrupted, Watch
from rosenblatt._util.progress import check_interrupt, heard_by, interrupted_by, progress, shown
from rosenblatt._util.text import Numbered, many
from rosenblatt._validation import parameters, targets
from rosenblatt._validation.rows import checked_rows, rows_to_predict
from rosenblatt._validation.signs import Signs, demanded, refuse_constant
from rosenblatt._validation.targets import sample_weights
from rosenblatt.errors import InputError

MOST_POINTS = 100


class Scorecard(Classifier):
    """A card of at most `max_terms` terms, each worth whole points from -max_points to max_points.

    The points of a row are added up; from the threshold on its class is the second one. A term is
    a count ("each of reports"), a yes or no, or a cut ("income >= 6") at a round number near a
    decile of the training rows. The card is searched for by its training errors: cards of one and
    of two yes-or-no terms are all compared, larger ones grow from the best few. All sums are whole
    numbers, so that a card says the same in SQL, in a spreadsheet and on paper.

    Parameters
    ----------
    max_terms : int, default=5
        How many terms there may be. A term more is taken only where it saves training errors; with
        validation rows their number is chosen on these.
    max_points : int, default=5
        How many points a term may earn or cost, at most 100.
    class_weight : dict, "balanced" or None, default=None
        What an error on a row of each class counts.
    signs : mapping or array of shape (d,), default=None
        Signs that points must have, for `classes_[1]`: {"income": "+", "reports": "-"}, or -1, 0
        and 1 by column. More of an income then never costs points.
    prove : bool, default=True
        Bound what any other weights on the terms of the card could do: `bracket_`.
    time_limit : float, default=1.0
        Seconds for that; the bound may then be lower than what could be proved.
    verbose : int, default=0
        1 shows how far the search is.

    Attributes
    ----------
    terms_ : list of str
        What earns points.
    points_ : array of int
        How many; of a count, for each unit.
    threshold_ : int
        The class is `classes_[1]` where the points of a row reach it.
    bracket_ : tuple or None
        (lower, upper): no weights on these terms, whole or not, make fewer training errors than
        `lower`, proved in exact arithmetic; the card makes `upper`. By weight, where rows have
        weights; with `signs`, of weights that have them. None without `prove`, or where Ctrl-C
        came first.
    training_errors_ : int
        Training rows that it gets wrong.
    errors_by_terms_ : array
        Training errors, by weight, of the best card found of no term, of one at most, and so on.
    validation_errors_ : array or None
        The same on validation rows, where there were some.
    classes_ : array of shape (2,)
        The labels.

    Examples
    --------
    >>> from rosenblatt import Scorecard
    >>> X = [[0, 25], [0, 31], [1, 44], [2, 52], [3, 47], [4, 23]]
    >>> card = Scorecard(max_terms=1).fit(X, ["yes", "yes", "yes", "no", "no", "no"])
    >>> print(card.describe())
    yes if the points reach −1:
      −1  each of x0
    >>> card.training_errors_, card.bracket_
    (0, (0, 0))
    """

    _rule: Card
    training_errors_: int
    bracket_: tuple[float, float] | None
    errors_by_terms_: NDArray[np.float64]
    validation_errors_: NDArray[np.int64] | None

    def __init__(
        self,
        max_terms: int = 5,
        max_points: int = 5,
        *,
        class_weight: Any = None,
        signs: Any = None,
        prove: bool = True,
        time_limit: float = 1.0,
        verbose: int = 0,
    ):
        self.max_terms = max_terms
        self.max_points = max_points
        self.class_weight = class_weight
        self.signs = signs
        self.prove = prove
        self.time_limit = time_limit
        self.verbose = verbose

    # --- Fitting ---

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, X_val: Any = None, y_val: Any = None
    ) -> Self:
        """Search for the card of rows X with labels y.

        With X_val and y_val the number of terms is the one with the fewest errors on these rows,
        on a tie the smallest; terms, cuts and points come from X and y alone. Ctrl-C leaves
        the estimator fitted with the best card so far, then raises KeyboardInterrupt.
        """
        with changing(self) as watch:
            self._check()
            rows = self._dense(checked_rows(self, X, reset=True))
            examples, classes = targets.examples(rows, y, sample_weight, self.class_weight)
            if len(classes) > 2:
                raise InputError(
                    "Only binary classification is supported. A card is for two classes, and "
                    f"y holds {len(classes)}: ask for one against the rest, y == label."
                )
            signs = self._demanded(rows.shape[1])
            # One for each column may be about some of the rows, as in a fold; a name was meant.
            if isinstance(self.signs, Mapping):
                refuse_constant(signs, vars(self).get("feature_names_in_"), rows)
            validation = self._validation(X_val, y_val, classes)
            with shown(lines=True) if self.verbose else heard_by(None):
                cards = self._searched(rows, examples, signs, watch)
            self.classes_ = classes
            self._choose(rows, examples, cards, validation)
            self.bracket_ = None
            if self.prove and not watch.pressed:
                self._bound(rows, examples)
        return self

    def _check(self) -> None:
        parameters.whole("max_terms", self.max_terms)
        if parameters.whole("max_points", self.max_points) > MOST_POINTS:
            instead = f"give a whole number from 1 to {MOST_POINTS}"
            raise parameters.not_allowed("max_points", self.max_points, instead)
        parameters.flag("prove", self.prove)
        parameters.positive("time_limit", self.time_limit)
        parameters.level("verbose", self.verbose)

    def _demanded(self, d: int) -> Signs | None:
        return demanded(self.signs, vars(self).get("feature_names_in_"), d)

    def _dense(self, X: Any) -> NDArray[np.float64]:
        if not isinstance(X, np.ndarray):
            raise InputError(
                "A Scorecard takes dense rows, and X is a sparse matrix: give X.toarray()."
            )
        return X.astype(np.float64, copy=False)

    def _validation(self, X: Any, y: Any, classes: NDArray[Any]) -> tuple[Any, Any] | None:
        if (X is None) != (y is None):
            raise InputError("X_val and y_val belong together: give both, or none.")
        if X is None:
            return None
        rows = self._dense(checked_rows(self, X, reset=False, name="X_val"))
        return rows, targets.encoded(targets.labels(y, len(rows), "y_val"), classes, name="y_val")

    def _searched(
        self, X: NDArray[np.float64], examples: Examples, signs: Signs | None, watch: Watch
    ) -> list[Card]:
        terms = terms_of(X, examples.c)
        Z = np.empty((len(terms), len(X)), dtype=np.int8)
        for k, term in enumerate(terms):
            Z[k] = term.values(X)
        c = np.ones(examples.n) if examples.c is None else examples.c
        # What it costs to call a row the second class, instead of the first one.
        costs = np.where(examples.y > 0, -c, c)
        search = Search(Tally(Z, costs, int(self.max_points), _of_terms(signs, terms)))
        with suppress(Interrupted), interrupted_by(watch.check_interrupt):  # what was found stays
            search.run(int(self.max_terms))
        self.errors_by_terms_ = np.array([errors for errors, _ in search.best])
        return [self._card(terms, search, card) for _, card in search.best]

    def _card(self, terms: list[Term], search: Search, card: Any) -> Card:
        cut = best_threshold(search.tally.totals(card), search.tally.costs)
        return Card(tuple(terms[k] for k, _ in card), tuple(p for _, p in card), cut.threshold)

    def _choose(
        self, X: Any, examples: Examples, cards: list[Card], validation: tuple[Any, Any] | None
    ) -> None:
        self._rule = cards[-1]
        self.validation_errors_ = None
        if validation is not None:
            rows, signs = validation
            wrong = [int((signs * card.scores(rows) < 0).sum()) for card in cards]
            self._rule, self.validation_errors_ = cards[int(np.argmin(wrong))], np.array(wrong)
        self.training_errors_ = int((examples.y * self._rule.scores(X) < 0).sum())

    def _bound(self, X: Any, examples: Examples) -> None:
        wrong, c = examples.y * self._rule.scores(X) < 0, examples.c
        upper = int(wrong.sum()) if c is None else float(c[wrong].sum())
        lower = bound(
            self._rule, X, examples.y, c, float(self.time_limit), self._demanded(X.shape[1])
        )
        self.bracket_ = (lower, upper)

    def prove_on(self, X: Any, y: Any) -> Self:
        """Bound the card on rows X with labels y, those it learned from: sets `bracket_`."""
        rows = self._rows(X)
        self._bound(rows, targets.examples(rows, y, None, self.class_weight, self.classes_)[0])
        return self

    # --- Fitted ---

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Points above the threshold, and half a one: positive where the threshold is reached."""
        rows = self._rows(X)  # first of all: this says where nothing was fitted
        return self._rule.scores(rows)

    def predict(self, X: Any) -> NDArray[Any]:
        """`classes_[1]` where the points of a row reach the threshold."""
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(np.intp)]

    def points(self, X: Any) -> NDArray[np.float64]:
        """The points of each row, added up: whole numbers."""
        rows = self._rows(X)  # first of all: this says where nothing was fitted
        return self._rule.totals(rows)

    def term_values(self, X: Any) -> NDArray[np.float64]:
        """What each term counts, of shape (n, terms): times `points_` they add up to the points.

        `minimum_errors` on these columns gives the proof of `bracket_`.
        """
        rows = self._rows(X)  # first of all: this says where nothing was fitted
        return self._rule.values(rows)

    def describe(self) -> str:
        """The card as a few lines of text."""
        head = f"{self.classes_[1]} if the points reach {minus(self.threshold_)}:"
        return "\n".join([head, *(f"  {line}" for line in self._fitted.lines(self._names))])

    @property
    def terms_(self) -> list[str]:
        return [term.words(self._names) for term in self._fitted.terms]

    @property
    def points_(self) -> NDArray[np.int64]:
        return np.array(self._fitted.points, dtype=np.int64)

    @property
    def threshold_(self) -> int:
        return self._fitted.threshold

    @property
    def _fitted(self) -> Card:
        if "_rule" not in vars(self):
            raise AttributeError("Scorecard has no card before it is fitted")
        return self._rule

    @property
    def _names(self) -> Sequence[str]:
        preprocessing = vars(self).get("preprocessing_")
        if preprocessing is not None:
            return list(preprocessing.feature_names)
        names = vars(self).get("feature_names_in_")
        return Numbered(self.n_features_in_) if names is None else list(names)

    def _rows(self, X: Any) -> NDArray[np.float64]:
        return self._dense(rows_to_predict(self, X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = False
        return tags


def bound(
    card: Card, X: Any, y: Any, sample_weight: Any, time_limit: float, signs: Signs | None
) -> float:
    """Errors that every rule with weights on the terms of the card makes: proved."""
    c = sample_weights(sample_weight, len(y))
    if not card.terms:  # nothing to weigh: one class is wrong, whichever is said
        ones = np.ones(len(y)) if c is None else c
        least = min(float(ones[y > 0].sum()), float(ones[y < 0].sum()))
        return int(least) if c is None else least
    from rosenblatt.error_bracket import minimum_errors

    values = card.values(X)
    each = _of_terms(signs, card.terms) * (values != values[0]).any(axis=0)
    bracket = minimum_errors(values, y, sample_weight=c, time_limit=time_limit, signs=each)
    return bracket.proved_lower


def _of_terms(signs: Signs | None, terms: Sequence[Term]) -> Signs:
    columns = np.array([term.column for term in terms], dtype=np.intp)
    return np.zeros(len(terms), dtype=np.int8) if signs is None else signs[columns]


# --- Errors of very many cards at once: all that differ from a given one by one term more --------
#
# Each row has a cost: minus its weight where its label is the second class, plus its weight
# elsewhere. Who says "second" from a threshold on pays the weight of all second rows plus the
# costs of the rows from there on; so the cheapest threshold is the least of the sums from above.


_TOGETHER = 1 << 20  # numbers at a time

Whole = NDArray[np.int64]
Earned = tuple[int, int]  # the number of a term, and its points


class Tally:
    """Rows by terms, in whole numbers, with the cost of each row; signs of points, by term."""

    def __init__(self, Z: NDArray[np.int8], costs: Floats, most: int, signs: Signs):
        self.Z, self.costs = Z, costs
        self.second = float(-costs[costs < 0].sum())  # the weight of the second class
        self.points = [p for size in range(1, most + 1) for p in (size, -size)]
        self.points_of_two = np.array(list(product(self.points, repeat=2)))
        self.refused = signs[:, None] * np.array(self.points) < 0
        self.most = most
        counts = Z.max(axis=1, initial=0) > 1
        self.counted = np.flatnonzero(counts).tolist()
        self.yes_no = np.flatnonzero(~counts)

    def totals(self, card: tuple[Earned, ...]) -> Whole:
        totals = np.zeros(self.Z.shape[1], dtype=np.int64)
        for term, points in card:
            totals += points * self.Z[term].astype(np.int64)
        return totals

    def errors(self, totals: Whole) -> float:
        """At the best threshold, by weight."""
        return self.second + self._least(totals)

    def _least(self, totals: Whole) -> float:
        by_total = np.bincount(totals - totals.min(), self.costs)
        return min(0.0, float(by_total[::-1].cumsum().min()))

    def with_one_more(self, totals: Whole) -> Floats:
        """Errors by term and points, of shape (terms, points)."""
        errors = np.empty((len(self.Z), len(self.points)))
        order = np.argsort(totals, kind="stable")
        size = max(1, _TOGETHER // len(totals))
        for begin in range(0, len(self.yes_no), size):
            some = self.yes_no[begin : begin + size]
            errors[some] = self._with_yes_no(some, totals[order], order)
        for term in self.counted:
            z = self.Z[term].astype(np.int64)
            errors[term] = [self._least(totals + p * z) for p in self.points]
        errors[self.refused] = np.inf
        return errors + self.second

    def _with_yes_no(self, terms: NDArray[np.intp], ranked: Whole, order: Any) -> Floats:
        """Rows where the term holds move by its points; costs are added up by total, in order."""
        begins = np.flatnonzero(np.diff(ranked, prepend=ranked[0] - 1))
        places = ranked[begins] - ranked[0]
        costs = self.costs[order]
        holds = np.add.reduceat(self.Z[terms][:, order] * costs, begins, axis=1)
        fails = np.add.reduceat(costs, begins) - holds
        room = int(places[-1]) + 1 + 2 * self.most
        sums = np.zeros((len(terms), len(self.points), room))
        sums[:, :, places + self.most] = fails[:, None]
        for k, p in enumerate(self.points):
            sums[:, k, places + self.most + p] += holds
        least: Floats = np.minimum(sums[:, :, ::-1].cumsum(axis=2).min(axis=2), 0.0)
        return least

    def of_two(self, rest: Whole, a: int, b: int) -> Floats:
        """Errors with the points p of term a and q of term b beside these totals, by (p, q)."""
        both = np.column_stack([rest - rest.min(), self.Z[a], self.Z[b]]).astype(np.int64)
        sizes = both.max(axis=0) + 1
        cells = np.bincount(np.ravel_multi_index(tuple(both.T), tuple(sizes)), self.costs)
        there = np.unravel_index(np.flatnonzero(cells), tuple(sizes))  # costs of 0 say nothing
        if not len(there[0]):
            return np.full((len(self.points), len(self.points)), self.second)
        p, q = (self.points_of_two[:, k, None] for k in (0, 1))
        totals = there[0] + p * there[1] + q * there[2]
        totals -= totals.min()
        room = int(totals.max()) + 1
        places = totals + room * np.arange(len(totals))[:, None]
        costs = np.broadcast_to(cells[np.flatnonzero(cells)], totals.shape)
        by_total = np.bincount(places.ravel(), costs.ravel(), room * len(totals))
        sums = by_total.reshape(len(totals), room)[:, ::-1].cumsum(axis=1)
        least = np.minimum(sums.min(axis=1), 0.0)
        errors = np.asarray(self.second + least.reshape(len(self.points), -1))
        errors[self.refused[a][:, None] | self.refused[b]] = np.inf
        return errors

    def pairs(self) -> list[tuple[float, tuple[Earned, Earned]]]:
        """The best card of two terms that hold or not, for each sign of both: all of them are
        compared, since points of 1 and -1 say all that two such terms can."""
        terms = self.yes_no.tolist()
        if len(terms) < 2:
            return []
        all_, both = float(self.costs.sum()), np.zeros((len(terms), len(terms)))
        size = max(1, _TOGETHER // len(terms))
        for begin in range(0, len(self.costs), size):
            some = self.Z[self.yes_no, begin : begin + size].astype(np.float64)
            both += (some * self.costs[begin : begin + size]) @ some.T
        one = both.diagonal()
        a, b = one[:, None], one[None, :]
        sums = {
            (1, 1): np.minimum(both, a + b - both),
            (1, -1): np.minimum(a - both, all_ - b + both),
            (-1, -1): np.minimum(all_ - a - b + both, all_ - both),
        }
        best = []
        for (p, q), least in sums.items():
            np.fill_diagonal(least, np.inf)
            no_p, no_q = (self.refused[terms, self.points.index(v)] for v in (p, q))
            least[no_p[:, None] | no_q] = np.inf
            i, j = (int(k) for k in np.unravel_index(least.argmin(), least.shape))
            if np.isfinite(least[i, j]):
                best.append((self.second + float(least[i, j]), ((terms[i], p), (terms[j], q))))
        return best


class Cut(NamedTuple):
    threshold: int
    errors: float


def best_threshold(totals: Whole, costs: Floats) -> Cut:
    """The cheapest one, in the middle of those that are; beyond all totals where no row is to be
    called the second class."""
    values, place = np.unique(totals, return_inverse=True)
    above = np.append(np.bincount(place, costs)[::-1].cumsum()[::-1], 0.0)
    k = int(above.argmin())
    errors = float(-costs[costs < 0].sum() + above[k])
    if k == len(values):
        return Cut(int(values[-1]) + 1, errors)
    high = int(values[k])
    low = int(values[k - 1]) + 1 if k else high
    return Cut(-((-low - high) // 2), errors)


# --- The search: the best cards of one term, of two, and so on, each from those before it --------
#
# Cards of two terms are all compared. From three on the best few cards get one term more; then each
# term in turn is exchanged for the best other one, with the best points, as long as that saves
# errors; then points of two terms are changed together. A card of more terms never has more errors.
# Nothing is drawn at random.


_KEPT = 3  # cards of each number of terms that get one more
_TRIED = 4  # terms that each of them gets
_SLACK = 1e-9  # what rounded sums of weights may be off by, as a share

Terms = tuple[Earned, ...]


class Search:
    """Cards on these terms."""

    def __init__(self, tally: Tally):
        self.tally = tally
        self._slack = _SLACK * float(np.abs(tally.costs).sum())
        self._known: dict[Terms, Floats] = {}
        self.best: list[tuple[float, Terms]] = [(self.tally.errors(self.tally.totals(())), ())]

    def run(self, most_terms: int) -> None:
        """`best` gets the card of each number of terms, also of a search that is interrupted."""
        cards: list[Terms] = [()]
        for k in range(1, min(most_terms, len(self.tally.Z)) + 1):
            grown = self._grown(cards, k)
            cards = sorted(grown, key=lambda card: _rank(grown[card], card))
            errors, card = grown[cards[0]], cards[0]
            if errors >= self.best[-1][0] - self._slack:
                errors, card = self.best[-1]
            self.best.append((errors, card))
            text = f"Scorecard: {many(k, 'term')} at most, {errors:g} training errors"
            progress(text, k, most_terms)
            if errors <= self._slack:
                return

    def _grown(self, cards: Iterable[Terms], k: int) -> dict[Terms, float]:
        errors_of: dict[Terms, float] = {}
        for begun in self._begun(cards, k):
            card, errors = self._exchanged(begun)
            errors_of[card] = errors
        kept = sorted(errors_of, key=lambda card: _rank(errors_of[card], card))[:_KEPT]
        return dict(self._together(card, errors_of[card]) for card in kept)

    def _begun(self, cards: Iterable[Terms], k: int) -> list[Terms]:
        begun = [(*c, one) for c in cards for one in self._next(c, _TRIED)]
        if k == 2:
            begun += [pair for _, pair in self.tally.pairs()]
            points, refused = self.tally.points, self.tally.refused
            alone = [
                (t, p)
                for t in self.tally.counted
                for i, p in enumerate(points)
                if not refused[t, i]
            ]
            begun += [(one, *self._next((one,), 1)) for one in alone]
        return list(dict.fromkeys(_ordered(card) for card in begun if len(card) == k))

    def _next(self, card: Terms, count: int) -> list[Earned]:
        errors = self._with_one_more(card).copy()
        errors[[term for term, _ in card]] = np.inf
        flat = np.argsort(errors.T, axis=None, kind="stable")[:count]
        points, terms = np.unravel_index(flat, errors.T.shape)
        return [
            (int(t), self.tally.points[int(p)])
            for t, p in zip(terms, points, strict=True)
            if np.isfinite(errors[t, p])
        ]

    def _with_one_more(self, card: Terms) -> Floats:
        if card not in self._known:
            check_interrupt()
            self._known[card] = self.tally.with_one_more(self.tally.totals(card))
        return self._known[card]

    def _exchanged(self, card: Terms) -> tuple[Terms, float]:
        """One term after the other for the best one in its place, until none saves errors."""
        errors, left = self.tally.errors(self.tally.totals(card)), len(card)
        k = 0
        while left:
            rest = card[:k] + card[k + 1 :]
            for term, points in self._next(rest, 1):
                now = float(self._with_one_more(rest)[term, self.tally.points.index(points)])
                if now < errors - self._slack:
                    card, errors, left = (*rest, (term, points)), now, len(card) + 1
                    k = -1
            k, left = (k + 1) % len(card), left - 1
        return _ordered(card), errors

    def _together(self, card: Terms, errors: float) -> tuple[Terms, float]:
        better = True
        while better:
            better = False
            for i, j in combinations(range(len(card)), 2):
                check_interrupt()
                rest = tuple(one for k, one in enumerate(card) if k not in (i, j))
                a, b = card[i][0], card[j][0]
                by_points = self.tally.of_two(self.tally.totals(rest), a, b)
                if by_points.min() < errors - self._slack:
                    k, m = np.unravel_index(by_points.argmin(), by_points.shape)
                    p, q = self.tally.points[int(k)], self.tally.points[int(m)]
                    card, errors, better = _ordered((*rest, (a, p), (b, q))), by_points.min(), True
        return card, float(errors)


def _ordered(card: Iterable[Earned]) -> Terms:
    return tuple(sorted(card))


def _rank(errors: float, card: Terms) -> tuple[float, int, Terms]:
    return errors, sum(abs(points) for _, points in card), card


# --- What can earn points: counts, yes or no, and cuts at round numbers near the deciles ---------


MOST_COUNTED = 20  # what a person counts on a card; larger numbers are compared with a cut
FEW = 10  # different values: each is a cut
_DECILES = np.arange(1, 10) / 10
_NEAR = 0.03  # a round number may lie so far beside a decile, as a share of the rows
_DIGITS = 15  # that every float keeps


def terms_of(X: Floats, weights: Floats | None = None) -> list[Term]:
    """All terms that these training rows offer, column by column; a weight is how many times a row
    is there."""
    c = np.ones(len(X)) if weights is None else weights
    there = c > 0
    X, c = X[there], c[there]
    return [term for j in range(X.shape[1]) for term in _of_column(j, X[:, j], c)]


def _of_column(j: int, x: Floats, c: Floats) -> list[Term]:
    values, place = np.unique(x, return_inverse=True)
    if len(values) < 2:
        return []
    if values.tolist() == [0.0, 1.0]:
        return [Term(j, 1.0, indicator=True)]
    whole = bool((values == np.floor(values)).all())
    counted = whole and values[0] >= 0 and values[-1] <= MOST_COUNTED
    counts = [Term(j)] if counted else []
    cuts = _cuts(values, np.bincount(place, c).cumsum(), whole=whole)
    return [*counts, *(Term(j, cut) for cut in cuts)]


def _cuts(values: Floats, up_to: Floats, *, whole: bool) -> list[float]:
    """`up_to`: how many rows there are up to each value."""
    if len(values) <= FEW:
        return [float(value) for value in values[1:]]
    cuts = set()
    for share in _DECILES:
        ends = np.searchsorted(up_to, (share + np.array([-_NEAR, _NEAR])) * up_to[-1])
        first, last = np.minimum(ends, len(values) - 1).tolist()
        if last == 0:
            continue  # the least value alone has so many rows
        low = values[min(first, last - 1)]
        cuts.add(between(float(low), float(values[last]), whole))
    return sorted(cuts)


def between(low: float, high: float, whole: bool) -> float:
    """The roundest number that is greater than `low` and at most `high`, near their middle."""
    middle = low / 2 + high / 2
    largest = max(abs(low), abs(high))
    if not math.isfinite(middle) or largest == 0:
        return high
    top = math.floor(math.log10(largest)) + 1
    for exponent in range(top, max(top - _DIGITS, 0 if whole else -300) - 1, -1):
        for tenths in (10, 5) if exponent > 0 or not whole else (10,):
            number = _multiple(middle, tenths, exponent - 1)
            if low < number <= high:
                return number
    return high


def _multiple(value: float, tenths: int, exponent: int) -> float:
    """The multiple of tenths · 10^exponent nearest to the value, as the float of its digits."""
    unit = float(f"{tenths}e{exponent}")
    count = value / unit if unit else math.inf
    if not abs(count) < 2**53:
        return math.nan
    return float(f"{round(count) * tenths}e{exponent}")
