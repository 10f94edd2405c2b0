"""The verifier: it accepts what is true, and every single change of a certificate is found out."""

import csv
import hashlib
import json
import math
import re
import shutil
import struct
import subprocess
import sys
from fractions import Fraction
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import rational
from certificates import (
    CASES,
    PROOF,
    SEPARATED,
    TOUCHING,
    accepted,
    accepted_in_bulk,
    agree,
    document,
    floats,
    packed,
    tampered,
    true_of,
)
from raising import check_sentence, raises
from rational import COMPLETE, OVERLAP, QUASI, UNDECIDED
from rosenblatt import certify, verify
from rosenblatt.certificate import Certificate
from rosenblatt.errors import InputError, RosenblattError, VerificationError
from tampering import changed, changes

# --- Every single change --------------------------------------------------------------------------


# Changes after which the certificate is still true, and why. Nothing else is accepted.
STILL_TRUE = {
    r"producer changed": "who made it is no part of the proof",
    r"(columns\.\d|target|labels|labels\.\d) changed": "names: tested with data that have some",
    r"columns changed": "in another order, of numbers without names",
    r"numbers changed": "these are whole numbers: the same in binary and in decimals",
    r"margins\.geometric removed": "it says less",
    r"margins\.geometric\.rows changed": "exchanged rows of equal weights",
    r"signs removed": "it says less",
    r"signs\.\d\.other(\.\d)? changed": "other weights with that sign",
    r"revealing(\.\d)? removed": "it says less",
    r"revealing\.\d twice": "it says the same twice",
    r"revealing changed": "in another order, or none",
    r"revealing\.\d\.column changed": "to the other one, which separates the same rows there",
    r"revealing\.\d\.threshold changed": "by 2^-80, within the gap between the classes",
    r"orthogonal\.\d twice": "the same span",
    r"orthogonal changed": "in another order: the same span",
    r"orthogonal\.\d\.3 changed": "column 3 is zero: any multiple of e_3, added, has the same span",
    r"separator\.3 changed": "column 3 is zero: its coefficient is free",
    r"collinear(\.\d)? removed": "it says less",
    r"collinear changed": "in another order, or none",
    r"collinear\.0\.column changed": "to another one of the three that add up",
    r"collinear\.1\.vector\.3 changed": "to a multiple of the vector",
}


def test_no_single_change_of_a_certificate_makes_a_false_one_that_is_accepted():
    unused = set(STILL_TRUE)
    for verdict, claim, X, y in tampered():
        assert claim["verdict"] == verdict
        assert accepted(claim, X, y)
        assert true_of(claim, X, y)
        for path, how, new in changes(claim):
            other = changed(claim, path, how, new)
            assert accepted(other, X, y) == accepted_in_bulk(other, X, y), (path, how, new)
            if not accepted(other, X, y):
                continue
            what = f"{'.'.join(map(str, path))} {how}"
            reasons = [pattern for pattern in STILL_TRUE if re.fullmatch(pattern, what)]
            story = f"{verdict}: {what} to {new!r} is accepted:\n{json.dumps(claim)}"
            assert reasons, story
            assert true_of(other, X, y), story
            unused -= set(reasons)
    assert not unused


@pytest.mark.parametrize("verdict", CASES)
@pytest.mark.parametrize("fit_intercept", [2, -1, 1.5, "yes", [0]])
def test_an_intercept_is_there_or_not(verdict, fit_intercept):
    # As a number it would make vectors of another length mean something else.
    X, y = CASES[verdict]
    claim = document(X, y) | {"fit_intercept": fit_intercept}
    assert not accepted(claim, X, y)


