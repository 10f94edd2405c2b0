"""The compiled core. `_reference.py` says what each function computes, and `native/screen.hpp` what
the screened ones do, which have the same results."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

class Rows: ...

def dense(X: NDArray[Any]) -> Rows: ...
def csr(data: NDArray[Any], indices: NDArray[Any], indptr: NDArray[Any], d: int) -> Rows: ...
def cpu_levels() -> list[str]: ...
def use_cpu_level(name: str) -> bool: ...
def arrange(
    pool: NDArray[Any], rows: NDArray[Any] | None, seed: int, k: int, swaps: int
) -> None: ...
def pass_(
    rows: Rows,
    y: NDArray[np.int8],
    c: NDArray[np.float64] | None,
    order: NDArray[Any] | None,
    begin: int,
    end: int,
    most: int,
    margin: float,
    intercept: bool,
    w: NDArray[np.float64],
    drift: NDArray[np.float64] | None,
    counts: NDArray[np.int64],
    visits: int,
) -> tuple[int, int]: ...
def search(
    rows: Rows,
    y: NDArray[np.int8],
    c: NDArray[np.float64] | None,
    pool: NDArray[Any],
    seed: int,
    number: int,
    seen: int,
    looks: int,
    most: int,
    margin: float,
    intercept: bool,
    w: NDArray[np.float64],
    drift: NDArray[np.float64] | None,
    counts: NDArray[np.int64],
    visits: int,
) -> tuple[int, int, int, int]: ...
def look(
    rows: Rows,
    y: NDArray[np.int8],
    c: NDArray[np.float64] | None,
    begin: int,
    end: int,
    margin: float,
    intercept: bool,
    w: NDArray[np.float64],
    sum: NDArray[np.float64],
    mark: NDArray[np.uint8],
) -> int: ...
def count(
    rows: Rows,
    y: NDArray[np.int8],
    c: NDArray[np.float64] | None,
    w: NDArray[np.float64],
    limit: NDArray[np.float64],
    begin: int,
    end: int,
    plain: NDArray[np.int64],
    weighted: NDArray[np.float64],
) -> bool: ...
def refer(
    rows: Rows,
    y: NDArray[np.int8],
    margin: float,
    intercept: bool,
    w: NDArray[np.float64],
    begin: int,
    end: int,
    slack: NDArray[np.float32],
) -> None: ...
def screened_pass(
    rows: Rows,
    y: NDArray[np.int8],
    c: NDArray[np.float64] | None,
    order: NDArray[Any] | None,
    begin: int,
    end: int,
    most: int,
    margin: float,
    intercept: bool,
    w: NDArray[np.float64],
    drift: NDArray[np.float64] | None,
    counts: NDArray[np.int64],
    visits: int,
    slack: NDArray[np.float32],
    reference: NDArray[np.float64],
    looks: int,
) -> tuple[int, int, int]: ...
def screened_count(
    rows: Rows,
    y: NDArray[np.int8],
    c: NDArray[np.float64] | None,
    w: NDArray[np.float64],
    limit: NDArray[np.float64],
    begin: int,
    end: int,
    plain: NDArray[np.int64],
    weighted: NDArray[np.float64],
    slack: NDArray[np.float32],
    reference: NDArray[np.float64],
    looked: NDArray[np.int64],
) -> int: ...
def scores(
    rows: Rows, w: NDArray[np.float64], begin: int, end: int, out: NDArray[np.float64]
) -> None: ...
def products(panels: NDArray[Any], w: NDArray[Any], out: NDArray[Any]) -> None: ...
def scores_of_some(
    rows: Rows, w: NDArray[Any], some: NDArray[Any] | None, out: NDArray[Any]
) -> None: ...
def add(
    values: list[NDArray[Any]], steps: list[list[float]], into: list[NDArray[np.float64]]
) -> None: ...
def rbf_exponents(
    products: NDArray[Any], x_squares: NDArray[Any], z_squares: NDArray[Any], gamma: float
) -> None: ...
def all_finite(values: NDArray[Any]) -> bool: ...
def next_call(
    y: NDArray[np.int8], sums: NDArray[np.float64], b: float, margin: float, at: int
) -> int: ...
def vote(
    rows: Rows,
    voters: NDArray[np.float64],
    votes: NDArray[np.float64],
    begin: int,
    end: int,
    out: NDArray[np.float64],
) -> None: ...

class SvmlightReader:
    """Counts what it has read; `take` hands over data, indices, indptr and labels."""

    lines: int
    rows: int
    entries: int
    comments: int
    queries: int
    least: int
    least_line: int
    most: int
    most_line: int

    def read(
        self, text: NDArray[np.uint8], begin: int, end: int, rows: int
    ) -> tuple[int, bool]: ...
    def take(
        self,
    ) -> tuple[NDArray[np.float64], NDArray[Any], NDArray[np.int64], NDArray[np.float64]]: ...
