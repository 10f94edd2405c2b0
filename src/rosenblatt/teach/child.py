"""The child process that runs a submission: it has tables, no answers, and no rosenblatt.

It is started as a program of its own, isolated (`python -I`). A request comes on standard input,
what was seen goes to one file descriptor. Nothing here compares anything: the parent does.
"""

from __future__ import annotations

import contextlib
import gc
import inspect
import json
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np

MOST_UPDATES = 5000
"""That are written down of one run; a program that makes more does not end."""

RECORD = ("record", "callback", "hook", "log", "trace", "history")
ROUNDS = ("epochs", "n_epochs", "max_iter", "T", "tau", "max_epochs", "iterations", "n_iter")
UPDATES = ("updates", "max_updates", "n_updates")
RATE = ("eta", "eta0", "lr", "learning_rate", "rate")
KERNEL = ("kernel", "k", "kernel_function")
PARAMS = ("params",)


class OutOfTimeError(BaseException):
    """The run took too long. No `except Exception` of a submission stops it."""


class EnoughError(BaseException):
    """So many updates were seen that nothing more is to be learned."""


# --- What a program is called with ---------------------------------------------------------------


def form_of(function: Callable[..., Any]) -> str:
    """`update`, `generator`, `record` or `train`: told by the parameters."""
    names = list(inspect.signature(function).parameters)
    if inspect.isgeneratorfunction(function):
        return "generator"
    pair = {n.lower() for n in names[2:]} & {"x", "xi", "x_i", "y", "yi", "y_i"}
    if len(names) == 4 and pair and names[0].lower() not in ("x", "data", "features"):
        return "update"
    return "record" if any(n in RECORD for n in names) else "train"


def arguments(function: Callable[..., Any], case: dict[str, Any], record: Any) -> dict[str, Any]:
    """By name: what the parameters after X and y are asking for."""
    values: dict[str, Any] = {}
    names = list(inspect.signature(function).parameters)[2:]
    counts_updates = case["updates"] is not None and not set(names) & set(UPDATES)
    for name in names:
        if name in RECORD:
            values[name] = record
        elif name in ROUNDS:
            # T of a pocket is its updates, unless they have a parameter of their own.
            own = counts_updates and "epoch" not in name
            values[name] = case["updates" if own else "epochs"]
        elif name in UPDATES and case["updates"] is not None:
            values[name] = case["updates"]
        elif name in RATE:
            values[name] = case["eta"]
        elif name in KERNEL:
            values[name] = _kernel
        elif name in PARAMS:
            values[name] = {"T": case["epochs"]}
    return values


def _kernel(x: Any, z: Any) -> Any:
    return (np.dot(np.ravel(x), np.ravel(z)) + 1) ** 2


def given(function: Callable[..., Any], case: dict[str, Any]) -> tuple[Any, Any]:
    """X and y; for the kernel perceptron the Gram matrix, unless it asks for the kernel."""
    asks_for_kernel = any(name in KERNEL for name in inspect.signature(function).parameters)
    X = case["X"] if case["gram"] is None or asks_for_kernel else case["gram"]
    return np.array(X, dtype=np.float64), np.array(case["y"], dtype=np.int64)


# --- One run --------------------------------------------------------------------------------------


class Observed:
    """What a program did with one table."""

    def __init__(self) -> None:
        self.updates: list[list[Any]] = []  # row, w, b
        self.end: list[Any] | None = None  # w, b

    def record(self, *values: Any) -> None:
        """`record(i, w, b)`; copied, so that aliasing cannot hide."""
        if len(self.updates) >= MOST_UPDATES:
            raise EnoughError
        if len(values) == 1 and isinstance(values[0], (tuple, list)):
            values = tuple(values[0])
        i, *rest = values
        self.updates.append([int(np.ravel(i)[0]), numbers(rest[0]), numbers(rest[1:])])


def numbers(value: Any) -> list[float]:
    flat: list[float] = []
    for part in value if isinstance(value, (list, tuple)) else [value]:
        array = np.asarray(part, dtype=np.float64)
        flat += array.ravel().tolist()
    return flat


