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
    assert dates == [{"column": "signup", "since": "2023-12-31", "unit": "days", "format": ""}]
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


# --- Other formats --------------------------------------------------------------------------------


def dated(file, words, **options):
    text = "when,y\n" + "".join(f'"{word}",{i % 2}\n' for i, word in enumerate(words))
    X, _, preprocessing = data.read(file(text), target="y", **options).encode(scale=False)
    assert data.Preprocessing.from_dict(preprocessing.to_dict()) == preprocessing
    return X.ravel().tolist(), preprocessing


@pytest.mark.parametrize(
    ("words", "numbers"),
    [
        (["2016/01/01", "2016/01/03", "2016/1/2"], [0.0, 2.0, 1.0]),
        (["2016/01/01 00:47:36", "2016/01/02 00:00", "2016/01/01"], [2856.0, 86400.0, 0.0]),
        (["31.1.2024", "1.2.2024", "1.3.2024"], [0.0, 1.0, 30.0]),
        (["1/31/2024 1:00 PM", "2/1/2024 12:30 am", "1/31/2024"], [46800.0, 88200.0, 0.0]),
        (["28 Feb 2023", "1 MAR 2023", "2 March 2023"], [0.0, 1.0, 2.0]),
        (["Feb 28, 2023 10:00:00.5", "Mar 1, 2023", "Mar 1, 2023"], [0.5, 50400.0, 50400.0]),
        (["2024-5-1", "2024-05-12", "2024-5-1"], [0.0, 11.0, 0.0]),
    ],
)
def test_formats_that_leave_no_doubt_need_no_option(file, words, numbers):
    assert dated(file, words)[0] == numbers


FORMATS = ["%d/%m/%y", "%m-%d-%Y", "%d%m%Y", "%H:%M %d.%m.%Y", "%A, %d %B %Y"]


@pytest.mark.parametrize("form", FORMATS)
def test_a_format_that_is_said_reads_what_strptime_reads(file, form):
    moments = [datetime(2001 + k, 1 + 5 * k % 12, 3 + 2 * k, 7 * k % 24, 6 * k) for k in range(9)]
    words = [moment.strftime(form) for moment in moments]
    parsed = [datetime.strptime(word, form) for word in words]
    numbers, preprocessing = dated(file, words, date={"when": form})
    style = preprocessing.reading.styles["when"]
    seconds = [(at - min(parsed)) / timedelta(**{style.unit: 1}) for at in parsed]
    if style.unit == "seconds":
        seconds = [(at - datetime.fromisoformat(style.since)).total_seconds() for at in parsed]
    assert numbers == seconds
    later = file("when\n" + f'"{words[4]}"\n', "later.csv")
    assert preprocessing.transform(later).tolist() == [[numbers[4]]]


def test_typed_columns_are_read_alike():
    table = pa.table({"when": [20240131, 20240201, None], "y": [0, 1, 0]})
    read = data.read(table, target="y", date="when=%Y%m%d", impute="mean")
    assert read.encode(scale=False)[0].ravel().tolist() == [0.0, 1.0, 0.5]


def test_dates_that_are_written_in_no_common_way_are_taken_for_dates(file):
    rows = "".join(f"{1 + i % 28}.{1 + i // 28}.16 {i % 24}h05,{i % 2}\n" for i in range(100))
    table = file(f"seen,paid\n{rows}")
    with raises(InputError) as refused:
        data.read(table, target="paid").encode()
    assert "date='seen=%d/%m/%Y %H:%M'" in str(refused.value)
    read = data.read(table, target="paid", date="seen=%d.%m.%y %Hh%M")
    assert read.encode(scale=False)[0][:2].ravel().tolist() == [0.0, 25 * 3600.0]


@pytest.mark.parametrize("year", ["20%02d", "%02d"])
def test_doubt_is_an_error_with_both_formats(file, year):
    many = [f"{1 + k % 9}/{1 + k % 12}/{year % k}" for k in range(12)]
    with raises(InputError) as refused:
        dated(file, many)
    assert "date='when=%d/%m/%" in str(refused.value)
    assert "date='when=%m/%d/%" in str(refused.value)


def test_what_is_not_written_so_is_refused_with_its_row(file):
    with raises(InputError, option="date", column="when", row=1):
        dated(file, ["31/1/2024", "1/31/2024"], date="when=%d/%m/%Y")
    with raises(InputError, option="date"):
        dated(file, ["2024-01-01T12:00Z", "2024-01-02T12:00"], date="when=%Y-%m-%d")
    for wrong in (
        "when",
        "when=%d/%m",
        "when=%Y %Q",
        "when=%Y %Y",
        "when=%",
        {"when": None},
        5,
        [None],
    ):
        with raises(InputError, option="date"):
            dated(file, ["2024-01-01"], date=wrong)
    with raises(InputError, option="date"):
        dated(file, ["2024-01-01"], date="then=%Y")
