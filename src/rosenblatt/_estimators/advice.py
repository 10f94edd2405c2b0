"""What to tell a user whose training did not get there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rosenblatt._learning.state import Verdict


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


def separable_unfinished(
    name: str, errors: int, n: int, max_iter: int, updates: int, certificate: Verdict
) -> str:
    """max_iter ended a fit although a hyperplane separates the rows, as is proved.

    All of it is known by then: a warning computes nothing.
    """
    from rosenblatt._proof.words import updates as so_many

    assert certificate.mistake_bound is not None
    return (
        f"{name} used up max_iter={max_iter} epochs with {errors} of {n} training rows on the "
        "wrong side, although a hyperplane separates them all: certificate_ has the proof. From "
        "zero weights, a row at a time, without weights or a margin, the perceptron makes at most "
        f"{so_many(certificate.mistake_bound)} on these rows; {updates:,} were made. What to try: "
        "scale the features, if they are not (StandardScaler), which often cuts that by orders of "
        "magnitude; raise max_iter; or take the separator of the proof as it is, "
        "Perceptron.from_certificate(certificate_)."
    )


def undecided(name: str, errors: int, n: int, patience: int | None) -> str:
    """Patience ended a fit, and the proof that was asked for was not found."""
    return (
        f"{name} stopped after {patience} epochs without a noticeable gain, with {errors} "
        f"of {n} training rows on the wrong side. Whether a hyperplane separates them is "
        "undecided: as much work as training had taken was not enough to tell. What to try: "
        "patience=None, to train until max_iter; certify(X, y), to decide it without a limit."
    )


def last_of_many(name: str, errors: int, n: int, reason: str) -> str:
    """Training that cannot come to rest, or did not, ended somewhere; its last weights are kept."""
    return (
        f"{name}(keep='last') returns the weights at which it happened to stop, with {errors} of "
        f"{n} training rows on the wrong side. {reason} What to try: keep='best', which returns "
        "the weights with the fewest mistakes."
    )


def separable_but(name: str, keep: str, errors: int, n: int) -> str:
    """The rows are separable, as training itself showed, and yet the returned rule errs."""
    return (
        f"{name}(keep={keep!r}) returns a rule with {errors} of {n} training rows on the wrong "
        "side, although a hyperplane with none exists: training came to one. What to try: "
        "keep='best' or keep='last', which return it."
    )
