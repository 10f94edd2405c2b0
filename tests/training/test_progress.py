"""verbose=1: one progress bar on a terminal, plain lines elsewhere; both on stderr."""

import os
import re
import signal
import time

import numpy as np
import pytest

import forked
from common import (
    X_VAL,
    Y_VAL,
    X,
    Y,
    every_keep,
    every_order,
    everything,
    may_not_converge,
    may_not_separate,
)
from fitting import fit_with_a_bar
from rosenblatt import Perceptron, StopReason


@pytest.fixture(autouse=True)
def nothing_forces_a_terminal(monkeypatch):
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)


# --- Plain lines --------------------------------------------------------------------------------

LINE = re.compile(r"Perceptron epoch (\d+)/(\d+): (\d+) mistakes(?: so far)?, (.+)")


def lines(capsys):
    """The lines on stderr as (epoch, of how many, mistakes, best so far); none on stdout."""
    out, err = capsys.readouterr()
    assert out == ""
    found = [LINE.fullmatch(line) for line in err.splitlines()]
    assert all(found), err
    return [(int(m[1]), int(m[2]), int(m[3]), m[4]) for m in found]


@every_order
@every_keep
@may_not_converge
def test_some_epochs_and_the_last_are_lines_on_stderr(order, keep, capsys):
    for epochs in (1, 2, 4, 5, 12, 105):
        choices = {"order": order, "keep": keep, "max_iter": epochs, "random_state": 0}
        p = Perceptron(patience=None, verbose=1, **choices).fit(X, Y)
        told = lines(capsys)
        assert p.stop_reason_ is StopReason.MAX_ITER
        shown = [k for k in (1, 2, 5, 10, 20, 50, 100) if k < epochs] + [epochs]
        assert [epoch for epoch, *_ in told] == shown
        assert {of for _, of, *_ in told} == {epochs}
        assert [wrong for _, _, wrong, _ in told] == p.mistakes_[np.array(shown) - 1].tolist()


@pytest.mark.parametrize("keep", ["best", "pocket"])
@every_order
def test_the_lines_say_the_mistakes_of_the_rule_that_would_be_returned(order, keep, capsys):
    choices = {"order": order, "keep": keep, "random_state": 0}
    Perceptron(patience=None, verbose=1, max_iter=20, **choices).fit(X, Y)
    found = lines(capsys)
    assert len(found) == 5
    for epoch, _, _, best in found:
        errors = Perceptron(patience=None, max_iter=epoch, **choices).fit(X, Y).training_errors_
        assert best == f"best so far {errors} of 60 rows wrong"


@pytest.mark.parametrize("keep", ["best", "pocket"])
def test_with_validation_rows_the_best_so_far_is_on_them(keep, capsys):
    p = Perceptron(keep=keep, verbose=1, max_iter=5, random_state=0)
    p.fit(X, Y, X_val=X_VAL, y_val=Y_VAL)
    for epoch, _, _, best in lines(capsys):
        assert (
            best == f"best so far {p.validation_mistakes_[epoch - 1]} of 40 validation rows wrong"
        )


def test_before_any_rule_was_evaluated_none_is_the_best(capsys):
    p = Perceptron(verbose=1, random_state=0).fit(X, Y)
    bests = [best for *_, best in lines(capsys)]
    assert "best so far" not in bests[0]
    assert bests[-1] == f"best so far {p.training_errors_} of 60 rows wrong"
    assert not any("60 of 60" in best for best in bests)


@pytest.mark.parametrize("keep", ["last", "average", "vote"])
@may_not_converge
def test_where_nothing_is_judged_the_best_is_the_fewest_mistakes_in_an_epoch(keep, capsys):
    p = Perceptron(patience=None, keep=keep, verbose=1, max_iter=20, random_state=0).fit(X, Y)
    for epoch, _, _, best in lines(capsys):
        assert str(p.mistakes_[:epoch].min()) in re.findall(r"\d+", best)


