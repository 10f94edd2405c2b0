"""Kept model files are read and say the same.

`model_files/expected.json` has the answers, computed by hand, with the calculation.
"""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from models import seen
from rosenblatt import load, model_file

FOLDER = Path(__file__).parent / "model_files"
EXPECTED = {
    FOLDER / f"{name}.json": expected
    for name, expected in json.loads((FOLDER / "expected.json").read_text("utf-8")).items()
}
every_file = pytest.mark.parametrize("path", EXPECTED, ids=lambda p: p.stem)


def rows_of(expected, p):
    if "unit_rows" in expected:
        return np.eye(p.n_features_in_)[expected["unit_rows"]]
    rows = np.array(expected["rows"], dtype=float)
    names = getattr(p, "feature_names_in_", None)
    return rows if names is None else pd.DataFrame(rows, columns=names)


def test_every_file_that_is_kept_has_its_answers():
    files = {path for path in FOLDER.glob("*.json") if path.name != "expected.json"}
    assert files == set(EXPECTED)
    assert files


@every_file
def test_a_kept_file_gives_the_answers_of_then(path):
    expected = EXPECTED[path]
    model = model_file.read(path)
    p = model.estimator
    rows = rows_of(expected, p)
    scores = p.decision_function(rows).tolist()
    if "rounding" in expected:
        assert scores == pytest.approx(expected["scores"], rel=expected["rounding"])
    else:
        assert scores == expected["scores"]
    assert p.predict(rows).tolist() == expected["predictions"]
    for name, value in expected["attributes"].items():
        found = getattr(p, name)
        assert (found.tolist() if isinstance(found, np.ndarray) else found) == value, name
    assert model.preprocessing == expected.get("preprocessing")
    assert model.about.items() >= expected["about"].items()
    assert model.about["format"] == "rosenblatt-model/1"


def test_a_pipeline_takes_rows_before_they_are_scaled():
    pipeline = load(FOLDER / "pipeline.json")
    assert pipeline.decision_function([[2, 4], [4, 4], [0, 0]]).tolist() == [0.25, 0.5, -1]


def test_a_probability_is_kept():
    found = model_file.read(FOLDER / "li-hang-2.1-probability.json").probability
    assert (found.slope, found.intercept, found.rows) == (0.5, -0.25, 3)
    assert found.of([0.5, 0.0]) == pytest.approx([0.5, 1 / (1 + np.exp(0.25))])
    assert model_file.read(FOLDER / "li-hang-2.1.json").probability is None


def test_what_errors_cost_is_kept():
    model = model_file.read(FOLDER / "li-hang-2.1-objective.json")
    p, found = model.estimator, model.objective
    assert (found.decides, found.costs, found.class_weight) == (
        "cost",
        {("yes", "no"): 5.0},
        "balanced",
    )
    assert p.objective_ is found
    # (2, 1) is called yes, at 1 if it is none; (0, 1) and (1, 0) are called no, at 5 each.
    rows = np.array([[2.0, 1.0], [0.0, 1.0], [1.0, 0.0], [4.0, 3.0]])
    assert found.cost(["no", "yes", "yes", "yes"], p.predict(rows)) == 11
    assert found.cost_matrix(["no", "yes"]).tolist() == [[0, 1], [5, 0]]
    without = model_file.read(FOLDER / "li-hang-2.1-probability.json")
    assert without.objective is None
    assert not hasattr(without.estimator, "objective_")


def test_types_of_labels_and_numbers_are_those_of_then():
    types = {
        "li-hang-2.1": "int64",
        "li-hang-2.1-one-pass": "<U3",
        "average": "object",
        "vote": "bool",
        "batch": "float32",
        "xor-sparse": "object",
        "vote-precomputed": "int8",
    }
    for name, dtype in types.items():
        assert str(load(FOLDER / f"{name}.json").classes_.dtype) == dtype
    xor = load(FOLDER / "xor-sparse.json")
    assert xor.support_vectors_.dtype == np.float32
    assert xor.support_vectors_.toarray().tolist() == [[1, 1], [1, -1]]
    drawn = load(FOLDER / "batch.json").random_state
    # One seed was taken for the fit, as from a generator that starts from 0.
    before = np.random.RandomState(0)
    before.randint(0, 2**63 - 1, dtype=np.int64)
    assert seen(drawn.standard_normal(5)) == seen(before.standard_normal(5))


@pytest.mark.parametrize("name", ["li-hang-2.1-stopped", "li-hang-2.1-stopped-tol"])
def test_training_goes_on_from_a_kept_file(name):
    # Table 2.1 of the book, from its third update to the seventh and last one.
    p = load(FOLDER / f"{name}.json")
    rows, y = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]]), [1, 1, -1]
    p.set_params(max_updates=None).fit(rows, y)
    assert (p.coef_.tolist(), p.intercept_.tolist()) == ([[1.0, 1.0]], [-3.0])
    assert p.mistakes_.tolist() == [2, 1, 1, 2, 1, 0]
    assert p.update_counts_.tolist() == [2, 0, 5]


def test_passes_go_on_from_a_kept_file():
    # (2, 2; 0) again meets the three rows: the third has score 4, and the last is (1, 1; -1). Both
    # are wrong about that row only, and the older one is kept. The next pass ends at (0, 0; -2),
    # wrong about two rows; the one after that meets row 1 (score -2: (3, 3; -1)) and row 3
    # (score 5: (2, 2; -2)), which is right about all but row 3 again.
    p = load(FOLDER / "li-hang-2.1-one-pass.json")
    rows, y = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]]), ["yes", "yes", "no"]
    for updates in (3, 4, 6):
        p.partial_fit(rows, y)
        assert p.n_updates_ == updates
        assert (p.coef_.tolist(), p.intercept_.tolist()) == ([[2.0, 2.0]], [0.0])
    # (2, 2; -2) meets row 3 with score 2: (1, 1; -3), which is right about all three.
    p.partial_fit(rows, y)
    assert (p.coef_.tolist(), p.intercept_.tolist()) == ([[1.0, 1.0]], [-3.0])
    assert p.training_errors_ == 0
