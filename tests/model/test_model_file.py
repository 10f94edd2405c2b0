"""Model files: what is loaded is what was saved, to the bit; what cannot be saved is refused."""

import copy
import hashlib
import io
import json
import pickle
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, PolynomialFeatures, RobustScaler, StandardScaler
from sklearn.utils.validation import check_is_fitted

import rosenblatt
from common import KEEPS, X_VAL, Y_VAL, X, Y, every_keep, every_order, may_not_converge
from models import (
    KERNELS,
    LABELS,
    STORED,
    everything_seen,
    fitted,
    preprocessings,
    quietly,
    seen,
    table,
)
from raising import raises
from rosenblatt import (
    KernelPerceptron,
    Perceptron,
    RandomLinearClassifier,
    StopReason,
    Study,
    load,
    model_file,
    save,
)
from rosenblatt._core.backend import compute
from rosenblatt._training import linear_rule
from rosenblatt._training.monitor import Interrupted, Watch
from rosenblatt._training.stopping import in_words
from rosenblatt.errors import FileError, InputError, InputTypeError


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.json"


def through_a_file(p, path, **more):
    save(p, path, history=True, **more)
    return load(path)


def but_counts(found):
    """What a pickle keeps of it: KernelPerceptron needs its counts, others leave them behind."""
    return {k: v for k, v in found.items() if k not in ("update_counts_", "alpha_")}


# --- Round trips --------------------------------------------------------------------------------


@given(model=fitted(), preprocessing=preprocessings, mark=st.none() | st.text())
def test_any_estimator_comes_back_to_the_bit(tmp_path_factory, model, preprocessing, mark):
    p, rows = model
    path = tmp_path_factory.mktemp("models") / "model.json"
    save(p, path, preprocessing=preprocessing, data_fingerprint=mark, history=True)
    found = model_file.read(path)
    assert everything_seen(found.estimator, rows) == everything_seen(p, rows)
    assert found.preprocessing == preprocessing
    if mark is not None:
        assert found.about["data_fingerprint"] == mark
    # And once more: the second file says the same as the first.
    first = path.read_bytes()
    save(found.estimator, path, preprocessing=preprocessing, data_fingerprint=mark, history=True)
    if not isinstance(p, KernelPerceptron):  # whose fingerprint goes with the state
        assert path.read_bytes() == first


@every_keep
@every_order
@may_not_converge
def test_every_choice_of_perceptron(path, order, keep):
    table_of_numbers, y = table()
    for stored, store in STORED.items():
        rows = store(table_of_numbers)
        p = Perceptron(order=order, keep=keep, max_iter=4, random_state=0).fit(rows, y)
        assert everything_seen(through_a_file(p, path), rows) == everything_seen(p, rows), stored


@pytest.mark.parametrize("kernel", KERNELS)
@every_keep
@may_not_converge
def test_every_choice_of_kernel_perceptron(path, kernel, keep):
    table_of_numbers, y = table()
    for stored, store in STORED.items():
        rows = store(table_of_numbers)
        if kernel == "precomputed":
            gram = table_of_numbers @ table_of_numbers.T
            rows = gram.astype(np.float32) if "32" in stored else gram
        p = KernelPerceptron(kernel=kernel, keep=keep, max_iter=4, random_state=0).fit(rows, y)
        assert everything_seen(through_a_file(p, path), rows) == everything_seen(p, rows), stored


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("kind", [Perceptron, KernelPerceptron, RandomLinearClassifier])
def test_labels_of_any_type(path, kind, labels):
    rows, y = table()
    p = kind(random_state=0).fit(rows, LABELS[labels][y])
    q = through_a_file(p, path)
    assert everything_seen(q, rows) == everything_seen(p, rows)
    assert [type(v) for v in q.classes_.tolist()] == [type(v) for v in p.classes_.tolist()]


def test_a_thousand_features_with_names(path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(50, 1000)), columns=[f'"{i}", ä\n' for i in range(1000)])
    p = Perceptron().fit(frame, rng.random(50) < 0.5)
    q = through_a_file(p, path)
    assert everything_seen(q, frame) == everything_seen(p, frame)
    assert q.feature_names_in_.dtype == object
    with raises(ValueError):
        q.predict(frame.rename(columns=str.upper))


