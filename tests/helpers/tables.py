"""A small table, and what reading it gives or says."""

import pyarrow as pa

from raising import raises
from rosenblatt import data
from rosenblatt.errors import InputError

PLAIN = "age,owner,paid\n30,yes,1\n41.5,no,0\n22,yes,1\n"
ROWS = [[30.0, 0.0], [41.5, 1.0], [22.0, 0.0]]


def encoded(source, target="paid", **options):
    X, y, preprocessing = data.read(source, target=target, **options).encode(scale=False)
    return X.tolist(), None if y is None else y.tolist(), preprocessing.feature_names


def refusal(source, target="paid", **options):
    """tests/text has its words."""
    with raises(InputError) as caught:
        data.read(source, target=target, **options).encode()
    return str(caught.value)


AS_EXPECTED = (ROWS, [1, 0, 1], ["age", "owner=no"])  # most are owners


def typed():
    return pa.table(
        {"age": [30, 41.5, 22], "owner": ["yes", "no", "yes"], "paid": pa.array([1, 0, 1])}
    )
