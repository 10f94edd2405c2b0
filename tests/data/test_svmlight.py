"""svmlight text: the same arrays as scikit-learn's loader, one clear error otherwise, no crash."""

import bz2
import gzip
import io
import math
import os
import re
import signal
import subprocess
import sys
from functools import partial

import numpy as np
import pyarrow
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from rosenblatt.data import _svmlight_readers as readers
from rosenblatt.data import svmlight
from rosenblatt.data._svmlight_grammar import find_fault
from rosenblatt.data.svmlight import SvmlightInfo, iterate_svmlight, read_svmlight
from rosenblatt.errors import InputError, InputTypeError, RosenblattError

READERS = [readers.NativeReader, readers.SklearnReader]


@pytest.fixture(params=READERS, ids=["native", "scikit-learn"])
def either(request, monkeypatch):
    """By the compiled core, and without it."""
    monkeypatch.setattr(svmlight, "reader_of", request.param)


def read(text, **choices):
    return read_svmlight(io.BytesIO(text), **choices)


def same(ours, theirs):
    """Equal to the bit: shapes, indices, values and labels, and zeros have their sign."""
    (X, y), (X_peer, y_peer) = ours, theirs
    assert X.shape == X_peer.shape
    assert np.array_equal(X.indptr, X_peer.indptr)
    assert np.array_equal(X.indices, X_peer.indices)
    assert X.data.tobytes() == X_peer.data.tobytes()
    assert y.tobytes() == y_peer.tobytes()


def same_as_peer(text, **choices):
    ours = read(text, **choices)
    same(ours[:2], load_svmlight_file(io.BytesIO(text), **choices))
    return ours


# --- What is read -------------------------------------------------------------------------------

TEXT = b"""# two comments before
\t
+1 qid:7 1:0.5 3:-2e1 # and one behind\r
-1   2:.25\t4:1.  \n\n0.5 # no features
-0 1:-0.0 2:0"""


@pytest.mark.usefixtures("either")
def test_a_text_with_everything_that_is_allowed():
    X, y, info = read(TEXT)
    assert y.tolist() == [1, -1, 0.5, 0]
    assert X.toarray().tolist() == [[0.5, 0, -20, 0], [0, 0.25, 0, 1], [0] * 4, [0] * 4]
    assert X.indptr.tolist() == [0, 2, 4, 4, 6]  # a zero that is written is kept
    assert np.signbit([y[3], *X.data[4:]]).tolist() == [True, True, False]
    assert (X.dtype, X.indices.dtype, X.indptr.dtype, y.dtype) == ("f8", "i4", "i4", "f8")
    assert X.has_canonical_format
    assert info == SvmlightInfo(
        rows=4, entries=6, n_features=4, zero_based=False, qid=True, comments=3
    )
    same((X, y), load_svmlight_file(io.BytesIO(TEXT)))


@pytest.mark.usefixtures("either")
@pytest.mark.parametrize(
    ("text", "zero_based", "columns", "d"),
    [
        (b"1 1:5 3:6", "auto", [0, 2], 3),
        (b"1 0:5 3:6", "auto", [0, 3], 4),
        (b"1 1:5\n1 0:6", "auto", [1, 0], 2),
        (b"1 1:5 3:6", True, [1, 3], 4),
        (b"1 1:5 3:6", False, [0, 2], 3),
        (b"1\n1 2:5", "auto", [1], 2),
    ],
)
def test_the_first_feature_is_0_or_1(text, zero_based, columns, d):
    X, _, info = same_as_peer(text, zero_based=zero_based)
    assert X.indices.tolist() == columns
    assert info.n_features == d
    assert info.zero_based == (text[2:3] == b"0" or b" 0:" in text or zero_based is True)


