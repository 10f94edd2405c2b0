"""Whatever a file is called, what is said about it stays on its line and moves nothing."""

from pathlib import Path

import pytest

NAMES = {
    "line": "a\nFORGED: complete separation",
    "return": "a\rFORGED: complete separation",
    "escape": "a\x1b[2J\x1b[1;1HFORGED: complete separation",
    "turned": "a\u202eFORGED\u2028: complete separation",
}
GOOD = "u,v,y\n" + "".join(f"{i},{i % 5},{'yes' if i > 20 else 'no'}\n" for i in range(40))
FAULTS = {
    "empty": "",
    "ragged": "u,y\n1,a\n2,b,3\n4,c\n",
    "no quote": 'u,y\n1,"a\n2,b\n',
    "one label": "u,y\n1,a\n2,a\n",
    "words": "u,y\n1,a\nx,b\n",
    "parquet": "PAR1 and nothing else",
    "gzip": b"\x1f\x8b\x08 and nothing else",
    "not text": b"u,y\n\xff\xfe,a\n\x80,b\n",
    "good": GOOD,
}
OF_A_TABLE = ["inspect", "certify", "fit", "trace", "play"]


def harmless(*texts):
    """Nothing but text, and no line that somebody's file name has begun."""
    lines = "".join(texts).split("\n")
    assert all(line.isprintable() for line in lines), lines
    return not any(line.startswith("FORGED") for line in lines)


@pytest.fixture(params=NAMES)
def name(request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return NAMES[request.param]


def wrong(name):
    """Files that cannot be read, or not with these options."""
    for kind, text in FAULTS.items():
        file = Path(f"{kind}{name}.csv")
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        yield file, ["--target", "no such column"]
        if kind != "good":
            yield file, ["--target", "y", "--numeric", "u"]
    yield f"none{name}.csv", ["--target", "y"]
    Path(f"folder{name}").mkdir(exist_ok=True)
    yield f"folder{name}", ["--target", "y"]
    yield f"good{name}.csv", ["--target", "y", f"--{name}"]
    yield f"good{name}.csv", ["--target", "y", "--impute", name]
    yield f"good{name}.csv", ["--target", "y", "--encoding", name]
    yield f"good{name}.csv", ["--target", "y", "-o", f"none{name}/out"]


def test_of_a_table_that_is_refused(shell, name):
    for command in OF_A_TABLE:
        refused = 0
        for file, options in wrong(name):
            more = ["--no-open"] if command == "play" else []
            code, out, err = shell(command, file, *options, *more)
            assert harmless(out, err), (command, file, options)
            assert code != 1, err
            refused += code == 2
            assert code != 2 or err.count("Error: ") == 1 or "Problem: " in out
        assert refused > 10


def test_of_a_document_that_is_refused(shell, name):
    Path("good.csv").write_text(GOOD)
    for text in ("{}", "[", '{"format": "rosenblatt model"}', "\x00", GOOD):
        file = Path(f"document{name}.json")
        file.write_text(text)
        for command in (["verify"], ["predict"], ["export", "--onnx", f"out{name}.onnx"]):
            table = ["good.csv"] if command[0] != "export" else []
            for document in (file, f"none{name}"):
                code, out, err = shell(command[0], document, *table, *command[1:])
                assert harmless(out, err), (command, text)
                assert code == 2 or (code == 1 and command == ["verify"])


def test_of_what_is_written(shell, name):
    Path(f"good{name}.csv").write_text(GOOD)
    of = [f"good{name}.csv", "--target", "y"]
    for command in (
        ["inspect", *of],
        ["certify", *of, "-o", f"c{name}.json", "--encoded", f"encoded{name}.csv"],
        ["verify", f"c{name}.json", f"good{name}.csv"],
        ["fit", *of, "-o", f"study{name}", "-v"],
        ["predict", f"study{name}/model.json", f"good{name}.csv", "-o", f"p{name}.csv"],
        ["predict", f"study{name}", f"good{name}.csv"],
        ["verify", f"study{name}/model.json", f"good{name}.csv"],
        ["trace", *of, "-o", f"t{name}.json", "--html", f"t{name}.html"],
        ["play", *of, "--no-open", "-o", f"p{name}.html"],
        ["export", f"study{name}/model.json", "--onnx", f"m{name}.onnx"],
    ):
        code, out, err = shell(*command)
        assert harmless(out, err), command
        assert code == 0 or "is a folder" in err or "is a model file" in err, err


def test_a_failure_that_nobody_foresaw_is_told_alike(shell, name, monkeypatch):
    from rosenblatt.cli import _common

    def fails(*_, **__):
        raise ZeroDivisionError(name)

    monkeypatch.setattr(_common, "open_table", fails)
    code, out, err = shell("certify", "t.csv", "--target", "y", "-v")
    assert code == 70
    assert "Unexpected failure: ZeroDivisionError: a" in err
    assert all(line.isprintable() for line in (out + err).split("\n"))
    assert "Unexpected failure: ZeroDivisionError: a" + "\n" not in err