@every_order
@every_keep
@may_not_separate
def test_the_clean_epoch_is_the_last_line(order, keep, capsys):
    rng = np.random.default_rng(0)
    rows = rng.integers(-5, 6, (30, 2)).astype(float)
    labels = np.where(2 * (rows @ [2, -1]) + 1 > 0, 1, -1)
    p = Perceptron(order=order, keep=keep, verbose=1, random_state=0, max_iter=5000)
    p.fit(rows, labels)
    assert p.converged_
    epochs = [epoch for epoch, *_ in lines(capsys)]
    assert epochs[-1] == p.n_iter_
    assert epochs == sorted(set(epochs))


@pytest.mark.parametrize("updates", [30, 150, 210])
@may_not_converge
def test_the_last_line_is_the_end_also_when_max_updates_is(updates, capsys):
    # The epoch that was cut, or the last whole one.
    p = Perceptron(patience=None, order="cyclic", keep="last", verbose=1, max_updates=updates).fit(
        X, Y
    )
    assert p.stop_reason_ is StopReason.MAX_UPDATES
    epochs = [epoch for epoch, *_ in lines(capsys)]
    assert epochs[-1] in (p.n_iter_, p.n_iter_ - 1)


@pytest.mark.parametrize("verbose", [0, False])
@every_order
@every_keep
@may_not_converge
def test_by_default_nothing_is_printed(order, keep, verbose, capfd):
    Perceptron(order=order, keep=keep, verbose=verbose, max_iter=3, random_state=0).fit(X, Y)
    Perceptron(order=order, keep=keep, max_iter=3, random_state=0).fit(X, Y)
    assert capfd.readouterr() == ("", "")


@every_order
@every_keep
@may_not_converge
def test_the_result_does_not_depend_on_verbose(order, keep, capsys):
    choices = {"order": order, "keep": keep, "max_iter": 7, "random_state": 0}
    silent = Perceptron(**choices).fit(X, Y)
    for verbose in (1, True, 2, np.int64(1)):
        p = Perceptron(verbose=verbose, **choices).fit(X, Y)
        assert everything(p) == everything(silent)
        assert len(lines(capsys)) > 0


# --- Going on -----------------------------------------------------------------------------------


@every_keep
@may_not_converge
def test_a_warm_start_goes_on_counting_epochs(keep, capsys):
    p = Perceptron(
        patience=None, keep=keep, verbose=1, max_iter=4, warm_start=True, random_state=0
    ).fit(X, Y)
    assert [line[:2] for line in lines(capsys)] == [(1, 4), (2, 4), (4, 4)]
    p.set_params(max_iter=6).fit(X, Y)
    found = lines(capsys)
    assert p.n_iter_ == 10
    assert {of for _, of, *_ in found} == {10}
    assert found[0][0] == 5
    assert found[-1][0] == 10
    assert [mistakes for _, _, mistakes, _ in found] == [
        p.mistakes_[epoch - 1] for epoch, *_ in found
    ]


@every_order
@may_not_converge
def test_a_warm_start_in_the_middle_of_an_epoch_counts_to_its_end(order, capsys):
    p = Perceptron(
        patience=None, order=order, keep="last", max_updates=70, warm_start=True, random_state=0
    )
    p.fit(X, Y)
    assert p.stop_reason_ is StopReason.MAX_UPDATES
    p.set_params(verbose=1, max_updates=None, max_iter=5).fit(X, Y)
    found = lines(capsys)
    assert {of for _, of, *_ in found} == {p.n_iter_}
    assert found[-1][0] == p.n_iter_


def test_a_fit_that_was_already_clean_prints_no_wrong_line(capsys, tmp_path):
    rows, labels = np.array([[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]]), [1, 1, -1]
    p = Perceptron(verbose=1, warm_start=True, random_state=0).fit(rows, labels)
    epochs = p.n_iter_
    lines(capsys)
    p.fit(rows, labels)
    assert all(epoch == epochs for epoch, *_ in lines(capsys))


# --- A terminal ---------------------------------------------------------------------------------