@pytest.mark.usefixtures("either")
def test_the_number_of_features_can_be_more_than_the_largest_index():
    assert same_as_peer(b"1 3:1", n_features=10)[0].shape == (1, 10)
    assert same_as_peer(b"1\n2", n_features=10)[0].shape == (2, 10)
    assert read(b"1 3:1", n_features=2**63 - 1)[0].shape == (1, 2**63 - 1)


@pytest.mark.usefixtures("either")
def test_a_chunk_may_be_larger_than_any_file():
    ((X, y),) = iterate_svmlight(io.BytesIO(TEXT), 10**30)
    same((X, y), load_svmlight_file(io.BytesIO(TEXT)))


@pytest.mark.usefixtures("either")
def test_a_byte_order_mark_is_left_out():
    assert read(b"\xef\xbb\xbf1 1:2")[1].tolist() == [1]
    for text in (b"\xef\xbb\xbf", b"\xef\xbb", b"\xef"):
        with pytest.raises(InputError, match="has no rows" if len(text) == 3 else "column 1"):
            read(text)
    assert read(b"\xef\xbb\xbf# only a comment\n1 1:2")[2].comments == 1
    with pytest.raises(InputError, match="line 2, column 1"):
        read(b"1 1:2\n\xef\xbb\xbf1 1:2")


def test_indices_take_32_bits_where_they_fit():
    most = 2**31 - 1
    for text, dtype, d in [
        (b"1 %d:1" % most, "i4", most),
        (b"1 0:1 %d:1" % (most - 1), "i4", most),
        (b"1 0:1 %d:1" % most, "i8", most + 1),
        (b"1 %d:1" % (most + 1), "i8", most + 1),
        (b"1 1:2\n1 1:2 %d:1\n2 1:3" % 2**40, "i8", 2**40),
        (b"1 0:2 %d:1" % (2**63 - 2), "i8", 2**63 - 1),
    ]:
        X, _, info = read(text)
        assert X.indices.dtype == X.indptr.dtype == dtype
        assert X.shape[1] == info.n_features == d
        first = 0 if info.zero_based else 1
        expected = [int(i) - first for i in re.findall(rb"(\d+):", text)]
        assert X.indices.tolist() == expected
    assert read(b"1 1:2\n1 1:2 %d:1\n2 1:3" % 2**40)[0].data.tolist() == [2, 2, 1, 3]


def test_chunks_after_a_wide_index_are_wide_as_well():
    text = b"1 1:2\n2 1:2\n1 %d:1\n2 1:3\n1 2:4" % 2**40
    chunks = [X for X, _ in iterate_svmlight(io.BytesIO(text), 2)]
    assert [X.indices.dtype for X in chunks] == ["i8"] * 3
    assert [X.indices.tolist() for X in chunks] == [[0, 0], [2**40 - 1, 0], [1]]


def test_without_the_core_large_indices_are_refused(monkeypatch):
    monkeypatch.setattr(svmlight, "reader_of", readers.SklearnReader)
    assert read(b"1 %d:1" % (2**31 - 1))[0].indices.tolist() == [2**31 - 2]
    with pytest.raises(InputError, match="line 2: an index is larger than 2147483647"):
        read(b"1 1:1\n1 %d:1" % 2**31)


# --- Against scikit-learn -----------------------------------------------------------------------

digits = st.text("0123456789", min_size=1, max_size=25)
sign = st.sampled_from(["", "", "+", "-"])
exponent = st.just("") | st.builds("e{}{}".format, sign, st.integers(0, 300))
mantissa = st.one_of(
    digits,
    st.builds("{}.".format, digits),
    st.builds(".{}".format, digits),
    st.builds("{}.{}".format, digits, digits),
)
numbers = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.builds("{}{}{}".format, sign, mantissa, exponent | exponent.map(str.upper)),
).filter(lambda text: not math.isinf(float(text)))
blanks = st.sampled_from([" ", " ", "  ", "\t", " \t "])
ends = st.sampled_from(["\n", "\n", "\r\n", " \n", "\t\r\n", "# 1:2 ü\n", " #\n", "\n\n", "\n#\n"])


