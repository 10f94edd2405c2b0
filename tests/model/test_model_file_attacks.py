"""Files that are no model files, or pretend to be: our error, no crash, no hang, little memory."""

import base64
import hashlib
import json
import pickle
import re
import subprocess
import sys
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from models import quietly, table
from mutations import with_new_sum
from raising import raises
from rosenblatt import AROW, KernelPerceptron, Perceptron, load, save
from rosenblatt._model import arrays
from rosenblatt.errors import FileError, ModelFileError

ROWS, Y = table(150, 4)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.json"


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """The document of a model that was trained with everything."""
    path = tmp_path_factory.mktemp("original") / "model.json"
    p = Perceptron(random_state=0, max_iter=3, warm_start=True)
    save(p.fit(ROWS, np.array(["no", "yes"])[Y]), path, preprocessing={"columns": []})
    return path.read_text()


def refused(path, content):
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with raises(ModelFileError) as caught:
        load(path)
    assert str(path) in str(caught.value)
    assert isinstance(caught.value, ValueError)


def changed(original, where, value):
    """The document with one value replaced, and the checksum made anew."""
    document = json.loads(original)
    *way, last = where.split(".")
    holder = document
    for step in way:
        holder = holder[step]
    holder[last] = value
    return with_new_sum(json.dumps(document).encode())


