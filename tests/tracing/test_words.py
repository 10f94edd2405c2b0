"""Words and tables for every kind of step, whatever columns and labels are called."""

import numpy as np
import pandas as pd
import pytest

from common import X, Y
from raising import check_sentence, raises
from rosenblatt import KernelPerceptron, Perceptron, RandomLinearClassifier, trace
from rosenblatt._core import reference as reference
from rosenblatt._util.text import of_files
from rosenblatt.errors import InputError
from traced import LI_HANG_X, LI_HANG_Y, li_hang

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


# --- Words for every kind of step -----------------------------------------------------------------


def test_words_name_the_factor_of_a_step():
    # η = 0.5: scores and weights are half of those of η = 1. Weight 3 on row 2: steps of 1.5.
    t = trace(
        Perceptron(order="cyclic", keep="last", eta0=0.5),
        LI_HANG_X,
        LI_HANG_Y,
        sample_weight=[1, 1, 3],
    )
    assert t.step(1).endswith("w (0, 0) + 0.5·(3, 3) = (1.5, 1.5), b 0 + 0.5 = 0.5")
    assert t.step(2) == (
        "step 2: row 2 (1, 1) is -1 but scores 3.5: "
        "w (1.5, 1.5) - 1.5·(1, 1) = (0, 0), b 0.5 - 1.5 = -1"
    )


def test_words_name_the_margin():
    # After (3, 3), 1 row 1 scores 22; with μ = 30 it calls for an update all the same.
    t = li_hang(margin=30)
    assert t.step(2).startswith(
        "step 2: row 1 (4, 3) is 1 and has the margin 22 only, μ is 30: w (3, 3) + (4, 3) = (7, 6)"
    )


def test_words_of_a_kernel():
    # k = (x·z + 1)²: row 0 scores 0, α_0 = 1, b = 1. Row 1 has k = (-1 + 1)² = 0 and scores 1.
    t = trace(
        KernelPerceptron(
            kernel="poly", degree=2, gamma=1, coef0=1, order="cyclic", keep="last", eta0=2
        ),
        [[1.0], [-1.0]],
        ["b", "a"],
    )
    assert t.step(0) == "step 0: training starts with zero coefficients"
    assert t.step(1) == (
        "step 1: row 0 is b and is on the hyperplane, score 0: α of row 0: 0 + 2 = 2, b 0 + 2 = 2"
    )
    assert t.step(2) == ("step 2: row 1 is a but scores 2: α of row 1: 0 + 2 = 2, b 2 - 2 = 0")
    with raises(InputError):
        t.weights_at(1)
    started = trace(KernelPerceptron(kernel="rbf"), [[1.0], [-1.0]], [0, 1], dual_coef_init=[1, 0])
    assert started.step(0) == "step 0: training starts with the given coefficients"


def test_words_through_the_origin_have_no_b():
    t = trace(Perceptron(fit_intercept=False, order="cyclic"), [[1.0], [-2.0]], [1, -1])
    assert (
        t.step(1) == "step 1: row 0 (1) is 1 and is on the hyperplane, score 0: w (0) + (1) = (1)"
    )
    assert "b" not in t.to_pandas().columns


def test_long_rows_and_long_steps_are_cut():
    X = np.ones((12, 9))
    t = trace(Perceptron(order="batch", max_iter=1), X, [1, -1] * 6)
    check_sentence(t.step(1))
    assert t.to_pandas().loc[1, "row"] == "0, 1, 2, 3, 4, 5, … (12 rows)"


def test_a_long_table_shows_both_ends():
    t = trace(Perceptron(order="cyclic", max_iter=5), X, Y)
    lines = str(t).splitlines()
    assert len(lines) == 3 + 21 + 1
    assert lines[13] == f"… {len(t) - 20} more steps …"
    assert f"… {len(t) - 20} more steps …" in t._repr_html_()
    assert len(t.to_markdown().splitlines()) == 2 + len(t)
    assert t.to_latex().count(r"\\") == 1 + len(t)


def test_what_is_kept_is_told():
    # After its first update b = -1 is wrong on two rows; (0, 1), 0, then (1, 1), 1 and zero follow,
    # wrong on three, two and four.
    square = [[0, 0], [0, 1], [1, 0], [1, 1]]
    t = trace(Perceptron(order="cyclic", keep="pocket", max_iter=3), square, [-1, 1, 1, -1])
    assert str(t).splitlines()[-1] == "Kept: weights with 2 mistakes (since update 1)."
    assert "Kept" not in str(li_hang())