@st.composite
def lines(draw, first):
    label = draw(st.one_of(st.sampled_from(["1", "-1", "+1", "0"]), numbers))
    query = draw(st.sampled_from(["", "", "qid:3", "qid:-12"]))
    indices = sorted(draw(st.sets(st.integers(first, 10 ** draw(st.integers(1, 9))), max_size=6)))
    pairs = [f"{'0' * draw(st.integers(0, 1))}{i}:{draw(numbers)}" for i in indices]
    text = draw(st.sampled_from(["", "", " "])) + label
    for part in [query] * bool(query) + pairs:
        text += draw(blanks) + part
    return text + draw(ends)


@st.composite
def texts(draw):
    first = draw(st.sampled_from([0, 1]))
    text = "".join(draw(st.lists(lines(first), min_size=1, max_size=8)))
    if draw(st.booleans()):
        text = text.rstrip("\r\n")
    return text.encode()


@given(texts(), st.sampled_from(["auto", True, False]), st.sampled_from([None, 10**9 + 1]))
def test_it_agrees_with_scikit_learn(text, zero_based, d):
    try:
        ours = read(text, zero_based=zero_based, n_features=d)
    except InputError as error:
        assert "features in any" in str(error) or "zero_based=False" in str(error)  # noqa: PT017
        return
    same(ours[:2], load_svmlight_file(io.BytesIO(text), zero_based=zero_based, n_features=d))


@given(texts(), st.integers(2, 200), st.integers(1, 5))
def test_however_it_is_cut_the_rows_are_the_same(text, block, rows):
    try:
        X, y, info = read(text)
    except InputError:
        return
    d, zero_based = info.n_features, info.zero_based
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(readers, "BLOCK", block)
        again = read(text)
        same(again[:2], (X, y))
        assert again[2] == info
        for known in ({}, {"n_features": d, "zero_based": zero_based}):
            chunks = list(iterate_svmlight(io.BytesIO(text), rows, **known))
            assert [len(part) for _, part in chunks[:-1]] == [rows] * (len(chunks) - 1)
            assert {part.shape[1] for part, _ in chunks} == {d}
            for k, chunk in enumerate(chunks):
                some = slice(k * rows, (k + 1) * rows)
                same(chunk, (X[some], y[some]))
            assert sum(len(part) for _, part in chunks) == len(y)


@given(texts())
def test_both_readers_agree(text):
    seen = []
    for reader in READERS:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(svmlight, "reader_of", reader)
            try:
                seen.append(read(text))
            except InputError as error:
                seen.append(str(error))
    if isinstance(seen[0], str):
        assert seen[0] == seen[1]
    else:
        same(seen[0][:2], seen[1][:2])
        assert seen[0][2] == seen[1][2]


@pytest.mark.usefixtures("either")
@pytest.mark.parametrize("zero_based", [True, False])
def test_what_scikit_learn_writes_comes_back(tmp_path, rng, zero_based):
    X = rng.standard_normal((30, 7)) * (rng.random((30, 7)) < 0.5)
    X[0] = 1
    y = rng.integers(0, 2, 30)
    dump_svmlight_file(X, y, str(tmp_path / "a.svm"), comment="ä", zero_based=zero_based)
    ours, labels, info = read_svmlight(tmp_path / "a.svm")
    assert np.allclose(ours.toarray(), X, rtol=1e-15, atol=0)
    assert labels.tolist() == y.tolist()
    assert info.zero_based is zero_based


# --- What is refused ----------------------------------------------------------------------------

