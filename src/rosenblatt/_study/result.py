"""What a study found: to be looked at, asked, shown and saved."""

from __future__ import annotations

import time
from copy import deepcopy
from html import escape
from typing import TYPE_CHECKING, Any, final

from rosenblatt._study.build_document import placed
from rosenblatt._study.checkpoints import Checkpoints
from rosenblatt._study.document import Fit
from rosenblatt._study.folder import CERTIFICATE, MODEL, REPORT, check, writing
from rosenblatt._study.objective import kept
from rosenblatt._study.options import Options
from rosenblatt._study.source import Origin, table_of
from rosenblatt._study.text import WIDTH, all_lines, wrapped
from rosenblatt._util.files import as_path, write_whole
from rosenblatt.errors import InputError
from rosenblatt.model_file import save

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from rosenblatt import Certificate
    from rosenblatt._study.work import Work
    from rosenblatt.data import Encoding
    from rosenblatt.selection import Candidate, Selection


_HEIGHT = 720  # pixels of the report in a notebook; it can be drawn larger


@final
class Study:
    """The answer of `study`. Printed, it says what `rosenblatt fit` says.

    Attributes
    ----------
    error : float or None
        The share of the test rows that the chosen rule gets wrong; these rows neither trained nor
        chose it. None where Ctrl-C came before they were looked at.
    interval : tuple of float, or None
        The 95 % interval of the error, Clopper and Pearson's.
    rule : str
        The chosen rule in words, for the numbers as they stand in the table.
    candidates : list of Candidate
        All rules that were compared, with their errors, fitted.
    estimator : estimator
        The chosen one, fitted. It takes rows as `encoding` makes them; `predict` takes any.
    encoding : Encoding or None
        How columns became numbers; None for sparse rows, which are taken as they are.
    certificate : Certificate or None
        The verdict on all rows and its proof.
    warnings : list of str
        What a person should look at before believing anything else.
    selection : Selection
        The comparison: which rows trained, chose and tested, and what was predicted of these.
    seconds : dict of str to float
        Where the time went.
    interrupted : bool
        Ctrl-C came before all was done.
    """

    def __init__(
        self,
        work: Work,
        document: Fit,
        origin: Origin,
        options: Options,
        checkpoints: Checkpoints | None,
    ):
        assert work.selection is not None
        self.selection: Selection = work.selection
        self.certificate: Certificate | None = work.certificate
        self.encoding: Encoding | None = _noted(work, options)
        self.seconds: dict[str, float] = work.seconds
        self.interrupted: bool = work.interrupted
        self._document, self._options, self._checkpoints = document, options, checkpoints
        self._carried = work.carried
        self._origin = origin
        if self.encoding is not None:
            self.estimator.encoding_ = self.encoding  # as in a model file that is loaded
        self.estimator.objective_ = kept(options, self.estimator.classes_)

    # --- What was found ---

    @property
    def error(self) -> float | None:
        found = self._document["error"]
        return None if found is None else found["rate"]

    @property
    def interval(self) -> tuple[float, float] | None:
        return self.selection.interval if self.selection.test_n else None

    @property
    def rule(self) -> str:
        found = self._document["rule"]
        assert found is not None
        apart = (difference["sentence"] for difference in found.get("differences", []))
        return "; ".join([found["sentence"], *apart])

    @property
    def candidates(self) -> list[Candidate]:
        return self.selection.candidates

    @property
    def estimator(self) -> Any:
        return self.selection.estimator

    @property
    def warnings(self) -> list[str]:
        return [warned["sentence"] for warned in self._document["data"]["warnings"]]

    def predict(self, rows: Any) -> NDArray[np.generic]:
        """The labels of new rows: a file, a data frame, or an array with the columns studied."""
        found: NDArray[np.generic] = self.estimator.predict(self._rows(rows))
        return found

    def predict_proba(self, rows: Any) -> NDArray[np.float64]:
        """The probabilities of both labels of new rows, shape (n, 2), by Platt scaling.

        Where costs were given, the more probable label is not always the one that is predicted.
        """
        import numpy as np

        probability = self.selection.probability
        if probability is None:
            k = len(self.estimator.classes_)
            raise InputError(f"Probabilities are those of two labels, and there are {k}.")
        second = probability.of(self.estimator.decision_function(self._rows(rows)))
        return np.column_stack([1 - second, second])

    def _rows(self, rows: Any) -> Any:
        return rows if self.encoding is None else self.encoding.apply(table_of(rows))

    def to_dict(self) -> Fit:
        """All of it as text, numbers, lists and dicts: what `rosenblatt fit --json` prints."""
        return deepcopy(self._document)

    # --- Shown ---

    def __repr__(self) -> str:
        target, name = self._document["data"]["target"], self.selection.winner.name
        said = [f"Study of {target}: {name}"]
        if self.error is not None and self.interval is not None:
            lo, hi = self.interval
            said.append(f"{self.error:.1%} wrong in test ({lo:.1%} to {hi:.1%})")
        if self.certificate is not None:
            said.append(self.certificate.verdict)
        return f"<{', '.join([*said, *(['interrupted'] if self.interrupted else [])])}>"

    def __str__(self) -> str:
        return "\n".join(h + line for _, h, line in wrapped(all_lines(self._document), WIDTH))

    def _repr_html_(self) -> str:
        """The report in a frame of its own: neither its styles nor names in the table reach the
        notebook, and its script only turns it light and dark and checks the proof."""
        style = f"width: 100%; height: {_HEIGHT}px; border: 0; resize: vertical"
        page = escape(self._page())
        return (
            f'<iframe title="report" sandbox="allow-scripts" style="{style}" srcdoc="{page}">'
            "</iframe>"
        )

    def _page(self) -> str:
        from rosenblatt.report import render

        return render(dict(self._document), self._carried)

    # --- Saved ---

    def report(self, path: Any) -> None:
        """Write the report, a page of HTML, to a file. One that is there is replaced."""
        write_whole(path, self._page().encode(), overwrite=True)

    def save(self, folder: Any, force: bool = False) -> None:
        """Write model.json, certificate.json and report.html into a folder, all or nothing.

        The write is atomic: if the process is killed, the folder is the old one or the new one.

        Parameters
        ----------
        folder : path
            It is made, in a folder that is there.
        force : bool
            True: a folder of an earlier study is replaced. One that holds other files never is.

        With `no_rows` there is no certificate.json if its proof names a point where rows meet.
        """
        from rosenblatt.report import render

        begin, place = time.perf_counter(), as_path(folder)
        kept = None if self._checkpoints is None else self._checkpoints.folder
        check(folder, force=force, checkpoint=kept)
        files = {kind: f"{place}/{name}" for kind, name in self._written()}
        document = placed(self._document, self._origin, self._options, str(place), files)
        with writing(folder, force=force) as part:
            probability = self.selection.probability
            save(self.estimator, part / MODEL, encoding=self.encoding, probability=probability)
            if "certificate" in files and self.certificate is not None:
                self.certificate.save(part / CERTIFICATE)
            page = render(dict(document), self._carried)
            write_whole(part / REPORT, page.encode(), overwrite=False)
        self._document = document
        self.seconds["writing"] = time.perf_counter() - begin
        if self._checkpoints is not None and not self.interrupted:
            self._checkpoints.remove()

    def _written(self) -> list[tuple[str, str]]:
        """The files, by kind."""
        found = [("model", MODEL)]
        certificate, no_rows = self.certificate, self._options.no_rows
        # Its proof that no hyperplane separates names a point that may be one person's row.
        if certificate is not None and not (no_rows and certificate.conflict is not None):
            found.append(("certificate", CERTIFICATE))
        return [*found, ("report", REPORT)]


class StudyInterrupted(KeyboardInterrupt):
    """Ctrl-C; `study` has what there was by then."""

    def __init__(self, study: Study):
        super().__init__("interrupted: the attribute `study` of this has what there was")
        self.study = study


def _noted(work: Work, options: Options) -> Encoding | None:
    """The encoding with the ranges of the training rows: `predict --change` stays within them. They
    are values of rows, which `no_rows` keeps out of every file."""
    encoding, selection = work.learned, work.selection
    if encoding is None or selection is None or options.no_rows or options.stream:
        return encoding
    assert work.encoding is not None
    # A card has a feature for every word, and the rows lack one of each column.
    return encoding.with_seen(work.X[selection.fitted_on], work.encoding)
