"""Workbooks: a sheet is read as the same table would be from text."""

import datetime
import sys

import openpyxl
import pytest

from raising import raises
from rosenblatt import data
from rosenblatt.errors import InputError, MissingExtraError

ROWS = [
    ["amount", "town", "member", "label"],
    [0.1, 'Rome, "old"', True, "no"],
    [1e-17, "Milan\nNord", False, "yes"],
    [12345678901.25, 'Rome, "old"', None, "no"],
    [3, "Milan\nNord", True, "yes"],
]


@pytest.fixture
def book(tmp_path):
    """Write a workbook of some sheets, get its path."""

    def write(name="book.xlsx", **sheets):
        made = openpyxl.Workbook()
        made.remove(made.active)
        for title, rows in sheets.items():
            sheet = made.create_sheet(title)
            for row in rows:
                sheet.append(row)
        made.save(tmp_path / name)
        return tmp_path / name

    return write


def test_numbers_are_the_same_bits_and_words_the_same_words(book):
    table = data.read(book(loans=ROWS, empty=[]), target="label", impute="mean")
    X, y, preprocessing = table.encode(scale=False)
    assert X[:, 0].tolist() == [0.1, 1e-17, 12345678901.25, 3.0]
    assert y.tolist() == ["no", "yes", "no", "yes"]
    assert preprocessing.columns[1].words == ("Milan\nNord", 'Rome, "old"')
    assert preprocessing.columns[2].kind.value == "boolean"
    assert preprocessing.columns[2].missing
    assert preprocessing.reading.sheet_name == "loans"


def test_a_title_empty_rows_and_cells_without_a_header_do_no_harm(book):
    rows = [[None, None], ["a", "b", None], [1, 2], [None, None, None], [3, None], [4, 5, None]]
    table = data.read(book(s=rows), impute="mean")
    assert table.encode(scale=False)[0].tolist() == [[1.0, 2.0], [3.0, 3.5], [4.0, 5.0]]
    with raises(InputError):
        data.read(book(s=[["a", "b"], [1, 2], [3, 4, "a note"]]))


def test_one_of_several_sheets_must_be_named_once(book):
    path = book(first=ROWS, second=[["a", "label"], [1, "no"], [2, "yes"], [3, "no"]])
    with raises(InputError):
        data.read(path, target="label")
    with raises(InputError, option="sheet_name", value="third"):
        data.read(path, target="label", sheet_name="third")
    table = data.read(path, target="label", sheet_name="second")
    preprocessing = data.Preprocessing.from_dict(table.encode(scale=False)[2].to_dict())
    new = book("new.xlsx", other=[["b"], [5]], second=[["a"], [7]])
    assert preprocessing.transform(new).tolist() == [[7.0]]
    assert preprocessing.transform(book("single.xlsx", only=[["a"], [8]])).tolist() == [[8.0]]
    with raises(InputError, option="sheet_name", value="second"):
        preprocessing.transform(book("single.xlsx", only=[["a"], [8]]), sheet_name="second")


def test_text_that_was_trained_on_judges_a_workbook(book, file):
    path = file("a;b;y\n1,5;x;0\n2,5;y;1\n3;x;1\n")
    with raises(InputError, option="sheet_name", value="s"):
        data.read(path, sheet_name="s")
    preprocessing = data.read(path, target="y").encode(scale=False)[2]
    assert preprocessing.transform(book(s=[["b", "a"], ["y", 0.25]])).tolist() == [[0.25, 1.0]]


def test_dates_and_times_are_written_as_iso(book):
    rows = [
        ["when", "a"],
        [datetime.datetime(2020, 1, 31), 1],
        [datetime.datetime(2020, 1, 2, 3), 2],
    ]
    table = data.read(book(s=rows), categorical="when")
    assert table.columns[0].values == ["2020-01-02 03:00:00", "2020-01-31"]


@pytest.mark.parametrize("damage", ["cut", "shuffled"])
def test_a_damaged_workbook_is_one_error(book, damage):
    path = book(s=ROWS)
    content = path.read_bytes()
    middle = len(content) // 2
    path.write_bytes(content[:middle] if damage == "cut" else b"PK\x03\x04" + content[middle:])
    with raises(InputError):
        data.read(path)


def test_without_the_library_it_is_said_what_to_install(book, monkeypatch):
    path = book(s=ROWS)
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with raises(MissingExtraError):
        data.read(path)


def test_the_command_names_columns_and_sheets(shell, book):
    path = book(loans=ROWS, notes=[["a"], [1]])
    assert "has 2 sheets: 'loans', 'notes'" in shell("certify", path, "-y", "label")[2]
    code, _, err = shell("fit", path, "--sheet-name", "loans")
    assert code == 2
    assert "The columns: 'amount', 'town', 'member', 'label'." in err
    said = ("-y", "label", "--sheet-name", "loans", "--impute", "mean")
    assert shell("certify", path, *said, "-o", "c.json")[0] == 0
    assert shell("verify", "c.json", path)[0] == 0
    assert "The sheet 'loans' of a workbook." in shell("inspect", path, *said)[1]