REFUSED = [
    (b"x 1:2", 1, 1, "'x'", "The label is not a number"),
    (b"1 1:2\n\n# c\n  1_0 1:2", 4, 3, "'1_0'", "The label is not a number"),
    (b"0x1p3 1:2", 1, 1, "'0x1p3'", "The label is not a number"),
    (b"nan 1:2", 1, 1, "'nan'", "The label is not finite"),
    (b"1,2 1:2", 1, 1, "'1,2'", "several labels"),
    (b"1:2 2:3", 1, 1, "'1:2'", "without a label"),
    (b"1 1:2\x00", 1, 3, r"'1:2\x00'", "The value is not a number"),
    (b"1 1:2\r2:3", 1, 3, r"'1:2\r2:3'", "The value is not a number"),
    (b"1 1:2\x0b", 1, 3, r"'1:2\x0b'", "The value is not a number"),
    (b"1 1:", 1, 3, "'1:'", "The value is not a number"),
    (b"1 1:.", 1, 3, "'1:.'", "The value is not a number"),
    (b"1 1:e5", 1, 3, "'1:e5'", "The value is not a number"),
    (b"1 1:1e", 1, 3, "'1:1e'", "The value is not a number"),
    (b"1 1:--2", 1, 3, "'1:--2'", "The value is not a number"),
    (b"1 1:1.2.3", 1, 3, "'1:1.2.3'", "The value is not a number"),
    (b"1 1:1,5", 1, 3, "'1:1,5'", "The value is not a number"),
    (b"1 1:\xd9\xa1", 1, 3, r"'1:\xd9\xa1'", "The value is not a number"),
    (b"1 1:2 2:NaN", 1, 7, "'2:NaN'", "The value is not finite"),
    (b"1 1:-Infinity", 1, 3, "'1:-Infinity'", "The value is not finite"),
    (b"1 1:1e309", 1, 3, "'1:1e309'", "The value is too large"),
    (b"1 1:" + b"9" * 400, 1, 3, "'1:" + "9" * 35 + "...'", "The value is too large"),
    (b"1 1:" + b"0" * 4097, 1, 3, "'1:" + "0" * 35 + "...'", "The value has 4097 characters"),
    (b"1 2", 1, 3, "'2'", "no colon"),
    (b"1 :2", 1, 3, "':2'", "The index is not a whole number"),
    (b"1 a:2", 1, 3, "'a:2'", "The index is not a whole number"),
    (b"1 -1:2", 1, 3, "'-1:2'", "The index is not a whole number"),
    (b"1 +1:2", 1, 3, "'+1:2'", "The index is not a whole number"),
    (b"1 1.0:2", 1, 3, "'1.0:2'", "The index is not a whole number"),
    (b"1 9223372036854775807:2", 1, 3, "'9223372036854775807:2'", "The index is too large"),
    (b"1 18446744073709551617:2", 1, 3, "'18446744073709551617:2'", "The index is too large"),
    (b"1 1:2 1:3", 1, 7, "'1:3'", "Feature 1 is there twice"),
    (b"1 1:2\n1 3:2 2:3", 2, 7, "'2:3'", "after feature 3"),
    (b"1 qid:x 1:2", 1, 3, "'qid:x'", "no query id"),
    (b"1 qid: 1:2", 1, 3, "'qid:'", "no query id"),
    (b"1 q:1 1:2", 1, 3, "'q:1'", "no query id"),
    (b"1 1:2 qid:3", 1, 7, "'qid:3'", "between the label and the first feature"),
    (b"1 sid:2 1:2", 1, 3, "'sid:2'", "The index is not a whole number"),
]


@pytest.mark.usefixtures("either")
@pytest.mark.parametrize(("text", "line", "column", "shown", "why"), REFUSED)
@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n1 1:1\n"])
def test_the_error_says_where_what_and_why(tmp_path, text, line, column, shown, why, end):
    path = tmp_path / "data.svm"
    path.write_bytes(text + end)
    with pytest.raises(InputError) as caught:
        read_svmlight(path)
    message = str(caught.value)
    assert message.startswith(f"{path}, line {line}, column {column}: {shown}. ")
    assert why in message
    with pytest.raises(InputError) as caught:
        list(iterate_svmlight(path, 1))
    assert str(caught.value) == message


