"""Tables as people have them become rows of numbers and labels, and what was done is recorded."""

from rosenblatt.data.encode import Encoding
from rosenblatt.data.reading import read
from rosenblatt.data.table import Table

__all__ = ["Encoding", "Table", "read"]
