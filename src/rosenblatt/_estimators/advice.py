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
        f"{name} stopped at max_iter={max_iter} epochs before every row was right{goal}: {left}; "
        f"{trend(mistakes)}. What to try: raise max_iter{doubt}. Or scale the features, if they "
        "are not (StandardScaler): that often cuts the epochs needed by orders of magnitude. Or "
        "use keep='best', which returns the weights with the fewest mistakes, not the last ones."
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
        f"{name} stopped at max_iter={max_iter} epochs with {errors} of {n} training rows on the "
        "wrong side, although a hyperplane separates them all: certificate_ has the proof. "
        f"{updates:,} updates were made. On these rows a perceptron that starts from zero weights "
        "and takes a row at a time, without weights or a margin, converges after at most "
        f"{so_many(certificate.mistake_bound)}. What to try: scale the features, if they are not "
        "(StandardScaler): that often cuts this number by orders of magnitude. Or raise max_iter. "
        "Or use the separator of the proof: Perceptron.from_certificate(certificate_)."
    )


def undecided(name: str, errors: int, n: int, patience: int | None) -> str:
    """Patience ended a fit, and the proof that was asked for was not found."""
    return (
        f"{name} stopped early, after {patience} epochs without a noticeable gain, with {errors} "
        f"of {n} training rows on the wrong side. Whether a hyperplane separates them is "
        "undecided: the search for a proof was given as much work as training, and found none. "
        "What to try: patience=None trains until max_iter; certify(X, y) decides without a limit."
    )


def last_of_many(name: str, errors: int, n: int, reason: str) -> str:
    """Training that cannot come to rest, or did not, ended somewhere; its last weights are kept."""
    return (
        f"{name}(keep='last') returns the weights of the moment when training stopped, with "
        f"{errors} of {n} training rows on the wrong side. {reason} What to try: keep='best', "
        "which returns the weights with the fewest mistakes."
    )


def separable_but(name: str, keep: str, errors: int, n: int) -> str:
    """The rows are separable, as training itself showed, and yet the returned rule errs."""
    return (
        f"{name}(keep={keep!r}) returns a rule with {errors} of {n} training rows on the wrong "
        "side, although training found a hyperplane with none. What to try: keep='best' or "
        "keep='last', which return it."
    )
