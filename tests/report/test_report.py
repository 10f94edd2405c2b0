"""The report as HTML: nothing of the document is lost, nothing of it is taken for markup."""

import base64
import copy
import hashlib
import json
import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

import reports
from rosenblatt._util.text import clip, number, percent, shown
from rosenblatt.report import render
from rosenblatt.report.charts import Charts, Plane, nice_ticks, thinned

POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{}'; img-src data:"
each = pytest.mark.parametrize("name", reports.ALL)


class Page(HTMLParser):
    """What a parser makes of it: tags with attributes, the text that is read, the scripts."""

    VOID = ("meta", "br", "img", "link", "input", "hr")

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.scripts, self.text, self.open = [], [], "", []
        self.feed(text)
        self.close()
        assert not self.open, "every element is closed"

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in self.VOID:
            self.open.append(tag)
        if tag == "script":
            self.scripts.append("")

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1:] == ["script"]:
            self.scripts[-1] += data
        else:
            self.text += data

    def having(self, attribute):
        return [attributes[attribute] for _, attributes in self.tags if attribute in attributes]


@each
def test_the_same_document_is_embedded(name):
    content = reports.ALL[name]()
    before = copy.deepcopy(content)
    page = Page(render(content))
    attributes = next(a for tag, a in page.tags if tag == "script")
    assert attributes == {"type": "application/json", "id": "report"}
    assert json.loads(page.scripts[0]) == before == content


@each
def test_a_page_needs_nothing_else(name):
    text = render(reports.ALL[name]())
    page = Page(text)
    digest = hashlib.sha256(page.scripts[1].encode()).digest()  # that one, and no other
    assert POLICY.format(base64.b64encode(digest).decode()) in page.having("content")
    assert not page.having("src") + page.having("href")
    assert not re.search(r"https?://|@import|url\(", text)
    assert len(page.scripts) == 2
    assert not [a for _, attributes in page.tags for a in attributes if a.startswith("on")]
    assert not {"img", "link", "iframe", "object", "form"} & {tag for tag, _ in page.tags}


@each
def test_a_page_can_be_mailed(name):
    text = render(reports.ALL[name]())
    assert len(text.encode()) < (500_000 if name == "wide" else 150_000)


def test_a_page_of_very_many_features_says_how_many_are_not_there():
    said = re.sub(r"\s+", " ", Page(render(reports.wide(5000))).text)
    assert "+ 4,992 lighter terms" in said
    assert "The 20 heaviest of 5,000 weights" in said
    assert "And 4,500 lighter ones; model.json has them all." in said
    assert "How 5,000 columns became numbers" in said
    assert "And 4,500 more; model.json has them all." in said
    assert "4,988 more And" not in said
    assert "And 4,500 more; certificate.json has them all." in said
    assert "The 9 heaviest of 5,000 columns." in said


@each
def test_ids_are_unique_and_what_refers_to_them_finds_them(name):
    page = Page(render(reports.ALL[name]()))
    ids = page.having("id")
    assert len(ids) == len(set(ids))
    for names in page.having("aria-labelledby"):
        assert set(names.split()) <= set(ids)


def test_names_from_anywhere_are_shown_as_text():
    page = Page(render(reports.hostile()))
    said = re.sub(r"\s+", " ", page.text)
    for name in reports.HOSTILE:
        if len(name) < 40:
            assert re.sub(r"\s+", " ", shown(name)).strip() in said
    assert "x" * 300 in page.having("title")
    assert "\u202e" not in page.text
    assert "7008001" not in said


@given(st.text(min_size=1), st.text(min_size=1))
def test_no_name_changes_the_structure_of_the_page(label, column):
    def tags(label, column):
        content = reports.tiny()
        content["rule"] |= {"label": label, "terms": [content["rule"]["terms"][0]]}
        content["rule"]["terms"][0]["feature"] = column
        content["data"] |= {"target": column, "files": [label], "ignored": [column]}
        content["margins"]["counts"] = {label + "1": [1], label + "2": [2]}
        content["verdict"]["meeting_point"] = {column: 1.0}
        return [tag for tag, _ in Page(render(content)).tags if tag != "title"]

    assert tags(label, column) == tags("yes", "income")


def test_a_page_can_be_written_as_utf_8_whatever_its_names_are():
    assert "half \\ud83d pair" in render(reports.hostile()).encode("utf-8").decode()


def parts(content, path=()):
    """The paths to all that a document has; a list is there or is not, its entries are whole."""
    for key, value in content.items():
        yield (*path, key)
        if isinstance(value, dict) and key not in ("counts", "meeting_point"):
            yield from parts(value, (*path, key))


