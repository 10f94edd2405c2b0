"""ISO dates become days since the first, times become seconds; both exactly."""

import json
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from raising import raises
from rosenblatt import Certificate, data
from rosenblatt.data import column as columns
from rosenblatt.data.dates import Days, days_of, moment
from rosenblatt.errors import InputError

TEXT = "signup,paid\n2024-03-01,0\n2024-02-28,1\n2023-12-31,0\n2024-02-28,1\n"


def test_days_since_the_first_are_named_and_kept(file):
    X, _, preprocessing = data.read(file(TEXT), target="paid").encode(scale=False)
    assert X.tolist() == [[61.0], [59.0], [0.0], [59.0]]  # 2024 is a leap year
    assert preprocessing.feature_names == ["signup (days since 2023-12-31)"]
    again = data.Preprocessing.from_dict(json.loads(json.dumps(preprocessing.to_dict())))
    assert again == preprocessing
    new = file("signup\n2023-12-30\n2025-01-01\n2024-01-01 00:00:00\n", "new.csv")
    assert again.transform(new).tolist() == [[-1.0], [367.0], [1.0]]
    frame = pa.table({"signup": pa.array([datetime(2024, 1, 1)], pa.timestamp("ns"))})
    assert again.transform(frame).tolist() == [[1.0]]
    with raises(InputError, row=1, column="signup"):
        again.transform(file("signup\n2024-01-01\nsoon\n", "new.csv"))


def test_gaps_and_categories_are_what_they_are_of_other_columns(file):
    path = file("when,paid\n2024-03-01,0\n,1\n2024-03-05,0\n")
    assert data.read(path, target="paid", impute="mean").encode(scale=False)[0].tolist() == [
        [0.0],
        [2.0],
        [4.0],
    ]
    table = data.read(file(TEXT), target="paid", categorical="signup")
    assert table.encode()[2].feature_names == ["signup=2023-12-31", "signup=2024-03-01"]


def test_more_dates_than_words_are_counted(file, monkeypatch):
    monkeypatch.setattr(columns, "_COUNTED", 5)
    days = [20, 30, 25, 22, 21, 27, 26, 28, 10, 29]  # the first comes late
    text = "when,paid\n" + "".join(f"2024-05-{day},{day % 2}\n" for day in days)
    X, _, preprocessing = data.read(file(text), target="paid").encode(scale=False)
    assert preprocessing.feature_names == ["when (days since 2024-05-10)"]
    assert X.ravel().tolist() == [day - 10.0 for day in days]


@pytest.mark.parametrize(
    "word",
    [
        *("1.5.2024", "2024-5-1", "2024-02-31", "2024-05", "20240501", "2024-05-01 25:00", "12:30"),
        *("2024-05-01T12", "2024-05-01 12:30.5", "0000-01-01", "2024-05-01 12:30 CET", ""),
    ],
)
def test_what_is_no_iso_date(word):
    assert moment(word) is None


def test_dates_of_two_kinds_are_not_mixed():
    assert days_of(["2024-05-01", "2024-05-01 12:30"]) == Days("2024-05-01T00:00:00", "seconds")
    assert days_of(["2024-05-01T12:30Z", "2024-05-01T12:30"]) is None
    assert days_of(["2024-05-01T12:30Z", "soon"]) is None
    assert days_of([]) is None
    assert Days("2024-05-01T00:00:00", "seconds").number("2024-05-01T12:30Z") is None
    assert Days("2024-05-01").number("2024-05-01 12:30") is None


@given(
    st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1)),
    st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1)),
    st.integers(-840, 840),
)
def test_seconds_are_those_between_two_moments(first, second, minutes):
    """By an independent way: the difference of two moments of the standard library, exactly."""
    since = first.replace(microsecond=0)
    zone = timezone(timedelta(minutes=minutes))
    word = second.replace(tzinfo=UTC).astimezone(zone).isoformat()
    found = Days(f"{since.isoformat()}Z", "seconds")
    expected = (second - since) // timedelta(microseconds=1)
    assert Decimal(found.plain(word)) == Decimal(expected) / 1_000_000
    assert found.number(word) == float(Decimal(expected) / 1_000_000)


def test_a_certificate_about_dates_holds_for_decimals(shell, tmp_path):
    (tmp_path / "t.csv").write_text(TEXT)
    said = ("certify", "t.csv", "-y", "paid", "--exit-code", "-o", "c.json")
    assert shell(*said, "--numbers", "decimal")[0] == 10
    dates = Certificate.load("c.json").preprocessing["reading"]["dates"]
    assert dates == [{"column": "signup", "since": "2023-12-31", "unit": "days"}]
    assert shell("verify", "c.json", "t.csv")[0] == 0
    assert inspected(shell)["signup"]["becomes"] == "days since 2023-12-31"


def inspected(shell, target="paid"):
    _, out, _ = shell("inspect", "t.csv", "-y", target, "--json")
    return {column["name"]: column for column in json.loads(out)["columns"]}


def test_inspect_counts_different_numbers(shell, tmp_path):
    (tmp_path / "t.csv").write_text("a,b,y\n" + "".join(f"{i % 3},{i},{i % 2}\n" for i in range(9)))
    counted = {n: (c["different"], c["maximum"]) for n, c in inspected(shell, "y").items()}
    assert counted == {"y": (2, 1.0), "a": (3, 2.0), "b": (9, 8.0)}


def test_inspect_shows_dates_as_dates(shell):
    text = "signup,at,paid\n2024-02-28,2024-05-01 12:30Z,0\n2024-03-01,2024-05-01 12:31:05Z,1\n"
    Path("t.csv").write_text(text)
    columns = inspected(shell)
    assert columns["signup"]["values"] == "2: 2024-02-28 to 2024-03-01"
    assert columns["at"]["values"] == "2: 2024-05-01 12:30:00Z to 2024-05-01 12:31:05Z"
    assert Days("2024-02-28").date(-59) == "2023-12-31"  # leap years are as they are
    assert Days("2024-05-01T00:00:00", "seconds").date(86399) == "2024-05-01 23:59:59"
