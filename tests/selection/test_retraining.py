"""The winner learns again from training and validation rows; comparison rules stand beside it."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from raising import check_sentence
from rosenblatt import KernelPerceptron, Perceptron, RandomLinearClassifier
from rosenblatt._training.threshold import can_move, move_threshold, on_rows
from rosenblatt._util.spelling import option
from rosenblatt.selection import SelectionInterrupted, select
from rosenblatt.selection.candidates import comparison_rules, comparison_rules_left_out
from rosenblatt.selection.criterion import Criterion

AVERAGE = {"average": Perceptron(keep="average", random_state=0)}


def table(n=300, seed=0, noise=1.0, share=0.3):
    """The label follows the first column, which is far from the scale of the second."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3)) * [1, 50, 1]
    hidden = X[:, 0] + noise * rng.standard_normal(n)
    return X, np.where(hidden > np.quantile(hidden, 1 - share), "yes", "no")


def test_the_winner_is_that_of_both_parts_to_the_bit():
    X, y = table()
    found = select(X, y, AVERAGE, preprocessor=StandardScaler(), retrain=True)
    both = np.sort(np.concatenate([found.train, found.validation]))
    assert found.retrained
    assert found.fitted_on.tolist() == both.tolist()
    scaler = StandardScaler().fit(X[both])
    alone = Perceptron(keep="average", random_state=0).fit(scaler.transform(X[both]), y[both])
    assert found.estimator.coef_.tobytes() == alone.coef_.tobytes()
    assert found.estimator.intercept_ == alone.intercept_  # errors decide: no threshold is moved
    assert found.preprocessor.mean_.tolist() == scaler.mean_.tolist()
    wrong = alone.predict(scaler.transform(X[found.test])) != y[found.test]
    assert found.test_errors == wrong.sum()
    assert found.winner.train_n == len(found.train)  # the errors are those of the comparison
    before = select(X, y, AVERAGE, preprocessor=StandardScaler())
    assert [c.validation_errors for c in before.candidates] == [
        c.validation_errors for c in found.candidates
    ]
    assert before.fitted_on.tolist() == before.train.tolist()


