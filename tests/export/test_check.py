"""Exports read a table as training read it, and `export --check` finds the row that differs."""

import csv
import os
import shutil
import subprocess
import sys
from contextlib import suppress
from datetime import date, datetime, timedelta

import numpy as np
import openpyxl
import pytest

from raising import raises
from rosenblatt import AROW, Perceptron, data, save
from rosenblatt._export import check
from rosenblatt.errors import InputError
from rosenblatt.formulas import inputs, to_c, to_excel_formula, to_javascript, to_python, to_sql
from rosenblatt.onnx import export

N = 240


def written(path, *, sep=",", comma=".", units=True, seed=0, zone=""):
    """Dates and moments, money, rates, gaps spelled '?', truth values, words with quotes."""
    rng = np.random.default_rng(seed)
    names = ["day", "since", "age", "town (old)", "own", *(["price", "rate"] if units else []), "y"]
    lines = [sep.join(names)]
    for _ in range(N):
        k, r, own = int(rng.integers(400)), int(rng.integers(10**6)), rng.random() < 0.5
        town = rng.choice(["Rome", "O'Hara", '"a ""b"""', "?"])
        price, rate = int(rng.integers(100, 99_999)), int(rng.integers(100))
        age = rng.choice([f"{rng.uniform(18, 80):.1f}".replace(".", comma), "?", "NA", ""])
        label = "yes" if k / 100 + own + (town == "Rome") + rng.normal() / 2 > 2.5 else "no"
        cells = [
            (date(2019, 1, 1) + timedelta(days=k)).isoformat(),
            (datetime(2020, 1, 1) + timedelta(seconds=r)).isoformat(" ") + zone,
            age,
            town,
            rng.choice(["", str(own).upper()], p=[0.1, 0.9]),
            *([f'"${price:,}"', f"{rate} %"] if units else []),
            label,
        ]
        lines.append(sep.join(map(str, cells)))
    path.write_text("\n".join(lines) + "\n")
    return path


def learned(path, **reading):
    units = ["price", "rate"] if "price" in path.read_text() else []
    table = data.read(path, target="y", na_values=["?"], impute="median", numeric=units, **reading)
    X, y, preprocessing = table.encode(scale=True)
    return AROW(random_state=0, max_iter=3).fit(X, y), preprocessing


THERE = {"javascript": ["node"], "c": ["cc", "gcc", "clang"]}
RUN = [  # what this machine has
    kind
    for kind in ("sql", "python", "excel", "javascript", "c")
    if kind not in THERE or any(map(shutil.which, THERE[kind]))
]
READ_ALL = [kind for kind in RUN if kind not in ("sql", "excel")]


def programs(rule, preprocessing, on_unseen="error"):
    about = {"preprocessing": preprocessing, "on_unseen": on_unseen}
    labels = rule.classes_.tolist()
    cells = {
        name: f"{chr(65 + k)}2" for k, name in enumerate(inputs(rule, preprocessing=preprocessing))
    }
    return {
        "sql": lambda: check.InSqlite(to_sql(rule, **about), "data", labels),
        "python": lambda: check.InPython(to_python(rule, **about), rule, preprocessing),
        "javascript": lambda: check.InJavaScript(to_javascript(rule, **about), rule, preprocessing),
        "c": lambda: check.InC(to_c(rule, **about), rule, preprocessing),
        "excel": lambda: check.InSheet(
            to_excel_formula(rule, cells=cells, **about), cells, preprocessing
        ),
    }


# --- A table as training read it ------------------------------------------------------------------


@pytest.mark.parametrize("kind", RUN)
def test_dates_gaps_and_truth_values_have_the_labels_of_predict(tmp_path, kind):
    rule, preprocessing = learned(written(tmp_path / "t.csv", units=False))
    assert {c.name for c in preprocessing.columns} == {"day", "since", "age", "town (old)", "own"}
    new = written(tmp_path / "new.csv", units=False, seed=1)
    found = check.check(rule, preprocessing, programs(rule, preprocessing)[kind](), new)
    assert found[:3] == (N, 0, 0)


