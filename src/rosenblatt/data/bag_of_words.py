"""A column of prose: a column of 0 and 1 for each of its frequent words, as a sparse matrix.

The words are those of scikit-learn's `CountVectorizer(binary=True)`: two letters or digits or more,
in lower case. Text that is missing has no words. Hashed words, for which there is a limit to memory
and none to how many there are, are those of `HashingVectorizer(binary=True, norm=None,
alternate_sign=False)`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, final

import numpy as np
from scipy import sparse

from rosenblatt.data.batch import Batch, Kind

MOST_WORDS = 20_000  # words of a column
_LEAST = 2  # rows that have a word
_TOKEN = re.compile(r"\b\w\w+\b")
_LONG = 4  # words a value has on average, if it is prose
_LOOKED_AT = 1000  # values
_SHOWN = 20  # words of a row


def tokens(text: str) -> set[str]:
    return set(_TOKEN.findall(text.lower()))


@final
@dataclass(frozen=True)
class Prose:
    """A 0/1 column for each word; other words count for nothing. Hashed, a column is for all words
    of a bucket, and is called by some of them."""

    name: str
    words: tuple[str, ...]  # sorted; of hashed words what the columns are called
    hashed: Hashed | None = None

    kind = Kind.PROSE

    @property
    def features(self) -> list[str]:
        return [self.feature(word) for word in self.words]

    def feature(self, word: str) -> str:
        return f"{self.name}: {word}"

    @cached_property
    def _places(self) -> dict[str | int, int]:
        keys: tuple[str | int, ...] = self.words
        if self.hashed is not None:
            keys = self.hashed.buckets
        return {key: j for j, key in enumerate(keys)}

    def _columns(self, text: str) -> list[int]:
        words = tokens(text)
        keys = words if self.hashed is None else map(self.hashed.bucket, words)
        return sorted({self._places[key] for key in keys if key in self._places})

    def rows(self, batch: Batch) -> Any:
        codes, texts = batch.words(self.name)
        columns = [self._columns(text or "") for text in [*texts, None]]  # code -1 is the last
        ends = np.cumsum([0, *map(len, columns)])
        places = np.array([j for each in columns for j in each], dtype=np.int32)
        shape = (len(columns), len(self.words))
        each = sparse.csr_array((np.ones(len(places)), places, ends.astype(np.int32)), shape=shape)
        return each[np.where(codes < 0, len(texts), codes)]

    def value_of(self, numbers: Any) -> str:
        there = [self.words[j] for j in np.flatnonzero(numbers)]
        return ", ".join(there[:_SHOWN]) + (" …" if len(there) > _SHOWN else "")


def prose_of(batches: Iterable[Batch], name: str, rows: int, into: int | None) -> Prose:
    """How a column becomes numbers; `into` so many buckets, or a column for each frequent word."""
    if into is None:
        return Prose(name, vocabulary(batches, name, rows))
    return Prose(name, *_named_buckets(batches, name, into))


def vocabulary(batches: Iterable[Batch], name: str, rows: int) -> tuple[str, ...]:
    """The words of at least two rows and not of all, the most frequent of very many; sorted."""
    counts: Counter[str] = Counter()
    for batch in batches:
        codes, texts = batch.words(name)
        often = np.bincount(codes[codes >= 0], minlength=len(texts)).tolist()
        for text, n in zip(texts, often, strict=True):
            if text and n:
                counts.update(dict.fromkeys(tokens(text), n))
    frequent = [word for word, n in counts.items() if _LEAST <= n < rows]
    frequent.sort(key=lambda word: (-counts[word], word))
    return tuple(sorted(frequent[:MOST_WORDS]))


def is_like_prose(values: Iterable[str]) -> bool:
    some = [value for value, _ in zip(values, range(_LOOKED_AT), strict=False)]
    return sum(len(_TOKEN.findall(value)) for value in some) >= _LONG * max(len(some), 1)


# --- Hashed words ---------------------------------------------------------------------------------
#
# The bucket of a word is that of scikit-learn's `HashingVectorizer`: its MurmurHash3 without the
# sign, modulo the number of buckets. Memory is bounded whatever the words are: a bucket that no row
# has is no column, and the others keep the first few of their words to be shown by.

INTO = 1 << 18
MOST_BUCKETS = 1 << 24  # buckets
_NAMED = 3  # words of a bucket
_BETWEEN = "|"  # which is part of no word


@final
@dataclass(frozen=True)
class Hashed:
    into: int
    buckets: tuple[int, ...]  # rising

    def bucket(self, word: str) -> int:
        return bucket(word, self.into)


def bucket(word: str, into: int) -> int:
    return int(abs(int(_hash()(word))) % into)


@cache
def _hash() -> Callable[[str], int]:
    """Imported when a word is hashed: most tables have none, and scikit-learn takes a second."""
    from sklearn.utils import murmurhash3_32

    murmur: Callable[[str], int] = murmurhash3_32
    return murmur


def _named_buckets(
    batches: Iterable[Batch], name: str, into: int
) -> tuple[tuple[str, ...], Hashed]:
    """A bucket is called by its first words, in the order of the rows and within a row of the
    alphabet: any division into batches gives the same."""
    words: dict[int, list[str]] = {}
    for batch in batches:
        codes, texts = batch.words(name)
        present, first = np.unique(codes, return_index=True)
        for code in present[np.argsort(first)].tolist():
            for word in sorted(tokens(texts[code] or "")) if code >= 0 else ():
                named = words.setdefault(bucket(word, into), [])
                if len(named) <= _NAMED and word not in named:
                    named.append(word)
    order = sorted(words)
    return tuple(_named(words[k]) for k in order), Hashed(into, tuple(order))


def _named(words: list[str]) -> str:
    more = ["…"] if len(words) > _NAMED else []
    return _BETWEEN.join([*words[:_NAMED], *more])
