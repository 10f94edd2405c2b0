"""Fixed effects of thousands of levels, and Firth's estimates beside firthmodels.

Seconds of one core: `python benchmarks/separation.py`. firthmodels is measured where it is there.
"""

import time
from contextlib import suppress

import numpy as np
from threadpoolctl import threadpool_limits

from rosenblatt import certify
from rosenblatt.separation import firth


def seconds(call, times=1):
    best = np.inf
    for _ in range(times):
        begin = time.process_time()
        found = call()
        best = min(best, time.process_time() - begin)
    return best, found


def of_levels(n=100_000, sizes=(5000, 1000, 300)):
    """Counts and labels of rows in levels that differ much; where the last column is 1, which is in
    2 % of them, nothing was sold, and all labels are 1."""
    draw = np.random.default_rng(0)
    X, levels = draw.normal(size=(n, 5)), [draw.integers(0, k, n) for k in sizes]
    eta = X[:, 0] - 2 + draw.normal(size=sizes[0])[levels[0]] * 1.5
    sold, healed = draw.poisson(np.exp(eta - 1)), (eta + draw.logistic(size=n) > 0).astype(int)
    X[:, 4] = draw.random(n) < 0.02
    sold[X[:, 4] > 0], healed[X[:, 4] > 0] = 0, 1
    for factors in (1, 2, 3):
        for family, y in (("poisson", sold), ("logistic", healed)):
            yield f"{family}, {n} rows, {sizes[:factors]}", X, y, levels[:factors], family


def trade(countries=60, years=20):
    """Exporter by year, importer by year, and pair, of which three in ten never trade."""
    draw = np.random.default_rng(0)
    grid = np.meshgrid(range(countries), range(countries), range(years), indexing="ij")
    seller, buyer, year = (part[grid[0] != grid[1]] for part in grid)
    pair, n = seller * countries + buyer, len(seller)
    treaty = (draw.random(n) < 0.1).astype(float)
    active = draw.random(countries**2) < 0.7
    sold = draw.poisson(np.exp(draw.normal(size=n) + 0.5 * treaty - 2) * active[pair])
    X = np.column_stack([treaty, draw.normal(size=n)])
    levels = [seller * years + year, buyer * years + year, pair]
    yield f"trade, {n} rows, three factors", X, sold, levels, "poisson"


def main():
    for name, X, y, levels, family in [*of_levels(), *trade()]:
        taken, found = seconds(lambda: certify(X, y, family=family, absorb=levels))  # noqa: B023
        print(f"{name}: {taken:.1f} s, {found.verdict}, {found.coefficient_signs}", flush=True)
    draw = np.random.default_rng(0)
    X = draw.normal(size=(20_000, 20))
    y = (X[:, 0] + 0.5 * X[:, 1] - 1 + draw.logistic(size=20_000) > 0).astype(int)
    with threadpool_limits(1):
        taken, found = seconds(lambda: firth(X, y), 2)
        print(f"firth, 20,000 x 20: {taken:.2f} s, {found.coefficients['x0']:.8f}", flush=True)
        with suppress(ModuleNotFoundError):
            taken, found = seconds(lambda: firthmodels(X, y))
            print(f"firthmodels: {taken:.2f} s, {found:.8f}")


def firthmodels(X, y):
    """Estimates, tests and profile intervals, as `firth` has them."""
    from firthmodels import FirthLogisticRegression

    model = FirthLogisticRegression().fit(X, y)
    model.lrt()
    model.conf_int(method="pl")
    return model.coef_[0]


if __name__ == "__main__":
    main()
