"""rosenblatt.study: the main job from Python; `rosenblatt fit` is the same from a terminal."""

from __future__ import annotations

import time
from collections.abc import Iterable
from copy import deepcopy
from html import escape
from numbers import Integral
from typing import TYPE_CHECKING, Any, final

import numpy as np
from scipy import sparse

from rosenblatt import model_file
from rosenblatt._core.fingerprint import of_matrix
from rosenblatt._core.rows import as_matrix
from rosenblatt._study import reading, stages, stream
from rosenblatt._study.build_document import beginning, described, placed
from rosenblatt._study.costs import objective_kept, with_costs_of
from rosenblatt._study.folder import CERTIFICATE, MODEL, REPORT, check, writing
from rosenblatt._study.options import Options
from rosenblatt._study.proof import check_size, prove_all
from rosenblatt._study.reading import Origin, Source, SparseRows, source_of, table_of
from rosenblatt._study.reasons import REASONS, Reasons, centred, points_of, ranked
from rosenblatt._study.stages import Checkpoints, Compared, Proved, Seconds
from rosenblatt._util.files import place_of, write_whole
from rosenblatt._util.progress import progress, shown, to_the_end
from rosenblatt._util.text import Numbered, of_files
from rosenblatt._validation import parameters
from rosenblatt._validation.targets import encoded
from rosenblatt.data.preprocessing import Preprocessing
from rosenblatt.errors import FileError, InputError
from rosenblatt.report.document import Balanced, Calibrated, Confusion, Cost, Fit, OfClass
from rosenblatt.report.terminal import WIDTH, short_lines, wrapped

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rosenblatt import Certificate
    from rosenblatt._model.probability import Probability
    from rosenblatt.selection import Candidate, Selection


_HEIGHT = 720  # pixels of the report in a notebook; it can be drawn larger

_NO_OPTIONS = ("source", "y", "verbose")  # parameters of `study` that Options does not have