def test_what_is_not_quite_an_intercept_proves_nothing():
    # (-2, 0) is half way between the others. With size d - 1 the only weight would be a constant
    # where floats decide, and a multiple of x_0 + 1 where whole numbers do: right everywhere.
    X, y = [[-2.0, 0.0], [-2.0, 2.0**60], [-2.0, -(2.0**60)]], [1, -1, -1]
    claim = document(X, y)
    assert claim["separable"] is False
    radius2 = 2**2 + 2**120 + 1
    proof = {"separator": ["0x1"], "at_least": "0x1/0x2", "rows": [0], "weights": ["0x1"]}
    forged = {name: claim[name] for name in claim if name not in PROOF} | {
        "fit_intercept": -1,
        "verdict": COMPLETE,
        "separable": True,
        "margins": {"homogeneous": proof | {"lo": 0.0, "hi": 1e9, "exact": False}},
        "radius_row": 1,
        "mistake_bound": str(radius2 * 4),
        "best_possible_mistake_bound": str(radius2 // 5),
    }
    assert not accepted(forged, X, y)


@pytest.mark.parametrize("dropped", [[99], [-1], ["a"], [0.5]])
def test_a_row_that_is_not_there_cannot_be_left_out(dropped):
    X, y = SEPARATED
    assert not accepted(document(X, y) | {"dropped": dropped}, X, y)


def test_a_bound_needs_its_proof():
    # Whoever takes the proof out has to take out what it proved.
    X, y = SEPARATED
    for kind in ("homogeneous", "geometric"):
        claim = document(X, y)
        del claim["margins"][kind]["separator"]
        assert not accepted(claim | {"mistake_bound": "1"}, X, y)
        claim["margins"][kind]["lo"] = 1e9
        assert not accepted(claim, X, y)
    claim = document(X, y)
    del claim["margins"]["homogeneous"]
    assert not accepted(claim | {"mistake_bound": "1"}, X, y)
    assert not accepted(claim | {"best_possible_mistake_bound": "10000000"}, X, y)


@pytest.mark.parametrize("verdict", [QUASI, OVERLAP, UNDECIDED])
def test_a_verdict_comes_with_its_own_fields_and_no_others(verdict):
    # What is shown has to be proved: a separator of rows that overlap, say, is not looked at.
    claim, X, y = next((c, X, y) for v, c, X, y in tampered() if v == verdict)
    assert accepted(claim, X, y)
    strange = {"separator": ["0x1"] * (len(X[0]) + 1), "signs": [{"signs": "+"}] * (len(X[0]) + 1)}
    strange |= {"mistake_bound": "1", "best_possible_mistake_bound": "1", "separated": [0]}
    for field, value in strange.items():
        if field not in claim:
            assert not accepted(claim | {field: value}, X, y), field


def test_the_longest_row_is_the_longest_where_squares_are_hardly_numbers():
    # Squares near 10^-320 have four digits in floating point: enough to take the second longest row
    # for the longest.
    for k in range(200):
        x = [(1.0 + k * 1e-6) * 1e-160, (1.0 + k * 1e-6) * 1.00001e-160]
        X, y = [[x[0]], [x[1]], [-x[0]]], [1, 1, -1]
        claim = document(X, y, fit_intercept=False)
        assert accepted(claim, X, y)
        assert claim["radius_row"] == 1
        assert not accepted(claim | {"radius_row": 0}, X, y)


# --- Other data -----------------------------------------------------------------------------------


@pytest.mark.parametrize("verdict", CASES)
def test_a_certificate_is_about_these_data_and_no_others(verdict):
    X, y = CASES[verdict]
    claim = document(X, y)
    assert accepted(claim, X, y)
    for i in range(len(X)):
        for j in range(len(X[0])):
            other = floats(X)
            other[i][j] = math.nextafter(other[i][j], math.inf)
            assert not accepted(claim, other, y)
        flipped = [-v if k == i else v for k, v in enumerate(y)]
        assert not accepted(claim, X, flipped)
        assert not accepted(claim, X[:i] + X[i + 1 :], y[:i] + y[i + 1 :])
        assert not accepted(claim, [*X, X[i]], [*y, y[i]])
    assert not accepted(claim, [X[1], X[0], *X[2:]], [y[1], y[0], *y[2:]])
    assert not accepted(claim, [x[::-1] for x in X], y)
    assert not accepted(claim, [x[:-1] for x in X], y)
    assert not accepted(claim, [[*x, 0] for x in X], y)


def test_the_hash_is_what_the_documentation_says():
    X, y = [[1.5, 0.0], [-0.0, 2.0], [7.0, 7.0], [3.0, 4.0]], ["b", "a", "a", "b"]
    claim = certify(X, y, sample_weight=[1, 1, 0, 1]).to_dict()
    signs = struct.pack("<2Q4b", 1, 4, 1, -1, 0, 1)
    block = signs + struct.pack("<2Q8d", 8, 8, 1.5, 0, 0, 2, 7, 7, 3, 4)  # six of eight: all
    shape = struct.pack("<2Q", 4, 2)
    assert claim["sha256"] == hashlib.sha256(shape + sha256(block)).hexdigest()
    assert accepted(claim, X, [1, -1, -1, 1])
    claim = certify([[1.5, 0.0, 0.0], [-0.0, 4.0, 0.0]], ["a", "b"]).to_dict()  # two of six
    block = struct.pack("<2Q2b", 1, 2, -1, 1) + struct.pack("<2Q2Q2d", 16, 2, 0, 4, 1.5, 4)
    shape = struct.pack("<2Q", 2, 3)
    assert claim["sha256"] == hashlib.sha256(shape + sha256(block)).hexdigest()


def sha256(content):
    return hashlib.sha256(content).digest()


def test_a_certificate_with_other_names_is_rejected_where_the_data_have_names(tmp_path):
    table = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "b": [0.5, 0.0, 1.0, 1.5]})
    y = pd.Series(["no", "no", "yes", "yes"], name="paid")
    table.assign(paid=y).to_csv(tmp_path / "t.csv", index=False)
    claim = certify(table, y).to_dict()
    for field, other in [
        ("columns", ["b", "a"]),
        ("columns", ["a", "c"]),
        ("target", "b"),
        ("labels", ["yes", "no"]),
        ("labels", ["no", "y"]),
    ]:
        changed = claim | {field: other}
        (tmp_path / "c.json").write_text(json.dumps(changed))
        refused = 2 if "c" in other else 1  # there is no such column
        assert verify.main([str(tmp_path / "c.json"), str(tmp_path / "t.csv")]) == refused
        if field != "target":
            with pytest.raises(VerificationError):
                Certificate(changed).verify(table, y)


