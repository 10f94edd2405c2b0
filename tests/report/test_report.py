"""The report as HTML: nothing of the document is lost, nothing of it is taken for markup."""

import base64
import copy
import hashlib
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import reports
from rosenblatt._util.text import clip, number, percent, shown
from rosenblatt.report import charts, render
from rosenblatt.report.charts import Rate, nice_ticks, thinned
from rosenblatt.report.page import matrix

POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{}'; img-src data:"
each = pytest.mark.parametrize("name", reports.ALL)


class Page(HTMLParser):
    """What a parser makes of it: tags with attributes, the text that is read, the scripts."""

    VOID = ("meta", "br", "img", "link", "input", "hr", "wbr")

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


def words(page):
    return re.sub(r"\s+", " ", page.text)


def test_a_page_of_very_many_features_says_how_many_are_not_there():
    said = words(Page(render(reports.wide(5000))))
    assert "+ 4,992 lighter terms" in said
    assert "The 12 heaviest of 5,000 weights" in said
    assert "And 4,500 lighter ones; model.json has them all." in said
    assert "How 5,000 columns became numbers" in said
    assert "And 4,500 more; model.json has them all." in said
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
        return [tag for tag, _ in Page(render(content)).tags if tag != "title"]

    assert tags(label, column) == tags("yes", "income")


def test_a_page_can_be_written_as_utf_8_whatever_its_names_are():
    assert "half \\ud83d pair" in render(reports.hostile()).encode("utf-8").decode()


LEFT_OUT = list(product(["costs", "separable"], [None, "removed"]))


def parts(content, path=()):
    """The paths to all that a document has; a list is there or is not, its entries are whole."""
    for key, value in content.items():
        yield (*path, key)
        if isinstance(value, dict) and key not in ("counts", "meeting_point"):
            yield from parts(value, (*path, key))


@pytest.mark.parametrize(("name", "left_out"), LEFT_OUT)
def test_whatever_is_missing_is_left_out(name, left_out, heavy):
    """Each part in one of the four ways; in `make soak` in every way."""
    whole, turn = reports.ALL[name](), LEFT_OUT.index((name, left_out))
    for curve in ("roc", "thresholds"):
        del whole[curve]["points"][3:-1]  # they are alike
    paths = list(parts(whole))
    for path in paths if heavy(100) == 100 else paths[turn :: len(LEFT_OUT)]:
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
    order = re.findall(r'<h[23][^>]* id="([a-z]+)"', render(reports.credit()))
    assert order == [
        *("error", "confusion", "rule", "thresholds", "verdict", "fewest", "forced", "check"),
        *("candidates", "learning", "margins", "hardest", "data"),
    ]
    order = re.findall(r'<h[23][^>]* id="([a-z]+)"', render(reports.card()))
    assert order[:3] == ["card", "error", "confusion"]


def test_the_question_and_the_answer_with_its_caution():
    said = words(Page(render(reports.credit())))
    assert "Can card be predicted from 9 columns? Better than guessing: 15.5% of the 264" in said
    assert "But it misses 34 of the 59 rows labelled no." in said
    assert "without them, 15.5% are wrong." in words(Page(render(reports.leak())))


def test_the_numbers_of_the_credit_table_are_on_its_page():
    page = Page(render(reports.credit()))
    said = words(page)
    assert "between 11.4% and 20.5%; always saying yes would be wrong on 22.3%." in said
    assert "card = yes if − 4.48·reports + 0.334·active" in said
    assert "− 1.71·[selfemp=yes]" in said
    assert "No line has all of these rows strictly on the right side: labelled no" in said
    assert "no 5942.4%78.1%" in said  # 25 of 59 found, 25 of 32 called so are
    assert "AUC 0.853, 95% interval 0.788 to 0.918 (DeLong)" in said
    compared = page.having("aria-label")
    beside = next(text for text in compared if text.startswith("this rule: 15.5%"))
    for name, peer in zip(
        ("logistic regression", "gradient boosting", "reports alone"),
        reports.credit()["comparisons"][1:],
        strict=True,
    ):
        low, high = (percent(end) for end in peer["interval"])
        rate = percent(peer["test_errors"] / 264)
        assert f"{name}: {rate}, between {low} and {high}" in beside


