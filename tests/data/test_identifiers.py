"""Numbers that name rows: recognised by their digits, and since no two are equal."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

from raising import check_sentence, raises, warns
from rosenblatt import data, study
from rosenblatt.data.identifiers import Candidate, is_rounded
from rosenblatt.errors import InputError

N = 600
RNG = np.random.default_rng(0)
X = RNG.normal(size=N).round(3)
LABELS = np.where(X + RNG.normal(size=N) > 0, "yes", "no")
IDS = RNG.permutation(900_000)[:N] + 100_000


def frame(**columns):
    return pd.DataFrame({**columns, "x": X, "y": LABELS})


FORMATS = ["csv", "parquet", "xlsx", "pandas", "polars"]


def written(table, form, folder):
    if form == "pandas":
        return table
    if form == "polars":
        return pl.from_pandas(table)
    path = folder / f"t.{form}"
    write = {"csv": table.to_csv, "xlsx": table.to_excel, "parquet": table.to_parquet}[form]
    write(path, index=False)
    return path


def is_identifier(*batches):
    candidate = Candidate()
    for batch in batches:
        numbers = np.asarray(batch, dtype=float)
        candidate.see(numbers, numbers.min())
    return candidate.is_identifier


@pytest.mark.parametrize("form", FORMATS)
def test_an_identifier_is_left_out_of_every_format(tmp_path, form):
    tweets = np.random.default_rng(1).integers(6 * 10**17, 7 * 10**17, N)
    table = frame(customer=IDS, tweet=tweets)
    table = table.astype({"customer": float})
    table.loc[7, "customer"] = np.nan  # no reason to ask for a number in its place
    read = data.read(written(table, form, tmp_path), target="y")
    assert (read.identifiers, read.problems) == (["customer", "tweet"], [])
    with warns(UserWarning):
        preprocessing = read.encode()[2]
    assert preprocessing.feature_names == ["x"]


@pytest.mark.parametrize("form", FORMATS)
def test_a_number_that_was_named_stays(tmp_path, form):
    read = data.read(written(frame(customer=IDS), form, tmp_path), target="y", numeric="customer")
    rows, _, preprocessing = read.encode(scale=False)
    assert preprocessing.feature_names == ["customer", "x"]
    assert rows[:, 0].tolist() == IDS.tolist()
    again = data.Preprocessing.from_dict(json.loads(json.dumps(preprocessing.to_dict())))
    assert again.transform(frame(customer=IDS))[:, 0].tolist() == IDS.tolist()


@pytest.mark.parametrize("form", ["csv", "parquet", "pandas", "polars"])
def test_whole_numbers_that_are_no_floats_are_refused_in_every_format(tmp_path, form):
    accounts = 12_345_678_901_234_567 + np.random.default_rng(1).integers(0, 200, N)  # they repeat
    source = written(frame(account=accounts), form, tmp_path)
    with raises(InputError):
        data.read(source, target="y").encode()
    assert data.read(source, target="y", ignore="account").encode()[2].feature_names == ["x"]
    rows = data.read(source, target="y", numeric="account").encode(scale=False)[0]
    assert rows[:, 0].tolist() == accounts.astype(float).tolist()
    names = data.read(source, target="y", categorical="account").encode()[2].feature_names
    assert len(names) == len(set(accounts.tolist()))  # a reference level less, and x
    if form in ("csv", "parquet"):  # such a column by itself, too
        with raises(InputError, column="account"):
            study(source, target="y", groups="account")


def test_what_is_no_float():
    words = ["9007199254740993", "-9007199254740993", "9007199254740992", "1e17", "1.5", ""]
    assert [is_rounded(word) for word in words] == [True, True, *[False] * 4]
    assert not is_rounded("0" * 20 + "7")


def measured(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(50, 3000))
    return {
        "continuous": rng.random(n) * 1e6,
        "price": rng.lognormal(12, 0.5, n).round(2),
        "whole price": rng.lognormal(12.5, 0.4, n).astype(int),
        "volume": rng.normal(1.5e6, 1e5, n).astype(int),
        "income": rng.gamma(4, 12_000, n).astype(int) + 10_000,
        "population": rng.lognormal(11, 1.2, n).astype(int) + 10_000,
        "seconds": np.sort(rng.integers(15 * 10**8, 16 * 10**8, n)),
        "milliseconds": np.sort(rng.integers(15 * 10**11, 16 * 10**11, n)),
        "nanoseconds": np.sort(rng.integers(15 * 10**8, 16 * 10**8, n)) * 10**9,
        "day": [int(f"{d:%Y%m%d}") for d in pd.date_range("2001-01-01", periods=n)],
        "minute": [int(f"{d:%Y%m%d%H%M}") for d in pd.date_range("2001", periods=n, freq="7min")],
        "serial": np.arange(n) + 43_000,
        "count": rng.integers(10_000, 99_999, 50 * n // 10),
        "square metres": rng.integers(40, 400, n) * 100,
    }


def named(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(300, 3000))
    first = int(rng.integers(10_000, 10**8))
    return {
        "6 digits": rng.permutation(900_000)[:n] + 100_000,
        "8 digits": np.unique(rng.integers(10**7, 10**8, n)),
        "telephone": np.unique(rng.integers(10**9, 10**10, n)),
        "one after the other": rng.permutation(n) + first,
        "some of them": rng.permutation(4 * n)[:n] + first,
        "16 digits": np.unique(rng.integers(4 * 10**15, 6 * 10**15, n)),
        "18 digits": np.unique(rng.integers(10**17, 10**18, n)),
    }


def test_few_measurements_and_nearly_all_identifiers_are_recognised(heavy):
    seeds = range(heavy(400))
    alarms = [is_identifier(values) for seed in seeds for values in measured(seed).values()]
    assert sum(alarms) <= 0.01 * len(alarms)
    found = [is_identifier(values) for seed in seeds for values in named(seed).values()]
    assert sum(found) >= 0.97 * len(found)


def test_measurements_as_close_as_the_rule_says_are_hardly_ever_all_different(heavy):
    """At n (n - 1) / 2 = 7 (b - a + 1), evenly spread: the spread with the fewest equal ones."""
    rng, n, times = np.random.default_rng(0), 400, heavy(40_000)
    width = n * (n - 1) // 2 // 7
    different = [len(np.unique(rng.integers(0, width, n))) == n for _ in range(times)]
    assert sum(different) <= 0.002 * times  # exp(-7) = 0.0009, a little less in truth


def test_any_division_into_batches_gives_the_same():
    for values in (*measured(1).values(), *named(1).values()):
        parts = np.array_split(np.asarray(values, dtype=float), 7)
        assert is_identifier(*parts) == is_identifier(values)
    assert not is_identifier(IDS, IDS)  # the same again
    assert not is_identifier(IDS, [0.5])
    assert not is_identifier()


def test_commands_say_which_columns_are_left_out(shell, tmp_path):
    frame(customer=IDS).to_csv(tmp_path / "t.csv", index=False)
    code, out, err = shell("inspect", "t.csv", "--target", "y", "--json")
    about = json.loads(out)
    assert (code, err) == (0, "")
    assert [column["becomes"] for column in about["columns"]][1] == "nothing: left out"
    check_sentence(about["notes"][0])
    code, _, err = shell("certify", "t.csv", "--target", "y")
    assert code == 0
    check_sentence(err.splitlines()[0])
    code, out, _ = shell("fit", "t.csv", "--target", "y", "-o", "out", "--json")
    warning = next(w for w in json.loads(out)["data"]["warnings"] if w["kind"] == "identifier")
    assert warning["columns"] == ["customer"]
    check_sentence(warning["sentence"])
    frame().to_csv(tmp_path / "new.csv", index=False)
    assert shell("predict", "out/model.json", "new.csv")[0] == 0


def test_a_table_of_identifiers_alone_has_nothing_to_learn_from(tmp_path):
    table = pd.DataFrame({"customer": IDS, "y": LABELS})
    with raises(InputError):
        data.read(table, target="y").encode()
