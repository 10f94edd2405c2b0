"""Right programs of a course, as students write them, and faults that are near them."""

import numpy as np
import pytest

from grading import assigned, judged
from rosenblatt import teach

POCKET = """
import numpy as np
def train(X, y, {args}):
    rng, made = np.random.default_rng(0), 0
    w, b = np.zeros(X.shape[1]), 0.0
    wrong = lambda: np.flatnonzero({wrong})
    best, fewest = (w.copy(), b), {fewest}
    while made < {most} and len(wrong()):
        i = {pick}
        w = w + y[i] * X[i]; b = b + y[i]; made += 1
        {told}
        if len(wrong()) < fewest: best, fewest = (w.copy(), b), len(wrong())
    return best
"""


def pocket(**given):
    slots = {"args": "record, max_updates", "most": "max_updates", "pick": "rng.choice(wrong())"}
    slots |= {"wrong": "y * (X @ w + b) <= 0", "fewest": "len(wrong())", "told": "record(i, w, b)"}
    return POCKET.format(**slots | given)


AVERAGED = """
import numpy as np
def train(X, y{args}):
    w, b = np.zeros(X.shape[1]), 0.0
    sw, sb, n = 0 * w, 0.0, 0
    for _ in range({epochs}):
        clean = True
        for x, t in zip(X, y):
            if t * (w @ x + b) <= 0: w, b, clean = w + t * x, b + t, False
            sw, sb, n = sw + w, sb + b, n + 1
        {end}
    return sw / n, sb / n
"""


def averaged(args="", epochs="10", end="pass"):
    return AVERAGED.format(args=args, epochs=epochs, end=end)


def names(report):
    return [mistake.name for mistake in report.mistakes]


@pytest.mark.parametrize("pick", ["rng.choice(wrong())", "wrong()[-1]", "wrong()[0]"])
@pytest.mark.parametrize("fewest", ["len(wrong())", "len(X)", "np.inf"])
def test_a_pocket_in_its_own_order_is_right(pick, fewest):
    assert judged(assigned("pocket"), pocket(pick=pick, fewest=fewest)).ok
    of_ntu = pocket(pick=pick, fewest=fewest, wrong="np.where(X @ w + b > 0, 1, -1) != y")
    assert judged(assigned("pocket", "ntu"), of_ntu).ok
    assert judged(assigned("pocket", "cornell", fit_intercept=True, order="any"), pocket()).ok


def test_a_pocket_that_counts_its_updates_by_t_is_right():
    assert judged(assigned("pocket"), pocket(args="record, T", most="T")).ok


def test_faults_of_a_pocket_in_its_own_order_are_named():
    def faults(**given):
        return names(judged(assigned("pocket"), pocket(**given)))

    assert faults(most="50") == ["makes 50 updates"]
    assert faults(told="record(i, w, b); fewest += 9") == ["pocket is the last"]
    assert names(judged(assigned("pocket", "ntu"), pocket())) == ["a score of 0 is a mistake"]


@pytest.mark.parametrize("end", ["pass", "if clean: break"])
def test_an_average_of_ten_epochs_is_right(end):
    for program in (averaged(", epochs", "epochs", end), averaged(end=end)):
        assert judged(assigned("averaged"), program).ok


@pytest.mark.parametrize("epochs", [4, 20])
def test_another_number_of_epochs_is_named(epochs):
    report = judged(assigned("averaged"), averaged(epochs=str(epochs)))
    assert names(report) == [f"makes {epochs} epochs"]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_averaged_algorithm_of_the_notes_is_right():
    def train(X, y):
        fitted = teach.algorithm("averaged").fit(X, y)
        return fitted.coef_[0], fitted.intercept_[0]

    assert teach.check(train, "averaged", limits=teach.Limits(of_a_table=10.0)).ok


# --- Forms that are not those of the notes --------------------------------------------------------

LOOP = """
import numpy as np
def train({X}, y, {record}):
    {setup}
    w, b = np.zeros(X.shape[1]), 0.0
    for _ in range(5000):
        clean = True
        for i in range(len(X)):
            if y[i] * (w @ X[i] + {b}) <= 0:
                {before}
                w = w + y[i] * X[i]
                b = b + y[i]
                clean = False
                {after}
        {over}
        if clean: break
    return {result}
"""