def test_more_training_rows_than_are_written_as_decimals(path):
    rng = np.random.default_rng(0)
    rows, y = rng.normal(size=(100_000, 2)), rng.random(100_000) < 0.5
    p = Perceptron(max_iter=2, random_state=0).fit(rows, y)
    q = through_a_file(p, path)
    assert everything_seen(q, rows) == everything_seen(p, rows)
    assert '"zlib"' in path.read_text()
    assert path.stat().st_size < 60_000  # a count takes less than half a byte


def test_zero_weights_and_signs_of_zero(path):
    start = np.array([-0.0, 0.0])
    p = Perceptron(order="cyclic", max_updates=1, keep="last", random_state=0)
    quietly(p.fit, np.array([[-0.0, 5e-324], [1.0, 1.0]]), [0, 1], coef_init=start)
    q = through_a_file(p, path)
    assert q.coef_.tobytes() == p.coef_.tobytes()
    assert np.signbit(q._state.memory.w).tolist() == np.signbit(p._state.memory.w).tolist()


def test_no_update_leaves_no_support(path):
    # The start is right about both rows, so that nothing is learned.
    p = KernelPerceptron(kernel="linear").fit([[1.0], [-1.0]], [1, 0], intercept_init=0.0)
    q = KernelPerceptron(kernel="linear", keep="vote")
    q.fit([[1.0], [-1.0]], [1, 0], dual_coef_init=[1.0, -1.0])
    assert q.n_updates_ == 0
    for each in (p, q):
        assert everything_seen(through_a_file(each, path), [[2.0]]) == everything_seen(
            each, [[2.0]]
        )


def test_validation_mistakes_come_back_where_there_are_some(path):
    p = Perceptron(max_iter=3, random_state=0).fit(X, Y, X_val=X_VAL, y_val=Y_VAL)
    q = through_a_file(p, path)
    assert q.validation_mistakes_.tolist() == p.validation_mistakes_.tolist()
    p = Perceptron(max_iter=3, random_state=0).fit(X, Y)
    assert not hasattr(through_a_file(p, path), "validation_mistakes_")


# --- Going on -----------------------------------------------------------------------------------


@every_order
@every_keep
@pytest.mark.parametrize("limit", [{}, {"max_updates": 17}])
@may_not_converge
def test_warm_start_goes_on_after_loading_as_if_nothing_had_happened(path, order, keep, limit):
    given = {"X_val": X_VAL, "y_val": Y_VAL}
    p = Perceptron(order=order, keep=keep, warm_start=True, max_iter=3, random_state=0, **limit)
    q = through_a_file(p.fit(X, Y, **given), path)
    for _ in range(2):
        p.fit(X, Y, **given)
        q = through_a_file(q.fit(X, Y, **given), path)
        assert everything_seen(q, X) == everything_seen(p, X)


@every_order
@every_keep
def test_partial_fit_goes_on_after_loading_as_if_nothing_had_happened(path, order, keep):
    p = Perceptron(order=order, keep=keep)
    q = through_a_file(p.partial_fit(X[:20], Y[:20]), path)
    for rows in (slice(20, 30), slice(30, 60)):
        p.partial_fit(X[rows], Y[rows])
        q = through_a_file(q.partial_fit(X[rows], Y[rows]), path)
        assert everything_seen(q, X) == everything_seen(p, X)


@every_keep
@may_not_converge
def test_partial_fit_and_warm_start_after_a_fit_that_was_loaded(path, keep):
    p = Perceptron(keep=keep, max_iter=3, random_state=0).fit(X, Y)
    q = through_a_file(p, path).partial_fit(X, Y)
    assert everything_seen(q, X) == everything_seen(copy.deepcopy(p).partial_fit(X, Y), X)
    # Without warm_start before, fitting again starts from the returned weights.
    q = through_a_file(p, path).set_params(warm_start=True).fit(X, Y)
    assert everything_seen(q, X) == everything_seen(p.set_params(warm_start=True).fit(X, Y), X)


