"""Other likelihoods than the logistic one: each decided, and proved, as linear programs decide."""

import json
import subprocess
import sys
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.optimize import minimize_scalar
from scipy.sparse import csr_matrix

import likelihoods
import rational
from raising import raises
from rosenblatt import certify, verify
from rosenblatt._certify import check
from rosenblatt._certify.families import Beside
from rosenblatt._util.text import of_files
from rosenblatt.errors import InputError, InputTypeError, VerificationError

FAMILIES = ["poisson", "ppml", "ordinal", "conditional", "cox"]


def random_table(family, draw):
    """X, y and what else belongs to the family; numbers are few, so that ties are many."""
    n, d = int(draw.integers(4, 10)), int(draw.integers(1, 4))
    X = draw.integers(-2, 3, (n, d)) * draw.choice([1.0, 0.1, 3.0], d)
    if draw.random() < 0.5:
        X[:, 0] = draw.random(n) < 0.3
    if draw.random() < 0.3:
        X = X + draw.choice([0.0, 2024.0, 1.7e9], d)
    more, y = {}, draw.integers(0, 2, n)
    if family == "poisson":
        y = draw.integers(0, 3, n) * draw.integers(0, 2, n)
    if family == "ppml":
        y = draw.integers(0, 2, n) / 3
    if family == "ordinal":
        k = int(draw.integers(2, 4))
        score = X[:, 0] + draw.normal(0, draw.choice([0.01, 1.0]), n)
        y = np.argsort(np.argsort(score)) * k // n + 1
    if family == "conditional":
        more["strata"] = np.sort(draw.integers(0, 3, n))
        y = np.zeros(n, dtype=int)
        for s in set(more["strata"].tolist()):
            inside = np.flatnonzero(more["strata"] == s)
            best = inside[np.argmax(X[inside, 0])]
            y[best if draw.random() < 0.6 else draw.choice(inside)] = 1
    if family == "cox":
        time = draw.integers(1, 8, n).astype(float)
        y = (draw.random(n) < 0.7).astype(int)
        if draw.random() < 0.5:
            time = 9 - np.argsort(np.argsort(X[:, 0])) * 9.0 // n
        more["time"] = time
        if draw.random() < 0.6:
            more["entry"] = time - draw.integers(1, 7, n)
        if draw.random() < 0.3:
            more["strata"] = draw.integers(0, 2, n)
    if draw.random() < 0.3:
        more["sample_weight"] = (draw.random(n) < 0.8).astype(float)
    return X, y, more


def decidable(family, y, more):
    there = np.asarray(more.get("sample_weight", np.ones(len(y)))) > 0
    if family == "ordinal":
        return set(y[there]) == set(y)
    if family == "conditional":
        strata = more["strata"]
        each = [y[there & (strata == s)].sum() for s in set(strata[there])]
        return set(each) == {1}
    return bool(there.any()) and (family != "cox" or bool(y[there].any()))


def rows_of(family, X, y, more):
    names = {"weights": "sample_weight", "time": "time", "entry": "entry", "strata": "strata"}
    beside = {own: more.get(name) for own, name in names.items()}
    return likelihoods.comparisons(family, X, y.tolist(), **beside)


@pytest.mark.parametrize("family", FAMILIES)
def test_random_tables_are_decided_as_by_linear_programs(family, heavy):
    draw = np.random.default_rng([43, FAMILIES.index(family)])
    seen, decided = set(), 0
    while decided < heavy(1000):
        X, y, more = random_table(family, draw)
        if not decidable(family, y, more):
            continue
        rows, parts = rows_of(family, X, y, more)
        if not rows:
            continue
        decided += 1
        verdict, separated = likelihoods.decided(rows, parts)
        found = certify(X, y, family=family, **more)
        assert (found.verdict, found.separated_rows.tolist()) == (verdict, separated)
        beside = {role: more.get(role) for role in verify.ROLES}
        found.verify(X, y, **beside)
        with mock.patch.object(check, "_SMALL", 0):
            found.verify(X, y, **beside)
        claim = found.to_dict()
        if "signs" in claim:
            out = [part["column"] for part in claim.get("collinear", [])]
            signs = [part["signs"] for part in claim["signs"]]
            assert signs == rational.sign_sets_without(rows, out)
        seen.add(verdict)
    assert len(seen) > 1


