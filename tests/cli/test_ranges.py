"""What predict and score say of rows: are they unlike those of training, or the same?"""

import csv
import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from raising import check_sentence
from rosenblatt.cli._rows import Ranges
from rosenblatt.data.features import Number, Seen

N = 300
RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "income": RNG.uniform(20_000, 90_000, N).round(2),
        "rate": RNG.uniform(0, 1, N).round(3),
        "day": pd.date_range("2023-01-01", periods=N).strftime("%Y-%m-%d"),
        "note": [f"n{i % 3}" for i in range(N)],
    }
)
FRAME["y"] = np.where(FRAME["income"] + 8000 * RNG.normal(size=N) > 55_000, "yes", "no")


@pytest.fixture
def model(shell, tmp_path):
    FRAME.to_csv(tmp_path / "t.csv", index=False)
    assert shell("fit", "t.csv", "--target", "y", "-o", "out", "--no-comparison", "-q")[0] == 0
    return "out/model.json"


def outside(shell, *arguments):
    code, out, _ = shell(*arguments, "--json")
    assert code == 0
    return {column.pop("column"): column for column in json.loads(out)["outside"]}


@pytest.mark.parametrize("command", ["predict", "evaluate"])
def test_another_unit_is_told_with_column_value_and_range(shell, model, tmp_path, command):
    low, high = (
        json.loads((tmp_path / model).read_text())["preprocessing"]["columns"][0]["seen"][end]
        for end in ("low", "high")
    )
    new = FRAME.head(50).assign(income=FRAME["income"] * 1000)
    new.to_csv(tmp_path / "new.csv", index=False)
    about = outside(shell, command, model, "new.csv")
    assert list(about) == ["income"]
    sentence = about["income"].pop("sentence")
    check_sentence(sentence)
    assert about["income"] == {
        "low": low,
        "high": high,
        "rows": 50,
        "outside": 50,
        "far": 50,
        "furthest": new["income"].max(),
    }
    _, out, err = shell(command, model, "new.csv")
    assert sentence in out + err


def test_most_rows_outside_are_told_of_however_near(shell, model, tmp_path):
    days = pd.date_range("2024-01-01", periods=N).strftime("%Y-%m-%d")
    new = FRAME.assign(income=FRAME["income"] / 1000, day=days, rate=0.5)
    new.to_csv(tmp_path / "new.csv", index=False)
    about = outside(shell, "predict", model, "new.csv")
    assert {name: (c["outside"], c["far"]) for name, c in about.items()} == {
        "income": (N, 0),
        "day": (N, 0),
    }
    check_sentence(about["day"]["sentence"])
    new.head(9).to_csv(tmp_path / "few.csv", index=False)  # too few to say
    assert outside(shell, "predict", model, "few.csv") == {}


def test_rows_like_those_of_training_are_no_reason_to_warn(shell, model):
    assert outside(shell, "predict", model, "t.csv") == {}


class Batch(SimpleNamespace):
    def numbers(self, name):
        return self.columns[name]

    def place(self, row):
        return row


def alarm(train, new):
    seen = Seen(float(train.min()), float(train.max()), False)
    preprocessing = SimpleNamespace(numbers=[Number("a", seen=seen)], reading=None)
    ranges = Ranges(preprocessing)
    ranges.see(Batch(columns={"a": new}))
    return bool(ranges._far["a"] or ranges._most_outside("a"))


def test_new_rows_of_the_same_kind_are_hardly_ever_far_outside(heavy):
    """Heavy tails, and as many new rows as there were in training."""
    rng, times = np.random.default_rng(0), heavy(20_000)
    draws = [
        rng.normal,
        rng.exponential,
        lambda size: rng.lognormal(0, 1.5, size),
        lambda size: rng.pareto(2, size),
    ]
    for draw in draws:
        alarms = sum(alarm(draw(size=200), draw(size=200)) for _ in range(times // 4))
        assert alarms <= 0.01 * times / 4
    train = rng.lognormal(0, 1.5, 200)
    assert alarm(train, 1000 * train)
    assert not alarm(train, np.full(200, np.nan))
    assert not alarm(np.ones(200), np.r_[np.ones(199), 2.0])  # there was no range


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_score_knows_the_table_that_was_fitted(shell, model, tmp_path, form):
    same = tmp_path / f"same.{form}"
    FRAME.to_csv(same, index=False) if form == "csv" else FRAME.to_parquet(same)
    _, out, _ = shell("evaluate", model, same, "--json")
    assert json.loads(out)["training_rows"] is True
    lines = shell("evaluate", model, same)[1].splitlines()
    note = next(line for line in lines if line.startswith("Warning"))
    check_sentence(note)
    assert note.endswith(json.loads(out)["note"])
    for other in (FRAME.head(200), FRAME.assign(rate=FRAME["rate"].shift(1, fill_value=0.5))):
        other.to_csv(tmp_path / "other.csv", index=False)
        _, out, _ = shell("evaluate", model, "other.csv", "--json")
        assert json.loads(out)["training_rows"] is False


# --- Text that spreadsheets run -------------------------------------------------------------------

FORMULAS = ["=1+1", "+49 30 12", "-", "@sum(a1)", "=cmd|' /C calc'!A0"]
PLAIN = ["-5", "+3.5e2", "-1,5", "-12 %", "a=b", "", "'=1"]


def test_formulas_in_predictions_are_told_of_and_can_be_made_safe(shell, model, tmp_path):
    words = FORMULAS + PLAIN
    new = FRAME.head(len(words)).assign(**{"=text": words, "plain": PLAIN[0]})
    new.to_csv(tmp_path / "new.csv", index=False)
    kept = ("--copy", "=text", "--copy", "plain", "--copy", "note")

    def rows(*more):
        code, _, err = shell("predict", model, "new.csv", "-o", "p.csv", "--force", *kept, *more)
        assert code == 0
        with open(tmp_path / "p.csv", newline="") as file:
            return list(csv.reader(file)), err

    written, err = rows()
    check_sentence(err.splitlines()[0])
    safe, err = rows("--spreadsheet-safe")
    assert "spreadsheet" not in err
    assert [row[1] for row in written] == ["=text", *words]
    assert [row[1] for row in safe] == ["'=text", *(f"'{text}" for text in FORMULAS), *PLAIN]
    others = [[*row[:1], *row[2:]] for row in written], [[*row[:1], *row[2:]] for row in safe]
    assert others[0] == others[1]
    assert "spreadsheet" not in shell("predict", model, "new.csv", "--copy", "plain")[2]