@pytest.mark.usefixtures("either")
@pytest.mark.parametrize(
    ("text", "choices", "message"),
    [
        (b"", {}, "has no rows: 0 lines"),
        (b"\n# nothing\n", {}, "has no rows: 2 lines, all empty or comments"),
        (b"1\n2\n", {}, "no features in any of its 2 rows: give n_features"),
        (b"1 1:1\n1 0:1\n1 0:1", {"zero_based": False}, "line 2 has feature 0, but zero_based"),
        (
            b"1 1:1\n\n1 7:1\n1 7:2",
            {"n_features": 5},
            "line 3 has feature 7, but n_features=5 says that the last is 5. Give n_features=7",
        ),
        (
            b"1 0:1\n1 5:1",
            {"n_features": 5},
            "line 2 has feature 5, but n_features=5 says that the last is 4. Give n_features=6",
        ),
    ],
)
def test_rows_that_do_not_agree_with_what_was_said(text, choices, message):
    with pytest.raises(InputError, match=re.escape(message)):
        read(text, **choices)
    with pytest.raises(InputError, match=re.escape(message)):
        list(iterate_svmlight(io.BytesIO(text), 10, **choices))


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"n_features": 0}, "n_features=0 is not allowed"),
        ({"n_features": 1.5}, "n_features=1.5 is not allowed"),
        ({"n_features": 2**63}, "n_features=9223372036854775808 is too many"),
        ({"zero_based": "yes"}, "zero_based='yes' is not known"),
        ({"zero_based": None}, "zero_based=None is not known"),
    ],
)
def test_bad_choices_are_refused_before_anything_is_read(choices, message):
    for function in (read_svmlight, iterate_svmlight):
        with pytest.raises(InputError, match=message):
            function("no such file", **choices)
    with pytest.raises(InputError, match="rows_per_chunk=0 is not allowed"):
        iterate_svmlight("no such file", 0)


# --- Anything at all ----------------------------------------------------------------------------


def refused_or_right(text):
    """Our error for the first line that is against the grammar, or what scikit-learn gives."""
    body = text.removeprefix(b"\xef\xbb\xbf")
    lines = body.removesuffix(b"\n").split(b"\n")
    faults = [find_fault(line.removesuffix(b"\r")) for line in lines]
    first = next((k for k, fault in enumerate(faults) if fault), None)
    try:
        X, y, info = read(text)
    except InputError as error:
        message = str(error)
        if first is None:
            assert "has no rows" in message or "give n_features" in message
        else:
            assert f", line {first + 1}, column {faults[first].column}: " in message
        return
    assert first is None
    assert info.rows == len(y) == X.shape[0]
    if info.n_features < 2**31:
        same((X, y), load_svmlight_file(io.BytesIO(body)))


PIECES = [b" ", b"\t", b"\n", b"\r\n", b"\r", b"#", b":", b",", b"1", b"0", b"-", b"+", b".", b"e"]
PIECES += [b"qid:", b"nan", b"inf", b"9" * 18, b"9" * 19, b"1:2", b"1 2:3", b"\x00", b"\xff"]
likely = st.lists(st.sampled_from(PIECES), max_size=30).map(b"".join)


@given(st.one_of(st.binary(max_size=300), likely))
@example(b"\r")
@example(b"1 1:2\r")
@example(b"\r\r\n")
@example(b"#\x00\n1 1:2")
@example(b"1 1:2#\r")
def test_any_bytes(text):
    refused_or_right(text)