@every_order
@every_keep
@pytest.mark.parametrize("moment", [1, 2, 3, 7, 20])
@may_not_converge
def test_training_that_ctrl_c_has_stopped_anywhere_goes_on(path, monkeypatch, order, keep, moment):
    """Whatever state training is left in, a file holds it."""
    calls = iter(range(1, 10**6))

    def check_interrupt(self):
        if next(calls) == moment:
            raise Interrupted

    monkeypatch.setattr(compute, "chunk", 100)  # a few rows at a time
    p = Perceptron(order=order, keep=keep, warm_start=True, max_iter=6, random_state=0)
    with monkeypatch.context() as patched:
        patched.setattr(Watch, "check_interrupt", check_interrupt)
        p.fit(X, Y, coef_init=[1.0, -1.0, 0.5])
    assert p.stop_reason_ in (StopReason.INTERRUPTED, StopReason.MAX_ITER)
    q = through_a_file(p, path)
    assert everything_seen(q, X) == everything_seen(p, X)
    assert everything_seen(q.fit(X, Y), X) == everything_seen(p.fit(X, Y), X)
    p.partial_fit(X, Y)
    assert everything_seen(q.partial_fit(X, Y), X) == everything_seen(p, X)


@may_not_converge
def test_voters_that_fill_several_blocks(path, monkeypatch):
    monkeypatch.setattr(linear_rule, "_BLOCK_BYTES", 8 * 4 * 5)  # five voters in each
    for updates in (4, 5, 6, 10, 23):
        p = Perceptron(keep="vote", warm_start=True, max_updates=updates, random_state=0)
        q = through_a_file(p.fit(X, Y), path)
        for _ in range(2):
            assert everything_seen(q, X) == everything_seen(p, X)
            q.fit(X, Y)
            p.fit(X, Y)


def test_warm_start_on_other_data_than_before_the_file(path):
    p = Perceptron(max_iter=3, warm_start=True, random_state=0).fit(X, Y)
    q = through_a_file(p, path)
    assert everything_seen(q.fit(X_VAL, Y_VAL), X) == everything_seen(p.fit(X_VAL, Y_VAL), X)


def test_going_on_after_loading_does_not_change_arrays_taken_before(path):
    p = Perceptron(max_iter=2, warm_start=True, random_state=0).fit(X, Y)
    q = through_a_file(p, path)
    taken = {name: getattr(q, name) for name in ("coef_", "update_counts_", "mistakes_")}
    before = {name: seen(value.copy()) for name, value in taken.items()}
    assert not q.update_counts_.flags.writeable
    q.fit(X, Y).partial_fit(X, Y)
    assert {name: seen(value.copy()) for name, value in taken.items()} == before


def test_a_kernel_rule_from_a_file_does_not_go_on(path):
    p = KernelPerceptron(max_iter=1, warm_start=True, random_state=0).fit(X, Y)
    q = through_a_file(p, path)
    before = everything_seen(q, X)
    with raises(InputError, option="warm_start", value=True):
        q.fit(X, Y)
    assert everything_seen(q, X) == before
    start = np.zeros(len(Y))
    start[q.support_] = q.dual_coef_[0]
    q.fit(X, Y, dual_coef_init=start, intercept_init=q.intercept_)
    assert q.training_errors_ <= p.training_errors_
    q.set_params(warm_start=False).fit(X, Y)
    assert everything_seen(q, X) == everything_seen(p.set_params(warm_start=False).fit(X, Y), X)


# --- As usable as a fitted one ----------------------------------------------------------------


@pytest.mark.parametrize("kind", [Perceptron, KernelPerceptron, RandomLinearClassifier])
@pytest.mark.parametrize("keep", KEEPS)
def test_what_is_loaded_is_an_estimator_like_any_other(path, kind, keep):
    choices = {} if kind is RandomLinearClassifier else {"keep": keep, "max_iter": 3}
    p = quietly(kind(random_state=0, **choices).fit, X, Y)
    q = through_a_file(p, path)
    check_is_fitted(q)
    assert sorted(vars(q)) == sorted(vars(p))
    assert repr(q) == repr(p)
    assert "Fitted" in q._repr_html_()
    assert clone(q).get_params() == p.get_params()
    seen = but_counts(everything_seen(p, X))
    assert but_counts(everything_seen(pickle.loads(pickle.dumps(q)), X)) == seen
    assert everything_seen(copy.deepcopy(q), X) == everything_seen(p, X)
    assert everything_seen(quietly(clone(q).fit, X, Y), X) == everything_seen(p, X)
    assert q.score(X, Y) == p.score(X, Y)


