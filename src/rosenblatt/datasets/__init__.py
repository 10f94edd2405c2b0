"""Data that ships: a real table, a generator of any size, and small sets in the plane."""

from rosenblatt.datasets._credit import load_credit, make_credit
from rosenblatt.datasets._planar import load_planar

__all__ = ["load_credit", "load_planar", "make_credit"]
