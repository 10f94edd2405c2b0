"""One table of file formats: what is read, and what help and messages list."""

import pytest

from raising import raises
from rosenblatt import data
from rosenblatt.cli import group
from rosenblatt.data.formats import FORMATS, REFUSED, kind_beginning, kind_named, names_of
from rosenblatt.errors import InputError


@pytest.mark.parametrize("name", names_of())
def test_every_format_is_named_where_people_look(name):
    assert name.lstrip(".") in data.read.__doc__
    assert name in group.help


def test_a_file_is_known_by_its_name_and_by_its_first_bytes():
    for kind, known in FORMATS.items():
        assert all(kind_named(suffix.upper()) == kind for suffix in known.suffixes)
        assert all(kind_beginning(begin + b"more") == kind for begin in known.begins)
    assert (kind_named(".dat"), kind_beginning(b"a,b\n")) == ("text", None)


@pytest.mark.parametrize("begin", REFUSED)
def test_what_is_not_read_says_what_to_do(begin, tmp_path):
    (tmp_path / "t.csv").write_bytes(begin + b"more")
    with raises(InputError):
        data.read(tmp_path / "t.csv")
