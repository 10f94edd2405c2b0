"""Work ahead keeps the order and the place of errors."""

import threading

import pytest

from raising import raises
from rosenblatt.data.ahead import AT_ONCE, ahead, done_ahead


def test_work_ahead_keeps_the_order_and_the_place_of_errors():
    asked, given = [], []

    def items(stop):
        for i in range(9):
            if i == stop:
                raise ValueError(f"item {i}")
            asked.append(i)
            yield i

    def work(i):
        if i == 7:
            raise KeyError(i)
        return i * i

    def take(found):
        for i, square in found:
            assert len(asked) <= i + 1 + AT_ONCE
            given.append((i, square))

    with raises(ValueError):
        take(done_ahead(work, items(5)))
    assert given == [(0, 0), (1, 1), (2, 4), (3, 9), (4, 16)]
    asked.clear()
    with raises(KeyError):
        take(done_ahead(work, items(None)))
    assert given[5:] == [(i, i * i) for i in range(7)]


@pytest.mark.parametrize("make", [ahead, lambda items: done_ahead(str, items)])
def test_what_is_left_halfway_can_be_collected_inside_threading(make):
    # As the garbage collector does, in a thread that holds a lock which ending threads wait for.
    left, go, done = make(k for k in range(10)), threading.Event(), threading.Event()
    next(left)

    def collect():
        go.wait()
        left.close()
        done.set()

    threading.Thread(target=collect, daemon=True).start()
    with threading._active_limbo_lock:
        go.set()
        assert done.wait(20)
