"""Words in numbered buckets, for columns of prose with very many different words.

The bucket of a word is that of scikit-learn's `HashingVectorizer`: its MurmurHash3 without the
sign, modulo the number of buckets. Memory is bounded whatever the words are: a bucket that no row
has is no column, and the others keep the first few of their words to be shown by.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import final

import numpy as np

from rosenblatt.data.part import Part

INTO = 1 << 18
MOST = 1 << 24  # buckets
_NAMED = 3  # words of a bucket
_BETWEEN = "|"  # which is part of no word


@final
@dataclass(frozen=True)
class Hashed:
    """Of how many buckets which ones are columns."""

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

    found: Callable[[str], int] = murmurhash3_32
    return found


@final
class Naming:
    """The first words of each bucket, in the order of the rows and within a row of the alphabet:
    any division into parts gives the same."""

    def __init__(self, into: int):
        self._into = into
        self._words: dict[int, list[str]] = {}

    def see(self, part: Part, name: str, tokens: Iterable[set[str]]) -> None:
        """The words of each text of a part's dictionary."""
        codes, _ = part.words(name)
        found, first = np.unique(codes, return_index=True)
        texts = list(tokens)
        for code in found[np.argsort(first)].tolist():
            for word in sorted(texts[code]) if code >= 0 else ():
                known = self._words.setdefault(bucket(word, self._into), [])
                if len(known) <= _NAMED and word not in known:
                    known.append(word)

    def done(self) -> tuple[tuple[str, ...], Hashed]:
        """How the columns are called, and which they are."""
        order = sorted(self._words)
        names = tuple(_named(self._words[k]) for k in order)
        return names, Hashed(self._into, tuple(order))


def _named(words: list[str]) -> str:
    more = ["…"] if len(words) > _NAMED else []
    return _BETWEEN.join([*words[:_NAMED], *more])
