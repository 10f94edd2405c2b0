"""Who typed a command is told options, not parameters of Python."""

import pytest

from commands import CREDIT, write
from rosenblatt.cli._spoken import as_options


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("say header=False (--no-header): then", "say --no-header: then"),
        ("If so, header=True (--header).", "If so, --header."),
        ("points=0 (--points) is not allowed", "--points 0 is not allowed"),
        ("say impute='mean' (--impute mean), or median", "say --impute mean, or median"),
        ("a='?', b=True (--a '?' --b)", "--a '?' --b"),
        ("as costs={\"yes:no\": 5} (--cost yes:no=5): a", "as --cost yes:no=5: a"),
        ("terms (--terms) is how many", "--terms is how many"),
        ("costs (--cost): 'x'", "--cost: 'x'"),
        ("sep and names (--sep, --names) are", "--sep and --names are"),
        ("give checkpoint (--checkpoint FOLDER), too", "give --checkpoint FOLDER, too"),
        ("checkpoint_every (--checkpoint-every) is", "--checkpoint-every is"),
        ("target='a b' is not a column", "--target 'a b' is not a column"),
        ("target=\"it's\" is not a column", "--target 'it'\"'\"'s' is not a column"),
        ("column='a' is not a column", "column='a' is not a column"),
        # These are no parameters, or none that can be read for certain.
        ("a spreadsheet formula (--excel-formula)", "a spreadsheet formula (--excel-formula)"),
        ("positive='(a)' (--positive '(a)')", "positive='(a)' (--positive '(a)')"),
        ("row 2 (line 3), column 'a=b (--c)'", "row 2 (line 3), column 'a=b (--c)'"),
    ],
)  # fmt: skip
def test_parameters_become_options(said, told):
    assert as_options(said) == told


def test_errors_and_problems_name_options(shell):
    err = shell("fit", CREDIT, "--target", "crad")[2]
    assert err.startswith("Error: --target crad is not a column of ")
    err = shell("fit", write("t.csv", "a,b,y\n1,x,no\n2,,yes\n"), "-y", "y")[2]
    assert "or say --impute median, which" in err
    assert "leave the column out: --ignore b." in err
    out = shell("inspect", "t.csv", "-y", "y")[1]
    assert "or say --impute median, which" in " ".join(out.split())


def test_warnings_of_training_speak_of_options(shell):
    path = write("t.csv", "a,b,y\n0,0,0\n0,1,1\n1,0,1\n1,1,0\n")
    err = shell("trace", path, "-y", "y", "--max-iter", "3")[2]
    assert "stopped at --max-iter 3 epochs" in err
    assert "or no hyperplane separates the rows: rosenblatt certify tells which." in err
    assert "raise --max-iter; scale the columns with --scale, which" in err
    assert "or --keep best, which returns" in err


def test_trace_counts_the_rows_of_a_file_from_one(shell):
    path = write("t.csv", "a,b,y\n0,0,0\n0,1,1\n1,0,1\n1,1,0\n")
    out = shell("trace", path, "-y", "y", "--max-iter", "3", "--check", "-q")[1]
    assert "w(a)  w(b)   b" in out
    assert "contradict each other: 1, 2, 3, 4 (rows are counted from 1" in " ".join(out.split())


def test_train_is_called_fit_here(shell):
    code, _, err = shell("train", "t.csv")
    assert code == 2
    assert "for rows on disk fit --stream" in err
