"""What check accepts, what it says, and what it writes for graders' systems."""

import json
from xml.etree import ElementTree

import numpy as np
import pytest
from sklearn.datasets import load_iris

from commands import line_of
from grading import assigned, judged
from raising import check_sentence, raises
from rosenblatt import teach, trace
from rosenblatt.errors import InputError, MissingFileError
from rosenblatt.teach import child
from rosenblatt.teach import report as reports

HEAD = "import numpy as np\n"
LI_HANG = np.array([[3, 3], [4, 3], [1, 1]]), np.array([1, 1, -1])

MIT = """
def perceptron(data, labels, params={}, record=None):
    d, n = data.shape
    theta, theta_0 = np.zeros((d, 1)), np.zeros((1, 1))
    for t in range(params.get('T', 100)):
        clean = True
        for i in range(n):
            x, y = data[:, i:i+1], labels[0, i]
            if y * (theta.T @ x + theta_0) <= 0:
                theta = theta + y * x; theta_0 = theta_0 + y
                record(i, theta, theta_0); clean = False
        if clean: break
    return theta, theta_0
"""
NTU = """
def train(X, y):
    X = np.hstack([np.ones((len(X), 1)), X])
    w, right, i = np.zeros(X.shape[1]), 0, 0
    while right < len(X):
        sign = 1 if X[i] @ w > 0 else -1
        if sign != y[i]: w, right = w + y[i] * X[i], 0
        else: right += 1
        i = (i + 1) % len(X)
    return w
"""
CORNELL = """
def train(xs, ys):
    w = np.zeros(xs.shape[1])
    while True:
        m = 0
        for x, y in zip(xs, ys):
            if y * w.dot(x) <= 0: w = w + y * x; m += 1
        if m == 0: return w
"""
UPDATE = """
def update(w, b, x, y):
    return (w + y * x, b + y) if y * (np.dot(w, x) + b) <= 0 else (w, b)
"""
ANY_ORDER = """
def train(X, y):
    w, b, rng = np.zeros(X.shape[1]), 0, np.random.default_rng(5)
    while True:
        wrong = [i for i in range(len(y)) if y[i] * (X[i] @ w + b) <= 0]
        if not wrong: return
        i = int(rng.choice(wrong))
        w, b = w + y[i] * X[i], b + y[i]
        yield i, w, b
"""
LABELS = """
def train(X, y):
    w, b = np.zeros(X.shape[1]), 0
    while True:
        clean = True
        for x, t in zip(X, y):
            if {sign} * (w @ x + b) <= 0: w, b, clean = w + {sign} * x, b + {sign}, False
        if clean: return w, b
"""
RATE = """
def train(X, y):
    w, b = np.zeros(X.shape[1]), 0
    while True:
        clean = True
        for x, t in zip(X, y):
            if t * (w @ x + b) <= 0: w, b, clean = w + 0.25 * t * x, b + 0.25 * t, False
        if clean: return w, b
"""


@pytest.mark.parametrize(
    ("source", "name", "notes", "given"),
    [
        (MIT, "perceptron", "mit", {}),
        (NTU, "train", "ntu", {}),
        (CORNELL, "train", "cornell", {}),
        (UPDATE, "update", "li-hang", {}),
        (ANY_ORDER, "train", "li-hang", {}),
        (LABELS.format(sign="(2 * t - 1)"), "train", "li-hang", {"labels": (0, 1)}),
        (RATE, "train", "li-hang", {}),
    ],
    ids=["mit", "ntu", "cornell", "update", "any order", "labels 0 and 1", "rate of its own"],
)
def test_right_programs_in_the_forms_of_the_notes_pass(source, name, notes, given):
    report = judged(assigned("pla", notes, **given), HEAD + source, name)
    assert report.ok, str(report)


def test_conventions_of_other_notes_are_told_by_name():
    by_notes = judged(assigned("pla", "ntu"), HEAD + NTU.replace("> 0 else", ">= 0 else"))
    assert [m.name for m in by_notes.mistakes] == ["sign(0) = +1"]
    labels = judged(assigned("pla", labels=(0, 1)), HEAD + LABELS.format(sign="t"))
    assert [m.name for m in labels.mistakes] == ["labels 0 and 1 used as they are"]
    cyclic = judged(assigned("pla", "li-hang", order="cyclic"), HEAD + ANY_ORDER)
    assert not cyclic.ok


def test_an_unknown_mistake_is_described_and_not_guessed():
    source = HEAD + UPDATE.replace("w + y * x", "w + y * x * (1 + (x[0] > 2))")
    report = judged(assigned("pla"), source, "update")
    assert (report.ok, report.mistakes) == (False, ())
    assert report.first is not None
    assert "where it should be" in report.first.says


