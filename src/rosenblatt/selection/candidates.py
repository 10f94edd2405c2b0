"""What is worth comparing on a table of this size."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

BASELINE = "larger class"
BASELINE_OF_MANY = "largest class"
WITH_MARGIN = "average with margin"
POCKET_UPDATES = 2000
_POCKET_NUMBERS = 1_000_000  # n·d: after each of its updates the pocket looks at all of them
_KERNEL_ROWS = 3000  # n: the Gram matrix has n² numbers


def candidates(n: int, d: int, *, random_state: Any = 0, kernel: bool = True) -> dict[str, Any]:
    """The perceptrons to compare on n training rows of d features, the simplest first.

    A random linear classifier is the floor: a rule that is no better has learned nothing. The
    pocket and the rbf kernel are there where n allows it; `kernel=False` leaves the kernel out.

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

    found: dict[str, Any] = {
        "random linear": RandomLinearClassifier(k=100, random_state=random_state),
        "last": Perceptron(keep="last", random_state=random_state),
        "best": Perceptron(keep="best", random_state=random_state),
    }
    without = not_tried(n, d, kernel=kernel)
    if "pocket" not in without:
        found["pocket"] = Perceptron(
            order="random", keep="pocket", max_updates=POCKET_UPDATES, random_state=random_state
        )
    found["average"] = Perceptron(keep="average", random_state=random_state)
    found[WITH_MARGIN] = Perceptron(keep="average", margin="scale", random_state=random_state)
    if "rbf kernel" not in without:
        found["rbf kernel"] = KernelPerceptron(kernel="rbf", random_state=random_state)
    return found


def not_tried(n: int, d: int, *, kernel: bool = True) -> dict[str, str]:
    """What `candidates` leaves out on so many training rows, and why."""
    found = {}
    if n * d > _POCKET_NUMBERS:
        found["pocket"] = f"more than {_POCKET_NUMBERS:,} numbers to train on"
    if not kernel:
        found["rbf kernel"] = "its rule is made of training rows"
    elif n > _KERNEL_ROWS:
        found["rbf kernel"] = f"more than {_KERNEL_ROWS:,} training rows"
    return found


def streamed(*, random_state: Any = 0) -> dict[str, Any]:
    """The perceptrons to compare on rows on disk, which are read a block at a time."""
    from rosenblatt.perceptron import Perceptron

    given: dict[str, Any] = {"order": "blocks", "random_state": random_state}
    found = {keep: Perceptron(keep=keep, **given) for keep in ("last", "best", "average")}
    return found | {WITH_MARGIN: Perceptron(keep="average", margin="scale", **given)}


def not_streamed() -> dict[str, str]:
    """What `streamed` leaves out, and why."""
    return dict.fromkeys(["random linear", "pocket", "rbf kernel"], "it needs the rows in memory")


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
