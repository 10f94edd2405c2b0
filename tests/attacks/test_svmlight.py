"""svmlight text by its grammar, right and nearly right; `make sanitize` runs it on a core that
stops at any byte read or written out of place."""

import os

import numpy as np

from rosenblatt._core.backend import compute
from rosenblatt.data import svmlight as readers
from rosenblatt.data.svmlight import find_fault
from rosenblatt.errors import InputError
from svmlight_texts import read, same

NUMBERS = [
    "1",
    "-1",
    "+1",
    "0",
    "-0",
    ".5",
    "5.",
    "1e5",
    "-2.5E-3",
    "1e-320",
    "1.7976931348623157e308",
]
NUMBERS += ["0" * 30 + "7", "1" * 40, "." + "0" * 60 + "1", "123456789012345678901234567890e-20"]
SPOILED = ["", "nan", "inf", "1e309", "1..2", "1e", "--1", "0x1", "1_0", "１", "9" * 5000, "e5"]
INDICES = [0, 1, 2, 9, 10, 99, 2**31 - 2, 2**31 - 1, 2**31, 2**32, 2**62, 2**63 - 2]
STRANGE = [b"\0", b"\xff", b"\r", b"\x1b", b"\xef\xbb\xbf", b":", b"#", b"qid:", b"\x85", b"\n"]


def line(rng, faulty):
    parts = [str(rng.choice(NUMBERS))]
    if rng.random() < 0.2:
        parts.append(f"qid:{rng.integers(-9, 99)}")
    indices = sorted(rng.choice(INDICES, size=int(rng.integers(0, 6)), replace=False))
    parts += [f"{'0' * int(rng.integers(0, 3))}{i}:{rng.choice(NUMBERS)}" for i in indices]
    if faulty:
        place = int(rng.integers(len(parts)))
        match rng.integers(4):
            case 0:
                parts[place] = str(rng.choice(SPOILED))
            case 1:
                parts[place] = f"{rng.choice(INDICES)}:{rng.choice(SPOILED)}"
            case 2:
                parts.insert(place, f"{rng.choice([2**63 - 1, 2**64, -1])}:1")
            case 3:
                parts.insert(place, parts[-1])
    blank = str(rng.choice([" ", "\t", "  ", " \t "]))
    end = str(rng.choice(["", "", " ", " # words 1:2", "#"]))
    return (blank.join(parts) + end).encode()


def text_of(rng, faulty):
    lines = [line(rng, False) for _ in range(int(rng.integers(1, 8)))]
    if faulty:
        lines[int(rng.integers(len(lines)))] = line(rng, True)
    text = bytearray(bytes(rng.choice([b"\n", b"\r\n"])).join(lines))
    if faulty and rng.random() < 0.5:  # any byte anywhere
        place = int(rng.integers(len(text) + 1))
        text[place:place] = STRANGE[int(rng.integers(len(STRANGE)))]
    return bytes(text) + (b"\n" if rng.random() < 0.7 else b"")


def test_what_the_grammar_takes_is_read_and_what_it_refuses_is_refused(heavy, monkeypatch):
    rng, fates = np.random.default_rng(0), {"read": 0, "refused": 0}
    for turn in range(heavy(10_000)):
        text = text_of(rng, faulty=turn % 2 == 1)
        monkeypatch.setattr(readers, "BLOCK", int(rng.choice([2, 7, 64, 1 << 20])))
        lines = text.removeprefix(b"\xef\xbb\xbf").split(b"\n")
        faults = [find_fault(line.removesuffix(b"\r")) for line in lines]
        try:
            X, y, info = read(text, n_features=2**63 - 1)
        except InputError as error:
            expected = any(faults) or "no rows" in str(error)
            assert expected, text
            fates["refused"] += 1
            continue
        assert not any(faults), text
        fates["read"] += 1
        assert len(y) == info.rows == X.shape[0]
        assert X.has_sorted_indices
        assert np.isfinite(X.data).all()
        monkeypatch.setattr(readers, "BLOCK", 1 << 20)
        same((X, y), read(text, n_features=2**63 - 1)[:2])  # however it is cut
    assert min(fates.values()) > turn / 4


def test_the_core_is_the_one_that_is_meant():
    if os.environ.get("ROSENBLATT_SANITIZED"):
        from rosenblatt._core import _native

        assert compute.native
        assert f"{os.sep}build{os.sep}" in _native.__file__