def test_the_certificate_object_says_so_too():
    X, y = SEPARATED
    certificate = certify(floats(X), y)
    certificate.verify(np.array(X, dtype=np.float32), y)
    assert issubclass(VerificationError, RosenblattError)
    assert not issubclass(VerificationError, InputError)
    with raises(VerificationError):
        certificate.verify(floats(X[::-1]), y[::-1])
    with raises(VerificationError):
        certificate.verify(floats(X[:3]), y[:3])
    with raises(VerificationError):
        certificate.verify(floats(X), ["a", "a", "b", "b"])


def test_a_document_that_is_no_certificate_is_rejected_by_the_object_as_well():
    # Not a KeyError from its depths.
    for _, claim, X, y in tampered():
        for field in claim:
            for other in (
                {name: value for name, value in claim.items() if name != field},
                claim | {field: {"no": "certificate"}},
            ):
                if not accepted(other, X, y):
                    with pytest.raises(RosenblattError):
                        Certificate(other).verify(floats(X), y)


# --- The program ----------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path):
    """A certificate and its table, as someone else gets them."""
    X, y = SEPARATED
    labels = ["no" if v < 0 else "yes" for v in y]
    certificate = certify(floats(X), labels)
    certificate.save(tmp_path / "certificate.json")
    claim = certificate.to_dict()
    with open(tmp_path / "data.csv", "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["unused", claim["target"], *claim["columns"]])
        table.writerows(["?", label, *x] for label, x in zip(labels, X, strict=True))
    return tmp_path / "certificate.json", tmp_path / "data.csv"


def ran(*command, cwd):
    done = subprocess.run(
        [sys.executable, *map(str, command)], cwd=cwd, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout, done.stderr


def test_the_program_accepts(files, tmp_path):
    code, out, err = ran("-m", "rosenblatt.verify", *files, cwd=tmp_path)
    assert (code, err) == (0, "")
    sentence, about, numbers = out.splitlines()
    assert sentence.startswith("ACCEPTED: complete separation, 4 rows, proved.")
    for line in (sentence, about, numbers):
        check_sentence(line)


def test_the_program_alone_needs_nothing_but_python(files, tmp_path):
    (tmp_path / "empty").mkdir()
    shutil.copy(verify.__file__, tmp_path / "empty" / "verify.py")
    alone = "-I", "-S", "-X", "importtime", "verify.py"
    code, out, err = ran(*alone, *files, cwd=tmp_path / "empty")
    assert code == 0
    assert out.startswith("ACCEPTED: complete separation, 4 rows, proved.")
    imported = {line.split("|")[-1].strip().partition(".")[0] for line in err.splitlines()}
    assert "fractions" in imported
    assert not imported & {"numpy", "scipy", "sklearn", "rosenblatt", "site"}


def says(capsys, arguments):
    """Exit code, and the sentence that goes with it."""
    code = verify.main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    line, *about = (out + err).splitlines()
    assert len(about) == 2 * (code == 0)  # which label and columns, which numbers
    return code, line


def edited(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    return path


def test_the_program_says_what_it_needs(capsys):
    assert says(capsys, []) == (2, "usage: python verify.py certificate.json data.csv")
    assert says(capsys, ["one"])[0] == 2


@pytest.mark.parametrize("missing", [0, 1])
def test_a_missing_file_is_named(files, missing, capsys):
    files[missing].unlink()
    code, line = says(capsys, files)
    assert code == 2
    assert files[missing].name in line


def test_a_folder_is_no_file(files, tmp_path, capsys):
    assert says(capsys, [files[0], tmp_path])[0] == 2


def test_a_truncated_certificate_cannot_be_read(files, capsys):
    text = files[0].read_text()
    for length in (0, 1, len(text) // 2, len(text.rstrip()) - 1):
        files[0].write_text(text[:length])
        code, line = says(capsys, files)
        assert code == 2
        assert line.startswith("Cannot read")


@pytest.mark.parametrize("text", ["[]", "7", '"x"', "null", "{}", '{"schema": 1}'])
def test_something_else_is_not_a_certificate(files, text, capsys):
    files[0].write_text(text)
    code, line = says(capsys, files)
    assert code == 2
    assert line.startswith(f"Cannot check {files[0]}: ")


def test_a_missing_column_is_named(files, capsys):
    name = "x1"
    edited(files[1], name, "other")
    code, line = says(capsys, files)
    assert code == 2
    assert f"no column '{name}'" in line


def test_a_word_where_a_number_should_be_is_named_with_its_line(files, capsys):
    edited(files[1], "no,1,1", "no,1,one")
    code, line = says(capsys, files)
    assert code == 2
    assert "line 4" in line
    assert "'one'" in line


def test_a_short_line_is_named(files, capsys):
    edited(files[1], "no,1,1", "no,1")
    code, line = says(capsys, files)
    assert code == 1
    assert "line 4" in line


def test_an_empty_table_is_refused(files, capsys):
    files[1].write_text("")
    assert says(capsys, files)[0] == 2


def test_an_unknown_label_is_named(files, capsys):
    edited(files[1], "no,1,1", "maybe,1,1")
    code, line = says(capsys, files)
    assert code == 1
    assert "'maybe'" in line


@pytest.mark.parametrize("number", ["1e999", "1.5", "-1"])
def test_another_number_in_the_table_is_rejected(files, number, capsys):
    edited(files[1], "no,1,1", f"no,1,{number}")
    code, line = says(capsys, files)
    assert code == 1
    assert line.startswith("REJECTED")


@pytest.mark.parametrize("same", ["1.0", "01", "10e-1", "1.", "+1"])
def test_the_same_number_written_otherwise_is_the_same_number(files, same, capsys):
    edited(files[1], "no,1,1", f"no,1,{same}")
    assert says(capsys, files)[0] == 0


def test_a_table_from_a_spreadsheet_is_read(files, capsys):
    # A byte order mark, quotes and Windows' line ends.
    text = files[1].read_text().replace("no,1,1", '"no","1","1"')
    files[1].write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert says(capsys, files)[0] == 0


def test_labels_that_are_numbers_are_compared_as_numbers(tmp_path, capsys):
    X, y = SEPARATED
    certificate = certify(floats(X), y)
    certificate.save(tmp_path / "c.json")
    claim = certificate.to_dict()
    lines = [",".join([*claim["columns"], claim["target"]])]
    lines += [f"{a},{b},{float(v)}" for (a, b), v in zip(X, y, strict=True)]
    (tmp_path / "d.csv").write_text("\n".join(lines))
    assert says(capsys, [tmp_path / "c.json", tmp_path / "d.csv"])[0] == 0


# --- Arithmetic -----------------------------------------------------------------------------------

ANY_FLOAT = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(
    [5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 1e16, 1.0, 0.1, 0.3, -0.0]
)


@given(
    rows=st.integers(1, 4).flatmap(
        lambda d: st.lists(st.lists(ANY_FLOAT, min_size=d, max_size=d), min_size=1, max_size=4)
    ),
    w=st.lists(ANY_FLOAT | st.fractions(), min_size=5, max_size=5),
    bound=ANY_FLOAT | st.fractions(),
    intercept=st.booleans(),
    numbers=st.sampled_from(["float", "decimal"]),
    flip=st.booleans(),
)
def test_the_float_filter_never_decides_wrongly(rows, w, bound, intercept, numbers, flip):
    w = [Fraction(v) for v in w[: len(rows[0]) + intercept]]
    y = [-1 if flip ^ (i % 2 == 1) else 1 for i in range(len(rows))]
    assert agree(rows, y, w, Fraction(bound), intercept, numbers)


@given(
    pairs=st.lists(st.tuples(ANY_FLOAT, ANY_FLOAT), min_size=1, max_size=3),
    powers=st.lists(st.integers(-60, 60), min_size=3, max_size=3),
    nudge=st.integers(-2, 2),
    where=st.integers(0, 5),
    bound=st.sampled_from([0, 1, -1, Fraction(1, 2**60), Fraction(1, 2**1100)]),
    numbers=st.sampled_from(["float", "decimal"]),
    intercept=st.booleans(),
)
@example(  # divided by 1.7e299, 1e-10 is subnormal: digits are lost before it is multiplied
    pairs=[(1.6742321987285427e299, 1e-10)],
    powers=[0, 0, 0],
    nudge=0,
    where=0,
    bound=0,
    numbers="float",
    intercept=False,
)
def test_the_float_filter_is_not_fooled_by_cancellation(
    pairs, powers, nudge, where, bound, numbers, intercept
):
    # w = (p, q, p', q', ...) and x = 2^k (q, -p, q', -p', ...) cancel to nothing; then one number
    # is moved to a neighbour, or the bound is just what is left.
    w = [Fraction(v) for pair in pairs for v in pair]
    scales = [2.0**k for k in powers]
    x = [v for (p, q), s in zip(pairs, scales, strict=False) for v in (q * s, -p * s)]
    x = [min(max(v, -1.7e308), 1.7e308) for v in x]
    j = where % len(x)
    for _ in range(abs(nudge)):
        x[j] = math.nextafter(x[j], math.copysign(math.inf, nudge))
    x = [v if math.isfinite(v) else 1.0 for v in x]
    if intercept:
        w.append(Fraction(bound))
    exact = rational.decimal if numbers == "decimal" else Fraction
    (row,) = rational.lifted([x], [1], intercept, exact)
    left = rational.dot(row, w)
    for limit in (Fraction(0), left, left + Fraction(bound), left * (1 + Fraction(1, 2**60))):
        assert agree([x, x], [1, -1], w, limit, intercept, numbers)


ORDINARY = st.floats(-100, 100, allow_subnormal=False)


@given(
    rows=st.lists(st.lists(ORDINARY, min_size=3, max_size=3), min_size=1, max_size=5),
    w=st.lists(ORDINARY, min_size=4, max_size=4),
    nudge=st.sampled_from([0, 1, -1, 2**20, -(2**20), 2**40, -(2**40)]),
    intercept=st.booleans(),
    numbers=st.sampled_from(["float", "decimal"]),
)
def test_a_row_that_reaches_the_bound_is_not_taken_for_one_beyond(
    rows, w, nudge, intercept, numbers
):
    # The bound is what one of the rows reaches, or a little more or less: floats
    # cannot tell, and must not.
    exact = rational.decimal if numbers == "decimal" else Fraction
    y = [1 if i % 2 else -1 for i in range(len(rows))]
    w = [Fraction(v) for v in w[: 3 + intercept]]
    for row in rational.lifted(rows, y, intercept, exact):
        bound = rational.dot(row, w) + Fraction(nudge, 2**60)
        assert agree(rows, y, w, bound, intercept, numbers)


def test_floats_settle_most_rows():
    # Without whole numbers: else a large table takes long.
    rng = np.random.default_rng(0)
    X, w = rng.standard_normal((500, 5)), rng.standard_normal(5)
    y = np.where(X @ w > 0, 1, -1)
    claim = certify(X, y).to_dict()
    data = verify.Data(claim, packed(X.tolist()), y.tolist())
    data.sign = exact = mock.Mock(wraps=data.sign)
    margin = claim["margins"]["geometric"]
    separator = [verify.number(v) for v in margin["separator"]]
    assert min(data.signs(separator, verify.number(margin["at_least"]))) == 0
    assert 0 < exact.call_count <= 10


def rank(vectors):
    return verify.Data.rank(None, vectors)


@given(st.lists(st.lists(st.integers(-3, 3), min_size=3, max_size=3), max_size=5))
def test_the_rank_modulo_a_large_prime_is_the_rank_of_small_numbers(vectors):
    fractions = [[Fraction(v) for v in vector] for vector in vectors]
    assert rank(vectors) == len(rational.echelon(fractions)[0])


def test_the_rank_modulo_a_prime_can_only_be_too_small():
    assert rank([[verify.PRIME, 0], [0, 1]]) == 1


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0x1f", Fraction(31)),
        ("-0x1f", Fraction(-31)),
        ("0x3/0x7", Fraction(3, 7)),
        ("-0x3/0x7", Fraction(-3, 7)),
        ("0x1.8p+3", Fraction(12)),
        ("-0x1.8p-1", Fraction(-3, 4)),
        ("0x0p+0", Fraction(0)),
    ],
)
def test_numbers_are_read_in_hexadecimal(text, value):
    assert verify.number(text) == value


def test_a_column_of_booleans_can_be_checked_from_the_file_that_pandas_writes(tmp_path, capsys):
    X = pd.DataFrame({"owner": [True, False, True, False], "age": [30.5, 40.0, 50.0, 61.0]})
    y = pd.Series([True, False, True, False], dtype="boolean", name="accepted")
    certify(X, y).save(tmp_path / "certificate.json")
    X.assign(accepted=y).to_csv(tmp_path / "data.csv", index=False)
    code, line = says(capsys, [tmp_path / "certificate.json", tmp_path / "data.csv"])
    assert code == 0
    assert line.startswith("ACCEPTED: complete separation, 4 rows, proved.")


def test_a_certificate_says_that_it_is_claimed_until_it_was_checked(tmp_path):
    X, y = SEPARATED
    certificate = certify(X, y)
    certificate.save(tmp_path / "certificate.json")
    loaded = Certificate.load(tmp_path / "certificate.json")
    assert certificate.checked
    assert not loaded.checked
    assert "Proved" not in str(loaded)
    loaded.verify(X, y)
    assert "Proved" in str(loaded)


def test_a_saved_certificate_has_the_rights_of_any_other_file(tmp_path):
    (tmp_path / "other").touch()
    certify(*SEPARATED).save(tmp_path / "certificate.json")
    modes = [(tmp_path / name).stat().st_mode for name in ("other", "certificate.json")]
    assert modes[0] == modes[1]
    with raises(FileNotFoundError):
        certify(*SEPARATED).save(tmp_path / "nowhere" / "certificate.json")


# --- Forgeries that were once accepted ------------------------------------------------------------


def test_a_label_that_a_row_left_out_has_is_not_known_by_it():
    X = [[9.0], [0.0], [1.0], [2.0]]
    certificate = certify(X, list("babb"), sample_weight=[0, 1, 1, 1])
    certificate.verify(X, list("cabb"))  # row 0 does not count
    with raises(VerificationError):
        certificate.verify(X, list("cabc"))


def test_columns_cannot_be_taken_out_of_a_large_table():
    X, y = TOUCHING
    claim = document(X, y)
    forged = {name: claim[name] for name in claim if name not in PROOF}
    forged |= {"verdict": OVERLAP, "conflict": claim["conflict"], "orthogonal": [], "columns": []}
    assert not accepted(forged, X, y)
    assert not accepted_in_bulk(forged, X, y)


def test_what_is_exact_has_ends_that_differ_by_rounding_only():
    X, y = SEPARATED
    for field, value in [("lo", 0.0), ("hi", 1e9), ("hi", None), ("hi", 10**400), ("lo", 0)]:
        claim = document(X, y)
        assert claim["margins"]["homogeneous"]["exact"]
        claim["margins"]["homogeneous"][field] = value
        assert not accepted(claim, X, y)


def test_the_longest_row_is_one_that_counts():
    X, y = [[1.0, 0.0], [-1.0, 0.0], [1000.0, 0.0]], [1, -1, 1]
    claim = certify(X, y, sample_weight=[1, 1, 0]).to_dict()
    forged = claim | {"radius_row": 2, "mistake_bound": str(1000**2 + 1)}
    forged["best_possible_mistake_bound"] = forged["mistake_bound"]
    assert accepted(claim, X, y)
    assert not accepted(forged, X, y)


def test_names_of_columns_are_those_of_the_table():
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "b": [0.0, 5.0, 1.0, 2.0]})
    certificate = certify(X, [0, 0, 1, 1])
    certificate.verify(X, [0, 0, 1, 1])
    certificate.verify(X.to_numpy(), [0, 0, 1, 1])
    with raises(VerificationError):
        certificate.verify(X.rename(columns={"a": "b", "b": "a"}), [0, 0, 1, 1])


