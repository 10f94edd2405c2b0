"""Rows have the numbers that they have among all, whichever files are read."""

import itertools

import numpy as np
import pandas as pd
import pytest

from rosenblatt import data
from rosenblatt.data import files


@pytest.fixture(params=["csv", "parquet", "feather"])
def names(request, tmp_path):
    """Files of 4, 0, 1, 7 and 2 rows; row 5 has no label."""
    x = np.arange(14.0)
    label = ["a", "b"] * 7
    label[5] = None
    table = pd.DataFrame({"x": x, "label": label})
    edges = [0, 4, 4, 5, 12, 14]
    for k, (a, b) in enumerate(itertools.pairwise(edges)):
        if request.param == "csv":
            table[a:b].to_csv(tmp_path / f"part-{k}.csv", index=False)
        elif request.param == "parquet":
            table[a:b].to_parquet(tmp_path / f"part-{k}.parquet", index=False, row_group_size=3)
        else:
            table[a:b].reset_index(drop=True).to_feather(tmp_path / f"part-{k}.feather")
    return str(tmp_path / f"part-*.{request.param}")


@pytest.mark.parametrize("kept", [True, False], ids=["kept", "read again"])
def test_some_rows_are_those_of_all(names, kept, monkeypatch):
    if not kept:
        monkeypatch.setattr("rosenblatt.data.table._KEPT", 0)
    table = data.read(names, target="label", drop_unlabelled=True)
    assert table.rows_by_file == [4, 0, 1, 6, 2]
    numbers = [v for v in range(14) if v != 5]
    for begin in range(14):
        for end in range(begin, 14):
            found = list(table.batches(begin, end))
            values = [v for part in found for v in part.numbers("x").tolist()]
            assert values == numbers[begin:end]
            places = [part.place(i) for part in found for i in range(part.rows)]
            first = {0: 0, 2: 4, 3: 5, 4: 12}
            rows = [
                first[int(place.file.name.split("part-")[1][0])] + place.row for place in places
            ]
            assert rows == values


def test_no_other_file_is_read(names, monkeypatch):
    monkeypatch.setattr("rosenblatt.data.table._KEPT", 0)
    table = data.read(names, target="label", drop_unlabelled=True)
    looked = []
    monkeypatch.setattr(files.File, "check_unchanged", lambda file: looked.append(file.name))
    assert sum(part.rows for part in table.batches(4, 8)) == 4
    assert {name.split("part-")[1][0] for name in looked} == {"2", "3"}