def test_two_mistakes_together_are_told():
    source = HEAD + UPDATE.replace("<= 0", "< 0").replace("b + y)", "b + 1)")
    report = judged(assigned("pla", tie="mistake"), source, "update")
    assert not report.ok


def test_a_function_at_hand_is_checked_in_a_fork():
    def train(X, y):
        w, b, clean = 0 * X[0], 0, False
        while not clean:
            clean = True
            for x, t in zip(X, y, strict=True):
                if t * (w @ x + b) <= 0:
                    w, b, clean = w + t * x, b + t, False
        return w, b

    report = teach.check(train)
    report.require()
    assert report.points == 10


def test_tables_of_another_seed_are_others_and_mean_the_same():
    one, other = assigned("pla", seed=1), assigned("pla", seed=2)
    assert one.tables != other.tables
    assert all(t.y == u.y for t, u in zip(one.tables, other.tables, strict=True))


def test_hints_say_more_and_more():
    report = judged(assigned("pla"), HEAD + UPDATE.replace("y * x", "x"), "update")
    lengths = [len(report.words(hints)) for hints in range(4)]
    assert lengths == sorted(set(lengths))
    assert report.link is not None
    assert report.link.startswith("#p=")
    with pytest.raises(AssertionError):
        report.require()


def test_reports_for_graders_systems():
    right = judged(assigned("pla"), HEAD + UPDATE, "update")
    wrong = judged(assigned("pla"), HEAD + UPDATE.replace("y * x", "x"), "update")
    gradescope = wrong.to_gradescope()
    assert gradescope["tests"][0]["status"] == "failed"
    assert 0 <= gradescope["score"] < gradescope["tests"][0]["max_score"] == 10
    assert right.to_otter()["tests"][0]["passed"]
    json.dumps([right.to_dict(), wrong.to_dict(), gradescope])
    suite = ElementTree.fromstring(reports.to_junit([("a.py", right), ("b.py", wrong)]).encode())
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")


def test_arguments_that_are_not_allowed():
    with raises(InputError, option="task"):
        teach.check(print, "svm")
    with raises(InputError, option="notes"):
        teach.check(print, notes="mine")
    with raises(InputError, option="labels"):
        teach.check(print, labels=(1, 2))
    with raises(InputError):
        teach.check("hw.py:not a name")
    with raises(MissingFileError):
        teach.check("hw.py")
    with raises(MissingFileError):
        teach.check("there-is-none.py:train")


# --- The algorithms of the notes, and exercises --------------------------------------------------


def test_pla_of_the_notes_runs_until_it_ends():
    X, y = load_iris(return_X_y=True)
    pla = teach.algorithm("pla").fit(X[:100, :2], y[:100])
    assert (pla.n_updates_, pla.training_errors_, pla.converged_) == (1562, 0, True)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("notes", teach.NOTES)
@pytest.mark.parametrize("name", teach.ALGORITHMS)
def test_every_algorithm_of_all_notes_trains(name, notes):
    X, y = LI_HANG
    limit = {} if name == "random linear classifier" else {"max_iter": 50}
    if name == "voted" and notes == "ntu":
        limit["tie"] = "mistake"
    fitted = teach.algorithm(name, notes, **limit).fit(X, y)
    assert set(fitted.predict(X)) <= {-1, 1}


def test_the_alpha_of_the_book():
    # Li Hang, example 2.2: Gram matrix, and α in the end (2, 0, 5), b = -3.
    lines = teach.dual_table(trace(teach.algorithm("dual"), *LI_HANG)).splitlines()
    assert [line.split() for line in lines[1:4]] == [
        ["18", "21", "6"],
        ["21", "25", "7"],
        ["6", "7", "2"],
    ]
    assert lines[5].split() == ["0", "0", "0", "0", "0"]
    assert lines[-1].split() == ["7", "2", "2", "0", "5", "-3"]


@pytest.mark.parametrize("updates", [3, 7, 12])
def test_an_exercise_has_so_many_updates_and_a_proof(updates):
    made = [teach.exercise(updates=updates, random_state=student) for student in (1, 2)]
    assert made[0].X.tolist() != made[1].X.tolist()
    for e in made:
        fitted = teach.algorithm("pla").fit(e.X, e.y)
        assert fitted.n_updates_ == e.updates == updates
        assert e.certificate.separable
        assert e.bound >= updates
        assert e.to_latex().count(r"\begin{tabular}") == 2
    again = teach.exercise(updates=updates, random_state=1)
    assert again.X.tolist() == made[0].X.tolist()