def test_mutated_texts(heavy):
    rng = np.random.default_rng(3)
    alphabet = np.frombuffer(b"0123456789 \t\n\r#:.,eE+-qidnaf\x00\xff", dtype=np.uint8)
    rows = [b"+1 qid:3 1:0.5 3:-2e1 # and one behind\r\n", b"-1   2:.25\t4:1.  \n", b"\n#\n"]
    rows += [b"-1 %d:123456789.123456789 2147483649:1e-3\n" % 2**31, b"1 0:7 12:1e22 13:5E-324\n"]
    for _ in range(heavy(40_000)):
        text = b"".join(rows[k] for k in rng.integers(0, len(rows), rng.integers(1, 5)))
        bytes_ = np.frombuffer(text, dtype=np.uint8).copy()
        for _ in range(rng.integers(1, 4)):
            at, kind = int(rng.integers(0, len(bytes_))), rng.integers(0, 4)
            if kind == 0:
                bytes_[at] = rng.choice(alphabet)
            elif kind == 1:
                bytes_ = np.insert(bytes_, at, rng.choice(alphabet))
            elif kind == 2 and len(bytes_) > 1:
                bytes_ = np.delete(bytes_, at)
            else:
                bytes_ = np.concatenate([bytes_[:at], bytes_[rng.integers(0, len(bytes_)) :]])
            if len(bytes_) == 0:
                break
        refused_or_right(bytes_.tobytes())


# --- Where it comes from ------------------------------------------------------------------------


def expected_of_text():
    return read(TEXT)[:2]


@pytest.fixture
def paths(tmp_path):
    (tmp_path / "a.svm").write_bytes(TEXT)
    with gzip.open(tmp_path / "a.svm.gz", "wb") as file:
        file.write(TEXT)
    with bz2.open(tmp_path / "a.svm.bz2", "wb") as file:
        file.write(TEXT)
    with pyarrow.CompressedOutputStream(str(tmp_path / "a.svm.zst"), "zstd") as file:
        file.write(TEXT)
    return [tmp_path / ("a.svm" + end) for end in ("", ".gz", ".bz2", ".zst")]


@pytest.mark.usefixtures("either")
def test_paths_plain_and_compressed(paths):
    for path in paths:
        for source in (path, str(path)):
            same(read_svmlight(source)[:2], expected_of_text())
            assert sum(len(y) for _, y in iterate_svmlight(source, 3)) == 4


@pytest.mark.usefixtures("either")
def test_an_open_file_is_read_from_where_it_stands_and_stays_open(paths):
    with open(paths[0], "rb") as file:
        file.readline()
        assert read_svmlight(file)[2].comments == 2
        assert not file.closed
        file.seek(TEXT.index(b"-1 "))
        assert [y.tolist() for _, y in iterate_svmlight(file, 2)] == [[-1, 0.5], [0]]
        assert not file.closed


class Dripping(io.RawIOBase):
    """Some bytes at a time, as from a pipe."""

    def __init__(self, text, most):
        self.rest, self.most = text, most

    def readable(self):
        return True

    def readinto(self, room):
        count = min(self.most, len(room))
        some, self.rest = self.rest[:count], self.rest[count:]
        room[: len(some)] = some
        return len(some)


class OnlyRead:
    def __init__(self, text):
        self.file = io.BytesIO(text)

    def read(self, size):
        return self.file.read(min(size, 7))


def test_a_file_may_give_a_few_bytes_at_a_time():
    for most in (1, 2, 5):
        same(read_svmlight(Dripping(TEXT, most))[:2], expected_of_text())
    same(read_svmlight(OnlyRead(TEXT))[:2], expected_of_text())
    assert read_svmlight(Dripping(b"\xef\xbb\xbf1 1:2", 1))[1].tolist() == [1]


