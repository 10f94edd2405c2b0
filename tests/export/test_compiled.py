"""JavaScript in Node and C by a real compiler: the same bits as here."""

import json
import shutil
import struct
import subprocess

import numpy as np
import pandas as pd
import pytest

from rosenblatt import AROW, Perceptron, Scorecard, data
from rosenblatt._core.rows import Rows
from rosenblatt.formulas import to_c, to_javascript, to_python

N = 2_000
NODE, COMPILER = shutil.which("node"), shutil.which("cc")
needs_node = pytest.mark.skipif(NODE is None, reason="there is no Node")
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")


def numbers(seed=0, d=37):
    """Of many sizes, so that every other order of additions rounds otherwise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, d)) * 10.0 ** rng.integers(-8, 8, d)
    return pd.DataFrame(X, columns=[f"x {j}" for j in range(d)])


def trained(table, k):
    rng = np.random.default_rng(1)
    y = rng.integers(0, k, N)
    return Perceptron(keep="average", max_iter=2, random_state=0).fit(table, y)


def in_node(text, rows, asked, folder):
    (folder / "rule.mjs").write_text(text)
    (folder / "rows.json").write_text(json.dumps(rows))
    (folder / "run.mjs").write_text(
        'import { readFileSync } from "node:fs"; import * as m from "./rule.mjs";\n'
        'const rows = JSON.parse(readFileSync("rows.json", "utf8"));\n'
        f"console.log(JSON.stringify({asked}));\n"
    )
    done = subprocess.run([NODE, "run.mjs"], cwd=folder, capture_output=True, check=True)
    return json.loads(done.stdout)


def in_c(text, X, asked, kind, folder):
    """Doubles in, some type out."""
    body = f"double x[{X.shape[1]}]; struct row row; while (fread(x, 8, {X.shape[1]}, stdin)) {{"
    body += f"memcpy(&row, x, sizeof x); {kind} v = {asked}(&row); fwrite(&v, sizeof v, 1, stdout);"
    (folder / "rule.c").write_text(
        f"{text}\n#include <stdio.h>\n#include <string.h>\nint main(void) {{ {body} }} }}\n"
    )
    flags = ["-std=c99", "-pedantic", "-Wall", "-Werror", "-O3", "-ffp-contract=off"]
    subprocess.run([COMPILER, *flags, "rule.c", "-lm"], cwd=folder, check=True)
    done = subprocess.run(
        ["./a.out"], cwd=folder, input=X.tobytes(), capture_output=True, check=True
    )
    return done.stdout


@needs_node
def test_scores_in_node_have_the_same_bits(tmp_path):
    table = numbers()
    rule = trained(table, 2)
    text, rows = to_javascript(rule), table.to_dict("records")
    scores = in_node(text, rows, "rows.map(m.score)", tmp_path)
    assert (
        np.array(scores).tobytes() == rule._rule.signed(Rows(np.ascontiguousarray(table))).tobytes()
    )
    many = trained(table, 4)
    assert (
        in_node(to_javascript(many), rows, "rows.map(m.predict)", tmp_path)
        == many.predict(table).tolist()
    )


@needs_compiler
def test_scores_in_c_have_the_same_bits(tmp_path):
    table = numbers()
    rule = trained(table, 2)
    X = np.ascontiguousarray(table)
    found = in_c(to_c(rule), X, "score", "double", tmp_path)
    assert found == rule._rule.signed(Rows(X)).tobytes()
    many = trained(table, 4)
    places = np.frombuffer(in_c(to_c(many), X, "predict", "int", tmp_path), dtype=np.intc)
    assert many.classes_[places].tolist() == many.predict(table).tolist()


@needs_compiler
def test_cards_and_columns_of_any_name_compile(tmp_path):
    rng = np.random.default_rng(2)
    names = ["int", "NAN", "for", "2 */ x", "größe", "", "a b", "A_b"]
    X = rng.integers(0, 6, (N, len(names))).astype(float)
    y = np.where(X @ np.arange(-3.0, 5.0) > 2, 'a "b"\\n??/', "ü")
    table = pd.DataFrame(X, columns=names)
    card = Scorecard(max_terms=8).fit(table, y)
    used = sorted({term.column for term in card._rule.terms})
    points = np.frombuffer(in_c(to_c(card), X[:, used].copy(), "points", "double", tmp_path))
    assert points.tolist() == card.points(table).tolist()
    some = np.full((2, len(used)), np.nan)
    some[1] = np.inf
    none = np.frombuffer(in_c(to_c(card), some, "predict", "int", tmp_path), dtype=np.intc)
    assert none.tolist() == [-1, -1]


@needs_node
def test_node_takes_what_python_takes(tmp_path):
    rng = np.random.default_rng(3)
    table = pd.DataFrame({"a": rng.normal(size=99), "w": rng.choice(["x", "Ü 'b\"", None], 99)})
    table["y"] = table["a"] + (table["w"] == "x") > 0.3
    X, y, preprocessing = data.read(table, target="y", impute="mean").encode(scale=True)
    rule = AROW(random_state=0).fit(X, y)
    python = {}
    exec(to_python(rule, preprocessing=preprocessing), python)
    cells = [
        None,
        "",
        " NA ",
        "x",
        " x",
        "z",
        1,
        1.5,
        "1.5",
        "+.5e1",
        "1_0",
        "0x1",
        "inf",
        True,
        "1,5",
    ]
    rows = [{"a": a, "w": w} for a in cells for w in cells]
    expected = [python["predict"](row) for row in rows]
    text = to_javascript(rule, preprocessing=preprocessing)
    assert in_node(text, rows, "rows.map(m.predict)", tmp_path) == expected
    nothing = in_node(text, [{}], "[m.predict({}), m.predict({a: NaN, w: undefined})]", tmp_path)
    assert nothing[0] == nothing[1] == python["predict"]({"a": None, "w": None})


def test_numbers_are_written_to_the_bit():
    values = [5e-324, -2.5e-310, 1.7976931348623157e308, -0.1, 1e16, 123456789.12345678]
    card = trained(numbers(d=len(values)), 2)
    card._rule = type(card._rule)(np.array([*values, 0.0]), 1.0)
    for text in (to_c(card), to_javascript(card)):
        for value in values:
            assert struct.pack("d", value) == struct.pack("d", float(repr(value)))
            assert repr(value) in text