def test_an_exercise_has_the_margin_that_is_asked_for():
    e = teach.exercise(updates=4, margin=0.5, random_state=3)
    assert e.certificate.geometric_margin.lo >= 0.5
    with raises(InputError):
        teach.exercise(n=2, updates=4000, random_state=0)


# --- Programs that do not end ---------------------------------------------------------------------

ENDLESS = """
import numpy as np
def train(X, y):
    w, b = np.zeros(X.shape[1]), 0.0
    while True:
        for i in range(len(y)):
            if y[i] * (w @ X[i] + b) <= 0: w = w {step}; b = b + y[i]
"""


def test_an_endless_program_gets_no_points_for_tables_that_were_not_tried():
    report = judged(assigned("pla"), "def train(X, y):\n    while True: pass")
    assert (report.points, report.mistakes) == (0, ())
    assert sum(case.ok for case in report.cases) == 0
    assert "record(i, w, b)" in report.first.says  # what would show its updates
    check_sentence(line_of(str(report), "tables"))


def test_an_endless_program_is_shown_where_its_weights_go_astray():
    report = judged(assigned("pla"), ENDLESS.format(step="- 0.3 * X[i]"))
    (x, *_), (y, *_) = report.assignment.tables[0]
    assert (report.mistakes, report.first.case, report.first.update, y) == ((), 0, 1, 1)
    a, b = (f"{-0.3 * v:.6g}" for v in x)
    assert f"w becomes ({a}, {b})" in report.first.says


def test_weights_that_are_right_are_not_where_it_fails():
    report = judged(assigned("pla"), ENDLESS.format(step="+ y[i] * X[i]"))
    assert ([m.name for m in report.mistakes], report.points) == (["never ends"], 0)


def test_the_theorem_is_said_to_fail_where_it_does():
    record = "def train(X, y, record):\n    w, b = 0 * X[0], 0\n    for i in range(len(y)):\n"
    record += "        w, b = w + {by} * y[i] * X[i], b + y[i]; record(i, w, b)\n    return w, b"
    fails = judged(assigned("pla"), record.format(by=1))  # without looking whether it is a mistake
    assert not all(case.theorem for case in fails.cases)
    check_sentence(line_of(str(fails), "theorem"))


# --- Crashes, and files without a name -----------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "line", "kind"),
    [
        ("def train(X, y):\n    w = 0\n    return w[3], 0", 3, "TypeError"),
        ("def half(v):\n    return v / 0\ndef train(X, y):\n    return half(1), 0", 2, "Zero"),
        ("def train(X, y):\n    import numpy\n    return numpy.ones(3).reshape(7), 0", 3, "Value"),
    ],
)
def test_a_crash_has_the_line_of_the_program(source, line, kind, tmp_path):
    report = judged(assigned("pla"), source)
    assert report.first.says.startswith(f"line {line}: {kind}")
    path = tmp_path / "hw.py"
    for text, where in ((source, line), ("x = 1\n1 / 0\n", 2), ("x = 1\n\ny = = 2\n", 3)):
        path.write_text(text)
        found = teach.check(f"{path}:train")
        said = found.trouble or found.first.says
        assert said.startswith(f"line {where}: ")


HELPERS = """
from math import fsum, hypot
def predict(X, w, b): return X @ w + b
def accuracy(w, b, X, y): return ((predict(X, w, b) > 0) == (y > 0)).mean()
"""


@pytest.mark.parametrize("form", [RATE, MIT, NTU, UPDATE, ANY_ORDER])
def test_the_only_function_that_can_be_meant_needs_no_name(form):
    for source in (HEAD + form, HEAD + HELPERS + form):
        assert child.load(source, "").__name__ in ("train", "perceptron", "update")
    with pytest.raises(NameError):
        child.load(HEAD + form + form.replace("def ", "def another_"), "")
    with pytest.raises(NameError):
        child.load(HEAD + HELPERS, "")


def test_a_file_is_checked_without_a_name(tmp_path):
    path = tmp_path / "hw.py"
    path.write_text(HEAD + HELPERS + RATE)
    report = teach.check(path)
    assert (report.ok, report.name) == (True, "train")


# --- Mistakes that need no parameter --------------------------------------------------------------

LOOP = """
import numpy as np
def train(X, y{record}):
    w, b, rng = np.zeros(X.shape[1]), 0.0, np.random.default_rng({seed})
    for epoch in range(5000):
        clean = True
        for i in {rows}:
            s, p = w @ X[i] + b, 0
            {p}
            if {mistake}:
                w = w + {w}
                b = b + {b}
                clean = False
                {told}
        if clean: break
    return w, b
"""