def study(
    source: Any,
    y: Any = None,
    *,
    target: str | None = None,
    ignore: str | Iterable[str] = (),
    positive: Any = None,
    impute: str | None = None,
    na_values: str | Iterable[str] = (),
    encoding: str | None = None,
    header: bool | None = None,
    sep: str | None = None,
    names: str | Iterable[str] | None = None,
    sheet_name: str | None = None,
    decimal: str | None = None,
    skip_rows: int | None = None,
    header_rows: int | None = None,
    skip_footer: int | None = None,
    drop_unlabelled: bool = False,
    drop_label: Any = (),
    min_rows: int | None = None,
    min_count: int | None = None,
    categorical: str | Iterable[str] = (),
    numeric: str | Iterable[str] = (),
    date: Any = (),
    text: str | Iterable[str] = (),
    random_state: int = 0,
    cv: int | None = None,
    groups: Any = None,
    split_by_time: str | None = None,
    costs: Any = None,
    signs: Any = None,
    class_weight: str | None = None,
    objective: str | None = None,
    linear_only: bool | None = None,
    scorecard: bool = False,
    max_points: int | None = None,
    max_terms: int | None = None,
    comparison: bool | None = None,
    retrain: bool = True,
    private: bool = False,
    embed_data: bool = False,
    thorough: bool = False,
    time_limit: float | None = None,
    stream: bool = False,
    cache: Any = None,
    checkpoint: Any = None,
    checkpoint_every: float | None = None,
    engine: Any = None,
    verbose: int = 0,
) -> Study:
    """From rows with labels to an honest error, a rule, a verdict with its proof, and a report.

    Three fifths of the rows train the candidates, and one fifth (validation) chooses among them.
    The chosen one is trained again on both; the last fifth tests it, once. The verdict is about all
    rows; margins are those of the training rows. `rosenblatt fit` does the same, to the bit.

    Parameters
    ----------
    source : path, list of paths, data frame or array
        A table: the path or pattern of files, of any format that `rosenblatt.data.read` takes, or
        a data frame of pandas, polars or pyarrow. Or rows: an array of the shape (n, d), whose
        columns are called x0, x1, and so on, or a sparse matrix.
    y : array of shape (n,), optional
        The labels, where they are not a column of the table.
    target : str, optional
        The column of labels.
    ignore : str or list of str
        Columns to leave out.
    positive : label, list of labels, or condition, optional
        One or several labels against all others: the rule and its probabilities speak of them. Or
        those numbers that fulfil a condition, as ">=7". None: all labels are told apart, 100 at
        most, and of two the rule speaks of the second.
    impute : "mean" or "median", optional
        What stands for missing numbers: that of the training rows. None: they are refused.
    na_values : str or list of str
        Further words of files that stand for a missing value, like "?".
    drop_unlabelled : bool
        True: rows whose label is missing are left out; by default they are refused.
    drop_label, min_rows
        Labels whose rows are left out: these, or those of fewer rows.
    min_count : int, optional
        Words of a column that fewer rows have are pooled as one, `(other)`.
    encoding, header, sep, names, sheet_name, decimal, skip_rows, header_rows, skip_footer
        How files are read, as in `rosenblatt.data.read`.
    categorical, numeric, date, text
        What their columns hold, as in `rosenblatt.data.read`.
    random_state : int
        For the random split of the rows and for all random orders.
    cv : int, optional
        Nested cross-validation with this number of folds, for small tables.
    groups : str, or array of shape (n,), optional
        Rows with equal values in this column, or here, are never in two parts.
    split_by_time : str, optional
        A column of dates or numbers that says when each row was. The earliest rows train, and the
        latest test; those of one time stay in one part. The column itself is not learned from.
    costs : dict of str to float, optional
        What errors cost, by "actual:predicted": {"yes:no": 5}, predicting no for a yes costs 5.
        Pairs of labels may be tuples, too. What is not named costs 1.
    signs : dict of str to "+" or "-", optional
        Signs that weights must have, for the positive label: {"income": "+", "owner=yes": "-"}.
        Only linear rules with these signs are chosen from, and it is said what that costs.
    class_weight : "balanced", optional
        Training weighs the rows of each label by how rare it is.
    objective : "error", "cost" or "balanced", optional
        What chooses among candidates, and of two labels the threshold: the number of errors (the
        threshold stays as it was learned), their cost, or the mean of the errors of each label.
        By default "cost" with `costs`, "balanced" with `class_weight`, else "error".
    linear_only : bool, optional
        True: no kernel, so that the rule can be shown. None: a kernel is chosen only if it wins by
        a standard error at least. False: if it wins at all.
    scorecard : bool
        True: the rule is a scorecard, a few terms, each worth whole points, to be added up by hand.
        Two labels only. How many terms it has is chosen on the validation rows.
    max_points : int, optional
        The most points that a term of the scorecard is worth; 5 by default.
    max_terms : int, optional
        The most terms that the scorecard has; 5 by default.
    comparison : bool, optional
        Compare with scikit-learn's logistic regression and gradient boosting, on the same rows.
        They are not written. None: where these rows are few enough. True: however many.
    retrain : bool
        False: the chosen rule is tested as it was compared, having learned from three fifths.
    private : bool
        True: nothing derived from individual rows is shown or saved, for data about people.
    embed_data : bool
        True: the report contains all rows, and checks the whole proof when it is opened. Whoever
        has the report then has the data.
    thorough : bool
        True: also a bound on the errors of every linear rule and the signs of weights that it
        forces, second opinions about test rows, and what one pass over all rows says of the error.
        It takes some seconds more.
    time_limit : float, optional
        Seconds for the verdict, which may then be undecided; 10 by default.
    stream : bool
        True: for tables larger than memory (out-of-core); their rows are encoded into files.
    cache : path, optional
        The folder of these files, by default the cache of the user.
    checkpoint : path or address (s3://…), optional
        A folder for checkpoints of the training: if the process is killed, the same call goes on
        from there. It is removed when the study is saved.
    checkpoint_every : float, optional
        Seconds between two checkpoints; 60 by default.
    engine : Dask client, address of a scheduler, "ray" or concurrent.futures.Executor, optional
        Its machines train the candidates side by side, as with `stream`; they must see the folder
        of the cache. It changes nothing of the result.
    verbose : int
        1 shows a progress bar on a terminal or in a notebook.

    Returns
    -------
    Study
        Print it; in a notebook it shows its report. `save` writes it into a folder, and
        `Study.load` reads the rule in it again.

    Raises
    ------
    InputError
        What was given cannot be learned from; it says why, and what to do.
    KeyboardInterrupt
        Ctrl-C. If there is a rule by then, its attribute `study` has what there is.

    Examples
    --------
    >>> from rosenblatt import datasets, study
    >>> credit = datasets.load_credit().filename
    >>> found = study(credit, target="card", ignore=["share", "expenditure"])
    >>> found
    <Study of card: average with margin, 15.2% wrong in test (11.1% to 20.1%), overlap>
    """
    given = {name: value for name, value in locals().items() if name not in _NO_OPTIONS}
    by_name = isinstance(groups, str | Integral)
    given["groups"] = groups if by_name else None
    options = Options.of(**given)
    quiet = parameters.level("verbose", verbose) == 0
    table, options = source_of(source, y, None if by_name else groups, options)
    return studied(table, options, quiet=quiet)


