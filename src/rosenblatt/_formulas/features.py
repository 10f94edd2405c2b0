"""Features as they follow from the columns of a table: filled, shifted, scaled, or words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rosenblatt._formulas.language import Language
from rosenblatt.data.encode import Number
from rosenblatt.data.levels import MISSING, Words
from rosenblatt.errors import InputError

if TYPE_CHECKING:
    from rosenblatt.data import Encoding


@dataclass
class Features:
    """Says features in a language, and notes which columns they need."""

    language: Language
    encoding: Encoding | None
    names: Sequence[str]  # of the features, where there is no encoding
    inputs: list[str] = field(default_factory=list)  # columns in use, in the order of the table
    guards: list[str] = field(default_factory=list)  # conditions under which there is no answer
    notes: list[str] = field(default_factory=list)  # columns that are to be given otherwise

    def use(self, features: Sequence[int]) -> None:
        """Which features there will be."""
        wanted = set(features)
        if self.encoding is None:
            for j in sorted(wanted):
                self._take(Number(self.names[j]))
            return
        begin = 0
        for column in self.encoding.columns:
            end = begin + len(column.features)
            if not wanted.isdisjoint(range(begin, end)):
                if not isinstance(column, Number | Words):
                    raise InputError(
                        f"Column {column.name!r} holds prose, which becomes a number for each of "
                        "its words: that cannot be written as a formula. Export to ONNX (--onnx), "
                        "or train without it (--ignore)."
                    )
                self._take(column)
            begin = end

    def _take(self, column: Number | Words) -> None:
        say, name = self.language, column.name
        self.inputs.append(name)
        if isinstance(column, Number):
            if column.fill is None:
                self.guards.append(say.no_number(name))
            else:
                given = say.no(say.missing(name, words=False))
                self.guards.append(say.both(given, say.no_number(name)))
            if column.measure:
                self.notes.append(f"{name}: given as {column.measure}")
            elif self.encoding is not None and name in self.encoding.reading.numeric:
                self.notes.append(f"{name}: given as plain numbers, without signs and units")
            return
        missing, value = say.missing(name, words=True), say.word(name)
        stranger = say.no(say.is_word(value, list(column.words)))
        if column.boolean:
            stranger = say.is_no_truth(value)
        if column.missing:  # no value is a value
            self.guards.append(say.both(say.no(missing), stranger))
        else:
            self.guards += [missing, stranger]

    def of(self, j: int) -> tuple[str, bool]:
        """Feature j: a number; or a condition, and True."""
        column, place = self._column(j)
        if isinstance(column, Number):
            return self._number(column), False
        say, name = self.language, column.name
        level = "True" if column.features == [name] else column.levels[place]
        if level == MISSING and column.missing:
            return say.missing(name, words=True), True
        if column.boolean:
            true = say.is_true(say.word(name))
            return (true if level == "True" else say.no(true)), True
        return say.is_word(say.word(name), [level]), True

    def _column(self, j: int) -> tuple[Number | Words, int]:
        """The column that feature j is of, and its place among those of the column."""
        if self.encoding is None:
            return Number(self.names[j]), 0
        begin = 0
        for column in self.encoding.columns:
            if j < begin + len(column.features):
                assert isinstance(column, Number | Words)  # `use` refuses others
                return column, j - begin
            begin += len(column.features)
        raise IndexError(j)

    def _number(self, column: Number) -> str:
        """Filled, shifted and scaled, in the same operations as the encoding."""
        say = self.language
        found = say.column(column.name)
        if column.fill is not None:
            found = say.chosen(
                say.missing(column.name, words=False), say.number(column.fill), found
            )
        if column.center != 0.0:
            found = f"({found} - {say.number(column.center)})"
        if column.scale != 1.0:
            found = f"({found} / {say.number(column.scale)})"
        return found
