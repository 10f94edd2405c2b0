"""What tests of tables and of svmlight text share."""

import pytest

from rosenblatt.data import svmlight
from svmlight_texts import READERS


@pytest.fixture
def file(tmp_path):
    """Write a file, get its path."""

    def write(content, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture(params=READERS, ids=["native", "python"])
def either(request, monkeypatch):
    """By the compiled core, and without it."""
    monkeypatch.setattr(svmlight, "reader_of", request.param)
