"""A rule as a module of JavaScript, for browsers and Node, that needs no other."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from typing import Any, final

from rosenblatt._export.expression import Language, Source, Spelled
from rosenblatt.data.dates import Days
from rosenblatt.data.formatted_numbers import Style

_WORD = """
/** A word without spaces around it; null where it is missing. */
function word(value) {
  const text = Number.isNaN(value) ? "" : String(value ?? "").trim();
  return MISSING.includes(text) ? null : text;
}
"""
_NUMBER = """
/** A number; null where it is missing, and NaN where it is no number. */
function number(value, mark = ".") {
  const text = word(value);
  if (text === null) return null;
  const own = mark === "." || typeof value !== "string";
  const plain = own ? text : text.replaceAll(".", "_").replaceAll(mark, ".");
  const found = /^[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d+)?$/.test(plain) ? Number(plain) : NaN;
  return Number.isFinite(found) ? found : NaN;
}
"""
_AS = """
/** As `read` has it; null where it is missing, and NaN where it is written otherwise. */
function as(read, value, style) {
  const text = word(value);
  return text === null ? null : read(text, style) ?? NaN;
}
"""


@final
class JavaScript(Language):
    """Numbers are the same doubles, and each operation rounds as it does here."""

    none, choice, negation = "null", "({} ? {} : {})", "!({})"
    conjunction, disjunction = " && ", "\n    || "
    no_word_for = "no formula can say"

    def column(self, source: Source) -> str:
        return f"x[{json.dumps(source.name)}]"

    def missing(self, source: Source) -> str:
        return f"{self.column(source)} === null"

    def no_number(self, source: Source) -> str:
        x = self.column(source)
        return f"({x} === null || Number.isNaN({x}))"

    def is_word(self, value: str, words: list[str]) -> str:
        one = len(words) == 1
        return f"{value} === {_text(words[0])}" if one else f"{_text(words)}.includes({value})"

    def is_truth(self, value: str, truth: bool) -> str:
        spellings = _text([str(truth).lower(), str(int(truth))])
        return f"{spellings}.includes(String({value}).toLowerCase())"

    def text(self, text: str) -> str:
        return _text(text)

    def label(self, label: Any) -> str:
        return _text(label)


def _text(value: Any) -> str:
    return json.dumps(value)  # in ASCII


def read(source: Source) -> str:
    """How a column is read."""
    value, style = f"row[{_text(source.name)}]", source.style
    if source.words:
        return f"word({value})"
    if isinstance(style, Days):
        how = {"since": style.since, "unit": style.unit, "format": style.format}
        return f"as(dated, {value}, {_text(how)})"
    if isinstance(style, Style):
        return f"as(styled, {value}, {_text({'unit': style.unit, 'decimal': style.decimal})})"
    return f'number({value}, ",")' if source.decimal == "," else f"number({value})"


def _helpers(sources: list[Source]) -> list[str]:
    """What reads the columns: for dates and units what the page of the proof has, too."""
    words = next((source.missing for source in sources), ("",))
    styles = {type(source.style) for source in sources if not source.words}
    lines = [f"const MISSING = {_text(list(words))};", _WORD]
    lines += [_NUMBER] if type(None) in styles else []
    lines += [_AS] if styles - {type(None)} else []
    for style, name in ((Days, "dates"), (Style, "formatted")):
        if style in styles:
            asset = files("rosenblatt.report") / "assets" / f"{name}.js"
            text = asset.read_text(encoding="utf-8").replace("// @ts-check\n", "")
            lines.append(re.sub(r"^export ", "", text, flags=re.MULTILINE))
    return lines


def module(rule: Spelled) -> str:
    """`predict(row)`, and what it compares."""
    language = JavaScript()
    lines = [f"// {rule.about}", "", *_helpers(rule.sources), ""]
    lines += ["/** What decides; null where a value is missing or not known. */"]
    lines += [f"export function {rule.decides}(row) {{", "  const x = {"]
    lines += [f"    {_text(source.name)}: {read(source)}," for source in rule.sources]
    lines.append("  };")
    if rule.guards:
        lines += ["  if (", f"    {language.any_of(rule.guards)}", "  ) return null;"]
    if rule.several:
        lines += ["  return [", *(f"    {sum_}," for sum_ in rule.sums), "  ];"]
    else:
        lines.append(f"  return {rule.sums[0]};")
    labels = ", ".join(language.label(label) for label in rule.labels)
    place = (
        "found.indexOf(Math.max(...found))"
        if rule.several
        else f"Number(found >= {rule.threshold})"
    )
    return "\n".join(
        [
            *lines,
            "}",
            "",
            "/** The label of a row, an object with the columns; null where there is none. */",
            "export function predict(row) {",
            f"  const found = {rule.decides}(row);",
            f"  return found === null ? null : [{labels}][{place}];",
            "}",
            "",
        ]
    )