@pytest.mark.usefixtures("either")
def test_standard_input(monkeypatch):
    def from_stdin(function, *arguments, **choices):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(Dripping(TEXT, 1000)))
        return function("-", *arguments, **choices)

    monkeypatch.setattr(Dripping, "__iter__", lambda self: iter(io.BytesIO(TEXT)), raising=False)
    assert from_stdin(read_svmlight)[2].rows == 4
    chunks = from_stdin(iterate_svmlight, 2, n_features=4, zero_based=False)
    assert [y.tolist() for _, y in chunks] == [[1, -1], [0.5, 0]]
    for known in ({}, {"n_features": 4}, {"zero_based": True}):
        with pytest.raises(InputError, match="standard input can be read only once"):
            next(from_stdin(iterate_svmlight, **known))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_with_a_name_is_opened_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["sh", "-c", 'printf "1 1:1\n2 2:2\n" > "$0"', tmp_path / "pipe"]):
        chunks = iterate_svmlight(tmp_path / "pipe", 1, n_features=2, zero_based=False)
        assert [y.tolist() for _, y in chunks] == [[1], [2]]


def test_closed_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match="standard input is closed"):
        read_svmlight("-")


def test_errors_of_standard_input_say_so():
    done = subprocess.run(
        [sys.executable, "-c", "from rosenblatt.data.svmlight import *; read_svmlight('-')"],
        input=b"1 1:1\n1 x",
        capture_output=True,
        check=False,
    )
    assert b"standard input, line 2, column 3: 'x'." in done.stderr


@pytest.mark.usefixtures("either")
@pytest.mark.parametrize("function", [read_svmlight, lambda source: list(iterate_svmlight(source))])
def test_files_that_cannot_be_read(tmp_path, function, paths):
    plain, *compressed = paths
    with pytest.raises(InputError, match=r"There is no file .*nothing\.svm"):
        function(tmp_path / "nothing.svm")
    with pytest.raises(InputError, match="is a folder"):
        function(tmp_path)
    for path in compressed:
        whole = path.read_bytes()
        path.write_bytes(plain.read_bytes())  # not what its name says
        with pytest.raises(InputError, match=re.escape(f"{path} is called compressed by")):
            function(path)
        path.write_bytes(whole[:-9])  # cut off
        with pytest.raises(InputError, match=re.escape(f"{path} cannot be read")):
            function(path)
    for source in (3.5, None, io.StringIO("1 1:1"), [b"1 1:1"]):
        with pytest.raises(InputTypeError, match="give a path, a file opened in binary mode"):
            function(source)


def test_a_file_that_does_not_wait_is_refused():
    class Empty:
        def readinto(self, room):
            return None

        def read(self, size):
            return None

    with pytest.raises(InputError, match="does not wait for its bytes"):
        read_svmlight(Empty())


def test_compressed_files_without_pyarrow(monkeypatch, paths):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    plain, *compressed = paths
    same(read_svmlight(plain)[:2], expected_of_text())
    for path, how in zip(compressed, ("gzip", "bz2", "zstd"), strict=True):
        with pytest.raises(InputError, match=f"compressed by {how}: reading it needs pyarrow"):
            read_svmlight(path)


@pytest.mark.usefixtures("either")
@pytest.mark.parametrize("name", ["b.svm", "b.svm.gz", "b.svm.bz2", "b.svm.zst", "b"])
def test_the_first_bytes_say_how_a_file_is_compressed(tmp_path, paths, name):
    for path in paths[1:]:
        (tmp_path / name).write_bytes(path.read_bytes())
        same(read_svmlight(tmp_path / name)[:2], expected_of_text())
        assert sum(len(y) for _, y in iterate_svmlight(tmp_path / name, 3)) == 4


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_compressed_pipe(tmp_path, paths):
    for k, path in enumerate(paths):
        pipe = tmp_path / f"pipe-{k}"
        os.mkfifo(pipe)
        with subprocess.Popen(["sh", "-c", 'cat "$1" > "$0"', pipe, path]):
            same(read_svmlight(pipe)[:2], expected_of_text())