def test_a_proved_sign_is_marked_beside_its_weight():
    content = reports.credit()
    assert [c["feature"] for c in content["forced"]["columns"] if c["sign"]] == ["reports"]
    page = Page(render(content))
    assert page.text.count("✓") == 2  # beside the weight, and where it is explained
    assert "every rule with as few errors as the best found has this sign" in words(page)
    assert "✓" not in Page(render(content | {"forced": None})).text


def test_costs_lead_where_they_decide():
    content = reports.costs()
    page = Page(render(content))
    said, cost, n = words(page), content["cost"], content["error"]["test_n"]
    low, high = cost["interval"]
    assert f"cost {cost['per_row']:.3g} a row, between {low:.3g} and {high:.3g}" in said
    assert "no predicted yes costs 5; other errors cost 1." in said
    granted, refused = (one["cost"] for one in content["by_class"])
    assert granted + refused == cost["total"]
    label = min(cost["always"], key=cost["always"].get)
    beside = next(a for a in page.having("aria-label") if a.startswith("this rule: "))
    assert f"always {label}: {cost['always'][label] / n:.3g}" in beside
    peer = content["comparisons"][1]
    assert f"logistic regression: {number(peer['cost'], 3)}" in beside
    assert "cost a row" in said
    assert "cost a row" not in words(Page(render(reports.credit())))


def test_labels_that_are_numbers_stand_in_quotes():
    content = reports.costs()
    content["asked"]["costs"] = [
        {"actual": "0", "predicted": "1", "cost": 5.0},
        {"actual": "1", "predicted": "0", "cost": 2.0},
    ]
    said = words(Page(render(content)))
    assert '"0" predicted "1" costs 5, "1" predicted "0" costs 2.' in said  # there are no others
    assert "other errors" not in said[: said.index('"1" predicted "0"') + 40]


def test_a_rare_number_is_not_called_a_category():
    content = reports.leak()
    content["verdict"] |= {"rare_columns": ["debt", "town=c"], "rare_numbers": ["debt"]}
    said = words(Page(render(content)))
    assert "debt: a number that is the same in all rows but a few" in said
    assert "town=c: a rare category with rows of one label only" in said


def test_a_table_with_a_telling_column_says_which_and_what_leaving_it_out_would_do():
    page = Page(render(reports.leak()))
    said = words(page)
    assert "expenditure alone determines the label of some rows without an error." in said
    assert "for the label yes these coefficients run to infinity: expenditure (+)." in said
    assert "With these columns 2.3% wrong, without them 15.5%." in page.having("aria-label")


def test_what_changes_nothing_of_the_answer_is_no_alarm():
    constant = {"kind": "constant", "columns": ["a"], "sentence": "a is the same", "advice": {}}
    content = reports.credit()
    content["data"]["warnings"] = [constant]
    assert 'class="warning mild"' in render(content)
    assert 'class="warning mild"' not in render(reports.leak())


def test_a_separable_table_has_margin_and_bound():
    said = words(Page(render(reports.separable())))
    assert "0.0432 to 0.0433" in said
    assert "at least 0.02" in said
    assert "4,567 updates" in said
    assert "a linear rule is right about all 1,319 rows" in said


def test_undecided_has_no_badge():
    page = render(reports.undecided())
    assert "undecided whether a linear rule is right about all 1,319 rows" in page
    assert 'class="tag' not in page


def test_importing_the_report_loads_no_templates():
    code = "import sys, rosenblatt.report; print('jinja2' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


# --- Charts ---


