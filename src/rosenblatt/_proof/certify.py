"""certify: is there a hyperplane with every row on its right side? Decided, and proved."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext, suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt import verify
from rosenblatt._inputs import validate
from rosenblatt._proof import by_training, margins
from rosenblatt._proof import claim as say
from rosenblatt._proof.bounds import Bound
from rosenblatt._proof.check import check
from rosenblatt._proof.collinear import collinear_columns
from rosenblatt._proof.facial_reduction import ONLY_SEPARABLE, Partition
from rosenblatt._proof.findings import coefficient_signs, revealing_columns
from rosenblatt._proof.heading import head
from rosenblatt._proof.lifted_training import train_jointly
from rosenblatt._proof.limits import noting
from rosenblatt._proof.many_classes import conflict_at_sight, names_of, rows_of
from rosenblatt._proof.pair_certificates import PairCertificates
from rosenblatt._proof.parts import Sides
from rosenblatt._proof.table import Table, named, pairs_of, read, read_encoded
from rosenblatt._support.budget import Budget, LimitReached
from rosenblatt._support.one_thread import one_thread
from rosenblatt.certificate import Certificate
from rosenblatt.errors import CertificateRejected

if TYPE_CHECKING:
    from rosenblatt.data import Encoding

SEMANTICS = ("binary64", "decimal")
_MORE_TO_TELL = ("complete separation", "quasi-complete separation")
_MANY_NUMBERS = 10**5  # in a table of which products are worth several threads
_SMALL = 10**4  # numbers in a table that is worth a verdict, whatever was asked


def certify(
    X: Any,
    y: Any,
    *,
    fit_intercept: bool = True,
    sample_weight: Any = None,
    semantics: str = "binary64",
    time_limit: float | None = None,
    work_limit: int | None = None,
    encoding: Encoding | None = None,
    pairs: bool = False,
) -> Certificate:
    """Decide whether a hyperplane separates the classes, and prove it.

    The verdict is complete separation, quasi-complete separation or overlap (Albert and Anderson
    1984): it tells whether a perceptron converges and whether a logistic regression has a finite
    estimate. With more than two classes it is about weights for each class that give every row a
    higher score for its own class than for any other.

    Parameters
    ----------
    X : array, data frame or CSR matrix of shape (n, d)
        The rows. Columns of text or categories are one-hot encoded, as 0/1 columns `town=Rome`,
        but for the most frequent word: the reference level. Design matrices of patsy and
        formulaic keep their names.
    y : array of shape (n,)
        Their labels: two different ones, or more, or one.
    fit_intercept : bool
        False: hyperplanes through the origin only, as for a design with a column of ones.
    sample_weight : array of shape (n,), optional
        Rows of weight 0 are left out; other weights make no difference.
    semantics : "binary64" or "decimal"
        What the numbers mean: the floats that they are, or the decimal numbers that were written.
    time_limit : float, optional
        Seconds after which the search ends, perhaps "undecided"; checking the proof comes on top.
    work_limit : int, optional
        The same as a number of row evaluations, so that the outcome is reproducible. With neither
        limit, only arithmetic with numbers of hundreds of digits ends, after some seconds' work.
    encoding : rosenblatt.data.Encoding, optional
        How X and y came from a table: names the columns and the target, and is kept with the
        certificate.
    pairs : bool
        Certify each pair of classes, too: `pair_certificates` has them, as a table. The limits are
        those of each.

    Returns
    -------
    Certificate
        The verdict and its proof, which `verify.py` checks without trusting this function.

    Examples
    --------
    >>> from rosenblatt import certify
    >>> certificate = certify([[1], [2], [3], [3], [5], [6]], [0, 0, 0, 0, 1, 1])
    >>> certificate.verdict
    'complete separation'
    >>> certificate.geometric_margin
    Margin(lo=1.0, hi=1.0)
    """
    validate.flag("fit_intercept", fit_intercept)
    validate.flag("pairs", pairs)
    validate.one_of("semantics", semantics, SEMANTICS)
    if time_limit is not None:
        validate.positive("time_limit", time_limit)
    work_limit = validate.whole_or_none("work_limit", work_limit)
    table, encoding = read_encoded(X, y, sample_weight, encoding, semantics=semantics, many=True)

    def decided(table: Table, **more: Any) -> Certificate:
        budget = Budget(time_limit=time_limit, work_limit=work_limit)
        budget.bound(int(np.prod(table.X.shape)) * max(len(table.classes) - 1, 1))
        return _Case(table, bool(fit_intercept), semantics, budget, encoding).run(**more)

    two = ((names, decided(part)) for names, part in pairs_of(table)) if pairs else ()
    return decided(table, pairs=PairCertificates(dict(two)) if pairs else None)


def is_separable(table: Table, *, fit_intercept: bool, budget: Budget) -> Certificate:
    """This one question, decided and proved; not how wide the separation is, nor of what kind."""
    return _Case(table, fit_intercept, "binary64", budget).run(only_separable=True)


def by_training_first(
    X: Any,
    y: Any,
    *,
    encoding: Encoding | None,
    sample_weight: Any = None,
    work_limit: int,
    time_limit: float | None = None,
) -> Certificate:
    """For many columns, soon: the perceptron looks for a separator before the search does.

    If it finds one, that is proved; margins are then only bracketed, by what this one shows.
    """
    table = read(X, y, sample_weight, semantics="binary64", many=True)
    if encoding is not None:
        table = named(table, encoding)
    case = _Case(
        table, True, "binary64", Budget(time_limit=time_limit, work_limit=work_limit), encoding
    )
    case.train_first = True
    return case.run()


class _Case:
    """One table to decide about."""

    train_first = False

    def __init__(
        self,
        table: Table,
        intercept: bool,
        semantics: str,
        budget: Budget,
        encoding: Encoding | None = None,
    ):
        self.table, self.budget, self.semantics = table, budget, semantics
        self.encoding = encoding
        self.intercept = intercept
        decimal = semantics == "decimal"
        self.rows = rows_of(table, intercept=intercept, decimal=decimal, budget=budget)
        self.many = len(table.classes) > 2
        self.name = names_of(table, self.rows)
        self.sides: dict[str, Sides] = {}

    def _threads(self) -> AbstractContextManager[object]:
        """One, unless the table is so small that there are no others."""
        large = self.rows.n * self.rows.D > _MANY_NUMBERS
        return one_thread() if large else nullcontext()

    def run(
        self, *, only_separable: bool = False, pairs: PairCertificates | None = None
    ) -> Certificate:
        with self._threads(), np.errstate(all="ignore"):  # floating point only guesses here
            out = self._run(only_separable)
        origin = self.table.origin._replace(sides=self.sides)
        return Certificate(out, checked=True, origin=origin, pairs=pairs)

    def _run(self, only_separable: bool) -> dict[str, Any]:
        small = self.rows.n * self.rows.D <= _SMALL
        partition = Partition(self.rows, first_conflict=only_separable and not small)
        limits: list[str] = []
        trained = None
        with noting(limits):
            trained = self._decide(partition)
        out = head(self.table, self.intercept, self.semantics, self.budget)
        out |= say.partition_part(partition, self.name)
        if only_separable:
            self.budget.lift()
            limits += [ONLY_SEPARABLE] * (out["verdict"] in _MORE_TO_TELL)
        if out["verdict"] == "complete separation":
            out |= self._margins(partition, trained, limits, search=not only_separable)
        if not only_separable:
            self._findings(partition, out, limits)
        out["limits"] = limits
        if self.encoding is not None:
            out["encoding"] = self.encoding.to_dict()
        self._check(out)
        return out

    def _findings(self, partition: Partition, out: dict[str, Any], limits: list[str]) -> None:
        self.budget.now("finding the columns that separate")
        with noting(limits):
            collinear = collinear_columns(self.rows) if partition.done and not self.many else []
            if collinear:
                out["collinear"] = [say.collinear(c) for c in collinear]
            if out["verdict"] == "quasi-complete separation":
                found = coefficient_signs(partition, collinear)
                out["signs"] = [say.sign(s, self.name) for s in found]
        self.budget.lift()
        if not self.many and (out["separable"] or "separator" in out):
            alone = revealing_columns(self.rows)
            out["revealing"] = [say.revealing(found) for found in alone]
            self.sides = {self.table.columns[found.column]: found.sides for found in alone}

    def _decide(self, partition: Partition) -> Bound | None:
        """Find what is to be known; a bracket of the margin where it came with the search."""
        self.budget.now("looking for a separating hyperplane")
        known = conflict_at_sight(self.rows)
        train = train_jointly if self.many else by_training.train
        if by_training.is_wide(self.rows):
            return train(partition, known) if self.many else by_training.decide(partition, known)
        if self.train_first and known is None:
            with suppress(LimitReached):  # then the search decides
                return train(partition, known)
        partition.run(known)
        return None

    def _margins(
        self, partition: Partition, trained: Bound | None, limits: list[str], *, search: bool
    ) -> dict[str, Any]:
        self.budget.now("finding the largest margin")
        rows, w = self.rows, partition.separator
        assert w is not None
        bounds = {} if trained is None else {"homogeneous": trained}
        with noting(limits):
            if trained is not None or by_training.is_wide(rows):
                raise LimitReached(f"{rows.D} dimensions are too many for the largest margin")
            if search:
                bounds["homogeneous"] = margins.homogeneous(rows, partition.support, w)
                geometric = margins.geometric(rows, list(bounds["homogeneous"].weights), w)
                if geometric is not None:
                    bounds["geometric"] = geometric
        if "homogeneous" not in bounds:  # a limit struck: what is known already
            self.budget.lift()
            bounds["homogeneous"] = margins.simple(rows, w)
        if not self.intercept and not self.many:
            bounds["geometric"] = bounds["homogeneous"]
        longest = margins.radius_row(rows)
        return {
            "margins": {kind: say.margin(bound, self.name) for kind, bound in bounds.items()},
            **say.mistake_bounds(rows, self.name, bounds["homogeneous"], longest),
        }

    def _check(self, out: dict[str, Any]) -> None:
        """Nothing leaves that the verifier would reject."""
        self.budget.now("checking the proof")
        try:
            check(out, self.table.X, self.table.y, hashed=True, hear=self.budget.hear)
        except verify.Rejected as reason:
            raise CertificateRejected(
                f"A certificate was found that its verifier rejects ({reason}), so that nothing is "
                "returned. This is a mistake in rosenblatt: please report it, with the data if you "
                "can."
            ) from None