def test_rows_of_a_file_are_counted_from_one():
    with of_files():
        told, steps = str(li_hang()), li_hang().steps()
    assert "Rows are counted from 1, without the header." in told.splitlines()[1]
    assert [line.split()[3] for line in told.splitlines()[3:]] == list("1333133")
    assert steps.startswith("step 1: row 1 (3, 3)")
    assert li_hang().steps().startswith("step 1: row 0 (3, 3)")


def test_steps_that_are_none():
    t = li_hang()
    for k in (-1, 8, 1.0, "1", None):
        for ask in (t.step, t.weights_at, t.alpha_at):
            with raises(InputError, option="step"):
                ask(k)


def test_what_cannot_be_traced():
    with raises(InputError):
        trace(RandomLinearClassifier(), LI_HANG_X, LI_HANG_Y)
    with raises(InputError):
        trace(Perceptron(), LI_HANG_X, LI_HANG_Y, w_star=[1, 2, 3, 4, 5])
    with raises(InputError):
        trace(Perceptron(fit_intercept=False), LI_HANG_X, LI_HANG_Y, w_star=[1, 2, 3])
    with raises(InputError):
        trace(Perceptron(), LI_HANG_X, LI_HANG_Y, w_star=[1, float("nan"), 3])
    with raises(InputError):
        trace(Perceptron(), LI_HANG_X, [1, 1, 1])
    t = trace(Perceptron(max_iter=3), [[0.0], [0.0]], [0, 1])
    for name in ("product", "cosine"):
        with raises(InputError):
            getattr(t, name)


# --- Hostile names --------------------------------------------------------------------------------


HOSTILE = ["a|b\\|c", "<script>x&y</script>", "10%_$#{}~^", "two\nlines `[code](x)`"]


def hostile():
    frame = pd.DataFrame([[3, 1, 0, 1], [1, 1, 2, 0]], columns=HOSTILE)
    return trace(Perceptron(order="cyclic"), frame, ["<b>|\n%", "z&\\|z"])


def test_hostile_names_in_markdown():
    lines = hostile().to_markdown().splitlines()
    assert len({len(cells(line)) for line in lines}) == 1
    assert not any("<" in line or "`" in line.replace("\\`", "") for line in lines)
    assert r"a\|b\\\|c" in lines[0]


def cells(line):
    """The cells of a row of a Markdown table: at bars that no backslash escapes."""
    found, escaped = [""], False
    for c in line:
        if c == "|" and not escaped:
            found.append("")
        else:
            found[-1] += c
        escaped = c == "\\" and not escaped
    return found


def test_hostile_names_in_html():
    page = hostile()._repr_html_() + hostile().check()._repr_html_()
    assert "<script" not in page
    assert "<b>" not in page
    assert "&lt;script&gt;x&amp;y" in page


def test_hostile_names_in_latex():
    text = hostile().to_latex()
    body = text.splitlines()[2:-1]
    assert r"10\%\_\$\#\{\}\textasciitilde{}\textasciicircum{}" in body[0]
    for line in body:  # every & is one between cells
        if line != r"\hline":
            assert line.replace(r"\&", "").count("&") == text.splitlines()[0].count("r") - 2


def test_hostile_names_in_text_and_frames():
    t = hostile()
    assert len(str(t).splitlines()) == 3 + len(t) + 1
    assert {f"w({name})" for name in HOSTILE} <= set(t.to_pandas().columns)


def test_features_named_like_columns_of_the_table():
    frame = pd.DataFrame(LI_HANG_X, columns=["row", "b"])
    table = trace(Perceptron(order="cyclic", keep="last"), frame, LI_HANG_Y).to_pandas()
    assert table["row"].tolist() == [0, 2, 2, 2, 0, 2, 2]
    assert table["b"].tolist() == [1, 0, -1, -2, -1, -2, -3]
    assert table["w(row)"].tolist() == table["w(b)"].tolist() == [3, 2, 1, 0, 3, 2, 1]


def test_the_frame_has_the_numbers():
    table = li_hang().to_pandas()
    assert table.index.tolist() == list(range(1, 8))
    assert table["score"].tolist() == [0, 7, 4, 1, -2, 5, 2]
    assert table["‖(w, b)‖"].to_numpy() == pytest.approx(li_hang().norm[1:])
    assert table["⟨w, ŵ*⟩"].to_numpy() == pytest.approx(li_hang().product[1:])
    assert table["cos∠(w, w*)"].to_numpy() == pytest.approx(li_hang().cosine[1:])
