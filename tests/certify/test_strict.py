"""What the stand-alone verifier refuses before it calculates: docs/certificate.md lists it."""

import csv
import json

import pytest

from certificates import CASES, SEPARATED, document
from raising import raises
from rosenblatt import verify
from rosenblatt.certificate import Certificate
from rosenblatt.errors import InputError, VerificationError

X, Y = SEPARATED
LABELS = ["0" if v < 0 else "1" for v in Y]


@pytest.fixture
def says(tmp_path, capsys):
    """What the program says of a certificate and a table, each a text or made of a document."""

    def run(claim, table=None):
        text = claim if isinstance(claim, str) else json.dumps(claim)
        (tmp_path / "c.json").write_text(text)
        if table is None:
            table = as_csv([["x0", "x1", "y"], *([*x, v] for x, v in zip(X, LABELS, strict=True))])
        (tmp_path / "t.csv").write_text(table, newline="")
        code = verify.main([str(tmp_path / "c.json"), str(tmp_path / "t.csv")])
        return code, "".join(capsys.readouterr())

    return run


def as_csv(records):
    return "".join(",".join(map(str, record)) + "\n" for record in records)


@pytest.fixture(scope="module")
def claim():
    return document(X, LABELS)


def rejected(found, *words):
    code, out = found
    assert code == 1, out
    assert out.startswith("REJECTED: ")
    assert "not a certificate (" not in out  # the reason was seen, not stumbled over
    for word in words:
        assert word in out
    return True


def unread(found, *words):
    """It is no table of plain numbers, so nothing was decided."""
    code, err = found
    assert (code, err[:13]) == (2, "Cannot check ")
    for word in words:
        assert word in err
    return True


def test_as_it_is_it_is_accepted(says, claim):
    assert says(claim)[0] == 0


# --- The certificate ------------------------------------------------------------------------------


@pytest.mark.parametrize("field", ["rows", "margins", "separator", "lo"])
def test_a_field_that_stands_twice(says, claim, field, tmp_path):
    # The first would be seen by a person, and the last by Python.
    text = json.dumps(claim)
    twice = text.replace(f'"{field}":', f'"{field}": 7, "{field}":', 1)
    assert twice != text
    assert rejected(says(twice), "twice", repr(field))
    with raises(InputError):
        Certificate.load(tmp_path / "c.json")


@pytest.mark.parametrize("verdict", CASES)
def test_a_field_that_nobody_knows_at_any_depth(verdict):
    original = document(*CASES[verdict])
    for place in objects(original):
        copy = json.loads(json.dumps(original))
        inner = copy
        for step in place:
            inner = inner[step]
        inner["note"] = "this was checked, too"
        with raises(verify.Rejected):
            verify.check_form(copy)
        with raises(VerificationError):
            Certificate(copy).verify(*CASES[verdict])


def objects(value, before=()):
    if isinstance(value, dict) and before[-1:] != ("preprocessing",):
        yield before
        for name, inner in value.items():
            yield from objects(inner, (*before, name))
    elif isinstance(value, list):
        for k, inner in enumerate(value):
            yield from objects(inner, (*before, k))


FORGED = {
    "true as a number": ("radius_row", True),
    "a float as a count": ("rows", 4.0),
    "text as a count": ("rows", "4"),
    "true as a row": ("dropped", [True]),
    "text as a list": ("columns", "ab"),
    "text as a list of texts": ("limits", "none"),
    "text for true": ("fit_intercept", "true"),
    "1 for true": ("fit_intercept", 1),
    "null for text": ("target", None),
    "an object as a list": ("dropped", {}),
    "a list as an object": ("preprocessing", []),
    "one label": ("labels", ["0"]),
    "no label": ("labels", [None, None]),
    "other numbers": ("numbers", "binary32"),
    "an underscore": ("mistake_bound", "1_0"),
    "full-width digits": ("mistake_bound", "\uff11\uff10"),
    "spaces": ("mistake_bound", " 10"),
    "octal": ("mistake_bound", "0o12"),
    "a number as a bound": ("mistake_bound", 10),
}


@pytest.mark.parametrize(("field", "value"), FORGED.values(), ids=FORGED)
def test_a_value_of_another_type(says, claim, field, value):
    assert rejected(says(claim | {field: value}), field)


OTHERWISE = [
    *("0x1_0", "0x\uff11", " 0x1", "0x1 ", "0X1", "1", "0x", "0x1/0x0", "0x1p99999", "0x1/-0x2"),
    *("0x3.8p+1", "0x1.00000000000001p+0", "inf", "nan", "--0x1", "0x1\n"),
]


