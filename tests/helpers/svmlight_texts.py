"""svmlight text, and what it means that two readers agree."""

import io

import numpy as np

from rosenblatt.data import svmlight as readers
from rosenblatt.data.svmlight import read_svmlight

READERS = [readers.NativeReader, readers.PythonReader]


def read(text, **choices):
    return read_svmlight(io.BytesIO(text), **choices)


def same(ours, theirs):
    """Equal to the bit: shapes, indices, values and labels, and zeros have their sign."""
    (X, y), (X_peer, y_peer) = ours, theirs
    assert X.shape == X_peer.shape
    assert np.array_equal(X.indptr, X_peer.indptr)
    assert np.array_equal(X.indices, X_peer.indices)
    assert X.data.tobytes() == X_peer.data.tobytes()
    assert y.tobytes() == y_peer.tobytes()


TEXT = b"""# two comments before
\t
+1 qid:7 1:0.5 3:-2e1 # and one behind\r
-1   2:.25\t4:1.  \n\n0.5 # no features
-0 1:-0.0 2:0"""


def expected_of_text():
    return read(TEXT)[:2]


class Dripping(io.RawIOBase):
    """Some bytes at a time, as from a pipe."""

    def __init__(self, text, most):
        self.rest, self.most = text, most

    def readable(self):
        return True

    def readinto(self, room):
        count = min(self.most, len(room))
        some, self.rest = self.rest[:count], self.rest[count:]
        room[: len(some)] = some
        return len(some)
