"""What a certificate is about."""

from __future__ import annotations

from abc import ABC
from typing import Any

from rosenblatt import verify


class Subject(ABC):
    """Read from the document."""

    _document: dict[str, Any]

    @property
    def n_rows(self) -> int:
        """Rows that count: those of weight 0 are left out."""
        return int(self._document["rows"]) - len(self._document["dropped"])

    @property
    def n_dropped(self) -> int:
        """Rows of weight 0, which were left out."""
        return len(self._document["dropped"])

    @property
    def n_features(self) -> int:
        return len(self._document["columns"])

    @property
    def feature_names(self) -> list[str]:
        return list(self._document["columns"])

    @property
    def classes(self) -> list[str]:
        """The labels as text, the one that counts as +1 last."""
        return [label for label in self._document["labels"] if label is not None]

    @property
    def many(self) -> bool:
        """More than two classes."""
        return len(self._document["labels"]) > 2

    @property
    def fit_intercept(self) -> bool:
        return bool(self._document["fit_intercept"])

    @property
    def semantics(self) -> str:
        return str(self._document["semantics"])

    @property
    def sha256(self) -> str:
        return str(self._document["sha256"])

    @property
    def fingerprint(self) -> str | None:
        """The fingerprint of the rows: `sha256`, but of certificates of version 1."""
        return None if self._document["schema"] == verify.SCHEMAS[0] else self.sha256

    @property
    def encoding(self) -> dict[str, Any] | None:
        """How the numbers came from a table, as `rosenblatt.data.Encoding.to_dict` writes it."""
        return self._document.get("encoding")
