"""What is worth comparing on a table of this size."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from rosenblatt._util.spelling import option

BASELINE = "larger class"
BASELINE_OF_MANY = "largest class"
WITH_MARGIN = "average with margin"
POCKET_UPDATES = 2000
_POCKET_NUMBERS = 1_000_000  # n·d: after each of its updates the pocket looks at all of them
_KERNEL_ROWS = 3000  # n: the Gram matrix has n² numbers


def candidates(
    n: int,
    d: int,
    *,
    random_state: Any = 0,
    kernel: bool = True,
    class_weight: Any = None,
    signs: Any = None,
) -> dict[str, Any]:
    """The perceptrons to compare on n training rows of d features, the simplest first.

    A random linear classifier is a baseline that any rule should beat. The pocket and the rbf
    kernel are there where n allows it; `kernel=False` leaves the kernel out. `class_weight` is that
    of the perceptrons; `signs`, those that their weights must have.

    Examples
    --------
    >>> from rosenblatt.selection import candidates
    >>> list(candidates(1000, 10))
    ['random linear', 'last', 'best', 'pocket', 'average', 'average with margin', 'rbf kernel']
    >>> list(candidates(1_000_000, 20))
    ['random linear', 'last', 'best', 'average', 'average with margin']
    """
    from rosenblatt.kernel_perceptron import KernelPerceptron
    from rosenblatt.perceptron import Perceptron
    from rosenblatt.random_linear import RandomLinearClassifier

    common = {"random_state": random_state, "class_weight": class_weight}
    options = common | {"signs": signs}
    rules: dict[str, Any] = {
        "random linear": RandomLinearClassifier(k=100, random_state=random_state),
        "last": Perceptron(keep="last", **options),
        "best": Perceptron(keep="best", **options),
    }
    without = not_tried(n, d, kernel=kernel)
    if "pocket" not in without:
        rules["pocket"] = Perceptron(
            order="random", keep="pocket", max_updates=POCKET_UPDATES, **options
        )
    rules["average"] = Perceptron(keep="average", **options)
    rules[WITH_MARGIN] = Perceptron(keep="average", margin="wide", **options)
    if "rbf kernel" not in without:
        rules["rbf kernel"] = KernelPerceptron(kernel="rbf", **common)
    return rules


ROWS_OF_IT = "its rule is made of training rows"


def not_tried(
    n: int, d: int, *, kernel: bool = True, why_no_kernel: str = ROWS_OF_IT
) -> dict[str, str]:
    """What `candidates` leaves out on so many training rows, and why."""
    why = {}
    if n * d > _POCKET_NUMBERS:
        why["pocket"] = f"more than {_POCKET_NUMBERS:,} numbers to train on"
    if not kernel:
        why["rbf kernel"] = why_no_kernel
    elif n > _KERNEL_ROWS:
        why["rbf kernel"] = f"more than {_KERNEL_ROWS:,} training rows"
    return why


def streamed(*, random_state: Any = 0, class_weight: Any = None) -> dict[str, Any]:
    """The perceptrons to compare on rows on disk, which are read a block at a time."""
    from rosenblatt.perceptron import Perceptron

    options: dict[str, Any] = {"random_state": random_state, "class_weight": class_weight}
    in_blocks = options | {"order": "blocks"}
    rules = {keep: Perceptron(keep=keep, **in_blocks) for keep in ("last", "best", "average")}
    return rules | {WITH_MARGIN: Perceptron(keep="average", margin="wide", **in_blocks)}


def not_streamed(*, comparison: bool = False) -> dict[str, str]:
    """What `streamed` leaves out, and why."""
    names = ["random linear", "pocket", "rbf kernel", *([LOGISTIC, BOOSTING] if comparison else [])]
    return dict.fromkeys(names, "it needs the rows in memory")


def baseline(classes: int) -> str:
    """How always saying the most frequent label is called."""
    return BASELINE if classes == 2 else BASELINE_OF_MANY


def floor(rules: Mapping[str, Any]) -> set[str]:
    """What is compared and not chosen: the largest class, and guesses beside what is learned."""
    from rosenblatt.random_linear import RandomLinearClassifier

    guesses = {name for name, rule in rules.items() if isinstance(rule, RandomLinearClassifier)}
    always = rules.keys() & {BASELINE, BASELINE_OF_MANY}
    learned = rules.keys() - guesses - always
    return set(always) | (guesses if learned else set())


# --- What people would use instead: learned from the same rows for comparison, and not written ---


LOGISTIC, BOOSTING = "logistic", "boosting"
ONE_COLUMN = "best column alone"
_NUMBERS = 2_000_000  # n·d that both take a second or two for
_TREES = 150  # columns times classes: a hundred trees for each class look at all columns


def comparison_rules(
    n: int,
    d: int,
    k: int,
    *,
    numbers: int | None = None,
    all_of_them: bool = False,
    random_state: Any = 0,
    class_weight: Any = None,
) -> dict[str, Any]:
    """scikit-learn's logistic regression, and gradient boosting as the ceiling of what is not
    linear, where n rows of d features and k classes allow it, or `all_of_them`. `numbers`: so many
    are not 0, of sparse rows.

    Examples
    --------
    >>> from rosenblatt.selection.candidates import comparison_rules
    >>> list(comparison_rules(1000, 10, 2)), list(comparison_rules(1000, 10_000, 2))
    (['logistic', 'boosting'], [])
    """
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression

    without = comparison_rules_left_out(n, d, k, numbers=numbers, all_of_them=all_of_them)
    rules: dict[str, Any] = {
        LOGISTIC: LogisticRegression(max_iter=1000, class_weight=class_weight),
        BOOSTING: HistGradientBoostingClassifier(
            random_state=random_state, class_weight=class_weight
        ),
    }
    return {name: rule for name, rule in rules.items() if name not in without}


def comparison_rules_left_out(
    n: int, d: int, k: int, *, numbers: int | None = None, all_of_them: bool = False
) -> dict[str, str]:
    """What `comparison_rules` leaves out, why, and what to say to have it."""
    why = {} if numbers is None else {BOOSTING: "it does not take sparse rows"}
    if all_of_them:
        return why
    force = f"; {option('comparison', True)} compares all the same"
    if (n * d if numbers is None else numbers) > _NUMBERS:
        return (
            dict.fromkeys(
                [LOGISTIC, BOOSTING], f"more than {_NUMBERS:,} numbers to train on{force}"
            )
            | why
        )
    columns = d if k == 2 else d * k
    if columns > _TREES:
        times = "" if k == 2 else " times classes"
        why = {BOOSTING: f"more than {_TREES} columns{times} to grow trees on{force}"} | why
    return why


@contextmanager
def alone() -> Iterator[None]:
    """Without a word, and on one thread: threads that wait for each other take longer."""
    from threadpoolctl import threadpool_limits

    with (
        threadpool_limits(limits=1, user_api="openmp"),
        threadpool_limits(limits=1, user_api="blas"),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        yield
