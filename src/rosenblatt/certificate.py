"""What was proved about a table: the verdict, its numbers, its proof."""

from __future__ import annotations

import json
import os
from typing import Any, cast, final

import numpy as np
from numpy.typing import NDArray

from rosenblatt import verify
from rosenblatt._proof import coefficients
from rosenblatt._proof.coefficients import CoefficientSign, CollinearColumn
from rosenblatt._proof.pair_certificates import PairCertificates
from rosenblatt._proof.parts import (
    ClassPair,
    Conflict,
    Margin,
    Origin,
    RevealingColumn,
    Separator,
    Verdict,
    separated_rows,
)
from rosenblatt._proof.subject import Subject
from rosenblatt._support.files import write_whole
from rosenblatt.errors import CertificateRejected, InputError

__all__ = [
    "Certificate",
    "ClassPair",
    "CoefficientSign",
    "Conflict",
    "Margin",
    "Origin",
    "PairCertificates",
    "RevealingColumn",
    "Separator",
    "Verdict",
]


@final
class Certificate(Subject):
    """The answer of `certify`, with its proof. Print it to read it in words.

    The verdicts are those of Albert and Anderson (1984). A separation is proved by a separator,
    its absence by a conflict: a Gordan (Farkas) certificate.

    Attributes
    ----------
    verdict : str
        "complete separation", "quasi-complete separation", "overlap" or "undecided".
    separable : bool or None
        Whether a hyperplane has every row strictly on the right side. None: undecided.
    separator : Separator or None
        Such a hyperplane; for quasi-complete separation one with rows on it.
    homogeneous_separator : Separator or None
        The one with the largest homogeneous margin: the best w* for the mistake bound.
    homogeneous_margin, geometric_margin : Margin or None
        For complete separation. Homogeneous: the γ of Novikoff's theorem, over unit (w, b).
        Geometric: the largest possible distance of the nearest row to a separating hyperplane;
        None where there is one class only.
    mistake_bound, best_possible_mistake_bound : int or None
        The largest number of updates that the perceptron can make, from zero weights and a row at
        a time, by Novikoff's theorem; and the smallest number that this theorem could give.
    conflict : Conflict or None
        Why no hyperplane has all rows on the right side: at most d + 2 rows that contradict each
        other. With many classes: rows with the classes they lose to.
    separated_rows : array of int or None
        The rows that a hyperplane can have strictly on the right side while no row is on the
        wrong side. None: undecided.
    coefficient_signs : dict
        By name, the signs that a coefficient takes over all hyperplanes with no row on the wrong
        side. In a logistic regression "+" and "-" run to infinity, "±" can run either way. "0"
        does not: its estimate is finite, and need not be 0. "collinear" is left out; "?": not
        known, as under complete separation.
    collinear : list of CollinearColumn
        Columns that are combinations of others: their coefficients are not determined.
    class_coefficient_signs : dict of dicts or None
        The same for quasi-complete separation of many classes: each but the last against the last.
    class_pairs : list of ClassPair or None
        For quasi-complete separation of many classes: each pair, and how many of its rows can be
        strictly right.
    pair_certificates : PairCertificates or None
        With `certify(X, y, pairs=True)`: a certificate for each pair of classes. Not saved.
    revealing_columns : list of RevealingColumn
        Columns that alone tell the label of some rows without an error: possible target leakage.
    limits : list of str
        What was cut short by a limit.
    n_rows, n_features, feature_names, classes, fit_intercept, semantics, sha256, encoding
        What the proof is about.
    """

    def __init__(
        self,
        document: dict[str, Any],
        *,
        checked: bool = False,
        origin: Origin | None = None,
        pairs: PairCertificates | None = None,
    ):
        self._document, self._checked, self._origin = document, checked, origin
        self._pairs = pairs

    @property
    def checked(self) -> bool:
        """Whether the proof was checked here: by `certify`, or by `verify` after loading."""
        return self._checked

    # --- What it is about ---

    @property
    def origin(self) -> Origin | None:
        """What is known of the table but not saved; None after loading."""
        return self._origin

    # --- What was found ---

    @property
    def verdict(self) -> Verdict:
        return cast("Verdict", str(self._document["verdict"]))

    @property
    def separable(self) -> bool | None:
        separable = self._document["separable"]
        return None if separable is None else bool(separable)

    @property
    def limits(self) -> list[str]:
        return list(self._document["limits"])

    @property
    def separator(self) -> Separator | None:
        margins = self._document.get("margins", {})
        return self._separator(margins.get("geometric", margins.get("homogeneous", self._document)))

    @property
    def homogeneous_separator(self) -> Separator | None:
        return self._separator(self._document.get("margins", {}).get("homogeneous", {}))

    def _separator(self, part: dict[str, Any]) -> Separator | None:
        return Separator.of(self._document, part)

    @property
    def homogeneous_margin(self) -> Margin | None:
        return Margin.of(self._document, "homogeneous")

    @property
    def geometric_margin(self) -> Margin | None:
        return Margin.of(self._document, "geometric")

    @property
    def mistake_bound(self) -> int | None:
        return self._whole("mistake_bound")

    @property
    def best_possible_mistake_bound(self) -> int | None:
        return self._whole("best_possible_mistake_bound")

    def _whole(self, field: str) -> int | None:
        value = self._document.get(field)
        return None if value is None else int(value, 0)

    @property
    def conflict(self) -> Conflict | None:
        return Conflict.of(self._document)

    @property
    def separated_rows(self) -> NDArray[np.intp] | None:
        return separated_rows(self._document)

    @property
    def coefficient_signs(self) -> dict[str, CoefficientSign]:
        return {} if self.many else coefficients.coefficient_signs(self._document)

    @property
    def class_coefficient_signs(self) -> dict[str, dict[str, CoefficientSign]] | None:
        return coefficients.class_coefficient_signs(self._document)

    @property
    def collinear(self) -> list[CollinearColumn]:
        return coefficients.collinear_columns(self._document)

    @property
    def class_pairs(self) -> list[ClassPair] | None:
        return ClassPair.all_of(self._document)

    @property
    def pair_certificates(self) -> PairCertificates | None:
        return self._pairs

    @property
    def revealing_columns(self) -> list[RevealingColumn]:
        parts = self._document.get("revealing", [])
        return [RevealingColumn.of(part, self.feature_names) for part in parts]

    # --- Checking, saving, showing ---

    def verify(self, X: Any, y: Any) -> None:
        """Check every claim against the data, exactly. Raises CertificateRejected if one fails."""
        from rosenblatt._proof.check import check, codes
        from rosenblatt._proof.table import read_again

        try:
            verify.check_form(self._document)
            X, names, texts = read_again(X, y, self._document)
            other = f"it is about the columns {self.feature_names}, in this order; X has {names}"
            verify.demand(names in (None, self.feature_names), other)
            signs = verify.label_signs(self._document, texts)
            check(self._document, X, codes(signs, self._document["labels"]))
        except InputError:  # of X and y
            raise
        except verify.Rejected as reason:
            raise CertificateRejected(f"The certificate is rejected: {reason}.") from None
        except (LookupError, TypeError, AttributeError, ArithmeticError, ValueError) as error:
            raise CertificateRejected(
                f"The certificate is rejected: it is malformed ({type(error).__name__}: {error})."
            ) from None
        self._checked = True

    def to_dict(self) -> dict[str, Any]:
        """The document, as `save` writes it; a copy."""
        return json.loads(json.dumps(self._document))  # type: ignore[no-any-return]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the certificate as JSON (atomic write: whole or not at all)."""
        text = json.dumps(self._document, ensure_ascii=False, indent=1)
        write_whole(path, f"{text}\n".encode(), overwrite=True)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Certificate:
        """Read a certificate. It says what it claims; `verify` says whether that is proved."""
        try:
            document = verify.load(os.fspath(path))
        except verify.Rejected as reason:
            raise InputError(f"{path} is not a certificate: {reason}.") from None
        except (ValueError, RecursionError) as error:
            raise InputError(f"{path} is not a certificate: it is not JSON ({error}).") from None
        return cls.from_dict(document, str(path))

    @classmethod
    def from_dict(cls, document: Any, name: str = "This") -> Certificate:
        """What `to_dict` gave, from anywhere: it claims, and `verify` says whether it proves."""
        if not isinstance(document, dict) or document.get("schema") not in verify.SCHEMAS:
            raise InputError(
                f"{name} is not a certificate of this version: its schema is not {verify.SCHEMA!r}."
            )
        try:
            verify.check_form(document)
        except verify.Rejected as reason:
            raise InputError(f"{name} is not a whole certificate: {reason}.") from None
        return cls(document)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Certificate) and self._document == other._document

    __hash__ = None  # type: ignore[assignment] # it is compared by what it says

    def __repr__(self) -> str:
        open_kind = self.verdict == "undecided" and self.separable is False
        verdict = "not separable" if open_kind else self.verdict
        classes = f", {len(self.classes)} classes" if self.many else ""
        return f"<Certificate: {verdict}, {self.n_rows} rows, {self.n_features} features{classes}>"

    def __str__(self) -> str:
        from rosenblatt._proof.words import as_text

        return as_text(self)

    def _repr_html_(self) -> str:
        from rosenblatt._proof.html_words import as_html

        return as_html(self)
