"""Mutation testing: a module is changed in one place, and tests that cover it must fail.

    python scripts/mutate.py training [--sample 40] [--seed 0] [--minutes 20] [--again]

Mutants are all places where a comparison is turned or made strict, a whole number is one more or
less, `not` is dropped, `and` and `or` are swapped, True and False, + and -, or a statement is left
out; `--lines 375 514` takes those of some lines. Tests run once without a mutant, and it is noted
which lines of the module each of them runs. Then each mutant is a process forked from that one,
where the code of one function is exchanged, and those tests run that come through the line, the
quickest first, until one fails. What is not in a function runs when the module is imported: there
all tests run in a process of their own.

What came of a mutant is a line of .mutants/MODULE.jsonl: the next call does what is left. Those
that survive are printed with their lines; `--again` tries them against new tests. Code that runs
in further processes is unchanged.
"""

from __future__ import annotations

import argparse
import ast
import gc
import hashlib
import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from copy import deepcopy
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any, final

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "rosenblatt"

# Each module, and tests of it.
_TRAINING = [f"training/{name}" for name in ("textbook", "whole_epochs", "prove", "patience")]
_FITS = ["recorded_fits", "callbacks", "drop_in", "keeps_and_orders", "warm_start", "interrupt"]
_PASSES = ["partial_fit", "few_columns", "following"]
_PROOFS = ["kept_certificates", "many_classes_verify", "strict", "verify"]
_CLAIMS = ["families", "one_sided", "absorbed", "designs", "as_given", "verify_svmlight", "chance"]
MODULES = {
    "training": (
        "_training/training.py",
        [*_TRAINING, *(f"training/{name}" for name in (*_FITS, *_PASSES))],
    ),
    "stopping": (
        "_training/stopping.py",
        [*_TRAINING, *(f"training/{name}" for name in (*_FITS[2:4], "small_numbers"))],
    ),
    "verify": (
        "verify.py",
        [*(f"certify/{name}" for name in (*_PROOFS, *_CLAIMS)), "bounds/demands"],
    ),
}
LONGEST = 120  # processor seconds for a mutant, several times what the tests take: an endless loop
_WAITS = 600  # seconds, for one that waits and does nothing

Place = tuple[int, str]  # the number of a node in the order of ast.walk, and what becomes of it

COMPARED: dict[type[ast.cmpop], list[type[ast.cmpop]]] = {
    ast.Lt: [ast.LtE, ast.GtE],
    ast.LtE: [ast.Lt, ast.Gt],
    ast.Gt: [ast.GtE, ast.LtE],
    ast.GtE: [ast.Gt, ast.Lt],
    ast.Eq: [ast.NotEq],
    ast.NotEq: [ast.Eq],
    ast.Is: [ast.IsNot],
    ast.IsNot: [ast.Is],
    ast.In: [ast.NotIn],
    ast.NotIn: [ast.In],
}
LEFT_OUT = (ast.Assign, ast.AugAssign, ast.Expr, ast.Raise, ast.Return, ast.Break, ast.Continue)


def places(tree: ast.Module) -> Iterator[Place]:
    """Every mutant; neither of annotations nor of docstrings, whose change changes nothing."""
    passive = set()
    for node in ast.walk(tree):
        for part in (getattr(node, "annotation", None), getattr(node, "returns", None)):
            passive |= set(map(id, ast.walk(part))) if part is not None else set()
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            passive |= {id(node), id(node.value)}
    for k, node in enumerate(ast.walk(tree)):
        if id(node) not in passive:
            yield from ((k, change) for change in changes(node))


def changes(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Compare):
        for j, op in enumerate(node.ops):
            yield from (f"compare {j} {new.__name__}" for new in COMPARED[type(op)])
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield "flip"
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        yield from ("more", "less")
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "drop not"
    elif isinstance(node, ast.BoolOp):
        yield "swap and, or"
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        yield "swap +, -"
    elif isinstance(node, LEFT_OUT):
        yield "leave out"


