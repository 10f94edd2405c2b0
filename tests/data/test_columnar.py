"""Parquet, Arrow and frames: columns that have types."""

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from rosenblatt import data
from rosenblatt.data import files
from rosenblatt.data.batch import Kind
from rosenblatt.data.columnar import ColumnFiles
from rosenblatt.data.options import Reading
from rosenblatt.errors import InputError
from tables import AS_EXPECTED, encoded, refusal, typed


def test_files_with_types(tmp_path):
    table = typed()
    parquet.write_table(table, tmp_path / "t.parquet")
    feather.write_feather(table, tmp_path / "t.feather", compression="zstd")
    with pa.ipc.new_stream(tmp_path / "t.arrows", table.schema) as stream:
        stream.write_table(table)
    for name in ("t.parquet", "t.feather", "t.arrows"):
        assert encoded(tmp_path / name) == AS_EXPECTED


def test_data_frames():
    table = typed()
    for frame in (table, table.to_pandas(), pl.from_arrow(table)):
        assert encoded(frame) == AS_EXPECTED
    categories = table.to_pandas().astype({"owner": "category"})
    categories["owner"] = categories["owner"].cat.add_categories("never")
    assert encoded(categories) == AS_EXPECTED


def test_types_of_parquet_columns(tmp_path):
    from decimal import Decimal

    table = pa.table(
        {
            "small": pa.array([1, 2], pa.int8()),
            "single": pa.array([0.1, 2], pa.float32()),
            "money": pa.array([Decimal("0.1"), Decimal("123456789.123456789")]),
            "flag": [True, False],
            "paid": [True, False],
        }
    )
    parquet.write_table(table, tmp_path / "t.parquet")
    X, y, names = encoded(tmp_path / "t.parquet")
    assert [[1, float(np.float32(0.1)), 0.1, 1], [2, 2, 123456789.123456789, 0]] == X
    assert y == [True, False]
    assert names == ["small", "single", "money", "flag"]


# --- What is refused ------------------------------------------------------------------------------


def test_types_that_are_not_numbers_or_text(tmp_path):
    table = pa.table({"tags": [["new"], None], "paid": [0, 1]})
    parquet.write_table(table, tmp_path / "t.parquet")
    refusal(tmp_path / "t.parquet")
    assert encoded(tmp_path / "t.parquet", ignore="tags", target=None)[0] == [[0], [1]]
    large = pa.table({"id": [1, 2**53 + 1], "paid": [0, 1]})
    parquet.write_table(large, tmp_path / "t.parquet")
    refusal(tmp_path / "t.parquet")
    refusal(tmp_path / "t.parquet")


def test_files_that_are_read_together_have_the_same_columns(tmp_path):
    parquet.write_table(pa.table({"a": [1], "b": [2]}), tmp_path / "1.parquet")
    for columns in ({"a": [1], "c": [2]}, {"b": [1], "a": [2]}, {"a": [1]}):
        parquet.write_table(pa.table(columns), tmp_path / "2.parquet")
        with pytest.raises(InputError) as refused:
            data.read([tmp_path / "1.parquet", tmp_path / "2.parquet"])
        assert refused.value.file == str(tmp_path / "2.parquet")


# --- How far it has come --------------------------------------------------------------------------


def test_a_parquet_file_is_not_held_in_memory(tmp_path):
    """Only some of its sixteen groups of rows are, at any time."""
    path = tmp_path / "t.parquet"
    x = np.random.default_rng(0).normal(size=1 << 20)
    parquet.write_table(pa.table({"x": x}), path, row_group_size=1 << 16)
    reader = ColumnFiles(files.find(path), Reading())
    before, most = pa.total_allocated_bytes(), 0
    for part in reader.batches({"x": Kind.NUMBER}):
        del part
        most = max(most, pa.total_allocated_bytes() - before)
    assert most < x.nbytes / 2
