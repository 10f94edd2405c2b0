"""rosenblatt.study: the main job from Python; `rosenblatt fit` is the same from a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from rosenblatt._study import proof, stream, work
from rosenblatt._study.build_document import beginning, described
from rosenblatt._study.checkpoints import Checkpoints
from rosenblatt._study.document import Beginning
from rosenblatt._study.options import Options
from rosenblatt._study.proof import check_size
from rosenblatt._study.result import Study, StudyInterrupted
from rosenblatt._study.source import Source, SparseRows, source_of
from rosenblatt._util.interrupt import to_the_end
from rosenblatt._util.progress import progress, shown
from rosenblatt._util.text import of_files
from rosenblatt._validation import parameters

_NO_OPTIONS = ("source", "y", "verbose")  # parameters of `study` that Options does not have


def study(
    source: Any,
    y: Any = None,
    *,
    target: str | None = None,
    ignore: str | Iterable[str] = (),
    positive: Any = None,
    impute: str | None = None,
    missing: str | Iterable[str] = (),
    charset: str | None = None,
    header: bool | None = None,
    sep: str | None = None,
    names: str | Iterable[str] | None = None,
    sheet: str | None = None,
    drop_unlabelled: bool = False,
    categorical: str | Iterable[str] = (),
    numeric: str | Iterable[str] = (),
    text: str | Iterable[str] = (),
    seed: int = 0,
    cv: int | None = None,
    group: Any = None,
    costs: Any = None,
    class_weight: str | None = None,
    objective: str | None = None,
    linear_only: bool | None = None,
    points: int | None = None,
    terms: int | None = None,
    peers: bool = True,
    retrain: bool = True,
    no_rows: bool = False,
    embed_data: bool = False,
    time_limit: float | None = None,
    stream: bool = False,
    cache: Any = None,
    checkpoint: Any = None,
    checkpoint_every: float | None = None,
    engine: Any = None,
    verbose: int = 0,
) -> Study:
    """From rows with labels to an honest error, a rule, a verdict with its proof, and a report.

    Three fifths of the rows train the candidates, and one fifth (validation) chooses among them.
    The chosen one is trained again on both; the last fifth tests it, once. The verdict is about all
    rows; margins are those of the training rows. `rosenblatt fit` does the same, to the bit.

    Parameters
    ----------
    source : path, list of paths, data frame or array
        A table: the path or pattern of files, of any format that `rosenblatt.data.read` takes, or
        a data frame of pandas, polars or pyarrow. Or rows: an array of the shape (n, d), whose
        columns are called x0, x1, and so on, or a sparse matrix.
    y : array of shape (n,), optional
        The labels, where they are not a column of the table.
    target : str, optional
        The column of labels.
    ignore : str or list of str
        Columns to leave out.
    positive : label, list of labels, or condition, optional
        One or several labels against all others, of more than two; or those numbers that fulfil a
        condition, as ">=7". None: all labels are told apart, 100 at most.
    impute : "mean" or "median", optional
        What stands for missing numbers: that of the training rows. None: they are refused.
    missing : str or list of str
        Further words of files that stand for a missing value, like "?".
    drop_unlabelled : bool
        True: rows whose label is missing are left out; by default they are refused.
    charset, header, sep, names, sheet, categorical, numeric, text
        How files are read and what their columns hold, as in `rosenblatt.data.read`.
    seed : int
        For the random split of the rows and for all random orders.
    cv : int, optional
        Nested cross-validation with this number of folds, for small tables.
    group : str, or array of shape (n,), optional
        Rows with equal values in this column, or here, are never in two parts.
    costs : dict of str to float, optional
        What errors cost, by "actual:predicted": {"yes:no": 5}, a yes that is called no costs 5.
        Pairs of labels may be tuples, too. What is not named costs 1.
    class_weight : "balanced", optional
        Training weighs the rows of each label by how rare it is.
    objective : "error", "cost" or "balanced", optional
        What chooses among candidates, and of two labels the threshold: the number of errors (the
        threshold stays as it was learned), their price, or the mean of the errors of each label.
        By default "cost" with `costs`, "balanced" with `class_weight`, else "error".
    linear_only : bool, optional
        True: no kernel, so that the rule can be shown. None: a kernel is chosen only if it wins by
        a standard error at least. False: if it wins at all.
    points : int, optional
        The rule is a card: a few terms, each worth whole points up to so many, to be added up by
        hand. Two labels only. How many terms it has is chosen on the validation rows.
    terms : int, optional
        How many terms a card may have; 5 by default.
    peers : bool
        Compare with scikit-learn's logistic regression and gradient boosting, on the same rows,
        where these are few enough. They are not written.
    retrain : bool
        False: the chosen rule is tested as it was compared, having learned from three fifths.
    no_rows : bool
        True: nothing derived from individual rows is shown or saved, for data about people.
    embed_data : bool
        True: the report contains all rows, and checks the whole proof when it is opened. Whoever
        has the report then has the data.
    time_limit : float, optional
        Seconds for the verdict, which may then be undecided; 10 by default.
    stream : bool
        True: for tables larger than memory (out-of-core); their rows are encoded into files.
    cache : path, optional
        The folder of these files, by default the cache of the user.
    checkpoint : path, optional
        A folder for checkpoints of the training: if the process is killed, the same call goes on
        from there. It is removed when the study is saved.
    checkpoint_every : float, optional
        Seconds between two checkpoints; 60 by default.
    engine : Dask client, address of a scheduler, "ray" or concurrent.futures.Executor, optional
        Its machines train the candidates side by side, as with `stream`; they must see the folder
        of the cache. It changes nothing of the result.
    verbose : int
        1 shows a progress bar on a terminal or in a notebook.

    Returns
    -------
    Study
        Print it; in a notebook it shows its report. `save` writes it into a folder.

    Raises
    ------
    InputError
        What was given cannot be learned from; it says why, and what to do.
    KeyboardInterrupt
        Ctrl-C. If there is a rule by then, its attribute `study` has what there is.

    Examples
    --------
    >>> from rosenblatt import datasets, study
    >>> credit = datasets.load_credit().filename
    >>> found = study(credit, target="card", ignore=["share", "expenditure"])
    >>> found
    <Study of card: average, 15.5% wrong in test (11.4% to 20.5%), overlap>
    """
    given = {name: value for name, value in locals().items() if name not in _NO_OPTIONS}
    given["group"] = group if isinstance(group, str) else None
    options = Options.of(**given)
    quiet = parameters.level("verbose", verbose) == 0
    groups = None if isinstance(group, str) else group
    table, options = source_of(source, y, groups, options)
    return studied(table, options, quiet=quiet)


def studied(
    source: Source,
    options: Options,
    *,
    quiet: bool,
    told: Callable[[Beginning], None] = lambda _: None,
) -> Study:
    """All of it; `told` hears of the error as soon as it is known, before the verdict."""
    checkpoints = None
    if options.checkpoint is not None:
        checkpoints = Checkpoints(options.checkpoint, options.checkpoint_every)
    with shown(quiet=quiet):
        done = _worked(source, options, checkpoints)
    with done.timed("describing"), to_the_end():
        begun = beginning(done, source.origin, options)
        told(begun)
    with of_files(bool(source.origin.files)):
        with shown(quiet=quiet):
            proof.decide(done, options)
        with done.timed("describing"), to_the_end():
            document = described(done, source.origin, options, begun)
            found = Study(done, document, source.origin, options, checkpoints)
    if done.interrupted:
        raise StudyInterrupted(found)
    return found


def _worked(source: Source, options: Options, checkpoints: Checkpoints | None) -> work.Work:
    """Read and compared."""

    def training(done: int, total: int, name: str) -> None:
        progress(f"training: {name}", done, total + 3)

    progress("reading")
    if options.stream and not isinstance(source, SparseRows):
        return stream.work_on(source, options, checkpoints, training)
    found, groups = work.read(source, options)
    if options.embed_data:
        check_size(found.X)
    work.compare(found, groups, options, checkpoints, training)
    return found
