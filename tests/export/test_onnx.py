"""ONNX files: run by onnxruntime, they give our labels and scores."""

import json
import re
import sys
import warnings
from importlib import import_module

import numpy as np
import onnx
import onnxruntime
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx.reference import ReferenceEvaluator
from scipy import sparse

from common import KEEPS, noisy
from models import LABELS, quietly
from raising import raises
from rosenblatt import (
    AROW,
    KernelPerceptron,
    PassiveAggressive,
    Perceptron,
    RandomLinearClassifier,
    data,
    errors,
    save,
)
from rosenblatt.onnx import export

KERNELS = ["linear", "poly", "rbf", "sigmoid"]
LEVELS = onnxruntime.GraphOptimizationLevel
FEW = settings(max_examples=settings.default.max_examples // 2)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("onnx")


def session(content, level=LEVELS.ORT_ENABLE_ALL):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = level
    options.intra_op_num_threads = 1
    content = content if isinstance(content, bytes) else content.read_bytes()
    return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])


def exported(p, folder, **given):
    export(p, folder / "rule.onnx", **given)
    return (folder / "rule.onnx").read_bytes()


def numbers(draw, n, d, kind):
    """Rows: whole numbers, among which ties are frequent, or floats."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    if kind == "whole":
        return rng.integers(-3, 4, size=(n, d)).astype(float), rng
    return rng.normal(size=(n, d)) * 10.0 ** rng.integers(-3, 4, size=d), rng


def labelled(X, rng, classes=(-1, 1)):
    y = (X[:, 0] + rng.normal(size=len(X)) > 0).astype(int)
    y[:2] = [0, 1]
    return np.asarray(classes)[y]


# --- Linear rules: to the bit --------------------------------------------------------------------


@st.composite
def linear(draw):
    """A linear rule of some kind, and rows to ask it about."""
    n, d = draw(st.integers(2, 20)), draw(st.sampled_from([1, 2, 3, 15, 16, 17, 40]))
    X, rng = numbers(draw, n, d, draw(st.sampled_from(["whole", "floats"])))
    y, dtype = labelled(X, rng), draw(st.sampled_from(["float64", "float32"]))
    X = X.astype(dtype)
    if draw(st.integers(0, 5)) == 0:
        others = RandomLinearClassifier(5, random_state=0), AROW(), PassiveAggressive()
        return quietly(draw(st.sampled_from(others)).fit, X, y), X, dtype
    p = Perceptron(
        keep=draw(st.sampled_from(KEEPS)),
        eta0=draw(st.sampled_from([1.0, 0.1])),
        fit_intercept=draw(st.booleans()),
        max_iter=draw(st.integers(1, 4)),
        random_state=0,
    )
    return quietly(p.fit, X, y), np.vstack([X, np.zeros_like(X[:1]), -X]), dtype


@given(case=linear(), level=st.sampled_from([LEVELS.ORT_DISABLE_ALL, LEVELS.ORT_ENABLE_ALL]))
def test_a_linear_rule_gives_the_same_bits(folder, case, level):
    p, X, dtype = case
    label, score = session(exported(p, folder, dtype=dtype), level).run(None, {"X": X})
    assert score.tobytes() == p.decision_function(X).tobytes()
    assert label.tolist() == p.predict(X).tolist()


@pytest.mark.parametrize("keep", KEEPS)
def test_another_runtime_gives_the_same_bits(folder, keep):
    X, y = noisy(30, d=20)
    p = quietly(Perceptron(keep=keep, max_iter=2, random_state=0).fit, X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of an evaluator that is not ours
        label, score = ReferenceEvaluator(onnx.load_from_string(exported(p, folder))).run(
            None, {"X": X}
        )
    assert score.tobytes() == p.decision_function(X).tobytes()
    assert label.tolist() == p.predict(X).tolist()


def test_a_point_on_the_hyperplane_has_the_second_label(folder):
    """Li Hang's example 2.1: the rule is x1 + x2 - 3."""
    p = Perceptron(order="cyclic", keep="last").fit([[3, 3], [4, 3], [1, 1]], ["on", "on", "no"])
    X = np.array([[1.0, 2.0], [1.0, 1.0], [3.0, 1.0]])
    label, score = session(exported(p, folder)).run(None, {"X": X})
    assert score.tolist() == [0, -1, 1]
    assert label.tolist() == p.predict(X).tolist() == ["on", "no", "on"]


