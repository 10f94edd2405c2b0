"""The comparison on rows on disk: the same comparison, a block of rows in memory at a time."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import ConvergenceWarning

from rosenblatt._core.backend import compute
from rosenblatt._core.rows import as_table
from rosenblatt._out_of_core.client import Client
from rosenblatt._out_of_core.fit import fit_stored
from rosenblatt._out_of_core.partitions import StoredPartition, load_stored
from rosenblatt._out_of_core.train import keeping
from rosenblatt._training.threshold import mistaken, move_threshold
from rosenblatt._util.files import Place
from rosenblatt._util.spelling import option
from rosenblatt.data.target import FIFTHS
from rosenblatt.errors import InputError
from rosenblatt.selection.candidates import baseline, streamed
from rosenblatt.selection.comparison import (
    Candidate,
    Progress,
    Training,
    checkpoint_of,
    majority_of,
)
from rosenblatt.selection.criterion import Criterion
from rosenblatt.selection.folds import mixed
from rosenblatt.selection.out_of_sample import OutOfSample, Threshold, probability_of, scores_of
from rosenblatt.selection.selector import Selection, SelectionInterrupted

if TYPE_CHECKING:
    from rosenblatt._out_of_core.store import Stored


TEST, VALIDATION = 0, 1  # of the fifths; the others train
TRAIN_SHARE = 0.6
_CONFIDENCE = 0.95
_MOST_SCORES = 50_000_000  # of many classes on validation rows: more are not kept


def fifths(seed: int, begin: int, end: int) -> NDArray[np.uint8]:
    """The fifth of each of these rows: SplitMix64 of the seed and the number of the row.

    A row is given to its fifth by its number alone, so that nothing need be kept in memory; that
    every label has its share in each is left to the many rows.
    """
    golden = np.uint64(0x9E3779B97F4A7C15)
    with np.errstate(over="ignore"):  # modulo 2^64
        start = mixed(np.array([seed], np.uint64) * golden)
        words = mixed(start + np.arange(begin + 1, end + 1, dtype=np.uint64) * golden)
    return ((words >> np.uint64(32)) % np.uint64(FIFTHS)).astype(np.uint8)


def trains(seed: int, begin: int, end: int) -> NDArray[np.bool_]:
    """Which of these rows train."""
    return fifths(seed, begin, end) > VALIDATION


class CheckpointFolder(NamedTuple):
    """Where candidates keep where their training stands, and how often, in seconds."""

    folder: Place
    every: float


def select_stored(
    rows: Stored,
    training: Stored,
    *,
    random_state: int,
    criterion: Criterion,
    class_weight: Any,
    progress: Progress,
    checkpoints: CheckpointFolder | None,
    client: Client | None = None,
) -> Selection:
    """As `select`; `training` are those of the rows that `trains` names. No preprocessor. With a
    client the candidates learn side by side."""
    rules = streamed(random_state=random_state, class_weight=class_weight)
    always = DummyClassifier(strategy="most_frequent")
    rules = {baseline(len(rows.classes)): always} | rules
    comparison = _StoredComparison(
        rows, training, rules, criterion, random_state, checkpoints, client
    )
    comparison.training = Training(comparison.trained, progress, len(rules))
    return comparison.result()


@final
@dataclass
class _StoredComparison:
    rows: Stored
    learned_from: Stored
    rules: dict[str, Any]  # the baseline first
    criterion: Criterion
    random_state: int
    checkpoints: CheckpointFolder | None
    client: Client | None
    training: Training = field(init=False)

    def __post_init__(self) -> None:
        self.always = next(iter(self.rules))
        self.parts = self._parts()
        k = len(self.rows.classes)
        self.scored = k == 2 or k * len(self.parts[VALIDATION]) <= _MOST_SCORES
        self._check()

    def _parts(self) -> list[NDArray[Any]]:
        """Row numbers of four bytes, where that is enough."""
        n = self.rows.n
        kind = np.uint32 if n <= np.iinfo(np.uint32).max else np.intp
        parts: list[list[NDArray[Any]]] = [[], [], []]
        for begin in range(0, n, compute.block):
            fifth = fifths(self.random_state, begin, min(begin + compute.block, n))
            masks = fifth == TEST, fifth == VALIDATION, fifth > VALIDATION
            for part, mask in zip(parts, masks, strict=True):
                part.append((begin + np.flatnonzero(mask)).astype(kind))
        return [np.concatenate(part) for part in parts]

    def _check(self) -> None:
        if min(map(len, self.parts)) and min(self.learned_from.counts):
            return
        raise InputError(
            f"{self.rows.n:,} rows, divided one by one, leave a part without rows, or the training "
            f"rows without a label. Leave out {option('stream', True)}: in memory every part gets "
            "its share of each label."
        )

    def trained(self, rule: Any, training: Stored, _: Any, number: int) -> None:
        if isinstance(rule, DummyClassifier):
            classes = training.classes
            rule.fit(np.zeros((len(classes), 1)), classes, sample_weight=training.counts)
            return
        if self.client is None:
            with keeping(rule, *self._checkpoint(number)):
                fit_stored(rule, training)

    def _checkpoint(self, number: int) -> tuple[Place | None, float]:
        kept = self.checkpoints
        return (None, 0.0) if kept is None else (checkpoint_of(kept.folder, number), kept.every)

    def _side_by_side(self, client: Client) -> dict[str, tuple[Any, tuple[str, ...]]]:
        learn = [(k, name) for k, name in enumerate(self.rules) if name != self.always]
        asked = [Asked(self.rules[name], *self._checkpoint(k)) for k, name in learn]
        if self.training.progress is not None:
            self.training.progress(0, len(self.rules), f"{len(learn)} candidates side by side")
        fits = trained(client, self.learned_from, asked)
        return {name: one for (_, name), one in zip(learn, fits, strict=True)}

    def evaluated(self, rule: Any) -> Iterator[tuple[NDArray[np.uint8], Any, Any, Any]]:
        """By block: the fifth, label, prediction and, of two classes, score of each row."""
        for begin, X, y in self.rows.blocks():
            fifth = fifths(self.random_state, begin, begin + len(y))
            table = as_table(X)
            scores = scores_of(rule, table) if self.scored else np.zeros(len(y))
            yield fifth, self.rows.named(y), rule.predict(table), scores

    def compare(self) -> list[Candidate]:
        candidates: list[Candidate] = []
        together = None if self.client is None else self._side_by_side(self.client)
        for name, unfitted in self.rules.items():
            rule, notes = self.training.fit(name, unfitted, self.learned_from, None)
            if together and name in together:
                rule, notes = together[name]
            try:
                if rule is not None:
                    candidates.append(self.counted(name, rule, notes))
                    self._forget(candidates)
            except KeyboardInterrupt:  # while predicting
                self.training.interrupted = True
            if self.training.interrupted:
                break
        return candidates

    def counted(self, name: str, rule: Any, notes: tuple[str, ...]) -> Candidate:
        wrong, chosen_by, out_of_sample = np.zeros(FIFTHS, np.int64), [], []
        for fifth, labels, predicted, scores in self.evaluated(rule):
            here = (fifth != TEST) & (predicted != labels)
            wrong += np.bincount(fifth[here], minlength=FIFTHS)
            chose = fifth == VALIDATION
            chosen_by.append((labels[chose], predicted[chose]))
            out_of_sample.append(OutOfSample(scores[chose], self._codes(labels[chose])))
        _, validation, train = self.parts
        errors, missed = int(wrong[VALIDATION + 1 :].sum()), int(wrong[VALIDATION])
        candidate = Candidate(
            name,
            rule,
            errors,
            len(train),
            missed,
            len(validation),
            name == self.always,
            notes,
            losses=self.criterion.row_costs(
                np.concatenate([labels for labels, _ in chosen_by]),
                np.concatenate([predicted for _, predicted in chosen_by]),
                self.rows.classes,
            ),
            out_of_sample=OutOfSample.joined(out_of_sample)
            if self.scored and name != self.always
            else None,
        )
        threshold = self.criterion.threshold(candidate)
        if threshold is not None and np.any(threshold):
            candidate = replace(candidate, train_errors=self._trained_errors(rule, threshold))
        return self.criterion.evaluated(candidate)

    def _codes(self, labels: Any) -> NDArray[np.intp]:
        return np.asarray(np.searchsorted(self.rows.classes, labels))

    def _trained_errors(self, rule: Any, threshold: Threshold) -> int:
        """Rows are read once more: scores of all that trained may be very many."""
        errors = 0
        for fifth, labels, _, scores in self.evaluated(rule):
            here = fifth > VALIDATION
            errors += OutOfSample(scores[here], self._codes(labels[here])).errors(threshold)
        return errors

    def _forget(self, candidates: list[Candidate]) -> None:
        """Single scores of all but the best so far: there may be very many."""
        best = self.criterion.best(candidates)[0] if len(candidates) > 1 else None
        candidates[:] = [
            c if c is best else replace(c, losses=None, out_of_sample=None) for c in candidates
        ]

    def result(self) -> Selection:
        candidates = self.compare()
        if len(candidates) < 2:
            raise SelectionInterrupted(None)
        winner, majority = self.criterion.best(candidates)[0], majority_of(candidates[0])
        moved = self._moved(winner)
        labels, predictions, scores = self._tested(winner)
        own = winner.out_of_sample
        probability = None if own is None else probability_of(own).lowered(moved)
        test, validation, train = self.parts
        selection = Selection(
            candidates,
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
            self.random_state,
            self.criterion,
            interrupted=self.training.interrupted,
            scores=scores if self.scored else None,
            probabilities=None if probability is None else probability.of(scores),
            out_of_sample=None if own is None else own.lowered(moved),
            probability=probability,
            moved=moved,
        )
        if selection.interrupted:
            raise SelectionInterrupted(selection)
        return selection

    def _moved(self, winner: Candidate) -> Threshold:
        if not self.criterion.moves or winner.out_of_sample is None:
            return 0.0
        by = self.criterion.cheapest(winner.out_of_sample)
        if np.any(by):
            move_threshold(winner.estimator, by, self._mistakes)
        return by

    def _mistakes(self, rule: Any) -> tuple[int, float]:
        """Training rows with a margin of 0 or less, and their weights."""
        counts = dict(zip(self.rows.classes, self.learned_from.counts, strict=True))
        wrong = np.zeros(len(counts), np.int64)
        for fifth, labels, _, scores in self.evaluated(rule):
            here = (fifth > VALIDATION) & mistaken(scores, labels, self.rows.classes)
            wrong += np.bincount(self._codes(labels[here]), minlength=len(counts))
        weights = np.ones(len(counts))
        if rule.class_weight == "balanced":
            weights = sum(counts.values()) / (len(counts) * np.array(list(counts.values())))
        return int(wrong.sum()), float(wrong @ weights)

    def _tested(self, winner: Candidate) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        columns: tuple[list[Any], list[Any]] = [], []
        scored, classes = [], self.rows.classes
        kind = object if classes.dtype.kind == "U" else classes.dtype
        for fifth, labels, predicted, scores in self.evaluated(winner.estimator):
            for part, column in zip(columns, (labels, predicted), strict=True):
                part.append(_shared(column[fifth == TEST], classes, kind))
            scored.append(scores[fifth == TEST])
        labels, predictions = (np.concatenate(part) for part in columns)
        return labels, predictions, np.concatenate(scored)


def _shared(column: NDArray[Any], classes: NDArray[Any], kind: Any) -> NDArray[Any]:
    known = np.array(classes.tolist(), dtype=kind)
    found: NDArray[Any] = known[np.searchsorted(classes, column)]
    return found


# --- Candidates that learn at the same time, each on a machine of an engine ----------------------


class Asked(NamedTuple):
    """A candidate, and the file that keeps where its training stands, if there is one."""

    rule: Any
    checkpoint: Place | None
    every: float


def trained(
    client: Client, rows: Stored, asked: Sequence[Asked]
) -> list[tuple[Any, tuple[str, ...]]]:
    """Each of them fitted to all of the rows, and what it warned of, in the order asked."""
    place = str(rows.folder.absolute())
    partition = StoredPartition(place, rows.fingerprint, 0, rows.n, rows.nbytes)
    handle = client.place(load_stored, partition)
    client.wait_for([handle])
    return client.all([(_fit, (handle, one)) for one in asked])


def _fit(partition: StoredPartition, asked: Asked) -> tuple[Any, tuple[str, ...]]:
    rule = asked.rule
    with warnings.catch_warnings(record=True) as caught, keeping(rule, *asked[1:]):
        warnings.simplefilter("always", ConvergenceWarning)
        fit_stored(rule, partition.stored)
    return rule, tuple(str(w.message) for w in caught if issubclass(w.category, ConvergenceWarning))
