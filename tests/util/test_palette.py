"""One palette for all that is drawn, and everyone can tell its colours from their ground."""

import itertools
import re
from pathlib import Path

import pytest

import rosenblatt
from rosenblatt._util.palette import COLOURS, css
from rosenblatt.plots import style

PAGES = Path(rosenblatt.__file__).parent


def luminance(colour):
    channels = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in channels]
    return sum(w * v for w, v in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, other):
    """As WCAG 2 defines it."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [0, 1])
def test_words_and_classes_can_be_read_on_every_ground(theme):
    of = {role: pair[theme] for role, pair in COLOURS.items()}
    words = ("ink", "quiet", "pos", "neg", "third", "good", "odd", "bad")
    pairs = [*itertools.product(words, ("page", "card")), *((c, "on") for c in words[2:5])]
    pairs += [(f"{c}-soft", c) for c in ("good", "odd", "bad")]
    pairs += [
        ("ink", "pos-soft"),
        ("ink", "neg-soft"),
        ("ink", "marked"),
        ("ink", "lane"),
        ("quiet", "lane"),
    ]
    found = {pair: contrast(*(of[role] for role in pair)) for pair in pairs}
    assert {pair: value for pair, value in found.items() if value < 4.5} == {}


def test_pages_and_plots_have_no_colours_of_their_own():
    for file in ("play/assets/style.css", "report/templates/style.css"):
        on_screen = (PAGES / file).read_text().split("@media print")[0]
        assert not re.search(r"#[0-9a-f]{6}\b", on_screen)
    assert [style.look(c) for c in range(3)] == [
        (COLOURS["neg"][0], "^"),
        (COLOURS["pos"][0], "o"),
        (COLOURS["third"][0], "s"),
    ]
    assert len({style.look(c) for c in range(56)}) == 56
    assert css().count("light-dark(") == len(COLOURS)
