"""Certificates with something wrong in them, thousands of them: both verifiers say the same, what
they accept is true, and nothing but a verdict comes out."""

import copy
import json
import math

import numpy as np
import pytest

from certificates import accepted, accepted_in_bulk, floats, tampered, true_of
from rosenblatt import verify
from rosenblatt.certificate import Certificate
from rosenblatt.errors import RosenblattError

STRANGE = [
    *(None, True, False, "", "x", "0", "1", "0x1", "0x1/0x0", "0x1_0", "1_000", " 0x1", "0x1 "),
    *("0x１", "１", "0x1p5000", "0x1.8p+3", "-0x0", "0X1", "nan", "NaN", "±", "+", "overlap"),
    *(-1, 0, 1, 2, 3, 4, 10**6, 2**53 + 1, 2**64, 10**400, -0.0, 0.5, 1.0, 1e308, 5e-324),
    *([], {}, [[]], [0], [True], ["0x1"], {"rows": [0]}, ["a", "a"], [None, None], [1, -1]),
]
WORDS = ["rows", "weights", "extra", "", "Rows", "rows ", "__class__", "separator", "preprocessing"]


# --- Ways to spoil a certificate ------------------------------------------------------------------


def places(value, before=()):
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in pairs:
        yield (*before, key)
        if isinstance(inner, (dict, list)):
            yield from places(inner, (*before, key))


def other_type(value):
    """The same by the look of it, of another type."""
    if isinstance(value, bool):
        return [int(value), str(value), None]
    if isinstance(value, int):
        return [float(value % 2**60), str(value), value == 1, [value], f"{value:_}"]
    if isinstance(value, float):
        return [str(value), [value], int(value) if abs(value) < 1e18 else value.hex()]
    if isinstance(value, str):
        return [
            value.encode().hex(),
            [value],
            list(value),
            value.upper(),
            f" {value}",
            value + "\n",
        ]
    if isinstance(value, list):
        return ["".join(map(str, value)), dict(enumerate(map(str, value))), tuple(value[:1])]
    return [list(value or ()), None, str(value)]


def near(value):
    """Almost the same value."""
    if isinstance(value, bool) or value is None:
        return [not value]
    if isinstance(value, int):
        return [value + 1, value - 1, -value]
    if isinstance(value, float):
        return [math.nextafter(value, math.inf), math.nextafter(value, -math.inf), -value]
    if isinstance(value, str) and value.startswith(("0x", "-0x")):
        return [
            f"{value}0",
            f"-{value}",
            f"{value}/0x2",
            f"{value}/0x1",
            value.replace("0x", "0x0"),
        ]
    if isinstance(value, list) and value:
        return [value[::-1], value[1:], [*value, value[0]], value * 2]
    return [value]


def spoiled(claim, rng):
    """The text of a certificate in which one to three things are others."""
    claim = copy.deepcopy(claim)
    twice = None
    for _ in range(rng.integers(1, 4)):
        found = [place for place in places(claim) if place[-1] != "sha256"]
        *way, last = found[int(rng.integers(len(found)))]
        holder = claim
        for step in way:
            holder = holder[step]
        match rng.integers(7):
            case 0:
                del holder[last]
            case 1:
                holder[last] = copy.deepcopy(STRANGE[int(rng.integers(len(STRANGE)))])
            case 2 | 3:
                holder[last] = pick(other_type(holder[last]), rng)
            case 4:
                holder[last] = pick(near(holder[last]), rng)
            case 5 if isinstance(holder, dict):
                holder[pick(WORDS, rng)] = copy.deepcopy(holder[last])
            case _:
                twice = last
    text = json.dumps(claim)
    if isinstance(twice, str):  # the field comes a second time, with any value
        value = json.dumps(STRANGE[int(rng.integers(len(STRANGE)))])
        text = text.replace(f'"{twice}":', f'"{twice}": {value}, "{twice}":', 1)
    return text


def pick(some, rng):
    return some[int(rng.integers(len(some)))]


# --- What becomes of it ---------------------------------------------------------------------------


def written(tmp_path, X, y):
    """The table, as a file for both programs."""
    table = tmp_path / "data.csv"
    names = [f"x{j}" for j in range(len(X[0]))]
    lines = [",".join([*names, "y"])]
    lines += [",".join(map(str, [*x, v])) for x, v in zip(X, y, strict=True)]
    table.write_text("\n".join(lines) + "\n")
    return table


def test_no_spoiled_certificate_is_believed_and_both_verifiers_say_the_same(heavy, tmp_path, rng):
    originals = list(tampered())
    kept = 0
    for k in range(heavy(10_000)):
        _, claim, X, y = originals[k % len(originals)]
        text = spoiled(claim, rng)
        (tmp_path / "c.json").write_text(text)
        try:
            other = verify.load(str(tmp_path / "c.json"))
        except verify.Rejected:
            continue
        alone = accepted(other, X, y)
        assert alone == accepted_in_bulk(other, X, y), text
        try:
            Certificate.from_dict(other).verify(floats(X), y)
            by_object = True
        except RosenblattError:
            by_object = False
        names = ("labels", "columns", "target")  # of which numbers know nothing
        if alone and all(other[name] == claim[name] for name in names):
            assert by_object, text
        assert alone or not by_object, text
        if alone:
            assert true_of(other, X, y), text
            kept += 1
    assert kept < heavy(10_000) / 5


def test_both_programs_say_the_same_of_a_spoiled_certificate(heavy, tmp_path, rng, shell, capfd):
    # The stand-alone program, and the command that reads tables by itself.
    originals = list(tampered())
    seen = set()
    for k in range(heavy(1_000)):
        _, claim, X, y = originals[k % len(originals)]
        table = written(tmp_path, X, y)
        path = tmp_path / "c.json"
        path.write_text(json.dumps(claim) if k < 4 else spoiled(claim, rng))
        code = verify.main([str(path), str(table)])
        out, _ = capfd.readouterr()
        found, said, err = shell("verify", path, table)
        assert found == code, (path.read_text(), out, said, err)
        if code == 0:
            assert said == out
        seen.add(code)
    assert {0, 1} <= seen


@pytest.mark.parametrize("depth", [10, 10_000])
def test_a_certificate_that_is_nested_deep_is_rejected(depth, tmp_path, shell, capfd):
    _, claim, X, y = next(iter(tampered()))
    text = json.dumps(claim | {"limits": "HERE"})
    (tmp_path / "c.json").write_text(text.replace('"HERE"', "[" * depth + "]" * depth))
    table = written(tmp_path, X, y)
    assert verify.main([str(tmp_path / "c.json"), str(table)]) == 1
    assert shell("verify", tmp_path / "c.json", table)[0] == 1


def test_the_numbers_of_a_certificate_cannot_blow_up():
    # A few bytes that would be a number of gigabytes are no number.
    for text in ("0x1p999999999", "0x1p-99999999999", "1e999999999", "0x1/0x0"):
        assert not verify.EXACT.fullmatch(text)
    assert np.isfinite(float(verify.number("0x1p-1074")))
