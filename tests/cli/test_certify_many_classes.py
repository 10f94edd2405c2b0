"""rosenblatt certify and verify on targets of more than two labels."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from sklearn.datasets import dump_svmlight_file, load_iris, load_wine

from commands import line_of, write
from raising import check_sentence
from rosenblatt import certify, data
from rosenblatt._util.spelling import in_shell
from rosenblatt._util.text import of_files


@pytest.fixture
def iris():
    """A table of three species."""
    found = load_iris(as_frame=True)
    found.data.assign(species=found.target_names[found.target]).to_csv("iris.csv", index=False)
    return "iris.csv"


def test_it_says_what_python_says(shell, iris):
    code, out, _ = shell("certify", iris, "-y", "species", "--pairs", "-v")
    X, y, preprocessing = data.read(iris, target="species").encode(scale=False)
    certificate = certify(X, y, preprocessing=preprocessing, pairs=True)
    assert code == 0
    with of_files(), in_shell():  # where rows are counted from 1, and options typed
        told = str(certificate)
    assert out == f"{told}\nNext: rosenblatt fit {iris} --target species\n"
    check_sentence(line_of(out, "Ties"))
    assert "two of the classes alone may still separate" not in out  # each pair is there
    check_sentence(line_of(out, "0.817556"))
    assert shell("certify", iris, "-y", "species", "--time-limit", "1e-9")[0] == 3


def test_signs_of_many_classes_do_not_hide_the_verdict(shell, iris):
    code, out, _ = shell("certify", iris, "-y", "species", "--forced-signs")
    assert code == 0
    assert out.startswith("Quasi-complete separation")
    check_sentence(line_of(out, "--forced-signs"))
    code, out, _ = shell(
        "certify", iris, "-y", "species", "--positive", "virginica", "--forced-signs"
    )
    assert (code, "petal width (cm): + is forced" in out) == (0, True)


def test_complete_separation_exits_with_zero(shell):
    wine = load_wine(as_frame=True)
    wine.data.assign(maker=wine.target).to_csv("wine.csv", index=False)
    code, out, _ = shell("certify", "wine.csv", "-y", "maker")
    assert (code, out[:20]) == (0, "Complete separation:")


def test_as_json(shell, iris):
    code, out, _ = shell("certify", iris, "-y", "species", "--pairs", "--json")
    found = json.loads(out)
    assert (code, found["verdict"]) == (0, "quasi-complete separation")
    assert found["labels"] == ["setosa", "versicolor", "virginica"]
    assert {"first": "versicolor", "second": "virginica", "rows": 100, "separated": 0} in found[
        "class_pairs"
    ]
    assert found["fewest_errors"] is None  # they are of two classes
    assert [pair["verdict"] for pair in found["pairs"]][2] == "overlap"
    assert len(found["separator"]["coef"]) == len(found["separator"]["intercept"]) == 3
    assert set(found["conflict"]["rivals"]) == {"versicolor", "virginica"}


def test_one_label_can_still_be_told_from_the_rest(shell, iris):
    code, out, _ = shell("certify", iris, "-y", "species", "--positive", "setosa", "--json")
    assert (code, json.loads(out)["labels"]) == (0, ["(not setosa)", "setosa"])


def test_the_proof_is_checked_by_the_command_and_by_the_program_alone(shell, iris):
    assert shell("certify", iris, "-y", "species", "-o", "c.json", "--encoded", "n.csv")[0] == 0
    code, out, _ = shell("verify", "c.json", iris)
    assert code == 0
    assert out.startswith("ACCEPTED: quasi-complete separation, 150 rows, proved.")
    command = [sys.executable, "-m", "rosenblatt.verify", "c.json", "n.csv"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, out.splitlines()[0])
    text = Path(iris).read_text()
    write("other.csv", text.replace("setosa", "versicolor", 1))
    assert shell("verify", "c.json", "other.csv")[0] == 1


def test_svmlight_files(shell):
    X, y = load_iris(return_X_y=True)
    dump_svmlight_file(X, y, "iris.svm", zero_based=False)
    code, out, _ = shell("certify", "iris.svm", "-o", "c.json")
    assert (code, out[:26]) == (0, "Quasi-complete separation:")
    assert shell("verify", "c.json", "iris.svm")[0] == 0


def test_a_number_to_be_predicted_is_no_label(shell):
    rows = "".join(f"{i},{i}\n" for i in range(8000))
    code, _, said = shell("certify", write("t.csv", f"a,y\n{rows}"), "-y", "y")
    assert code == 2
    assert "8,000 different values" in said
    assert "--positive '>=4000'" in said
