"""The work of `rosenblatt fit`: read, compare, decide, prove. Ctrl-C keeps what is there."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rosenblatt.cli import _common
from rosenblatt.errors import InputError

if TYPE_CHECKING:
    from rosenblatt import Certificate
    from rosenblatt.cli._fit_checkpoints import Checkpoints
    from rosenblatt.cli._fit_content import Proof
    from rosenblatt.data import Encoding
    from rosenblatt.selection import Selection

_BY_HAND = 2_000_000  # numbers that the stand-alone verifier reads in a few seconds
_MANY = 200  # features; with more, the largest margin takes much longer than all the rest
_WORK = 20_000_000  # row evaluations: some seconds

Now = Callable[[str], None]  # says what is being done


@dataclass
class Work:
    """What was read and found so far."""

    X: Any  # as in the table, NaN where a number is missing
    y: Any
    counts: dict[str, int]  # rows by label
    target: str
    encoding: Encoding | None  # before fills and scales; None for svmlight files
    impute: str | None
    sample: Any = None  # the numbers of the rows in X and y, where these are not all
    seconds: dict[str, float] = field(default_factory=dict)
    selection: Selection | None = None
    certificate: Certificate | None = None
    of_training: Certificate | None = None
    proof: Proof | None = None
    unasked: str | None = None  # why there is no verdict, where that is not for lack of time
    interrupted: bool = False

    @contextmanager
    def timed(self, what: str) -> Iterator[None]:
        begin = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[what] = time.perf_counter() - begin

    @property
    def learned(self) -> Encoding | None:
        """The encoding with the fills and scales of the training rows."""
        prepare = None if self.selection is None else self.selection.prepare
        return None if prepare is None else prepare.encoding_

    @property
    def names(self) -> list[str]:
        if self.encoding is None:
            return [f"x{j}" for j in range(self.X.shape[1])]
        return self.encoding.feature_names


def read(files: tuple[str, ...], reading: dict[str, Any], group: str | None) -> tuple[Work, Any]:
    """The table, and the group of each row (None without groups)."""
    from rosenblatt.data.sparse import SparseTable

    begin = time.perf_counter()
    groups = None
    if group is not None:
        groups = _groups(files, reading, group)
        reading = reading | {"ignore": (*reading["ignore"], group)}
    table = _common.read_table(files, **reading)
    if isinstance(table, SparseTable):
        X, y, encoding = table.encode(scale=False)
        work = Work(X, y, counts_of(y), "y", encoding, None)
    else:
        X, y, encoding = table.encode_with_gaps()
        work = Work(X, y, counts_of(y), reading["target"], encoding, table.impute)
    work.seconds["reading"] = time.perf_counter() - begin
    return work, groups


def counts_of(y: Any) -> dict[str, int]:
    """How many rows have each label."""
    import numpy as np

    labels, counts = np.unique(y, return_counts=True)
    return {str(a): k for a, k in zip(labels.tolist(), counts.tolist(), strict=True)}


def _groups(files: tuple[str, ...], reading: dict[str, Any], group: str) -> Any:
    import numpy as np

    from rosenblatt.data.part import Kind
    from rosenblatt.data.reading import column_names, guess, is_svmlight
    from rosenblatt.data.table import Table

    if "-" in files or is_svmlight(list(files)):
        raise InputError("--group needs a table in a file: it reads the column by itself.")
    how = {name: reading[name] for name in ("charset", "header", "missing")}
    names = column_names(list(files), **how)
    if group not in names:
        raise InputError(f"group={group!r} is not a column of {files[0]}. {guess(group, names)}")
    if group == reading["target"]:
        raise InputError(f"The column {group!r} is the target, and cannot be the group, too.")
    others = [name for name in names if name != group]
    table = _common.read_table(files, ignore=others, **how)
    assert isinstance(table, Table)
    known: dict[str, int] = {}
    found = []
    for part in table.parts():
        if table.columns[0].read_as is Kind.NUMBER:
            found.append(part.numbers(group))
            none = np.isnan(found[-1])
        else:
            codes, words = part.words(group)
            to = [known.setdefault(str(word), len(known)) for word in words]
            found.append(np.array([*to, -1])[codes])
            none = codes < 0
        if none.any():
            raise InputError(
                f"{part.place(int(none.argmax()))}, group {group!r}: the value is missing. Fill "
                "it in, or leave out such rows."
            )
    return np.concatenate(found) if found else np.empty(0)


def compare(
    work: Work,
    *,
    groups: Any,
    cv: int | None,
    seed: int,
    kernel: bool,
    checkpoints: Checkpoints | None,
    progress: Any,
) -> None:
    from rosenblatt.data.scales import Preparation
    from rosenblatt.selection import SelectionInterrupted, candidates, select

    n, d = work.X.shape
    prepare = None if work.encoding is None else Preparation(work.encoding, impute=work.impute)
    rules = candidates(n if cv else n * 3 // 5, d, random_state=seed, kernel=kernel)
    kept: dict[str, Any] = {}
    if checkpoints is not None:
        checkpoints.begin()
        kept = {"checkpoint": checkpoints.folder, "checkpoint_every": checkpoints.every}
        progress = checkpoints.seeing(progress)
    with work.timed("training"):
        try:
            work.selection = select(
                work.X,
                work.y,
                rules,
                prepare=prepare,
                cv=cv,
                groups=groups,
                seed=seed,
                progress=progress,
                **kept,
            )
        except SelectionInterrupted as stopped:
            if stopped.selection is None:
                raise KeyboardInterrupt from None  # there is nothing to keep
            work.selection, work.interrupted = stopped.selection, True


def decide(work: Work, *, time_limit: float | None, now: Now) -> None:
    """The verdict on all rows, its check, and what is known of the training rows."""
    if work.interrupted or work.unasked:
        return
    try:
        X, encoding = _as_they_stand(work)
        with work.timed("deciding"):
            now("deciding about all rows")
            work.certificate = _certify(X, work.y, time_limit, encoding)
        with work.timed("checking the proof"):
            now("checking the proof")
            work.proof = prove(work.certificate, X, work.y)
        with work.timed("margins of the training rows"):
            now("margins of the training rows")
            work.of_training = _of_training(work, time_limit)
    except KeyboardInterrupt:
        work.interrupted = True


def _certify(
    X: Any, y: Any, time_limit: float | None, encoding: Encoding | None = None
) -> Certificate:
    """In full, or in good time where nobody said how long it may take."""
    from rosenblatt._proof.certify import by_training_first, certify

    if time_limit is None and X.shape[1] > _MANY:
        return by_training_first(X, y, encoding=encoding, work_limit=_WORK)
    return certify(X, y, time_limit=time_limit, encoding=encoding)


def _as_they_stand(work: Work) -> tuple[Any, Encoding | None]:
    """All rows in the units of the table, gaps filled as in training."""
    if work.encoding is None or work.impute is None or work.learned is None:
        return work.X, work.encoding
    from rosenblatt.data.encode import Number
    from rosenblatt.data.scales import Preparation

    numbers = [c for c in work.learned.columns if isinstance(c, Number)]
    fills = [c.fill for c in numbers]
    encoding = work.encoding.with_scales(fills, [0.0] * len(fills), [1.0] * len(fills))
    prepare = Preparation(encoding, scale=False)
    return prepare.fit(work.X).transform(work.X), encoding


def training_rows(work: Work) -> tuple[Any, Any]:
    """The rows that the winner was fitted on, as it saw them; of a sample those in it."""
    assert work.selection is not None
    train, prepare = work.selection.train, work.selection.prepare
    if work.sample is not None:
        train = _places(work.sample, train)
    X = work.X[train]
    return (X if prepare is None else prepare.transform(X)), work.y[train]


def _places(sample: Any, rows: Any) -> Any:
    """Where in the sample these rows are; both rise."""
    import numpy as np

    sample = sample.astype(rows.dtype)
    at = np.searchsorted(rows, sample)
    return np.flatnonzero(rows[np.minimum(at, len(rows) - 1)] == sample)


def _of_training(work: Work, time_limit: float | None) -> Certificate:
    from rosenblatt import Perceptron

    selection = work.selection
    assert selection is not None
    fitted = [selection.estimator]  # on the training rows
    if not selection.cv:
        fitted += [c.estimator for c in selection.candidates]
    for estimator in fitted:  # training has often asked already
        known = estimator.certificate_ if isinstance(estimator, Perceptron) else None
        if known is not None and known.separable is False:
            return known
    return _certify(*training_rows(work), time_limit)


def prove(certificate: Certificate, X: Any, y: Any) -> Proof:
    """Let the stand-alone verifier check the certificate, where that takes seconds.

    `certify` has checked it already: it returns nothing that its verifier rejects.
    """
    from rosenblatt import verify
    from rosenblatt._proof.check import packed

    if X.shape[0] * X.shape[1] > _BY_HAND:
        by = "the vectorised verifier"
        sentence = f"accepted by {by} when it was found"
        return {"accepted": True, "by": by, "milliseconds": None, "sentence": sentence}
    claim, numbers = certificate.to_dict(), packed(X)
    texts = [str(label) for label in y.tolist()]
    accepted, why = True, ""
    begin = time.perf_counter()
    try:
        verify.check(claim, verify.Data(claim, numbers, verify.label_signs(claim, texts)))
    except verify.Rejected as reason:
        accepted, why = False, f": {reason}"
    milliseconds = 1000 * (time.perf_counter() - begin)
    by, word = "the stand-alone verifier", "accepted" if accepted else "REJECTED"
    sentence = f"{word} by {by} in {milliseconds:,.0f} ms{why}"
    return {
        "accepted": accepted,
        "by": by,
        "milliseconds": milliseconds,
        "sentence": sentence,
    }