@pytest.mark.parametrize("k", range(4))
def test_compressed_standard_input_stays_open(paths, k):
    code = (
        "import sys; from rosenblatt.data.svmlight import read_svmlight\n"
        "X, y, info = read_svmlight('-'); print(y.tolist(), info.comments, sys.stdin.closed)"
    )
    run = partial(subprocess.run, [sys.executable, "-c", code], capture_output=True, check=True)
    with open(paths[k], "rb") as file:
        done = [run(input=paths[k].read_bytes()), run(stdin=file)]
    for result in done:
        assert result.stdout.decode().strip() == f"{expected_of_text()[1].tolist()} 3 False"


# --- Large ones ---------------------------------------------------------------------------------


def test_a_line_may_be_longer_than_a_block():
    d = 300_000
    text = b"1 " + b" ".join(b"%d:%d" % (j, j % 7) for j in range(d))
    assert len(text) > 2 * readers.BLOCK
    X, _, info = read(b"-1 5:3\n" + text + b"\n-1 0:2 # x")
    assert info.n_features == d
    assert X[1].toarray().ravel().tolist() == [j % 7 for j in range(d)]
    assert X[2].indices.tolist() == [0]


def test_a_text_without_ends_of_lines_does_not_fill_the_memory(monkeypatch):
    monkeypatch.setattr(readers, "LONGEST_LINE", 4 * readers.BLOCK)
    endless = Dripping(b"1" * (16 * readers.BLOCK), 1 << 16)
    with pytest.raises(InputError, match="line 1 is longer than 2097152 bytes"):
        read_svmlight(endless)
    assert len(endless.rest) > 8 * readers.BLOCK


MEMORY = """
import io, resource
from rosenblatt.data.svmlight import iterate_svmlight
line = b"1 " + b" ".join(b"%d:0.123456" % (17 * j) for j in range(1, 60)) + b"\\n"
total = MEGABYTES * 1_000_000 // len(line) * len(line)
class Long(io.RawIOBase):
    left = total
    block = line * 10_000
    def readable(self):
        return True
    def readinto(self, room):
        at = (total - self.left) % len(line)
        count = min(len(room), self.left)
        room[:count] = self.block[at : at + count]
        self.left -= count
        return count
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
chunks = iterate_svmlight(Long(), 10_000, n_features=2000, zero_based=False)
next(chunks)
before = peak()
rows = sum(len(y) for X, y in chunks)
print(rows, peak() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="counts kilobytes of resident memory")
def test_chunks_take_bounded_memory(heavy):
    megabytes = heavy(2000)
    code = MEMORY.replace("MEGABYTES", str(megabytes))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    rows, more = map(int, done.stdout.split())
    assert rows > 1000 * megabytes
    assert more < 50  # two chunks are 14 MB; all of the rows would be more than what is read


def test_ctrl_c_is_heard_between_blocks():
    class Pressed(Dripping):
        def readinto(self, room):
            os.kill(os.getpid(), signal.SIGINT)
            return super().readinto(room)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            read_svmlight(Pressed(TEXT * 1000, 1000))
    finally:
        signal.signal(signal.SIGINT, before)


def test_without_the_core_scikit_learn_reads(tmp_path):
    (tmp_path / "a.svm").write_bytes(TEXT)
    code = (
        "import sys; from rosenblatt.data.svmlight import read_svmlight\n"
        "from rosenblatt.data._svmlight_readers import SklearnReader, reader_of\n"
        "from rosenblatt.data._source import Bytes; import io\n"
        "assert type(reader_of(Bytes(io.BytesIO(b''), ''))) is SklearnReader\n"
        "X, y, info = read_svmlight(sys.argv[1]); print(X.data.tolist(), y.tolist(), info.comments)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "a.svm"],
        env={**os.environ, "ROSENBLATT_CORE": "reference"},
        capture_output=True,
        text=True,
        check=True,
    )
    X, y = expected_of_text()
    assert done.stdout.strip() == f"{X.data.tolist()} {y.tolist()} 3"


def test_our_errors_are_ours():
    with pytest.raises(RosenblattError) as caught:
        read(b"x")
    assert isinstance(caught.value, ValueError)
