"""The one palette: a thing has the same colour in the playground, in plots and in the report.

A class has a colour and a shape everywhere: the positive one is a blue circle, the negative one an
orange triangle, a third one a purple square. Nothing is told by colour alone.
"""

from __future__ import annotations

# By role: on light ground, on dark ground.
COLOURS = {
    "page": ("#fbfaf7", "#0f1216"),
    "card": ("#ffffff", "#151a20"),  # boards and cards
    "lane": ("#efeee9", "#1b2129"),  # what lies deeper than the page
    "ink": ("#15181c", "#f0f2f5"),
    "quiet": ("#575e6a", "#a7afbb"),
    "line": ("#dfdfda", "#2e353f"),  # hairlines
    "edge": ("#84898f", "#7b838f"),  # of a control that can be used
    "pos": ("#0068a8", "#58b2ec"),
    "neg": ("#bb520a", "#f0a35a"),
    "third": ("#7b1e5a", "#f7c9e8"),
    "on": ("#ffffff", "#0d1117"),  # letters on the colour of a class
    "pos-tint": ("#1285d6", "#3a9be0"),  # of a half-plane, the stronger the higher |score|
    "neg-tint": ("#ea7a1f", "#e08a3a"),
    "third-tint": ("#a03a7c", "#c98ab2"),
    "pos-soft": ("#d5e8f5", "#1c3a50"),
    "neg-soft": ("#fbe3d0", "#4a3018"),
    "good": ("#17693f", "#7fd6a8"),
    "good-soft": ("#d9efe2", "#17392a"),
    "odd": ("#8a4b00", "#f3c07a"),
    "odd-soft": ("#fdf0d9", "#40300f"),
    "bad": ("#a3261b", "#ff9d92"),
    "bad-soft": ("#fbe4e1", "#481f1b"),
    "mark": ("#ffd94a", "#ffd94a"),  # what is spoken of: always with a ring of ink
    "marked": ("#ffe98f", "#5d4c08"),
}


def light(role: str) -> str:
    return COLOURS[role][0]


def css() -> str:
    """Custom properties: `var(--pos)` is the colour of the positive class, by light and by dark."""
    return " ".join(f"--{role}: light-dark({a}, {b});" for role, (a, b) in COLOURS.items())
