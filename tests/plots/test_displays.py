"""All pictures: nothing covers anything, names are text, and what cannot be drawn is said."""

import os
import subprocess
import sys
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib import cbook
from matplotlib import pyplot as plt
from numpy.testing import assert_array_equal
from sklearn.linear_model import LogisticRegression

from common import noisy
from pictures import TOY, cyclic, words
from raising import raises
from rosenblatt import AROW, KernelPerceptron, Perceptron, Trace, trace
from rosenblatt.errors import InputError
from rosenblatt.plots import (
    AlphaDisplay,
    BoundaryDisplay,
    ConeDisplay,
    LossLineDisplay,
    MistakesDisplay,
    PocketDisplay,
    SqueezeDisplay,
    UpdateDisplay,
    animate,
    style,
)

ROOT = Path(__file__).parents[2]


# --- All of them ----------------------------------------------------------------------------------


DISPLAYS = [
    lambda t, X, y, ax: BoundaryDisplay.from_estimator(t.estimator, X, y, weights=True, ax=ax),
    lambda t, X, y, ax: UpdateDisplay.from_trace(t, 2, ax=ax),
    lambda t, X, y, ax: SqueezeDisplay.from_trace(t, ax=ax),
    lambda t, X, y, ax: MistakesDisplay.from_trace(t, ax=ax),
    lambda t, X, y, ax: AlphaDisplay.from_trace(t, ax=ax),
    lambda t, X, y, ax: LossLineDisplay.from_trace(t, ax=ax),
    lambda t, X, y, ax: PocketDisplay.from_trace(t, ax=ax),
    lambda t, X, y, ax: ConeDisplay.from_rows(np.asarray(X)[:, :2], y, [[1, 0], [1, 1]], ax=ax),
]


def display_of(draw, X, y, ax=None):
    return draw(trace(Perceptron(order="cyclic", max_iter=5), X, y), X, y, ax)


@pytest.mark.parametrize("draw", DISPLAYS)
def test_nothing_covers_anything(draw):
    X, y = noisy(40, 5)
    names = [f"a rather long name of feature {j}" for j in range(5)]
    y = np.where(y > 0, "approved after a second look", "rejected by a committee of three")
    display = display_of(draw, pd.DataFrame(X, columns=names), y)
    figure, ax = display.figure_, display.ax_
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    whole = figure.bbox.padded(1)
    parts = {
        "title": ax._left_title,
        "xlabel": ax.xaxis.label,
        "ylabel": ax.yaxis.label,
        "legend": None if isinstance(display, PocketDisplay) else ax.get_legend(),
        "note": next((t for t in ax.texts if t.get_color() == style.GREY), None),
    }
    boxes = {k: v.get_window_extent(renderer) for k, v in parts.items() if v is not None}
    boxes["picture"] = ax.get_window_extent(renderer)
    for name, box in boxes.items():
        assert whole.containsx(box.x0), name
        assert whole.containsx(box.x1), name
        assert whole.containsy(box.y0), name
        assert whole.containsy(box.y1), name
    for name, box in boxes.items():
        for other, second in boxes.items():
            assert name == other or not box.padded(-1).overlaps(second.padded(-1)), (name, other)


def test_pictures_are_drawn_on_axes_that_are_given():
    figure, axes = plt.subplots(1, 8, figsize=(32, 4))
    for ax, draw in zip(axes, DISPLAYS, strict=True):
        display = display_of(draw, *noisy(30, 2), ax)
        assert display.ax_ is ax
        assert display.figure_ is figure
    figure.canvas.draw()
    assert plt.get_fignums() == [figure.number]


@pytest.mark.parametrize("draw", DISPLAYS)
def test_a_display_can_be_drawn_again_and_settings_are_left_alone(draw):
    before = dict(matplotlib.rcParams)
    display = display_of(draw, *noisy(30, 2))
    first = display.ax_
    assert display.plot().ax_ is not first
    assert dict(matplotlib.rcParams) == before


NAMES = ["$x^2$", "a$b", r"\$\frac{1}", "50% of _all_ {x}", "Größe", "<script>", "x" * 200, "naïve"]


@pytest.mark.parametrize(
    "name", [*NAMES, "年龄", "line\nbreak", "\x00", "", "עברית", "🙂", "_hidden"]
)
def test_names_are_shown_as_text(name):
    X, y = noisy(30, 2)
    frame = pd.DataFrame(X, columns=[name, "$"])
    labels = np.where(y > 0, name + "+", name)
    p = Perceptron(max_iter=3, random_state=0).fit(frame, labels)
    display = BoundaryDisplay.from_estimator(p, frame, labels, features=(name, 1))
    shown = words(display)  # warnings about missing glyphs are errors here
    label = display.ax_.get_xlabel()
    assert not cbook.is_math_text(label)
    if name in NAMES and len(name) < 40:
        assert label.replace(r"\$", "$") == name
        assert f"{label} (y = −1)" in shown
    assert "\n" not in label
    assert len(label) < 250


def test_characters_that_no_font_has_are_written_as_numbers():
    assert style.text("年") == r"\u5e74"
    assert style.text("a\nb") == r"a\nb"


def test_the_pictures_of_the_documentation_can_be_drawn_again(tmp_path):
    script = ROOT / "examples" / "pictures.py"
    subprocess.run([sys.executable, "-W", "error", script, tmp_path], check=True)
    images = (ROOT / "docs" / "images").iterdir()
    kept = {
        path.name: path
        for path in images
        if not path.name.startswith(("report", "playground"))  # pages in a browser
    }
    page = (ROOT / "docs" / "playground.md").read_text()
    assert {path.name for path in tmp_path.iterdir()} == set(kept)
    for name, path in kept.items():
        assert f"(images/{name})" in page
        assert path.stat().st_size <= 60_000


