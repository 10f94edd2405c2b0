"""Endometrial cancer: histology of 79 cases (0: grade 0 to II, 1: grade III to IV) and three risk
factors. Heinze and Schemper, "A solution to the problem of separation in logistic regression",
Statistics in Medicine 21 (2002), by courtesy of E. Asseryanis; every textbook on separation has it.
"""

import pandas as pd

_NV = "0000000000000000000001111100000000000000000000011110000000000000000000100011010"
_HG = "0000000000000000011111111110000000000000000111111111100000000000000001111111111"
_PI = """
13 16 8 34 20 5 17 10 26 17 8 7 20 10 18 16 18 8 29 12 20 38 22 7 25 15 7 28 11 19 10 10 18 14
21 11 17 25 16 19 15 33 24 48 12 19 2 22 40 5 0 21 15 29 15 12 3 20 23 12 22 42 15 13 14 19 12 13 10
12 49 6 5 17 11 21 5 19 33"""
_EH = """
1.64 2.26 3.14 2.68 1.28 2.31 1.8 1.68 1.56 2.31 2.01 1.89 3.15 1.23 1.27 1.76 2 2.64 0.88 1.27
1.37 0.97 1.14 0.88 0.91 0.58 0.97 1.5 1.33 2.37 1.82 3.13 1.31 1.92 1.64 2.01 1.88 1.93 2.11 1.29
1.72 0.75 1.92 1.84 1.11 1.61 1.18 1.44 1.18 0.93 1.17 1.19 1.06 2.02 2.29 2.33 2.9 1.7 1.41 2.25
1.54 1.97 1.75 2.16 2.57 1.37 3.61 2.04 2.17 1.69 0.27 1.84 1.3 0.96 1.01 0.98 0.35 1.02 0.85"""


def endometrial():
    """Neovasculisation, pulsatility index of arteria uterina, endometrium height; histology."""
    columns = {"NV": map(float, _NV), "PI": map(float, _PI.split()), "EH": map(float, _EH.split())}
    return pd.DataFrame({k: list(v) for k, v in columns.items()}), [int(v) for v in _HG]