@pytest.mark.parametrize("value", ["nan", "inf", "-Infinity", "", "1e999"])
def test_what_is_no_finite_number_is_refused_in_a_file(files, value, capsys):
    lines = files[1].read_text().splitlines()
    *others, _ = lines[2].split(",")
    lines[2] = ",".join([*others, value])
    files[1].write_text("\n".join(lines) + "\n")
    code, line = says(capsys, files)
    assert code == (1 if value == "1e999" else 2)
    assert "line 3" in line


def test_decimals_that_a_float_cannot_tell_apart_are_refused(tmp_path, capsys):
    certify([[0.1], [0.1]], ["no", "yes"], numbers="decimal").save(tmp_path / "c.json")
    (tmp_path / "data.csv").write_text("x0,y\n0.1,no\n0.10000000000000000001,yes\n")
    code, line = says(capsys, [tmp_path / "c.json", tmp_path / "data.csv"])
    assert code == 1
    assert "more digits" in line


def test_rows_left_out_are_mentioned(tmp_path, capsys):
    certify([[0.0], [1.0], [0.5]], [0, 1, 1], sample_weight=[1, 1, 0]).save(tmp_path / "c.json")
    (tmp_path / "data.csv").write_text("x0,y\n0,0\n1,1\n0.5,1\n")
    code, line = says(capsys, [tmp_path / "c.json", tmp_path / "data.csv"])
    assert code == 0
    assert line.startswith("ACCEPTED: complete separation, 2 rows (1 left out), proved.")