def test_a_run_without_updates_can_be_drawn(tmp_path):
    t = trace(cyclic(), *TOY, coef_init=[1.0, 1.0], intercept_init=-3.0)
    assert len(t) == 0
    assert BoundaryDisplay.from_trace(t).line_ is not None
    assert SqueezeDisplay.from_trace(t).bound > 0
    assert_array_equal(PocketDisplay.from_trace(t).pla, [0])
    assert_array_equal(MistakesDisplay.from_trace(Trace.from_json(t.to_json())).mistakes, [0])
    assert not AlphaDisplay.from_trace(t).alpha.any()
    animate(t, tmp_path / "still.gif")
    with raises(InputError):
        LossLineDisplay.from_trace(t)


# --- Errors ---------------------------------------------------------------------------------------


def test_features_that_are_not_there():
    X, y = noisy(30, 3)
    p = Perceptron(max_iter=3).fit(X, y)
    for features in [
        (0, 3),
        (0, "age"),
        (1, 1),
        "ab",
        (0, 1, 2),
        (True, 1),
    ]:
        with raises(InputError):
            BoundaryDisplay.from_estimator(p, X, y, features=features)
    assert not plt.get_fignums()


def test_what_cannot_be_drawn_is_said():
    X, y = noisy(30, 3)
    gram = X @ X.T
    k = KernelPerceptron(kernel="precomputed", max_iter=3).fit(gram, y)
    with raises(InputError):
        BoundaryDisplay.from_estimator(k, gram, y)
    t = trace(KernelPerceptron(max_iter=3), X, y)
    with raises(InputError):
        UpdateDisplay.from_trace(t, 1)
    with raises(InputError):
        UpdateDisplay.from_trace(trace(cyclic(), *TOY), 0)
    with raises(InputError, option="step", value=8):
        BoundaryDisplay.from_trace(trace(cyclic(), *TOY), 8)
    three = LogisticRegression().fit(X, np.arange(30) % 3)
    with raises(InputError):
        BoundaryDisplay.from_estimator(three, X, y)
    with raises(InputError, option="ax"):
        MistakesDisplay([1, 0]).plot(ax=np.array([1, 2]))
    with raises(InputError):
        MistakesDisplay.from_estimator(LogisticRegression().fit(X, y))
    with raises(InputError):
        AlphaDisplay.from_estimator(AROW().fit(X, y), y)
    for more in ({"signs": [1, 0, 0]}, {"decay": 0.1}, {"penalty": "l2"}):
        with raises(InputError):
            AlphaDisplay.from_estimator(Perceptron(keep="average", **more).fit(X, y), y)
    with raises(InputError):
        AlphaDisplay.from_estimator(LogisticRegression().fit(X, y), y)
    with raises(InputError, option="scale", value="cubic"):
        SqueezeDisplay.from_trace(trace(cyclic(), *TOY), scale="cubic")
    with raises(InputError):
        BoundaryDisplay.from_estimator(cyclic().fit(*TOY), [[1e308, 0], [-1e308, 0]], [1, -1])
    assert not plt.get_fignums()


def test_a_trace_with_only_some_rows_has_no_plane():
    X, y = noisy(60, 2)
    t = trace(Perceptron(order="cyclic", max_iter=3), X, y)
    part = Trace.from_json(t.to_json(all_rows=False))
    for draw in (BoundaryDisplay.from_trace, PocketDisplay.from_trace, LossLineDisplay.from_trace):
        with raises(InputError):
            draw(part)
    assert_array_equal(AlphaDisplay.from_trace(part).alpha, t.alpha_at(len(t)))


def test_without_matplotlib_it_says_what_to_install():
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from rosenblatt import Perceptron, trace\n"
        "from rosenblatt.plots import BoundaryDisplay, MistakesDisplay, animate\n"
        "t = trace(Perceptron(), [[0], [1]], [0, 1])\n"
        "for draw in (lambda: MistakesDisplay.from_trace(t), lambda: animate(t, 'a.gif'),\n"
        "             lambda: BoundaryDisplay.from_estimator(t.estimator, [[0], [1]], [0, 1])):\n"
        "    try: draw()\n"
        "    except ImportError as error: print(type(error).__name__, error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert len(lines) == 3
    for line in lines:
        assert line.startswith("MissingExtraError Pictures need matplotlib")
        assert line.endswith('Install it: pip install ".[plot]" in the folder of the project.')


def test_training_and_tracing_do_not_load_matplotlib():
    code = (
        "import sys; from rosenblatt import Perceptron, trace\n"
        "str(trace(Perceptron(), [[0], [1]], [0, 1])); import rosenblatt.plots\n"
        "print('matplotlib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


BACKEND = """
import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg as FigureCanvas

matplotlib.interactive(True)  # as that of a notebook does when it is loaded
"""
NOTEBOOK = """
import matplotlib
from rosenblatt.plots import style

for _ in range(2):
    with style.canvas(None):
        pass
    print(matplotlib.is_interactive(), matplotlib.rcParams["font.size"])
"""


def test_in_a_notebook_every_picture_appears(tmp_path):
    """Its backend turns interactive mode on with the first figure, and it must stay on."""
    (tmp_path / "notebook_backend.py").write_text(BACKEND)
    backend = {"MPLBACKEND": "module://notebook_backend", "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", NOTEBOOK],
        env=os.environ | backend,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "True 10.0\n" * 2, done.stderr