def numbers(svg, tag, attribute, kind=None):
    return [
        float(a[attribute])
        for t, a in Page(str(svg)).tags
        if t == tag and attribute in a and (kind is None or kind in a["class"].split())
    ]


def kinds(svg, tag):
    return [a["class"] for t, a in Page(str(svg)).tags if t == tag]


def points(svg, kind):
    """The places of a curve or an area, in order."""
    [drawn] = [a["d"] for t, a in Page(str(svg)).tags if t == "path" and kind in a["class"].split()]
    return [tuple(map(float, place.split())) for place in drawn[1:].split("L")]


def test_rates_stand_on_one_axis_with_their_intervals():
    compared = [Rate("a", 0.1, (0.05, 0.2), "own"), Rate("always b", 0.25, None, "floor")]
    svg = charts.rates(compared, True)
    [at], [start], [wide] = (
        numbers(svg, "circle", "cx", "pos"),
        numbers(svg, "rect", "x", "pos-soft"),
        numbers(svg, "rect", "width", "pos-soft"),
    )
    assert (at - start) / wide == pytest.approx(1 / 3, abs=0.01)
    [floor] = numbers(svg, "line", "x1", "zero")
    assert (floor - start) / wide == pytest.approx(4 / 3, abs=0.01)
    assert "a: 10.0%, between 5.0% and 20.0%; always b: 25.0%." in str(svg)


def test_every_test_row_is_a_mark_and_the_wrong_ones_are_solid():
    svg = charts.errors(["no", "yes"], [[25, 34], [7, 198]])
    drawn = {a["class"]: a["d"].count("M") for tag, a in Page(str(svg)).tags if tag == "path"}
    assert drawn == {"neg": 34, "neg-soft": 25, "dots pos": 7, "dots pos-soft": 198}
    assert "34 of 59 no are predicted yes; 7 of 205 yes are predicted no." in str(svg)


def test_many_test_rows_are_bars():
    svg = charts.errors(["no", "yes"], [[3000, 1000], [0, 500]])
    assert not kinds(svg, "path")
    [wrong, none], whole = (
        numbers(svg, "rect", "width", "neg") + numbers(svg, "rect", "width", "pos"),
        numbers(svg, "rect", "width", "neg-soft")[0],
    )
    assert [wrong / whole, none] == [0.25, 0]


def test_bars_are_as_long_as_their_weights_and_start_at_zero():
    terms = [("a", 3.0), ("b", -1.0), ("c", 0.0)]
    terms = [{"feature": a, "scaled_weight": w, "weight": 2 * w} for a, w in terms]
    svg = charts.weights(terms, ("no", "yes"), {"a"})
    lengths, starts = numbers(svg, "rect", "width"), numbers(svg, "rect", "x")
    [zero] = numbers(svg, "line", "x1", "axis")
    assert lengths[0] == pytest.approx(3 * lengths[1], abs=0.3)
    assert [starts[0], starts[1] + lengths[1]] == pytest.approx([zero, zero], abs=0.2)
    assert kinds(svg, "rect") == ["pos", "neg", "pos"]
    assert "3 ✓" in str(svg)
    assert "−2<" in str(svg)  # in the units of the table


def test_the_cost_of_errors_is_two_areas_over_the_probability():
    def point(probability, missed, false):
        cost = 2 * missed + false
        given = {"probability": probability, "missed": missed, "false": false, "cost": cost}
        return given | {"predicted": 10, "threshold": 0.0}

    found = {"label": "yes", "other": "no", "costs": [2.0, 1.0], "rows": 20}
    found["points"] = [point(0.0, 0, 10), point(0.5, 2, 4), point(1.0, 10, 0)]
    found["chosen"] = point(0.5, 2, 4)
    svg = charts.thresholds(found)
    # costs 10, 8 and 20, on an axis to 30: three times the least, 24, rounded up
    places = points(svg, "cost")
    low, high = 212, 20
    assert [x for x, _ in places] == [44, 223, 402]
    assert [y for _, y in places] == pytest.approx(
        [low - (low - high) * cost / 30 for cost in (10, 8, 20)], abs=0.1
    )
    assert points(svg, "false")[1][1] == pytest.approx(low - (low - high) * 4 / 30, abs=0.1)
    assert numbers(svg, "circle", "cx", "hollow") == [223]