def test_a_tied_vote_has_the_second_label(folder):
    """One row with both labels: the weights are 1 and 0 in turn, each after two of four visits."""
    X, y = np.array([[1.0], [1.0]]), [1, -1]
    p = quietly(Perceptron(order="cyclic", keep="vote", fit_intercept=False, max_iter=2).fit, X, y)
    rows = np.array([[-1.0], [1.0], [0.0]])
    label, score = session(exported(p, folder)).run(None, {"X": rows})
    assert score.tolist() == p.decision_function(rows).tolist() == [0, 1, 1]
    assert label.tolist() == p.predict(rows).tolist() == [1, 1, 1]


# --- Kernel rules: the same labels where rounding has no say --------------------------------------


def kernel_rule(kernel, keep, X, y, **more):
    p = KernelPerceptron(kernel=kernel, keep=keep, max_iter=3, random_state=0, **more)
    return quietly(p.fit, X, y)


@st.composite
def whole_kernel(draw):
    X, rng = numbers(draw, draw(st.integers(2, 15)), draw(st.integers(1, 4)), "whole")
    return kernel_rule(
        draw(st.sampled_from(["linear", "poly"])),
        draw(st.sampled_from(["last", "pocket", "vote"])),  # an average is not a whole number
        draw(st.sampled_from([lambda X: X, sparse.csr_array, np.float32]))(X),
        labelled(X, rng),
        gamma=draw(st.sampled_from([1.0, 2.0])),
        coef0=draw(st.sampled_from([0.0, 1.0])),
        degree=draw(st.sampled_from([1, 2, 3])),
        fit_intercept=draw(st.booleans()),
    ), X


@given(case=whole_kernel())
@FEW
def test_a_kernel_rule_of_whole_numbers_gives_the_same_scores(folder, case):
    p, X = case
    X = np.vstack([X, -X, np.zeros_like(X[:1])])
    label, score = session(exported(p, folder)).run(None, {"X": X})
    assert score.tolist() == p.decision_function(X).tolist()
    assert label.tolist() == p.predict(X).tolist()


def rounding(p, X, steps):
    """docs/export.md: scores (in units of the learning rate) beyond this have the right sign."""
    V, k = np.asarray(p.support_vectors_, dtype=float), p._rule.kernel
    u = 2.0**-24 if p.support_vectors_.dtype == X.dtype == np.float32 else 2.0**-53
    X = X.astype(float)
    products = np.abs(X) @ np.abs(V).T
    inner = abs(k.gamma) * products + abs(k.coef0)
    size = {
        "linear": products,
        "poly": (1 + k.degree) * inner**k.degree,
        "rbf": 1 + 2 * k.gamma * ((X**2).sum(1)[:, None] + (V**2).sum(1)),
        "sigmoid": 1 + inner,
    }[k.kernel]
    d, m = X.shape[1], len(steps) - 1  # the last is the intercept
    return 8 * (d + m + 8) * u * np.abs(steps).sum() * (size.max(axis=1) + 1)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("keep", ["best", "average"])
def test_a_kernel_rule_gives_the_same_labels_beyond_rounding(folder, kernel, dtype, keep):
    X, y = noisy(60, d=5)
    X = (2 * X).astype(dtype)
    p = kernel_rule(kernel, keep, X[:40], y[:40], eta0=0.1)
    label, score = session(exported(p, folder, dtype=dtype)).run(None, {"X": X})
    ours = p.decision_function(X)
    bound = rounding(p, X, np.append(p.dual_coef_[0], p.intercept_))
    clear = np.abs(ours) > bound
    assert clear.mean() > 0.9
    assert label[clear].tolist() == p.predict(X)[clear].tolist()
    assert (np.abs(score - ours) <= bound).all()


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("intercept", [True, False])
def test_kernel_rules_that_vote(folder, kernel, intercept):
    X, y = noisy(50, d=4)
    start = np.linspace(-1, 1, 40)
    p = KernelPerceptron(
        kernel=kernel, keep="vote", max_iter=2, fit_intercept=intercept, random_state=0
    )
    quietly(p.fit, X[:40], y[:40], dual_coef_init=start)
    voters = p._rule.learned
    values = p._rule.kernel.matrix(X, X[:40])  # the functions, one after another
    beta, b, nearest = start.copy(), 0.0, np.abs(values @ start)
    for row, step in zip(voters.rows, voters.steps, strict=True):
        beta[row] += step
        b += intercept * step
        nearest = np.minimum(nearest, np.abs(values @ beta + b))
    clear = nearest > rounding(p, X, np.concatenate([start, voters.steps, [b]]))
    assert clear.mean() > 0.5
    label, score = session(exported(p, folder)).run(None, {"X": X})
    assert score[clear].tolist() == p.decision_function(X)[clear].tolist()
    assert label[clear].tolist() == p.predict(X)[clear].tolist()


