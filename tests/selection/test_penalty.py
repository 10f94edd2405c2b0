"""The preferred rule gets the penalty that is best in folds of the rows that it learns from."""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

import rosenblatt
from rosenblatt import Perceptron
from rosenblatt.selection import SelectionInterrupted, select
from rosenblatt.selection import comparison as module
from rosenblatt.selection.criterion import Criterion

WIDE = Perceptron(keep="average", margin="wide", random_state=0)
SHARES = (0.03, 0.1, 0.3, 1.0, 3.0)


def factors(n=240, d=120):
    """Few factors behind many noisy columns: a ridge does better than no penalty."""
    rng = np.random.default_rng(1)
    hidden = rng.standard_normal((n, 6))
    X = hidden @ rng.standard_normal((6, d)) + 2 * rng.standard_normal((n, d))
    return X, hidden[:, :3].sum(axis=1) + 1.5 * rng.standard_normal(n) > 0


def criterion(classes, **more):
    return Criterion(1.0 - np.eye(classes), prefers="wide", **more)


def chosen(X, y, **more):
    kinds = len(np.unique(y))
    given = {"criterion": criterion(kinds), "preprocessor": StandardScaler()} | more
    return select(X, y, {"wide": WIDE, "last": Perceptron(keep="last")}, **given)


def wrong_in_folds(X, y, share):
    """By scikit-learn's folds, which have the same seed."""
    rule = WIDE
    if share:
        rule = Perceptron(**WIDE.get_params() | {"penalty": "l2", "alpha": share / len(y)})
    wrong = 0
    for train, part in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
        scaler = StandardScaler().fit(X[train])
        rule.fit(scaler.transform(X[train]), y[train])
        wrong += int((rule.predict(scaler.transform(X[part])) != y[part]).sum())
    return wrong


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("table", ["factors", "wine"])
def test_it_is_the_strength_that_errs_least_in_folds_of_the_rows_learned_from(table):
    X, y = factors() if table == "factors" else load_wine(return_X_y=True)
    found = chosen(X, y)
    rows = found.fitted_on
    errors: dict[float, int] = {}
    for share in (0.0, *SHARES):
        errors[share] = wrong_in_folds(X[rows], y[rows], share)
        best = min(errors, key=errors.__getitem__)
        if [*errors].index(best) < len(errors) - 2:
            break
    assert best == {"factors": 0.3, "wine": 0.0}[table]
    assert found.estimator.penalty == ("l2" if best else None)
    assert not best or found.estimator.alpha * len(rows) == pytest.approx(best)
    rule = Perceptron(**found.estimator.get_params())
    rule.fit(found.preprocessor.transform(X[rows]), y[rows])
    assert rule.coef_.tolist() == found.estimator.coef_.tolist()


def test_none_is_needed_where_none_errs_less():
    X = np.random.default_rng(0).standard_normal((200, 2)) + [[-4, 0], [4, 0]] * 100
    assert chosen(X, X[:, 0] > 0).estimator.penalty is None


@pytest.mark.parametrize(
    "more", [{"cv": 2}, {"criterion": criterion(3, objective="balanced")}], ids=["cv", "balanced"]
)
def test_folds_and_thresholds_choose_it_too(more):
    X, y = load_wine(return_X_y=True)
    found = chosen(X[::2], y[::2], **more)
    assert found.winner.estimator.penalty in (None, "l2")
    assert found.test_errors < 20


def test_it_is_left_out_where_it_would_take_long_or_rows_have_an_order(monkeypatch):
    X, y = factors()
    assert chosen(X, y, times=np.arange(len(y))).estimator.penalty is None
    monkeypatch.setattr(module, "_SOON", 1000)
    assert chosen(X, y).estimator.penalty is None
    monkeypatch.undo()
    assert chosen(X, y, criterion=Criterion(1.0 - np.eye(2))).estimator.penalty is None


def test_an_interrupt_while_it_is_looked_for_ends_the_comparison(monkeypatch):
    X, y = factors()
    fit, fits = Perceptron.fit, iter(range(100))

    def interrupted(self, *given, **more):
        if next(fits) == 3:
            raise KeyboardInterrupt
        return fit(self, *given, **more)

    monkeypatch.setattr(Perceptron, "fit", interrupted)
    with pytest.raises(SelectionInterrupted):
        chosen(X, y)


def test_a_study_has_it_in_its_files(tmp_path):
    X, y = factors(d=60)
    study = rosenblatt.study(X, y)
    study.save(tmp_path / "fit")
    rule = rosenblatt.Study.load(tmp_path / "fit")
    assert rule.predict(X[:9]).tolist() == study.predict(X[:9]).tolist()
    assert study.selection.estimator.penalty == "l2"
    assert study.certificate.verdict
