"""Why training ended, in words."""

from enum import StrEnum


class StopReason(StrEnum):
    """Why training ended; each member is a sentence."""

    CLEAN = "Every row was looked at under the same weights and none called for an update."
    MAX_ITER = "max_iter epochs were made and rows still called for updates."
    MAX_UPDATES = "max_updates updates were made."
    NOT_SEPARABLE = "No hyperplane separates the rows: certificate_ has the proof."
    UNDECIDED = (
        "The last epochs, as many as patience says, brought no noticeable gain, and whether a "
        "hyperplane separates the rows is undecided."
    )
    PATIENCE = (
        "The last epochs, as many as patience says, brought no noticeably fewer mistakes. Whether "
        "a hyperplane separates the rows is not known: certify(X, y) tells."
    )
    TOL = (
        "The mean loss of the last epochs, as many as patience says, was not lower than before by "
        "tol. Whether a hyperplane separates the rows is not known: certify(X, y) tells."
    )
    SEPARATED = (
        "The rule makes no mistake on the training rows, and the last epochs, as many as patience "
        "says, brought nothing more."
    )
    CALLBACK = "A callback ended training."
    INTERRUPTED = "Training was interrupted (Ctrl-C)."
    ONE_PASS = "partial_fit made its one pass over the given rows."
    FROM_CERTIFICATE = "Nothing was trained: the rule is the separator of a certificate."
