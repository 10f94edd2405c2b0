"""The comparison on rows on disk: the same contest, a block of rows in memory at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray
from sklearn.dummy import DummyClassifier

from rosenblatt._compute.backend import compute
from rosenblatt._compute.matrices import as_table
from rosenblatt._streams.fit import fit_stored
from rosenblatt._streams.train import keeping
from rosenblatt.errors import InputError
from rosenblatt.selection.candidates import baseline, streamed
from rosenblatt.selection.folds import FIFTHS
from rosenblatt.selection.result import Candidate, Selection, SelectionInterrupted
from rosenblatt.selection.select import best, majority_of
from rosenblatt.selection.training import Progress, Training, checkpoint_of

if TYPE_CHECKING:
    from rosenblatt._streams.stored import Stored

TEST, VALIDATION = 0, 1  # of the fifths; the others train
TRAIN_SHARE = 0.6
_CONFIDENCE = 0.95


def fifths(seed: int, begin: int, end: int) -> NDArray[np.uint8]:
    """The fifth of each of these rows: SplitMix64 of the seed and the number of the row.

    A row is given to its fifth by its number alone, so that nothing need be kept in memory; that
    every label has its share in each is left to the many rows.
    """
    golden = np.uint64(0x9E3779B97F4A7C15)
    with np.errstate(over="ignore"):  # modulo 2^64
        start = _mixed(np.array([seed], np.uint64) * golden)
        found = _mixed(start + np.arange(begin + 1, end + 1, dtype=np.uint64) * golden)
    return ((found >> np.uint64(32)) % np.uint64(FIFTHS)).astype(np.uint8)


def _mixed(z: NDArray[np.uint64]) -> NDArray[np.uint64]:
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def trains(seed: int, begin: int, end: int) -> NDArray[np.bool_]:
    """Which of these rows train."""
    return fifths(seed, begin, end) > VALIDATION


def select_stored(
    rows: Stored,
    training: Stored,
    *,
    seed: int,
    progress: Progress,
    checkpoint: Path | None,
    checkpoint_every: float,
) -> Selection:
    """As `select`; `training` are those of the rows that `trains` names. `prepare` is None."""
    contest = _Contest(rows, training, seed, progress, checkpoint, checkpoint_every)
    return contest.result()


@final
class _Contest:
    def __init__(
        self,
        rows: Stored,
        training: Stored,
        seed: int,
        progress: Progress,
        checkpoint: Path | None,
        every: float,
    ):
        self.rows, self.seed = rows, seed
        self.checkpoint, self.every = checkpoint, every
        self.always = baseline(len(rows.classes))
        always = DummyClassifier(strategy="most_frequent")
        self.rules = {self.always: always} | streamed(random_state=seed)
        self.training = Training(self.trained, progress, len(self.rules))
        self.parts = self._parts()
        self.learned_from = training
        self._check()

    def _parts(self) -> list[NDArray[Any]]:
        """The rows that test, choose and train: four bytes each, where that is enough."""
        n = self.rows.n
        kind = np.uint32 if n <= np.iinfo(np.uint32).max else np.intp
        found: list[list[NDArray[Any]]] = [[], [], []]
        for begin in range(0, n, compute.block):
            fifth = fifths(self.seed, begin, min(begin + compute.block, n))
            masks = fifth == TEST, fifth == VALIDATION, fifth > VALIDATION
            for part, mask in zip(found, masks, strict=True):
                part.append((begin + np.flatnonzero(mask)).astype(kind))
        return [np.concatenate(part) for part in found]

    def _check(self) -> None:
        if min(map(len, self.parts)) and min(self.learned_from.counts):
            return
        raise InputError(
            f"{self.rows.n:,} rows, divided one by one, leave a part without rows, or the training "
            "rows without a label. Leave out --stream: in memory every part gets its share of each "
            "label."
        )

    def trained(self, rule: Any, training: Stored, _: Any, number: int) -> None:
        if isinstance(rule, DummyClassifier):
            classes = training.classes
            rule.fit(np.zeros((len(classes), 1)), classes, sample_weight=training.counts)
            return
        place = None if self.checkpoint is None else checkpoint_of(self.checkpoint, number)
        with keeping(rule, place, self.every):
            fit_stored(rule, training)

    def judged(self, rule: Any) -> Iterator[tuple[NDArray[np.uint8], Any, Any]]:
        """The fifth, the label and the prediction of each row, block by block."""
        rows = self.rows
        for b in range(rows.n_blocks):
            X, y = rows.block(b)
            rows.expect((b + 1) % rows.n_blocks)
            begin = b * compute.block
            fifth = fifths(self.seed, begin, begin + len(y))
            yield fifth, rows.named(y), rule.predict(as_table(X))

    def compare(self) -> list[Candidate]:
        """All candidates; those done so far if Ctrl-C came."""
        found: list[Candidate] = []
        for name, given in self.rules.items():
            rule, notes = self.training.fit(name, given, self.learned_from, None)
            try:
                if rule is not None:
                    found.append(self.counted(name, rule, notes))
            except KeyboardInterrupt:  # while predicting
                self.training.interrupted = True
            if self.training.interrupted:
                break
        return found

    def counted(self, name: str, rule: Any, notes: tuple[str, ...]) -> Candidate:
        """Its errors on the rows that train and on those that choose; no look at the others."""
        wrong = np.zeros(FIFTHS, np.int64)
        for fifth, labels, predicted in self.judged(rule):
            here = (fifth != TEST) & (predicted != labels)
            wrong += np.bincount(fifth[here], minlength=FIFTHS)
        _, validation, train = self.parts
        errors, missed = int(wrong[VALIDATION + 1 :].sum()), int(wrong[VALIDATION])
        sizes = len(train), len(validation)
        return Candidate(name, rule, errors, sizes[0], missed, sizes[1], name == self.always, notes)

    def result(self) -> Selection:
        found = self.compare()
        if len(found) < 2:
            raise SelectionInterrupted(None)
        winner, majority = best(found), majority_of(found[0])
        labels, predictions = self._tested(winner)
        test, validation, train = self.parts
        selection = Selection(
            found,
            winner,
            None,
            majority,
            train,
            validation,
            test,
            labels,
            predictions,
            int((labels != majority).sum()),
            _CONFIDENCE,
            self.seed,
            interrupted=self.training.interrupted,
        )
        if selection.interrupted:
            raise SelectionInterrupted(selection)
        return selection

    def _tested(self, winner: Candidate) -> tuple[NDArray[Any], NDArray[Any]]:
        """Labels and predictions of the test rows, text by reference."""
        found: tuple[list[Any], list[Any]] = [], []
        classes = self.rows.classes
        kind = object if classes.dtype.kind == "U" else classes.dtype
        for fifth, *columns in self.judged(winner.estimator):
            for part, column in zip(found, columns, strict=True):
                part.append(_shared(column[fifth == TEST], classes, kind))
        labels, predictions = (np.concatenate(part) for part in found)
        return labels, predictions


def _shared(column: NDArray[Any], classes: NDArray[Any], kind: Any) -> NDArray[Any]:
    """The same labels, each of them held once."""
    known = np.array(classes.tolist(), dtype=kind)
    found: NDArray[Any] = known[np.searchsorted(classes, column)]
    return found
