"""Small data sets of the pictures, and the words that a picture shows."""

import matplotlib

from rosenblatt import Perceptron

TOY = [[3.0, 3.0], [4.0, 3.0], [1.0, 1.0]], [1, 1, -1]
THROUGH_ORIGIN = [[3.0, 1.0], [1.0, 3.0], [-1.0, -2.0], [-2.0, 1.0]], [1, 1, -1, -1]
FOUR = [[3.0, 1.0], [1.0, 3.0], [-1.0, 2.0], [2.0, -2.0]], [1, 1, -1, -1]


def cyclic(**parameters):
    return Perceptron(order="cyclic", **{"keep": "last", **parameters})


def words(display):
    """All text in the picture."""
    figure = display.figure_
    figure.canvas.draw()
    found = figure.findobj(matplotlib.text.Text)
    return "\n".join(t.get_text() for t in found if t.get_visible() and t.get_text())