@pytest.mark.parametrize("text", OTHERWISE)
def test_a_number_that_is_written_in_another_way(says, claim, text):
    forged = json.loads(json.dumps(claim))
    forged["margins"]["homogeneous"]["separator"][0] = text
    assert rejected(says(forged), "separator")


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
def test_what_is_no_number_in_json(says, claim, constant):
    text = json.dumps(claim)
    lo = json.dumps(claim["margins"]["homogeneous"]["lo"])
    assert rejected(says(text.replace(lo, constant, 1)), "no numbers")


def test_more_than_the_proof_of_a_sign():
    # What is not looked at is not let in.
    X, y = CASES["quasi-complete separation"]
    claim = document(X, y)
    other = claim["separator"]
    for part in claim["signs"]:
        forged = json.loads(json.dumps(claim))
        forged["signs"][claim["signs"].index(part)].setdefault("other", other)
        if forged != claim:
            with raises(VerificationError):
                Certificate(forged).verify(X, y)


# --- The table ------------------------------------------------------------------------------------


def table(old, new):
    """The table with one cell written in another way."""
    text = as_csv([["x0", "x1", "y"], *([*x, v] for x, v in zip(X, LABELS, strict=True))])
    assert old in text
    return text.replace(old, new, 1)


@pytest.mark.parametrize(
    "cell",
    [
        " 4",
        "4 ",
        "4_0",
        "\uff14",
        "\u0664",
        "0x4",
        "4f",
        "4,0",
        "",
        "four",
        "nan",
        "inf",
        "1e999",
        "\t4",
        "4e",
    ],
)
def test_a_cell_that_is_no_plain_number(says, claim, cell):
    quoted = f'"{cell}"' if "," in cell else cell
    refused = rejected if cell == "1e999" else unread
    assert refused(says(claim, table("4,3,1", f"{quoted},3,1")), "line 3")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (table("x0,x1", "x0,x2"), "no column 'x1'"),
        (table("x0,x1", "x0,x0"), "several columns 'x0'"),
        (table("x0,x1,y", "x0,x1,y,x0").replace("\n", ",3\n").replace("y,x0,3", "y,x0"), "several"),
        (table("x0,x1,y", "x0,x1,y,y").replace("\n", ",1\n").replace("y,y,1", "y,y"), "several"),
        (table("4,3,1", "4,3,1,0"), "more cells than names"),
        (table("4,3,1", "4,3"), "more cells than names, or fewer"),
        (table("4,3,1", '4,3,"1'), "line"),
        (table("4,3,1", '4,3,"1"1'), "line 3"),
        (table("4,3,1", "true,3,1"), "line 3"),  # a column of numbers, or of booleans
        ("", "no column 'x0'"),
    ],
)
def test_a_table_in_disorder(says, claim, text, words):
    refused = unread if "no column" in words or "true" in text else rejected
    assert refused(says(claim, text), words)


def test_a_cell_that_is_too_long_to_be_one(says, claim):
    assert rejected(
        says(claim, table("4,3,1", "4" * (csv.field_size_limit() + 1) + ",3,1")), "limit"
    )


def test_the_target_is_no_column(says, claim):
    assert rejected(says(claim | {"target": "x1"}), "the target 'x1' is a column, too")


# --- Labels ---------------------------------------------------------------------------------------


def test_a_label_does_not_join_another_that_is_the_same_number(says, claim):
    assert rejected(says(claim, table("4,3,1", "4,3,1.00")), "'1.00'", "in one spelling")
    for label in (" 1", "1_", "\uff11", "0x1", "one"):
        assert rejected(says(claim, table("4,3,1", f"4,3,{label}")), "label")


def test_all_of_a_label_may_be_written_otherwise(says, claim):
    text = as_csv([["x0", "x1", "y"], *([*x, f"{v}.0"] for x, v in zip(X, LABELS, strict=True))])
    assert says(claim, text)[0] == 0
    assert rejected(says(claim, text.replace("1.0\n", "1.00\n", 1)), "spelling")


def test_two_labels_that_are_one_number_stay_two():
    claim = {"labels": ["1", "1.0"], "dropped": []}
    assert verify.label_signs(claim, ["1", "1.0", "1"]) == [-1, 1, -1]
    with raises(verify.Rejected):
        verify.label_signs(claim, ["1.00", "1.00"])


def test_labels_of_rows_left_out_do_not_count():
    claim = {"labels": ["0", "1"], "dropped": [1, 3]}
    assert verify.label_signs(claim, ["0", "1.0", "1", "strange"]) == [-1, 0, 1, 0]