@pytest.mark.parametrize("kind", RUN)
def test_words_with_blanks_around_them_have_the_labels_of_predict(tmp_path, kind):
    (tmp_path / "t.csv").write_text("town,y\n" + "A 1,0\nA2,1\n" * 10)
    rule, preprocessing = learned(tmp_path / "t.csv")
    (tmp_path / "new.csv").write_text("town,y\nA 1 ,0\n  A2  ,1\n")
    found = check.check(
        rule, preprocessing, programs(rule, preprocessing)[kind](), tmp_path / "new.csv"
    )
    assert found[:3] == (2, 0, 0)


def test_numbers_with_units_are_read_in_python_and_refused_by_column_elsewhere(tmp_path):
    rule, preprocessing = learned(written(tmp_path / "t.csv"))
    made = programs(rule, preprocessing)
    for kind in READ_ALL:
        assert check.check(rule, preprocessing, made[kind](), tmp_path / "t.csv").rows == N
    for kind in ("sql", "excel"):
        with raises(InputError, column="price"):
            made[kind]()


def test_decimal_commas_are_read_in_sqlite_and_python(tmp_path):
    path = written(tmp_path / "t.csv", sep=";", comma=",", units=False)
    rule, preprocessing = learned(path)
    assert preprocessing.reading.mark == ","
    for kind in RUN:
        assert (
            check.check(rule, preprocessing, programs(rule, preprocessing)[kind](), path).rows == N
        )


def test_time_zones_are_read_in_sqlite_and_python_and_refused_in_a_sheet(tmp_path):
    path = written(tmp_path / "t.csv", units=False, zone="+02:00")
    rule, preprocessing = learned(path)
    for kind in ("sql", *READ_ALL):
        assert (
            check.check(rule, preprocessing, programs(rule, preprocessing)[kind](), path).rows == N
        )
    with raises(InputError, column="since"):
        programs(rule, preprocessing)["excel"]()


@pytest.mark.parametrize(
    "cell", ["2019-02-30", "2019-3-01", "2019-03-01 12:00", "now", "12:00", "1/2/2019", "43547"]
)
def test_what_is_no_such_date_has_no_answer(tmp_path, cell):
    path = tmp_path / "t.csv"
    path.write_text("day,y\n2019-03-01,a\n2019-03-02,a\n2019-04-01,b\n2019-04-02,b\n")
    X, y, preprocessing = data.read(path, target="y").encode(scale=False)
    rule = Perceptron(random_state=0).fit(X, y)
    rows = check.Rows([(cell,), ("2019-03-01",)], None, None)
    for kind in ("sql", *READ_ALL):
        if kind == "c":  # whose callers read
            continue
        assert programs(rule, preprocessing)[kind]().labels(["day"], rows) == [None, "a"]


@pytest.mark.parametrize("on_unseen", ["error", "reference"])
def test_words_that_were_not_seen_count_as_told(tmp_path, on_unseen):
    rule, preprocessing = learned(written(tmp_path / "t.csv", units=False))
    text = (tmp_path / "t.csv").read_text()
    (tmp_path / "new.csv").write_text(text.replace(",Rome,", ",Oslo,"))
    strange = text.count(",Rome,")
    made = programs(rule, preprocessing, on_unseen)
    for make in map(made.get, RUN):
        found = check.check(rule, preprocessing, make(), tmp_path / "new.csv", on_unseen=on_unseen)
        assert found[:2] == (N, strange if on_unseen == "error" else 0)


@pytest.mark.parametrize("kind", RUN)
def test_pooled_words_and_dates_of_other_formats_have_the_labels_of_predict(tmp_path, kind):
    rng = np.random.default_rng(2)
    moments = [datetime(2019, 1, 1) + timedelta(hours=int(h)) for h in rng.integers(0, 9_000, N)]
    form = "%Y-%m-%d %H:%M" if kind == "sql" else "%d/%m/%Y %I:%M %p"
    towns = [*rng.choice(["Rome", "O'Hara", ""], N - 20), *(f"rare {k}" for k in range(20))]
    lines = [
        f"{at.strftime(form)},{town},{'yes' if at.month + 3 * (town == 'Rome') > 7 else 'no'}\n"
        for at, town in zip(moments, towns, strict=True)
    ]
    (tmp_path / "t.csv").write_text("day,town,y\n" + "".join(lines))
    (tmp_path / "new.csv").write_text("day,town,y\n" + "".join(lines).replace("Rome", "Pisa"))
    table = data.read(tmp_path / "t.csv", target="y", min_count=5, impute="mean")
    X, y, preprocessing = table.encode()
    assert preprocessing.columns[1].pooled
    rule = AROW(random_state=0).fit(X, y)
    program = programs(rule, preprocessing)[kind]()
    for name in ("t.csv", "new.csv"):
        assert check.check(rule, preprocessing, program, tmp_path / name)[:2] == (N, 0)


