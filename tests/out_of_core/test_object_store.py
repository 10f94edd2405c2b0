"""Models, checkpoints, tables and results at addresses: s3:// over HTTP, and memory://."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.error import URLError
from urllib.request import Request, urlopen

import fsspec
import numpy as np
import pytest

from rosenblatt import Certificate, Perceptron, Study, certify, data, load, save, study, train
from rosenblatt._util import remote
from rosenblatt.errors import FileError, InputError, MissingExtraError, MissingFileError
from sources import frame


def rule(**more):
    return Perceptron(order="blocks", random_state=0, patience=None, **{"max_iter": 5} | more)


def arrays():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    return X, X[:, 0] + rng.normal(size=300) > 0


def same_bits(p, q):
    return bool((p.coef_ == q.coef_).all() and (p.intercept_ == q.intercept_).all())


def never():
    pytest.fail("rows were read before the refusal")


# --- S3, by a server of its own ---


def call(url, what, content):
    headers = {"Content-Type": "text/plain"}
    urlopen(Request(f"{url}/moto-api/{what}", content, headers, method="POST")).close()


@pytest.fixture(scope="module")
def server():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    command = [Path(sys.executable).with_name("moto_server"), "-H", "127.0.0.1", "-p", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while True:
            try:
                urlopen(f"{url}/moto-api/").close()
                break
            except URLError:
                assert process.poll() is None
                time.sleep(0.05)
        yield url
        process.kill()


@pytest.fixture
def s3(server, monkeypatch):
    """The file system with a bucket, and whoever may do anything."""
    import s3fs

    call(server, "reset", b"")
    for name, value in {
        "AWS_ENDPOINT_URL": server,
        "AWS_ACCESS_KEY_ID": "who",
        "AWS_SECRET_ACCESS_KEY": "ever",
        "AWS_DEFAULT_REGION": "us-east-1",
    }.items():
        monkeypatch.setenv(name, value)
    s3fs.S3FileSystem.clear_instance_cache()
    system = fsspec.filesystem("s3")
    system.mkdir("bucket")
    yield system
    s3fs.S3FileSystem.clear_instance_cache()


def test_models_and_certificates(s3, tmp_path):
    X, y = arrays()
    p = rule().fit(X, y)
    for place in ("s3://bucket/a/model.json", Path("s3://bucket/a/model.json")):
        save(p, place)
        assert same_bits(load(place), p)
    found = certify(X, y)
    found.save("s3://bucket/a/certificate.json")
    Certificate.load("s3://bucket/a/certificate.json").verify(X, y)
    assert s3.ls("bucket/a", detail=False) == ["bucket/a/certificate.json", "bucket/a/model.json"]
    with pytest.raises(MissingFileError):
        load("s3://bucket/a/other.json")


KILLED = """
import sys
from rosenblatt import Perceptron, data, train
table = data.read("s3://bucket/part-*.csv", target="label")
p = Perceptron(order="blocks", random_state=0, patience=None, max_iter=10**6)
train(p, table, cache="rows", checkpoint="s3://bucket/run.checkpoint", checkpoint_every=0)
"""


def test_a_killed_training_resumes(s3, tmp_path):
    for k in range(2):
        s3.pipe_file(f"bucket/part-{k}.csv", frame(90, seed=k).to_csv(index=False).encode())
    with subprocess.Popen([sys.executable, "-c", KILLED], cwd=tmp_path) as process:
        seen = set()
        while len(seen) < 4:  # of the checkpoints that it writes
            assert process.poll() is None
            s3.invalidate_cache()
            if s3.exists("bucket/run.checkpoint"):
                seen.add(s3.info("bucket/run.checkpoint")["ETag"])
        process.send_signal(signal.SIGKILL)
    state = json.loads(s3.cat_file("bucket/run.checkpoint"))["state"]
    epochs = state["epoch"] + 5
    table = data.read("s3://bucket/part-*.csv", target="label")
    kept = {"checkpoint": "s3://bucket/run.checkpoint"}
    resumed = train(rule(max_iter=epochs), table, cache=tmp_path / "rows", **kept)
    assert state["epoch"] > 0
    assert resumed.n_iter_ == epochs
    X, y, _ = table.encode()
    assert same_bits(resumed, rule(max_iter=epochs).fit(X, y))
    with pytest.raises(InputError):  # a checkpoint of another training
        train(rule(eta0=2.0), never, **kept)


def test_a_missing_bucket_is_said_before_training(s3, shell):
    X, y = arrays()
    with pytest.raises(MissingFileError):
        train(rule(), never, checkpoint="s3://nowhere/run.checkpoint")
    with pytest.raises(MissingFileError):
        save(rule().fit(X, y), "s3://nowhere/model.json")
    with pytest.raises(InputError):
        data.read("s3://nowhere/part-*.csv", target="label")
    frame(90).to_csv("t.csv", index=False)
    for options in (["-o", "s3://nowhere/found"], ["--checkpoint", "s3://nowhere/kept"]):
        code, out, err = shell("fit", "t.csv", "--target", "label", *options)
        assert (code, out) == (2, "")
        assert "s3://nowhere" in err
        assert err.count("\n") == 1


def test_no_permission_is_said_before_training(s3, server, monkeypatch):
    import boto3

    s3.pipe_file("bucket/t.csv", frame(90).to_csv(index=False).encode())
    iam = boto3.client("iam")
    allowed = {"Effect": "Allow", "Action": ["s3:GetObject", "s3:ListBucket"], "Resource": "*"}
    policy = json.dumps({"Version": "2012-10-17", "Statement": [allowed]})
    iam.create_user(UserName="reader")
    iam.put_user_policy(UserName="reader", PolicyName="reads", PolicyDocument=policy)
    key = iam.create_access_key(UserName="reader")["AccessKey"]
    iam.close()
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", key["AccessKeyId"])
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", key["SecretAccessKey"])
    type(s3).clear_instance_cache()
    call(server, "reset-auth", b"0")
    try:
        assert data.read("s3://bucket/t.csv", target="label").n_rows == 90
        with pytest.raises(FileError) as caught:
            train(rule(), never, checkpoint="s3://bucket/run.checkpoint")
        assert "Access Denied" in str(caught.value)
        table = frame(90)
        with pytest.raises(FileError):
            study(table, target="label", checkpoint="s3://bucket/kept")
    finally:
        call(server, "reset-auth", b"inf")
    assert s3.ls("bucket", detail=False, refresh=True) == ["bucket/t.csv"]


def test_a_folder_of_results(s3, shell):
    s3.pipe_file("bucket/t.csv", frame(200).to_csv(index=False).encode())
    place = "s3://bucket/found"
    fit = ["fit", "s3://bucket/t.csv", "--target", "label", "--seed", 0, "--no-comparison"]
    code, _, err = shell(*fit, "-o", place, "--checkpoint", "s3://bucket/kept")
    assert (code, err) == (0, "")
    assert not s3.exists("bucket/kept")  # all is saved
    names = ["certificate.json", "model.json", "report.html"]
    assert [name.split("/")[-1] for name in s3.ls("bucket/found", refresh=True)] == names

    found = study("s3://bucket/t.csv", target="label", random_state=0, comparison=False)
    assert same_bits(found.estimator, Study.load(place).estimator)
    with pytest.raises(FileError):
        found.save(place)
    found.save(place, force=True)
    assert [name.split("/")[-1] for name in s3.ls("bucket/found", refresh=True)] == names
    found.save("here")
    predict = ["predict", f"{place}/model.json", "s3://bucket/t.csv", "-o"]
    assert shell(*predict, "s3://bucket/predicted.csv")[0] == 0
    assert shell("predict", "here/model.json", "s3://bucket/t.csv", "-o", "here.csv")[0] == 0
    assert s3.cat_file("bucket/predicted.csv") == Path("here.csv").read_bytes()
    assert shell(*predict, "s3://bucket/predicted.csv")[0] == 2  # it exists, and no --force
    s3.pipe_file("bucket/found/mine.txt", b"")
    with pytest.raises(FileError):
        found.save(place, force=True)
    assert s3.exists("bucket/found/model.json")


# --- What needs no server ---


@pytest.fixture
def memory():
    system = fsspec.filesystem("memory")
    yield system
    system.rm("/bucket", recursive=True)


def test_any_object_store(memory):
    X, y = arrays()
    save(rule().fit(X, y), "memory://bucket/model.json")
    assert same_bits(load("memory://bucket/model.json"), rule().fit(X, y))
    kept = {"checkpoint": "memory://bucket/run.checkpoint"}
    train(rule(max_iter=2), (X, y), **kept)
    assert same_bits(train(rule(), (X, y), **kept), rule().fit(X, y))
    assert [Path(name).name for name in memory.ls("/bucket", detail=False)] == [
        "model.json",
        "run.checkpoint",
    ]


@pytest.mark.parametrize("place", ["s3://bucket/rows", Path("s3://bucket/rows"), "file:///rows"])
def test_no_cache_at_an_address(place, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for given, environment in ((place, ""), (None, str(place))):
        monkeypatch.setenv("ROSENBLATT_CACHE", environment)
        with pytest.raises(InputError) as caught:
            train(rule(), never if given else lambda: iter([arrays()]), cache=given)
        assert caught.value.option == "cache"
    assert os.listdir(tmp_path) == []


def test_what_is_no_object_store_is_not_written(tmp_path):
    p = rule().fit(*arrays())
    for place in (f"file://{tmp_path}/model.json", "sftp://machine/model.json", "s3://bucket"):
        with pytest.raises((InputError, MissingExtraError)):
            save(p, place)
    assert os.listdir(tmp_path) == []


def test_without_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "s3fs", None)
    for call_ in (
        lambda: train(rule(), never, checkpoint="s3://bucket/run.checkpoint"),
        lambda: load("s3://bucket/model.json"),
        lambda: data.read("s3://bucket/t.csv", target="label"),
    ):
        with pytest.raises(MissingExtraError) as caught:
            call_()
        assert ".[s3]" in str(caught.value)
    assert remote.remote("C:/model.json") is None
