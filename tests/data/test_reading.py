"""The same table in many ways of writing, compressed, in several files, from standard input."""

import bz2
import gzip
import io

import pyarrow as pa
import pytest

from tables import AS_EXPECTED, PLAIN, encoded, refusal


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        PLAIN.replace("\n", "\r\n"),
        PLAIN.replace("\n", "\r"),
        PLAIN.rstrip("\n"),
        PLAIN + "\n\n",
        "\n\n" + PLAIN,
        "\ufeff" + PLAIN,
        PLAIN.replace(",", ";"),
        PLAIN.replace(",", "|"),
        PLAIN.replace(",", "\t"),
        PLAIN.replace(",", ", "),
        PLAIN.replace(",", ";").replace("41.5", "41,5"),
        PLAIN.replace(",", "\t").replace("41.5", "41,5"),
        "sep=;\n" + PLAIN.replace(",", ";"),
        '"age","owner","paid"\n"30","yes","1"\n"41.5","no","0"\n"22","yes","1"\n',
        PLAIN.replace("30", "+3e1").replace("22", " 22 "),
    ],
)
def test_the_same_table_in_many_ways_of_writing(file, text):
    assert encoded(file(text)) == AS_EXPECTED


def test_compressed_text(file):
    assert encoded(file(gzip.compress(PLAIN.encode()), "t.csv.gz")) == AS_EXPECTED
    assert encoded(file(bz2.compress(PLAIN.encode()), "t.csv.bz2")) == AS_EXPECTED
    zst = pa.compress(PLAIN.encode(), "zstd", asbytes=True)
    assert encoded(file(zst, "t.csv.zst")) == AS_EXPECTED
    for packed in (gzip.compress(PLAIN.encode()), bz2.compress(PLAIN.encode()), zst):
        for name in ("t.csv", "t.csv.gz", "t.csv.bz2", "t.csv.zst", "t"):  # by what is in it
            assert encoded(file(packed, name)) == AS_EXPECTED


def test_other_character_sets(file):
    text = "größe,Ort,paid\n1,Köln,1\n2,Łódź,0\n"
    expected = ([[1.0, 0.0], [2.0, 1.0]], [1, 0], ["größe", "Ort=Łódź"])
    assert encoded(file(text)) == expected
    assert encoded(file(text.encode("utf-16"))) == expected
    western = text.replace("Łódź", "Übach").encode("cp1252")
    assert encoded(file(western), encoding="cp1252")[2] == ["größe", "Ort=Übach"]
    refusal(file(western))
    below = b"age,Ort,paid\n1,a,1\n2,K\xf6ln,0\n"
    refusal(file(below))
    refusal(file(PLAIN), encoding="latin-99")


def test_several_files_and_patterns(file, tmp_path):
    first = file("a,paid\n1,0\n2,1\n", "part-1.csv")
    second = file("a,paid\n3,1\n", "part-2.csv")
    expected = ([[1.0], [2.0], [3.0]], [0, 1, 1], ["a"])
    assert encoded([first, second]) == expected
    assert encoded(str(tmp_path / "part-*.csv")) == expected
    third = file("b,paid\n3,1\n", "part-3.csv")
    refusal([first, third])
    refusal(str(tmp_path / "none-*.csv"))
    refusal([first, file("a,paid\n3,1\n3,,1\n", "2-wrong.csv")])


def test_standard_input(monkeypatch):
    class Input:
        buffer = io.BytesIO(PLAIN.encode())

    monkeypatch.setattr("sys.stdin", Input)
    assert encoded("-") == AS_EXPECTED


def test_no_header(file):
    refusal(file("1,0\n2,1\n"))
    assert encoded(file("1,0\n2,1\n"), target="x1", header=False) == ([[1], [2]], [0, 1], ["x0"])
