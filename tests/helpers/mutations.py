"""Model files with something wrong in them, thousands of them: each is refused, or is harmless.

Run by test_model_file_attacks.py in a process of its own: `python mutations.py COUNT SEED`. Most
mutations get a new checksum, so that they come through to the checks behind it.
"""

import base64
import contextlib
import copy
import hashlib
import json
import pickle
import re
import resource
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from models import quietly, table
from rosenblatt import KernelPerceptron, Perceptron, RandomLinearClassifier, Scorecard, load, save
from rosenblatt.errors import ModelFileError, RosenblattError

ROOM = 1 << 29  # bytes that reading small files may take, whatever they claim

ROWS, LABELS = table(150, 4)

STRANGE = [
    *(None, True, False, "", "x", "returned", "vote", "best", "precomputed", "object", "|b1"),
    *(-1, 0, 1, 2, 3, 149, 150, 151, 2**31, 2**32, 2**53, 2**60, 2**62, 2**63, 2**64, 10**39),
    *(-(2**63), 10**400, 0.0, -0.0, 0.5, 1e-320, -1.0, 1e308, -1e308),
    *(float("nan"), float("inf"), -float("inf")),
    *([], {}, [[]], [0], [1.0], ["a", "b"], {"a": 1}, [1.0] * 4, [0] * 150, [2**40]),
    {"dtype": "<f8", "shape": [10**12], "base64": ""},
    {"dtype": "<f8", "shape": [2**62, 2**62], "base64": "AAAA"},
    {"dtype": "|u1", "shape": [10**10], "zlib": "eJwDAAAAAAE="},
    {"dtype": "|O", "shape": [1], "base64": "AAAAAAAAAAA="},
    {"dtype": "<f8", "shape": [4], "base64": base64.b64encode(np.full(4, np.nan)).decode()},
]


def originals(folder):
    """Files of every kind, as bytes."""
    shared = {"random_state": 0, "max_iter": 3}
    weights = np.linspace(0, 2, len(LABELS))
    words = np.array(["no", "yes"])[LABELS]
    for keep in ("last", "best", "pocket", "average", "vote"):
        p = Perceptron(keep=keep, warm_start=True, class_weight={0: 2.0}, **shared)
        yield written(folder, quietly(p.fit, ROWS, LABELS, weights, X_val=ROWS, y_val=LABELS))
        k = KernelPerceptron(keep=keep, warm_start=True, **shared)
        yield written(folder, quietly(k.fit, ROWS.astype(np.float32), words))
    several = np.array(["a", "b", "c"])[(LABELS + (ROWS[:, 1] > 0)).astype(int)]
    for keep, kind in (("best", "joint"), ("vote", "joint"), ("average", "ovr")):
        p = Perceptron(keep=keep, multi_class=kind, warm_start=True, **shared)
        yield written(folder, quietly(p.fit, ROWS, several))
        yield written(folder, quietly(KernelPerceptron(keep=keep, **shared).fit, ROWS, several))
    p = Perceptron(order="random", max_updates=5, warm_start=True, random_state=0)
    yield written(
        folder, p.fit(ROWS, words), preprocessing={"columns": [{"name": "a", "mean": 1.5}]}
    )
    yield written(
        folder, Perceptron(random_state=np.random.RandomState(0)).partial_fit(ROWS, LABELS)
    )
    k = KernelPerceptron(kernel="poly", **shared)
    yield written(folder, quietly(k.fit, sparse.csr_matrix(ROWS), LABELS, weights))
    k = KernelPerceptron(kernel="precomputed", keep="vote", **shared)
    start = np.linspace(-1, 1, len(LABELS))
    yield written(folder, quietly(k.fit, ROWS @ ROWS.T, LABELS, dual_coef_init=start))
    yield written(folder, RandomLinearClassifier(k=120, random_state=0).fit(ROWS, LABELS))
    yield written(folder, Scorecard().fit(ROWS, words, X_val=ROWS, y_val=words))
    pipeline = make_pipeline(SimpleImputer(), StandardScaler(), Perceptron(**shared))
    yield written(folder, quietly(pipeline.fit, ROWS, words))


def written(folder, p, **more):
    path = folder / "original.json"
    save(p, path, **more)
    return path.read_bytes()


# --- Ways to spoil a file -----------------------------------------------------------------------


def spoiled(content, rng):
    way = rng.choice([spoil_bytes, spoil_values, spoil_values, spoil_values, spoil_arrays])
    content = way(content, rng)
    return content if rng.random() < 0.1 else with_new_sum(content)


def with_new_sum(content):
    """The checksum is right again, if it is still to be found."""
    found = re.search(rb'"sha256": "([^"]*)"', content)
    if found is None:
        return content
    empty = content[: found.start(1)] + b"0" * 64 + content[found.end(1) :]
    digest = hashlib.sha256(empty).hexdigest().encode()
    return content[: found.start(1)] + digest + content[found.end(1) :]


def spoil_bytes(content, rng):
    content = bytearray(content)
    for _ in range(rng.integers(1, 4)):
        place = int(rng.integers(len(content)))
        match rng.integers(5):
            case 0:
                content[place] ^= 1 << int(rng.integers(8))
            case 1:
                content[place] = int(rng.choice(list(b'{}[]",:0123456789eE.-+tfn\\\x00\xff')))
            case 2:
                del content[place : place + int(rng.integers(1, 30))]
            case 3:
                some = int(rng.integers(len(content)))
                content[place:place] = content[some : some + int(rng.integers(1, 200))]
            case 4 if rng.random() < 0.3:
                del content[place:]
                content = content or bytearray(b" ")
    return bytes(content)


