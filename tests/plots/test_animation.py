"""The film of a training run: its frames, and that it is written whole or not at all."""

import base64
import os
import signal
from itertools import pairwise

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.animation import PillowWriter
from PIL import Image

from common import noisy
from raising import raises
from rosenblatt import KernelPerceptron, Perceptron, trace
from rosenblatt.errors import InputError
from rosenblatt.plots import animate, animation

FOUR = [[3.0, 1.0], [1.0, 3.0], [-1.0, 2.0], [2.0, -2.0]], [1, 1, -1, -1]


@pytest.fixture
def film(tmp_path):
    return tmp_path / "training.gif"


@pytest.fixture
def short():
    return trace(Perceptron(order="cyclic", keep="last"), *FOUR)


@pytest.fixture
def drawn(monkeypatch):
    """The steps that were drawn, with their titles and where their axes were."""
    seen = []
    draw = animation._Frames._draw

    def watched(self, k):
        draw(self, k)
        (ax,) = self._figure.axes
        seen.append((k, ax.get_title(loc="left"), ax.get_position(original=True).bounds))

    monkeypatch.setattr(animation._Frames, "_draw", watched)
    return seen


def test_a_frame_for_every_step(film, short, drawn):
    animate(short, film, fps=4)
    with Image.open(film) as image:
        assert image.n_frames == len(short) + 1 == 6
        sizes, durations, pixels = set(), [], []
        for i in range(image.n_frames):
            image.seek(i)
            sizes.add(image.size)
            durations.append(image.info["duration"])
            pixels.append(np.asarray(image.convert("L")))
    assert len(sizes) == 1
    assert durations == [250] * 5 + [250 + 6 * 250]
    assert all((a != b).any() for a, b in pairwise(pixels))
    assert [k for k, *_ in drawn] == [0, 1, 2, 3, 4, 5]
    assert drawn[3][1] == "Step 3 of 5\nsubtracted: row 3 (square)"
    assert len({bounds for *_, bounds in drawn}) == 1  # nothing jumps
    assert not plt.get_fignums()


def test_a_notebook_shows_the_film_that_is_returned(film, short):
    made = animate(short, film, max_frames=2)
    assert os.fspath(made) == str(film)
    content = made._repr_html_().split("base64,")[1].split('"')[0]
    assert base64.b64decode(content) == film.read_bytes()


def test_of_many_steps_some_are_shown_with_the_first_and_the_last(film, drawn):
    t = trace(Perceptron(order="cyclic", max_iter=20), *noisy(60, 4))
    animate(t, film, max_frames=5, features=(1, 3))
    steps = [k for k, *_ in drawn]
    assert len(steps) == 5
    assert (steps[0], steps[-1]) == (0, len(t))
    assert drawn[0][1] == f"Step 0 of {len(t)} (5 steps are shown)\nthe start"
    with Image.open(film) as image:
        assert image.n_frames == 5


def test_kernels_and_batches_can_be_filmed(film, drawn):
    X, y = noisy(20, 2)
    kernel = KernelPerceptron(gamma=1.0, order="cyclic", max_iter=2)
    for estimator in (kernel, Perceptron(order="batch", max_iter=3)):
        t = trace(estimator, X, y)
        animate(t, film, max_frames=3, grid_resolution=20)
        with Image.open(film) as image:
            assert image.n_frames == 3
    rows = t.replay.run.rows[t.replay.run.updates_of(len(t))]
    plus = int((t.replay.run.y[rows] > 0).sum())
    assert f"added: {plus}, subtracted: {len(rows) - plus} (squares)" in drawn[-1][1]


def test_settings_that_crop_figures_do_no_harm(film, short):
    with matplotlib.rc_context({"savefig.bbox": "tight"}):
        animate(short, film, max_frames=2)
    with Image.open(film) as image:
        assert image.n_frames == 2


def stop_at(monkeypatch, frame, how):
    grab, count = PillowWriter.grab_frame, iter(range(frame))

    def interrupted(self, **options):
        if next(count, None) is None:
            how()
        grab(self, **options)

    monkeypatch.setattr(PillowWriter, "grab_frame", interrupted)


def test_ctrl_c_leaves_what_was_there(film, short, monkeypatch):
    film.write_bytes(b"before")
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    stop_at(monkeypatch, 3, lambda: signal.raise_signal(signal.SIGINT))
    try:
        with pytest.raises(KeyboardInterrupt):
            animate(short, film)
    finally:
        signal.signal(signal.SIGINT, handler)
    assert [path.name for path in film.parent.iterdir()] == ["training.gif"]
    assert film.read_bytes() == b"before"
    assert not plt.get_fignums()


def test_a_full_disk_leaves_what_was_there(film, short, monkeypatch):
    film.write_bytes(b"before")

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with raises(OSError):
        animate(short, film, max_frames=2)
    assert [path.name for path in film.parent.iterdir()] == ["training.gif"]
    assert film.read_bytes() == b"before"


def test_what_is_not_allowed_is_said_before_anything_is_drawn(tmp_path, short, drawn):
    with raises(InputError, option="path"):
        animate(short, tmp_path / "film.mp4")
    with raises(FileNotFoundError):
        animate(short, tmp_path / "nowhere" / "film.gif")
    for options in [
        {"max_frames": 1},
        {"max_frames": 2.5},
        {"fps": 0},
        {"dpi": "high"},
        {"grid_resolution": 0},
        {"verbose": -1},
        {"features": (0, 7)},
    ]:
        with raises(InputError):
            animate(short, tmp_path / "film.gif", **options)
    assert drawn == []
    assert list(tmp_path.iterdir()) == []


def test_progress_is_a_line_where_there_is_no_terminal(film, short, capsys, monkeypatch):
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    animate(short, film, max_frames=2)
    assert capsys.readouterr() == ("", "")
    animate(short, film, max_frames=2, verbose=1)
    assert capsys.readouterr() == ("", "animate: 2 frames, steps 0 to 5\n")


def test_progress_is_a_bar_on_a_terminal(film, short, capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    animate(short, film, max_frames=2, verbose=1)
    out, err = capsys.readouterr()
    assert out == ""
    assert "frames" in err
    assert "100%" in err
