"""Whoever watches hears how far reading has come."""

import gzip
import re
from functools import partial

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv as arrow_csv
from pyarrow import feather, parquet

from rosenblatt import data
from rosenblatt._util.progress import heard_by
from rosenblatt.data.dialect import blocks


def heard_in(heard):
    """Adds the rows and the share of each thing said to what was heard."""

    def hear(what, done, total):
        heard.append((int(re.match(r"reading: ([\d,]+) rows", what)[1].replace(",", "")), done))

    return heard_by(hear)


def test_whoever_watches_hears_rows_and_share(file, tmp_path, monkeypatch):
    monkeypatch.setattr("rosenblatt.data.columnar._ROWS", 100)
    monkeypatch.setattr("rosenblatt.data.text.blocks", partial(blocks, size=1000))
    table = pa.table({"a": np.arange(1000.0), "paid": np.arange(1000) % 2})
    arrow_csv.write_csv(table, tmp_path / "t.csv")
    text = (tmp_path / "t.csv").read_bytes()
    feather.write_feather(table, tmp_path / "t.feather", chunksize=100)
    parquet.write_table(table, tmp_path / "t.parquet")
    with pa.ipc.new_stream(tmp_path / "t.arrow", table.schema) as stream:
        stream.write_table(table, max_chunksize=100)
    names = ("t.csv", "t.parquet", "t.feather", "t.arrow")
    sources = [[tmp_path / name] for name in names]
    twice = [file(text, "1.csv"), file(gzip.compress(text), "2.csv.gz")]
    for source, n in [*((source, 1000) for source in sources), (table, 1000), (twice, 2000)]:
        heard = []
        with heard_in(heard):
            _, _, preprocessing = data.read(source, target="paid").encode()
            first = len(heard)
            preprocessing.transform(source)
        assert heard[first:] == heard[:first]
        rows, shares = zip(*heard[:first], strict=True)
        assert len(rows) >= 5
        assert list(rows) == sorted(set(rows))
        assert list(shares) == sorted(shares)
        assert (rows[-1], shares[-1]) == (n, pytest.approx(1, abs=0.05))
    heard.clear()
    data.read(sources[0])
    assert heard == []  # outside


def test_whoever_watches_hears_of_svmlight(file):
    text = "1 1:2.5 3:1\n-1 2:1\n" * 100_000
    for content, name, share in [
        (text, "t.svm", 1),
        (gzip.compress(text.encode()), "t.svm.gz", 1),
    ]:
        heard = []
        with heard_in(heard):
            data.read(file(content, name))
        assert len(heard) > 1
        assert heard[-1] == (200_000, share)
