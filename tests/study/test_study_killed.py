"""A study that is killed while it is saved: the folder is as it was, or as it shall be."""

import functools
import json
import os
import shutil

import numpy as np
import pytest

import crashing
from raising import raises
from rosenblatt import Certificate, load, study


@pytest.fixture(scope="module")
def studies():
    """Two, of the same rows: the one that is there, and the one that replaces it."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 3)).round(3)
    y = np.where(X[:, 0] + 0.5 * rng.standard_normal(80) > 0, "yes", "no")
    return study(X, y), study(X, y, random_state=1)


def contents(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir()}


@pytest.mark.parametrize("exchanging", [True, False], ids=["exchanged", "moved"])
def test_killed_between_any_two_steps_there_is_the_old_result_or_the_new_one(
    tmp_path, monkeypatch, heavy, studies, exchanging
):
    wanted = []
    for name, found in zip(("old", "new"), studies, strict=True):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        found.save("fit")  # the report names its folder
        wanted.append(contents(tmp_path / name / "fit"))
        assert len(wanted[-1]) == 3
    old, new = wanted
    assert old["model.json"] != new["model.json"]
    write = functools.partial(studies[1].save, "fit", force=True)

    def begun(name):
        place = tmp_path / str(name)
        place.mkdir()
        shutil.copytree(tmp_path / "old" / "fit", place / "fit")
        return place

    steps = crashing.killed_before(0, write, begun("whole"), exchanging=exchanging)
    assert steps > 20
    assert contents(tmp_path / "whole" / "fit") == new
    times, outcomes = heavy(50), []
    for i in range(times):
        place = begun(i)
        step = 1 + i * steps // times if times > 2 else (steps // 2, steps - 1)[i]
        assert crashing.killed_before(step, write, place, exchanging=exchanging) is None
        if exchanging or (place / "fit").exists():
            assert contents(place / "fit") in (old, new)
        # The next run, which may not replace it, makes it whole and clears up.
        monkeypatch.chdir(place)
        with raises(OSError, option="force", value=False, file="fit"):
            studies[1].save("fit")
        assert os.listdir(place) == ["fit"]
        assert contents(place / "fit") in (old, new)
        outcomes.append(contents(place / "fit") == new)
        if i % 2:  # and one that may, replaces it
            write()
            assert os.listdir(place) == ["fit"]
            assert contents(place / "fit") == new
        load(place / "fit" / "model.json")
        Certificate.load(place / "fit" / "certificate.json")
    assert set(outcomes) == {False, True}


def test_what_is_saved_is_the_study(tmp_path, studies):
    found = studies[0]
    found.save(tmp_path / "fit")
    model = load(tmp_path / "fit" / "model.json")
    assert (model.coef_ == found.estimator.coef_).all()
    assert model.preprocessing_ == found.preprocessing == found.estimator.preprocessing_
    page = (tmp_path / "fit" / "report.html").read_text()
    embedded = page.split('<script type="application/json" id="report">')[1].split("</script>")[0]
    assert json.loads(embedded) == found.to_dict()
    assert Certificate.load(tmp_path / "fit" / "certificate.json").sha256 == (
        found.certificate.sha256
    )
