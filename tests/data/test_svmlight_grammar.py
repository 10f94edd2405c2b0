"""svmlight text that is refused: the error says where, what and why; whatever the bytes."""

import io

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.datasets import load_svmlight_file

from raising import raises
from rosenblatt.data.svmlight import find_fault, iterate_svmlight, read_svmlight
from rosenblatt.errors import InputError
from svmlight_texts import read, same

# --- What is refused ------------------------------------------------------------------------------


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
    ("text", "choices"),
    [
        (b"", {}),
        (b"\n# nothing\n", {}),
        (b"1\n2\n", {}),
        (b"1 1:1\n1 0:1\n1 0:1", {"zero_based": False}),
        (b"1 1:1\n\n1 7:1\n1 7:2", {"n_features": 5}),
        (b"1 0:1\n1 5:1", {"n_features": 5}),
    ],
)
def test_rows_that_do_not_agree_with_what_was_said(text, choices):
    with raises(InputError):
        read(text, **choices)
    with raises(InputError):
        list(iterate_svmlight(io.BytesIO(text), 10, **choices))


@pytest.mark.parametrize(
    "choices",
    [
        {"n_features": 0},
        {"n_features": 1.5},
        {"n_features": 2**63},
        {"zero_based": "yes"},
        {"zero_based": None},
    ],
)
def test_bad_choices_are_refused_before_anything_is_read(choices):
    for function in (read_svmlight, iterate_svmlight):
        with raises(InputError):
            function("no such file", **choices)
    with raises(InputError, option="rows_per_chunk", value=0):
        iterate_svmlight("no such file", 0)


# --- Anything at all ------------------------------------------------------------------------------


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