@pytest.mark.parametrize("kind", [Perceptron, KernelPerceptron, RandomLinearClassifier])
@pytest.mark.parametrize("keep", KEEPS)
def test_pickle_joblib_and_skops_work_too(tmp_path, kind, keep):
    import joblib

    sio = pytest.importorskip("skops.io")
    choices = {} if kind is RandomLinearClassifier else {"keep": keep, "max_iter": 3}
    p = quietly(kind(random_state=0, **choices).fit, X, Y)
    seen = but_counts(everything_seen(p, X))
    assert but_counts(everything_seen(pickle.loads(pickle.dumps(p)), X)) == seen
    joblib.dump(p, tmp_path / "p.joblib")
    assert but_counts(everything_seen(joblib.load(tmp_path / "p.joblib"), X)) == seen
    dumped = sio.dumps(p)
    strange = sio.get_untrusted_types(data=dumped)
    assert strange == [f"{kind.__module__}.{kind.__name__}"]
    q = sio.loads(dumped, trusted=strange)
    assert q.decision_function(X).tolist() == p.decision_function(X).tolist()
    assert q.predict(X).tolist() == p.predict(X).tolist()


STEPS = {
    "scaled": [StandardScaler()],
    "not centred": [MaxAbsScaler()],
    "filled": [SimpleImputer(strategy="median")],
    "filled and scaled": [SimpleImputer(strategy="constant", fill_value=-1.0), RobustScaler()],
    "through": ["passthrough", StandardScaler()],
}


@pytest.mark.parametrize("steps", STEPS.values(), ids=STEPS)
@pytest.mark.parametrize("named", [False, True])
def test_a_pipeline_comes_back_as_one_that_predicts_the_same(path, steps, named):
    rows = X * [1e-3, 7.0, 1.0] + [1.0, 1e4, 0.0]
    if isinstance(steps[0], SimpleImputer):
        rows[::3, 0] = np.nan
    rows = pd.DataFrame(rows, columns=["length", "width", "age"]) if named else rows
    pipeline = quietly(make_pipeline(*steps, Perceptron(random_state=0)).fit, rows, Y)
    save(pipeline, path)
    found = load(path)
    assert found.predict(rows).tolist() == pipeline.predict(rows).tolist()
    assert found.decision_function(rows).tolist() == pipeline.decision_function(rows).tolist()
    assert Study.load(path).predict(rows).tolist() == pipeline.predict(rows).tolist()
    scaled = pipeline[:-1].transform(rows)
    assert but_counts(everything_seen(found[-1], scaled)) == but_counts(
        everything_seen(pipeline[-1], scaled)
    )
    if named:
        assert found.feature_names_in_.tolist() == ["length", "width", "age"]
    written = path.read_bytes()
    save(found, path)
    assert path.read_bytes() == written
    quietly(clone(found).fit, rows, Y)


def test_sparse_rows_that_were_scaled_without_a_centre_still_are(path):
    rows = sparse.csr_array(X * 7)
    pipeline = make_pipeline(MaxAbsScaler(), Perceptron(random_state=0)).fit(rows, Y)
    save(pipeline, path)
    assert load(path).predict(rows).tolist() == pipeline.predict(rows).tolist()


def test_a_rule_that_was_saved_with_a_preprocessing_comes_back_by_itself(path):
    pipeline = make_pipeline(StandardScaler(), Perceptron(random_state=0)).fit(X, Y)
    save(pipeline, path)
    preprocessing = model_file.read(path).preprocessing
    save(pipeline[-1], path, preprocessing=preprocessing)
    assert isinstance(load(path), Perceptron)
    assert load(path).preprocessing_.to_dict() == preprocessing


def test_without_its_history_a_model_is_small_and_goes_on_to_the_same_bits(path):
    rows = np.random.default_rng(0).normal(size=(20_000, 3))
    labels = (rows[:, 0] > 0.1).astype(int)
    p = Perceptron(random_state=0).fit(rows, labels)
    save(p, path)
    assert path.stat().st_size < 5000
    q = load(path)
    with raises(AttributeError):
        _ = q.update_counts_
    more = slice(0, 500)
    assert seen(q.partial_fit(rows[more], labels[more]).coef_) == seen(
        p.partial_fit(rows[more], labels[more]).coef_
    )
    assert len(q.update_counts_) == 500


def test_to_resume_takes_the_history(path):
    p = Perceptron(random_state=0, warm_start=True, max_iter=2).fit(X, Y)
    save(p, path, history=False)
    with raises(InputError, option="warm_start", value=True):
        load(path).fit(X, Y)
    with raises(InputError, option="history", value=True):
        save(load(path), path, history=True)
    save(p, path)
    again = load(path).set_params(max_iter=3).fit(X, Y)
    whole = Perceptron(random_state=0, max_iter=5).fit(X, Y)
    assert again.coef_.tolist() == whole.coef_.tolist()


