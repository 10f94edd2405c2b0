"""The warnings of a fit: what to tell a user whose training did not converge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from rosenblatt._training.stopping import StopReason
from rosenblatt._util.spelling import either, option

if TYPE_CHECKING:
    from rosenblatt._training.estimator import Training
    from rosenblatt._training.state import Verdict


class Question(NamedTuple):
    """What is not known when training ends without being done, and who tells."""

    yes: str
    no: str
    tells: str  # empty: nobody does

    @property
    def open(self) -> str:
        return f"Whether {self.yes} is not known{self._who('tells')}."

    @property
    def either(self) -> str:
        return f"Either {option('max_iter')} is too small, or {self.no}{self._who('tells which')}."

    def _who(self, tells: str) -> str:
        if self.tells == _ABOUT_LINES:
            return f"; {_certify()} {_ABOUT_LINES}"
        return f": {self.tells} {tells}" if self.tells else ""


_ABOUT_LINES = "is about hyperplanes only"


def _certify() -> str:
    return either("certify(X, y)", "rosenblatt certify")


def question(p: Training, stored: bool) -> Question:
    """Of a fitted estimator; `stored`: there is no X and no y."""
    many, spec = len(p.classes_) > 2, p._spec
    if spec.kernel and p.kernel != "linear":
        yes, no = "the kernel separates the rows", "the kernel does not separate the rows"
        return Question(yes, no, _ABOUT_LINES)
    if many and spec.multi_class and p.multi_class == "ovr":
        yes, no = (
            "each class is separable from the rest",
            "some class is not separable from the rest",
        )
        return Question(yes, no, "" if stored else "certify(X, y == label)")
    tells = "certify_stored(source)" if stored else _certify()
    if many:
        yes, no = "the classes are linearly separable", "the classes are not linearly separable"
        return Question(yes, no, tells)
    return Question("a hyperplane separates the rows", "no hyperplane separates the rows", tells)


def wrong(errors: int, n: int) -> str:
    """A row on the hyperplane counts as an error, whatever is predicted for it."""
    return f"{errors} of {n} training rows on the wrong side or on the hyperplane"


def course(mistakes: Sequence[int]) -> str:
    """The updates of each epoch, or of the first and the last."""
    if len(mistakes) < 8:
        return f"Updates in each epoch: {', '.join(str(int(m)) for m in mistakes)}."
    return f"Updates: {mistakes[0]} in the first epoch, {mistakes[-1]} in the last."


def unfinished(
    name: str,
    errors: int,
    n: int,
    mistakes: Sequence[int],
    max_iter: int,
    margin: float,
    asked: Question,
) -> str:
    """max_iter ended a fit that returns its last weights."""
    goal = f" Rows with a margin of at most {margin:g} called for updates." if margin else ""
    why = asked.either if errors else f"{option('max_iter')} is too small for this margin."
    return (
        f"{name} stopped at {option('max_iter', max_iter)} epochs and returns its last weights, "
        "with "
        f"{wrong(errors, n)}.{goal} {course(mistakes)} {why} What to try: raise "
        f"{option('max_iter')}; scale {_scale()}, which often cuts the epochs needed by orders of "
        f"magnitude; or {option('keep', 'best')}, which returns the weights with the fewest "
        "mistakes."
    )


def separable_unfinished(
    name: str, errors: int, n: int, max_iter: int, updates: int, certificate: Verdict
) -> str:
    """max_iter ended a fit although a hyperplane separates the rows, as is proved.

    All of it is known by then: a warning computes nothing.
    """
    from rosenblatt._certify.text import updates as so_many

    assert certificate.mistake_bound is not None
    return (
        f"{name} stopped at {option('max_iter', max_iter)} epochs with {wrong(errors, n)}, "
        "although a hyperplane separates them all: certificate_ has the proof. "
        f"{updates:,} updates were made. On these rows a perceptron that starts from zero weights "
        "and takes a row at a time, without weights or a margin, converges after at most "
        f"{so_many(certificate.mistake_bound)}. What to try: scale {_scale()}: that often cuts "
        f"this number by orders of magnitude. Or raise {option('max_iter')}. "
        "Or use the separator of the proof: Perceptron.from_certificate(certificate_)."
    )


def undecided(name: str, errors: int, n: int, patience: int | None) -> str:
    """Patience ended a fit, and the proof that was asked for was not found."""
    return (
        f"{name} stopped early, after {patience} epochs without a noticeable gain, with "
        f"{wrong(errors, n)}. Whether a hyperplane separates them is "
        "undecided: the search for a proof was given as much work as training, and found none. "
        "What to try: patience=None trains until max_iter; "
        f"{_certify()} decides without a limit."
    )


def last_of_many(name: str, errors: int, n: int, reason: str) -> str:
    """Training that cannot come to rest, or did not, ended somewhere; its last weights are kept."""
    return (
        f"{_kept(name, 'last')} returns the weights of the moment when training stopped, with "
        f"{wrong(errors, n)}. {reason} What to try: {option('keep', 'best')}, which "
        "returns the weights with the fewest mistakes."
    )


def _scale() -> str:
    return either("the features, if they are not (StandardScaler)", "the columns with --scale")


def _kept(name: str, keep: str) -> str:
    return either(f"{name}(keep={keep!r})", option("keep", keep))


def why_stopped(
    reason: StopReason, epochs: int | None, patience: int | None, asked: Question
) -> str:
    """The reason with its numbers, where patience ended training; `epochs` None: of several."""
    when = "early" if epochs is None else f"after {epochs} epochs"
    if reason is StopReason.PATIENCE:
        return (
            f"It stopped {when}: in the last {patience} or more (patience) the "
            f"number of mistakes did not fall by a sixteenth. {asked.open}"
        )
    if reason is StopReason.TOL:
        return (
            f"It stopped {when}: in the last {patience} (patience) the mean loss "
            f"was not lower than before by tol. {asked.open}"
        )
    if reason is StopReason.MAX_ITER:
        return f"{option('max_iter')} epochs were made and rows still called for updates."
    return reason


def separable_but(name: str, keep: str, errors: int, n: int) -> str:
    """The rows are separable, as training itself showed, and yet the returned rule errs."""
    return (
        f"{_kept(name, keep)} returns a rule with {wrong(errors, n)}, although training found a "
        f"hyperplane with none. What to try: {option('keep', 'best')} or {option('keep', 'last')}, "
        "which return it."
    )