def test_thousands_of_spoiled_files(heavy):
    count = heavy(10_000)
    done = subprocess.run(
        [
            *(
                sys.executable,
                "-X",
                "faulthandler",
                Path(__file__).parents[1] / "helpers" / "mutations.py",
            ),
            *(str(count), "0"),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    fates = json.loads(done.stdout)
    assert sum(fates.values()) == count
    assert fates["refused"] > count / 2  # most of them came past the checksum


# --- Not a model file at all ------------------------------------------------------------------


def a_zip(path):
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("model.json", "{}")
    return path.read_bytes()


def test_files_of_other_kinds(path, original):
    refused(path, b"")
    refused(path, pickle.dumps(Perceptron()))
    refused(path, a_zip(path))
    refused(path, b"\x1f\x8b\x08\x00" + original.encode())
    refused(path, b"\xff\xfe{\x00}\x00")
    refused(path, b"\xef\xbb\xbf" + original.encode())
    refused(path, "a,b\n1,2\n")
    refused(path, "[]")
    refused(path, "3")
    refused(path, "{}")
    refused(path, '{"schema": "rosenblatt-certificate/1"}')
    refused(path, '{"format": ["rosenblatt-model"]}')


def test_what_is_no_file(tmp_path):
    with raises(FileNotFoundError):
        load(tmp_path / "missing")
    with raises(FileError):
        load(tmp_path)


@pytest.mark.parametrize("share", [0.01, 0.3, 0.9, 0.999])
def test_a_file_that_was_cut_off(path, original, share):
    refused(path, original[: int(share * len(original))])


def test_a_single_changed_character_is_noticed(path, original):
    intercept = re.search(r'"intercept": (-?\d)', original)
    other = "1" if intercept[1] != "1" else "2"
    refused(path, original[: intercept.start(1)] + other + original[intercept.end(1) :])


@pytest.mark.parametrize(
    "probability",
    [
        {"slope": -1.0, "intercept": 0.0, "rows": 3},
        {"slope": "1", "intercept": 0.0, "rows": 3},
        {"slope": 1.0, "intercept": 0.0},
        {"slope": 1.0, "intercept": 0.0, "rows": 3, "more": 1},
        [1.0],
    ],
)
def test_a_probability_that_is_none(path, original, probability):
    refused(path, changed(original, "probability", probability))


@pytest.fixture(scope="module")
def of_pipeline(tmp_path_factory):
    path = tmp_path_factory.mktemp("pipeline") / "model.json"
    save(make_pipeline(StandardScaler(), Perceptron(random_state=0)).fit(ROWS, Y), path)
    return path.read_text()


@pytest.mark.parametrize(
    "preprocessing",
    [
        None,
        {"columns": []},
        {"columns": "all"},
        "its columns but one",
        "one of them filled",
        "one of them by 0",
    ],
)
def test_a_pipeline_that_is_none(path, of_pipeline, preprocessing):
    good = json.loads(of_pipeline)["preprocessing"]
    first, *others = good["columns"]
    preprocessing = {
        "its columns but one": good | {"columns": others},
        "one of them filled": good | {"columns": [first | {"fill": 1.0}, *others]},
        "one of them by 0": good | {"columns": [first | {"scale": 0.0}, *others]},
    }.get(str(preprocessing), preprocessing)
    path.write_bytes(changed(of_pipeline, "of_pipeline", True))
    assert load(path).predict(ROWS).shape == (150,)
    refused(path, changed(of_pipeline, "preprocessing", preprocessing))
    refused(path, changed(of_pipeline, "of_pipeline", 1))


COST = {"actual": "yes", "predicted": "no", "cost": 5.0}


@pytest.mark.parametrize(
    "changes",
    [
        {"decides": "luck"},
        {"costs": []},
        {"costs": [COST, COST]},
        {"costs": [COST | {"actual": "maybe"}]},
        {"costs": [COST | {"actual": "no"}]},
        {"costs": [COST | {"cost": -5.0}]},
        {"costs": [COST | {"cost": "5"}]},
        {"costs": {"yes:no": 5.0}},
        {"class_weight": "heavy"},
        {"more": 1},
    ],
)
def test_costs_that_are_none(path, original, changes):
    good = {"decides": "cost", "costs": [COST], "class_weight": None}
    path.write_bytes(changed(original, "objective", good))
    assert load(path).objective_.costs == {("yes", "no"): 5.0}
    refused(path, changed(original, "objective", good | changes))


def test_a_parameter_that_a_file_does_not_have_has_its_default(path, original):
    document = json.loads(original)["parameters"]
    del document["tol"], document["n_jobs"]
    path.write_bytes(changed(original, "parameters", document))
    default = Perceptron()
    assert (load(path).tol, load(path).n_jobs) == (default.tol, default.n_jobs)


def test_a_newer_version_says_so(path, original):
    newer = changed(original, "version", 2)
    refused(path, newer)
    # A newer version may have other fields and another checksum: that is not the point then.
    refused(path, '{"format": "rosenblatt-model", "version": 8}')
    for strange in (0, -1, 1.0, "1", None, True, [1]):
        refused(path, changed(original, "version", strange))


def test_json_that_is_no_json(path, original):
    refused(path, original.replace('"rows": 150', '"rows": NaN'))
    refused(path, original.replace('"rows": 150', '"rows": -Infinity'))
    refused(path, original.replace('"rows": 150', '"rows": 1e999'))
    refused(path, original.replace('"rows": 150', '"rows": ' + "1" * 10**6))
    twice = original.replace('"rows": 150', '"rows": 150, "rows": 150')
    refused(path, twice)


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_what_is_nested_too_deep(path, original, opening):
    refused(path, opening * 500_000)
    deep = opening * 100 + "1" + {"[": "]"}.get(opening, "}") * 100
    content = original.replace('"columns": []', f'"columns": {deep}')
    refused(path, with_new_sum(content.encode()))


def test_many_small_values_take_no_time_and_no_memory(path):
    refused(path, "[" + "{}," * 1_100_000 + "{}]")
    names = ",".join(f'"{i}":0' for i in range(200_000))
    refused(path, "{" + names + ',"199999":0}')


# --- One field is wrong -----------------------------------------------------------------------

WRONG = [
    ("estimator", "os.system", "estimator is 'os.system', not one of Perceptron"),
    ("more", 1, "unknown field 'more'"),
    ("parameters.more", 1, "parameters has the unknown field 'more'"),
    ("parameters.keep", "nothing", "keep='nothing' is not known"),
    ("parameters.eta0", -1.0, "eta0=-1.0"),
    ("parameters.max_iter", 10**30, None),
    ("parameters.order", ["shuffle"], "parameters.order is an object or a list"),
    ("parameters.random_state", -5, "parameters are not allowed"),
    ("parameters.random_state", {"mt19937": [1]}, "has shape 1, not 624"),
    ("parameters.class_weight", {"weights": [["x", 1.0]]}, "key 'x'"),
    ("parameters.class_weight", {"weights": [["no", "1"]]}, "different labels with weights"),
    ("classes.labels", ["yes", "no"], "the smaller one first"),
    ("classes.labels", ["yes", "yes"], "different labels"),
    ("classes.labels", ["no"], "a list of two or more labels"),
    ("classes.labels", [0, 1], "not labels of type <U3"),
    ("classes.labels", ["no", "yesss"], "different labels of type <U3"),
    ("classes.dtype", "<U9999999999", "not a type of labels"),
    ("classes.dtype", "O", "not a type of labels"),
    ("classes.dtype", "<i8", "not labels"),
    ("features.number", 5, "has shape 4, not 5"),
    ("features.number", 0, "features.number is 0"),
    ("features.names", ["a"], "4 features, but 1 names"),
    ("features.names", [1, 2, 3, 4], r"features.names\[0\] is a whole number, not text"),
    ("preprocessing", [1], "preprocessing is a list"),
    ("data_fingerprint", 7, "data_fingerprint is a whole number, not text"),
    ("training.ended", "NEVER", "training.ended is 'NEVER', not one of CLEAN"),
    ("training.rows", 149, "has shape 150, not 149"),
    ("training.rows", 2**62, "not between 0 and"),
    ("training.training_errors", 151, "not between 0 and 150"),
    ("training.converged", 1, "training.converged is a whole number, not true or false"),
    ("training.eta0", 0.0, "training.eta0 is 0.0"),
    ("training.eta0", 1e-320, None),
    ("training.keep", "vote", "rule lacks the field 'intercepts'"),
    ("training.mistakes", [-1], r"training.mistakes\[0\] is -1"),
    ("rule.weights", [1.0, 1.0, 1.0], "has shape 3, not 4"),
    ("rule.weights", [1.0, 1.0, 1.0, 1], r"rule.weights\[3\] is a whole number"),
    ("rule.intercept", "1", "rule.intercept is text"),
    ("state.position", 151, "not between 0 and 150"),
    ("state.seen", 151, "not between 0 and 150"),
    ("state.seed", 2**64, "state.seed is"),
    ("state.under_way", None, "state.under_way is null"),
    ("state.drift", None, "state.drift is null with keep='best'"),
    ("state.returned", None, "state.returned is null with keep='best'"),
    ("state.kept", None, "training could not go on"),
    ("state.kept", "other", "state.kept is text, not an object"),
    ("state.goes_on", {}, "state.goes_on lacks the field 'order'"),
]


@pytest.mark.parametrize(("where", "value", "words"), WRONG)
def test_one_wrong_field_is_named(path, original, where, value, words):
    content = changed(original, where, value)
    if words is None:
        path.write_bytes(content)
        load(path)
    else:
        refused(path, content)


def test_weights_that_overflow(path, original):
    document = json.loads(original)
    document["rule"]["intercept"], document["training"]["eta0"] = 1e308, 10.0
    refused(path, with_new_sum(json.dumps(document).encode()))


def test_a_missing_field_is_named(path, original):
    for part in ("rule", "state", "training"):
        for field in json.loads(original)[part]:
            if field == "update_counts":
                continue  # a file can be without
            document = json.loads(original)
            del document[part][field]
            content = with_new_sum(json.dumps(document).encode())
            refused(path, content)


NAN = base64.b64encode(np.array([1.0, 1.0, np.nan, 1.0])).decode()
ARRAYS = [
    {"dtype": "<f8", "shape": [4], "base64": NAN},
    {"dtype": "|O", "shape": [4], "base64": NAN},
    {"dtype": "<f4", "shape": [8], "base64": NAN},
    {"dtype": "<f8", "shape": [2**60], "base64": NAN},
    {"dtype": "<f8", "shape": [2, 2], "base64": NAN},
    {"dtype": "<f8", "shape": [-1], "base64": NAN},
    {"dtype": "<f8", "shape": [4.0], "base64": NAN},
    {"dtype": "<f8", "shape": [[4]], "base64": NAN},
    {"dtype": "<f8", "shape": [1] * 9, "base64": NAN},
    {"dtype": "<f8", "shape": [4], "base64": NAN + "!"},
    {"dtype": "<f8", "shape": [4], "base64": "ä" * 44},
    {"dtype": "<f8", "shape": [4], "zlib": NAN},
    {"dtype": "<f8", "shape": [4], "base64": NAN, "zlib": NAN},
]


@pytest.mark.parametrize("array", ARRAYS)
def test_arrays_that_are_not_what_they_say(path, original, array):
    refused(path, changed(original, "rule.weights", array))


def counts(data, shape, **more):
    return {"dtype": "|u1", "shape": shape, "zlib": base64.b64encode(data).decode(), **more}


def test_a_small_file_does_not_inflate_to_a_large_one(path, original):
    bomb = zlib.compress(bytes(40_000_000))
    assert len(bomb) < 50_000
    for length in (40_000_000, 2**50, 150):
        document = json.loads(original)
        document["training"] |= {"rows": length, "update_counts": counts(bomb, [length])}
        refused(path, with_new_sum(json.dumps(document).encode()))
    good = zlib.compress(bytes(150))
    for data in [
        good[:-3],
        good + b"x",
        b"nonsense",
    ]:
        refused(path, changed(original, "training.update_counts", counts(data, [150])))
    path.write_bytes(changed(original, "training.update_counts", counts(good, [150])))
    assert load(path).update_counts_.tolist() == [0] * 150


def test_what_is_deflated_can_always_be_inflated(monkeypatch):
    # Up to the limit zeros are deflated by a thousand; beyond it they stay as they are.
    monkeypatch.setattr(arrays, "MOST_INFLATED", 10**5)
    for length in (10**3, 10**5, 10**6):
        found = arrays.counts(np.zeros(length, dtype=np.int64), deflated=True)
        assert ("zlib" in found) == (length <= 10**5)


# --- Going on from a file that lies -----------------------------------------------------------


def test_a_state_for_other_rows_is_not_gone_on_with(path, original):
    """The fingerprint can be right and the sizes wrong; memory beyond them must not be touched."""
    p = Perceptron(order="random", keep="last", random_state=0, max_iter=1, warm_start=True)
    weights = np.where(np.arange(150) < 20, 1.0, 0.0)  # 20 rows exist
    quietly(p.fit, ROWS, Y, weights)
    save(p, path)
    content = changed(path.read_text(), "state.seen", 150)
    document = json.loads(content)
    document["state"] |= {"position": 150, "under_way": True}
    path.write_bytes(with_new_sum(json.dumps(document).encode()))
    q = load(path)
    assert q._trained_by == p._trained_by
    quietly(q.fit, ROWS, Y, weights)
    assert q.n_iter_ == 1  # from the returned weights, not from that state
    # The counts of updates are of 150 rows; the fingerprint is of 160.
    more = Perceptron(warm_start=True, random_state=0, max_iter=1)
    quietly(more.fit, np.vstack([ROWS, ROWS[:10]]), np.append(Y, Y[:10]))
    path.write_bytes(changed(original, "state.goes_on.data", more._trained_by.data))
    q = load(path)
    quietly(q.fit, np.vstack([ROWS, ROWS[:10]]), q.classes_[np.append(Y, Y[:10])])
    assert len(q.update_counts_) == 160


# --- Kernel rules -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def kernel_model(tmp_path_factory):
    from scipy import sparse

    path = tmp_path_factory.mktemp("kernel") / "model.json"
    p = KernelPerceptron(kernel="linear", keep="vote", random_state=0, max_iter=2)
    save(p.fit(sparse.csr_matrix(ROWS[:30]), Y[:30]), path)
    return path.read_text()


def test_kernel_rules_that_point_out_of_their_arrays(path, kernel_model):
    document = json.loads(kernel_model)
    support = document["rule"]["support"]
    vectors = document["rule"]["vectors"]
    entries = len(vectors["data"])
    idle = min(set(range(30)) - set(support))
    wrong = [
        ("rule.support", [*support[:-1], 30]),
        ("rule.support", support[::-1]),
        ("rule.support", [support[0]] * len(support)),
        ("rule.updated_rows", [idle] * len(document["rule"]["votes"])),
        ("rule.updated_rows", [0]),
        ("rule.vectors", None),
        ("rule.vectors.indices", [4] * entries),
        ("rule.vectors.indices", [0] * entries),
        ("rule.vectors.indptr", [entries] * (len(support) + 1)),
        ("rule.vectors.indptr", [0] * (len(support) + 1)),
        ("rule.vectors.index_type", "float64"),
        ("rule.gamma", -1.0),
        ("rule.kernel", "my.module:function"),
        ("rule.row_weights", [-1.0] * 30),
        ("training.keep", "best"),
        ("training.update_counts", None),
    ]
    for where, value in wrong:
        refused(path, changed(kernel_model, where, value))


def test_the_checksum_is_of_the_file_with_zeros_in_its_place(original):
    digest = json.loads(original)["sha256"]
    again = hashlib.sha256(original.replace(digest, "0" * 64, 1).encode()).hexdigest()
    assert again == digest


@pytest.mark.parametrize("wrong", [3, {}, {"schema": "rosenblatt.certificate/1"}, "overlap"])
def test_what_is_not_a_certificate_is_refused(tmp_path, original, wrong):
    content = changed(original, "training.certificate", wrong)
    refused(tmp_path / "model.json", content)


@pytest.mark.parametrize(
    ("where", "value"),
    [
        ("state.precision", None),
        ("state.precision.intercept", 0.5),
        ("state.faded", 0.0),
        ("state.faded", 1.5),
        ("state.scale", [1.0, 0.0]),
        ("state.scale", [1.0]),
        ("training.rule_number", -1.0),
        ("state.goes_on.rule", "none"),
        ("parameters.r", "auto"),
    ],
    ids=str,
)
def test_what_other_rules_remember_is_checked(path, where, value):
    save(AROW(random_state=0, warm_start=True).fit(ROWS, Y), path)
    refused(path, changed(path.read_text(), where, value))


def test_only_arow_has_precisions(path, original):
    there = {"weights": [1.0] * 4, "intercept": 1.0}
    refused(path, changed(original, "state.precision", there))
