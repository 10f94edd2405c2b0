"""rosenblatt verify: what the stand-alone program says, of numbers that it tells about."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from commands import SMALL, line_of, write
from forked import ended
from raising import check_sentence, raises
from rosenblatt import Certificate, Perceptron, certify, save, verify, verify_errors
from rosenblatt.data import Preprocessing
from rosenblatt.data.features import Words
from rosenblatt.data.transformation import Transformed
from rosenblatt.errors import InputError, VerificationError

# As floats both are 0.1, and the rows that the digits tell apart are equal.
LONG = "u,ok\n0.10000000000000000001,a\n0.1,b\n"
APART = "u,ok\n3,a\n4,b\n"


def alone(capfd, *arguments):
    """Exit code and words of the stand-alone program."""
    code = verify.main(list(map(str, arguments)))
    return code, capfd.readouterr().out


def edited(path, change):
    document = json.loads(Path(path).read_text())
    change(document)
    Path("forged.json").write_text(json.dumps(document))
    return "forged.json"


# --- The numbers as they are written --------------------------------------------------------------


def test_decimals_with_more_digits_than_a_float_are_neither_certified_nor_accepted(shell, capfd):
    table = write("t.csv", LONG)
    code, out, err = shell("certify", table, "-y", "ok", "--numbers", "decimal", "-o", "c.json")
    assert (code, out) == (2, "")
    assert "t.csv, row 1 (line 2)" in err
    assert "column 'u' holds 0.10000000000000000001" in err
    assert not Path("c.json").exists()
    shell("certify", table, "-y", "ok", "-o", "c.json")  # the nearest floats
    assert shell("verify", "c.json", table)[:2] == alone(capfd, "c.json", table)
    forged = edited("c.json", lambda c: c.update(numbers="decimal"))
    for code, out in (shell("verify", forged, table)[:2], alone(capfd, forged, table)):
        assert code == 1
        assert out.startswith("REJECTED: t.csv")
        assert "0.10000000000000000001" in out


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.csv", "u;ok\n0,1;a\n0,10000000000000000001;b\n"),  # a decimal comma
        ("t.csv", "u,ok\n1e-320,a\n1.23e-322,b\n"),  # hardly a float: 1.24e-322
        ("t.svm", "0 1:0.1\n1 1:0.10000000000000000001\n"),
    ],
)
def test_digits_are_counted_in_every_kind_of_text(shell, name, text):
    target = [] if name.endswith("svm") else ["-y", "ok"]
    code, _, err = shell("certify", write(name, text), *target, "--numbers", "decimal")
    assert code == 2
    assert "row 2 (line" in err
    assert shell("certify", name, *target)[0] == 0


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.csv", "u,ok\n1,9007199254740993\n2,9007199254740990\n"),
        ("t.csv", "u,ok\n1,1.00000000000000000001\n2,0\n"),
        ("t.svm", "9007199254740993 1:1\n0 1:2\n"),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_labels_with_more_digits_than_a_float_are_not_fitted(shell, name, text, stream):
    """Their certificate would be rejected."""
    target = [] if name.endswith("svm") else ["-y", "ok"]
    more = ["--stream"] if stream else []
    rows = text.splitlines(keepends=True)
    head = 0 if name.endswith("svm") else 1
    write(name, "".join(rows[:head]) + "".join(rows[head:]) * 20)
    code, out, err = shell("fit", name, *target, *more, "-o", "out")
    assert (code, out) == (2, "")
    assert f"{name}, row 1 (line {head + 1})" in err
    assert rows[head].strip().split(",")[-1].split(" ")[0] in err
    assert not Path("out").exists()


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int64])
def test_columns_with_types_are_read_as_decimals_if_they_are_that(shell, kind):
    values = np.array([0.1, 0.2] if kind is not np.int64 else [2**60, 1]).astype(kind)
    pd.DataFrame({"u": values, "ok": ["a", "b"]}).to_parquet("t.parquet")
    code, _, err = shell("certify", "t.parquet", "-y", "ok", "--numbers", "decimal", "-o", "c.json")
    assert code == (0 if kind is np.float64 else 2), err
    if code == 0:
        assert shell("verify", "c.json", "t.parquet")[0] == 0


def test_labels_are_not_rounded(shell):
    table = write("t.csv", "u,ok\n1,1\n2,1.00000000000000000001\n3,0\n")
    code, _, err = shell("certify", table, "-y", "ok")
    assert code == 2
    assert "column 'ok' holds 1.00000000000000000001" in err


def test_decimals_from_a_table_are_certified_and_accepted(shell, capfd):
    table = write("t.csv", "u,v,ok\n0.1,0.3,a\n0.2,,b\n+1e2,.5,b\n")
    options = ("--numbers", "decimal", "--impute", "median")
    assert shell("certify", table, "-y", "ok", "-o", "c.json", *options)[0] == 0
    code, out, _ = shell("verify", "c.json", table, "--encoded", "n.csv")
    assert code == 0
    assert "'v' 0.4 for 1 missing value" in out
    assert alone(capfd, "c.json", "n.csv")[0] == 0


# --- One verdict ----------------------------------------------------------------------------------


def test_rows_left_out_are_mentioned_by_both(shell, capfd):
    table = write("t.csv", "x0,y\n0,0\n1,1\n0.5,1\n")
    certify([[0.0], [1.0], [0.5]], [0, 1, 1], sample_weight=[1, 1, 0]).save("c.json")
    code, out = alone(capfd, "c.json", table)
    said = "ACCEPTED: complete separation, 2 rows (1 left out), proved. "
    assert (code, out[: len(said)]) == (0, said)
    assert shell("verify", "c.json", table)[:2] == (code, out)
    found = json.loads(shell("verify", "c.json", table, "--json")[1])
    assert (found["accepted"], found["rows"], found["rows_left_out"]) == (True, 2, 1)
    assert [found["sentence"], found["about"], found["numbers"]] == out.splitlines()


def test_both_say_what_is_proved(shell, capfd):
    """The label and how it is coded, the columns used of those there are, the intercept."""
    table = write("t.csv", "a,b,c,y\n1,5,0,no\n2,1,1,yes\n3,2,0,yes\n1,2,1,no\n")
    frame = pd.read_csv(table)
    for columns, intercept in ((["b"], True), (["b", "a"], False), (["a", "b", "c"], True)):
        certify(frame[columns], frame["y"], fit_intercept=intercept).save("c.json")
        code, out = alone(capfd, "c.json", table)
        assert code == 0
        check_sentence(out.splitlines()[1])
        assert shell("verify", "c.json", table)[:2] == (code, out)
        found = json.loads(shell("verify", "c.json", table, "--json")[1])
        assert (found["target"], found["labels"]) == ("y", ["no", "yes"])
        assert (found["columns"], found["fit_intercept"]) == (columns, intercept)
        assert found["columns_not_used"] == [name for name in "abc" if name not in columns]
    other = frame.rename(columns={"y": "z"}).assign(y=["yes", "no", "no", "yes"])
    certify(other[["b"]], other["y"]).save("c.json")
    other.to_csv(table, index=False)
    check_sentence(alone(capfd, "c.json", table)[1].splitlines()[1])


def test_rows_are_counted_from_1_beside_a_file(shell, capfd):
    certify([[0.0], [1.0], [3.0]], ["a", "b", "b"]).save("c.json")
    table = write("t.csv", "x0,y\n0,a\n1,b\n3,c\n")
    code, out = alone(capfd, "c.json", table)
    assert (code, "row 3 (counted from 1)" in out) == (1, True)
    assert shell("verify", "c.json", table)[1] == out
    with pytest.raises(VerificationError) as rejected:
        Certificate.load("c.json").verify([[0.0], [1.0], [3.0]], ["a", "b", "c"])
    assert "row 2 has" in str(rejected.value)


def test_an_undecided_certificate_is_not_accepted(shell, capfd):
    X, y = [[0.0], [1.0], [0.5], [2.0]], ["a", "b", "b", "a"]
    certify(X, y, work_limit=1).save("c.json")
    table = write("t.csv", "x0,y\n0,a\n1,b\n0.5,b\n2,a\n")
    code, out = alone(capfd, "c.json", table)
    assert code == 3
    check_sentence(out.splitlines()[0])
    assert shell("verify", "c.json", table)[:2] == (code, out)
    code, found, _ = shell("verify", "c.json", table, "--json")
    assert (code, json.loads(found)["accepted"], json.loads(found)["reason"]) == (3, False, None)
    other = write("o.csv", "x0,y\n0,a\n1,b\n0.5,b\n2,b\n")
    assert shell("verify", "c.json", other)[0] == alone(capfd, "c.json", other)[0] == 1


BROKEN = {
    "another number": APART.replace("4", "5"),
    "a word": APART.replace("4", "four"),
    "no number": APART.replace("4", ""),
    "no column": APART.replace("u", "v"),
    "two columns": "u,u,ok\n3,3,a\n4,4,b\n",
    "another label": APART.replace("b", "c"),
    "no rows": "u,ok\n",
    "nothing": "",
    "a row more": APART + "5,b\n",
    "a cell more": APART + "5,b,1\n",
    "a cell fewer": APART + "5\n",
    "a quote": APART.replace("a", '"a'),
    "infinity": APART.replace("4", "inf"),
    "thousands": APART.replace("4", "4_000"),
    "not UTF-8": APART.encode() + b"5,\xff\n",
}


# Which the stand-alone program cannot read.
NO_NUMBERS = ["a word", "no number", "no column", "infinity", "thousands", "nothing"]


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_both_reject_a_table_that_is_not_that_of_the_certificate(text, shell, capfd):
    table = write("t.csv", APART)
    shell("certify", table, "-y", "ok", "-o", "c.json")
    assert shell("verify", "c.json", table)[:2] == alone(capfd, "c.json", table)
    Path("t.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
    code, out = alone(capfd, "c.json", table)
    no_numbers = text in [BROKEN[name] for name in NO_NUMBERS]
    assert (code, out[:10]) == ((2, "") if no_numbers else (1, "REJECTED: "))
    code, out, _ = shell("verify", "c.json", table)
    assert (code, out[:10]) == (1, "REJECTED: ")
    assert json.loads(shell("verify", "c.json", table, "--json")[1])["accepted"] is False


def test_the_stand_alone_program_says_how_to_make_numbers_of_a_table_with_words(shell, capfd):
    table = write("s.csv", SMALL)
    shell("certify", table, "-y", "label", "-o", "c.json")
    assert verify.main(["c.json", table]) == 2
    assert "--encoded NUMBERS.csv" in capfd.readouterr().err
    shell("verify", "c.json", table, "--encoded", "NUMBERS.csv")
    assert verify.main(["c.json", "NUMBERS.csv"]) == 0


@pytest.mark.parametrize("text", ["{}", "[]", "3", '{"schema": "other/1"}'])
def test_what_is_no_certificate_is_not_rejected(shell, capfd, text):
    table, other = write("t.csv", APART), write("other.json", text)
    for main in (verify.main, verify_errors.main):
        assert main([other, table]) == 2
        assert other in capfd.readouterr().err
    code, out, err = shell("verify", other, table)
    assert (code, out, other in err) == (2, "", True)


def test_what_cannot_be_read_is_neither_accepted_nor_rejected(shell, capfd, tmp_path):
    table = write("t.csv", APART)
    shell("certify", table, "-y", "ok", "-o", "c.json")
    write("broken.json", "{")
    for arguments in (["c.json", "no.csv"], ["no.json", table], ["broken.json", table]):
        assert alone(capfd, *arguments) == (2, "")
        code, out, err = shell("verify", *arguments)
        assert (code, out) == (2, "")
        assert arguments[0 if arguments[1] == table else 1] in err
    assert shell("verify", "c.json", tmp_path)[0] == alone(capfd, "c.json", tmp_path)[0] == 2


def test_a_table_from_standard_input_is_checked(shell, tmp_path):
    shell("certify", write("t.csv", APART), "-y", "ok", "-o", "c.json")
    code, out, _ = ended(["verify", "c.json", "-"], tmp_path, APART)
    assert code == 0
    check_sentence(out.splitlines()[2])


# --- What was done to the table -------------------------------------------------------------------


def test_a_preprocessing_that_makes_one_number_of_two_is_refused(shell):
    # 3 and 4 minus 1e17 are the same float: a proof that they overlap is about nothing.
    table = write("t.csv", APART)
    certify([[-1e17], [-1e17]], ["a", "b"]).save("overlap.json")
    shell("certify", table, "-y", "ok", "-o", "c.json")
    preprocessing = json.loads(Path("c.json").read_text())["preprocessing"]
    preprocessing["columns"][0]["center"] = 1e17
    names = {"columns": ["u"], "target": "ok", "preprocessing": preprocessing}
    forged = edited("overlap.json", lambda c: c.update(names))
    code, out, _ = shell("verify", forged, table)
    assert code == 1
    check_sentence(out.strip())


def test_a_proof_of_a_sign_says_which(shell):
    text = "a,b,y\n" + "".join(
        f"{i},{i % 3},{'yes' if i + i % 2 > 6 else 'no'}\n" for i in range(12)
    )
    asked = ("certify", write("t.csv", text + "9,1,no\n"), "-y", "y", "--forced-signs")
    assert shell(*asked, "--proofs", "proofs")[0] == 0
    found = json.loads(shell("verify", "proofs/sign-1.json", "t.csv", "--json")[1])
    assert (found["accepted"], found["column"], found["weight_is_not"]) == (True, "a", "positive")
    assert "whose weight on 'a' is not positive" in found["sentence"]


def test_what_is_infinite_is_named(shell, capfd):
    table = write("t.csv", "x,z,y\n1,0,no\n2,1,no\n3,0,no\n3,0,yes\n3,1,no\n3,1,yes\n4,1,yes\n")
    shell("certify", table, "-y", "y", "-o", "c.json")
    code, out, _ = shell("verify", "c.json", table)
    assert (code, out) == alone(capfd, "c.json", table)
    assert out.splitlines()[0].endswith("for 'yes': 'x' to +inf, the intercept to -inf.")
    found = json.loads(shell("verify", "c.json", table, "--json")[1])
    signs = {"x": "+", "z": "0", "(intercept)": "-"}
    assert (found["accepted"], found["coefficient_signs"]) == (True, signs)


def test_of_many_classes_what_is_infinite_is_named_by_class(shell):
    rows = ["1,u", "2,u", "2,v", "3,v", "3,w", "3,v", "4,w"]
    table = write("t.csv", "\n".join(["x,y", *rows, ""]))
    shell("certify", table, "-y", "y", "-o", "c.json")
    found = Certificate.load("c.json").class_coefficient_signs
    code, out, _ = shell("verify", "c.json", table)
    assert (code, found["u"]["x"]) == (0, "-")
    assert "multinomial logistic regression against 'w': 'x' of 'u' to -inf" in out
    assert json.loads(shell("verify", "c.json", table, "--json")[1])["coefficient_signs"] == found


@pytest.mark.parametrize(("scale", "words"), [(1e-320, "infinite"), (1e300, "the same number")])
def test_a_preprocessing_beyond_floats_is_refused(shell, scale, words):
    table = write("t.csv", "u,ok\n3e10,a\n4e-30,b\n5e-30,a\n")
    shell("certify", table, "-y", "ok", "-o", "c.json")
    forged = edited("c.json", lambda c: c["preprocessing"]["columns"][0].update(scale=scale))
    code, out, _ = shell("verify", forged, table)
    assert (code, words in out) == (1, True)


def test_scaling_that_makes_one_number_of_two_is_not_certified(shell):
    # The mean is 1/3 or so: from it 1e-20 and 2e-20 are equally far.
    table = write("t.csv", "u,ok\n1e-20,a\n2e-20,b\n1,b\n")
    code, _, err = shell("certify", table, "-y", "ok", "--scale", "-o", "c.json")
    assert code == 2
    check_sentence(err.strip())
    assert not Path("c.json").exists()
    assert shell("certify", table, "-y", "ok", "-o", "c.json")[0] == 0


def test_missing_values_and_a_word_for_them_are_not_one():
    words = Words("w", ("(missing)",), missing=True)
    with raises(InputError, column="w"):
        Transformed(Preprocessing((words,))).refuse_merged()


def test_frames_with_words_are_checked_in_the_same_way():
    # From Python: the preprocessing that came with the certificate is applied to a frame.
    X = pd.DataFrame({"u": [3.0, 4.0, 5.0, 6.0], "w": ["x", "y", "x", "y"]})
    certificate = certify(X, ["a", "a", "b", "b"])
    certificate.verify(X, ["a", "a", "b", "b"])
    document = certificate.to_dict()
    document["preprocessing"]["columns"][0]["center"] = 1e17
    with raises(InputError, column="u"):
        Certificate.from_dict(document).verify(X, ["a", "a", "b", "b"])
    X["u"] = [2**53 + 1, 2**53, 1, 2]
    with raises(InputError):
        certify(X, ["a", "a", "b", "b"])


def test_it_is_told_what_was_done_to_the_numbers(shell):
    rows = ["u,w,t,label", "1,x,true,1", "3,y,false,2", ",x,true,3", "5,z,false,1"]
    table = write("t.csv", "\n".join(rows) + "\n")
    options = ("--scale", "--impute", "mean", "--positive", "1")
    code, out, _ = shell("certify", table, "-y", "label", "-v", "-o", "c.json", *options)
    assert "('u' minus 3.0, divided by 1.632" in out
    code, out, _ = shell("verify", "c.json", table)
    assert code == 0
    check_sentence(line_of(out, "The numbers are"))
    told = json.loads(shell("verify", "c.json", table, "--json")[1])["transformations"]
    assert len(told) == 3


def test_decimals_that_are_scaled_are_not_those_that_are_written(shell):
    table = write("t.csv", APART)
    shell("certify", table, "-y", "ok", "--scale", "-o", "c.json")
    forged = edited("c.json", lambda c: c.update(numbers="decimal"))
    code, out, _ = shell("verify", forged, table)
    assert code == 1
    check_sentence(out.strip())


def test_a_preprocessing_of_another_target_is_refused(shell):
    table = write("s.csv", SMALL)
    shell("certify", table, "-y", "label", "-o", "c.json")
    forged = edited("c.json", lambda c: c.update(target="a"))
    code, out, _ = shell("verify", forged, table)
    assert (code, "contradicts itself" in out) == (1, True)


def test_a_model_is_told_from_a_certificate(shell):
    save(Perceptron().fit([[0.0], [1.0]], [0, 1]), "model.json")
    table = write("t.csv", SMALL)
    code, out, err = shell("verify", "model.json", table)
    assert (code, out) == (2, "")
    check_sentence(err.strip())
    shell("certify", table, "-y", "label", "-o", "certificate.json")
    check_sentence(shell("verify", "model.json", table)[2].strip())
    assert verify.main(["model.json", table]) == 2