def studied(
    source: Source,
    options: Options,
    *,
    quiet: bool,
) -> Study:
    """All stages."""
    seconds = Seconds()
    checkpoints = None
    if options.checkpoint is not None:
        checkpoints = Checkpoints(options.checkpoint, options.checkpoint_every)
    with shown(quiet=quiet):
        compared = _compared(source, options, checkpoints, seconds)
        options = with_costs_of(compared.read, options)
    with seconds.timed("describing"), to_the_end():
        begun = beginning(compared, source.origin, options)
    with of_files(bool(source.origin.files)):
        with shown(quiet=quiet):
            proved = prove_all(compared, options, seconds)
        with seconds.timed("describing"), to_the_end():
            document = described(compared, proved, begun, source.origin, options)
            answer = Study(compared, proved, document, source.origin, options, checkpoints, seconds)
    if answer.interrupted:
        raise StudyInterrupted(answer)
    return answer


def _compared(
    source: Source, options: Options, checkpoints: Checkpoints | None, seconds: Seconds
) -> Compared:

    def training(done: int, total: int, name: str) -> None:
        progress(f"training: {name}", done, total + 3)

    progress("reading")
    if options.stream and not isinstance(source, SparseRows):
        with stream.reading(source, options, seconds) as (read, rows):
            options = with_costs_of(read, options)
            return stream.compare(read, rows, options, checkpoints, training, seconds)
    with seconds.timed("reading"):
        read = reading.read(source, options)
    if options.embed_data:
        check_size(read.X)
    options = with_costs_of(read, options)
    return stages.compare(read, options, checkpoints, training, seconds)


# --- The answer -----------------------------------------------------------------------------------


