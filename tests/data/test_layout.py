"""What stands around a table: titles above it, names in two lines, totals and notes below."""

import gzip
import json
import re

import openpyxl
import pytest

from raising import raises
from rosenblatt import data
from rosenblatt.errors import InputError
from tables import AS_EXPECTED, PLAIN, encoded, refusal, typed

ROWS = [line.split(",") for line in PLAIN.splitlines()]
TITLE = "Loans of 2024\n\n"


@pytest.fixture
def book(tmp_path):
    def write(rows):
        made = openpyxl.Workbook()
        for row in rows:
            made.active.append([float(v) if v.replace(".", "").isdigit() else v for v in row])
        made.save(tmp_path / "t.xlsx")
        return tmp_path / "t.xlsx"

    return write


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (TITLE + PLAIN, {"skip_rows": 2}),
        ("Loans, of 2024,,\r\n" + PLAIN.replace("\n", "\r\n"), {"skip_rows": 1}),
        ("sep=;\nLoans\n" + PLAIN.replace(",", ";"), {"skip_rows": 1}),
        ("Loans\n" + PLAIN.replace(",", "  "), {"skip_rows": 1}),
        (PLAIN + "Total,93.5,\n", {"skip_footer": 1}),
        (PLAIN + "\nTotal,93.5,\n\nSource: the bank\n\n", {"skip_footer": 2}),
        (PLAIN + '"of two\nlines",,\n', {"skip_footer": 1}),
        ("Loans\n\n\n" + PLAIN + "a note\n", {"skip_rows": 3, "skip_footer": 1}),
        (PLAIN.replace(",", ";").replace("41.5", "41,5"), {"decimal": ","}),
        (PLAIN.replace("41.5", '"41,5"'), {"decimal": ","}),
        (PLAIN.replace("age", "age,,\nage", 1).replace("age,,", ",,"), {"header_rows": 2}),
    ],
)
def test_what_is_no_row_is_left_out(file, text, options):
    assert encoded(file(text), **options) == AS_EXPECTED
    packed = gzip.compress(text.encode())
    assert encoded(file(packed, "t.csv.gz"), **options) == AS_EXPECTED


@pytest.mark.parametrize(
    "text",
    [
        TITLE + PLAIN,
        "Loans of 2024,,\n" + PLAIN,
        TITLE + PLAIN.replace(",", ";"),
        PLAIN + "Total,,93.5\n",
        PLAIN + "Grand total:,,0\n",
        pytest.param(PLAIN + "30,yes,1\n" * 20 + "Source: the bank\n", id="a note below"),
        "Person,,Loan\nage,owner,paid\n30,yes,1\n22,no,0\n",
        "age,owner,paid\nyears,yes,1\n30,yes,1\n41.5,no,0\n22,yes,1\n",
    ],
)
def test_what_looks_like_none_names_the_option(file, text):
    """And with that option it is a table: the rows that begin with a number, and no others."""
    path = file(text)
    name, value = re.search(r"(skip_rows|header_rows|skip_footer)=(\d)", refusal(path)).groups()
    options = {name: int(value)}
    *_, target = data.read(path, **options).columns
    X, labels, _ = encoded(path, target.name, **options)
    rows = [re.split("[,;]", line) for line in text.splitlines() if line[:1].isdigit()]
    assert [x[0] for x in X] == [float(age) for age, _, _ in rows]
    assert labels == [int(paid) for _, _, paid in rows]


def test_whoever_says_where_the_names_are_is_believed(file):
    text = "note\n" + "a,b\n" * 5
    assert "header=True" in refusal(file(text))
    for options in ({"header": True}, {"skip_rows": 0}):
        assert "has 2 fields where the header has 1" in refusal(file(text), "note", **options)
    half = "a,,y\nb,c,d\n1,2,x\n3,4,z\n"
    assert [c.name for c in data.read(file(half), header=True).columns] == ["a", "", "y"]


def test_a_ticket_is_left_out_and_a_missing_value_declared(file):
    rows = "".join(f"{i},{1000 + 7 * i},{i % 2}\n" for i in range(1, 20))
    assert "ignore='ticket'" in refusal(file(f"a,ticket,paid\n{rows}3,A/5 21171,1\n"))
    said = refusal(file(f"a,ticket,paid\n{rows}3,none so far,1\n"))
    assert "na_values='none so far'" in said


def test_names_that_repeat_may_be_half_of_them(file):
    table = file("Money,Money,Other\nincome,debt,paid\n" + "3,4,yes\n1,7,no\n" * 9)
    assert "header_rows=2" in refusal(table, "paid")
    read = data.read(table, target="Other paid", header_rows=2)
    assert [c.name for c in read.columns] == ["Money income", "Money debt"]


def test_names_of_two_lines_are_joined(file):
    text = "Person,,Money,,label\nage,sex,2023,2024,\n30,f,1,2,x\n31,m,3,4,y\n32,f,0,1,x\n"
    table = data.read(file(text), header_rows=2)
    names = ["Person age", "Person sex", "Money 2023", "Money 2024", "label"]
    assert [column.name for column in table.columns] == names
    later = table.encode(scale=False)[2].transform(file(text, "later.csv"))
    assert later[:, 2].tolist() == [1.0, 3.0, 0.0]