class Spy(ClassifierMixin, BaseEstimator):
    """Remembers its rows: they are told apart by their first number."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.fitted_on_ = set(X[:, 0])
        return self

    def decision_function(self, X):
        mine = self.fitted_on_ & set(X[:, 0])
        assert not mine or mine == set(X[:, 0]), "it has seen some of them"
        return X[:, 0] - 30

    def predict(self, X):
        return self.classes_[(self.decision_function(X) >= 0).astype(int)]


@pytest.mark.parametrize("grouped", [False, True])
def test_no_row_that_chooses_a_threshold_was_seen(grouped):
    X, y = np.arange(60.0)[:, None], np.arange(60) % 2
    groups = np.arange(60) // 2 if grouped else None
    found = select(X, y, {"spy": Spy()}, retrain=True, groups=groups)  # Spy raises otherwise
    assert len(found.out_of_sample.scores) == 48
    assert found.estimator.fitted_on_ == set(X[found.fitted_on, 0])


def test_a_label_that_folds_cannot_share_is_judged_on_validation_rows():
    X, y = np.arange(50.0)[:, None], np.repeat(["a", "b"], [45, 5])
    groups = np.repeat(np.arange(10), 5)
    groups[45:] = np.arange(5)  # each b has a group of its own
    found = select(X, y, AVERAGE, retrain=True, groups=groups, random_state=1)
    assert found.retrained
    assert len(found.out_of_sample.scores) in (len(found.validation), len(found.fitted_on))


def criterion(y, objective="cost", **costs):
    pairs = {tuple(pair.split("_")): cost for pair, cost in costs.items()}
    return Criterion.of(np.unique(y).tolist(), objective, pairs)


@pytest.mark.parametrize("retrain", [False, True])
@pytest.mark.parametrize("cv", [None, 3])
def test_costs_move_the_threshold_and_lower_the_cost(retrain, cv):
    X, y = table(600)
    dear = criterion(y, yes_no=10)
    options = {"preprocessor": StandardScaler(), "cv": cv, "retrain": retrain}
    plain = select(X, y, AVERAGE, **options)
    found = select(X, y, AVERAGE, criterion=dear, **options)

    def cost(one):
        return dear.row_costs(one.labels, one.predictions, one.estimator.classes_).sum()

    assert found.moved < 0  # more are called yes
    assert cost(found) < 0.7 * cost(plain)
    assert found.estimator.coef_.tobytes() == plain.estimator.coef_.tobytes()
    assert found.estimator.intercept_ == pytest.approx(plain.estimator.intercept_ - found.moved)
    if not cv:
        rows = found.preprocessor.transform(X[found.test])
        assert (found.estimator.predict(rows) == found.predictions).all()
        assert found.scores.tolist() == found.estimator.decision_function(rows).tolist()
    # what the rows say that chose it: nothing is cheaper than the threshold 0 of the written rule
    assert found.out_of_sample.cheapest(dear.costs) == 0
    # and the probabilities are those of the rule before it was moved
    again = plain.probability.of(plain.out_of_sample.scores)
    assert found.probability.of(found.out_of_sample.scores) == pytest.approx(again)


def test_probabilities_at_the_threshold_are_about_what_the_costs_say():
    """A miss at 4: calling yes pays from a probability of 1/(1 + 4) on."""
    X, y = table(3000)
    found = select(
        X, y, AVERAGE, preprocessor=StandardScaler(), criterion=criterion(y, yes_no=4), retrain=True
    )
    assert float(found.probability.of(0.0)) == pytest.approx(0.2, abs=0.07)


def test_balanced_finds_the_rare_label():
    X, y = table(600, share=0.06)
    plain = select(X, y, AVERAGE, preprocessor=StandardScaler(), retrain=True)
    found = select(
        X,
        y,
        AVERAGE,
        preprocessor=StandardScaler(),
        retrain=True,
        criterion=criterion(y, "balanced"),
    )

    def recall(one):
        return (one.predictions[one.labels == "yes"] == "yes").mean()

    assert recall(found) > recall(plain)


# --- A threshold that is moved --------------------------------------------------------------------


@pytest.mark.parametrize(
    "rule",
    [
        Perceptron(random_state=0, eta0=0.5),
        Perceptron(keep="average", random_state=0, class_weight="balanced"),
        Perceptron(order="random", keep="pocket", max_updates=50, random_state=0),
        KernelPerceptron(kernel="rbf", random_state=0),
        RandomLinearClassifier(random_state=0),
    ],
)
def test_every_score_is_lower_by_so_much_and_errors_are_recounted(rule, tmp_path):
    from rosenblatt import load, save

    X, y = table(120)
    rule.fit(X, y)
    before = rule.decision_function(X)
    assert can_move(rule)
    move_threshold(rule, 0.75, on_rows(X, y))
    scores = rule.decision_function(X)
    assert scores == pytest.approx(before - 0.75)
    margins = np.where(y == "yes", scores, -scores)
    assert rule.training_errors_ == (margins <= 0).sum()
    save(rule, tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert again.decision_function(X).tolist() == scores.tolist()
    assert again.training_errors_ == rule.training_errors_


def test_of_a_separable_table_it_does_not_say_converged_with_errors():
    X, y = np.array([[-2.0], [-1], [1], [2]]), ["no", "no", "yes", "yes"]
    rule = Perceptron().fit(X, y)
    assert rule.converged_
    move_threshold(rule, 1e6, on_rows(X, y))
    assert (rule.converged_, rule.training_errors_) == (False, 2)


def test_votes_have_no_threshold():
    assert not can_move(Perceptron(keep="vote", random_state=0).fit(*table(60)))
    assert not can_move(LogisticRegression().fit(*table(60)))


# --- Comparison rules -----------------------------------------------------------------------------


def test_peers_learn_from_the_same_rows_and_are_not_chosen():
    X, y = table()
    found = select(X, y, AVERAGE, comparison_rules={"logistic": LogisticRegression()}, retrain=True)
    assert [c.name for c in found.candidates] == ["larger class", "average"]
    (rule,) = found.comparison_rules
    alone = LogisticRegression().fit(X[found.fitted_on], y[found.fitted_on])
    wrong = (alone.predict(X[found.test]) != y[found.test]).sum()
    assert (rule.name, rule.test_errors, rule.test_n) == ("logistic", wrong, found.test_n)
    check_sentence(found.optimism)  # one candidate of ours


def test_a_comparison_rule_that_fails_is_left_out():
    class Fails(LogisticRegression):
        def fit(self, X, y):
            raise MemoryError("no room")

    X, y = table(100)
    for cv in (None, 2):
        found = select(X, y, AVERAGE, comparison_rules={"other": Fails()}, cv=cv)
        assert [c.name for c in found.candidates] == ["larger class", "average"]
        assert (found.comparison_rules, found.failed) == ([], {"other": "it failed: MemoryError"})


def test_peers_of_cross_validation_are_compared_once():
    X, y = table(90)
    fits = []

    class Counted(LogisticRegression):
        def fit(self, X, y):
            fits.append(len(y))
            return super().fit(X, y)

    found = select(X, y, AVERAGE, comparison_rules={"counted": Counted()}, cv=3)
    assert fits == [60, 60, 60]
    (rule,) = found.comparison_rules
    folds_of_it = [found.test[:30], found.test[30:60], found.test[60:]]
    wrong = 0
    for part in folds_of_it:
        others = np.setdiff1d(np.arange(90), part)
        wrong += (LogisticRegression().fit(X[others], y[others]).predict(X[part]) != y[part]).sum()
    assert (rule.test_errors, rule.test_n) == (wrong, 90)


def test_a_comparison_rule_gets_a_threshold_for_the_costs_from_rows_that_did_not_train_it():
    X, y = table(600)
    dear = Criterion(np.array([[0.0, 1.0], [50.0, 0.0]]), "cost")  # a missed 1 costs 50
    comparison_rules = {"logistic": LogisticRegression()}
    plain, by_cost = (
        select(X, y, AVERAGE, comparison_rules=comparison_rules, criterion=criterion, retrain=True)
        for criterion in (None, dear)
    )
    alone = LogisticRegression().fit(X[plain.fitted_on], y[plain.fitted_on])
    at_one_half = dear.row_costs(y[plain.test], alone.predict(X[plain.test]), np.unique(y)).sum()
    assert by_cost.comparison_rules[0].cost < at_one_half
    assert plain.comparison_rules[0].cost == plain.comparison_rules[0].test_errors


def test_large_tables_have_no_comparison_rules_and_say_why():
    assert list(comparison_rules(791, 9, 2)) == ["logistic", "boosting"]
    too_large, wide = (
        comparison_rules_left_out(100_000, 100, 2),
        comparison_rules_left_out(1000, 64, 10),
    )
    assert list(too_large) == ["logistic", "boosting"]
    assert list(wide) == ["boosting"]
    for why in (*too_large.values(), *wide.values()):
        assert option("comparison", True) in why
    assert comparison_rules_left_out(100_000, 100, 2, all_of_them=True) == {}
    of_sparse = {"boosting": "it does not take sparse rows"}
    assert comparison_rules_left_out(100, 10, 2, numbers=300) == of_sparse
    assert comparison_rules_left_out(100, 10, 2, numbers=300, all_of_them=True) == of_sparse


def test_ctrl_c_while_it_learns_again_leaves_the_rule_that_was_compared():
    X, y = table()

    def stop(done, total, name):
        if name == "average, again":
            raise KeyboardInterrupt

    with pytest.raises(SelectionInterrupted) as caught:
        select(X, y, AVERAGE, retrain=True, progress=stop)
    found = caught.value.selection
    assert not found.retrained
    plain = select(X, y, AVERAGE)
    assert found.estimator.coef_.tobytes() == plain.estimator.coef_.tobytes()
    assert found.test_errors == plain.test_errors


def test_progress_ends_at_what_was_said():
    X, y = table(100)
    told = []
    select(X, y, AVERAGE, retrain=True, progress=lambda *now: told.append(now))
    assert [done for done, *_ in told] == list(range(told[0][1]))
    assert [name for *_, name in told][-2:] == ["average, fold 5", "average, again"]
