"""Mutation testing: a module is changed in one place, and tests that cover it must fail.

    python scripts/mutate.py loop [--sample 40] [--seed 0] [--minutes 20] [--list]

Mutants are all places where a comparison is turned or made strict, a whole number is one more or
less, `not` is dropped, `and` and `or` are swapped, True and False, + and -, or a statement is left
out. A sample of them is drawn, and each is run in a process of its own by the tests below, until
one fails. What came of it is a line of .mutants/MODULE.jsonl: the next call does what is left.
Those that survive are printed with their lines. Code that runs in further processes is unchanged.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import importlib
import json
import os
import random
import resource
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "rosenblatt"

# Each module, and tests of it, the quickest first.
_TRAINING = ["training/test_whole_epochs.py", "training/test_textbook.py"]
_TRAINING += ["training/test_recorded_fits.py", "training/test_callbacks.py"]
_TRAINING += ["training/test_prove.py", "training/test_drop_in.py"]
_LOOP = ["training/test_keeps_and_orders.py", "training/test_warm_start.py"]
_VERIFY = ["certify/test_kept_certificates.py", "certify/test_many_classes_verify.py"]
MODULES = {
    "loop": (
        "_training/loop.py",
        [*_TRAINING, *_LOOP, "training/test_interrupt.py"],
    ),
    "stopping": ("_training/stopping.py", [*_TRAINING, "training/test_patience.py"]),
    "verify": ("verify.py", [*_VERIFY, "certify/test_strict.py", "certify/test_verify.py"]),
}
LONGEST = 240  # processor seconds for a mutant, several times what the tests take: an endless loop
_WAITS = 1800  # seconds, for one that waits and does nothing
HEAVY = ("numpy", "scipy.stats", "sklearn.linear_model", "pandas", "pyarrow")

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


def fails(path: Path, tree: ast.Module, tests: list[str]) -> str:
    """What the tests say of a mutant: "killed", "survived", or "time" where they do not end."""
    child = os.fork()
    if child == 0:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (LONGEST, LONGEST))
        os._exit(_run(path, tree, tests))
    until = time.monotonic() + _WAITS
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended and os.WIFSIGNALED(status):
            return "time"
        if ended:
            return "killed" if status else "survived"
        if time.monotonic() > until:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return "time"
        time.sleep(0.05)


def _run(path: Path, tree: ast.Module, tests: list[str]) -> int:
    usual = SourceFileLoader.get_code

    def get_code(self: Any, name: str) -> Any:
        if Path(self.path).resolve() == path:
            return compile(tree, str(path), "exec")
        return usual(self, name)

    SourceFileLoader.get_code = get_code  # type: ignore[method-assign]
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    import pytest

    options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:randomly"]
    return int(pytest.main([*options, *tests]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("module", choices=MODULES)
    parser.add_argument("--sample", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=20)
    asked = parser.parse_args()
    file, names = MODULES[asked.module]
    tests = [f"tests/{name}" for name in names]
    path = (PACKAGE / file).resolve()
    text = path.read_text()
    tree, lines = ast.parse(text), text.splitlines()
    every = list(places(tree))
    drawn = random.Random(asked.seed).sample(every, min(asked.sample, len(every)))
    os.chdir(ROOT)
    folder = ROOT / ".mutants"
    folder.mkdir(exist_ok=True)
    kept = folder / f"{asked.module}.jsonl"
    version = hashlib.sha256(text.encode()).hexdigest()[:12]
    known = [json.loads(line) for line in kept.read_text().splitlines()] if kept.exists() else []
    done = {(k["node"], k["change"]): k["outcome"] for k in known if k["version"] == version}
    for name in (*HEAVY, "pytest"):
        importlib.import_module(name)
    if not done and fails(path, tree, tests) != "survived":
        print("The tests fail without a mutant.")
        return 2
    until = time.monotonic() + 60 * asked.minutes
    for place in drawn:
        if time.monotonic() > until:
            break
        if place not in done:
            done[place] = fails(path, mutated(tree, place), tests)
            line = {"version": version, "node": place[0], "change": place[1]}
            with open(kept, "a") as file_of_lines:
                file_of_lines.write(json.dumps(line | {"outcome": done[place]}) + "\n")
    tried = [place for place in drawn if place in done]
    nodes = list(ast.walk(tree))
    for place in sorted(place for place in tried if done[place] == "survived"):
        number = nodes[place[0]].lineno  # type: ignore[attr-defined] # each has one
        print(f"survived: {file}:{number}: {place[1]}: {lines[number - 1].strip()}")
    counts = Counter(done[place] for place in tried)
    found = counts["killed"] + counts["time"]
    print(f"{file}: {found} of {len(tried)} mutants found, {len(drawn) - len(tried)} left to do")
    return int(counts["survived"] > 0)


if __name__ == "__main__":
    sys.exit(main())