def looped(*, record=False, **given):
    slots = {"rows": "range(len(y))", "p": "pass", "mistake": "y[i] * s <= 0", "seed": 3}
    slots |= {"w": "y[i] * X[i]", "b": "y[i]"} | given
    slots |= {"record": ", record", "told": "record(i, w, b)"} if record else {}
    return LOOP.format(**{"record": "", "told": "pass"} | slots)


def named(source, **more):
    return [m.name for m in judged(assigned("pla", **more), source).mistakes]


@pytest.mark.parametrize("record", [False, True])
@pytest.mark.parametrize("rate", [0.1, 0.5, 3])
def test_a_rate_of_its_own_that_is_only_for_w(rate, record):
    source = looped(w=f"{rate} * y[i] * X[i]", record=record)
    assert named(source) == ["rate forgotten in b"]


PREDICTED = {
    "0 and 1 predicted": "p = 1 if s >= 0 else 0",
    "0 and 1 predicted, 0 at a score of 0": "p = 1 if s > 0 else 0",
    "sign(0) = 0": "p = np.sign(s)",
    "sign(0) = +1": "p = 1 if s >= 0 else -1",
    "sign(0) = -1": "p = 1 if s > 0 else -1",
}


@pytest.mark.parametrize("record", [False, True])
@pytest.mark.parametrize("rate", [1, 0.5])
@pytest.mark.parametrize("name", PREDICTED)
def test_the_difference_of_label_and_prediction(name, rate, record):
    step = f"{rate} * (y[i] - p)"
    slots = {"p": PREDICTED[name], "w": f"{step} * X[i]", "b": step, "record": record}
    asked = looped(mistake="p != y[i]", **slots).replace("range(5000)", "iter(int, 1)")
    assert named(asked) == [name]
    if rate == 1 or not record:
        return  # of a rate of its own the weights in the end are not enough
    always = looped(mistake="True", **slots)  # also where nothing changes
    limited = always.replace("if clean: break", "pass").replace("range(5000)", "range(40)")
    assert named(limited) == [name, "ends after 40 epochs"]


@pytest.mark.parametrize(
    ("rows", "rate"), [("rng.permutation(len(y))", 1), ("range(len(y))[::-1]", 0.5)]
)
def test_an_order_of_its_own_is_named_and_right_where_it_is_recorded(rows, rate):
    slots = {"rows": rows, "w": f"{rate} * y[i] * X[i]", "b": f"{rate} * y[i]"}
    assert judged(assigned("pla"), looped(record=True, **slots)).ok
    assert named(looped(**slots)) == ["an order that is not recorded"]
    assert named(looped(**slots | {"b": f"-{rate} * y[i]"})) == []


def right_variants():
    """Of the ways to write the same: scores, conditions, steps, rates, records, labels, orders."""
    scores = ["w @ X[i] + b", "float((w * X[i]).sum() + b)"]
    for score in scores:
        for rate in (1, 2, 0.5, 0.125):
            for record in (False, True):
                half = f"{rate} * (y[i] - p) / 2"
                for tie, sign in (("positive", ">="), ("negative", ">")):
                    p = f"s = {score}; p = 1 if s {sign} 0 else -1"
                    slots = {"p": p, "w": f"{half} * X[i]", "b": half, "record": record}
                    yield {"tie": tie}, looped(mistake="p != y[i]", **slots)
                    yield {"tie": tie}, looped(mistake="p != y[i]", **slots).replace(" / 2", "")
                    p, step = p.replace("-1", "0"), f"{rate} * (y[i] - p)"
                    slots |= {"p": p, "w": f"{step} * X[i]", "b": step}
                    yield {"tie": tie, "labels": (0, 1)}, looped(mistake="p != y[i]", **slots)
                rows = "rng.permutation(len(y))" if record else "range(len(y))"
                slots = {"p": f"s = {score}", "rows": rows, "record": record}
                slots |= {"w": f"{rate} * y[i] * X[i]", "b": f"{rate} * y[i]"}
                yield {}, looped(**slots)
                yield {}, looped(mistake="not y[i] * s > 0", **slots)


def test_right_programs_are_never_accused():
    variants = list(right_variants())
    assert len(variants) >= 100
    for given, source in variants:
        report = judged(assigned("pla", **given), source)
        assert (report.ok, report.mistakes) == (True, ()), (given, source, str(report))
