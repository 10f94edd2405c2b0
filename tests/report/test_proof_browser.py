"""The report proves itself, in a real browser: what it holds on opening, all with the table."""

import gzip
import json
import re
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from paging import violations
from rosenblatt import study
from rosenblatt.datasets import load_credit
from rosenblatt.report import render

NOW = "checked in your browser just now"


@pytest.fixture(scope="module")
def iris(tmp_path_factory):
    """Three kinds, as a table in a file."""
    found = load_iris(as_frame=True)
    table = found.data.rename(columns=lambda name: name.replace(" (cm)", ""))
    table["kind"] = found.target_names[found.target]
    path = tmp_path_factory.mktemp("iris") / "iris.csv"
    table.to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def reports(tmp_path_factory, iris, granted):
    """Reports of every verdict, and the tables that they are about."""
    folder, credit = tmp_path_factory.mktemp("reports"), Path(load_credit().filename)
    leak = ["share", "expenditure"]
    made = {
        "overlap": (granted, credit),
        "embedded": (study(credit, target="card", ignore=leak, embed_data=True), credit),
        "quasi": (study(credit, target="card"), credit),
        "separable": (study(str(iris), target="kind", positive="setosa"), iris),
        "classes": (study(str(iris), target="kind"), iris),
    }
    for name, (found, _) in made.items():
        found.save_report(folder / f"{name}.html")
    return {name: (folder / f"{name}.html", table) for name, (_, table) in made.items()}


def says(page, place="#checked"):
    page.evaluate("document.getElementById('proved').open = true")
    return page.locator(place).inner_text()


def judged(page, *files):
    page.locator("#files").set_input_files([str(f) for f in files])
    page.wait_for_function(
        "() => { const t = document.querySelector('#judged .tag');"
        " return t && t.textContent !== 'checking'; }"
    )
    return says(page, "#judged")


def without_row(path, tmp_path):
    """The same table, but for a row."""
    lines, other = path.read_text().splitlines(), tmp_path / "other.csv"
    other.write_text("\n".join([*lines[:5], *lines[6:]]))
    return other


@pytest.mark.parametrize(
    ("name", "words", "proved"),
    [
        (
            "overlap",
            "equals a weighted average of 4 rows labelled “no”",
            "overlap, 1,319",
        ),
        ("quasi", "So no hyperplane has all 10 strictly on the right", "quasi-complete separation"),
        (
            "separable",
            "A weighted sum of them proves that no separator has a margin greater than",
            "complete sep",
        ),
        ("classes", "comparisons of a row's own class with a rival", "quasi-complete|overlap"),
    ],
)
def test_a_report_proves_what_it_can_and_all_of_it_with_the_table(
    reports, opened, tmp_path, name, words, proved
):
    path, table = reports[name]
    page = opened(path)
    assert page.locator("#seal").inner_text() == f"✓ {NOW}"  # before anything is unfolded
    assert not page.locator("#checked").is_visible()
    assert says(page).startswith(NOW)
    assert words in says(page)
    assert "Drop it below" in says(page)
    said = judged(page, table)
    assert said.startswith("accepted")
    assert re.search(proved, said)
    said = judged(page, without_row(table, tmp_path))
    assert said.startswith("rejected")
    assert "the data has" in said
    assert opened.troubles == []


def test_with_its_data_a_report_proves_everything_on_opening(reports, opened):
    path, _ = reports["embedded"]
    page = opened(path)
    assert says(page).startswith(
        f"{NOW} All claims of the certificate hold for all rows of the table"
    )
    assert "overlap, 1,319 rows, proved." in says(page)
    assert "whoever has the report has the data" in says(page, "#drop")
    assert opened.troubles == []


def test_a_report_that_was_tampered_with_says_so(reports, opened, tmp_path):
    """A number of a row, a weight, a number of the embedded table: none goes unnoticed."""
    path, _ = reports["overlap"]
    text = path.read_text(encoding="utf-8")
    held = json.loads(re.search(r'id="held">(.*?)</script>', text)[1])
    row = held["rows"][0]
    spoiled = tmp_path / "spoiled.html"
    before = f'"row":{row["row"]},"label":"{row["label"]}","numbers":[{row["numbers"][0]}'
    assert before in text
    spoiled.write_text(text.replace(before, before + "1"), encoding="utf-8")
    assert says(opened(spoiled)) == "not proved the conflict does not cancel"
    path, _ = reports["embedded"]
    text = path.read_text(encoding="utf-8")
    assert "37.66667" in text
    spoiled.write_text(text.replace("37.66667", "37.66668"), encoding="utf-8")
    assert says(opened(spoiled)).startswith("not proved this is other data")


