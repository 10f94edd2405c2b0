"""Names and words of a table reach the terminal spelled out: they move, hide and forge nothing."""

import json
from pathlib import Path

import pytest

from commands import on_a_terminal
from rosenblatt import certify, verify
from rosenblatt._util.text import in_json, one_line, shown

# A cursor that moves, a window that is renamed, a C1 code, a line of ours, text turned round.
HOSTILE = {
    "escape": "\x1b[2J\x1b[31mred",
    "window": "\x1b]0;mine\x07",
    "c1": "\x9b31mred",
    "line": "a\nACCEPTED: complete separation",
    "return": "a\rOverlap",
    "turned": "\u202egnp.exe\u2066",
    "ends": "a\u2028b",
    "delete": "a\x7f\x08b",
}
LOOKS = [ord(c) for text in HOSTILE.values() for c in text if not (c.isprintable() or c == "\n")]


def seen(text):
    """The characters of an output that are more than text."""
    return {ord(c) for c in text} & set(LOOKS)


def row(*fields):
    return ",".join(f'"{field}"' for field in fields)


def table(target, word="yes"):
    """Every hostile name, for a column of numbers and for one of words."""
    names = [*HOSTILE.values(), *(f"words {name}" for name in HOSTILE.values())]
    lines = [row(*names, target)]
    for i in range(60):
        numbers = [(i + j) % 7 + i % 3 for j in range(len(HOSTILE))]
        words = [f"{name}{(i + j) % 3}" for j, name in enumerate(HOSTILE.values())]
        lines.append(row(*numbers, *words, word if i % 2 else f"no {word}"))
    return "\n".join(lines) + "\n"


@pytest.fixture(params=["escape", "turned"])
def hostile(request):
    return HOSTILE[request.param]


@pytest.fixture
def file(tmp_path, hostile):
    path = tmp_path / "t.csv"
    path.write_text(table(f"target {hostile}", hostile), encoding="utf-8", newline="")
    return path


COMMANDS = ["inspect", "certify", "fit", "trace"]


@pytest.mark.parametrize("command", COMMANDS)
def test_of_every_command(shell, file, hostile, command):
    more = ["-o", "out"] if command == "fit" else []
    _, out, err = shell(command, file, "--target", f"target {hostile}", *more)
    assert not seen(out + err)
    assert "ACCEPTED" not in [line.strip()[:8] for line in (out + err).splitlines()]
    assert out or err


@pytest.mark.parametrize("command", COMMANDS)
def test_of_every_error(shell, file, hostile, command):
    _, out, err = shell(command, file, "--target", f"no {hostile}")
    assert "Error" in err
    assert not seen(out + err)
    _, out, err = shell(command, f"no{hostile}.csv", "--target", "y")
    assert err
    assert not seen(out + err)
    _, out, err = shell(command, file, "--impute", hostile)
    assert err
    assert not seen(out + err)


def test_json_says_the_same_and_can_be_looked_at(shell, file, hostile):
    _, out, _ = shell("inspect", file, "--target", f"target {hostile}", "--json")
    assert not seen(out)
    names = {column["name"] for column in json.loads(out)["columns"]}
    assert f"target {hostile}" in names


def test_predictions_on_a_terminal_are_spelled_out_and_elsewhere_as_they_are(shell, tmp_path):
    word = "yes" + HOSTILE["escape"]
    (tmp_path / "t.csv").write_text(table("target x", word), encoding="utf-8")
    shell("fit", "t.csv", "--target", "target x", "-o", "out")
    _, out, _ = shell("predict", "out/model.json", "t.csv")
    assert word in out
    found = on_a_terminal(tmp_path, "predict", "out/model.json", "t.csv", "-q")
    assert "\x1b" not in found
    assert "yes\\x1b[2J" in found


