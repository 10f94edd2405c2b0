"""The small problem of the search: non-negative least squares, column by column."""

from __future__ import annotations

import math
from inspect import unwrap

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr_delete, qr_insert
from scipy.linalg.lapack import dtrtrs

from rosenblatt._proof.whole_numbers import Floats
from rosenblatt._support.budget import Budget

ZERO = 1e-13  # a residual of this length is taken for zero; whole numbers will tell
_TINY, _TINY_FOR_TARGET = 1e-13, 1e-9
_MANY, _FEW = 1 << 17, 64  # numbers in columns of which not all are asked each time; those that are

# Without SciPy's wrappers, which look for batches of matrices: that takes longer than the work.
_qr_insert, _qr_delete = unwrap(qr_insert), unwrap(qr_delete)


class Corral:
    """Non-negative least squares: x >= 0 that minimises ‖E x - f‖, E the columns (b_i, unit).

    The target f is (0, unit) unless it is given.

    The columns with x > 0 are kept in a QR decomposition. They are independent, so that there are
    at most D + 1 of them.
    """

    def __init__(self, size: int, unit: float, target: Floats | None = None):
        self.size, self.unit = size, unit
        self.target = np.append(np.zeros(size), unit) if target is None else target
        self.scale = float(np.linalg.norm(self.target))
        self._tiny = _TINY if target is None else _TINY_FOR_TARGET
        self.members: list[int]  # places in the small problem
        self._clear()

    def _clear(self) -> None:
        self.q, self.r = np.eye(self.size + 1), np.zeros((self.size + 1, 0))
        self.members, self.x = [], np.zeros(0)

    def residual(self) -> Floats:
        """f - E x, from the complement of the columns: accurate however small it is."""
        free = self.q[:, len(self.members) :]
        return np.asarray(free @ (self.target @ free))

    def _solve(self) -> Floats:
        k = len(self.members)
        solution, _ = dtrtrs(self.r[:k], self.target @ self.q[:, :k])
        return np.asarray(solution)

    def _insert(self, place: int, column: Floats) -> None:
        k = len(self.members)
        if k == 0:
            q, self.r = np.linalg.qr(column[:, None], mode="complete")
            self.q = np.asfortranarray(q)  # which is then changed in its place
        else:
            self.q, self.r = _qr_insert(
                self.q, self.r, column, k, which="col", overwrite_qru=True, check_finite=False
            )
        self.members.append(place)
        self.x = np.concatenate((self.x, (0.0,)))

    def _delete(self, k: int) -> None:
        if len(self.members) == 1:
            self._clear()
            return
        self.q, self.r = _qr_delete(self.q, self.r, k, which="col", check_finite=False)
        del self.members[k]
        self.x = np.concatenate((self.x[:k], self.x[k + 1 :]))

    def begin(self, b: Floats) -> None:
        """With these rows, less those that their best blend would have to take away."""
        columns = self._columns(b[: self.size + 1])
        q, self.r = np.linalg.qr(columns.T, mode="complete")
        self.q = np.asfortranarray(q)
        self.members, self.x = list(range(len(columns))), np.zeros(len(columns))
        diagonal = np.abs(np.diag(self.r))
        if diagonal.min() < self._tiny * float(np.linalg.norm(columns, axis=1).max()):
            self._clear()  # they depend on each other
        while self.members:
            self.x = self._solve()
            worst = int(np.argmin(self.x))
            if self.x[worst] > 0:
                return
            self._delete(worst)

    def _columns(self, b: Floats) -> Floats:
        return np.hstack([b, np.full((len(b), 1), self.unit)])

    def minimise(self, b: Floats, budget: Budget) -> None:
        """Until no row of b would make the residual shorter."""
        if not len(b):
            return
        pricing = _Pricing(self._columns(b))
        banned: set[int] = set()
        for _ in range(30 * (self.size + 10) + len(b)):
            budget.spend(self.size**2 // 16)  # a column that joins or leaves moves all of q
            r = self.residual()
            size = math.sqrt(r @ r)
            if size <= ZERO * self.scale:
                return
            least = (1e-15 + 1e-11 * size / self.scale) * self.scale
            place = pricing.best(r, [*self.members, *banned], least)
            if place is None:
                return
            if self._admit(place, pricing.columns[place], pricing.length[place]):
                banned.clear()
            else:
                banned.add(place)

    def _admit(self, place: int, column: Floats, length: float) -> bool:
        """A column joins; those that would turn negative leave. False: it brings nothing."""
        if len(self.members) > self.size:
            return False
        self._insert(place, column)
        k = len(self.members) - 1
        if abs(self.r[k, k]) < self._tiny * length:
            self._delete(k)
            return False
        z = self._solve()
        if not z[-1] > 0:
            self._delete(k)
            return False
        while len(z) and z.min() <= 0:
            falling = np.flatnonzero(z <= 0)
            x, fall = self.x[falling], self.x[falling] - z[falling]
            ratio = np.divide(x, fall, out=np.zeros(len(x)), where=fall > 0)
            step = float(ratio.min())
            self.x = self.x + step * (z - self.x)
            leaving = falling[ratio <= step]
            for j in reversed(leaving.tolist()):
                self._delete(j)
            z = self._solve() if self.members else np.zeros(0)
        self.x = z
        return True


class _Pricing:
    """Which column would make the residual shortest? Of many the best few are asked first."""

    def __init__(self, columns: Floats):
        self.columns, self.length = columns, np.linalg.norm(columns, axis=1)
        self.length[self.length == 0] = np.inf  # rows too short for floats gain nothing
        self._many = columns.size > _MANY
        self._few: NDArray[np.intp] | None = None
        self._once = 0.0  # what the best of them would have gained when they were chosen

    def best(self, r: Floats, without: list[int], least: float) -> int | None:
        """The place of a column that gains more than the least; None where there is none."""
        if self._few is not None:
            gain = (self.columns[self._few] @ r) / self.length[self._few]
            gain[np.isin(self._few, without)] = -np.inf
            k = int(np.argmax(gain))
            if gain[k] > max(least, self._once / 2):
                return int(self._few[k])
        gain = (self.columns @ r) / self.length
        gain[without] = -np.inf
        place = int(np.argmax(gain))
        if self._many:
            self._few = np.argpartition(gain, -_FEW)[-_FEW:]
            self._once = float(gain[place])
        return place if gain[place] > least else None