class Mutation(ast.NodeTransformer):
    """One place is changed."""

    def __init__(self, node: ast.AST, change: str):
        self._node, self._change = node, change

    def visit(self, node: ast.AST) -> Any:
        if node is not self._node:
            return self.generic_visit(node)
        change = self._change
        if change == "leave out":
            return ast.copy_location(ast.Pass(), node)
        if change == "drop not":
            return node.operand  # type: ignore[attr-defined] # a UnaryOp
        if isinstance(node, ast.Compare):
            _, j, name = change.split()
            node.ops[int(j)] = getattr(ast, name)()
        elif isinstance(node, ast.BoolOp):
            node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        elif isinstance(node, ast.BinOp):
            node.op = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
        elif isinstance(node, ast.Constant):
            by = {"more": 1, "less": -1}
            node.value = not node.value if change == "flip" else node.value + by[change]
        return node


def mutated(tree: ast.Module, place: Place) -> ast.Module:
    other = deepcopy(tree)
    node = list(ast.walk(other))[place[0]]
    return ast.fix_missing_locations(Mutation(node, place[1]).visit(other))


def code_of_functions(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from code_of_functions(constant)


def exchange(path: Path, tree: ast.Module) -> bool:
    """Every function of the module gets the code of the mutant. False: that cannot be done."""
    new = {c.co_qualname: c for c in code_of_functions(compile(tree, str(path), "exec"))}
    ours = [f for f in gc.get_objects() if isinstance(f, FunctionType)]
    try:
        for function in ours:
            if function.__code__.co_filename == str(path):
                function.__code__ = new[function.__code__.co_qualname]
    except (KeyError, ValueError):  # two of one name, or other variables from outside
        return False
    return True


def in_function(tree: ast.Module, place: Place) -> bool:
    node = list(ast.walk(tree))[place[0]]
    return any(
        node in ast.walk(statement)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef)
        for statement in function.body
    )


def outcome_of(child: Callable[[], int]) -> str:
    """Of a forked process: "killed", "survived", or "time" where it does not end."""
    pid = os.fork()
    if pid == 0:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (LONGEST, LONGEST))
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(null, stream)
        os._exit(child())
    until = time.monotonic() + _WAITS
    while True:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended and os.WIFSIGNALED(status):
            return "time"
        if ended:
            return "killed" if status else "survived"
        if time.monotonic() > until:
            os.killpg(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            return "time"
        time.sleep(0.02)


@final
class Mutants:
    """As a plugin of pytest, which has collected the tests and set nothing up yet."""

    def __init__(self, path: Path, drawn: list[Place], kept: Path, version: str, minutes: float):
        self.path, self.drawn, self.kept, self.version = path, drawn, kept, version
        self.tree = ast.parse(path.read_text())
        self.done: dict[Place, str] = {}
        self.until, self.failed = time.monotonic() + 60 * minutes, False
        self._lines: dict[Any, set[int]] = defaultdict(set)  # by test
        self._seconds: dict[Any, float] = {}

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        for item in session.items:
            begin = time.process_time()
            sys.settrace(self._tracer(self._lines[item]))
            self._run(item)
            sys.settrace(None)
            self._seconds[item] = time.process_time() - begin
        self.failed = session.testsfailed > 0
        if not self.failed:
            self._try_mutants(session)
        return True

    def _tracer(self, lines: set[int]) -> Callable[[FrameType, str, Any], Any]:
        def of_line(frame: FrameType, event: str, _: Any) -> Any:
            lines.add(frame.f_lineno)
            return of_line

        name = str(self.path)
        return lambda frame, *_: of_line if frame.f_code.co_filename == name else None

    def _run(self, item: pytest.Item) -> None:
        # Followed by none: what it shares with others is made again, and cannot be spoiled.
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)

    def _try_mutants(self, session: pytest.Session) -> None:
        nodes = list(ast.walk(self.tree))
        for place in self.drawn:
            if time.monotonic() > self.until:
                return
            node: Any = nodes[place[0]]
            lines = set(range(node.lineno, node.end_lineno + 1))
            items = [item for item in session.items if lines & self._lines[item]]
            items.sort(key=self._seconds.__getitem__)
            self.note(place, outcome_of(lambda p=place, i=items: self._fails(session, p, i)))  # type: ignore[misc]

    def _fails(self, session: pytest.Session, place: Place, items: list[Any]) -> int:
        tree = mutated(self.tree, place)
        if not in_function(self.tree, place) or not exchange(self.path, tree):
            return imported_fails(self.path, place)
        for item in items:
            self._run(item)
            if session.testsfailed:
                return 1
        return 0

    def note(self, place: Place, outcome: str) -> None:
        self.done[place] = outcome
        line = {"version": self.version, "node": place[0], "change": place[1], "outcome": outcome}
        with open(self.kept, "a") as file:
            file.write(json.dumps(line) + "\n")