def on_a_terminal(place, epochs, *, verbose=1, columns=120, interrupt_at=None):
    """Fit in a process whose stderr is a terminal; what came there, on stdout, and the end."""
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": str(columns), "LINES": "24"}
    printed, pressed = place / f"printed with {verbose}", []
    deadline = time.monotonic() + 120  # far more than is needed, only to end at all

    def start(path):
        about = {"environment": environment, "streams": (os.devnull, printed, path)}
        return forked.started(fit_with_a_bar, epochs, verbose, **about)

    def look(process, shown):
        if interrupt_at is not None and interrupt_at in shown and not pressed:
            os.kill(process.pid, signal.SIGINT)
            pressed.append(True)
        if time.monotonic() > deadline:
            process.kill()

    code, shown = forked.on_a_terminal(start, look)
    return shown, printed.read_text(), code


def screen(seen):
    """What stays on the screen: a terminal that knows the few codes a progress bar needs."""
    rows, row, column = [""], 0, 0
    for token in re.findall(r"\x1b\[[?\d;]*[A-Za-z]|.|\r|\n", seen, flags=re.DOTALL):
        if token == "\r":
            column = 0
        elif token == "\n":
            row += 1
            rows += [""] * (row + 1 - len(rows))
        elif token.startswith("\x1b"):
            if token.endswith("K"):
                assert token == "\x1b[2K", token
                rows[row] = ""
            elif token.endswith("A"):
                row -= int(token[2:-1] or 1)
            else:
                assert token[-1] in "mhl", token
        else:
            line = rows[row].ljust(column)
            rows[row] = line[:column] + token + line[column + 1 :]
            column += 1
    return [line.rstrip() for line in rows]


def check_the_bar(line):
    assert line.startswith("Perceptron ")
    assert "━" in line or "╸" in line
    assert "mistakes" in line
    assert "best so far" in line


def test_on_a_terminal_one_bar_is_drawn_and_ends_cleanly(tmp_path):
    seen, out, code = on_a_terminal(tmp_path, 200)
    assert code == 0
    found = re.fullmatch(r"errors (\d+) epochs 200\n", out)
    bar, end, empty = screen(seen)  # one line of progress, then what the program prints itself
    check_the_bar(bar)
    assert "epoch 200/200: " in bar
    assert f"best so far {found[1]} " in bar
    assert (end, empty) == ("the end", "")
    # The cursor was hidden, and is there again.
    assert seen.rfind("\x1b[?25h") > seen.rfind("\x1b[?25l")
    assert "\x1b[?25l" in seen


def test_the_bar_and_what_it_says_fit_on_a_terminal_of_80_columns(tmp_path):
    seen, _, code = on_a_terminal(tmp_path, 200, columns=80)
    assert code == 0
    bar, *_ = screen(seen)
    assert len(bar) <= 80
    check_the_bar(bar)
    assert re.search(r"epoch 200/200: \d+ mistakes, best so far \d+\b", bar)


def test_after_ctrl_c_the_terminal_is_in_order(tmp_path):
    seen, out, code = on_a_terminal(tmp_path, 10**9, interrupt_at=b"mistakes")
    assert code == 0
    bar, interrupted, end, empty = screen(seen)
    check_the_bar(bar)
    assert (interrupted, end, empty) == ("interrupted", "the end", "")
    assert seen.rfind("\x1b[?25h") > seen.rfind("\x1b[?25l")
    epochs = int(re.fullmatch(r"errors \d+ epochs (\d+)\n", out)[1])
    shown = int(re.search(r"epoch (\d+)/1000000000: ", bar)[1])
    assert shown in (epochs, epochs - 1)  # the one just begun, or the last whole one


def test_on_a_terminal_nothing_is_drawn_by_default(tmp_path):
    seen, out, code = on_a_terminal(tmp_path, 200, verbose=0)
    assert (seen, code) == ("the end\r\n", 0)
    assert out == on_a_terminal(tmp_path, 200)[1]  # the same result
