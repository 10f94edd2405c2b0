"""Proofs of errors and of signs come back from their files, and are checked against the rows."""

import json

import numpy as np
import pandas as pd
import pytest

from raising import raises
from rosenblatt import ErrorBracket, SignReport, forced_signs, minimum_errors
from rosenblatt.errors import InputError, VerificationError

NAMES = ["age", "debts"]


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(2)
    X = pd.DataFrame(rng.normal(size=(150, 2)).round(2), columns=NAMES)
    y = np.where(X["age"] + rng.normal(0, 0.6, 150) > 0, "yes", "no")
    return X, y


@pytest.fixture(scope="module", params=["counted", "weighted"])
def bracket(request, rows):
    weights = None if request.param == "counted" else np.arange(150) % 4 * 0.5
    found = minimum_errors(*rows, sample_weight=weights, time_limit=None)
    assert found.proof == "directions"
    return found


def test_a_loaded_bracket_is_the_one_that_was_saved(bracket, rows, tmp_path):
    bracket.save(tmp_path / "p.json")
    loaded = ErrorBracket.load(tmp_path / "p.json")
    assert (loaded.checked, loaded.wrong_rows) == (False, None)
    loaded.verify(*rows)
    assert loaded.checked
    assert loaded.wrong_rows.tolist() == bracket.wrong_rows.tolist()
    for name in ("lower", "upper", "proved_lower", "proved", "total", "n_cases", "sha256"):
        assert getattr(loaded, name) == getattr(bracket, name)
    assert loaded.rule.lifted.tolist() == bracket.rule.lifted.tolist()
    assert loaded.to_dict() == bracket.to_dict()


def test_a_loaded_sign_is_checked(rows, tmp_path):
    report = forced_signs(*rows, time_limit=None)
    assert report["age"].sign == "+"
    report.save("age", tmp_path / "age.json")
    loaded = SignReport.load(tmp_path / "age.json")
    assert [(c.name, c.sign, c.at_least) for c in loaded] == [("age", "+", report["age"].at_least)]
    assert loaded.errors == report.errors
    assert not loaded.checked
    loaded.verify(*rows)
    assert loaded.checked
    assert loaded.to_dict("age") == report.to_dict("age")


@pytest.mark.parametrize(
    "change",
    [
        lambda claim: claim.update(at_least=claim["at_least"] + 1),
        lambda claim: claim.update(at_most=claim["at_most"] - 1),
        lambda claim: claim["tree"].pop(),
        lambda claim: claim["tree"].append([]),
        lambda claim: claim.update(sha256="0" * 64),
    ],
)
def test_what_was_changed_in_a_file_is_rejected(change, bracket, rows, tmp_path):
    claim = bracket.to_dict()
    claim = json.loads(json.dumps(claim))
    change(claim)
    (tmp_path / "p.json").write_text(json.dumps(claim))
    loaded = ErrorBracket.load(tmp_path / "p.json")
    with pytest.raises(VerificationError):
        loaded.verify(*rows)
    assert not loaded.checked


@pytest.mark.parametrize(
    "change",
    [
        {"schema": "rosenblatt-certificate/1"},
        {"rule": None},
        {"rule": ["0x1"]},
        {"rule": 5},
        {"costs": [1]},
        {"costs": 5},
        {"at_most": None},
        {"column": [0, 1]},
    ],
)
def test_what_is_no_bracket_is_not_loaded(change, bracket, tmp_path):
    (tmp_path / "p.json").write_text(json.dumps({**bracket.to_dict(), **change}))
    with pytest.raises(InputError):
        ErrorBracket.load(tmp_path / "p.json")


def test_each_kind_of_proof_names_who_reads_it(bracket, rows, tmp_path):
    bracket.save(tmp_path / "p.json")
    with raises(InputError):
        SignReport.load(tmp_path / "p.json")
    forced_signs(*rows, time_limit=None).save("age", tmp_path / "p.json")
    with raises(InputError):
        ErrorBracket.load(tmp_path / "p.json")