def spoil_values(content, rng):
    """A field gets another value, goes away, comes twice, or a new one comes."""
    document = json.loads(content)
    places = [p for p in all_places(document) if p[-1] not in ("sha256", "format")]
    for _ in range(rng.integers(1, 3)):
        *way, last = places[int(rng.integers(len(places)))]
        with contextlib.suppress(LookupError, TypeError):  # an earlier one took it away
            holder = document
            for step in way:
                holder = holder[step]
            change(holder, last, rng)
    return text_of(document)


def change(holder, last, rng):
    value = holder[last]
    match rng.integers(6):
        case 0 | 1:
            holder[last] = copy.deepcopy(STRANGE[int(rng.integers(len(STRANGE)))])
        case 2 if isinstance(value, (int, float)):
            holder[last] = [value + 1, value - 1, -value, value * 10**6, float(value % 10**300)][
                rng.integers(5)
            ]
        case 2 | 3 if isinstance(value, list):
            value.append(copy.deepcopy(value[0]) if value else 0)
        case 4 if isinstance(value, list):
            del value[0]
        case 3:
            del holder[last]
        case _ if isinstance(holder, dict):
            holder[rng.choice(["more", "", "__class__", "zlib", "base64", "weights"])] = value
        case _:
            holder[last] = [holder[last]]


def spoil_arrays(content, rng):
    """Bytes of an array are others, more or fewer; or its type or shape is another."""
    document = json.loads(content)
    arrays = [a for a in all_values(document) if isinstance(a, dict) and "shape" in a]
    if not arrays:
        return spoil_values(content, rng)
    array = arrays[int(rng.integers(len(arrays)))]
    field = "zlib" if "zlib" in array else "base64"
    data = bytearray(base64.b64decode(array[field]))
    match rng.integers(5):
        case 0:
            for _ in range(rng.integers(1, 9)):
                data[int(rng.integers(len(data)))] = int(rng.choice([0, 127, 128, 240, 255]))
        case 1:
            del data[-int(rng.integers(1, 9)) :]
        case 2:
            data += bytes(int(rng.integers(1, 9)))
        case 3:
            array["dtype"] = str(rng.choice(["<f8", "<f4", "|u1", "<u2", "<u8", ">f8", "<i8"]))
        case 4:
            shape, k = array["shape"], int(rng.integers(len(array["shape"])))
            shape[k] = int(rng.choice([0, 1, shape[k] + 1, shape[k] - 1, 2 * shape[k], 2**60]))
    array[field] = base64.b64encode(data).decode()
    return text_of(document)


def all_places(value, before=()):
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in pairs:
        yield (*before, key)
        if isinstance(inner, (dict, list)) and len(inner) < 1000:
            yield from all_places(inner, (*before, key))


def all_values(value):
    yield value
    if isinstance(value, (dict, list)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from all_values(inner)


def text_of(document):
    with_limit = sys.get_int_max_str_digits()
    assert with_limit == 0 or with_limit > 400
    return json.dumps(document, indent=0).encode()


# --- What becomes of it -----------------------------------------------------------------------


def fate(path):
    try:
        p = load(path)
    except ModelFileError as error:
        message = str(error)
    else:
        use(p)
        return "harmless"
    assert str(path) in message
    assert "\n" not in message
    assert len(message) < 600
    return "checksum" if "the sha256 that it claims" in message else "refused"


def use(p):
    """Whatever was loaded works like an estimator, or says in our words what is wrong with it."""
    repr(p), p._repr_html_(), clone(p)
    assert len(p.classes_) >= 2
    rows = ROWS @ ROWS.T if getattr(p, "kernel", "") == "precomputed" else ROWS
    rows = np.resize(rows, (len(rows), min(p.n_features_in_, 1000)))
    names = getattr(p, "feature_names_in_", None)
    assert names is None or len(names) == p.n_features_in_
    pickle.loads(pickle.dumps(p))
    if isinstance(p, Pipeline):
        with contextlib.suppress(ValueError):
            p.predict(rows)
        p = p[-1]
    labels = p.classes_[LABELS]
    with contextlib.suppress(RosenblattError, ValueError):
        p.predict(rows), p.decision_function(rows)
    for name in ("coef_", "dual_coef_", "support_vectors_", "alpha_", "mistakes_"):
        getattr(p, name, None)
    if hasattr(p, "max_iter"):
        p.set_params(max_iter=2, verbose=0)
        with contextlib.suppress(RosenblattError, ValueError):
            p.fit(rows, labels)
        with contextlib.suppress(RosenblattError, ValueError):
            p.fit(rows, labels, np.linspace(0, 2, len(labels)))
    if hasattr(p, "partial_fit"):
        p = load_again = copy.deepcopy(p)
        with contextlib.suppress(RosenblattError, ValueError):
            load_again.partial_fit(rows, labels)


def virtual_memory():
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def main(count, seed):
    warnings.simplefilter("ignore")
    rng, fates = np.random.default_rng(seed), Counter()
    with tempfile.TemporaryDirectory() as folder:
        files, path = list(originals(Path(folder))), Path(folder) / "spoiled.json"
        for content in files:
            path.write_bytes(content)
            assert fate(path) == "harmless"
            path.write_bytes(with_new_sum(text_of(json.loads(content))))
            assert fate(path) == "harmless"  # so it is not the new checksum that refuses
        resource.setrlimit(resource.RLIMIT_AS, (virtual_memory() + ROOM, -1))
        for k in range(count):
            path.write_bytes(spoiled(files[k % len(files)], rng))
            try:
                fates[fate(path)] += 1
            except BaseException:
                culprit = Path(tempfile.gettempdir()) / f"spoiled-{seed}-{k}.json"
                culprit.write_bytes(path.read_bytes())
                print(f"number {k} of seed {seed}: see {culprit}")
                raise
    print(json.dumps(fates))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