def looped(**given):
    slots = dict.fromkeys(("setup", "before", "after", "over"), "pass")
    slots |= {"X": "X", "record": "*_", "b": "b", "result": "w, b"}
    return LOOP.format(**slots | given)


@pytest.mark.parametrize("where", ["before", "over"])
def test_a_misused_record_is_named_and_nothing_else_is_said_of_the_updates(where):
    misused = looped(record="record", **{where: "record(i, w, b)"})
    report = judged(assigned("pla"), misused)
    assert (names(report), report.ok, report.first) == (["record is misused"], False, None)
    other = misused.replace("w + y[i] * X[i]", "w - y[i] * X[i]")
    assert "record is misused" not in names(judged(assigned("pla"), other))
    assert judged(assigned("pla"), looped(record="record", after="record(i, w, b)")).ok


def test_w_without_b():
    alone = judged(assigned("pla"), looped(result="w"))
    assert names(alone) == ["w returned alone"]
    through_zero = looped(result="w", b="0")
    endless = through_zero.replace("range(5000)", "iter(int, 1)")
    assert names(judged(assigned("pla"), endless)) == ["no intercept"]
    limited = through_zero.replace("range(5000)", "range(1000)")
    expected = ["no intercept", "ends after 1000 epochs"]
    assert names(judged(assigned("pla"), limited)) == expected
    wrong = looped(result="w").replace("w + y[i]", "w + 2 * y[i]")
    assert names(judged(assigned("pla"), wrong)) == ["doubled step for w", "w returned alone"]


@pytest.mark.parametrize("result", ["w, b", "np.append(w, b)"])
def test_an_intercept_where_the_notes_have_none(result):
    assert names(judged(assigned("pla", "cornell"), looped(result=result))) == ["an intercept"]
    other = looped(result=result).replace("w + y[i] * X[i]", "w + X[i] * X[i]")
    report = judged(assigned("pla", "cornell"), other)
    assert (names(report), len(report.remarks)) == ([], 1)


def test_w_where_alpha_is_asked_for():
    assert names(judged(assigned("dual"), looped())) == ["w in the place of α"]


def test_rows_and_columns_exchanged(tmp_path):
    path = tmp_path / "hw.py"
    path.write_text(looped())
    assert names(teach.check(path, notes="mit")) == ["rows and columns exchanged"]
    path.write_text(looped(X="A", setup="X, y = A.T, y[0]"))
    assert teach.check(path, notes="mit").ok
    assert names(teach.check(path)) == ["rows and columns exchanged"]


# --- What is said at which level ------------------------------------------------------------------


def test_the_first_difference_is_shown_at_level_3_alone():
    unknown = looped().replace("w + y[i] * X[i]", "w + y[i] * X[i] ** 3")
    report = judged(assigned("pla"), unknown)
    assert report.mistakes == ()
    said = {hints: report.words(hints) for hints in range(4)}
    assert ["first  " in said[hints] for hints in range(4)] == [False, False, False, True]
    assert "hints=3" in said[1]
    assert said[1] == said[2]
    assert said[3].count("\n") > said[2].count("\n")


def test_a_crash_is_shown_at_every_level_with_hints():
    report = judged(assigned("pla"), "def train(X, y):\n    return y[99], 0")
    assert ["IndexError" in report.words(hints) for hints in range(4)] == [False, True, True, True]


@pytest.mark.parametrize(
    "text", ["from rosenblatt import teach", "import rosenblatt.teach", "import rosenblatt"]
)
def test_a_submission_that_imports_rosenblatt_is_told_so_with_the_line(text, tmp_path):
    path = tmp_path / "hw.py"
    path.write_text("import math\n" + text + looped())
    assert teach.check(path).trouble == "line 2: a submission may not import rosenblatt"
    asks = f"\nif __name__ == '__main__':\n    {text}\n"
    path.write_text(looped() + asks)
    assert teach.check(path).ok


def test_weights_stay_a_pocket_of_numbers():
    """The exact pocket of the definition, by hand: rows 1, -1 at one place have one error."""
    from rosenblatt.teach.definition import Setting, Table
    from rosenblatt.teach.definition import run as define

    table = Table([[1], [1]], [1, -1])
    made = define(table, Setting("pocket", intercept=False, updates=4))
    assert [update.w for update in made.updates] == [(1,), (0,), (1,), (0,)]
    assert (made.w, np.ravel(made.b)[0]) == ((1,), 0)
