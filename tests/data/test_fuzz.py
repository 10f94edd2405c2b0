"""Whatever a file holds: a table or our one error."""

import io

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pyarrow import feather, parquet

from rosenblatt import data
from rosenblatt.data.batch import Kind
from rosenblatt.errors import InputError


def attempt(path, encoding=None, **options):
    """Read it; where it is not refused, the preprocessing gives the same rows again."""
    try:
        table = data.read(path, encoding=encoding, **options)
        X, _, preprocessing = table.encode()
    except InputError:
        return
    assert X.shape == (table.n_rows, len(preprocessing.feature_names))
    assert np.isfinite(X).all()
    again = data.Preprocessing.from_dict(preprocessing.to_dict())
    assert again.transform(path, encoding=encoding).tobytes() == X.tobytes()


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz") / "t.csv"


numbers = ["1", "2.5", "1,5", "-3e5", "inf", "1e999"]
marks = ['"', '""', ",", ";", "\t", "|", "\n", "\r\n", "\r", "", " ", "\ufeff", "\0"]
others = ["x", "yes", "é", "NA", "nan", "True", "false", "sep=;\n", "a,b\n"]
pieces = st.sampled_from([*numbers, *marks, *others])


@given(st.lists(pieces, max_size=40).map("".join))
@example("a,b\n1,\n")
@example('a\n"')
@example('"a\n')
def test_any_text_is_a_table_or_refused(path, text):
    path.write_bytes(text.encode())
    attempt(path)
    attempt(path, target="a", impute="mean")


@given(st.binary(max_size=200))
def test_any_bytes_are_a_table_or_refused(path, content):
    path.write_bytes(content)
    attempt(path)
    attempt(path, encoding="cp1252")


words = st.text(alphabet="0123456789+-.eEinfa \t_x", min_size=1, max_size=8)


@given(st.lists(words, min_size=1, max_size=6))
def test_a_number_is_what_the_parser_of_text_takes_for_one(path, values):
    """The look at text and the reading of numbers agree: else a table would be read for ever."""
    path.write_text("a;b\n" + "".join(f"{value};1\n" for value in values))
    table = data.read(path)
    if table.columns[0].kind is Kind.NUMBER:
        found = [x for part in table.batches() for x in part.numbers("a").tolist()]
        for text, number in zip(values, found, strict=True):
            assert np.isnan(number) or number == float(text)


def files():
    table = pa.table({"a": [1.5, None, 3.0] * 50, "w": ["x", "y", None] * 50, "k": range(150)})
    packed, arrow = io.BytesIO(), io.BytesIO()
    parquet.write_table(table, packed)
    feather.write_feather(table, arrow)
    return packed.getvalue(), arrow.getvalue()


@pytest.mark.parametrize("kind", [0, 1])
def test_damaged_typed_files_are_read_or_refused(tmp_path, heavy, rng, kind):
    whole = files()[kind]
    path = tmp_path / ("t.parquet", "t.feather")[kind]
    for _ in range(heavy(4000)):
        content = bytearray(whole)
        for place in rng.integers(4, len(whole), rng.integers(1, 4)):
            content[place] = rng.integers(0, 256)
        path.write_bytes(content[: rng.integers(1, len(whole))] if rng.random() < 0.2 else content)
        try:
            data.read(path, impute="mean", target=None).encode()
        except InputError as refused:
            assert path.name in str(refused) or "column" in str(refused)  # noqa: PT017
