"""Training on data that does not fit into memory, and on machines that die."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, TypeVar

from rosenblatt._model.checkpoint import EVERY, Checkpoint
from rosenblatt._out_of_core import engine as engines
from rosenblatt._out_of_core.fit import fit_partitioned
from rosenblatt._out_of_core.placement import partitioned
from rosenblatt._out_of_core.sources import are_arrays
from rosenblatt._training.estimator import TrainedLinearClassifier
from rosenblatt._training.settings import Settings, checked, refuse
from rosenblatt._util.progress import shown_with_pace
from rosenblatt.errors import InputError

P = TypeVar("P", bound=TrainedLinearClassifier)


def train(
    estimator: P,
    source: Any,
    *,
    cache: Any = None,
    checkpoint: Any = None,
    checkpoint_every: float = EVERY,
    engine: Any = None,
) -> P:
    """Fit an estimator to rows on disk, on many machines, or to arrays, so that a crash loses next
    to nothing.

    Parameters
    ----------
    estimator : Perceptron, AROW or PassiveAggressive
        It is fitted, as by `fit`. `order="blocks"`, "cyclic" and "batch" hold 65,536 rows in memory
        at a time; "shuffle" and "random" jump between all of them, and warn of it.
    source : table, path, function or pair of arrays
        A table from `rosenblatt.data.read`: CSV, Parquet, Feather, Arrow, one file or many. The
        path or pattern of svmlight files, or a list of these. A function without arguments that
        gives an iterator of batches (X, y), the same ones every time. Or arrays (X, y), which stay
        in memory. With an engine also Dask arrays or frames (X, y), which stay where they are.
    cache : path, optional
        The folder that encoded rows are kept in, so that they are encoded once. By default
        $ROSENBLATT_CACHE, else a folder `rosenblatt` among the caches of the user; rows that a
        function gives are removed at the end.
    checkpoint : path or address (s3://…), optional
        A file for the state of the training. If it is there already, training goes on from it,
        to the same bits as if it had never stopped; one of other data or other parameters (but
        `max_iter` and `max_updates`, which may grow) is refused.
    checkpoint_every : float
        Seconds between two checkpoints. The file is also written at the start, at the end, on
        Ctrl-C and on SIGTERM.
    engine : Dask client, address of a scheduler, "ray" or concurrent.futures.Executor, optional
        The machines that look at the rows: `order="mixed"` and "batch" on all of them at once,
        "cyclic" and "blocks" on one after the other. It never changes a bit of the result, nor
        does the loss of a machine.

    Returns
    -------
    estimator
        The estimator. After a stream `update_counts_` is None. After a table `preprocessing_` says
        how its columns became numbers, most often scaled: `predict` takes rows that
        `preprocessing_.transform` made. `rosenblatt.save` keeps it with the model, and
        `Study.load` gives a rule that takes tables.

    Examples
    --------
    >>> import numpy as np
    >>> from rosenblatt import Perceptron, train
    >>> def batches():
    ...     rng = np.random.default_rng(0)
    ...     for _ in range(3):
    ...         X = rng.normal(size=(40_000, 2))
    ...         yield X, X[:, 0] + 0.1 * rng.normal(size=40_000) > 0.5
    >>> p = train(Perceptron(order="blocks", max_iter=5, random_state=0), batches)
    >>> p.n_iter_, p.training_errors_ < 6000
    (5, True)
    """
    if engine is not None:
        refuse("engine", check(estimator, checkpoint))  # before anything is read
        engines.check(engine)
    with keeping(estimator, checkpoint, checkpoint_every):
        if engine is None and are_arrays(source):
            return estimator.fit(*source)
        with ExitStack() as until_the_end:
            with shown_with_pace(quiet=not estimator.verbose):
                rows = until_the_end.enter_context(partitioned(source, engine, cache))
            return fit_partitioned(estimator, rows)


@contextmanager
def keeping(estimator: TrainedLinearClassifier, checkpoint: Any, every: float) -> Iterator[None]:
    settings = check(estimator, checkpoint)
    if checkpoint is not None:
        kept = Checkpoint(checkpoint, every)
        kept.begin(settings)  # before anything takes long
        estimator._checkpoint = kept
    try:
        yield
    finally:
        estimator.__dict__.pop("_checkpoint", None)


def check(estimator: Any, checkpoint: Any) -> Settings:
    if not isinstance(estimator, TrainedLinearClassifier):
        kind = estimator if isinstance(estimator, type) else type(estimator)
        what = "the class" if kind is estimator else "a"
        advice = " It has a fit of its own." if hasattr(kind, "fit") else ""
        raise InputError(
            "train takes a rosenblatt.Perceptron, AROW or PassiveAggressive, and then what to "
            "learn from; got "
            f"{what} {kind.__module__}.{kind.__qualname__}.{advice}"
        )
    if checkpoint is not None and estimator.warm_start:
        raise InputError(
            "warm_start=True and a checkpoint both resume training: set warm_start=False, the "
            "checkpoint does it."
        )
    return checked(estimator)