def test_other_certificates_and_other_files(reports, opened, tmp_path):
    path, table = reports["overlap"]
    page = opened(path)
    text = path.read_text(encoding="utf-8")
    claim = json.loads(re.search(r'id="certificate">(.*?)</script>', text)[1])
    claim["conflict"]["weights"][0] = "0x1"
    other = tmp_path / "certificate.json"
    other.write_text(json.dumps(claim))
    assert "rejected the conflict does not cancel" in judged(page, other, table)
    assert "Give the table, too" in judged(page, other)
    packed = tmp_path / "credit.csv.gz"
    packed.write_bytes(gzip.compress(table.read_bytes()))
    assert judged(page, packed).startswith("accepted")
    wide = tmp_path / "wide.csv"
    wide.write_text(table.read_text(), encoding="utf-16")
    assert judged(page, wide).startswith("accepted")
    binary = tmp_path / "credit.parquet"
    pd.read_csv(table).to_parquet(binary)
    book, archive = tmp_path / "credit.xlsx", tmp_path / "credit.zip"
    with zipfile.ZipFile(archive, "w") as inside:
        inside.write(table, "credit.csv")
    book.write_bytes(archive.read_bytes())  # a workbook is an archive, too
    (tmp_path / "rows.svm").write_text("1 1:2\n")
    (tmp_path / "latin.csv").write_bytes("größe,y\n1,2\n".encode("latin-1"))
    for unread in (binary, book, archive, tmp_path / "rows.svm", tmp_path / "latin.csv"):
        said = f"cannot be read {unread.name} cannot be read here: rosenblatt verify certificate"
        assert judged(page, unread) == f"{said}.json {unread.name}"
    bracket = tmp_path / "errors.json"
    bracket.write_text(json.dumps({"schema": "rosenblatt-errors/1"}))
    said = "cannot be read errors.json cannot be read here: rosenblatt verify errors.json"
    assert judged(page, bracket, table) == f"{said} {table.name}"
    assert judged(page, bracket) == f"{said} TABLE"
    assert opened.troubles == []


def test_a_table_in_several_files_is_read_in_the_order_of_the_report(iris, opened, tmp_path):
    header, *lines = iris.read_text().splitlines()
    parts = [tmp_path / "b.csv", tmp_path / "a.csv"]
    for path, some in zip(parts, (lines[:80], lines[80:]), strict=True):
        path.write_text("\n".join([header, *some, ""]))
    found = study([str(p) for p in parts], target="kind", positive="virginica")
    found.save_report(tmp_path / "report.html")
    page = opened(tmp_path / "report.html")
    assert judged(page, parts[1], parts[0]).startswith("accepted")


@pytest.mark.parametrize("place", ["#drop", "h1"])
def test_a_table_is_dropped_with_the_mouse_anywhere(reports, opened, place):
    path, table = reports["separable"]
    page = opened(path)
    text = table.read_text()
    page.evaluate(
        """([text, place]) => {
          const transfer = new DataTransfer();
          transfer.items.add(new File([text], "iris.csv"));
          for (const type of ["dragover", "drop"]) {
            const more = { dataTransfer: transfer, bubbles: true, cancelable: true };
            const left = document.querySelector(place).dispatchEvent(new DragEvent(type, more));
            if (left) throw new Error("left to the browser, which opens it");
          }
        }""",
        [text, place],
    )
    page.get_by_text("complete separation, 150 rows, proved.").wait_for()


def test_on_paper_the_rows_fit_and_no_check_is_claimed(opened, tmp_path):
    """A4 at 96 dots an inch, less margins, is 696 wide."""
    rng = np.random.default_rng(0)
    names = [f"a_rather_long_name_of_column_{j}" for j in range(14)]
    table = pd.DataFrame(rng.standard_normal((60, 14)) * 1234.56789, columns=names)
    table = pd.concat([table, table]).assign(y=["yes"] * 60 + ["no"] * 60)  # the same points
    study(table, target="y", comparison=False).save_report(tmp_path / "report.html")
    page = opened(tmp_path / "report.html")
    page.set_viewport_size({"width": 696, "height": 900})
    page.emulate_media(media="print")
    rows = page.locator("#rows table")
    assert rows.is_visible()
    assert rows.locator("thead th").count() == 3 + 12
    assert page.evaluate("document.documentElement.scrollWidth") <= 696
    assert not any(page.locator(f"#{name}").is_visible() for name in ("checked", "seal", "drop"))


def test_everyone_can_read_and_use_it(reports, opened):
    for name in ("overlap", "separable", "classes"):
        page = opened(reports[name][0])
        page.set_viewport_size({"width": 360, "height": 800})
        page.evaluate(
            "document.querySelectorAll('#proved, #rows').forEach(d => { d.open = true; })"
        )
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        assert not violations(page)
    page.locator("#files").focus()  # by the keyboard, too
    assert page.evaluate("document.activeElement.id") == "files"


def test_hostile_names_and_labels_stay_text(opened, tmp_path):
    evil = "</script><script>document.title='taken'</script>"
    table = pd.DataFrame(
        {evil: [0.0, 1, 2, 3, 4, 5] * 5, "y": [evil, "b", "b", evil, evil, "b"] * 5}
    )
    found = study(table, target="y", embed_data=True)
    found.save_report(tmp_path / "report.html")
    page = opened(tmp_path / "report.html")
    assert NOW in says(page)
    assert "taken" not in page.title()
    assert opened.troubles == []


def test_without_a_proof_the_page_has_no_place_for_one(opened, tmp_path):
    table = pd.DataFrame({"a": [1.0, 2, 3, 4] * 5, "y": [0, 1, 0, 1] * 5})
    found = study(table, target="y", private=True)
    assert "conflict" in found.certificate.to_dict()
    (tmp_path / "report.html").write_text(found._page())
    page = opened(tmp_path / "report.html")
    assert page.locator("#checked, #certificate, #held").count() == 0
    assert page.locator("#theme").is_visible()
    assert len(render(found.to_dict())) + 30_000 < len(study(table, target="y")._page())
