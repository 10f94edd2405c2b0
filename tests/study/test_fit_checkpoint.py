"""rosenblatt fit --checkpoint: killed at any moment, the same command gives the same model."""

import json
import signal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import crashing


def made(place, n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3)).round(3)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame["label"] = np.where(X[:, 0] + 0.5 * rng.standard_normal(n) > 0, "yes", "no")
    frame.to_csv(place / "t.csv", index=False)


FIT = ["fit", "t.csv", "--target", "label", "--private", "-q"]
KEPT = [*FIT, "--checkpoint", "kept"]
OFTEN = ["--checkpoint-every", "0"]


def model(place, folder="t-rosenblatt"):
    return (place / folder / "model.json").read_bytes()


@pytest.mark.parametrize("more", [[], ["--stream", "--cache", "cache"]], ids=["memory", "stream"])
def test_after_a_kill_the_same_command_writes_the_same_model(tmp_path, heavy, more):
    made(tmp_path)
    assert crashing.command_ended([*KEPT, *more, "-o", "whole"], tmp_path) == 0
    rng = np.random.default_rng(5)
    for i in range(heavy(25)):
        output = ["-o", f"t{i}"]
        writes = [int(k) for k in rng.integers(2, 60, size=2)]  # twice, the second time sooner
        for k in writes:
            killed = crashing.command_ended([*KEPT, *more, *OFTEN, *output], tmp_path, k)
            assert killed == -signal.SIGKILL
        assert list((tmp_path / "kept").glob("*.checkpoint"))
        assert not (tmp_path / f"t{i}").exists()
        assert crashing.command_ended([*KEPT, *more, *output], tmp_path) == 0
        assert model(tmp_path, f"t{i}") == model(tmp_path, "whole")
        assert not (tmp_path / "kept").exists()


def test_a_folder_that_was_there_stays_with_what_else_it_holds(shell):
    made(Path())
    Path("kept").mkdir()
    Path("kept/mine.txt").write_text("mine")
    assert shell(*KEPT)[0] == 0
    assert [path.name for path in Path("kept").iterdir()] == ["mine.txt"]
    Path("kept/mine.txt").unlink()
    assert shell(*KEPT)[0] == 0
    assert list(Path("kept").iterdir()) == []


def test_a_checkpoint_of_other_data_is_refused(shell, tmp_path):
    made(Path())
    assert crashing.command_ended([*KEPT, *OFTEN], tmp_path, 5) == -signal.SIGKILL
    before = {path.name: path.read_bytes() for path in Path("kept").iterdir()}
    made(Path(), seed=1)
    code, out, err = shell(*KEPT)
    assert (code, out) == (2, "")
    assert "is of another training: the rows, their order or labels are not" in err
    assert {path.name: path.read_bytes() for path in Path("kept").iterdir()} == before
    assert not Path("t-rosenblatt").exists()


def test_ctrl_c_keeps_them_and_says_how_to_go_on(shell, monkeypatch):
    from rosenblatt._study import proof

    made(Path())

    certify = proof._certify

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(proof, "_certify", stop)
    code, _, err = shell(*KEPT)
    assert (code, err.splitlines()[-1]) == (
        130,
        "Interrupted: t-rosenblatt has what was found so far. "
        "To resume, run the same command again.",
    )
    first = model(Path())
    monkeypatch.setattr(proof, "_certify", certify)
    assert list(Path("kept").glob("*.checkpoint"))
    assert shell(*KEPT)[0] == 0
    assert model(Path()) == first
    assert not Path("kept").exists()


def test_what_cannot_be(shell):
    made(Path())
    code, _, err = shell(*FIT, "--checkpoint-every", "5")
    assert code == 2
    assert "--checkpoint FOLDER" in err
    code, _, err = shell(*FIT, "-o", "out", "--checkpoint", "out/kept")
    assert code == 2
    assert "in the folder of the results, out" in err
    Path("file").write_text("")
    code, _, err = shell(*FIT, "--checkpoint", "file")
    assert code == 2
    assert "is a file, not a folder" in err
    code, _, err = shell("fit", "none.csv", "--target", "label", "--checkpoint", "kept")
    assert code == 2
    assert not Path("kept").exists()


def test_the_command_to_do_it_again_does_without(shell):
    made(Path())
    _, out, _ = shell(*KEPT, "--json")
    assert "checkpoint" not in json.loads(out)["reproduce"]["command"]
