"""The work of a study: read, and compare. Ctrl-C keeps what is there."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rosenblatt._study import card
from rosenblatt._study.card import CardPreparation
from rosenblatt._study.checkpoints import Checkpoints
from rosenblatt._study.objective import judge_of
from rosenblatt._study.options import Options
from rosenblatt._study.source import Source, SparseRows
from rosenblatt._util.text import Numbered
from rosenblatt.data.batch import Kind
from rosenblatt.data.naming import in_doubt
from rosenblatt.data.open_table import OpenSvmlight, OpenTable
from rosenblatt.data.preparation import Preparation
from rosenblatt.data.sparse import SparseTable
from rosenblatt.data.summary import words_like_gaps
from rosenblatt.errors import InputError
from rosenblatt.selection import Selection, SelectionInterrupted, candidates, select
from rosenblatt.selection.candidates import ROWS_OF_IT, no_peers, not_tried, peers
from rosenblatt.selection.training import Progress

if TYPE_CHECKING:
    from rosenblatt import Certificate
    from rosenblatt._study.document import Progressive, Proof, SecondOpinions
    from rosenblatt._study.proof import Carried
    from rosenblatt.data import Encoding, Table
    from rosenblatt.sign_report import SignReport


@dataclass
class Work:
    """What was read and found so far."""

    X: Any  # as in the table, NaN where a number is missing
    y: Any
    counts: dict[str, int]  # rows by label
    target: str
    encoding: Encoding | None  # before fills and scales; None for svmlight files
    impute: str | None
    constant: list[str] = field(default_factory=list)  # columns of text that were left out
    doubt: str | None = None  # about the names of columns
    like_gaps: list[str] = field(default_factory=list)  # about words like '?'
    not_tried: dict[str, str] = field(default_factory=dict)  # candidates, and why not
    left_out: Any = ()  # the numbers of rows without a label, of a table that has some
    sample: Any = None  # the numbers of the rows in X and y, where these are not all
    seconds: dict[str, float] = field(default_factory=dict)
    selection: Selection | None = None
    certificate: Certificate | None = None
    carried: Carried | None = None  # what the report needs to check the proof
    of_training: Certificate | None = None
    forced: SignReport | None = None
    opinions: SecondOpinions | None = None
    progressive: Progressive | None = None
    proof: Proof | None = None
    unasked: str | None = None  # why there is no verdict, where that is not for lack of time
    interrupted: bool = False

    @contextmanager
    def timed(self, what: str) -> Iterator[None]:
        begin = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[what] = self.seconds.get(what, 0.0) + time.perf_counter() - begin

    @contextmanager
    def until_interrupted(self) -> Iterator[None]:
        """Of a comparison that Ctrl-C stops what there is, is kept."""
        try:
            yield
        except SelectionInterrupted as stopped:
            if stopped.selection is None:
                raise KeyboardInterrupt from None  # there is nothing to keep
            self.selection, self.interrupted = stopped.selection, True

    @property
    def learned(self) -> Encoding | None:
        """The encoding with the fills and scales of the training rows."""
        prepare = None if self.selection is None else self.selection.prepare
        return None if prepare is None else prepare.encoding_

    def number(self, row: int) -> int:
        """The number of a row in the table, of which some may be left out."""
        for k in self.left_out:
            if k > row:
                break
            row += 1
        return row

    @property
    def names(self) -> Sequence[str]:
        if self.encoding is None:
            return Numbered(self.X.shape[1])
        return (self.learned or self.encoding).feature_names


def read(source: Source, options: Options) -> tuple[Work, Any]:
    """The table, and the group of each row (None without groups)."""
    begin = time.perf_counter()
    if isinstance(source, SparseRows):
        work, groups = Work(source.X, source.y, counts_of(source.y), "y", None, None), source.groups
    else:
        work, groups = _read_table(source.opened, options)
    work.seconds["reading"] = time.perf_counter() - begin
    return work, groups


def _read_table(opened: OpenTable | OpenSvmlight, options: Options) -> tuple[Work, Any]:
    groups = None
    if options.group is not None:
        column, opened = opened.split_off(options.group, "group")
        groups = groups_of(column, options.group)
    table = opened.read()
    if isinstance(table, SparseTable):
        X, y, _ = table.encode(scale=False)
        table.refuse_rounded(None, decimal=False)
        return Work(X, y, counts_of(y), "y", None, None), groups
    X, y, encoding = table.encode_with_gaps()
    table.refuse_rounded(encoding, decimal=False)
    assert options.target is not None
    work = Work(X, y, counts_of(y), options.target, encoding, table.impute)
    look_at(work, table)
    return work, groups


def look_at(work: Work, table: Table) -> None:
    """What is to be said about a table besides."""
    work.constant, work.left_out = table.constant, table.left_out
    work.doubt = None if table.dialect is None else in_doubt(table.dialect.like_data)
    work.like_gaps = list(words_like_gaps(table))


def counts_of(y: Any) -> dict[str, int]:
    """How many rows have each label."""
    labels, counts = np.unique(y, return_counts=True)
    return {str(a): k for a, k in zip(labels.tolist(), counts.tolist(), strict=True)}


def compare(
    work: Work,
    groups: Any,
    options: Options,
    checkpoints: Checkpoints | None,
    progress: Progress,
) -> None:
    """Train the candidates, choose among them, test the chosen one."""
    n, d = work.X.shape
    prepare: Any = None
    if work.encoding is not None:
        kind = Preparation if options.points is None else CardPreparation
        prepare = kind(work.encoding, impute=work.impute)
    size = n if options.cv else n * 3 // 5, d
    judge = judge_of(options, work.counts)
    compared = _compared if options.points is None else card.compared
    rules, others = compared(work, options, size)
    kept: dict[str, Any] = {}
    if checkpoints is not None:
        checkpoints.begin()
        kept = {"checkpoint": checkpoints.folder, "checkpoint_every": checkpoints.every}
        progress = checkpoints.seeing(progress)
    with work.timed("training"), work.until_interrupted():
        work.selection = select(
            work.X,
            work.y,
            rules,
            prepare=prepare,
            cv=options.cv,
            groups=groups,
            seed=options.seed,
            retrain=options.retrain,
            peers=others,
            judge=judge,
            progress=progress,
            **kept,
        )
    assert work.selection is not None
    work.not_tried |= work.selection.failed
    if options.points is not None and not work.interrupted:
        with work.timed("bounding the card"):
            work.selection.estimator.prove_on(*training_rows(work))


def _compared(work: Work, options: Options, size: tuple[int, int]) -> tuple[Any, Any]:
    """The candidates and their peers; what is not tried is noted."""
    seed, weight = options.seed, options.class_weight
    # a kernel keeps training rows
    kernel = not options.no_rows and options.linear_only is not True
    why = ROWS_OF_IT if options.no_rows else "only rules that can be shown"
    rules = candidates(*size, random_state=seed, kernel=kernel, class_weight=weight)
    work.not_tried = not_tried(*size, kernel=kernel, why_no_kernel=why)
    if not options.peers:
        return rules, {}
    kind = (*size, len(work.counts))
    is_sparse = sparse.issparse(work.X)
    work.not_tried |= no_peers(*kind, sparse=is_sparse)
    return rules, peers(*kind, sparse=is_sparse, random_state=seed, class_weight=weight)


def training_rows(work: Work) -> tuple[Any, Any]:
    """The rows that the winner was fitted on, as it saw them; of a sample those in it."""
    assert work.selection is not None
    train, prepare = work.selection.fitted_on, work.selection.prepare
    if work.sample is not None:
        train = _places(work.sample, train)
    X = work.X[train]
    return (X if prepare is None else prepare.transform(X)), work.y[train]


def _places(sample: Any, rows: Any) -> Any:
    """Where in the sample these rows are; both rise."""
    sample = sample.astype(rows.dtype)
    at = np.searchsorted(rows, sample)
    return np.flatnonzero(rows[np.minimum(at, len(rows) - 1)] == sample)


# Rows that stay together: a column that is read by itself, and is no feature.


def groups_of(table: Table, group: str) -> NDArray[Any]:
    """The values of a column by itself, as numbers."""
    known: dict[str, int] = {}
    found = []
    for part in table.batches():
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
                "it in, or leave out such rows.",
                **part.place(int(none.argmax())).data,
            )
    return np.concatenate(found) if found else np.empty(0)