# --- Published tables, and what is known by hand --------------------------------------------------


def test_a_column_that_is_zero_wherever_there_are_counts_goes_to_minus_infinity():
    """As of Santos Silva and Tenreyro (2010): x is 0 in every row with trade."""
    X, y = [[1.0, 0], [2, 0], [3, 0], [4, 1], [5, 1]], [1, 0, 3, 0, 0]
    found = certify(X, y, family="poisson")
    assert found.verdict == "quasi-complete separation"
    assert found.coefficient_signs == {"x0": "0", "x1": "-", "(intercept)": "0"}
    assert found.separated_rows.tolist() == [3, 4]


def test_monotone_likelihood_of_a_cox_regression():
    """Whoever has the event has the greatest x of those at risk: Heinze and Schemper (2001)."""
    time, event, x = [1.0, 2, 3, 4, 5], [1, 1, 0, 1, 0], [[5.0], [4], [1], [3], [0]]
    found = certify(x, event, family="cox", time=time)
    assert (found.verdict, found.family) == ("complete separation", "cox")
    late = certify([*x, [9.0]], [*event, 0], family="cox", time=[*time, 6], entry=[0] * 5 + [5])
    assert late.verdict == "complete separation"  # who comes late is at risk at no event
    early = certify([*x, [9.0]], [*event, 0], family="cox", time=[*time, 6], entry=[0] * 5 + [3])
    assert early.verdict == "overlap"


def test_two_levels_in_order_are_the_logistic_model():
    X, y = [[1.0], [2], [3], [3], [4], [5]], [0, 0, 0, 1, 1, 1]
    ordered = certify(X, y, family="ordinal")
    assert ordered.verdict == certify(X, y).verdict == "quasi-complete separation"
    assert ordered.coefficient_signs == {"x0": "+", "0|1": "+"}
    assert ordered.separated_rows.tolist() == [0, 1, 4, 5]


def test_a_binomial_count_is_both_labels_with_weights():
    X, healed, treated = [[1.0], [2], [3]], [0, 2, 4], [3, 4, 4]
    both, labels = X + X, [1] * 3 + [0] * 3
    weights = [*healed, *(n - k for k, n in zip(healed, treated, strict=True))]
    found = certify(both, labels, sample_weight=weights)
    assert found.verdict == "quasi-complete separation"
    assert found.coefficient_signs == {"x0": "+", "(intercept)": "-"}


def test_ten_thousand_rows_of_a_cox_table_need_no_fifty_million_comparisons():
    draw = np.random.default_rng(1)
    n = 10_000
    X = draw.normal(size=(n, 4))
    event, time = draw.integers(0, 2, n), draw.integers(1, 3000, n)
    found = certify(X, event, family="cox", time=time, entry=time - draw.integers(1, 3000, n))
    assert (found.verdict, set(found.coefficient_signs.values())) == ("overlap", {"0"})
    pairs = verify.pairs_of("cox", event.tolist(), range(n), {"time": time.tolist()})
    assert len(list(pairs)) < 2 * n


def test_entries_just_before_events_are_too_many_comparisons():
    """4,000 events, none of which is at risk at another one, and 4,000 rows that always are."""
    event = np.arange(8000) % 2
    time = np.where(event, np.arange(8000) + 1.0, 8005.0)
    entry = np.where(event, time - 0.5, 0.0)
    with raises(InputError):
        certify(np.arange(8000.0)[:, None], event, family="cox", time=time, entry=entry)


def test_a_cox_regression_is_in_the_limit_stratified_by_the_separating_score():
    """Rows 0 to 2, with the marker, have the first events. A coefficient far out shows the limit of
    the other one."""
    draw = np.random.default_rng(6)
    n = 60
    marker, age = np.arange(n) < 3, draw.normal(size=n)
    time = np.where(marker, 1.0, 2 + draw.integers(0, 20, n))
    X, event = np.column_stack([marker, age]), draw.random(n) < 0.6
    event[:3] = True
    found = certify(X, event, family="cox", time=time)
    assert found.coefficient_signs == {"x0": "+", "x1": "0"}
    assert "stratify by x0" in str(found)

    def best(loss):
        return minimize_scalar(loss, bounds=(-5, 5), method="bounded", options={"xatol": 1e-9}).x

    far = best(lambda b: likelihoods.cox_loss(X @ [30.0, b], event, time))
    strata = best(lambda b: likelihoods.cox_loss(b * age, event, time, strata=marker))
    assert far == pytest.approx(strata, abs=1e-6)


