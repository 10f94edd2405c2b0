"""What a report carries for the check of its proof, and what it may not carry."""

import json
import re

import numpy as np
import pytest
from scipy import sparse

from raising import raises
from rosenblatt import certify, study, verify
from rosenblatt._study import proof
from rosenblatt.datasets import load_credit
from rosenblatt.errors import InputError

CROSS = np.array([[0.0, 0], [1, 1], [0, 1], [1, 0]]), np.array(["a", "a", "b", "b"])


def carried(X, y, **choices):
    return proof.embed(certify(X, y), X, y, **{"rows": True, "table": False} | choices)


def test_the_rows_of_a_conflict_are_there_with_their_numbers():
    """The diagonals of a square: all four rows meet in the middle."""
    found = carried(*CROSS)
    assert [row["row"] for row in found["rows"]] == [0, 1, 2, 3]
    assert [row["label"] for row in found["rows"]] == ["a", "a", "b", "b"]
    assert [row["numbers"] for row in found["rows"]] == CROSS[0].tolist()
    assert json.loads(found["certificate"])["verdict"] == "overlap"
    assert found["table"] is None


def test_rows_of_many_classes_are_those_of_the_table():
    X, y = np.array([[0.0], [1], [2], [4], [5], [6]]), np.array(list("abacbc"))
    found, claim = carried(X, y), certify(X, y).to_dict()
    assert {row["row"] for row in found["rows"]} >= {i // 9 for i in claim["conflict"]["rows"]}
    assert all(row["numbers"] == X[row["row"]].tolist() for row in found["rows"])


def test_nothing_of_single_rows_where_they_may_not_be_told():
    assert carried(*CROSS, rows=False) is None  # the certificate has a point where they meet
    apart = carried(CROSS[0], CROSS[0][:, 0], rows=False)
    assert apart["rows"] == []
    assert json.loads(apart["certificate"])["verdict"] == "complete separation"


def test_too_many_numbers_stay_away(monkeypatch):
    monkeypatch.setattr(proof, "_MOST_EMBEDDED_ROWS", 7)
    assert carried(*CROSS)["rows"] == []  # eight numbers
    monkeypatch.setattr(proof, "_LONGEST", 100)
    assert carried(*CROSS) is None


def test_all_rows_are_what_the_stand_alone_verifier_reads(tmp_path):
    for X in (CROSS[0], sparse.csr_array(CROSS[0])):
        found = carried(X, CROSS[1], table=True)
        (tmp_path / "c.json").write_text(found["certificate"])
        (tmp_path / "t.csv").write_text(found["table"])
        assert verify.main([str(tmp_path / "c.json"), str(tmp_path / "t.csv")]) == 0


@pytest.mark.parametrize(
    "options",
    [
        {"private": True},
        {"stream": True},
    ],
)
def test_what_does_not_go_together_is_refused_before_any_work(options):
    with raises(InputError, option="embed_data", value=True):
        study("no such file.csv", target="y", embed_data=True, **options)


def test_a_table_that_is_too_large_for_a_page_is_refused(monkeypatch):
    monkeypatch.setattr(proof, "MOST_EMBEDDED", 14_000)
    credit = load_credit().filename
    with raises(InputError, option="embed_data", value=True):
        study(credit, target="card", embed_data=True)


def test_the_command_embeds_and_says_how_to_do_it_again(shell, tmp_path):
    credit = load_credit().filename
    code, out, _ = shell("fit", credit, "--target", "card", "-o", "r", "--embed-data", "--json")
    assert code == 0
    assert "--embed-data" in json.loads(out)["reproduce"]["command"]
    page = (tmp_path / "r" / "report.html").read_text(encoding="utf-8")
    held = json.loads(re.search(r'id="held">(.*?)</script>', page)[1])
    assert held["table"].count("\n") == 1320
    code, out, _ = shell("fit", "--help-all")
    assert "Whoever gets the report gets the data." in " ".join(out.split())