def watched(function: Callable[..., Any], case: dict[str, Any], form: str) -> dict[str, Any]:
    X, y = given(function, case)
    before, observed, trouble = (X.copy(), y.copy()), Observed(), None
    try:
        with limited(case["seconds"]), np.errstate(all="ignore"):
            _run(function, X, y, case, form, observed)
    except OutOfTimeError:
        trouble = ["endless", f"it had not ended after {case['seconds']:g} s"]
    except EnoughError:
        trouble = ["endless", f"it made {MOST_UPDATES} updates and did not end"]
    except BaseException as error:  # a submission may raise anything, SystemExit, too
        file = getattr(getattr(function, "__code__", None), "co_filename", "")
        trouble = ["raised", said_of(error, file)]
    changed = [n for n, a, b in zip("Xy", before, (X, y), strict=True) if not np.array_equal(a, b)]
    report: dict[str, Any] = {
        "updates": observed.updates,
        "end": observed.end,
        "trouble": trouble,
        "changed": changed,
    }
    if form == "train" and trouble is not None and trouble[0] == "endless":
        report["values"] = values_of(function, case, form)
    return report


def said_of(error: BaseException, file: str) -> str:
    """The error, after the last line of the program that was on the way to it."""
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == file]
    if isinstance(error, SyntaxError) and error.filename == file:
        lines, error = [error.lineno], type(error)(error.msg)
    where = f"line {lines[-1]}: " if lines else ""
    if isinstance(error, ImportError) and (error.name or "").partition(".")[0] == "rosenblatt":
        return f"{where}a submission may not import rosenblatt"
    return f"{where}{type(error).__name__}: {error}"[:500]


# --- A program that does not end and tells nothing: the values of its variables ------------------

MOST_LINES, MOST_VALUES, MOST_VARIABLES, LONGEST = 6000, 40, 40, 64


def values_of(function: Callable[..., Any], case: dict[str, Any], form: str) -> dict[str, Any]:
    """By variable its values, one after the other, over the first lines of a run."""
    values: dict[str, list[list[float]]] = {}
    lines, file = 0, function.__code__.co_filename

    def note(name: str, value: Any) -> None:
        if not isinstance(value, (np.ndarray, np.generic, int, float, list)):
            return
        try:
            flat = numbers(value)
        except (TypeError, ValueError):
            return
        if len(flat) > LONGEST or (name not in values and len(values) >= MOST_VARIABLES):
            return
        so_far = values.setdefault(name, [])
        if (not so_far or so_far[-1] != flat) and len(so_far) < MOST_VALUES:
            so_far.append(flat)

    def look(frame: Any, event: str, _: Any) -> Any:
        nonlocal lines
        if frame.f_code.co_filename != file:
            return None
        lines += 1
        if lines > MOST_LINES:
            raise EnoughError
        for name, value in frame.f_locals.items():
            note(name, value)
            if name == "self":
                for attribute, held in vars(value).items():
                    note(attribute, held)
        return look

    X, y = given(function, case)
    quietly = np.errstate(all="ignore")
    with contextlib.suppress(BaseException), limited(case["seconds"]), quietly:
        sys.settrace(look)
        try:
            _run(function, X, y, case, form, Observed())
        finally:
            sys.settrace(None)
    return values


def _run(
    function: Callable[..., Any],
    X: Any,
    y: Any,
    case: dict[str, Any],
    form: str,
    run: Observed,
) -> None:
    if form == "update":
        _loop(function, X, y, case, run)
        return
    returned = function(X, y, **arguments(function, case, run.record))
    if form == "generator":
        for values in returned:
            run.record(*values)
        if run.updates:
            run.end = run.updates[-1][1:]
        return
    run.end = ends(returned)


def ends(returned: Any) -> list[Any]:
    if not isinstance(returned, tuple) or len(returned) < 2:
        return [numbers(returned), []]
    return [numbers(returned[0]), numbers(returned[1])]


def _loop(update: Callable[..., Any], X: Any, y: Any, case: dict[str, Any], run: Observed) -> None:
    """The loop of the notes around `update(w, b, x, y)`; it ends after a pass without a change."""
    by_column = case["layout"] == "columns"
    n = X.shape[1] if by_column else X.shape[0]
    d = X.shape[0] if by_column else X.shape[1]
    w: Any = np.zeros((d, 1)) if by_column else np.zeros(d)
    b: Any = 0.0
    for _ in range(MOST_UPDATES if case["until_clean"] else case["epochs"]):
        clean = True
        for i in range(n):
            before = [numbers(w), numbers(b)]
            x, label = (X[:, i : i + 1], y[0, i]) if by_column else (X[i], y[i])
            w, b = update(np.array(w, copy=True), b, x, label)
            if [numbers(w), numbers(b)] != before:
                run.record(i, w, b)
                clean = False
        if clean and case["until_clean"]:
            break
    else:
        if case["until_clean"]:
            raise EnoughError
    run.end = [numbers(w), numbers(b)]


