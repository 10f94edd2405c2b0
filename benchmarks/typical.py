"""Both libraries at their defaults on ordinary data: python benchmarks/typical.py [case …]

`Perceptron()` beside scikit-learn's `Perceptron()`, taking turns in the same process, best of
several: processor time of all threads, which other programs hardly change. Errors are those on the
training rows. The cases are in `ordinary.py`.
"""

import math
import sys
import time
import warnings

from ordinary import CASES
from sklearn.linear_model import Perceptron as Theirs

from rosenblatt import Perceptron

REPEATS = 9


def milliseconds(estimator, X, y):
    begin = time.process_time()
    estimator.fit(X, y)
    return 1000 * (time.process_time() - begin)


def compared(X, y):
    """The best times of both, and what came of it."""
    theirs, ours = Theirs(random_state=0), Perceptron(random_state=0)
    milliseconds(theirs, X, y)
    times = [(milliseconds(theirs, X, y), milliseconds(ours, X, y)) for _ in range(REPEATS)]
    return *map(min, zip(*times, strict=True)), int((theirs.predict(X) != y).sum()), ours


def main():
    warnings.simplefilter("ignore")  # theirs used up max_iter
    wanted, ratios, more, longer = sys.argv[1:] or CASES, [], 0, 0.0
    print("| case | rows x columns | scikit-learn | rosenblatt | ratio | errors | epochs, end |")
    print("|---|---|---|---|---|---|---|")
    for name in wanted:
        X, y = CASES[name]()
        theirs, ours, errors, p = compared(X, y)
        ratios.append((theirs, ours / theirs))
        more += p.training_errors_ > errors
        longer = max(longer, ours - theirs if theirs < 10 else 0.0)
        print(
            f"| {name} | {X.shape[0]} x {X.shape[1]} | {theirs:.1f} | {ours:.1f} "
            f"| {ours / theirs:.2f} | {errors}, {p.training_errors_} "
            f"| {p.n_iter_}, {p.stop_reason_.name} |",
            flush=True,
        )
    mean = math.exp(sum(math.log(ratio) for _, ratio in ratios) / len(ratios))
    worst = max((ratio for theirs, ratio in ratios if theirs >= 10), default=0.0)
    print(
        f"\nGeometric mean of the ratios {mean:.2f} (target 1.0); the largest {worst:.2f} where "
        f"scikit-learn takes 10 ms or more (target 3), elsewhere at most {longer:.1f} ms longer "
        f"(target 15). More training errors than scikit-learn's in {more} of {len(ratios)} cases."
    )


if __name__ == "__main__":
    main()