@pytest.mark.parametrize("left_out", [None, "removed"])
@pytest.mark.parametrize("name", ["costs", "separable"])
def test_whatever_is_missing_is_left_out(name, left_out):
    whole = reports.ALL[name]()
    for curve in ("roc", "thresholds"):
        del whole[curve]["points"][3:-1]  # they are alike
    for path in parts(whole):
        content = copy.deepcopy(whole)
        place = content
        for key in path[:-1]:
            place = place[key]
        if left_out is None:
            place[path[-1]] = None
        else:
            del place[path[-1]]
        page = Page(render(content))
        assert "None" not in page.text
        assert "Undefined" not in page.text


def test_of_nothing_at_all_there_is_a_page():
    page = Page(render({}))
    assert "A linear rule" in page.text
    assert page.scripts[0] == "{}"
    assert "section" not in [tag for tag, _ in page.tags]


def test_the_answer_comes_first_and_then_why():
    text = render(reports.leak())
    order = re.findall(r'<h2 id="([a-z]+)"', text)
    assert order == [
        *("error", "rule", "warnings", "verdict", "candidates"),
        *("thresholds", "roc", "probabilities", "weights"),
        *("learning", "margins", "confusion", "hardest", "data", "reproduce"),
    ]
    order = re.findall(r'<h2 id="([a-z]+)"', render(reports.separable()))
    assert order[2:5] == ["verdict", "training", "candidates"]  # where there is a margin to tell


def test_the_numbers_of_the_credit_table_are_on_its_page():
    said = re.sub(r"\s+", " ", Page(render(reports.credit())).text)
    assert "Wrong on 41 of 264 test rows; with 95% confidence between 11.4% and 20.5%." in said
    assert "Always saying yes would be wrong on 59 (22.3%)." in said
    assert "card = yes if − 4.48 · reports + 0.334 · active" in said
    assert "− 1.71 · [selfemp=yes]" in said
    assert "4 rows labelled no equals a weighted average of 3 rows labelled yes" in said
    assert "The 1,055 training rows are not separable" in said
    assert "no34 of 5942.4%78.1%" in said  # 25 of 59 found, 25 of 32 called so are
    assert "AUC 0.853, 95% interval 0.788 to 0.918 (DeLong)" in said
    peers = [(c["name"], c["test_errors"]) for c in reports.credit()["comparisons"][1:]]
    assert [name for name, _ in peers] == ["logistic", "boosting"]
    assert all(f"{name} {errors / 264:.1%}" in said for name, errors in peers)


def test_costs_lead_where_they_decide():
    content = reports.costs()
    said = re.sub(r"\s+", " ", Page(render(content)).text)
    cost = content["cost"]
    assert f"Cost of errors on rows it has never seen {cost['per_row']:.3g} a row" in said
    assert "no called yes costs 5; other errors cost 1.)" in said
    granted, refused = (one["cost"] for one in content["by_class"])
    assert granted + refused == cost["total"]
    assert "cost of the errors" in said
    assert "cost a row" in said
    assert "cost a row" not in Page(render(reports.credit())).text


def test_the_picture_of_the_headline_is_of_the_cost_where_that_decides():
    content = reports.costs()
    cost, n = content["cost"], content["error"]["test_n"]
    label = min(cost["always"], key=cost["always"].get)
    low, high = cost["interval"]
    said = Page(render(content)).text
    assert "The cost of a test row" in said
    assert "The error on the test rows" not in said
    assert (
        f"{cost['per_row']:.3g}, between {low:.3g} and {high:.3g}; "
        f"always saying {label}: {cost['always'][label] / n:.3g}." in said
    )
    assert "The error on the test rows" in Page(render(reports.credit())).text


def test_labels_that_are_numbers_stand_in_quotes():
    content = reports.costs()
    content["asked"]["costs"] = [
        {"actual": "0", "predicted": "1", "cost": 5.0},
        {"actual": "1", "predicted": "0", "cost": 2.0},
    ]
    content["error"]["majority_label"] = "1"
    said = re.sub(r"\s+", " ", Page(render(content)).text)
    assert '("0" called "1" costs 5, "1" called "0" costs 2.)' in said  # there are no others
    assert 'Always saying "1" would be wrong on' in said


def test_a_rare_number_is_not_called_a_category():
    content = reports.leak()
    content["verdict"] |= {"rare_columns": ["debt", "town=c"], "rare_numbers": ["debt"]}
    said = re.sub(r"\s+", " ", Page(render(content)).text)
    assert "debt: a number that is the same in all rows but a few" in said
    assert "town=c: a rare category with rows of one label only" in said


def test_curves_are_drawn_where_their_numbers_are():
    plane = Plane([0.0, 1.0], [0.0, 10.0], 178, 166)  # 100 wide, 100 high
    assert (plane.x(0), plane.x(0.5), plane.x(1)) == (58, 108, 158)
    assert (plane.y(0), plane.y(5), plane.y(10)) == (114, 64, 14)
    assert plane.line([(0, 0), (1, 10)], "first") == (
        '<polyline class="first" points="58.0,114.0 158.0,14.0"/>'
    )