class TableRule:
    """A trained rule for rows as they stand in a table: words, gaps and all.

    `Study.load` gives it; a `Study` is one.

    Attributes
    ----------
    estimator : estimator
        Fitted. It takes rows as `preprocessing` makes them.
    preprocessing : Preprocessing or None
        How columns became numbers; None where rows are taken as they are.
    probability : Platt, Softmax or None
        From a score of the estimator to the probability of the second label, or from the scores of
        more than two labels to their probabilities.
    """

    def __init__(
        self,
        estimator: Any,
        preprocessing: Preprocessing | None,
        probability: Probability | None,
    ):
        self.estimator: Any = estimator
        self.preprocessing: Preprocessing | None = preprocessing
        self.probability: Probability | None = probability

    def __repr__(self) -> str:
        classes, target = self.estimator.classes_.tolist(), ""
        if self.preprocessing is not None and self.preprocessing.target is not None:
            target = f" of {self.preprocessing.target.name}"
        some = ", ".join(map(str, classes[:5])) + ", ..." * (len(classes) > 5)
        return f"<TableRule{target}: {type(self.estimator).__name__}, labels {some}>"

    def predict(self, rows: Any) -> NDArray[np.generic]:
        """The labels of new rows: a file, a data frame, or an array with the columns studied."""
        labels: NDArray[np.generic] = self.estimator.predict(self._rows(rows))
        return labels

    def predict_proba(self, rows: Any) -> NDArray[np.float64]:
        """The probabilities of all labels of new rows, in the order of `estimator.classes_`.

        They were fitted to scores of rows that the scoring rule had not seen: of two labels by
        Platt scaling, of more by a softmax. The most probable label is not always the one that is
        predicted, least of all where costs were given.
        """
        if self.probability is None:
            raise InputError(
                "Probabilities need a function of the scores, and this model was saved without "
                "one: a study saves it."
            )
        probabilities = self.probability.of(self.estimator.decision_function(self._rows(rows)))
        if probabilities.ndim == 2:
            return probabilities
        return np.column_stack([1 - probabilities, probabilities])

    def explain(self, rows: Any, reasons: int = REASONS) -> list[dict[str, Any]]:
        """Why new rows have their labels: what the features that count most add to the score.

        Parameters
        ----------
        rows : path, data frame or array
            As of `predict`.
        reasons : int
            How many features are named.

        Returns
        -------
        list of dict
            Of each row the `prediction`, its `score`, the `reasons` (a `feature` and what it
            `adds`, compared with an average row of training), what all `others` add, and the
            `intercept`: they add up to the score. With more labels than two they add up to the lead
            over the `runner_up`. Of a scorecard the terms add up to the `points`, which are
            compared with the `threshold`.
        """
        parameters.whole("reasons", reasons)
        X, names, numbers = self._rows(rows), self._names(), {}
        if self.preprocessing is not None:
            numbers = centred(self.preprocessing)
        heaviest = Reasons(self.estimator, names, numbers, reasons)
        numbered = X.tocsr() if sparse.issparse(X) else np.asarray(X)
        values, points = heaviest.values(numbered), points_of(self.estimator, numbered)
        found = []
        for i, (label, score, rival, first, second) in enumerate(ranked(self.estimator, X)):
            one = {"prediction": label, "score": score}
            one |= {} if points is None else {"points": points[i]}
            one |= {} if rival is None else {"runner_up": rival[0], "runner_up_score": rival[1]}
            found.append(one | heaviest.of(values[i], first, second).to_dict())
        return found

    def _names(self) -> Any:
        if self.preprocessing is not None:
            return self.preprocessing.feature_names
        names = getattr(self.estimator, "feature_names_in_", None)
        return Numbered(self.estimator.n_features_in_) if names is None else names.tolist()

    def _rows(self, rows: Any) -> Any:
        known = self.preprocessing
        return rows if known is None else known.transform(table_of(rows, known.inputs))


