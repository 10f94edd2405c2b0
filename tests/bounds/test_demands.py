"""Signs that are demanded: against linear programs in fractions, and directions of the plane."""

import json

import numpy as np
import pandas as pd
import pytest

import rational
from fewest import fewest, fewest_with_sign, separable
from raising import check_sentence, raises
from rosenblatt import Certificate, certify, forced_signs, minimum_errors, verify, verify_errors
from rosenblatt.errors import InputError, VerificationError
from tampering import changed, changes


def instance(seed, most=3):
    """Whole numbers: equal rows, ties, weights, no intercept now and then; and some signs."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(3, 13 if seed % 20 == 19 else 9)), int(rng.integers(1, most + 1))
    X = rng.integers(-2, 3, (n, d)).astype(float)
    y = np.where(X[:, 0] + rng.normal(0, 1, n) > 0, 1, -1)
    y[:2] = 1, -1
    varies = X.min(axis=0) < X.max(axis=0)
    signs = rng.integers(-1, 2, d) * varies
    weights = rng.integers(1, 4, n) if seed % 3 == 0 else None
    return X, y, signs, weights, bool(seed % 4)


def sign_rows(signs, intercept):
    """A weight that obeys may be 0; where a separator obeys, a strict one is near."""
    return [
        [int(sign) * (j == k) for k in range(len(signs) + intercept)]
        for j, sign in enumerate(signs)
        if sign
    ]


def test_separable_under_the_demand_as_a_linear_program_in_fractions_says(heavy):
    said = set()
    for seed in range(heavy(600)):
        X, y, signs, _, intercept = instance(seed)
        certificate = certify(X, y, signs=signs, fit_intercept=intercept)
        rows = rational.lifted(X.tolist(), y.tolist(), intercept)
        assert certificate.separable is separable([*rows, *sign_rows(signs, intercept)])
        certificate.verify(X, y)
        assert certificate.signs == {
            f"x{j}": "+" if sign > 0 else "-" for j, sign in enumerate(signs) if sign
        }
        if certificate.separable:
            assert (certificate.separator.coef * signs >= 0).all()
        said.add((certificate.separable, bool(signs.any())))
    assert len(said) == 4


def test_the_fewest_errors_as_exhaustive_search_finds(heavy):
    for seed in range(heavy(300)):
        X, y, signs, weights, intercept = instance(seed)
        bracket = minimum_errors(
            X, y, signs=signs, sample_weight=weights, fit_intercept=intercept, time_limit=None
        )
        bracket.verify(X, y)
        rows = rational.lifted(X.tolist(), y.tolist(), intercept)
        cost = [1] * len(y) if weights is None else weights.tolist()
        assert bracket.proved
        assert bracket.upper == fewest(rows, cost, sign_rows(signs, intercept))
        assert (bracket.rule.coef * signs >= 0).all()


def test_forced_signs_as_every_direction_of_the_plane_says(heavy):
    """A sign that is demanded is forced where the column cannot be left out."""
    found = set()
    for seed in range(heavy(200)):
        X, y, signs, weights, _ = instance(3 * seed, most=1)
        X = np.column_stack([X[:, 0], np.random.default_rng(seed).integers(-2, 3, len(y))])
        signs = np.random.default_rng(seed).integers(-1, 2, 2)
        signs *= X.min(axis=0) < X.max(axis=0)
        cost = np.ones(len(y), dtype=int) if weights is None else weights
        report = forced_signs(X, y, signs=signs, sample_weight=weights, time_limit=None)
        report.verify(X, y)
        both = (1, -1)
        assert report.errors == min(fewest_with_sign(X, y, cost, 0, s, signs) for s in both)
        for j, column in enumerate(report):
            against = {s: fewest_with_sign(X, y, cost, j, s, signs) for s in both}
            if signs[j]:  # the other sign is none: without the column
                alone = [int(s) if k != j else 0 for k, s in enumerate(signs)]
                only = X * (np.arange(2) != j)
                against[-signs[j]] = fewest_with_sign(only, y, cost, 1 - j, alone[1 - j], alone)
                if not alone[1 - j]:
                    other = fewest_with_sign(only, y, cost, 1 - j, -1, alone)
                    against[-signs[j]] = min(
                        other, fewest_with_sign(only, y, cost, 1 - j, 1, alone)
                    )
            expected = "+" if against[-1] > report.errors else None
            expected = "-" if against[1] > report.errors else expected
            assert column.sign == expected
            found.add((expected, int(signs[j])))
    assert len(found) >= 5


def test_forced_signs_of_up_to_three_columns_as_exhaustive_search_finds(heavy):
    for seed in range(heavy(100)):
        X, y, signs, weights, _ = instance(seed)
        report = forced_signs(X, y, signs=signs, sample_weight=weights, time_limit=None)
        report.verify(X, y)
        cost = [1] * len(y) if weights is None else weights.tolist()

        def least(some, demand, y=y, cost=cost):
            rows = rational.lifted(some.tolist(), y.tolist(), True)
            return fewest(rows, cost, sign_rows(demand, True))

        assert report.errors == least(X, signs)
        for j, column in enumerate(report):
            others = np.arange(len(signs)) != j
            against = {
                s: least(X[:, others], signs[others])  # the column has to be left out
                if signs[j] == -s
                else least(X, np.where(others, signs, s))
                for s in (1, -1)
            }
            forced = {s: against[-s] > report.errors for s in (1, -1)}
            assert column.sign == ("+" if forced[1] else "-" if forced[-1] else None)
            assert column.at_least <= (against[-1] if forced[1] else against[1]) or not column.sign


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.integers(-9, 10, (90, 3)).astype(float), columns=["a", "b", "c"])
    return X, pd.Series(np.where(X["a"] - X["b"] + rng.normal(0, 6, 90) > 0, "yes", "no"), name="y")


def test_what_a_demand_costs(table):
    X, y = table
    free = minimum_errors(X, y, time_limit=None)
    with_them = minimum_errors(X, y, signs={"a": "+", "b": "-"}, time_limit=None)
    against = minimum_errors(X, y, signs={"a": "-"}, time_limit=None)
    assert (free.proved, with_them.proved, against.proved) == (True, True, True)
    assert with_them.price(free) == (0, 0)
    assert against.price(free) == (against.upper - free.upper,) * 2
    assert against.price(free)[0] > 5
    check_sentence(against.price_sentence(free))
    check_sentence(with_them.price_sentence(free))
    with raises(InputError):
        free.price(against)


def test_with_all_signs_forty_columns_are_within_reach():
    """One orthant instead of 2^40, and in it most rows of one label are beyond one of the other."""
    rng = np.random.default_rng(0)
    z = rng.standard_normal(200)
    X = (z[:, None] + 0.1 * rng.standard_normal((200, 40))).round(2)
    y = z + rng.normal(0, 0.7, 200) > 0
    bracket = minimum_errors(X, y, signs=np.ones(40), time_limit=2)
    assert bracket.proof == "directions"
    assert bracket.proved_lower > 15
    bracket.verify(X, y)
    assert len(forced_signs(X, y, signs=np.ones(40), time_limit=1)) == 40
    with raises(InputError):
        forced_signs(X, y, signs=np.arange(40) < 29)


def test_a_forger_is_found_out(table, tmp_path, heavy):
    """Whatever is changed in a certificate with signs, or in a proof of errors."""
    X, y = table
    some = X.iloc[:25], y.iloc[:25]
    X.iloc[:25].assign(y=y.iloc[:25]).to_csv(tmp_path / "t.csv", index=False)
    separable_rows = (X["a"] > 5) == (y == "yes")
    X[separable_rows].assign(y=y[separable_rows]).to_csv(tmp_path / "s.csv", index=False)
    chance, refused = np.random.default_rng(0), 0
    for name, (A, b) in {"t": some, "s": (X[separable_rows], y[separable_rows])}.items():
        document = certify(A, b, signs={"a": "+", "b": "-"}).to_dict()
        every = list(changes(document))
        for k in chance.permutation(len(every))[: heavy(600)].tolist():
            claim = changed(document, *every[k])
            (tmp_path / "c.json").write_text(json.dumps(claim))
            status, lines, _ = verify.judge(
                str(tmp_path / "c.json"),
                lambda claim, name=name: verify.read_csv(claim, str(tmp_path / f"{name}.csv")),
            )
            if status == 0 and claim["separable"] != document["separable"]:
                raise AssertionError(every[k])
            if status == 0 and claim["demand"] != document["demand"]:  # another demand: is it so?
                told = certify(A, b, signs=claim["demand"])
                assert told.separable is claim["separable"], lines
            refused += status == 1
    assert refused


def whole_check(claim, data):
    verify_errors.check_form(claim)
    verify_errors.check(claim, data)


def test_a_demand_that_is_taken_away_or_turned_is_rejected(table):
    X, y = table
    document = minimum_errors(X, y, signs={"a": "-"}, time_limit=None).to_dict()
    assert document["demand"] == [-1, 0, 0]
    codes = np.where(y == "yes", 1, -1)
    data = verify.Data(document, X.to_numpy().astype("<f8").tobytes(), codes.tolist())
    verify_errors.check(document, data)
    for other in ([0, 0, 0], [1, 0, 0], [-1, 0], [-1, 0, 2], None):
        claim = document | {"demand": other}
        if other is None:
            del claim["demand"]
        with pytest.raises(verify.Rejected):
            whole_check(claim, data)


@pytest.mark.parametrize(
    "signs",
    [
        {"d": "+"},
        {"a": "up"},
        {"a": True},
        {"one": "+"},
        [1, 0],
        "+",
        {"town": "+"},
        {"town=Rome": "+", "a": 2},
    ],
    ids=repr,
)
@pytest.mark.parametrize("ask", [certify, minimum_errors, forced_signs])
def test_a_demand_that_cannot_be_gets_one_clear_error(signs, ask, table):
    X, y = table
    X = X.assign(one=1.0, town=np.resize(["Rome", "Oslo", "Oslo"], len(X)))
    with raises(InputError, option="signs"):
        ask(X, y, signs=signs)


def test_more_than_two_classes_are_refused():
    X, y = np.arange(6.0).reshape(-1, 1), [0, 1, 2, 0, 1, 2]
    with raises(InputError, option="signs"):
        certify(X, y, signs=[1])


def test_a_certificate_with_signs_is_saved_and_said(table, tmp_path):
    X, y = table
    for signs, rows in (({"a": "+"}, 90), ({"a": "-", "c": "+"}, 90), ({"a": "+"}, 2)):
        certificate = certify(X[:rows], y[:rows], signs=signs)
        certificate.save(tmp_path / "c.json")
        loaded = Certificate.load(tmp_path / "c.json")
        loaded.verify(X[:rows], y[:rows])
        assert loaded == certificate
        check_sentence(str(certificate))
        check_sentence(verify.result(certificate.to_dict()))
    with pytest.raises(VerificationError):
        loaded.verify(X[:rows] * -1, y[:rows])