@contextlib.contextmanager
def limited(seconds: float) -> Iterator[None]:
    """So much processor time for one run; where there are no such signals the parent's clock."""
    try:
        import signal
    except ImportError:
        yield
        return
    if not hasattr(signal, "setitimer"):
        yield
        return

    def over(*_: Any) -> None:
        raise OutOfTimeError

    before = signal.signal(signal.SIGVTALRM, over)
    collects = gc.isenabled()
    gc.disable()  # an exception in what a collection calls would be lost
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
        if collects:
            gc.enable()


def observe(function: Callable[..., Any], cases: list[dict[str, Any]]) -> dict[str, Any]:
    """After two runs that do not end the others are left out."""
    form, runs, endless = form_of(function), list[dict[str, Any]](), 0
    for case in cases:
        if endless == 2:
            runs.append({"updates": [], "end": None, "trouble": ["left out", ""], "changed": []})
            continue
        runs.append(watched(function, case, form))
        endless += bool(runs[-1]["trouble"]) and runs[-1]["trouble"][0] == "endless"
    names = {"eta": RATE, "epochs": ROUNDS, "updates": UPDATES, "kernel": KERNEL}
    given = inspect.signature(function).parameters
    taken = [what for what, known in names.items() if any(name in known for name in given)]
    return {"name": getattr(function, "__name__", ""), "form": form, "asked": taken, "runs": runs}


# --- The process ----------------------------------------------------------------------------------


MODULES = """
abc bisect collections copy dataclasses decimal enum fractions functools heapq itertools logging
math operator pathlib queue random re statistics string textwrap time typing warnings
numpy.fft numpy.linalg numpy.ma numpy.polynomial numpy.random numpy.testing
"""


def confine(limits: dict[str, Any]) -> None:
    """No way back: another user where this is root, and then the limits."""
    import resource

    if limits["uid"] is not None:
        os.setgroups([])
        os.setgid(limits["uid"])
        os.setuid(limits["uid"])
    wanted = {
        "RLIMIT_CPU": limits["seconds"],
        "RLIMIT_AS": limits["memory"],
        "RLIMIT_FSIZE": limits["output"],
        "RLIMIT_NPROC": limits["processes"],
        "RLIMIT_NOFILE": 64,
        "RLIMIT_CORE": 0,
    }
    for name, most in wanted.items():
        which = getattr(resource, name, None)
        if which is None:
            continue
        hard = resource.getrlimit(which)[1]
        allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(which, (allowed, allowed))


PROGRAM = "submission.py"


def load(source: str, name: str) -> Callable[..., Any]:
    """The function of this name; without one, the only function that can be meant."""
    module = ModuleType("submission")
    module.__dict__["__name__"] = "submission"  # not __main__: what is guarded does not run
    sys.modules["submission"] = module
    exec(compile(source, PROGRAM, "exec"), module.__dict__)
    function = module.__dict__.get(name)
    if callable(function):
        return function  # type: ignore[no-any-return] # a module holds anything
    own = {
        n: v
        for n, v in module.__dict__.items()
        if inspect.isfunction(v) and v.__code__.co_filename == PROGRAM
    }
    names = ", ".join(own) or "none"
    if name:
        raise NameError(f"there is no function {name}; there are {names}")
    meant = [*own.values()]
    for could_be in (is_training, is_update):
        if len(meant) > 1 and any(map(could_be, meant)):
            meant = [v for v in meant if could_be(v)]
    if len(meant) != 1:
        raise NameError(f"no function is named, and which is meant is not clear; there are {names}")
    return meant[0]


ROWS, LABELS = ("x", "xs", "data", "features"), ("y", "ys", "labels", "targets", "t")


def is_training(function: Callable[..., Any]) -> bool:
    """It begins with X and y."""
    first, second, *_ = [*map(str.lower, inspect.signature(function).parameters), "", ""]
    return first in ROWS and second in LABELS


def is_update(function: Callable[..., Any]) -> bool:
    """Of one row, not of all: x is no capital letter."""
    return form_of(function) == "update" and "X" not in inspect.signature(function).parameters


def main() -> None:
    request = json.load(sys.stdin)
    answer_to = int(sys.argv[1])
    for module in MODULES.split():
        __import__(module)  # the folder of modules may be closed to the other user
    sys.modules["rosenblatt"] = None  # type: ignore[assignment]
    confine(request["limits"])
    try:
        with limited(request["seconds"]):
            function = load(request["source"], request["name"])
        answer = observe(function, request["cases"])
    except BaseException as error:
        answer = {"trouble": said_of(error, PROGRAM)}
    with os.fdopen(answer_to, "w") as out:
        json.dump(answer, out)
    os._exit(0)  # nothing that the submission left behind is waited for


if __name__ == "__main__":
    main()