def test_of_a_certificate_in_python(hostile):
    import pandas as pd

    X = pd.DataFrame({hostile: [0.0, 1, 2, 3], f"b{hostile}": [1.0, 0, 1, 0]})
    for y in (["no", "no", hostile, hostile], ["no", hostile, "no", hostile]):
        found = str(certify(X, y))
        assert not seen(found)
        assert not any(line.startswith("ACCEPTED") for line in found.splitlines())


@pytest.mark.parametrize("hostile", HOSTILE.values(), ids=HOSTILE)
def test_of_both_verifiers(shell, capfd, hostile):
    X = [[0.0], [1.0], [2.0], [3.0]]
    certify(X, ["no", "no", "yes", "yes"]).save("c.json")
    claim = json.loads(Path("c.json").read_text())
    quoted = hostile.replace("\n", " ")
    forged = [
        claim | {hostile: 1},
        claim | {"verdict": hostile},
        claim | {"columns": [hostile]},
        claim | {"target": hostile},
        claim | {"labels": {hostile: 1, "no": -1}},
        claim | {"preprocessing": {hostile: hostile}},
        hostile,
    ]
    Path("t.csv").write_text(f"{row('x0', 'y')}\n{row('0', hostile)}\n", encoding="utf-8")
    Path(f"{quoted}.csv").write_text("x0,y\n0,no\n1,no\n2,yes\n3,yes\n")
    for number, document in enumerate([claim, *forged]):
        Path(f"{number}.json").write_text(json.dumps(document))
        for name in ("t.csv", f"{quoted}.csv", f"none {hostile}"):
            status, *command = shell("verify", f"{number}.json", name)
            alone = verify.main([f"{number}.json", name])
            for code, (out, err) in ((status, command), (alone, capfd.readouterr())):
                text = out + err
                assert text
                assert not seen(text)
                proved = any(line.startswith("ACCEPTED") for line in out.splitlines())
                assert proved == (code == 0)


def test_text_of_the_world_stays_as_it_is():
    for text in ("Größe (m²)", "身長", "ارتفاع", "גובה", "👩‍🔬", "naïve café", "a b"):
        assert shown(text) == one_line(text) == text
        assert json.loads(in_json(json.dumps(text, ensure_ascii=False))) == text


def test_spelling_by_hand():
    assert shown("a\x1b[0m\nb\u202e\x9b\x7f") == "a\\x1b[0m\nb\\u202e\\x9b\\x7f"
    assert one_line("a\nb\r") == "a\\nb\\x0d"
    assert in_json('"\x9b\u202e"') == '"\\u009b\\u202e"'


# --- What terminals or their libraries would read as more than text ------------------------------

# Emoji codes, markup and links of rich, styles of click, formats, mathematics.
READ_AS_MORE = ["11:100:2", ":heart:", "[red]x[/red]", "[link=http://x]", "{task}", "%s", "$x^2$"]


@pytest.mark.parametrize("command", ["inspect", "certify", "fit"])
def test_no_text_of_the_data_is_interpreted(shell, tmp_path, command):
    names = [f"c{text}" for text in READ_AS_MORE]
    lines = [row(*names, "target :heart:")]
    for i in range(60):
        words = [text if (i + j) % 3 else f"no{text}" for j, text in enumerate(READ_AS_MORE)]
        lines.append(row(*words, ":x:" if i % 2 else "[b]no[/b]"))
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    arguments = [command, "t.csv", "--target", "target :heart:"]
    piped = shell(*arguments, *(["-o", "out"] if command == "fit" else []))[1]
    watched = on_a_terminal(tmp_path, *arguments, *(["-o", "2"] if command == "fit" else []))
    for out in (piped, watched):
        assert all(ord(c) < 0x2600 or ord(c) in (0x2212, 0xFE0F) for c in out if c.isprintable())
        assert ":x:" in out
    if command == "inspect":
        assert all(f"'{text}'" in piped for text in READ_AS_MORE)
        assert all(name in piped for name in names)
