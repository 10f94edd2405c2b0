"""An error or a warning that a test expects: the test says its type and data, tests/text its words.

Each package has a file there, with the sentences of each test in their order. A wording is changed
in the source and there; `ROSENBLATT_TEXT=write pytest tests/plots` writes what is said now.
"""

import atexit
import json
import os
import re
from collections import defaultdict
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

from rosenblatt._util.version import __version__

TEXT = Path(__file__).parents[1] / "text"
HOLE = "…"  # a folder, an address, our version, or the words of another library
WRITING = os.environ.get("ROSENBLATT_TEXT") == "write"
SOAK = os.environ.get("ROSENBLATT_SOAK") == "1"  # more cases than those whose sentences are pinned

_FOLDERS = re.compile(r"(?<![\w.:/])/(?:[^\s/'\",]+/)+")
_said = defaultdict(list)  # by test: the sentences so far, each once where it is said again


def raises(kind, **data):
    """Like pytest.raises; `data` are attributes of the error, such as option and value."""
    return _Raises(kind, data)


class _Raises:
    """No generator, whose frame the error would pass through: it would keep what failed alive."""

    def __init__(self, kind, data):
        self._expected, self._data = pytest.raises(kind), data

    def __enter__(self):
        return self._expected.__enter__()

    def __exit__(self, kind, error, traceback):
        is_expected = self._expected.__exit__(kind, error, traceback)
        if is_expected:
            carried = {name: getattr(error, name) for name in self._data}
            assert carried == self._data
            check_sentence(without_others(str(error), error.__cause__ or error.__context__))
        return is_expected


@contextmanager
def warns(kind):
    """Like pytest.warns, of one warning."""
    with pytest.warns(kind) as caught:
        yield caught
    of_kind = [warning.message for warning in caught if issubclass(warning.category, kind)]
    check_sentence(str(of_kind[0]))


def check_sentence(text):
    """This is what the running test has to be told now."""
    test = os.environ["PYTEST_CURRENT_TEST"].rpartition(" (")[0]
    said, text = _said[test], text.replace(f"rosenblatt {__version__}", f"rosenblatt {HOLE}")
    text = _FOLDERS.sub(f"{HOLE}/", re.sub(r"0x[0-9a-f]{6,}", HOLE, text))
    if not said or said[-1] != text:
        said.append(text)
    if not WRITING and not SOAK:
        file, name = place_of(test)
        expected = sentences_of(file, name)[len(said) - 1 :]
        assert is_meant(text, (expected or [""])[0]), f"{text!r} is not in {file}: {expected}"


def sentences_of(file, name):
    """Of a test, or of this and all other cases of its parameters."""
    return sentences(file).get(name, sentences(file).get(name.partition("[")[0], []))


def is_meant(text, sentence):
    """Whether it is this sentence, whatever stands in its holes."""
    return re.fullmatch(".*".join(map(re.escape, sentence.split(HOLE))), text) is not None


def place_of(test):
    """The file with its sentences, and its name there: tests/plots/test_view.py::test_x has those
    of "test_view.py::test_x" in tests/text/plots.json."""
    _, package, name = test.split("/", 2)
    return TEXT / f"{package}.json", name


@cache
def sentences(file):
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def without_others(text, cause):
    """What another library said is not pinned; it has lines, and our sentences have none."""
    first, line, _ = text.partition("\n")
    text = first + HOLE * bool(line)
    for words in (str(cause or ""), str(getattr(cause, "strerror", None) or "")):
        if len(words) > 3:
            text = text.replace(words, HOLE)
    return text


def _write():
    files = defaultdict(lambda: defaultdict(dict))
    for test, said in _said.items():
        file, name = place_of(test)
        before = sentences_of(file, name)
        same = len(before) == len(said) and all(map(is_meant, said, before))
        function = name.partition("[")[0]
        files[file][function][name] = before if same else said  # `before`: with holes made by hand
    for file, functions in files.items():
        kept = {
            name: said
            for name, said in sentences(file).items()
            if name.partition("[")[0] not in functions
        }
        for function, cases in functions.items():
            same = len({tuple(said) for said in cases.values()}) == 1
            kept |= {function: next(iter(cases.values()))} if same else cases
        content = json.dumps(dict(sorted(kept.items())), ensure_ascii=False, indent=1)
        file.write_text(f"{content}\n", encoding="utf-8")


if WRITING:
    atexit.register(_write)
