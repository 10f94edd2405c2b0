"""The sentences of this folder are those of tests that there are."""

import ast

import pytest

from raising import TEXT, sentences

TESTS = TEXT.parent
FILES = sorted(TEXT.glob("*.json"))


def functions(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_sentence_is_of_a_test(file):
    known = {path.name: functions(path) for path in (TESTS / file.stem).glob("test_*.py")}
    tests = {tuple(name.partition("[")[0].split("::")) for name in sentences(file)}
    assert [(test, name) for test, name in sorted(tests) if name not in known.get(test, ())] == []


def test_sentences_are_pinned_nowhere_else():
    """By `match`; SystemExit and the like of scripts are no sentences of the library."""
    others = ("attacks", "gpu", "project", "text")
    pinned = [
        path.relative_to(TESTS)
        for path in sorted(TESTS.glob("*/test_*.py"))
        if path.parent.name not in others and "match=" in path.read_text(encoding="utf-8")
    ]
    assert pinned == []
