"""Files of Stata and SPSS: types, labels of values, dates and gaps as in a data frame."""

import sys
from types import ModuleType

import pandas as pd
import pytest

from raising import raises
from rosenblatt import data
from rosenblatt.errors import InputError, MissingExtraError
from tables import AS_EXPECTED, encoded, typed

FRAME = pd.DataFrame(
    {
        "dose": [0.1, 1e300, None, 3.0],
        "centre": pd.Categorical(["Oslo", "Rome", "Oslo", "Bonn"]),
        "seen": pd.to_datetime(["2024-02-28", "2024-03-01", "2024-02-29", "2024-02-28"]),
        "note": ["a", "", "b", "a"],
        "dead": [1, 0, 1, 0],
    }
)


@pytest.mark.parametrize("version", [114, 117, 118, 119])
def test_stata_is_read_as_a_frame_is(tmp_path, version):
    for name in ("t.dta", "t"):  # known by its first bytes
        FRAME.to_stata(tmp_path / name, write_index=False, version=version)
        table = data.read(tmp_path / name, target="dead", impute="mean", ignore="note")
        X, y, preprocessing = table.encode(scale=False)
        assert X[[0, 1, 3], 0].tolist() == [0.1, 1e300, 3.0]
        assert preprocessing.feature_names[1:] == [
            *("centre=Bonn", "centre=Rome", "seen (days since 2024-02-28)")
        ]
        assert X[:, 3].tolist() == [0.0, 2.0, 1.0, 0.0]
        assert y.tolist() == [1, 0, 1, 0]
    again = data.Preprocessing.from_dict(preprocessing.to_dict())
    assert again.transform(tmp_path / "t.dta").tolist() == X.tolist()


def test_two_values_of_one_label_stay_values(tmp_path):
    frame = pd.DataFrame({"x": [1, 2, 3], "y": [0, 1, 0]})
    labels = {"x": {1: "low", 2: "low", 3: "high"}}
    frame.to_stata(tmp_path / "t.dta", write_index=False, value_labels=labels)
    assert encoded(tmp_path / "t.dta", "y")[0] == [[1.0], [2.0], [3.0]]


def test_spss_is_read_by_pandas(tmp_path, monkeypatch):
    (tmp_path / "t.sav").write_bytes(b"$FL2@(#)")
    monkeypatch.setitem(sys.modules, "pyreadstat", ModuleType("pyreadstat"))
    monkeypatch.setattr(pd, "read_spss", lambda path: typed().to_pandas())
    assert encoded(tmp_path / "t.sav") == AS_EXPECTED


def test_what_is_damaged_or_lacks_its_reader_is_refused(tmp_path, monkeypatch):
    FRAME.to_stata(tmp_path / "t.dta", write_index=False, version=118)
    whole = (tmp_path / "t.dta").read_bytes()
    (tmp_path / "t.dta").write_bytes(whole[: len(whole) // 2])
    with raises(InputError):
        data.read(tmp_path / "t.dta")
    (tmp_path / "text.dta").write_text("a,b\n1,2\n")
    with raises(InputError):
        data.read(tmp_path / "text.dta")
    (tmp_path / "t.sav").write_bytes(b"$FL2@(#)")
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    with raises(MissingExtraError):
        data.read(tmp_path / "t.sav")
