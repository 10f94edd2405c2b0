"""What to tell a user whose training did not get there."""

from __future__ import annotations

from collections.abc import Sequence


def trend(mistakes: Sequence[int]) -> str:
    """How the mistakes per epoch developed, in words."""
    if len(mistakes) < 8:
        return f"mistakes in each epoch: {', '.join(str(int(m)) for m in mistakes)}"
    quarter = max(len(mistakes) // 4, 1)
    late, before = mistakes[-quarter:], mistakes[-2 * quarter : -quarter]
    falling = sum(late) < 0.95 * sum(before)
    direction = "still falling" if falling else "no longer falling"
    return f"mistakes per epoch went from {mistakes[0]} to {mistakes[-1]} and are {direction}"


def unfinished(
    name: str, errors: int, n: int, mistakes: Sequence[int], max_iter: int, margin: float
) -> str:
    """max_iter ended a fit that returns its last weights."""
    goal = f" with a margin above {margin:g}" if margin else ""
    left = f"{errors} of {n} training rows are on the wrong side"
    doubt = ""
    if len(mistakes) >= 100 and "no longer falling" in trend(mistakes):
        doubt = " (though perhaps no hyperplane separates the rows)"
    return (
        f"{name} used up max_iter={max_iter} epochs before every row was right{goal}: {left}; "
        f"{trend(mistakes)}. What to try: raise max_iter{doubt}; scale the features, if they are "
        "not (StandardScaler), which often cuts the epochs needed by orders of magnitude; "
        "keep='best', which returns the weights with the fewest mistakes instead of the last ones."
    )


def separable_but(name: str, keep: str, errors: int, n: int) -> str:
    """The rows are separable, as training itself showed, and yet the returned rule errs."""
    return (
        f"{name}(keep={keep!r}) returns a rule with {errors} of {n} training rows on the wrong "
        "side, although a hyperplane with none exists: training came to one. What to try: "
        "keep='best' or keep='last', which return it."
    )
