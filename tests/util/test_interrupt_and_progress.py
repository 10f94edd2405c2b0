"""Who stops work and who hears of it stands in the context, and the outer one is there again."""

import threading

import pytest

from rosenblatt._util.progress import (
    check_interrupt,
    counted,
    heard_by,
    interrupted_by,
    progress,
    stage,
)


class StoppedError(Exception):
    pass


def stop():
    raise StoppedError


def test_nobody_stops_work_by_default():
    check_interrupt()


def test_the_inner_one_is_asked_and_then_the_outer_one_again():
    asked = []
    with interrupted_by(lambda: asked.append("outer")):
        check_interrupt()
        with interrupted_by(lambda: asked.append("inner")):
            check_interrupt()
        with interrupted_by(None):
            check_interrupt()
        with pytest.raises(StoppedError), interrupted_by(stop):
            check_interrupt()
        check_interrupt()
    check_interrupt()
    assert asked == ["outer", "inner", "outer"]


def test_another_thread_is_not_stopped_nor_heard():
    heard = []

    def work():
        check_interrupt()
        progress("elsewhere")

    with interrupted_by(stop), heard_by(lambda *said: heard.append(said)):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert heard == []


def test_progress_goes_to_whoever_listens_with_its_stage():
    heard = []
    progress("before")
    with heard_by(lambda *said: heard.append(said)):
        progress("a", 1, 2)
        with stage("b"):
            progress("c", 3, 4)
        with counted("rows", 10) as count:
            progress("not while rows are counted")
            count(7)
        progress("d")
    progress("after")
    assert heard == [
        ("a", 1, 2),
        ("b", None, None),
        ("b: c", 3, 4),
        ("rows", 0, 10),
        ("rows", 7, 10),
        ("d", None, None),
    ]


def test_steps_are_logged_once_whoever_listens(caplog):
    caplog.set_level("INFO", logger="rosenblatt")
    for share in range(3):
        progress(f"reading: {share} rows", share, 3)
    with counted("encoding", 2000) as count:
        count(1000)
    assert [record.message for record in caplog.records] == [
        "reading: 0 rows",
        "encoding 2,000 rows",
    ]
