"""What floats cannot hold is refused where something is proved: the proof would be about others."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from raising import raises
from rosenblatt import certify
from rosenblatt._validation import exact
from rosenblatt.errors import InputError

B = 2**53  # B + 1 is no float, and would be taken for B
LONG = Decimal("0.10000000000000000001")  # as a float it is 0.1
THIRD = Fraction(1, 3)


def duplicates(make, *values):
    """Two rows; the first holds all but the last of the values in one place."""
    data = np.array(values)
    row = np.array([0] * (len(data) - 1) + [1])
    return make(sparse.coo_matrix((data, (row, np.zeros(len(data), dtype=int))), shape=(2, 1)))


def csr_with_duplicates(coo):
    return sparse.csr_matrix((coo.data, coo.col, np.array([0, len(coo.data) - 1, len(coo.data)])))


ROUNDED = {
    "list": [[B + 1], [B]],
    "list, a float beside": [[B + 1, 0.5], [B, 0.5]],
    "tuple, a float beside": ((B + 1, 0.5), (B, 0.5)),
    "list of arrays": [np.array([B + 1, 0]), np.array([B, 0.5])],
    "list, a boolean beside": [[True, B + 1], [False, B]],
    "array": np.array([[B + 1], [B]]),
    "unsigned": np.array([[B + 1], [B]], dtype=np.uint64),
    "longdouble": np.array([[B], [B]], dtype=np.longdouble) + np.array([[1], [0]]),
    "objects of NumPy": np.array([[np.int64(B + 1)], [np.int64(B)]], dtype=object),
    "Decimal": [[Decimal(B + 1)], [Decimal(B)]],
    "Fraction": np.array([[THIRD], [Fraction(float(THIRD))]]),
    "timedelta64": np.array([[B + 1], [B]], dtype="m8[ns]"),
    "beyond all floats": [[10**400], [0]],
    "pandas": pd.DataFrame({"u": [B + 1, B], "v": [0.5, 0.5]}),
    "pandas, nullable": pd.DataFrame({"u": pd.array([B + 1, B], dtype="Int64")}),
    "pandas, Arrow's": pd.DataFrame({"u": pd.array([B + 1, B], dtype="int64[pyarrow]")}),
    "polars": pl.DataFrame({"u": [B + 1, B], "v": [0.5, 0.5]}),
    "polars, decimals": pl.DataFrame({"u": [LONG, Decimal("0.1")]}),
    "pyarrow": pa.table({"u": [B + 1, B], "v": [0.5, 0.5]}),
    "CSR": sparse.csr_matrix(np.array([[B + 1], [B]])),
    "CSR, added up": duplicates(csr_with_duplicates, 2.0**53, 1.0, 2.0**53),
    "COO, added up": duplicates(sparse.coo_matrix, 2.0**53, 1.0, 2.0**53),
    "COO, added up in another order": duplicates(
        sparse.coo_matrix, 2.0**53, 1.0, -1.0, 2.0**53 - 1
    ),
    "COO, beyond int8": duplicates(sparse.coo_matrix, *np.array([100, 100, -56], dtype=np.int8)),
}


@pytest.mark.parametrize("X", ROUNDED.values(), ids=ROUNDED)
def test_a_number_that_is_no_float_is_refused(X):
    # Each pair is told apart by one column, and by none once it is rounded.
    with raises(InputError):
        certify(X, ["a", "b"])


HELD = {
    "whole": [[B], [B + 2]],
    "whole and large": [[2**60, 0.5], [2**61, 0.5]],
    "Decimal": [[Decimal("0.5")], [Decimal("0.25")]],
    "Fraction": [[Fraction(1, 4)], [Fraction(1, 2)]],
    "longdouble": np.array([[0.1], [0.3]]).astype(np.longdouble),
    "timedelta64": np.array([[3], [4]], dtype="m8[s]"),
    "booleans": [[True], [False]],
    "float16": np.array([[0.1], [0.3]], dtype=np.float16),
    "polars": pl.DataFrame({"u": [1, 2], "v": [0.1, 0.2]}),
    "pyarrow": pa.table({"u": [1, 2], "v": [0.1, 0.2]}),
    "pandas, nullable": pd.DataFrame({"u": pd.array([1, 2], dtype="Int64")}),
    "added up": duplicates(csr_with_duplicates, 0.5, 0.25, 1.0),
}


@pytest.mark.parametrize("X", HELD.values(), ids=HELD)
def test_numbers_that_are_floats_are_certified(X):
    assert certify(X, ["a", "b"]).verdict == "complete separation"


OTHER_DECIMALS = {
    "a power of two": [[2**60], [0]],  # as a float it reads 1152921504606847000
    "more digits": [[LONG], [Decimal("0.1")]],
    "Fraction": [[THIRD], [Fraction(0)]],
    "short floats": np.array([[0.1], [0.2]], dtype=np.float16),
    "short floats beside long ones": pd.DataFrame({"u": np.float32([0.1, 0.2]), "v": [1.0, 2.0]}),
    "short and long in a list": [[np.float32(0.1), 1.0], [np.float32(0.2), 2.0]],
    "added up": duplicates(csr_with_duplicates, 0.1, 0.2, 0.3),  # 0.30000000000000004
}


@pytest.mark.parametrize("X", OTHER_DECIMALS.values(), ids=OTHER_DECIMALS)
def test_a_number_that_is_no_decimal_of_a_float_is_refused(X):
    with raises(InputError):
        certify(X, ["a", "b"], numbers="decimal")


@pytest.mark.parametrize(
    "X",
    [[[Decimal("0.1")], [0.2]], [[Fraction(1, 10)], [0.2]], np.float32([[0.1], [0.2]])],
    ids=["Decimal", "Fraction", "float32"],
)
def test_decimals_are_certified_as_they_are(X):
    certificate = certify(X, ["a", "b"], numbers="decimal")
    certificate.verify([[0.1], [0.2]], ["a", "b"])


def test_the_place_is_named():
    X = pd.DataFrame({"a": [0.0, 0.0, 0.0], "b": [1, 2, B + 1]})
    with raises(InputError):
        certify(X, [0, 1, 1])
    with raises(InputError):
        certify([[0, 0, 0.5], [1, 1, B + 1]], [0, 1])
    with raises(InputError):
        certify(np.array([["NaT"], [B]], dtype="m8[ns]"), [0, 1])


def test_labels_that_are_rounded_are_refused():
    X = [[0.0], [1.0], [2.0]]
    for y in (pd.array([B + 1, B, 0], dtype="Int64"), [B + 1, float(B), 0.0]):
        with raises(ValueError):
            certify(X, y)
    assert certify(X, [B + 1, B, B]).classes == [str(B), str(B + 1)]


def test_a_certificate_is_checked_against_exact_numbers_only():
    certificate = certify([[float(B)], [float(B)]], ["a", "b"])
    certificate.verify([[B], [B]], ["a", "b"])
    with raises(InputError):
        certificate.verify([[B + 1, 0.5], [B, 0.5]], ["a", "b"])


class Strange:
    """A number of a library that nobody knows, which says what it is only as a float."""

    def __float__(self):
        return 0.5


def test_only_exact_values_of_unknown_kinds_of_numbers_are_taken():
    assert exact._held(Fraction(1, 2), False)
    assert not exact._held(Strange(), False)
