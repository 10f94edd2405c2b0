"""Second opinions: against linear programs in fractions, every direction, and simulation."""

import subprocess
import sys
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rational
from fewest import fewest, separable
from raising import check_sentence, raises
from rosenblatt import Perceptron, certify, second_opinion
from rosenblatt.errors import InputError, InputTypeError


def small(seed):
    """A few rows in a small grid, and some new ones, ties included."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(4, 9)), int(rng.integers(1, 3))
    X = rng.integers(-2, 3, (n, d)).astype(float)
    y = np.where(X[:, 0] - X[:, -1] / 2 + rng.normal(0, 1.2, n) > 0, 1, -1)
    y[:2] = 1, -1
    return X, y, rng.integers(-3, 4, (3, d)).astype(float)


def least(X, y, x, sign):
    """The fewest errors of rules that are right about (x, sign): it weighs more than all rows."""
    rows = rational.lifted([*X.tolist(), x.tolist()], [*y.tolist(), sign], True)
    return fewest(rows, [1] * len(X) + [len(X) + 1])


def test_as_linear_programs_in_fractions_say(heavy):
    seen = set()
    for seed in range(heavy(400)):
        X, y, X_new = small(seed)
        opinions = second_opinion(X, y, X_new)
        rows = rational.lifted(X.tolist(), y.tolist(), True)
        few = fewest(rows, [1] * len(X))
        assert opinions.separable == (few == 0) == separable(rows)
        assert opinions.fewest == (few, few)
        assert opinions.errors == few
        for x, opinion in zip(X_new, opinions, strict=True):
            other = least(X, y, x, opinion.other)
            same = least(X, y, x, opinion.answer)
            expected = "contested" if other == few else "forced"
            if opinions.separable and expected == "contested" and same > few:
                expected = "overruled"  # the row is on the hyperplane of the rule found
            assert opinion.status == expected
            seen.add((opinions.separable, expected))
            if not opinions.separable:
                assert opinion.at_least == opinion.at_most == other
                assert opinion.cost == (other - few, other - few)
            if opinion.rival is not None:
                makes = errors_of(opinion.rival.lifted, X, y)
                assert makes == (0 if opinions.separable else opinion.at_most)
                assert opinion.other * exact_score(opinion.rival.lifted, x) > 0
    assert {(True, "forced"), (True, "contested"), (False, "forced"), (False, "contested")} <= seen


def exact_score(rule, x):
    return sum(Fraction(w) * Fraction(v) for w, v in zip(rule, [*x, 1.0], strict=True))


def errors_of(rule, X, y):
    return sum(label * exact_score(rule, x) <= 0 for x, label in zip(X, y.tolist(), strict=True))


def test_forced_is_certify_with_the_other_label(heavy):
    """And a certificate of at most d + 1 known rows, which the stand-alone verifier accepts."""
    X, y = load_iris(return_X_y=True)
    X, y = X[50:], y[50:]
    kept = np.setdiff1d(np.arange(100), [20, 33, 83, 69])  # without these a line separates them
    X, y = X[kept], y[kept]
    order = np.random.default_rng(0).permutation(len(y))
    known, new = order[:70], order[70 : 70 + max(heavy(26), 12)]
    opinions = second_opinion(X[known], y[known], X[new])
    assert opinions.separable
    assert opinions.bound == 6 / 71
    assert opinions.count("forced")
    assert opinions.count("contested")
    for k, i in enumerate(new):
        opinion = opinions[k]
        rows = np.vstack([X[known], X[i]]), np.append(y[known], opinion.other)
        assert (opinion.status == "forced") == (certify(*rows).separable is False)
        if opinion.status == "forced":
            assert 1 <= len(opinion.because) <= 5
            few = [*opinion.because, len(known)]
            assert certify(rows[0][few], rows[1][few]).separable is False
            certificate = opinions.certificate(k)
            np.testing.assert_array_equal(opinions.rows_of(k)[0], rows[0])
            np.testing.assert_array_equal(opinions.rows_of(k)[1], rows[1])
            certificate.verify(*rows)
        else:
            with raises(InputError):
                opinions.certificate(k)


def test_the_certificate_is_checked_without_the_library(tmp_path):
    X = pd.DataFrame({"a": [1.0, 2, 5, 6], "b": [0.0, 1, 0, 1]})
    y = pd.Series(["no", "no", "yes", "yes"], name="late")
    opinions = second_opinion(X, y, pd.DataFrame({"a": [5.5], "b": [0.5]}))
    assert opinions[0].because == [2, 3]
    rows, labels = opinions.rows_of(0)
    table = pd.DataFrame(rows, columns=X.columns).assign(late=labels)
    table.to_csv(tmp_path / "rows.csv", index=False)
    opinions.certificate(0).save(tmp_path / "proof.json")
    command = [sys.executable, "-m", "rosenblatt.verify", "proof.json", "rows.csv"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_forced_and_wrong_in_one_column(heavy):
    """Labels are tossed, so that no true rule exists; by hand, how often it happens."""
    times, m, wrong = heavy(4000), 4, 0
    for seed in range(times):
        rng = np.random.default_rng(seed)
        X, y = rng.standard_normal((m + 1, 1)), rng.integers(0, 2, m + 1)
        if np.count_nonzero(np.diff(y[:m][np.argsort(X[:m, 0])])) != 1:
            continue  # one label, or not separable
        opinions = second_opinion(X[:m], y[:m], X[m:])
        assert opinions.separable
        assert opinions.bound == 3 / (m + 1)
        wrong += opinions[0].status == "forced" and opinions[0].answer != y[m]
    # 2 (m - 1) of 2^m sequences of labels change once. The new row is in each of the m + 1 gaps as
    # likely, forced in all but the one between the classes, and then wrong half of the time.
    expected = 2 * (m - 1) / 2**m * m / (m + 1) / 2
    assert abs(wrong / times - expected) < 4 * np.sqrt(expected / times)
    assert expected <= 3 / (m + 1)


def test_forced_and_wrong_is_as_rare_as_the_bound_says(heavy):
    """A clean pattern with a label that contradicts it now and then, in two columns."""
    times, m, d, wrong = heavy(2000), 11, 2, 0
    for seed in range(times):
        rng = np.random.default_rng(seed)
        X = rng.integers(-4, 5, (m + 1, d)).astype(float)
        y = np.where((X[:, 0] > 0) ^ (rng.random(m + 1) < 0.15), 1, -1)
        if abs(y[:m].sum()) == m or not separable(rational.lifted(X[:m].tolist(), y[:m], True)):
            continue
        opinions = second_opinion(X[:m], y[:m], X[m:])
        wrong += opinions[0].status == "forced" and opinions[0].answer != y[m]
    assert 0 < wrong / times <= (d + 2) / (m + 1)


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return X.iloc[:, :3], y.map({0: "malignant", 1: "benign"}).rename("tumour")


def test_real_rows_and_a_rule_in_a_pipeline(cancer):
    X, y = cancer
    rule = make_pipeline(StandardScaler(), Perceptron(random_state=0)).fit(X[:450], y[:450])
    opinions = second_opinion(X[:450], y[:450], X[450:470], rule)
    assert opinions.errors == max(int((rule.predict(X[:450]) != y[:450]).sum()), opinions.fewest[1])
    assert [o.answer for o in opinions] == rule.predict(X[450:470]).tolist()
    for k, opinion in enumerate(opinions):
        assert opinion.at_least <= opinion.at_most
        rival = X.iloc[450 + k] @ opinion.rival.coef + opinion.rival.intercept
        assert (rival > 0) == (opinion.other == "malignant")
        text = opinions.sentence(k)
        assert text.startswith(opinion.status)
        if opinion.status == "contested":
            assert opinion.at_most <= opinions.errors
        if opinion.status == "forced":
            assert opinion.at_least > opinions.errors
    assert opinions.bound is None
    check_sentence(opinions.about)


def test_any_container_gives_the_same(cancer):
    X, y = cancer[0][:120], cancer[1][:120]
    X_new = cancer[0][120:126]
    expected = [(o.status, o.at_least, o.at_most) for o in second_opinion(X, y, X_new)]
    for known, new in [(X.to_numpy(), X_new.to_numpy()), (X, X_new.to_numpy())]:
        found = second_opinion(known, y.to_numpy(), new)
        assert [(o.status, o.at_least, o.at_most) for o in found] == expected
    whole = load_breast_cancer().data
    target = load_breast_cancer().target
    dense = second_opinion(whole[:80], target[:80], whole[80:90])
    thin = second_opinion(
        sparse.csr_matrix(whole[:80]), target[:80], sparse.csr_matrix(whole[80:90])
    )
    assert [o.status for o in dense] == [o.status for o in thin]


def test_words_become_columns_as_in_certify():
    X = pd.DataFrame({"town": ["Rome", "Paris", "Rome", "Paris"], "age": [1, 2, 3, 4]})
    opinions = second_opinion(X, [0, 1, 0, 1], pd.DataFrame({"town": ["Paris"], "age": [9]}))
    assert opinions[0].answer == 1
    with raises(InputError, file="the data frame", row=0, column="town"):
        second_opinion(X, [0, 1, 0, 1], pd.DataFrame({"town": ["Oslo"], "age": [9]}))


def test_overruled():
    """A rule that does not fit, where others do."""
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]

    class Stubborn:
        def predict(self, X):
            return np.zeros(len(X), dtype=int)

    opinions = second_opinion(X, y, [[4.0], [1.5], [-1.0]], Stubborn())
    assert [o.status for o in opinions] == ["overruled", "contested", "forced"]
    assert opinions.sentence(0) == "overruled: every rule that fits says 1, because of rows 1, 3"
    opinions.certificate(0).verify(*opinions.rows_of(0))


def test_refused():
    X, y = [[0.0], [1.0], [2.0]], [0, 1, 1]
    with raises(InputError):
        second_opinion(X, y, [[1.0, 2.0]])
    with raises(InputError):
        second_opinion(X, [1, 1, 1], [[1.0]])
    with raises(InputTypeError):
        second_opinion(X, y, [[1.0]], rule=3)
    with raises(InputError):
        second_opinion(X, [0, 1, 2], [[1.0]])
    with raises(InputError):
        second_opinion(pd.DataFrame({"a": [0, 1]}), [0, 1], pd.DataFrame({"b": [1]}))
    with raises(ValueError):
        second_opinion(X, y, [[float("nan")]])