@pytest.mark.parametrize("keep", ["last", "vote"])
def test_a_kernel_rule_that_has_learned_nothing(folder, keep):
    p = KernelPerceptron(keep=keep, max_iter=1, margin=0.0)
    quietly(p.fit, [[0.0], [1.0]], [0, 1], intercept_init=-3.0, dual_coef_init=[0.0, 0.0])
    X = np.array([[0.5], [2.0]])
    label, score = session(exported(p, folder)).run(None, {"X": X})
    assert label.tolist() == p.predict(X).tolist()
    np.testing.assert_allclose(score, p.decision_function(X), rtol=1e-15)


# --- Labels ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LABELS)
def test_labels_of_every_type(folder, name):
    X, y = noisy(20)
    classes = LABELS[name]
    p = Perceptron(random_state=0).fit(X, classes[(y > 0).astype(int)])
    if name == "half a character":
        with raises(errors.InputError):
            exported(p, folder)
        return
    label, _ = session(exported(p, folder)).run(None, {"X": X})
    assert label.tolist() == p.predict(X).tolist()
    if classes.dtype.kind in "biuf":
        assert label.dtype == classes.dtype.newbyteorder("=")


# --- What the file says of itself -----------------------------------------------------------------


def test_what_goes_in_and_comes_out(folder):
    X, y = noisy(20)
    content = exported(Perceptron().fit(X, y), folder, dtype="float32")
    graph = session(content)
    assert [(v.name, v.type, v.shape) for v in graph.get_inputs()] == [
        ("X", "tensor(float)", ["n", 3])
    ]
    assert [(v.name, v.type, v.shape) for v in graph.get_outputs()] == [  # no probabilities
        ("label", "tensor(int64)", ["n"]),
        ("score", "tensor(double)", ["n"]),
    ]
    told = graph.get_modelmeta().custom_metadata_map
    assert json.loads(told["features"]) == ["x0", "x1", "x2"]
    assert json.loads(told["labels"]) == [-1, 1]
    model = onnx.load_from_string(content)
    assert (model.ir_version, model.opset_import[0].version) == (7, 13)
    assert model.producer_name == "rosenblatt"


def test_rows_that_are_none_or_not_finite(folder):
    X, y = noisy(20)
    graph = session(exported(Perceptron().fit(X, y), folder))
    assert [found.shape for found in graph.run(None, {"X": X[:0]})] == [(0,), (0,)]
    label, score = graph.run(None, {"X": np.full((1, 3), np.nan)})
    assert np.isnan(score).all()
    assert label.tolist() == [-1]


# --- Tables ---------------------------------------------------------------------------------------

TABLE = """age,income,job,owner,paid
30,1.5,clerk,yes,no
41,,driver,no,yes
25,2.25,clerk,no,no
,3.125,nurse,yes,yes
52,4.75,driver,yes,yes
33,0.1,nurse,no,no
"""
RAW = np.array(  # age, income, job=driver, job=nurse, owner=yes
    [
        [30, 1.5, 0, 0, 1],
        [41, np.nan, 1, 0, 0],
        [25, 2.25, 0, 0, 0],
        [np.nan, 3.125, 0, 1, 1],
        [52, 4.75, 1, 0, 1],
        [33, 0.1, 0, 1, 0],
    ]
)