def test_a_subprocess_reads_it_without_training_anything(path):
    p = Perceptron(random_state=0).fit(X, Y)
    save(p, path)
    code = (
        "import sys, json; from rosenblatt import load;"
        "scores = load(sys.argv[1]).decision_function(json.load(sys.stdin));"
        "print(json.dumps(scores.tolist()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, path],
        input=json.dumps(X.tolist()),
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == p.decision_function(X).tolist()


# --- What the file says ---------------------------------------------------------------------------


def test_what_is_told_about_a_model(path):
    p = Perceptron(order="cyclic", margin=0, warm_start=True)
    save(p.fit([[3, 3], [4, 3], [1, 1]], [1, 1, -1]), path, preprocessing={"columns": ["a", "b"]})
    model = model_file.read(path)
    assert model.preprocessing == {"columns": ["a", "b"]}
    about = dict(model.about)
    document = json.loads(path.read_text())
    assert about.pop("sha256") == document["sha256"]
    assert about.pop("data_fingerprint") == p._trained_by.data
    assert about == {
        "format": "rosenblatt-model/1",
        "rosenblatt": rosenblatt.__version__,
        "estimator": "Perceptron",
        "features": 2,
        "rows": 3,
        "ended": "CLEAN",
        "in_words": in_words(p),
        "converged": True,
        "epochs": 6,
        "updates": 7,
        "training_errors": 0,
    }
    # The weights of Li Hang's example 2.1, for anybody to read.
    assert document["rule"] == {"weights": [1.0, 1.0], "intercept": -3.0}


def test_the_checksum_can_be_computed_by_anybody(path):
    save(Perceptron().fit(X, Y), path)
    text = path.read_text()
    claimed = json.loads(text)["sha256"]
    assert hashlib.sha256(text.replace(claimed, "0" * 64).encode()).hexdigest() == claimed


def test_the_same_model_gives_the_same_file(path):
    p = Perceptron(random_state=0).fit(X, Y)
    save(p, path)
    first = path.read_bytes()
    save(p, path)
    assert path.read_bytes() == first


def test_a_preprocessing_can_be_an_object(path):
    class Preprocessing:
        def to_dict(self):
            return {"scale": (1.0, 2.0)}

    save(Perceptron().fit(X, Y), path, preprocessing=Preprocessing())
    assert model_file.read(path).preprocessing == {"scale": [1.0, 2.0]}


def test_a_random_state_object_goes_on_drawing_the_same_numbers(path):
    given = np.random.RandomState(3)
    given.standard_normal(3)  # an odd number: one is left over for the next call
    p = Perceptron(random_state=given).fit(X, Y)
    q = through_a_file(p, path)
    assert q.random_state.standard_normal(1000).tolist() == given.standard_normal(1000).tolist()


def test_training_rows_are_not_in_the_file_of_a_linear_rule(path):
    rows = np.array([[123456.75, 0.0], [0.0, 123456.75]])
    save(Perceptron(keep="last", warm_start=True).fit(rows, [0, 1]), path)
    document = json.loads(path.read_text())
    del document["rule"], document["state"]
    assert "123456" not in json.dumps(document)


# --- What cannot be saved -------------------------------------------------------------------------


def trained(**choices):
    return quietly(Perceptron(max_iter=3, **choices).fit, X, Y)


def with_labels(*both, dtype=object):
    labels = np.array(both, dtype=dtype)
    return Perceptron().partial_fit(X, labels[(Y > 0) * 1], classes=labels)


def my_kernel(A, B):
    return A @ B.T


REFUSED = {
    "pipeline": lambda: make_pipeline(PolynomialFeatures(), Perceptron()).fit(X, Y),
    "class": lambda: Perceptron,
    "None": lambda: None,
    "subclass": lambda: type("Mine", (Perceptron,), {})().fit(X, Y),
    "kernel function": lambda: KernelPerceptron(kernel=my_kernel).fit(X, Y),
    "generator": lambda: trained(random_state=np.random.RandomState(np.random.PCG64(0))),
    "np.random": lambda: trained(random_state=np.random),
    "fraction": lambda: trained(eta0=Fraction(1, 3)),
    "set to nonsense": lambda: trained().set_params(keep="nothing"),
    "odd labels": lambda: with_labels(Fraction(1, 3), Fraction(1, 2)),
    "dates": lambda: with_labels("2020-01-01", "2021-01-01", dtype="M8[D]"),
    "huge labels": lambda: with_labels(1, 10**60),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_written_is_refused_and_the_old_file_stays(path, case):
    path.write_text("old")
    with raises(InputError):
        save(REFUSED[case](), path)
    assert path.read_text() == "old"
    assert [p.name for p in path.parent.iterdir()] == ["model.json"]


def test_a_parameter_that_is_too_long_is_refused(path):
    with raises(InputError, option="max_iter"):
        save(trained().set_params(max_iter=10**50), path)


def test_what_is_refused_can_be_mended_as_the_error_says(path):
    p = trained(random_state=np.random)
    save(p.set_params(random_state=None), path)
    assert load(path).coef_.tolist() == p.coef_.tolist()


def test_an_estimator_must_be_fitted(path):
    with pytest.raises(NotFittedError):
        save(Perceptron(), path)
    assert not path.exists()


@pytest.mark.parametrize(
    "preprocessing",
    [
        [1, 2],
        {1: 2},
        {"a": np.float64(1)},
        {"a": [1.0, float("nan")]},
        {"a": {"b": {1, 2}}},
        {"a": 10**50},
        lambda: 0,
    ],
)
def test_a_preprocessing_that_json_cannot_say_is_refused(path, preprocessing):
    with raises(InputError):
        save(trained(), path, preprocessing=preprocessing)
    assert not path.exists()


def test_a_preprocessing_that_is_too_deep_or_too_large_is_refused(path):
    deep = {}
    for _ in range(100_000):
        deep = {"a": deep}
    with raises(InputError):
        save(trained(), path, preprocessing=deep)
    with raises(InputError):
        save(trained(), path, preprocessing={"categories": [0] * 2_100_000})
    while deep:  # Python itself cannot take apart what is so deep
        deep = deep.pop("a", None)
    assert not path.exists()


def test_a_model_that_is_too_large_is_refused_on_both_sides(path, monkeypatch):
    save(trained(), path)
    monkeypatch.setattr(model_file, "MOST_BYTES", 1000)
    with raises(FileError):
        load(path)
    before = path.read_bytes()
    with raises(InputError):
        save(trained(), path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("mark", [3, b"abc", 1.5])
def test_a_fingerprint_is_text(path, mark):
    with raises(InputTypeError, option="data_fingerprint"):
        save(trained(), path, data_fingerprint=mark)


@pytest.mark.parametrize("place", [3, None, io.BytesIO(), b"model.json"])
def test_a_path_is_text_or_a_path(place):
    with raises(InputTypeError):
        save(trained(), place)
    with raises(InputTypeError):
        load(place)


def test_names_are_public():
    assert rosenblatt.save is save
    assert rosenblatt.load is load
    assert Path(model_file.__file__).name == "model_file.py"


def test_sparse_support_vectors_keep_their_index_type(path):
    rows = STORED["csr int64"](X)
    p = quietly(KernelPerceptron(max_iter=2, random_state=0).fit, rows, Y)
    q = through_a_file(p, path)
    assert q._rule.vectors.indices.dtype == p._rule.vectors.indices.dtype
    assert sparse.issparse(q.support_vectors_)


# --- Certificates ---------------------------------------------------------------------------------


@may_not_converge
def test_the_certificate_that_ended_training_comes_back_as_a_claim(path):
    p = Perceptron(prove=True, random_state=0).fit(X, Y)  # no hyperplane separates these rows
    assert p.stop_reason_ is StopReason.NOT_SEPARABLE
    again = through_a_file(p, path)
    assert again.certificate_ == p.certificate_
    assert p.certificate_.checked
    assert not again.certificate_.checked
    again.certificate_.verify(X, Y)
    assert again.certificate_.checked


def test_an_estimator_from_a_certificate_comes_back(path):
    rows, y = [[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]], [1, 1, -1]
    p = Perceptron.from_certificate(rosenblatt.certify(rows, y))
    again = through_a_file(p, path)
    assert seen(again.decision_function(rows)) == seen(p.decision_function(rows))
    assert again.stop_reason_ is StopReason.FROM_CERTIFICATE
    assert again.certificate_ == p.certificate_
    assert again.set_params(margin=0).partial_fit(rows, y).predict(rows).tolist() == y
