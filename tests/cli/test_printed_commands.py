"""Every command that is printed can be pasted: a shell runs it, and it does what was said."""

import re
import shlex
import subprocess

import numpy as np
import pandas as pd
import pytest

from commands import write
from forked import ended

RNG = np.random.default_rng(0)


def colic(header, n=150, separator=","):
    """Numbers with ?, categories, a decimal comma where commas do not separate."""
    a, b = RNG.normal(size=n).round(2), RNG.normal(size=n).round(2)
    frame = pd.DataFrame(
        {
            "rectal temp": np.where(np.arange(n) % 9 == 0, "?", a.astype(str)),
            "pulse": b,
            "town": np.array(["x", "y", "?"])[np.arange(n) % 3],
            "price": [f"${1000 + i % 50:,}" for i in range(n)],
            "lived": np.where(a + b > 0, "yes", "no"),
        }
    )
    if separator == ";":
        frame = frame.map(lambda value: str(value).replace(".", ","))
    frame.to_csv("horses of 1999.csv", index=False, header=header, sep=separator)
    frame.drop(columns="lived").to_csv("new.csv", index=False, header=header, sep=separator)
    return "horses of 1999.csv"


@pytest.fixture
def paste(tmp_path):
    """Runs a line, whose words a shell has found; returns exit code and what is printed."""

    def run(line):
        words = subprocess.run(
            ["sh", "-c", f'rosenblatt() {{ printf "%s\\0" "$@"; }}; {line}'],
            capture_output=True,
            text=True,
            check=True,
        )
        code, out, err = ended(words.stdout.split("\0")[:-1], tmp_path)
        return code, out + err

    return run


def printed(out):
    """The commands of the lines `Next` and `Again`."""
    return re.findall(r"^(?:Next|Again| {5}) +(rosenblatt .*)$", out, re.MULTILINE)


@pytest.mark.parametrize(
    ("header", "separator", "options"),
    [
        (False, ",", ["--no-header", "-y", "x4", "--numeric", "x3"]),
        (True, ";", ["-y", "lived", "--numeric", "price"]),
    ],
)
def test_the_next_lines_of_fit(shell, paste, header, separator, options):
    name = colic(header, separator=separator)
    options += ["--na-values", "?", "--impute", "median", "-o", "what was found"]
    code, out, _ = shell("fit", name, *options, "-v")
    assert code == 0
    predict, _, verify, export = printed(out)
    assert predict == "rosenblatt predict 'what was found/model.json' new.csv --explain"
    code, said = paste(predict)
    assert code == 0, said
    assert len(said.splitlines()) == 151
    code, said = paste(verify)
    assert code == 0, said
    assert said.startswith("ACCEPTED")
    code, said = paste(export)
    assert (code, said.count("150 rows have the label of predict")) == (0, 1), said


def test_the_command_that_does_it_again(shell, paste):
    import json

    name = colic(False)
    options = ["--no-header", "--numeric=x3", "--na-values=?", "--impute=mean", "--categorical=x2"]
    code, out, _ = shell("fit", name, "-y", "x4", "--positive", "yes", *options, "--json")
    assert code == 0
    found = json.loads(out)
    code, said = paste(found["reproduce"]["command"] + " --force --json")
    assert code == 0
    assert json.loads(said)["error"] == found["error"]


def test_the_ways_out_of_refusals(shell, paste):
    """Each option that a refusal names is pasted, until there is nothing more to say."""
    name = colic(False)
    line = f"rosenblatt certify {shlex.quote(name)} -y x4"
    said = paste(line)[1]
    line += " --no-header"
    assert "use --no-header" in said
    for option in ("--numeric x3", "--na-values '?' --impute median"):
        options = option.split(" --impute")
        said = paste(line)[1]
        assert options[0] in said
        line += f" {option}"
    code, said = paste(line)
    assert code in (0, 3), said


def test_columns_with_spaces_can_be_pasted(shell, paste):
    rows = "".join(f"P{i},{i % 5},{i % 2}\n" for i in range(40))
    write("t.csv", f"customer no,a,paid\n{rows}")
    said = paste("rosenblatt certify t.csv -y paid")[1]
    option = re.search(r"(--ignore .*)\.", said)[1]
    assert option == "--ignore 'customer no'"
    code, said = paste(f"rosenblatt certify t.csv -y paid {option}")
    assert code in (0, 3), said


def test_commands_from_python(shell, paste, tmp_path):
    from rosenblatt import study

    X = RNG.normal(size=(120, 3)).round(3)
    found = study(X, np.where(X[:, 0] > 0.1, "a", "b"))
    found.save("found")
    np.savetxt("new.csv", X, delimiter=",")
    (predict,) = printed(str(found))
    code, said = paste(predict)
    assert code == 0, said
    labels = [line.split(",")[1] for line in said.splitlines()[1:]]
    assert labels == found.predict(X).tolist()
