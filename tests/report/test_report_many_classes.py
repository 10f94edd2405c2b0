"""The report of more than two classes: every class has its card, its errors and its rivals."""

import re

import reports
from rosenblatt.report import render


def texts(page, tag):
    """What stands in each element of this name, without markup."""
    found = re.findall(rf"<{tag}\b[^>]*>(.*?)</{tag}>", page, re.DOTALL)
    return [" ".join(re.sub(r"<[^>]+>", " ", text).split()) for text in found]


def table(page, label):
    """Lines of the table in the region with this name."""
    region = page[page.index(f'aria-label="{label}, a table"') :]
    return texts(region[: region.index("</table>")], "tr")


def test_the_matrix_has_all_classes_and_the_errors_of_each():
    content = reports.species()
    content["confusion"]["counts"] = [[10, 0, 0], [0, 6, 4], [1, 2, 5]]
    lines = table(render(content), "Right and wrong by class")
    assert lines[0] == "predicted → setosa versicolor virginica wrong"
    assert lines[1:] == [
        "setosa 10 0 0 0.0% 0 of 10",
        "versicolor 0 6 4 40.0% 4 of 10",
        "virginica 1 2 5 37.5% 3 of 8",
    ]


def test_each_class_has_its_weights_and_rivals_are_told_apart():
    content = reports.species()
    page = render(content)
    assert "The label with the highest of 3 scores" in page
    for card in content["rule"]["classes"]:
        heaviest = card["terms"][0]
        assert f"The heaviest weights: {heaviest['feature']}: " in page
    pair = content["rule"]["differences"][0]
    assert f"<strong><bdi>{pair['label']}</bdi></strong>, not" in page
    assert page.count('class="formula"') == len(content["rule"]["differences"])


def test_the_probabilities_of_all_classes_have_a_picture_and_a_table():
    content = reports.species()
    page = render(content)
    assert "How likely is each label?" in page
    assert "Where should" not in page
    told = content["calibration"]
    first = told["bins"][0]
    assert f"How often the likeliest label came true: {first['rows']} rows at" in page
    lines = table(page, "Expected rows by label")
    assert lines[0] == "label expected test rows predicted"
    assert [line.split()[0] for line in lines[1:]] == content["confusion"]["labels"]
    of_first = content["by_class"][0]
    assert lines[1].split()[2:] == [str(of_first["rows"]), str(of_first["predicted"])]


def test_margins_of_all_classes_are_one_picture():
    content = reports.species()
    rows = sum(map(sum, content["margins"]["counts"].values()))
    page = render(content)
    assert f"{rows} rows of all classes" in page
    assert "boundary with the nearest other class" in page
    assert "vertical scale" not in page


def test_the_conflict_names_rivals_and_the_verdict_pairs():
    content = reports.species()
    page = render(content)
    conflict = content["verdict"]["conflict"]
    expected = zip(conflict["rows"], conflict["labels"], conflict["rivals"], strict=True)
    assert table(page, "The rows in conflict")[1:] == [f"{r + 1} {a} {b}" for r, a, b in expected]
    assert "Rows are counted from 1, without the header." in page
    assert "versicolor and virginica 100 0" in table(page, "Pairs of classes")
    assert "Can linear scores separate these classes?" in page
    assert "Can a line separate" not in page


def test_nothing_of_it_is_on_the_page_of_two_classes():
    page = render(reports.credit())
    for said in ('class="cards"', "nearest other class", "Pairs of classes", 'class="matrix"'):
        assert said not in page