@pytest.fixture
def table(tmp_path):
    """A model file with its preprocessing, made of a table with gaps and words."""
    (tmp_path / "table.csv").write_text(TABLE)
    found = data.read(tmp_path / "table.csv", target="paid", impute="mean")
    X, y, preprocessing = found.encode(scale=True)
    p = Perceptron(random_state=0).fit(X, y)
    save(p, tmp_path / "model.json", preprocessing=preprocessing)
    return tmp_path, p, X


def test_the_command_folds_fills_and_scales_into_the_graph(table, shell):
    folder, p, X = table
    code, out, _ = shell("export", "model.json", "--onnx", "rule.onnx", "--json")
    assert code == 0
    told = json.loads(out)
    assert told["command"] == "export"
    assert told["features"] == [
        "age",
        "income",
        "job=driver",
        "job=nurse",
        "owner=yes",
    ]
    graph = session(folder / "rule.onnx")
    assert json.loads(graph.get_modelmeta().custom_metadata_map["features"]) == told["features"]
    assert "as they are in the table" in graph.get_modelmeta().custom_metadata_map["input"]
    label, score = graph.run(None, {"X": RAW})
    assert score.tobytes() == p.decision_function(X).tobytes()
    assert label.tolist() == p.predict(X).tolist()
    code, out, _ = shell("predict", "model.json", "table.csv")
    assert [line.split(",")[1] for line in out.splitlines()[1:]] == [str(v) for v in label]


def test_the_command_writes_over_a_file_only_if_forced(table, shell):
    folder, _, _ = table
    (folder / "rule.onnx").write_text("mine")
    code, out, err = shell("export", "model.json", "--onnx", "rule.onnx")
    assert (code, out) == (2, "")
    assert "exists already" in err
    assert (folder / "rule.onnx").read_text() == "mine"
    code, out, err = shell("export", "model.json", "--onnx", "rule.onnx", "--force")
    assert (code, out) == (0, "")
    assert "it takes X with 5 float64 columns and gives label and score" in err
    assert session(folder / "rule.onnx").get_inputs()[0].type == "tensor(double)"
    code, _, err = shell("export", "model.json", "--onnx", "model.json", "--force")
    assert code == 2
    assert "model.json" in err


# --- What is refused ------------------------------------------------------------------------------


def test_kernels_that_no_graph_can_compute(folder):
    X, y = noisy(10)
    for kernel, rows in [
        ("precomputed", X @ X.T),
        (lambda a, b: a @ b.T, X),
    ]:
        p = quietly(KernelPerceptron(kernel=kernel).fit, rows, y)
        with raises(errors.InputError):
            exported(p, folder)


def test_what_is_no_trained_estimator_of_ours(folder, table):
    from sklearn.exceptions import NotFittedError
    from sklearn.linear_model import Perceptron as Theirs

    X, y = noisy(10)
    with raises(errors.InputTypeError):
        exported(object(), folder)
    with raises(errors.InputTypeError):
        exported(Theirs().fit(X, y), folder)
    with pytest.raises(NotFittedError):
        exported(Perceptron(), folder)
    with raises(errors.InputError, option="dtype", value="float16"):
        exported(Perceptron().fit(X, y), folder, dtype="float16")
    preprocessing = data.read(table[0] / "table.csv", target="paid", impute="mean").encode()[2]
    with raises(errors.InputError):
        exported(Perceptron().fit(X, y), folder, preprocessing=preprocessing)


def test_a_rule_that_is_too_large(folder, monkeypatch):
    graph = import_module("rosenblatt._export.onnx_model")

    monkeypatch.setattr(graph, "_MOST_BYTES", 100)
    X, y = noisy(10, d=20)
    (folder / "rule.onnx").write_bytes(b"before")
    with raises(errors.InputError):
        exported(quietly(Perceptron(keep="vote").fit, X, y), folder)
    assert (folder / "rule.onnx").read_bytes() == b"before"


def test_without_the_extra_one_sentence_says_what_to_install(table, shell, monkeypatch):
    for name in [
        name for name in sys.modules if re.match(r"rosenblatt\.(onnx|_export\.onnx)", name)
    ]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "onnx", None)
    code, out, err = shell("export", "model.json", "--onnx", "rule.onnx")
    assert (code, out) == (2, "")
    assert 'Install it: pip install ".[onnx]" in the folder of the project.' in err
    assert not (table[0] / "rule.onnx").exists()
