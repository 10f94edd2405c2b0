"""The stages of a study: a table is read, rules are compared, and what holds of all rows is proved.

Each stage is a function of the results before it, and its result is frozen, so that Ctrl-C loses no
more than the stage that it stops. `Read` is made by `reading` and `Compared` here for rows in
memory, both by `stream` for rows on disk; `Proved` is made by `proof`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rosenblatt._study import card
from rosenblatt._study.column_warnings import places_of_row_numbers
from rosenblatt._study.costs import criterion_of
from rosenblatt._study.one_column import OneColumn
from rosenblatt._study.options import Options
from rosenblatt._study.reading import Read
from rosenblatt._util.files import Place, make_folder, read_whole, write_whole
from rosenblatt._util.remote import Remote
from rosenblatt._util.spelling import option
from rosenblatt._util.text import Numbered
from rosenblatt._validation.parameters import not_allowed
from rosenblatt._validation.signs import demanded, refuse_constant
from rosenblatt.data.preparation import Preparation
from rosenblatt.selection import Selection, SelectionInterrupted, candidates, select
from rosenblatt.selection.candidates import (
    ONE_COLUMN,
    ROWS_OF_IT,
    WITH_MARGIN,
    comparison_rules,
    comparison_rules_left_out,
    not_tried,
)
from rosenblatt.selection.comparison import Progress, checkpoint_of
from rosenblatt.selection.folds import RowGroups, row_groups

if TYPE_CHECKING:
    from rosenblatt import Certificate
    from rosenblatt._study.proof import EmbeddedProof
    from rosenblatt.data import Preprocessing
    from rosenblatt.report.document import Price, Progressive, Proof, SecondOpinions
    from rosenblatt.sign_report import SignReport


@final
@dataclass(frozen=True)
class Compared:
    """Rules that learned from some of the rows, the choice among them, and its test."""

    read: Read
    selection: Selection
    not_tried: dict[str, str]  # candidates, and why

    @property
    def preprocessing(self) -> Preprocessing | None:
        """With the fills and scales of the rows that the chosen rule learned from."""
        preprocessor = self.selection.preprocessor
        return None if preprocessor is None else preprocessor.preprocessing_

    @property
    def names(self) -> Sequence[str]:
        if self.read.preprocessing is None:
            return Numbered(self.read.X.shape[1])
        return (self.preprocessing or self.read.preprocessing).feature_names

    def training_rows(self) -> tuple[Any, Any]:
        """The rows that the chosen rule was fitted on, as it saw them; of a sample those in it."""
        read, rows, preprocessor = self.read, self.selection.fitted_on, self.selection.preprocessor
        if read.sample is not None:
            rows = _places(read.sample, rows)
        X = read.X[rows]
        return (X if preprocessor is None else preprocessor.transform(X)), read.y[rows]


def _places(sample: NDArray[np.intp], rows: Any) -> Any:
    """Where in the sample these rows are; both rise."""
    numbers = sample.astype(rows.dtype)
    at = np.searchsorted(rows, numbers)
    return np.flatnonzero(rows[np.minimum(at, len(rows) - 1)] == numbers)


@final
@dataclass(frozen=True)
class Proved:
    """What holds of all rows, as far as it was asked and Ctrl-C did not come before."""

    certificate: Certificate | None = None
    proof: Proof | None = None
    embedded: EmbeddedProof | None = None  # what the page needs to check the proof
    of_training: Certificate | None = None
    signs: SignReport | None = None
    price: Price | None = None
    opinions: SecondOpinions | None = None
    progressive: Progressive | None = None
    interrupted: bool = False


@final
class Seconds(dict[str, float]):
    """Where the time went."""

    @contextmanager
    def timed(self, what: str) -> Iterator[None]:
        begin = time.perf_counter()
        try:
            yield
        finally:
            self[what] = self.get(what, 0.0) + time.perf_counter() - begin


# --- Compare -------------------------------------------------------------------------------------


def compare(
    read: Read,
    options: Options,
    checkpoints: Checkpoints | None,
    progress: Progress,
    seconds: Seconds,
) -> Compared:
    """Train the candidates, choose among them, test the chosen one."""
    n, d = read.X.shape
    preprocessor = beside = None
    if read.preprocessing is not None:
        preprocessor = beside = Preparation(read.preprocessing, impute=read.impute)
        if options.scorecard:
            preprocessor = card.CardPreparation(
                read.preprocessing, impute=read.impute, signs=options.signs
            )
    size = n if options.cv else n * 3 // 5, d
    criterion = criterion_of(options, list(read.counts))
    groups = row_groups(_without_row_numbers(read), read.y, read.groups)
    rules, baselines, left_out = _rules(read, options, size, groups)
    kept: dict[str, Any] = {}
    if checkpoints is not None:
        checkpoints.begin()
        kept = {"checkpoint": checkpoints.folder, "checkpoint_every": checkpoints.every}
        progress = checkpoints.seeing(progress)
    with seconds.timed("training"):
        try:
            selection = select(
                read.X,
                read.y,
                rules,
                preprocessor=preprocessor,
                cv=options.cv,
                groups=groups,
                times=None if read.times is None else read.times.values,
                random_state=options.random_state,
                retrain=options.retrain,
                comparison_rules=baselines,
                comparison_preprocessor=beside,
                criterion=criterion,
                progress=progress,
                **kept,
            )
        except SelectionInterrupted as stopped:
            selection = partial_selection(stopped)
    compared = Compared(read, selection, left_out | selection.failed)
    if options.scorecard and not selection.interrupted:
        with seconds.timed("bounding the card"):
            selection.estimator.prove_on(*compared.training_rows())
    return compared


def _demanded(read: Read, options: Options) -> Any:
    """The signs by column of the rows, which candidates see without names."""
    if options.signs is None:
        return None
    if len(read.counts) > 2:
        raise not_allowed(
            "signs",
            options.signs,
            f"it is for two labels, and there are {len(read.counts)}: say which is the positive "
            f"one, {option('positive', ...)}",
        )
    known = read.preprocessing
    names = Numbered(read.X.shape[1]) if known is None else known.feature_names
    signs = demanded(options.signs, names, read.X.shape[1])
    refuse_constant(signs, names, read.X)
    return None if signs is None else signs.tolist()


def _without_row_numbers(read: Read) -> Any:
    """A row is a copy of another whatever its number: with that they would all differ."""
    if read.preprocessing is None:
        return read.X
    numbers = read.preprocessing.head(read.X), read.preprocessing.without_prose()
    places = places_of_row_numbers(*numbers, read.rows)
    kept = np.delete(np.arange(read.X.shape[1]), places)
    return read.X[:, kept] if 0 < len(kept) < read.X.shape[1] else read.X


def partial_selection(stopped: SelectionInterrupted) -> Selection:
    """What Ctrl-C left of a comparison; without a rule there is nothing to keep."""
    if stopped.selection is None:
        raise KeyboardInterrupt from None
    return stopped.selection


def _rules(
    read: Read, options: Options, size: tuple[int, int], groups: RowGroups | None
) -> tuple[dict[str, Any], dict[str, Any], dict[str, str]]:
    """The candidates and the baselines; and what is not tried, with the reason."""
    signs = _demanded(read, options)
    seed, weight = options.random_state, options.class_weight
    # a kernel keeps training rows
    repeated = groups is not None and groups.many_repeated
    kernel = not options.private and options.linear_only is not True and not repeated
    kernel = kernel and not options.signs
    why = f"only rules that can be shown ({option('linear_only', True)})"
    if options.private:
        why = ROWS_OF_IT
    elif options.signs:
        why = "it has no weights that could have signs"
    elif repeated:
        why = "rows are repeated, and it would memorise them"
    rules = candidates(*size, random_state=seed, kernel=kernel, class_weight=weight, signs=signs)
    left_out, others = not_tried(*size, kernel=kernel, why_no_kernel=why), {}
    if options.scorecard:
        others = {WITH_MARGIN: rules[WITH_MARGIN]}
        rules, left_out = card.cards(read, options), {}
    columns = []
    if read.preprocessing is not None:
        columns = list(read.preprocessing.without_prose().columns)
    baselines: dict[str, Any] = {ONE_COLUMN: OneColumn(columns)} if columns else {}
    if options.comparison is False:
        return rules, baselines, left_out
    table: dict[str, Any] = {"n": size[0], "d": size[1], "k": len(read.counts)}
    table |= {"all_of_them": options.comparison is True}
    if sparse.issparse(read.X):
        table["numbers"] = read.X.nnz * size[0] // len(read.y)
    left_out |= comparison_rules_left_out(**table)
    others |= comparison_rules(**table, random_state=seed, class_weight=weight)
    return rules, others | baselines, left_out


# --- Where trainings stand: a folder that is there until all is saved -----------------------------


_NOTE = "about.txt"
_ABOUT = (
    "Checkpoints of rosenblatt fit. Run the same command again to resume from here; it removes\n"
    "this folder when it is done. So does the same rosenblatt.study when it is saved.\n"
)


@final
class Checkpoints:
    """The folder of --checkpoint, for one comparison."""

    def __init__(self, folder: Place, every: float):
        self.folder, self.every = folder, every
        self._numbers: set[int] = set()
        if isinstance(self.folder, Remote) or self.folder.exists():
            make_folder(self.folder)  # refuses a file, and what may not be written

    def begin(self) -> None:
        """The table was read: the folder is there."""
        if not self.folder.exists():
            make_folder(self.folder)
            write_whole(self._note, _ABOUT.encode(), overwrite=True)  # we made it, and it may go

    @property
    def _note(self) -> Place:
        return self.folder / _NOTE

    def seeing(self, progress: Progress) -> Progress:
        """progress(done, total, name), which also notes the numbers: they name the files."""

        def see(done: int, total: int, name: str) -> None:
            self._numbers.add(done)
            progress(done, total, name)

        return see

    def remove(self) -> None:
        """All is saved: our files go, and the folder if it was ours and holds nothing else."""
        for number in self._numbers:
            self.place(number).unlink(missing_ok=True)
        with suppress(OSError):
            ours = read_whole(self._note, most=1 << 20) == _ABOUT.encode()
            if ours and [entry.name for entry in self.folder.iterdir()] == [_NOTE]:
                self._note.unlink()
                self.folder.rmdir()

    def place(self, number: int) -> Place:
        """The file of the training of this number."""
        return checkpoint_of(self.folder, number)
