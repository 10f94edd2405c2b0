"""Rows divided by time: the earliest train, the latest test, and equal times stay in one part."""

import json

import numpy as np
import pandas as pd
import pytest

from raising import raises
from rosenblatt import Perceptron, study
from rosenblatt.errors import InputError
from rosenblatt.selection import select
from rosenblatt.selection.folds import by_time

RNG = np.random.default_rng(4)


def drifting(n=600):
    """A rule that turns round in the course of the days."""
    day = RNG.integers(0, 300, n)
    X = RNG.standard_normal((n, 2))
    label = np.where(X[:, 0] + (day / 100 - 1.5) * X[:, 1] > 0, "yes", "no")
    when = (pd.Timestamp("2023-01-01") + pd.to_timedelta(day, "D")).strftime("%Y-%m-%d")
    return pd.DataFrame(X, columns=list("ab")).assign(when=when, label=label), day


def test_three_parts_by_hand():
    """Of ten rows the cuts that are nearest to 6 and 8, between different times."""
    y = np.array([0, 1] * 5)
    parts = by_time(y, np.array([9.0, 1, 2, 3, 3, 3, 3, 3, 7, 8]))
    assert [part.tolist() for part in parts] == [[1, 2, 3, 4, 5, 6, 7], [8], [0, 9]]
    with raises(InputError):
        by_time(y, np.repeat([1.0, 2.0], 5))
    with raises(InputError):
        by_time(np.repeat([0, 1], [7, 3]), np.arange(10.0))


@pytest.mark.parametrize("as_text", ["%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y"])
def test_the_latest_rows_test_what_the_earlier_ones_taught(as_text, tmp_path):
    frame, day = drifting()
    frame["when"] = pd.to_datetime(frame["when"]).dt.strftime(as_text)
    frame.to_csv(tmp_path / "t.csv", index=False)
    more = {"date": {"when": as_text}} if as_text.startswith("%d") else {}
    found = study(tmp_path / "t.csv", target="label", split_by_time="when", **more)
    chosen = found.selection
    parts = chosen.train, chosen.validation, chosen.test
    assert sorted(np.concatenate(parts).tolist()) == list(range(600))
    assert day[parts[0]].max() < day[parts[1]].min()
    assert day[parts[1]].max() < day[parts[2]].min()
    assert [len(part) for part in parts] == pytest.approx([360, 120, 120], abs=8)
    assert found.preprocessing.inputs == ["a", "b"]
    document = found.to_dict()
    first = pd.Timestamp("2023-01-01") + pd.Timedelta(days=int(day[parts[2]].min()))
    assert document["split"]["tested_from"] == first.strftime("%Y-%m-%d")
    assert document["split"]["time"] == "when"
    assert document["data"]["ignored"] == ["when"]
    assert "--split-by-time when" in document["reproduce"]["command"]
    if more:  # the rows are the same, however the date is written
        at_random = study(tmp_path / "t.csv", target="label", ignore="when", **more)
        assert found.error > at_random.error + 0.05  # what time does to it is not seen at random


def test_the_threshold_is_chosen_on_rows_that_came_after():
    frame, _ = drifting()
    found = study(frame, target="label", split_by_time="when", costs={"yes:no": 5})
    chosen = found.selection
    assert len(chosen.out_of_sample.scores) == len(chosen.validation)
    assert "before it was trained again" in found.to_dict()["thresholds"]["how"]
    assert "since the training rows could not" not in found.to_dict()["thresholds"]["how"]


def test_numbers_are_times_too_and_dates_suggest_the_option(shell):
    frame, day = drifting(200)
    frame.to_csv("t.csv", index=False)
    code, out, _ = shell("fit", "t.csv", "-y", "label", "--no-comparison")
    assert code == 0
    assert out.startswith("Note        when holds dates.")
    assert "--split-by-time when" in out
    frame.assign(when=day).to_csv("t.csv", index=False)
    code, out, _ = shell("fit", "t.csv", "-y", "label", "--split-by-time", "when")
    assert code == 0
    assert "rows by when, tested once on the latest" in out
    assert "holds dates" not in out
    ask = ("fit", "t.csv", "-y", "label", "--split-by-time", "when", "--private", "--json")
    told = json.loads(shell(*ask)[1])["split"]
    assert (told["time"], told["tested_from"]) == ("when", None)


@pytest.mark.parametrize(
    "other", [{"cv": 3}, {"groups": "a"}, {"stream": True}], ids=["cv", "groups", "stream"]
)
def test_rows_are_divided_in_one_way(other):
    with raises(InputError, option="split_by_time"):
        study(drifting(50)[0], target="label", split_by_time="when", **other)


def test_times_that_cannot_be_compared_are_refused():
    frame, _ = drifting(60)
    with raises(InputError, option="split_by_time", column="when"):
        study(frame.assign(when=list("pqr") * 20), target="label", split_by_time="when")
    missing = frame.assign(when=frame["when"].where(np.arange(60) != 7))
    with raises(InputError, option="split_by_time", column="when", row=7):
        study(missing, target="label", split_by_time="when")
    X, y = frame[["a", "b"]].to_numpy(), frame["label"].to_numpy()
    with raises(InputError):
        select(X, y, {"last": Perceptron(keep="last")}, times=np.full(60, np.nan))
    with raises(InputError):
        select(X, y, {"last": Perceptron(keep="last")}, times=np.arange(60.0), cv=3)
