"""What a person must say about numbers in disguise: one sentence or two, with every way out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from rosenblatt._support.words import listed, many, option
from rosenblatt.data.disguise import Disguise
from rosenblatt.data.part import Place

_SHOWN = 3
_TYPED = 8  # columns whose options are written out


def problems_of_numbers(
    found: Mapping[str, Disguise],
    *,
    impute: bool,
    mark: str | None,
    first: Callable[[str, set[str]], Place | None],
) -> Iterator[str]:
    """About the columns of text that hold numbers; columns of one kind are told of together.

    `mark` is the decimal mark of the file, None: its columns have types. `first` finds the first
    row of a column that holds one of some words.
    """
    strange = {name: d for name, d in found.items() if d.others}
    others = {name: d for name, d in found.items() if not d.others}
    gaps = {n: d for n, d in others.items() if d.plain and d.missing}
    dressed = {name: d for name, d in others.items() if name not in gaps}
    for name, disguise in strange.items():
        yield _strange(name, disguise, first(name, set(disguise.others)))
    if dressed:
        yield _dressed(dressed, impute, mark)
    if gaps:
        yield _gaps(gaps, impute)


def _strange(name: str, disguise: Disguise, place: Place | None) -> str:
    """Words beside numbers: a mistake, a word for a missing value, or categories."""
    words = _often(disguise.others)
    more = f", and {many(len(words) - 1, 'other word')} like it" if len(words) > 1 else ""
    ways = ["Correct it"]
    ways.append(f"if it stands for a missing value, say {_missing(words[:1])}")
    if not disguise.plain:
        ways.append(f"if all are meant as numbers, say {_said('numeric', name)}, too")
    ways.append(f"if the values are categories, say {_said('categorical', name)}")
    return (
        f"{place}, column {name!r} holds {words[0]!r}{more}, and numbers in "
        f"{disguise.rows:,} of {disguise.of:,} rows, as {_samples(disguise)}. {'; '.join(ways)}."
    )


def _dressed(found: Mapping[str, Disguise], impute: bool, mark: str | None) -> str:
    """Numbers that are written for people."""
    disguise = next(iter(found.values()))
    word = _often(disguise.numbers)[0]
    say = (
        f"{_columns(found, '')}. These are read as text, as {_samples(disguise)}. To read "
        f"them as numbers ({word!r} as {disguise.style.number(word):.12g}), say "
        f"{_said('numeric', *found)}"
    )
    if words := _gap_words(found):
        say += f", and for missing values {_missing(words)}{_fill(impute)}"
    if mark is not None and any(d.style.mark != mark for d in found.values()):
        other = "point" if mark == "." else "comma"
        say += (
            f". (The other columns are read with a decimal {other}: if one of them divides "
            "thousands by it, name it, too)"
        )
    return f"{say}. If the values are categories, say {_said('categorical', *found)}."


def _gaps(found: Mapping[str, Disguise], impute: bool) -> str:
    """Numbers, and a word where one is missing."""
    words = _gap_words(found)
    quoted = listed([repr(word) for word in words], _SHOWN)
    verb = "stands" if len(words) == 1 else "stand"
    return (
        f"{_columns(found, f', and {quoted} in others')}. If {quoted} {verb} for a missing "
        f"value, say {_missing(words)}{_fill(impute)}. If the values are categories, say "
        f"{_said('categorical', *found)}."
    )


def _columns(found: Mapping[str, Disguise], rest: str) -> str:
    (name, disguise), *others = found.items()
    count = f"{disguise.rows:,} of {disguise.of:,} rows"
    if not others:
        return f"The column {name!r} holds numbers in {count}{rest}"
    names = listed([repr(each) for each, _ in others], _SHOWN - 1)
    return f"{len(found)} columns hold numbers in most rows{rest}: {name!r} (in {count}), {names}"


def _gap_words(found: Mapping[str, Disguise]) -> list[str]:
    counts: dict[str, int] = {}
    for disguise in found.values():
        for word, n in disguise.missing.items():
            counts[word] = counts.get(word, 0) + n
    return _often(counts)


def _often(words: Mapping[str, int]) -> list[str]:
    """Those that occur most often first."""
    return sorted(words, key=lambda word: (-words[word], word))


def _samples(disguise: Disguise) -> str:
    return ", ".join(repr(word) for word in _often(disguise.numbers)[:_SHOWN])


def _missing(words: list[str]) -> str:
    given = repr(words[0]) if len(words) == 1 else repr(words)
    return f"missing={given} ({' '.join(option('missing', word) for word in words)})"


def _fill(impute: bool) -> str:
    return "" if impute else " and impute='median' (--impute median)"


def _said(word: str, *names: str) -> str:
    given = repr(names[0]) if len(names) == 1 else repr(list(names))
    if len(names) > _TYPED:
        return f"{word}=[...] (--{word} COLUMN, once for each)"
    return f"{word}={given} ({' '.join(option(word, name) for name in names)})"
