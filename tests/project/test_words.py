"""Plain words: no riddles, no sentence that has to be read twice. CONTRIBUTING.md has the style."""

import re
from functools import cache

import pytest

import sentences as read

LONGEST = 40
KINDS = {
    "pages": read.of_pages,
    "docstrings": read.of_docstrings,
    "messages": read.of_messages,
    "report": read.of_templates,
    "playground": read.of_playground,
}

# What readers misunderstood, and what it was to say.
RIDDLES = {
    "none can do better": "say what it means: how many rows are decided for certain",
    "every hyperplane has one of": "say first that no linear rule is right about all rows",
    "the bracket that comes": "the largest margin is known only up to a lower and an upper end",
    "the certificate stays away": "no certificate is written when …",
    "accepted by the vectorised": "the proof was checked when it was found",
    "the end is as it is said": "say what is not recorded",
    "is warned": "prints a warning",
    "known only after the decision?": "possible target leakage: is it recorded only afterwards?",
    "known only after the outcome?": "possible target leakage: is it recorded only afterwards?",
    "the same command goes on": "rerun the same command to resume",
    "from one writing of it": "seconds between checkpoints",
    "of the verdict: or undecided": "stop the separability check after SECONDS",
    "for few rows: k folds": "nested K-fold cross-validation, for small tables",
    "that comes from single rows": "derived from individual rows",
    "also stands for a missing value": "treat TEXT as missing",
    "right if called so": "precision: how often this answer is right",
    "mean the decimal numbers": "certify the decimals as written",
    "it is said how many": "the command prints how many",
    "of equal ones": "on a tie",
    "have a say": "rules that fit as well",
}
AMERICAN = re.compile(
    r"\b(?:behaviors?|colors?|favors?|neighbors?|centers?|labeled|modeled|canceled|gray|catalog"
    r"|(?:normal|recogn|minim|maxim|vector|penal|summar|general|special|real|regular)iz\w+)\b"
)
TITLES = re.compile(r"\*\*|`[^`]*`|\*[^*]+\*|[Aa]daptive regularization of weights")  # as published
PICTURE = re.compile(r"^!\[(.*?)\]\(.*?\)(?:\n\n(.))?", re.MULTILINE)
STYLE = "CONTRIBUTING.md"  # quotes them


@cache
def texts(kind):
    return list(KINDS[kind]())


@pytest.mark.parametrize("kind", KINDS)
def test_every_sentence_can_be_read_at_once(kind):
    lengths = ((where, read.words(text), text) for where, text in texts(kind))
    found = [f"{where}: {n} words: {text}" for where, n, text in lengths if n > LONGEST]
    assert not found, f"break up, at most {LONGEST} words a sentence:\n" + "\n".join(found)


@pytest.mark.parametrize("kind", KINDS)
def test_no_riddles(kind):
    found = [
        f"{where}: {text}\n    {riddle!r} was misread: {instead}"
        for where, text in texts(kind)
        for riddle, instead in RIDDLES.items()
        if riddle in text.lower() and where != STYLE
    ]
    assert not found, "\n".join(found)


def test_pages_are_spelled_as_in_britain():
    plain = ((where, TITLES.sub("", text)) for where, text in texts("pages"))
    assert [(where, word) for where, text in plain for word in AMERICAN.findall(text)] == []


def test_every_page_says_first_what_its_reader_will_have():
    for path in sorted((read.ROOT / "docs").glob("*.md")):
        if path.name == "index.md":  # the way to all others
            continue
        title, opening = path.read_text().split("\n\n")[:2]
        assert title.startswith("# "), path.name
        assert re.match(r"[A-Z*`\[]", opening), path.name
        assert read.words(opening) >= 12, path.name  # no list, no code, no heading


def test_every_picture_has_a_caption():
    """Below it, in italics; the text in its brackets is for those who do not see it."""
    for path in [read.ROOT / "README.md", *sorted((read.ROOT / "docs").glob("*.md"))]:
        for shown, below in PICTURE.findall(path.read_text()):
            assert shown, path.name
            assert below == "*", f"{path.name}: {shown}"


def test_sentences_are_found_where_they_end():
    assert read.sentences("It ends. (So it says.) A part,\ne.g. this one, goes on! Why?") == [
        "It ends.",
        "(So it says.",
        "A part, e.g. this one, goes on!",
        "Why?",
    ]
    assert read.words("With `margin=1.0` it's a well-known rule: w·x + b >= 0 of x_i.") == 5


def test_every_kind_of_text_is_read():
    """A collector that finds nothing would let everything pass."""
    least = {"pages": 1500, "docstrings": 500, "messages": 1000, "report": 100, "playground": 100}
    assert {kind: len(texts(kind)) > n for kind, n in least.items()} == dict.fromkeys(least, True)
    assert any(where == "perceptron.py, Perceptron" for where, _ in texts("docstrings"))
    assert any(where == "certificate.py, certify" for where, _ in texts("docstrings"))
