"""The part of the plane that is seen."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from rosenblatt.plots.view import view

numbers = st.floats(-1e3, 1e3).filter(lambda v: v == 0 or abs(v) > 1e-3)


@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=5), numbers, numbers, numbers)
def test_a_line_is_seen_where_it_crosses_the_view(points, w0, w1, b):
    seen, w = view(np.array(points)), np.array([w0, w1])
    ends = seen.segment(w, b)
    corners = np.array([[x, y] for x in (0, 1) for y in (0, 1)]) * seen.span + seen.low
    scores = corners @ w + b
    size = np.abs(corners) @ np.abs(w) + abs(b)
    if ends is None:
        assert (w == 0).all() or (scores > -1e-9 * size).all() or (scores < 1e-9 * size).all()
        return
    assert scores.min() <= 1e-9 * size.max()
    assert scores.max() >= -1e-9 * size.max()
    assert_allclose(ends @ w + b, 0, atol=1e-9 * (np.abs(ends) @ np.abs(w) + abs(b)).max())
    inside = np.all((ends >= seen.low) & (ends <= seen.high), axis=1)
    assert not inside.any()  # it runs from edge to edge