# --- The first row that differs -------------------------------------------------------------------


def test_a_sheet_that_loses_zeros_is_found_with_row_and_column(tmp_path):
    path = tmp_path / "t.csv"
    rows = [(f"{k % 7}", "00123" if k % 2 else "123") for k in range(40)]
    path.write_text("a,zip,y\n" + "".join(f"{a},{z},{z == '123'}\n" for a, z in rows))
    X, y, preprocessing = data.read(path, target="y", categorical=["zip"]).encode(scale=False)
    rule = Perceptron(random_state=0).fit(X, y)
    made = programs(rule, preprocessing)
    for kind in ("sql", "python"):
        assert check.check(rule, preprocessing, made[kind](), path).rows == 40
    with raises(InputError, column="zip", row=1):
        check.check(rule, preprocessing, made["excel"](), path)


def test_another_rule_is_found(tmp_path):
    path = written(tmp_path / "t.csv", units=False)
    rule, preprocessing = learned(path)
    export(rule, tmp_path / "rule.onnx", preprocessing=preprocessing)
    graph = check.InOnnx(tmp_path / "rule.onnx", "float64")
    assert check.check(rule, preprocessing, graph, path).rows == N
    other = AROW(random_state=0, max_iter=1).fit(
        preprocessing.transform(path), ["yes", "no"] * (N // 2)
    )
    made = programs(rule, preprocessing)
    for program in (graph, *(made[kind]() for kind in ("sql", "python", "excel"))):
        with raises(InputError, column=None):
            check.check(other, preprocessing, program, path)
    for kind in THERE.keys() & {*RUN}:
        with pytest.raises(InputError) as refused:
            check.check(other, preprocessing, made[kind](), path)
        assert refused.value.column is None


def test_columns_that_sql_does_not_tell_apart_are_named(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,A,y\n1,2,p\n2,1,q\n3,5,p\n")
    X, y, preprocessing = data.read(path, target="y").encode(scale=False)
    rule = Perceptron(random_state=0).fit(X, y)
    with raises(InputError, column="a"):
        check.check(rule, preprocessing, programs(rule, preprocessing)["sql"](), path)


@pytest.mark.skipif("javascript" not in RUN, reason="there is no Node")
def test_a_column_that_node_reads_otherwise_is_named(tmp_path):
    rule, preprocessing = learned(written(tmp_path / "t.csv", units=False))
    text = to_javascript(rule, preprocessing=preprocessing)
    seven = "function number(_) { return 7; }\nfunction old(value"
    spoiled = text.replace("function number(value", seven)
    program = check.InJavaScript(spoiled, rule, preprocessing)
    with pytest.raises(InputError) as refused:
        check.check(rule, preprocessing, program, tmp_path / "t.csv")
    assert refused.value.column == "age"


# --- The command ----------------------------------------------------------------------------------


@pytest.fixture
def model(tmp_path):
    rule, preprocessing = learned(written(tmp_path / "t.csv", units=False))
    save(rule, tmp_path / "model.json", preprocessing=preprocessing)
    return "model.json"


@pytest.mark.parametrize(
    "kind",
    [
        ["--sql", "-o", "out"],
        ["--javascript", "-o", "out"],
        ["--c", "-o", "out"],
        ["--onnx", "out"],
    ],
)
def test_the_command_checks_a_table(shell, model, tmp_path, kind):
    code, _, told = shell("export", model, *kind)
    assert code == 0
    assert "Not checked" in told
    (tmp_path / "out").unlink()
    assert shell("export", model, *kind, "--check", "t.csv")[0] == 0
    assert (tmp_path / "out").exists()


def test_a_table_is_checked_that_is_written_otherwise(shell, model, tmp_path):
    """Each option that the refusals name is one of this command, and does what it says."""
    names, *rows = (tmp_path / "t.csv").read_text().splitlines()
    (tmp_path / "new.csv").write_text("\n".join(["A title", *rows]).replace(",", "|"))
    asked = ("export", model, "--python", "-o", "out", "--check", "new.csv")
    read = ("--sep", "|", "--skip-rows", "1", "--names", names)
    assert shell(*asked)[0] == 2
    assert shell(*asked, *read)[0] == 0
    asked = ("export", model, "--excel-formula", "--columns-of", "new.csv")
    assert "age in C2" in shell(*asked, *read)[2]  # below the title
    assert shell("export", model, "--python", "--sep", "|")[0] == 2


def test_nothing_is_written_where_a_row_differs(shell, tmp_path):
    (tmp_path / "t.csv").write_text("zip,y\n" + "00123,a\n123,b\n" * 20)
    X, y, preprocessing = data.read(tmp_path / "t.csv", target="y", categorical="zip").encode(
        scale=False
    )
    save(Perceptron(random_state=0).fit(X, y), tmp_path / "m.json", preprocessing=preprocessing)
    code, _, told = shell("export", "m.json", "--excel-formula", "-o", "out", "--check", "t.csv")
    assert code == 2
    assert "row 1 " in told
    assert "'zip'" in told
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("library", "kind", "extra"),
    [
        ("formulas", ["--excel-formula"], "formulas"),
        ("onnxruntime", ["--onnx", "out"], "onnx"),
        ("onnx", ["--onnx", "out"], "onnx"),
    ],
)
def test_a_missing_extra_is_one_line_to_type(shell, model, monkeypatch, library, kind, extra):
    monkeypatch.setitem(sys.modules, library, None)
    for written_with in ("onnx_model", "onnx_graph"):
        monkeypatch.delitem(sys.modules, f"rosenblatt._export.{written_with}", raising=False)
    code, _, told = shell("export", model, *kind, "--check", "t.csv")
    assert (code, told.count("\n")) == (2, 1)
    assert f'pip install ".[{extra}]"' in told


# --- In LibreOffice -------------------------------------------------------------------------------


def cell_of(text):
    """As a spreadsheet holds it once it has opened the file."""
    if text in ("TRUE", "FALSE"):
        return text == "TRUE"
    for kind in (float, date.fromisoformat, datetime.fromisoformat):
        with suppress(ValueError):
            return kind(text)
    return text or None


@pytest.mark.skipif(os.environ.get("ROSENBLATT_SOAK") != "1", reason="only in make soak")
@pytest.mark.skipif(shutil.which("soffice") is None, reason="there is no LibreOffice")
def test_libreoffice_gives_the_labels_of_predict(tmp_path):
    """Dates, moments, gaps, truth values, words with quotes."""
    path = written(tmp_path / "t.csv", units=False)
    rule, preprocessing = learned(path)
    with open(path, newline="") as file:
        names, *rows = csv.reader(file)
    book = openpyxl.Workbook()
    for k, row in enumerate([names, *rows], start=1):
        book.active.append(row if k == 1 else [cell_of(cell) for cell in row])
        if k > 1:
            cells = {name: f"{chr(65 + j)}{k}" for j, name in enumerate(names)}
            formula = to_excel_formula(rule, preprocessing=preprocessing, cells=cells)
            book.active.cell(k, len(names) + 1).value = formula
    book.save(tmp_path / "t.xlsx")
    home = f"-env:UserInstallation=file://{tmp_path}/profile"
    made = ["--convert-to", "csv", "--outdir", tmp_path / "made", tmp_path / "t.xlsx"]
    subprocess.run(["soffice", home, "--headless", *made], check=True, capture_output=True)
    with open(tmp_path / "made" / "t.csv", newline="") as file:
        found = [row[-1] for row in csv.reader(file)][1:]
    wanted = check.check(rule, preprocessing, programs(rule, preprocessing)["python"](), path)
    assert wanted.rows == N
    module = {}
    exec(to_python(rule, preprocessing=preprocessing), module)
    expected = [module["predict"](dict(zip(names, row, strict=True))) or "#N/A" for row in rows]
    assert found == expected
    assert len(set(found)) > 1
