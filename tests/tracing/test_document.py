"""Traces as JSON: the round trip, and files that are none."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from common import X, Y, every_order
from raising import raises
from rosenblatt import AROW, KernelPerceptron, PassiveAggressive, Perceptron, Trace, trace
from rosenblatt._validation.rows import checked_rows
from rosenblatt.errors import InputError

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

ARRAYS = ("row", "visit", "epoch", "label", "score", "step_size", "norm")


def assert_same(a, b):
    for name in ARRAYS:
        assert getattr(a, name).tolist() == getattr(b, name).tolist(), name
    assert (str(a), a.kept, a.bound, a.steps()) == (str(b), b.kept, b.bound, b.steps())
    assert str(a.check()) == str(b.check())
    assert a.alpha_at(len(a)).tolist() == b.alpha_at(len(b)).tolist()


@every_order
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_round_trip_changes_nothing(order, dtype):
    rule = Perceptron(order=order, max_iter=3, random_state=0, eta0=0.1, margin=0.05)
    t = trace(rule, X.astype(dtype), Y, sample_weight=np.tile([0.0, 1.0, 0.3], 20))
    text = t.to_json()
    again = Trace.from_json(text)
    assert_same(t, again)
    assert again.to_json() == text
    assert again.estimator is None


@every_order
@pytest.mark.parametrize("rule", [Perceptron, KernelPerceptron])
def test_a_round_trip_of_many_classes(order, rule):
    labels = np.array(["a", "b", "c", "d"])[np.arange(len(Y)) % 4]
    rule = rule(order=order, max_iter=3, random_state=0, eta0=0.1, margin=0.05)
    t = trace(rule, X, labels, sample_weight=np.tile([0.0, 1.0, 0.3, 1.0, 2.0], 12))
    text = t.to_json()
    again = Trace.from_json(text)
    assert_same(t, again)
    assert again.rival.tolist() == t.rival.tolist()
    assert again.to_json() == text
    few = Trace.from_json(t.to_json(all_rows=False))
    assert (few.steps(), few.bound) == (t.steps(), None)


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "sigmoid", "precomputed"])
def test_a_round_trip_with_a_kernel(kernel):
    rows = X @ X.T if kernel == "precomputed" else X
    rule = KernelPerceptron(kernel=kernel, order="cyclic", max_iter=3, keep="last")
    t = trace(rule, rows, Y, dual_coef_init=np.linspace(-1, 1, len(Y)))
    assert_same(t, Trace.from_json(t.to_json()))


@pytest.mark.parametrize("kernel", ["poly", "rbf", "sigmoid"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_kernel_values_of_another_machine(kernel, dtype):
    # Sparse rows sum their products in another order: what another machine might do.
    rule = KernelPerceptron(kernel=kernel, order="cyclic", max_iter=9, keep="last")
    t = trace(rule, X.astype(dtype), Y)
    text = json.loads(t.to_json())
    other = Trace.from_json(json.dumps(text))
    other.replay.run.X = checked_rows(Perceptron(), sparse.csr_array(X.astype(dtype)), reset=True)
    assert other.check().ok
    text["updates"]["score"][5] += 0.01
    assert not Trace.from_json(json.dumps(text)).check().ok


def test_names_and_labels_come_back():
    frame = pd.DataFrame({"a": [3, 4, 1], "ü|<b>": [3, 3, 1]})
    for labels in (["yes", "yes", "no"], [True, True, False], [2.0, 2.0, -1.0]):
        t = trace(Perceptron(order="cyclic"), frame, labels)
        assert_same(t, Trace.from_json(t.to_json()))
        assert "w(ü|<b>)" in Trace.from_json(t.to_json()).to_pandas().columns


def test_through_a_file(tmp_path):
    t = trace(Perceptron(order="cyclic", max_iter=5), X, Y)
    path = tmp_path / "trace.json"
    path.write_text("an older one")
    text = t.to_json(path)
    assert path.read_text(encoding="utf-8") == text + "\n"
    assert [p.name for p in tmp_path.iterdir()] == ["trace.json"]
    assert_same(t, Trace.from_json(path))
    assert_same(t, Trace.from_json(str(path)))


def test_a_failed_write_leaves_what_was_there(tmp_path):
    path = tmp_path / "trace.json"
    path.write_text("an older one")
    rule = KernelPerceptron(kernel=lambda A, B: A @ B.T, max_iter=2)
    with raises(InputError):
        trace(rule, X, Y).to_json(path)
    assert path.read_text() == "an older one"


@pytest.mark.parametrize("rule", [Perceptron, KernelPerceptron])
def test_only_the_rows_of_updates(rule):
    t = trace(rule(order="cyclic", max_iter=1, keep="last"), X, Y)
    assert len(np.unique(t.row)) < len(Y)
    part = Trace.from_json(t.to_json(all_rows=False))
    assert len(json.loads(part.to_json())["rows"]["row"]) == len(np.unique(t.row))
    for name in ARRAYS:
        # Rows are sparse now, whose kernel values round differently.
        assert getattr(part, name).tolist() == pytest.approx(getattr(t, name).tolist(), rel=1e-12)
    assert part.steps() == t.steps()
    assert part.bound is None
    assert "updates" in str(part)
    with raises(InputError):
        part.check()
    with raises(InputError):
        part.to_json(all_rows=True)
    with raises(InputError):
        part.product  # noqa: B018 - a property that raises


def test_a_start_of_coefficients_keeps_its_rows():
    start = np.zeros(len(Y))
    start[-1] = 0.5
    rule = KernelPerceptron(kernel="rbf", order="cyclic", max_updates=3, keep="last")
    t = trace(rule, X, Y, dual_coef_init=start)
    part = Trace.from_json(t.to_json(all_rows=False))
    assert part.norm.tolist() == pytest.approx(t.norm.tolist(), rel=1e-12)


def test_a_precomputed_kernel_needs_all_rows():
    t = trace(KernelPerceptron(kernel="precomputed", max_iter=2), X @ X.T, Y)
    with raises(InputError):
        t.to_json(all_rows=False)


def test_what_json_cannot_hold():
    huge = trace(
        Perceptron(order="cyclic", max_iter=2), [[1e160], [-2e160]], [1, -1], coef_init=[-1e160]
    )
    assert np.isinf(huge.score).any()
    with raises(InputError):
        huge.to_json()


# --- Files that are none -------------------------------------------------------------------------


def small():
    rule = Perceptron(order="cyclic", keep="last")
    return json.loads(
        trace(rule, [[3, 3], [4, 3], [1, 1]], [1, 1, -1], sample_weight=[1, 1, 2]).to_json()
    )


SMALL = small()


def refused(document):
    with raises(InputError) as caught:
        Trace.from_json(json.dumps(document))
    assert str(caught.value).startswith("The text is not a trace")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("schema", "rosenblatt.trace/0"),
        ("classes", [1]),
        ("classes", [1, [2]]),
        ("updates.rival", [0] * 7),
        ("feature_names", ["a"]),
        ("converged", 1),
        ("estimator", None),
        ("all_rows", "yes"),
        ("n_rows", 0),
        ("n_rows", 4),
        ("n_rows", 10**15),
        ("order", "spiral"),
        ("keep", "nothing"),
        ("eta0", 0),
        ("margin", -1),
        ("fit_intercept", 1),
        ("kernel", "rbf"),
        ("kernel", {"kernel": "cubic"}),
        ("start", [0, 0]),
        ("start", [0, 0, "0"]),
        ("rows.row", [0, 2, 1]),
        ("rows.row", [0, 1, 3]),
        ("rows.type", "object"),
        ("rows.x", [[1, 2], [3, 4]]),
        ("rows.x", [[1, 2], [3, 4], [5]]),
        ("rows.y", [1, 1, 0.5]),
        ("rows.weight", [1, 1, -1]),
        ("rows.weight", [0, 0, 0]),
        ("rows.n_present", "3"),
        ("updates.row", [0, 1.5]),
        ("updates.row", [0]),
        ("updates.row", [7] * 7),
        ("updates.visit", [-1] * 5),
        ("updates.score", [1e999]),
        ("kept", [[1]]),
        ("more", 1),
        ("rows.more", 1),
    ],
)
def test_a_field_that_is_wrong_is_named(path, value):
    changed(SMALL, path, value)


def changed(document, path, value):
    document = json.loads(json.dumps(document))
    *parts, name = path.split(".")
    place = document
    for part in parts:
        place = place[part]
    place[name] = value
    refused(document)


@pytest.mark.parametrize("text", ["{}", "[]", "[1]", "{", '{"schema": 1}', "{" * 9999, "[" * 9999])
def test_text_that_is_no_trace(text):
    with raises(InputError):
        Trace.from_json(text)


def test_files_that_are_no_trace(tmp_path):
    path = tmp_path / "x.json"
    path.write_bytes(b"\xff\xfe\x00")
    with raises(InputError):
        Trace.from_json(path)
    path.write_text("null")
    with raises(InputError):
        Trace.from_json(path)
    with pytest.raises(FileNotFoundError):
        Trace.from_json(tmp_path / "none.json")


def places(value, path=()):
    yield path
    if isinstance(value, dict):
        for name in value:
            yield from places(value[name], (*path, name))
    if isinstance(value, list):
        for i in range(len(value)):
            yield from places(value[i], (*path, i))


DUAL = json.loads(
    trace(
        KernelPerceptron(kernel="rbf", max_iter=2, order="batch"),
        [[3, 3], [4, 3], [1, 1]],
        [1, 1, -1],
    ).to_json()
)
THREE = json.loads(
    trace(
        Perceptron(order="cyclic", keep="last"), [[1, 0], [0, 1], [-1, -1]], ["a", "b", "c"]
    ).to_json()
)
THREE_DUAL = json.loads(
    trace(
        KernelPerceptron(kernel="rbf", max_iter=2, order="batch"),
        [[1, 0], [0, 1], [-1, -1]],
        ["a", "b", "c"],
        dual_coef_init=np.eye(3),
    ).to_json()
)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("classes", ["a", "b"]),
        ("classes", list("abcd")),
        ("start", [[0, 0, 0]] * 2),
        ("start", [0, 0, 0]),
        ("rows.y", [0, 1, 3]),
        ("rows.y", [0, 1, -1]),
        ("updates.rival", None),
        ("updates.rival", [1, 0]),
        ("updates.rival", [1, 0, 3]),
        ("updates.rival", [0, 0, 0]),
        ("updates.rival", [1, 0, 0.5]),
    ],
)
def test_a_field_of_many_classes_that_is_wrong_is_named(path, value):
    changed(THREE, path, value)


PASSIVE_AGGRESSIVE = json.loads(
    trace(
        PassiveAggressive(loss="hinge", order="cyclic", max_iter=2),
        [[3, 3], [4, 3], [1, 1]],
        [1, 1, -1],
    ).to_json()
)
CONFIDENT = json.loads(
    trace(
        AROW(r=1.0, order="cyclic", max_iter=1),
        [[1, 0], [0, 1], [-1, -1]],
        ["a", "b", "c"],
        sample_weight=[1, 2, 0.5],
    ).to_json()
)

anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 5)
    | st.sampled_from([2**31, 2**63, 10**30, -(10**30)])
    | st.floats()
    | st.sampled_from(["", "rbf", "poly", "precomputed", "batch", "float32", "1", "PA-II", "AROW"]),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2)
    ),
    max_leaves=6,
)


@pytest.mark.parametrize(
    "document",
    [SMALL, DUAL, THREE, THREE_DUAL, PASSIVE_AGGRESSIVE, CONFIDENT],
    ids=["two", "two dual", "three", "three dual", "PA-I", "AROW, three"],
)
@given(data=st.data())
def test_nothing_but_input_errors(document, data):
    document = json.loads(json.dumps(document))
    for _ in range(data.draw(st.integers(1, 2))):
        *path, last = data.draw(st.sampled_from([p for p in places(document) if p]))
        place = document
        for step in path:
            place = place[step]
        if data.draw(st.booleans()):
            place[last] = data.draw(anything)
        else:
            del place[last]
    try:
        t = Trace.from_json(json.dumps(document))
        str(t), t.steps(), t.to_latex(), str(t.check())
        assert Trace.from_json(t.to_json()).row.tolist() == t.row.tolist()
    except InputError:
        pass


# --- Kept ones -----------------------------------------------------------------------------------


FILES = Path(__file__).parent / "trace_files"


def test_a_kept_trace_is_read_and_holds():
    # Table 2.1 of Li Hang's book: seven updates, the last weights (1, 1; -3).
    found = Trace.from_json(FILES / "li-hang-2.1.json")
    assert len(found) == 7
    last = found.weights_at(7)
    assert (last.w.tolist(), last.b) == ([1.0, 1.0], -3.0)
    assert found.check().ok


def test_a_kept_trace_of_many_classes_is_read_and_holds():
    # Three updates by hand: test_many_classes.py has them.
    found = Trace.from_json(FILES / "three-classes.json")
    last = found.weights_at(3)
    assert (last.w.tolist(), last.b.tolist()) == ([[2, 0], [-1, 1], [-1, -1]], [-1, 0, 1])
    assert found.rival.tolist() == ["b", "a", "a"]
    assert found.check().ok


@pytest.mark.parametrize(
    ("name", "w", "updates"),
    # test_other_rules.py has both by hand.
    [("arow", 4 / 9, 2), ("passive-aggressive", 3 / 4, 2)],
)
def test_a_kept_trace_of_another_rule_is_read_and_holds(name, w, updates):
    found = Trace.from_json(FILES / f"{name}.json")
    assert len(found) == updates
    assert found.weights_at(updates).w.tolist() == pytest.approx([w])
    assert found.check().ok
    assert {claim.status for claim in found.check().claims} == {"held"}
