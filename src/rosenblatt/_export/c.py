"""A rule as C99: a struct of the columns, a function that gives the place of the label.

The caller reads: numbers are doubles, and words text in UTF-8. Dates are the number that the
comment beside their field describes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import final

from rosenblatt._export.expression import Language, Source, Spelled

_KEYWORDS = (
    "auto break case char const continue default do double else enum extern float for goto if "
    "inline int long register restrict return short signed sizeof static struct switch typedef "
    "union unsigned void volatile while"
)
_IS = """
static int is(const char *value, const char *word) {
  return value != NULL && strcmp(value, word) == 0;
}
"""
_TRUTH = """
static int truth(const char *value, const char *name, const char *digit) {
  size_t k = 0;
  if (value == NULL) return 0;
  while (value[k] && tolower((unsigned char)value[k]) == name[k]) ++k;
  return (value[k] == 0 && name[k] == 0) || strcmp(value, digit) == 0;
}
"""


@final
class C(Language):
    """C99 with doubles of 64 bits: the same ones, and each operation rounds as it does here."""

    none, choice, negation = "-1", "({} ? {} : {})", "!({})"
    conjunction, disjunction = " && ", "\n      || "
    no_word_for = "no formula can say"

    def __init__(self, columns: Sequence[str]):
        self.fields = _fields(columns)

    def column(self, source: Source) -> str:
        return f"row->{self.fields[source.name]}"

    def missing(self, source: Source) -> str:
        x = self.column(source)
        return f"{x} == NULL" if source.words else f"isnan({x})"

    def no_number(self, source: Source) -> str:
        return f"!isfinite({self.column(source)})"

    def is_word(self, value: str, words: list[str]) -> str:
        each = [f"is({value}, {self.text(word)})" for word in words]
        return each[0] if len(each) == 1 else f"({' || '.join(each)})"

    def is_truth(self, value: str, truth: bool) -> str:
        return f'truth({value}, "{str(truth).lower()}", "{int(truth)}")'

    def text(self, text: str) -> str:
        """Bytes that are no plain letters by their numbers, of which each has three digits."""
        plain = {*range(32, 127)} - {*b'"\\?'}
        return '"' + "".join(chr(b) if b in plain else f"\\{b:03o}" for b in text.encode()) + '"'


def _fields(columns: Sequence[str]) -> dict[str, str]:
    """Names that C takes, each for one column."""
    fields: dict[str, str] = {}
    for column in columns:
        name = re.sub(r"\W", "_", column, flags=re.ASCII).lower()  # macros are in capitals
        name = f"x{name}" if not name or name[0].isdigit() or name[0] == "_" else name
        while name in fields.values() or f" {name} " in f" {_KEYWORDS} ":
            name += "_"
        fields[column] = name
    return fields


def module(rule: Spelled, language: C) -> str:
    """`struct row`, `labels` and `predict`."""
    kinds = {str: "char *const", bool: "int", int: "long long", float: "double"}
    kind = kinds.get(type(rule.labels[0]), "double")
    labels = ", ".join(language.label(label) for label in rule.labels)
    lines = [
        f"/* {_inside(rule.about)}",
        "   Compile it with -ffp-contract=off for the same bits. */",
    ]
    text = "\n".join([*rule.guards, *rule.sums])
    compared, truth = "is(" in text, "truth(" in text
    used = ["ctype"] * truth + ["float", "math"] + ["stddef"] * ("NULL" in text)
    used += ["string"] * (compared or truth)
    lines += [f"#include <{name}.h>" for name in used]
    lines += ["#if FLT_EVAL_METHOD != 0", "#error doubles must be computed as doubles", "#endif"]
    lines += ["", "/* NaN and NULL where a value is missing; words without spaces around them. */"]
    lines.append("struct row {")
    lines += [_declared(source, language) for source in rule.sources] or ["  int none;"]
    lines += ["};", "", f"const {kind} labels[] = {{{labels}}};"]
    lines += [_IS] if compared else []
    lines += [_TRUTH] if truth else []
    place = "/* The place of the label; -1 where a value is missing or not known. */"
    head = "int predict(const struct row *row) {"
    if rule.several:
        lines += ["", place, head, *_guarded(rule, language, "-1")]
        lines += ["  const double scores[] = {", *(f"    {sum_}," for sum_ in rule.sums), "  };"]
        lines += ["  int first = 0;", f"  for (int k = 1; k < {len(rule.sums)}; ++k)"]
        lines += ["    if (scores[k] > scores[first]) first = k;", "  return first;"]
    else:
        lines += ["", "/* What decides; NaN where a value is missing or not known. */"]
        lines += [f"double {rule.decides}(const struct row *row) {{"]
        lines += [*_guarded(rule, language, "NAN"), f"  return {rule.sums[0]};", "}", ""]
        lines += [place, head, f"  const double found = {rule.decides}(row);"]
        lines += [f"  return isnan(found) ? -1 : found >= {rule.threshold};"]
    return "\n".join([*lines, "}", ""])


def _guarded(rule: Spelled, language: C, none: str) -> list[str]:
    if not rule.guards:
        return []
    return ["  if (", f"      {language.any_of(rule.guards)}", f"  ) return {none};"]


def _declared(source: Source, language: C) -> str:
    kind = "const char *" if source.words else "double "
    style = "" if source.style is None else f", as a number{source.style}"
    about = _inside(f"{source.name}{style}")
    return f"  {kind}{language.fields[source.name]};  /* {about} */"


def _inside(text: str) -> str:
    """Text in a line that does not end a comment."""
    return " ".join(text.replace("*/", "* /").split())
