"""Scorecard: a rule of a few terms with whole points, which can be added up by hand."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rosenblatt._cards.search import Search
from rosenblatt._cards.tally import best_threshold
from rosenblatt._cards.terms import terms_of
from rosenblatt._compute.examples import Examples
from rosenblatt._estimators.classifier import Classifier
from rosenblatt._estimators.transaction import alone, unchanged_on_error
from rosenblatt._inputs import targets, validate
from rosenblatt._inputs.weights import sample_weights
from rosenblatt._learning.watch import Interrupted, Watch
from rosenblatt._minimum.minimum_errors import minimum_errors
from rosenblatt._rules.card import Card, Term, minus
from rosenblatt._support.bar import Bar, bar, silent
from rosenblatt._support.numbered import Numbered
from rosenblatt._support.words import many
from rosenblatt.errors import InputError

MOST_POINTS = 100


class Scorecard(Classifier):
    """A card of at most `max_terms` terms, each worth whole points from -max_points to max_points.

    The points of a row are added up; from the threshold on its class is the second one. A term is
    a count ("each of reports"), a yes or no, or a cut ("income ≥ 6") at a round number near a
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
        weights. None without `prove`, or where Ctrl-C came first.
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
        prove: bool = True,
        time_limit: float = 1.0,
        verbose: int = 0,
    ):
        self.max_terms = max_terms
        self.max_points = max_points
        self.class_weight = class_weight
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
        with alone(self), Watch() as watch, unchanged_on_error(self):
            self._check()
            rows = self._dense(validate.rows(self, X, reset=True))
            examples, classes = targets.examples(rows, y, sample_weight, self.class_weight)
            if len(classes) > 2:
                raise InputError(
                    "Only binary classification is supported. A card tells two classes apart, and "
                    f"y holds {len(classes)}: ask for one against the rest, y == label."
                )
            validation = self._validation(X_val, y_val, classes)
            with bar(quiet=not self.verbose) as now:
                found = self._searched(rows, examples, watch, now)
            self.classes_ = classes
            self._choose(rows, examples, found, validation)
            self.bracket_ = None
            if self.prove and not watch.pressed:
                self._bound(rows, examples)
        return self

    def _check(self) -> None:
        validate.whole("max_terms", self.max_terms)
        if validate.whole("max_points", self.max_points) > MOST_POINTS:
            raise InputError(
                f"max_points={self.max_points!r} is not allowed: give a whole number from 1 to "
                f"{MOST_POINTS}."
            )
        validate.flag("prove", self.prove)
        validate.positive("time_limit", self.time_limit)
        validate.level("verbose", self.verbose)

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
        rows = self._dense(validate.rows(self, X, reset=False, name="X_val"))
        return rows, targets.signs(targets.labels(y, len(rows), "y_val"), classes, name="y_val")

    def _searched(
        self, X: NDArray[np.float64], examples: Examples, watch: Watch, now: Bar
    ) -> list[Card]:
        """The best card of each number of terms, from none on."""
        terms = terms_of(X, examples.c)
        Z = np.empty((len(terms), len(X)), dtype=np.int8)
        for k, term in enumerate(terms):
            Z[k] = term.values(X)
        search = Search(Z, _prices(examples), int(self.max_points), watch.check_interrupt)

        def told(k: int, errors: float) -> None:
            text = f"Scorecard: {many(k, 'term')} at most, {errors:g} training errors"
            now(text, k, self.max_terms)
            if self.verbose and now is silent:  # no terminal: plain lines
                print(text, file=sys.stderr)

        with suppress(Interrupted):  # what was found stays
            search.run(int(self.max_terms), told)
        self.errors_by_terms_ = np.array([errors for errors, _ in search.best])
        return [self._card(terms, search, card) for _, card in search.best]

    def _card(self, terms: list[Term], search: Search, card: Any) -> Card:
        """Terms in the order of the columns."""
        cut = best_threshold(search.tally.totals(card), search.tally.prices)
        return Card(tuple(terms[k] for k, _ in card), tuple(p for _, p in card), cut.threshold)

    def _choose(
        self, X: Any, examples: Examples, found: list[Card], validation: tuple[Any, Any] | None
    ) -> None:
        self._rule = found[-1]
        self.validation_errors_ = None
        if validation is not None:
            rows, signs = validation
            wrong = [int((signs * card.scores(rows) < 0).sum()) for card in found]
            self._rule, self.validation_errors_ = found[int(np.argmin(wrong))], np.array(wrong)
        self.training_errors_ = int((examples.y * self._rule.scores(X) < 0).sum())

    def _bound(self, X: Any, examples: Examples) -> None:
        """What no weights on these terms can do better than."""
        wrong, c = examples.y * self._rule.scores(X) < 0, examples.c
        upper = int(wrong.sum()) if c is None else float(c[wrong].sum())
        self.bracket_ = (bound(self._rule, X, examples.y, c, float(self.time_limit)), upper)

    def prove_on(self, X: Any, y: Any) -> Self:
        """Bound the card on rows X with labels y, those it learned from: sets `bracket_`."""
        rows = self._rows(X)
        self._bound(rows, targets.examples(rows, y, None, self.class_weight, self.classes_)[0])
        return self

    # --- Fitted ---

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Points above the threshold, and half a one: positive where the threshold is reached."""
        rows = self._rows(X)
        return self._rule.scores(rows)

    def predict(self, X: Any) -> NDArray[Any]:
        """`classes_[1]` where the points of a row reach the threshold."""
        rows = self._rows(X)
        return self.classes_[(self._rule.scores(rows) > 0).astype(np.intp)]

    def points(self, X: Any) -> NDArray[np.float64]:
        """The points of each row, added up: whole numbers."""
        rows = self._rows(X)
        return self._rule.totals(rows)

    def term_values(self, X: Any) -> NDArray[np.float64]:
        """What each term counts, of shape (n, terms): times `points_` they add up to the points.

        `minimum_errors` on these columns gives the proof of `bracket_`.
        """
        rows = self._rows(X)
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
        encoding = vars(self).get("encoding_")
        if encoding is not None:
            return list(encoding.feature_names)
        names = vars(self).get("feature_names_in_")
        return Numbered(self.n_features_in_) if names is None else list(names)

    def _rows(self, X: Any) -> NDArray[np.float64]:
        return self._dense(validate.rows_to_judge(self, X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = False
        return tags


def _prices(examples: Examples) -> NDArray[np.float64]:
    """What it costs to call a row the second class, instead of the first one."""
    c = np.ones(examples.n) if examples.c is None else examples.c
    return np.where(examples.y > 0, -c, c)


def bound(card: Card, X: Any, y: Any, sample_weight: Any, time_limit: float) -> float:
    """Errors that every rule with weights on the terms of the card makes: proved."""
    c = sample_weights(sample_weight, len(y))
    if not card.terms:  # nothing to weigh: one class is wrong, whichever is said
        ones = np.ones(len(y)) if c is None else c
        least = min(float(ones[y > 0].sum()), float(ones[y < 0].sum()))
        return int(least) if c is None else least
    found = minimum_errors(card.values(X), y, sample_weight=c, time_limit=time_limit)
    return found.proved_lower
