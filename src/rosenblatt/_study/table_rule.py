"""A trained rule that takes rows as they stand in a table: what a study found, or wrote."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from rosenblatt import model_file
from rosenblatt._study.folder import MODEL
from rosenblatt._study.reasons import REASONS, Reasons, centred, points_of, ranked
from rosenblatt._study.source import table_of
from rosenblatt._util.text import Numbered
from rosenblatt._validation import parameters
from rosenblatt.errors import FileError, InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rosenblatt._model.probability import Platt
    from rosenblatt.data import Preprocessing


class TableRule:
    """A trained rule for rows as they stand in a table: words, gaps and all.

    `Study.load` gives it; a `Study` is one.

    Attributes
    ----------
    estimator : estimator
        Fitted. It takes rows as `preprocessing` makes them.
    preprocessing : Preprocessing or None
        How columns became numbers; None where rows are taken as they are.
    probability : Platt or None
        From a score of the estimator to the probability of the second label.
    """

    def __init__(self, estimator: Any, preprocessing: Preprocessing | None, probability: Any):
        self.estimator: Any = estimator
        self.preprocessing: Preprocessing | None = preprocessing
        self.probability: Platt | None = probability

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
        """The probabilities of both labels of new rows, shape (n, 2), by Platt scaling.

        Where costs were given, the more probable label is not always the one that is predicted.
        """
        if self.probability is None:
            k = len(self.estimator.classes_)
            if k == 2:
                raise InputError(
                    "Probabilities need a sigmoid of the scores, and this model was saved without "
                    "one: a study saves it."
                )
            raise InputError(f"Probabilities need two labels; this model has {k}.")
        second = self.probability.of(self.estimator.decision_function(self._rows(rows)))
        return np.column_stack([1 - second, second])

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
        return rows if self.preprocessing is None else self.preprocessing.transform(table_of(rows))


def load(path: Any) -> TableRule:
    """What a study wrote, from its folder or from the model file in it."""
    file = os.path.join(path, MODEL) if os.path.isdir(path) else path
    if file is not path and not os.path.exists(file):
        raise FileError(
            f"{path} has no {MODEL}: give a folder that a study was saved in, or a model file.",
            file=str(path),
        )
    model = model_file.read(file)
    if model.preprocessing is not None:
        from rosenblatt.data import Preprocessing

        preprocessing = Preprocessing.from_dict(model.preprocessing)
        vars(model.estimator).pop("feature_names_in_", None)  # it has seen to the names
        return TableRule(model.estimator, preprocessing, model.probability)
    return TableRule(model.estimator, None, model.probability)