@pytest.mark.parametrize(
    ("labels", "last"),
    [
        ([True, False], "True"),
        ([1, 0], "1"),
        ([2, 1], "2"),  # as R has them
        (["yes", "no"], "yes"),
        (["event", "none"], "event"),  # not in the order of the alphabet
        (["dead", "alive"], "dead"),
    ],
)
def test_which_label_stands_for_an_event(labels, last):
    y = [labels[1 - v] for v in EVENTS]
    found = certify(AGES, y, family="cox", time=TIMES)
    assert found.verdict == "quasi-complete separation"
    assert found.classes[-1] == last
    assert f"Rows with y = {last} have an event." in str(found)


@pytest.mark.parametrize("labels", [["relapse", "remission"], [0, 1, 2]])
def test_labels_that_do_not_say_which_is_an_event_are_refused(labels):
    y = [labels[i % len(labels)] for i in range(6)]
    with raises(InputError, option="y"):
        certify(AGES, y, family="cox", time=TIMES)


# --- A proof about something else is rejected -----------------------------------------------------


TIMES = [1.0, 2, 3, 4, 5, 6]
EVENTS = [1, 1, 0, 1, 0, 1]
AGES = [[5.0, 1], [4, 0], [1, 1], [2, 0], [0, 1], [2, 0]]