def imported_fails(path: Path, place: Place) -> int:
    """All tests in a process that imports the mutant."""
    command = [sys.executable, __file__, path.stem, "--place", *map(str, place)]
    return subprocess.run(command, check=False).returncode


def run_imported(path: Path, tests: list[str], place: Place) -> int:
    tree = mutated(ast.parse(path.read_text()), place)
    usual = SourceFileLoader.get_code

    def get_code(self: Any, name: str) -> Any:
        if Path(self.path).resolve() == path:
            return compile(tree, str(path), "exec")
        return usual(self, name)

    SourceFileLoader.get_code = get_code  # type: ignore[method-assign]
    return int(pytest.main(["-x", *_OPTIONS, *tests]))


_OPTIONS = ["-q", "-p", "no:cacheprovider", "-p", "no:randomly"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("module", choices=MODULES)
    parser.add_argument("--sample", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--lines", type=int, nargs=2, default=(1, sys.maxsize))
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--place", nargs=2, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    os.chdir(ROOT)
    file, names = MODULES[asked.module]
    tests = ["tests/{}/test_{}.py".format(*name.split("/")) for name in names]
    path = (PACKAGE / file).resolve()
    if asked.place:
        return run_imported(path, tests, (int(asked.place[0]), asked.place[1]))
    text = path.read_text()
    tree, (first, last) = ast.parse(text), asked.lines
    nodes: list[Any] = list(ast.walk(tree))
    every = [place for place in places(tree) if first <= nodes[place[0]].lineno <= last]
    drawn = random.Random(asked.seed).sample(every, min(asked.sample, len(every)))
    kept = ROOT / ".mutants" / f"{asked.module}.jsonl"
    kept.parent.mkdir(exist_ok=True)
    version = hashlib.sha256(text.encode()).hexdigest()[:12]
    known = [json.loads(line) for line in kept.read_text().splitlines()] if kept.exists() else []
    done = {(k["node"], k["change"]): k["outcome"] for k in known if k["version"] == version}
    if asked.again:
        done = {place: outcome for place, outcome in done.items() if outcome != "survived"}
    left = [place for place in drawn if place not in done]
    mutants = Mutants(path, left, kept, version, asked.minutes)
    pytest.main([*_OPTIONS, *tests], plugins=[mutants])
    if mutants.failed:
        print("The tests fail without a mutant.")
        return 2
    return tell(file, text, drawn, done | mutants.done)


def tell(file: str, text: str, drawn: list[Place], done: dict[Place, str]) -> int:
    nodes, lines = list(ast.walk(ast.parse(text))), text.splitlines()
    tried = [place for place in drawn if place in done]
    for place in sorted(place for place in tried if done[place] == "survived"):
        number = nodes[place[0]].lineno  # type: ignore[attr-defined] # each has one
        print(f"survived: {file}:{number}: {place[1]}: {lines[number - 1].strip()}")
    counts = Counter(done[place] for place in tried)
    found = counts["killed"] + counts["time"]
    print(f"{file}: {found} of {len(tried)} mutants found, {len(drawn) - len(tried)} left to do")
    return int(counts["survived"] > 0)


if __name__ == "__main__":
    sys.exit(main())
