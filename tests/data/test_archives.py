"""Zip archives: one file is read as that file; anything else is refused in one sentence."""

import io
import struct
import zipfile

import pytest

from raising import raises
from rosenblatt import data
from rosenblatt.errors import InputError

TEXT = "a\tb\ty\n1\t2\t0\n3\t4\t1\n5\t7\t0\n"
ROWS = [[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]]


def packed(*entries, method=zipfile.ZIP_DEFLATED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in entries:
            archive.writestr(name, content)
    return file.getvalue()


@pytest.mark.parametrize(
    "method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
)
def test_the_one_file_is_read(file, method):
    content = packed(("data/", ""), ("data/t.tsv", TEXT), ("__MACOSX/t.tsv", "x"), method=method)
    for name in ("t.zip", "t.csv.zip", "unknown"):
        table = data.read(file(content, name), target="y")
        assert table.encode(scale=False)[0].tolist() == ROWS


def test_svmlight_in_an_archive_needs_its_name(file):
    content = packed(("rows.svm", "1 1:2\n-1 2:3\n"))
    assert data.read(file(content, "rows.svm.zip")).X.toarray().tolist() == [[2.0, 0.0], [0.0, 3.0]]
    with raises(InputError):
        data.read(file(content, "rows.zip"))


def bomb(size):
    """An archive whose one file says that it is this large."""
    content = bytearray(packed(("t.csv", TEXT)))
    central = content.rfind(b"PK\x01\x02")
    content[central + 24 : central + 28] = struct.pack("<I", size)
    return bytes(content)


@pytest.mark.parametrize(
    "content",
    [
        packed(),
        packed(("a.csv", TEXT), ("b.csv", TEXT)),
        packed(("inner.zip", packed(("a.csv", TEXT)))),
        packed(("mimetype", "application/vnd.oasis"), ("content.xml", "")),
        packed(("xl/workbook.bin", "")),
        packed(("a.parquet", b"PAR1....")),
        packed(("a.csv", TEXT))[:60],
        bomb(2**31),
    ],
    ids=["empty", "two files", "nested", "OpenDocument", "xlsb", "Parquet", "cut short", "bomb"],
)
def test_what_cannot_be_read_is_refused(file, content):
    with raises(InputError):
        data.read(file(content, "t.zip"))


def test_an_archive_that_lies_about_its_size_or_is_damaged_is_refused(file):
    with raises(InputError):
        data.read(file(bomb(10), "t.zip"), header=True)
    content = bytearray(packed(("t.csv", TEXT * 50)))
    content[50] ^= 0xFF
    with raises(InputError):
        data.read(file(bytes(content), "t.zip"))


def test_a_file_with_a_password_is_refused(file):
    content = bytearray(packed(("t.csv", TEXT)))
    for begin, offset in ((content.find(b"PK\x03\x04"), 6), (content.rfind(b"PK\x01\x02"), 8)):
        content[begin + offset] |= 1
    with raises(InputError):
        data.read(file(bytes(content), "t.zip"))
