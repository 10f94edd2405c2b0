"""rosenblatt trace: every step, in words, tables, JSON and a film."""

import json
from pathlib import Path

import pytest

from commands import line_of, write
from raising import check_sentence
from rosenblatt import Trace
from rosenblatt._training.keeps import KEEPS
from rosenblatt._training.orders import ORDERS
from rosenblatt.cli import trace as cli_trace

LI_HANG = "x1,x2,y\n3,3,1\n4,3,1\n1,1,-1\n"  # example 2.1 of Statistical Learning Methods


def test_trace_says_every_step(shell):
    code, out, err = shell("trace", write("toy.csv", LI_HANG), "--target", "y", "--steps")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert len(lines) == 7
    assert lines[1].endswith("is -1 but scores 7: w (3, 3) - (1, 1) = (2, 2), b 1 - 1 = 0")
    assert lines[6].endswith("w (2, 2) - (1, 1) = (1, 1), b -2 - 1 = -3")


def test_trace_checks_the_proofs_and_names_the_columns(shell):
    code, out, _ = shell("trace", write("toy.csv", LI_HANG), "-y", "y", "--check")
    assert code == 0
    assert " w(x1) " in out.splitlines()[2]
    assert "9 held" in out


@pytest.mark.parametrize(("form", "begins"), [("markdown", "| k |"), ("latex", "\\begin{tabular}")])
def test_trace_writes_tables_for_worksheets(shell, form, begins):
    code, out, _ = shell("trace", write("toy.csv", LI_HANG), "-y", "y", "--format", form)
    assert code == 0
    assert out.startswith(begins)


def test_trace_in_json_is_the_trace(shell):
    file = write("toy.csv", LI_HANG)
    code, out, _ = shell("trace", file, "-y", "y", "--json", "--check", "-o", "run.json")
    assert code == 0
    found = json.loads(out)
    assert found["schema_version"] == 1
    assert {claim["status"] for claim in found["check"]} == {"held"}
    again = Trace.from_json("run.json")
    assert Trace.from_json(json.dumps(found["trace"])).weights_at(7).b == -3.0
    assert again.row.tolist() == [0, 2, 2, 2, 0, 2, 2]
    assert shell("trace", file, "-y", "y", "-o", "run.json")[0] == 2  # it exists


def test_trace_makes_a_film(shell):
    code, _, err = shell("trace", write("toy.csv", LI_HANG), "-y", "y", "--gif", "toy.gif")
    assert code == 0
    assert "toy.gif" in err
    assert Path("toy.gif").read_bytes()[:4] == b"GIF8"


def test_trace_knows_every_order_and_keep():
    # Written again there, since `rosenblatt trace --help` imports nothing heavy.
    assert set(cli_trace._ORDERS) == set(ORDERS)
    assert set(cli_trace._KEEPS) == set(KEEPS)


def test_trace_writes_two_files_under_two_names(shell):
    file = write("toy.csv", LI_HANG)
    code, _, err = shell("trace", file, "-y", "y", "-o", "a.gif", "--gif", "a.gif")
    assert code == 2
    check_sentence(err.strip())
    assert not Path("a.gif").exists()


def test_trace_wants_a_target(shell):
    code, _, err = shell("trace", write("toy.csv", LI_HANG))
    assert code == 2
    assert "--target COLUMN" in err


THREE = "x1,x2,y\n1,0,a\n0,1,b\n-1,-1,c\n"


def test_trace_of_three_classes_names_the_rival(shell):
    code, out, err = shell("trace", write("three.csv", THREE), "-y", "y", "--steps", "--check")
    assert (code, err) == (0, "")
    check_sentence(line_of(out, "step 2:"))
    assert "9 held" in out
    code, out, _ = shell("trace", "three.csv", "-y", "y")
    assert code == 0
    assert "  label  rival  margin  " in out.splitlines()[2]


def test_trace_of_three_classes_has_a_film_and_a_file(shell):
    file = write("three.csv", THREE)
    assert shell("trace", file, "-y", "y", "--gif", "three.gif", "-o", "three.json")[0] == 0
    assert Path("three.gif").read_bytes()[:4] == b"GIF8"
    assert Trace.from_json("three.json").rival.tolist() == ["b", "a", "a"]


def test_trace_of_four_classes_has_no_page_and_writes_nothing(shell):
    file = write("four.csv", THREE + "9,9,d\n")
    code, out, err = shell("trace", file, "-y", "y", "--html", "four.html", "-o", "four.json")
    assert (code, out) == (2, "")
    check_sentence(err.strip())
    assert not Path("four.html").exists()
    assert not Path("four.json").exists()
    rest = ("trace", file, "-y", "y", "--positive", "a", "--html", "four.html")
    assert shell(*rest)[0] == 0


@pytest.mark.parametrize(
    ("options", "name", "held"),
    [
        (["--rule", "PA-I", "-C", "0.1"], "PassiveAggressive(C=0.1, ", "6 held"),
        (["--rule", "PA-II"], "PassiveAggressive(", "7 held"),
        (["--rule", "AROW", "--r", "1", "--max-iter", "2"], "AROW(max_iter=2, ", "6 held"),
    ],
)
def test_trace_follows_other_rules(shell, options, name, held):
    file = write("toy.csv", LI_HANG)
    code, out, err = shell("trace", file, "-y", "y", "--check", "-o", "run.json", *options)
    assert (code, err) == (0, "The trace is in run.json.\n")
    assert out.startswith(name)
    assert held in out
    assert "by its theorem" in out
    assert "lemma" not in out
    assert Trace.from_json("run.json").check().ok


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--rule", "AROW", "-C", "1"], "-C does not go with --rule AROW, which takes --r."),
        (["--rule", "PA-I", "--eta0", "1"], "--eta0 does not go with --rule PA-I, which takes -C."),
        (
            ["--r", "1"],
            "--r does not go with --rule perceptron, which takes --eta0, --margin, --tie.",
        ),
        (["--rule", "PA-II", "--order", "batch"], "--order batch goes with --rule perceptron only"),
        (["--rule", "AROW", "--html", "a.html"], "--html works with --rule perceptron only"),
    ],
)
def test_an_option_of_another_rule_is_an_error(shell, options, message):
    code, out, err = shell("trace", write("toy.csv", LI_HANG), "-y", "y", *options)
    assert (code, out) == (2, "")
    assert message in err
    assert not Path("a.html").exists()
