"""Decimal text becomes the nearest double, also where the standard library reads no doubles."""

import io
import os
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from rosenblatt.data.svmlight import read_svmlight

PROGRAM = """
#include <cstdio>
#include <iostream>
#include <string>
#include "decimal.hpp"
int main() {
  for (std::string line; std::getline(std::cin, line);) {
    line += "\\n1234567";
    const char* at = line.c_str();
    double value;
    if (!rosenblatt::read_double(at, value) || *at != '\\n') return 1;
    std::printf("%a\\n", value);
  }
}
"""


def as_labels(texts):
    X, y, _ = read_svmlight(io.BytesIO("\n".join(texts).encode()), n_features=1)
    assert X.nnz == 0
    return y


@pytest.fixture(scope="module")
def by_strtod(tmp_path_factory):
    """What is compiled where std::from_chars does not read doubles."""
    compiler = shutil.which(os.environ.get("CXX", "c++"))
    if compiler is None or sys.platform == "win32":
        pytest.skip("there is no compiler, or one that has std::from_chars")
    folder = tmp_path_factory.mktemp("decimal")
    (folder / "main.cpp").write_text(PROGRAM)
    native = Path(__file__).parents[2] / "native"
    command = [compiler, "-std=c++17", "-O1", "-ffp-contract=off", "-DROSENBLATT_FROM_CHARS=0"]
    command += ["-Wall", "-Wextra", "-Werror", f"-I{native}", "main.cpp", "-o", "main"]
    subprocess.run(command, cwd=folder, check=True)

    def read(texts):
        done = subprocess.run(
            [folder / "main"], input="\n".join(texts), capture_output=True, text=True, check=True
        )
        return np.array([float.fromhex(text) for text in done.stdout.split()])

    return read


@pytest.fixture(params=["core", "by_strtod"])
def read(request):
    return as_labels if request.param == "core" else request.getfixturevalue("by_strtod")


def written_out(x):
    """A fraction whose denominator is a power of two, as a decimal without rounding."""
    places = x.denominator.bit_length() - 1
    text = str(x.numerator * 10**places // x.denominator).rjust(places + 1, "0")
    return f"{text[:-places]}.{text[-places:]}"


def test_numbers_become_the_nearest_double(read, heavy):
    rng = np.random.default_rng(1)
    doubles = rng.integers(0, 0x7FF0 << 48, heavy(200_000), dtype=np.uint64).view(np.float64)
    texts = [repr(x) for x in doubles.tolist()]
    texts += [f"{x:.{k}e}" for k in range(25) for x in doubles[:200].tolist()]
    for k in range(1, 19):
        before, behind = rng.integers(0, 10**4, 300), rng.integers(0, 10**k, 300)
        texts += [f"{a}.{b:0{k}d}" for a, b in np.column_stack([before, behind]).tolist()]
    near = (2**53 - 1, 2**53, 2**53 + 1, 10**18 - 1, 10**19 - 1, 10**19)
    texts += [f"{m}e{k}" for m in near for k in range(-30, 31)]
    texts = [text for text in texts if float(text) < np.inf]  # rounded up at the edge of the range
    expected = np.array([float(text) for text in texts])  # Python's is right
    assert read(texts).tobytes() == expected.tobytes()


def test_halves_go_to_the_even_neighbour(read, heavy):
    rng = np.random.default_rng(2)
    exponents = rng.integers(1, 1076, heavy(4000), dtype=np.uint64)
    fractions = rng.integers(0, 2**52, len(exponents), dtype=np.uint64)
    below = ((exponents << 52) | fractions).view(np.float64)
    above = np.nextafter(below, np.inf)
    even = np.where(fractions % 2 == 0, below, above)
    texts, expected = [], []
    for low, high, tie in zip(below.tolist(), above.tolist(), even.tolist(), strict=True):
        middle = written_out((Fraction(low) + Fraction(high)) / 2)
        assert middle.endswith("5")
        texts += [middle, middle + "1", middle[:-1] + "4" + "9" * 20]
        expected += [tie, high, low]
    assert read(texts).tolist() == expected


def test_numbers_at_the_edge_of_the_range(read):
    texts = {
        "4.9e-324": 5e-324,
        "2.4703282292062327e-324": 0.0,  # just below half of the smallest
        "2.4703282292062328e-324": 5e-324,
        "-1e-400": -0.0,
        "0." + "0" * 400 + "1": 0.0,
        "1" + "0" * 308: 1e308,
        "0." + "0" * 400 + "1e401": 1.0,
        "1" + "0" * 400 + "e-400": 1.0,
        "0e999999999999999999999": 0.0,
        "1e-999999999999999999999": 0.0,
        "2.2250738585072011e-308": 2.225073858507201e-308,
        "1.7976931348623158e308": sys.float_info.max,
        "179769313486231580793" + "0" * 288: sys.float_info.max,
        "0" * 4095 + "7": 7.0,
        "00000000000000000000000000000001e0000000000000000000000000002": 100.0,
    }
    assert [repr(x) for x in read(list(texts)).tolist()] == [repr(x) for x in texts.values()]