def renamed(claim, X, y, beside):
    """With the fingerprint of what it is held against: only the proof can then be wrong."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(check._Data, "sha256", lambda self, claim: claim["sha256"])
        patched.setattr(check, "_SMALL", 0)
        check.check(claim, np.array(X), np.array(y, dtype=np.int8), beside)


def test_another_time_stratum_or_event_is_other_data():
    strata = ["a", "a", "b", "b", "a", "b"]
    found = certify(AGES, EVENTS, family="cox", time=TIMES, strata=strata)
    found.verify(AGES, EVENTS, time=TIMES, strata=["x", "x", "y", "y", "x", "y"])
    for change in (
        {"strata": ["a", "b", "b", "b", "a", "b"]},
        {"time": [1.0, 2, 3, 5, 4, 6]},
        {"y": [1, 1, 1, 1, 0, 1]},
    ):
        told = {"time": TIMES, "strata": strata, "y": EVENTS} | change
        with raises(VerificationError):
            found.verify(AGES, **told)


def test_a_proof_of_another_family_stratum_or_event_is_rejected():
    found = certify(AGES, EVENTS, family="cox", time=TIMES)
    assert found.verdict == "quasi-complete separation"
    claim = found.to_dict()
    y = np.where(np.array(EVENTS) > 0, 1, -1)

    def of(**given):
        return Beside.of(AGES, claim["family"]["name"], None, **given)[1]

    renamed(claim, AGES, y, of(time=TIMES))
    with pytest.raises(verify.Rejected):  # an event less: it has fewer comparisons
        renamed(claim | {"dropped": [3]}, AGES, y, of(time=TIMES))
    other = claim | {"family": {**claim["family"], "strata": "s"}}
    with pytest.raises(verify.Rejected):  # the same rows in strata
        renamed(other, AGES, y, of(time=TIMES, strata=[0, 0, 0, 0, 1, 1]))
    with pytest.raises(verify.Rejected):
        renamed(claim, AGES, y, of(time=TIMES[::-1]))
    for name in ("conditional", "ordinal", "poisson", "logistic"):
        with pytest.raises(verify.Rejected):
            verify.check_form(claim | {"family": {"name": name, "time": "time"}})
    without = {name: value for name, value in claim.items() if name != "family"}
    with pytest.raises(verify.Rejected):
        renamed(without, AGES, y, None)


def test_a_logistic_proof_is_none_of_counts():
    X, y = [[1.0], [2], [3], [3], [4], [5]], [0, 0, 0, 1, 1, 1]
    claim = certify(X, y).to_dict()
    other = claim | {"family": {"name": "poisson"}, "labels": [*verify.COUNTS]}
    with pytest.raises(verify.Rejected):
        renamed(other, X, [-1] * 3 + [1] * 3, Beside.of(X, "poisson", None)[1])


# --- Refusals name the row ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "row"),
    [
        ({"family": "poisson", "y": [0, 1, -1, 2]}, 2),
        ({"family": "poisson", "y": [0, 1, 2.5, 2]}, 2),
        ({"family": "ppml", "y": [0, -0.5, 2.5, 2]}, 1),
        ({"family": "conditional", "y": [1, 0, 1, 1], "strata": list("aabb")}, 3),
        ({"family": "conditional", "y": [1, 0, 0, 0], "strata": list("aabb")}, 2),
        ({"family": "conditional", "y": [1, 0, 0, 1], "strata": ["a", "a", None, "b"]}, 2),
        ({"family": "cox", "y": [1, 0, 1, 1], "time": [1, 2, 3, 4], "entry": [0, 0, 3, 0]}, 2),
        ({"family": "cox", "y": [1, 0, 1, 1], "time": [1, 2, np.nan, 4]}, 2),
        ({"family": "cox", "y": [1, 0, 1, 1], "time": [1, np.inf, 3, 4]}, 1),
        ({"family": "ordinal", "y": list("abcd"), "levels": list("abd")}, 2),
    ],
)
def test_refusals_name_the_row(given, row):
    with raises(InputError, row=row):
        certify([[1.0], [2], [3], [4]], **given)
    with of_files(), raises(InputError, row=row):
        certify([[1.0], [2], [3], [4]], **given)


@pytest.mark.parametrize(
    ("given", "option"),
    [
        ({"family": "gaussian"}, "family"),
        ({"family": "cox", "y": [1, 0, 1, 1]}, "time"),
        ({"family": "conditional", "y": [1, 0, 1, 1]}, "strata"),
        ({"family": "poisson", "time": [1, 2, 3, 4]}, "time"),
        ({"levels": [0, 1]}, "levels"),
        ({"strata": [0, 1, 0, 1]}, "strata"),
        ({"family": "cox", "y": [1, 0, 1, 1], "time": [1, 2, 3]}, "time"),
        ({"family": "ordinal", "y": ["low", "medium", "high", "low"]}, "levels"),
        ({"family": "ordinal", "y": [1, 2, 1, 2], "levels": [1, 2, 3]}, "levels"),
        ({"family": "ordinal", "y": ["low", "high", "high", "low"]}, "levels"),
        ({"family": "poisson", "pairs": True}, "pairs"),
    ],
)
def test_refusals_name_the_option(given, option):
    with raises(InputError, option=option):
        certify([[1.0], [2], [3], [4]], **{"y": [0, 1, 0, 1], **given})


def test_nothing_to_compare_is_refused():
    with raises(InputError):
        certify([[1.0], [2]], [0, 0], family="cox", time=[1, 2])
    with raises(InputError):
        certify([[1.0], [2]], [1, 0], family="cox", time=[2, 1])
    with raises(InputError):
        certify([[1.0], [2]], [1, 1], family="conditional", strata=["a", "b"])


def test_what_is_no_column_is_refused():
    with raises(InputTypeError):
        certify([[1.0], [2.0]], [1, 0], family="conditional", strata=[[1], [1]])
    with raises(InputError):
        certify(pd.DataFrame({"centre": list("ab")}), [1, 0], absorb="centre")


def test_columns_of_a_frame_are_named():
    frame = pd.DataFrame({"age": [5.0, 4, 1, 3], "t": [1.0, 2, 3, 4], "centre": list("aabb")})
    dead = pd.Series([1, 1, 0, 1], name="dead")
    found = certify(frame, dead, family="cox", time="t", strata="centre")
    assert found.feature_names == ["age"]
    assert found.to_dict()["family"] == {"name": "cox", "time": "t", "strata": "centre"}
    found.verify(frame, dead, time="t", strata="centre")
    with raises(InputError, column="t"):
        certify(frame, dead, family="cox", time=frame["t"], strata="centre")
    for X in (frame.assign(dead=dead), pl.DataFrame(frame.assign(dead=dead))):
        with raises(InputError, column="dead"):
            certify(X, dead, family="cox", time="t", strata="centre")
    grades = pd.Series(pd.Categorical(["low", "mid", "high", "mid"], ["low", "mid", "high"], True))
    assert certify(frame[["age"]], grades, family="ordinal").classes == ["low", "mid", "high"]


@pytest.mark.parametrize("sparse", [False, True])
def test_sparse_rows_and_decimals_are_decided_alike(sparse):
    X, kind = np.array(AGES) / 10, csr_matrix if sparse else np.asarray
    for numbers in ("float", "decimal"):
        found = certify(kind(X), EVENTS, family="cox", time=TIMES, numbers=numbers)
        assert found.verdict == "quasi-complete separation"
        counts = certify(kind(X), [0, 1, 0, 0, 2, 0], family="poisson", numbers=numbers)
        levels = certify(kind(X), [1, 2, 1, 3, 2, 3], family="ordinal", numbers=numbers)
        for one, y in ((counts, [0, 1, 0, 0, 2, 0]), (levels, [1, 2, 1, 3, 2, 3])):
            one.verify(kind(X), y)


# --- The command, and the program that stands alone -----------------------------------------------


TRIAL = """id,t,dead,age,arm,centre
1,5,1,60,A,x
2,6,0,61,A,y
3,7,1,55,B,x
4,8.5,0,70,B,y
5,9,1,66,A,x
6,9,0,44,B,y
"""
COUNTS = "size,tariff,sales\n1,0,5\n2,1,0\n3,0,2\n1,1,0\n4,0,0\n"
GRADES = "dose,grade\n1,low\n2,mid\n2,low\n3,mid\n4,high\n"
CHOICES = "trip,cost,minutes,chosen\n1,3,10,1\n1,4,20,0\n2,5,5,0\n2,6,4,1\n3,1,9,1\n3,1,1,0\n"


@pytest.mark.parametrize(
    ("table", "options", "about"),
    [
        (TRIAL, "cox --event dead --time t --strata centre --ignore id", "'t', strata 'centre'"),
        (TRIAL, "cox --event dead --time age --entry t --ignore id", "time 'age', entry 't'"),
        (COUNTS, "poisson --target sales", "family poisson"),
        (GRADES, "ordinal --target grade --levels low,mid,high", "family ordinal"),
        (CHOICES, "conditional --target chosen --strata trip", "family conditional"),
    ],
)
def test_the_command_and_both_verifiers_say_the_same(table, options, about, shell, tmp_path):
    path, numbers, proof = (str(tmp_path / name) for name in ("t.csv", "n.csv", "c.json"))
    Path(path).write_text(table)
    made = ("-o", proof, "--encoded", numbers)
    code, said, _ = shell("certify", path, "--family", *options.split(), *made)
    verdict = said.split(":")[0].lower()
    assert (code, verdict) == (0, json.loads(Path(proof).read_text())["verdict"])
    again = str(tmp_path / "again.csv")
    code, out, _ = shell("verify", proof, path, "--encoded", again)
    assert (code, Path(again).read_text()) == (0, Path(numbers).read_text())
    assert out.startswith(f"ACCEPTED: {verdict}")
    assert about in out
    alone = [sys.executable, verify.__file__, proof, numbers]
    found = subprocess.run(alone, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout.split("\n")[0]) == (0, out.split("\n")[0])


def test_options_of_other_families_are_refused(shell, tmp_path):
    path = str(tmp_path / "t.csv")
    Path(path).write_text(TRIAL)
    for options, named in (
        ("--event dead", "--family cox"),
        ("--family cox --event dead --target dead --time t", "--target"),
        ("--family cox --event dead", "--time"),
        ("--family cox --event dead --time no", "not a column"),
        ("--family cox --event dead --time t --min-errors", "--min-errors"),
        ("--target dead --strata centre", "--strata"),
    ):
        code, _, err = shell("certify", path, *options.split())
        assert code == 2
        assert named in err


def test_levels_that_run_without_a_row_that_is_separated():
    """With z, rows are on levels 3 and 4, in two ways; their thresholds run, each row keeps one."""
    x, y = [0.0, 1, 0, 1, 0, 1, 1, 0], [1, 1, 2, 2, 3, 3, 4, 4]
    found = certify(np.column_stack([x, np.array(y) > 2]), y, family="ordinal")
    assert found.verdict == "quasi-complete separation"
    assert found.separated_rows.tolist() == []
    assert found.coefficient_signs["x1"] == "+"
    assert "0 rows" not in str(found)
