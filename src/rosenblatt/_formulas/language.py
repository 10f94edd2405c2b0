"""What a language must be able to say; sums, products and brackets are the same in all of them."""

from __future__ import annotations

from typing import Any, Protocol


class Language(Protocol):
    """Each method gives a piece of text; a condition is one that is true or false."""

    def number(self, value: float) -> str:
        """A floating-point number, to the bit where the language can."""

    def column(self, name: str) -> str:
        """The value of a column that holds numbers."""

    def word(self, name: str) -> str:
        """The value of a column that holds words, or truth values."""

    def missing(self, name: str, *, words: bool) -> str:
        """The condition that a column has no value."""

    def no_number(self, name: str) -> str:
        """The condition that a column of numbers has no number: none at all, or some text."""

    def is_word(self, value: str, words: list[str]) -> str:
        """The condition that this value is one of the words."""

    def is_true(self, value: str) -> str:
        """The condition that this value is true, however it is spelled."""

    def is_no_truth(self, value: str) -> str:
        """The condition that this value is neither true nor false."""

    def no(self, condition: str) -> str:
        """The condition that another one does not hold."""

    def both(self, first: str, second: str) -> str:
        """The condition that two others hold."""

    def either(self, conditions: list[str]) -> str:
        """The condition that one of several holds."""

    def chosen(self, condition: str, yes: str, no: str) -> str:
        """One of two values."""

    def label(self, label: Any) -> str:
        """A label: text, a number or a truth value."""