@final
class Study(TableRule):
    """The answer of `study`. Printed, it says what `rosenblatt fit` says.

    Attributes
    ----------
    error : float or None
        The share of the test rows that the chosen rule gets wrong; these rows neither trained nor
        chose it. None where Ctrl-C came before they were looked at.
    interval : tuple of float, or None
        The 95% interval of the error: Clopper and Pearson's, or by group that of Korn and
        Graubard. None with fewer than 5 groups of test rows.
    confusion : dict or None
        Of the test rows: `labels`, and `counts[i][j]`, the rows of label i predicted label j.
    by_class : list of dict
        Of the test rows of each label: `label`, `rows`, `errors`, `predicted`, `recall`,
        `precision`, `cost`. Empty where no row was tested.
    cost : dict or None
        What the errors on test rows cost, where costs were given: `total`, `per_row`, its
        `interval`, `always`, by label the total if it were always said, and the cheapest of these,
        the `baseline`.
    balanced : dict or None
        The mean of the error rates of the labels on test rows, where the rule was chosen by it:
        `rate`, its `interval`, and the `baseline`, that of always the same label.
    auc : float or None
        The area under the ROC curve on test rows, of two labels.
    calibration : dict or None
        How good the probabilities are on test rows: `brier`, `bins`, `floor`. Of more than two
        labels the bins are about the most probable one of each row.
    rule : str
        The chosen rule in words, for the numbers as they stand in the table.
    candidates : list of Candidate
        All rules that were compared, with their errors, fitted.
    estimator : estimator
        The chosen one, fitted. It takes rows as `preprocessing` makes them; `predict` takes any.
    preprocessing : Preprocessing or None
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
        compared: Compared,
        proved: Proved,
        document: Fit,
        origin: Origin,
        options: Options,
        checkpoints: Checkpoints | None,
        seconds: dict[str, float],
    ):
        self.selection: Selection = compared.selection
        self.certificate: Certificate | None = proved.certificate
        chosen = compared.selection
        super().__init__(chosen.estimator, _noted(compared, options), chosen.probability)
        self._fingerprint = _fingerprint(compared, options)
        self.seconds: dict[str, float] = seconds
        self.interrupted: bool = document["interrupted"]
        self._document, self._options, self._checkpoints = document, options, checkpoints
        self._embedded = proved.embedded
        self._origin = origin
        if self.preprocessing is not None:
            self.estimator.preprocessing_ = self.preprocessing  # as in a model file that is loaded
        self.estimator.objective_ = objective_kept(options, self.estimator.classes_)

    # --- What was found ---

    @property
    def error(self) -> float | None:
        error = self._document["error"]
        return None if error is None else error["rate"]

    @property
    def interval(self) -> tuple[float, float] | None:
        return self.selection.interval if self.selection.test_n else None

    @property
    def confusion(self) -> Confusion | None:
        return deepcopy(self._document["confusion"])

    @property
    def by_class(self) -> list[OfClass]:
        return deepcopy(self._document["by_class"])

    @property
    def cost(self) -> Cost | None:
        return deepcopy(self._document["cost"])

    @property
    def balanced(self) -> Balanced | None:
        return deepcopy(self._document["balanced"])

    @property
    def auc(self) -> float | None:
        roc = self._document["roc"]
        return None if roc is None else roc["auc"]

    @property
    def calibration(self) -> Calibrated | None:
        return deepcopy(self._document["calibration"])

    @property
    def rule(self) -> str:
        rule = self._document["rule"]
        assert rule is not None
        differences = (difference["sentence"] for difference in rule.get("differences", []))
        return "; ".join([rule["sentence"], *differences])

    @property
    def candidates(self) -> list[Candidate]:
        return self.selection.candidates

    @property
    def warnings(self) -> list[str]:
        return [warned["sentence"] for warned in self._document["data"]["warnings"]]

    @classmethod
    def load(cls, path: Any) -> TableRule:
        """The rule that a study wrote: it takes tables, as the study did.

        Parameters
        ----------
        path : path
            The folder of `save` or of `rosenblatt fit`, or the model file in it.

        Returns
        -------
        TableRule
            It has `predict`, `predict_proba`, `explain`, `estimator` and `preprocessing`. Errors,
            candidates and the verdict are in the report.
        """
        place = place_of(path)
        file = place / MODEL if place.is_dir() else place
        if file is not place and not file.exists():
            raise FileError(
                f"{path} has no {MODEL}: give a folder that a study was saved in, or a model file.",
                file=str(path),
            )
        model = model_file.read(file)
        if model.preprocessing is not None:
            preprocessing = Preprocessing.from_dict(model.preprocessing)
            model.estimator.__dict__.pop("feature_names_in_", None)  # it has seen to the names
            return TableRule(model.estimator, preprocessing, model.probability)
        return TableRule(model.estimator, None, model.probability)

    def to_dict(self) -> Fit:
        """All of it as text, numbers, lists and dicts: what `rosenblatt fit --json` prints."""
        return deepcopy(self._document)

    # --- Shown ---

    def __repr__(self) -> str:
        target, name = self._document["data"]["target"], self.selection.winner.name
        parts = [f"Study of {target}: {name}"]
        if (cost := self._document["cost"]) is not None and self._options.decides == "cost":
            ends = " ({:.3g} to {:.3g})".format(*cost["interval"]) if cost["interval"] else ""
            parts.append(f"costs {cost['per_row']:.3g} a row in test{ends}")
        elif (balanced := self.balanced) is not None:
            ends = (
                " ({:.1%} to {:.1%})".format(*balanced["interval"]) if balanced["interval"] else ""
            )
            parts.append(f"balanced error {balanced['rate']:.1%} in test{ends}")
        elif self.error is not None:
            ends = "" if self.interval is None else " ({:.1%} to {:.1%})".format(*self.interval)
            parts.append(f"{self.error:.1%} wrong in test{ends}")
        if (verdict := self._document["verdict"]) is not None:
            parts.append(verdict["verdict"])
        return f"<{', '.join([*parts, *(['interrupted'] if self.interrupted else [])])}>"

    def __str__(self) -> str:
        return "\n".join(h + line for _, h, line in wrapped(short_lines(self._document), WIDTH))

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

        return render(dict(self._document), self._embedded)

    # --- Saved ---

    def save_report(self, path: Any) -> None:
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

        With `private` there is no certificate.json if its proof names a point where rows meet.
        """
        from rosenblatt.report import render

        begin, place = time.perf_counter(), place_of(folder)
        kept = None if self._checkpoints is None else self._checkpoints.folder
        check(folder, force=force, checkpoint=kept)
        files = {kind: f"{place}/{name}" for kind, name in self._written()}
        document = placed(self._document, self._origin, self._options, str(place), files)
        with writing(folder, force=force) as part:
            model_file.save(
                self.estimator,
                part / MODEL,
                preprocessing=self.preprocessing,
                probability=self.probability,
                data_fingerprint=self._fingerprint,
            )
            if "certificate" in files and self.certificate is not None:
                self.certificate.save(part / CERTIFICATE)
            page = render(dict(document), self._embedded)
            write_whole(part / REPORT, page.encode(), overwrite=False)
        self._document = document
        self.seconds["writing"] = time.perf_counter() - begin
        if self._checkpoints is not None and not self.interrupted:
            self._checkpoints.remove()

    def _written(self) -> list[tuple[str, str]]:
        files = [("model", MODEL)]
        certificate, private = self.certificate, self._options.private
        # Its proof that no hyperplane separates names a point that may be one person's row.
        if certificate is not None and not (private and certificate.conflict is not None):
            files.append(("certificate", CERTIFICATE))
        return [*files, ("report", REPORT)]


