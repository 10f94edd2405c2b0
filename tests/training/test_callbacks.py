"""Callbacks of scikit-learn are told of every epoch, see the rule of then, and can end training."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from common import X, Y, everything, may_not_converge, may_not_separate, noisy
from raising import raises
from rosenblatt import KernelPerceptron, Perceptron, StopReason, train

callback = pytest.importorskip("sklearn.callback", reason="scikit-learn has them from 1.9 on")
pytestmark = [may_not_converge, may_not_separate]

LEARNERS = [Perceptron(random_state=0), KernelPerceptron(kernel="linear", random_state=0)]
every_learner = pytest.mark.parametrize("p", LEARNERS, ids=lambda p: type(p).__name__)


class Seen:
    """Notes what it is told; ends training with epoch `last`."""

    def __init__(self, last=None, fails=False):
        self.told, self.rules, self.last, self.fails = [], [], last, fails

    def setup(self, estimator, context):
        self.told.append("setup")

    def teardown(self, estimator, context):
        self.told.append("teardown")

    def on_fit_task_begin(self, estimator, context, *, X=None, y=None, metadata=None):
        self.told.append(f"begin {context.task_name}")
        self.given = X, y, metadata

    def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
        self.told.append(f"end {context.task_name}")
        if context.task_name == "epoch":
            self.rules.append(fitted_estimator)
            if self.fails:
                raise RuntimeError("the callback fails")
        return context.task_name == "epoch" and context.task_id + 1 == self.last


@every_learner
def test_a_callback_is_told_of_every_epoch_and_sees_the_rule_of_then(p):
    seen, weights = Seen(), np.arange(1.0, len(X) + 1)
    p = clone(p).set_params(max_iter=4).set_callbacks(seen)
    p.fit(X, Y, sample_weight=weights)
    epochs = p.n_iter_ * ["begin epoch", "end epoch"]
    assert seen.told == ["setup", "begin fit", *epochs, "end fit", "teardown"]
    assert seen.given[0] is X
    assert seen.given[1] is Y
    assert seen.given[2] == {"sample_weight": weights}
    for epoch, rule in enumerate(seen.rules, 1):
        alone = clone(p).set_callbacks().set_params(max_iter=epoch)
        alone.fit(X, Y, sample_weight=weights)
        found, wanted = everything(rule), everything(alone)
        assert found.pop("stop_reason_") is StopReason.CALLBACK
        assert wanted.pop("stop_reason_") is StopReason.MAX_ITER
        assert found == wanted


@every_learner
def test_a_callback_ends_training_and_changes_nothing_else(p):
    ended = clone(p).set_callbacks(Seen(last=3)).fit(X, Y)
    assert (ended.stop_reason_, ended.n_iter_) == (StopReason.CALLBACK, 3)
    alone = clone(p).set_params(max_iter=3).fit(X, Y)
    assert everything(ended) | {"stop_reason_": None} == everything(alone) | {"stop_reason_": None}
    whole = clone(p).fit(X, Y)
    assert everything(clone(p).set_callbacks(Seen()).fit(X, Y)) == everything(whole)


def test_training_that_a_callback_ended_goes_on():
    p = Perceptron(random_state=0, warm_start=True, max_iter=9)
    ended = clone(p).set_callbacks(Seen(last=4)).fit(X, Y).set_callbacks()
    assert everything(ended.set_params(max_iter=5).fit(X, Y)) == everything(p.fit(X, Y))


def test_an_epoch_that_is_cut_short_is_ended():
    seen = Seen()
    p = Perceptron(random_state=0, max_updates=30, warm_start=True).set_callbacks(seen).fit(X, Y)
    assert seen.told[-3:] == ["end epoch", "end fit", "teardown"]
    assert seen.told.count("begin epoch") == seen.told.count("end epoch") == p.n_iter_
    assert seen.rules[-1] is None  # there is no rule of an epoch that did not end
    assert p.stop_reason_ is StopReason.MAX_UPDATES
    again = Seen(last=1)
    p.set_params(max_updates=None).set_callbacks(again).fit(X, Y)
    assert p.n_iter_ == len(seen.rules)  # the epoch that was under way has ended


def test_no_row_calls_for_an_update_is_the_better_reason():
    rows, y = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]]), [1, 1, -1]
    p = Perceptron(order="cyclic", keep="last").set_callbacks(Seen(last=6)).fit(rows, y)
    assert (p.n_iter_, p.stop_reason_) == (6, StopReason.CLEAN)


def test_a_callback_that_fails_leaves_the_estimator_as_it_was():
    p = Perceptron(random_state=0, max_iter=5).fit(X, Y)
    seen, before = Seen(fails=True), everything(p)
    p.set_callbacks(seen)
    attributes = set(vars(p))
    with raises(RuntimeError):
        p.fit(X + 1, Y)
    assert everything(p) == before
    assert set(vars(p)) == attributes
    assert seen.told[-1] == "teardown"
    with raises(ValueError, option="max_iter", value=-1):
        p.set_params(max_iter=-1).fit(X, Y)
    assert seen.told.count("setup") == seen.told.count("teardown") == 1


def test_one_class_against_the_rest_is_one_task():
    seen = Seen()
    Perceptron(multi_class="ovr", max_iter=5).set_callbacks(seen).fit(X, np.arange(len(X)) % 3)
    assert seen.told == ["setup", "begin fit", "end fit", "teardown"]


def test_a_stream_tells_its_epochs(tmp_path, monkeypatch):
    monkeypatch.setenv("ROSENBLATT_CACHE", str(tmp_path))
    seen = Seen(last=2)
    p = train(Perceptron(order="blocks").set_callbacks(seen), lambda: [(X, Y)])
    assert (p.n_iter_, p.stop_reason_) == (2, StopReason.CALLBACK)
    assert seen.rules[-1].coef_.tobytes() == p.coef_.tobytes()


def test_scikit_learns_own_callbacks_work(capsys):
    rows, y = noisy(80)
    monitor = callback.ScoringMonitor(scoring="accuracy")
    p = Perceptron(random_state=0, max_iter=6).set_callbacks(monitor).fit(rows, y)
    scores = [
        entry["accuracy"] for entry in monitor.get_logs().data if entry["task_name"] == "epoch"
    ]
    assert len(scores) == 6
    assert scores[-1] == p.score(rows, y)
    assert scores == sorted(scores)  # the fewest mistakes so far are kept
    search = GridSearchCV(clone(p).set_callbacks(), {"keep": ["best", "average"]}, cv=2)
    search.set_callbacks(callback.ProgressBar(max_propagation_depth=None)).fit(rows, y)
    assert "Perceptron - fit" in capsys.readouterr().out
