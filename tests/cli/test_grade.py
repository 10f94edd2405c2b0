"""rosenblatt grade: marks, formats, exit codes."""

import json
from pathlib import Path

RIGHT = """
def train(X, y, record):
    w, b, clean = 0 * X[0], 0, False
    while not clean:
        clean = True
        for i, (x, t) in enumerate(zip(X, y)):
            if t * (w @ x + b) <= 0:
                w, b, clean = w + t * x, b + t, False
                record(i, w, b)
    return w, b
"""
WRONG = RIGHT.replace("w + t * x", "w + x")


def write(**programs):
    for name, text in programs.items():
        path = Path(name.replace("__", "/") + ".py")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)


def test_marks_do_not_change_the_exit_code_unless_asked(shell):
    write(right=RIGHT, wrong=WRONG)
    assert shell("grade", "right.py:train")[0] == 0
    code, out, _ = shell("grade", "wrong.py:train")
    assert code == 0
    assert "adds x where the notes add y x" in out
    assert shell("grade", "right.py:train", "--exit-code")[0] == 0
    assert shell("grade", "wrong.py:train", "--exit-code")[0] == 1
    assert shell("grade", "wrong.py", "--exit-code")[0] == 1  # it has one function
    assert shell("grade", "none.py:train")[0] == 2


def test_it_says_first_how_programs_are_isolated(shell):
    write(right=RIGHT)
    err = shell("grade", "right.py:train")[2]
    assert "isolated" in err.lower()


def test_a_folder_at_once(shell):
    write(all__a=RIGHT, all__b=WRONG)
    code, out, _ = shell("grade", "all:train", "--json", "--junit", "marks.xml")
    found = json.loads(out)
    assert code == 0
    assert [s["ok"] for s in found["submissions"]] == [True, False]
    assert found["submissions"][1]["mistakes"] == ["label forgotten in the update"]
    assert 'failures="1"' in Path("marks.xml").read_text()
    assert shell("grade", "all:train", "--gradescope", "results.json")[0] == 2


def test_results_for_gradescope_and_otter(shell):
    write(right=RIGHT)
    shell("grade", "right.py:train", "--gradescope", "r/results.json", "--otter", "otter.json")
    code, _, _ = shell("grade", "right.py:train", "--gradescope", "results.json", "--points", "4")
    assert code == 0
    assert json.loads(Path("results.json").read_text())["score"] == 4