class StudyInterrupted(KeyboardInterrupt):
    """Ctrl-C; `study` has what there was by then."""

    def __init__(self, study: Study):
        super().__init__(
            "Interrupted; the attribute `study` of this exception has the partial result."
        )
        self.study = study


def _noted(compared: Compared, options: Options) -> Preprocessing | None:
    """With the ranges of the training rows: `predict --counterfactual` stays within them. They
    are values of rows, which `private` keeps out of every file."""
    preprocessing, read = compared.preprocessing, compared.read
    if preprocessing is None or options.private or options.stream:
        return preprocessing
    assert read.preprocessing is not None
    # A card has a feature for every word, and the rows lack one of each column.
    return preprocessing.with_seen(read.X[compared.selection.fitted_on], read.preprocessing)


def _fingerprint(compared: Compared, options: Options) -> str | None:
    """Of all rows, as the chosen rule sees them: `rosenblatt evaluate` knows them again."""
    read, preprocessor = compared.read, compared.selection.preprocessor
    if options.private or options.stream or read.sample is not None:
        return None
    classes = compared.selection.estimator.classes_
    signs, X = (
        encoded(read.y, classes),
        read.X if preprocessor is None else preprocessor.transform(read.X),
    )
    return of_matrix(as_matrix(X), signs if len(classes) == 2 else signs + np.int32(1))
