"""Pipelines of scalers and a rule are exported whole, to the bit; or as one matrix product."""

import sqlite3

import numpy as np
import onnx
import onnxruntime
import pandas as pd
import pytest
from skl2onnx import to_onnx
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    RobustScaler,
    StandardScaler,
)

from raising import raises
from rosenblatt import (
    AROW,
    KernelPerceptron,
    Perceptron,
    RandomLinearClassifier,
    Scorecard,
    data,
)
from rosenblatt._export.check import InOnnx, check
from rosenblatt.errors import InputError, InputTypeError
from rosenblatt.formulas import inputs, to_pmml, to_python, to_sql
from rosenblatt.onnx import export, register_converters

N = 400


def rows(gaps=False):
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(N, 21))
    X = (Z + rng.normal(size=21)) * 10.0 ** rng.integers(-6, 6, 21)
    y = np.array(["no", "yes"])[(Z[:, 3] + rng.normal(size=N) > 0.1).astype(int)]
    if gaps:
        X[rng.random(X.shape) < 0.1] = np.nan
    return X, y


def answers(path, X):
    session = onnxruntime.InferenceSession(path)
    return session.run(["label", "score"], {"X": X})


STEPS = {
    "standard": [StandardScaler()],
    "center": [StandardScaler(with_std=False)],
    "robust": [RobustScaler()],
    "spread": [RobustScaler(with_centering=False)],
    "largest": [MaxAbsScaler()],
    "filled": [SimpleImputer(strategy="median"), StandardScaler()],
    "nested": [make_pipeline(SimpleImputer(strategy="constant", fill_value=-1.0)), MaxAbsScaler()],
    "passthrough": ["passthrough", StandardScaler()],
    "nothing": [],
}


@pytest.mark.parametrize("name", STEPS)
def test_a_graph_takes_rows_as_the_pipeline_does(tmp_path, name):
    X, y = rows(gaps=name in ("filled", "nested"))
    pipeline = make_pipeline(*STEPS[name], AROW(random_state=0)).fit(X, y)
    export(pipeline, tmp_path / "p.onnx")
    label, score = answers(tmp_path / "p.onnx", X)
    assert label.tolist() == pipeline.predict(X).tolist()
    assert score.tobytes() == pipeline.decision_function(X).tobytes()


@pytest.mark.parametrize("filled", [False, True])
@pytest.mark.parametrize("scaled", [False, True])
def test_the_file_says_what_it_does_with_missing_values(tmp_path, filled, scaled):
    X, y = rows(gaps=filled)
    steps = [SimpleImputer()] * filled + [StandardScaler()] * scaled
    export(make_pipeline(*steps, Perceptron(random_state=0)).fit(X, y), tmp_path / "p.onnx")
    graph = onnxruntime.InferenceSession(tmp_path / "p.onnx")
    said = graph.get_modelmeta().custom_metadata_map["input"]
    _, score = graph.run(["label", "score"], {"X": np.full((1, 21), np.nan)})
    assert np.isnan(score).any() != filled
    assert ("fills" in said, "scales" in said) == (filled, scaled)
    assert ("a score of NaN" in said) != filled


def test_sql_and_python_read_columns_by_their_names():
    X, y = rows()
    table = pd.DataFrame(X, columns=[f"col {j}" for j in range(X.shape[1])])
    pipeline = make_pipeline(StandardScaler(), Perceptron(random_state=0)).fit(table, y)
    expected = pipeline.predict(table).tolist()
    with sqlite3.connect(":memory:") as base:
        table.to_sql("data", base, index=False)
        found = pd.read_sql_query(to_sql(pipeline), base)
    assert found["predicted"].tolist() == expected
    assert found["score"].to_numpy().tobytes() == pipeline.decision_function(table).tobytes()
    module = {}
    exec(to_python(pipeline), module)
    assert [module["predict"](row) for row in table.to_dict("records")] == expected
    assert inputs(pipeline) == list(table.columns)
    card = make_pipeline(StandardScaler(), Scorecard(max_terms=2)).fit(table, y)
    assert "(scaled)" in to_pmml(card)