def test_a_table_with_a_telling_column_says_which():
    said = re.sub(r"\s+", " ", Page(render(reports.leak())).text)
    assert "expenditure tells the label of some rows alone, without an error." in said
    assert "1,002 of 1,319" in said
    assert "for the label yes these coefficients run to infinity: expenditure (+)." in said


def test_a_separable_table_has_margin_and_bound():
    said = re.sub(r"\s+", " ", Page(render(reports.separable())).text)
    assert "0.0432 to 0.0433" in said
    assert "at least 0.02" in said
    assert "123,456" in said
    assert "4,567 updates" in said


def test_importing_the_report_loads_no_templates():
    code = "import sys, rosenblatt.report; print('jinja2' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


# --- Charts ---


def numbers(svg, tag, attribute):
    return [float(a[attribute]) for t, a in Page(str(svg)).tags if t == tag and attribute in a]


def test_bars_are_as_long_as_their_numbers_and_start_at_zero():
    svg = Charts().bars([("a", 3.0), ("b", -1.0), ("c", 0.0)], "title")
    lengths, starts = numbers(svg, "rect", "width"), numbers(svg, "rect", "x")
    zero = numbers(svg, "line", "x1")[0]
    assert lengths[0] == pytest.approx(3 * lengths[1], abs=0.2)
    assert lengths[2] == 0
    assert [starts[0], starts[1] + lengths[1]] == pytest.approx([zero, zero], abs=0.2)


def test_a_histogram_has_a_bar_for_every_count_that_is_not_zero():
    svg = Charts().histogram([-1, 0, 1, 2], {"yes": [1, 0, 4], "no": [0, 2, 1]}, "t", "x")
    heights = numbers(svg, "rect", "height")
    assert heights == pytest.approx([26, 104, 104, 52])  # 104 for the most of each class
    assert str(svg).count("wrong") == 1
    assert "yes: 5 rows, 1 in bars at or below zero; no: 3 rows, 0 in" in str(svg)


def test_a_line_goes_from_its_first_to_its_last_value():
    svg = str(Charts().line({"errors": [10, 5, 0]}, "t", "epoch"))
    assert 'points="64.0,14.0 382.0,120.0 700.0,226.0"' in svg
    assert "errors: from 10 to 0, lowest 0" in svg


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=5000))
def test_a_thinned_line_keeps_its_ends_and_extremes(values):
    kept = thinned(values)
    assert len(kept) <= 802
    assert all(values[place - 1] == value for place, value in kept)
    assert kept[0] == (1, values[0])
    assert kept[-1] == (len(values), values[-1])
    assert {min(values), max(values)} <= {value for _, value in kept}


@given(st.floats(-1e9, 1e9), st.floats(1e-6, 1e9))
def test_ticks_are_few_and_enclose(low, span):
    high = low + span
    if high == low:
        return
    ticks = nice_ticks(low, high)
    assert 2 <= len(ticks) <= 8
    room = 1e-6 * (abs(low) + abs(high) + span)
    assert ticks[0] <= low + room
    assert ticks[-1] >= high - room


def test_ticks_by_hand():
    assert nice_ticks(0, 0.25) == [0, 0.05, 0.1, 0.15, 0.2, 0.25]
    assert nice_ticks(-1.86, 6.9) == [-2, 0, 2, 4, 6, 8]
    assert nice_ticks(0, 3, whole=True) == [0, 1, 2, 3]
    assert nice_ticks(0, 12, whole=True) == [0, 5, 10, 15]


def test_zero_is_in_every_histogram():
    svg = Charts().histogram([1, 2, 4], {"yes": [1, 2]}, "t", "x")
    assert numbers(svg, "rect", "x") == pytest.approx([64 + 636 / 4 + 0.5, 64 + 636 / 2 + 0.5])


# --- Words ---


def test_numbers_say_what_they_are():
    said = [number(v) for v in (1234567, 0.25, -1234.5678, 3.0, 1e20, None, "text", 0)]
    assert said == ["1,234,567", "0.25", "−1,235", "3", "1e+20", "", "text", "0"]


def test_few_is_not_none_and_nearly_all_is_not_all():
    said = [percent(r) for r in (0, 0.0001, 0.5, 0.9999, 1, None)]
    assert said == ["0.0%", "under 0.1%", "50.0%", "over 99.9%", "100.0%", ""]


@given(st.text(), st.integers(2, 40))
def test_a_clipped_text_is_the_text_or_its_beginning(text, width):
    said = clip(text, width)
    assert said == text or (said.endswith("…") and text.startswith(said[:-1]))
    assert len(said) <= max(width, 1)


def test_characters_that_turn_or_hide_text_are_spelled_out():
    assert shown("a\u202eb\x00c\ud83d") == "a\\u202eb\\x00c\\ud83d"
    assert shown("دخل 年 é\n") == "دخل 年 é\n"