@pytest.mark.parametrize("d", [2, 10, 40])
def test_a_score_within_the_bound_of_rounding_is_decided_in_whole_numbers(d, monkeypatch):
    # The bound that `Data.signs` derives. No sign comes out wrong with half of it: where one could,
    # sums on the way are no more than half of the terms. So what is asked is which rows were
    # decided in floating point, and that those beyond the limit are.
    rows = []
    for share in (0.99, 3.0):  # of (d + 8) 2^-53 Σ |x_j w_j|, with w = (1, …, 1)
        x = [2.0**20] * (d // 2) + [-(2.0**20)] * (d // 2)
        score = round(share * (d + 8) * 2.0**-53 * d * 2.0**20 * 2**32) * 2.0**-32
        x[0] += score
        assert sum(map(Fraction, x)) == Fraction(score)
        rows.append(x)
    claim = {
        "rows": 2,
        "dropped": [],
        "columns": [f"x{j}" for j in range(d)],
        "fit_intercept": False,
        "numbers": "float",
        "labels": ["0", "1"],
    }
    data, exactly = verify.Data(claim, packed(rows), [1, 1]), []
    usual = data.sign
    monkeypatch.setattr(data, "sign", lambda i, *more: exactly.append(i) or usual(i, *more))
    assert data.signs([1] * d) == [1, 1]
    assert exactly == [0]


def test_only_rows_within_the_limit_are_right_by_their_last_bits():
    # Rows of both labels leave w = t (1, 1, -1). The terms of the scores of rows 4 and 5 are about
    # 2^41 t: 1.5 t is less than 2^-40 of them, and 2 t of 2^41 t is not.
    tied, far = [[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]], 2.0**40
    X = [*tied, *tied, [far + 1, 0.0, far - 0.5], [far + 1, 0.0, far - 1]]
    y, signs = [0, 0, 1, 1, 1, 1], [-1, -1, 1, 1, 1, 1]
    claim = json.loads(json.dumps(certify(X, y, fit_intercept=False).to_dict()))
    assert (claim["verdict"], claim["last_bits"]) == (QUASI, [4])
    for rows in ([4], []):
        assert accepted(claim | {"last_bits": rows}, X, signs)
        assert accepted_in_bulk(claim | {"last_bits": rows}, X, signs)
    for rows in ([5], [4, 5], [0], [4, 4]):
        assert not accepted(claim | {"last_bits": rows}, X, signs)
        assert not accepted_in_bulk(claim | {"last_bits": rows}, X, signs)


@pytest.mark.parametrize("d", [5, 6, 7])
def test_more_columns_than_are_named_are_counted(d):
    X, y = [[float(i == j) for j in range(d)] for i in range(d)], [0, 1] * d
    check_sentence(verify.subject(certify(X, y[:d]).to_dict(), []))