def test_a_histogram_has_a_bar_for_every_count_that_is_not_zero():
    found = {"edges": [-1, 0, 1, 2], "counts": {"yes": [1, 0, 4], "no": [0, 2, 1]}, "unit": "score"}
    svg = charts.margins(found, ["no", "yes"])
    heights = numbers(svg, "rect", "height")
    assert heights == pytest.approx([21, 84, 84, 42])  # 84 for the most of each class
    assert kinds(svg, "rect") == ["pos-soft", "pos", "neg", "neg"]
    assert "5 rows of yes, 1 below zero; 3 rows of no, 0 below zero." in str(svg)


def test_zero_is_in_every_histogram():
    found = {"edges": [1, 2, 4], "counts": {"yes": [1, 2], "no": [0, 0]}, "unit": "score"}
    svg = charts.margins(found, ["no", "yes"])
    assert numbers(svg, "rect", "x") == pytest.approx([6 + 102 + 0.5, 6 + 204 + 0.5])


def test_learning_goes_from_its_first_to_its_last_epoch():
    svg = charts.learning({"mistakes": [10, 5, 0], "kept": None})
    assert points(svg, "quiet") == [(48, 10), (197, 80), (346, 150)]
    assert "updates: from 10 to 0, lowest 0" in str(svg)


def test_rows_of_a_conflict_are_as_high_as_their_shares():
    svg = charts.balance([("no", [(4, 0.75), (9, 0.25)]), ("yes", [(1, 1.0)])])
    heights = numbers(svg, "rect", "height")
    assert heights == pytest.approx([96, 31, 128.5])  # of 130, less the gaps
    assert "2 rows labelled no and 1 row labelled yes are equal" in str(svg)


def test_the_fewest_errors_are_in_a_bracket():
    svg = charts.bracket({"at_least": 20, "errors": 60, "rule_errors": 80})
    start, end = numbers(svg, "line", "x1", "axis")
    [wide] = numbers(svg, "rect", "width", "good-soft")
    assert wide == pytest.approx(end - start, abs=0.2)
    [own] = numbers(svg, "circle", "cx")
    assert (own - end) / (end - start) == pytest.approx(0.5, abs=0.01)


def test_the_classes_of_a_large_matrix_that_err_most_come_first():
    counts = [[9 if i == j else int(i == 7) for j in range(15)] for i in range(15)]
    found = matrix({"labels": [f"c{i}" for i in range(15)], "counts": counts})
    assert (found[0]["label"], found[0]["errors"], found[0]["rows"]) == ("c7", 14, 23)


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=5000))
def test_a_thinned_line_keeps_its_ends_and_extremes(values):
    kept = thinned(values)
    assert len(kept) <= 402
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


def test_of_a_word_of_prose_the_word_is_shown_whole():
    content = reports.credit()
    for term, word in zip(content["rule"]["terms"], ("n_samples", "regularisation"), strict=False):
        term["feature"] = f"docstring: {word}"
    page = render(content)
    assert ">docstri…: n_samples</text>" in page
    assert ">do…: regularisation</text>" in page


def test_the_two_lines_of_learning_are_named_one_below_the_other():
    content = reports.credit()
    content["learning"] |= {"mistakes": [900, 100], "kept": [800, 99]}
    picture = str(charts.learning(content["learning"]))
    places = re.findall(r'<text class="small (?:quiet|pos)" x="352.0" y="([\d.]+)"', picture)
    assert float(places[1]) - float(places[0]) >= 12