def test_what_cannot_be_folded_is_refused(tmp_path):
    X, y = rows()
    for step in (MinMaxScaler(), PCA(3)):
        pipeline = make_pipeline(step, Perceptron(random_state=0)).fit(X, y)
        with raises(InputTypeError):
            export(pipeline, tmp_path / "p.onnx")
        with raises(InputTypeError):
            to_sql(pipeline)
    for steps in ([StandardScaler(), SimpleImputer()], [StandardScaler(), RobustScaler()]):
        pipeline = make_pipeline(*steps, Perceptron(random_state=0)).fit(X, y)
        with raises(InputError):
            to_sql(pipeline)
    with_gaps = make_pipeline(SimpleImputer(add_indicator=True), Perceptron()).fit(X, y)
    with raises(InputError):
        to_sql(with_gaps)
    scaled = make_pipeline(StandardScaler(), Perceptron()).fit(X, y)
    with raises(InputError):
        export(scaled, tmp_path / "p.onnx", preprocessing=data.Preprocessing(()))
    with raises(InputError):
        to_sql(scaled, preprocessing=data.Preprocessing(()))
    with pytest.raises(NotFittedError):
        to_sql(Pipeline([("scale", StandardScaler()), ("rule", Perceptron())]))


# --- One matrix product ---------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("k", [2, 4])
def test_one_matrix_product_differs_by_rounding_alone(tmp_path, dtype, k):
    X, y = rows(gaps=True)
    y = y if k == 2 else np.arange(N) % k
    steps = [SimpleImputer(), StandardScaler()]
    pipeline = make_pipeline(*steps, Perceptron(keep="average", random_state=0)).fit(X, y)
    export(pipeline, tmp_path / "p.onnx", dtype=dtype, exact=False)
    graph = onnx.load(tmp_path / "p.onnx").graph
    assert [node.op_type for node in graph.node].count("Gemm") == 1
    assert not {"Scan", "Mul", "Div"} & {node.op_type for node in graph.node}
    label, score = answers(tmp_path / "p.onnx", X.astype(dtype))
    assert score.dtype == np.dtype(dtype)
    expected = pipeline.decision_function(X)
    size = np.abs(expected).max()
    assert np.abs(score - expected).max() <= 1000 * np.finfo(dtype).eps * size
    ahead = np.abs(expected) if k == 2 else np.diff(np.sort(expected, axis=1)[:, -2:])[:, 0]
    sure = ahead > 1000 * np.finfo(dtype).eps * size
    assert (label == pipeline.predict(X))[sure].all()


def test_other_rules_stay_as_they_are(tmp_path):
    X, y = rows()
    voters = Perceptron(keep="vote", max_iter=2, random_state=0).fit(X, y)
    for exact in (True, False):
        export(voters, tmp_path / f"{exact}.onnx", exact=exact)
    _, score = answers(tmp_path / "False.onnx", X)
    assert score.tobytes() == answers(tmp_path / "True.onnx", X)[1].tobytes()


def test_the_check_allows_for_rounding(tmp_path):
    table = pd.DataFrame(rows()[0]).rename(columns=str).assign(y=rows()[1])
    X, y, preprocessing = data.read(table, target="y").encode()
    rule = AROW(random_state=0).fit(X, y)
    for dtype in ("float64", "float32"):
        path = tmp_path / f"{dtype}.onnx"
        export(rule, path, preprocessing=preprocessing, dtype=dtype, exact=False)
        assert check(rule, preprocessing, InOnnx(path, dtype, exact=False), table).rows == N


# --- Pipelines of other steps, by skl2onnx --------------------------------------------------------


def converted(model, X, **options):
    register_converters()
    graph = to_onnx(model, X, **options).SerializeToString()
    return onnxruntime.InferenceSession(graph)


@pytest.mark.parametrize("opset", [13, 18, 21])
@pytest.mark.parametrize(
    "rule",
    [
        Perceptron(random_state=0),
        Perceptron(random_state=0, keep="vote", max_iter=2),
        AROW(random_state=0),
        RandomLinearClassifier(random_state=0),
    ],
)
def test_skl2onnx_converts_a_rule_to_the_bit(rule, opset):
    X, y = rows()
    for labels in (y, np.arange(N) % 3):
        model = make_pipeline(StandardScaler(), rule).fit(X, labels)
        session = converted(model, X, target_opset=opset)
        label, score = session.run(["label", "score"], {"X": X})
        assert label.tolist() == model.predict(X).tolist()
        assert score.tobytes() == model.decision_function(X).tobytes()


def test_skl2onnx_converts_columns_of_words_beside_numbers():
    X, y = rows()
    table = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "word": np.resize(["u", "v", "w"], N)})
    columns = make_column_transformer((StandardScaler(), ["a", "b"]), (OneHotEncoder(), ["word"]))
    model = make_pipeline(columns, KernelPerceptron(kernel="poly", max_iter=3, random_state=0))
    session = converted(model.fit(table, y), table)
    given = {name: table[[name]].to_numpy() for name in table}
    assert session.run(["label"], given)[0].tolist() == model.predict(table).tolist()


def test_skl2onnx_is_told_what_no_graph_computes():
    X, y = rows()
    with raises(InputError):
        converted(KernelPerceptron(kernel=lambda A, B: A @ B.T).fit(X, y), X)