def test_rows_keep_the_numbers_of_their_lines(file):
    text = TITLE + PLAIN + "22,maybe,\nTotal,,1\n"
    assert "row 4 (line 7)" in refusal(file(text), skip_rows=2, skip_footer=1)


def test_a_footer_is_found_across_blocks(file, monkeypatch):
    monkeypatch.setattr("rosenblatt.data.dialect.BLOCK", 16)
    monkeypatch.setattr("rosenblatt.data.dialect.blocks.__defaults__", (16, 2))
    for notes in range(1, 6):
        text = PLAIN + "".join(f"note {k},,\n" for k in range(notes))
        assert encoded(file(text), skip_footer=notes) == AS_EXPECTED


def test_workbooks(book):
    above = [["Loans of 2024"], [], ["", "", "Result"], ["of", "Person", ""]]
    path = book([*above, *ROWS, ["Total", "93.5"]])
    assert encoded(path, skip_rows=4, skip_footer=1) == AS_EXPECTED
    assert "skip_rows=2" in refusal(book([*above[:2], *ROWS]))
    path = book([*above, *ROWS, ["Total", "93.5"]])
    X, _, names = encoded(path, "paid", skip_rows=4, header_rows=1, skip_footer=1, decimal=",")
    assert (X, names) == (AS_EXPECTED[0], AS_EXPECTED[2])
    named = data.read(path, skip_rows=2, header_rows=3, skip_footer=1)
    assert [c.name for c in named.columns] == ["of age", "Person owner", "Result paid"]
    assert "sheet row 9" in refusal(book([*above, *ROWS, ["", "yes", "1"]]), skip_rows=4)


def test_options_of_text_are_refused_of_typed_columns(file):
    for name in ("skip_rows", "header_rows", "skip_footer"):
        with raises(InputError, option=name):
            data.read(typed(), **{name: 1})


def test_names_cannot_be_there_and_not(file):
    with raises(InputError, option="header_rows"):
        data.read(file(PLAIN), header=False, header_rows=2)


def test_what_was_said_holds_for_later_tables(file):
    first = data.read(file(TITLE + PLAIN + "Total,,\n"), target="paid", skip_rows=2, skip_footer=1)
    preprocessing = data.Preprocessing.from_dict(first.encode(scale=False)[2].to_dict())
    later = file("More\nloans\nage,owner,paid\n50,no,1\nTotal,,\n", "later.csv")
    assert preprocessing.transform(later).tolist() == [[50.0, 1.0]]
    plain = file("age,owner\n50,no\n", "plain.csv")
    assert preprocessing.transform(plain, skip_rows=0, skip_footer=0).tolist() == [[50.0, 1.0]]


# --- JSON lines -----------------------------------------------------------------------------------


def lines(*records):
    return "".join(json.dumps(record) + "\n" for record in records)


LOANS = [dict(zip(ROWS[0], row, strict=True)) for row in ROWS[1:]]


@pytest.mark.parametrize("name", ["t.jsonl", "t.ndjson", "t.json", "t.txt"])
def test_an_object_a_line(file, name):
    text = lines(
        *({**loan, "age": float(loan["age"]), "paid": int(loan["paid"])} for loan in LOANS)
    )
    assert encoded(file(text, name)) == AS_EXPECTED
    assert encoded(file("\n" + text, name)) == AS_EXPECTED
    assert encoded(file(text, name), decimal=",") == AS_EXPECTED


def test_what_is_missing_nested_or_exact(file):
    text = lines({"a": {"b": 1}, "y": "p"}, {"y": "q", "c": None, "a": {"b": 0.1}}, {"y": "p"})
    table = data.read(file(text, "t.jsonl"), target="y", impute="mean", ignore="c")
    assert table.encode(scale=False)[0][:2, 0].tolist() == [1.0, 0.1]
    assert [(c.name, c.missing) for c in table.columns] == [("a.b", 1)]
    digits = '{"a": 0.30000000000000004, "t": true, "y": 1}\n{"a": 1e-3, "t": false, "y": 0}\n'
    X, _, names = encoded(file(digits, "t.jsonl"), "y")
    assert (X, names) == ([[0.30000000000000004, 1.0], [0.001, 0.0]], ["a", "t"])


def test_names_that_come_late_are_columns_too(file):
    text = lines(*({"a": k, "y": k % 2} for k in range(1_500)), {"late": 3, "a": 7, "y": 0})
    X, _, names = encoded(file(text, "t.jsonl"), "y", impute="mean")
    assert (len(X), X[-1], names) == (1_501, [7.0, 3.0], ["a", "late"])


@pytest.mark.parametrize("text", ['[{"a": 1}]', '{"a": 1}\n{"a":\n', '{"a": 1}\n3\n', "{}\n{}\n"])
def test_what_is_no_json_lines_is_refused_with_its_line(file, text):
    with raises(InputError):
        data.read(file(text, "t.jsonl"))


def test_messages_name_the_line(file):
    text = lines({"a": 1, "y": "p"}) + "\n" + lines({"a": "x y", "y": "q"}, {"a": 2, "y": "p"})
    preprocessing = data.read(file(lines({"a": 1}, {"a": 2}), "t.jsonl")).encode()[2]
    with raises(InputError) as refused:
        preprocessing.transform(file(text, "u.jsonl"))
    assert "row 2 (line 3)" in str(refused.value)
    refused.value.__traceback__ = None
