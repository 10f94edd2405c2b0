"""Streams on disk hold the same bits as in memory, whatever they come from; and they are kept."""

import gzip
import os
import tracemalloc
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import dump_svmlight_file

from raising import raises
from rosenblatt import data
from rosenblatt._core.backend import compute
from rosenblatt._out_of_core import cache, store, tables
from rosenblatt._out_of_core import store as stored_module
from rosenblatt._out_of_core.cache import stored
from rosenblatt._util import files
from rosenblatt._util.progress import heard_by, shown_with_pace
from rosenblatt.errors import FileError, InputError, InputTypeError
from sources import frame, same, together


@pytest.fixture(autouse=True)
def small(monkeypatch, tmp_path):
    """Several blocks and several passes in small files; no cache but the test's own."""
    monkeypatch.setattr(compute, "block", 100)
    monkeypatch.setattr(store, "PASS", 4000)
    monkeypatch.setattr(tables, "PASS", 4000)
    monkeypatch.setattr(tables, "_COLUMNS", 4000)
    monkeypatch.setenv("ROSENBLATT_CACHE", str(tmp_path / "cache"))
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


def open_rows(source):
    return stored(source, folder=None)


def kept():
    return sorted(os.listdir("cache"))


# --- Tables -----------------------------------------------------------------------------------


def write(table, name):
    if name.endswith(".parquet"):
        table.to_parquet(name, row_group_size=77)
    elif name.endswith(".feather"):
        table.to_feather(name)
    else:
        table.to_csv(name, index=False, sep="\t" if ".tsv" in name else ",")


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.csv.gz", "t.parquet", "t.feather"])
@pytest.mark.parametrize("scale", [True, False])
def test_a_table_becomes_the_bits_that_encode_gives(name, scale):
    write(frame(), name)
    table = data.read(name, target="label")
    X, y, preprocessing = table.encode(scale=scale)
    with open_rows(table.stream(scale=scale)) as rows:
        assert same(rows, X, y)
        assert rows.n_blocks == 6
        assert rows.preprocessing == preprocessing
        assert rows.feature_names == preprocessing.feature_names
    if scale:
        with open_rows(table) as rows:
            assert same(rows, X, y)
    assert len(kept()) == 1


@pytest.mark.parametrize("impute", ["mean", "median"])
@pytest.mark.parametrize("scale", [True, False])
def test_gaps_are_filled_alike(impute, scale):
    write(frame(gaps=True), "t.csv")
    table = data.read("t.csv", target="label", impute=impute)
    X, y, preprocessing = table.encode(scale=scale)
    with open_rows(table.stream(scale=scale)) as rows:
        assert same(rows, X, y)
        assert rows.preprocessing == preprocessing


def test_a_title_and_totals_are_left_out_alike():
    text = frame().to_csv(index=False)
    rare = "180,3,Bern,True,0,maybe\n" * 3
    Path("t.csv").write_text(f"A title\n{text}{rare}Total,,\nand more,\n")
    options = {"skip_rows": 1, "skip_footer": 2, "min_count": 200, "min_rows": 4}
    table = data.read("t.csv", target="label", **options)
    X, y, _ = table.encode()
    assert len(table.left_out) == 3
    with open_rows(table.stream()) as rows:
        assert same(rows, X, y)


def test_several_files_that_are_read_again(monkeypatch):
    monkeypatch.setattr("rosenblatt.data.table._KEPT", 0)
    for k, n in enumerate((301, 1, 250)):
        write(frame(n, seed=k), f"part-{k}.parquet")
    table = data.read("part-*.parquet", target="label", ignore="town")
    X, y, _ = table.encode()
    with open_rows(table) as rows:
        assert same(rows, X, y)


@pytest.mark.parametrize(
    "labels",
    [[3, 12, 7], [0.5, 1.5, 2.0], ["a", "bcd", "ef"], [False, True], [-1, 1]],
    ids=["whole", "floats", "text", "booleans", "signs"],
)
def test_labels_have_the_type_that_they_have_in_memory(labels, rng):
    table = frame().assign(label=rng.choice(np.array(labels), 523))
    write(table, "t.csv")
    positive = labels[1] if len(labels) > 2 else None
    read = data.read("t.csv", target="label", positive=positive)
    X, y, _ = read.encode()
    for _ in range(2):  # written, then kept
        with open_rows(read) as rows:
            assert same(rows, X, y)


def test_a_data_frame_is_not_kept():
    table = data.read(frame(), target="label")
    X, y, _ = table.encode()
    with open_rows(table) as rows:
        assert same(rows, X, y)
    assert kept() == []


def test_numbers_that_scaling_makes_infinite_are_refused():
    table = frame().assign(height=np.where(np.arange(523) % 2, 1.7e308, -1.7e308))
    write(table, "t.csv")
    with (
        raises(InputError, column="height"),
        open_rows(data.read("t.csv", target="label")),
    ):
        pass
    assert kept() == []


def test_a_table_without_a_target():
    write(frame(), "t.csv")
    with raises(InputError), open_rows(data.read("t.csv")):
        pass


# --- svmlight ----------------------------------------------------------------------------------


def sparse_rows(n=457, d=9, seed=0):
    rng = np.random.default_rng(seed)
    X = sparse.random_array((n, d), density=0.3, rng=rng, format="csr")
    return X, rng.choice([2, 5], n)


@pytest.mark.parametrize("zero_based", [True, False])
def test_an_svmlight_file_becomes_the_bits_that_it_has_in_memory(zero_based):
    X, y = sparse_rows()
    dump_svmlight_file(X, y, "t.svm", zero_based=zero_based)
    with open("t.svm", "rb") as plain, gzip.open("t.svm.gz", "wb") as packed:
        packed.write(plain.read())
    X, y, _ = data.read("t.svm").encode()
    for source in ("t.svm", "t.svm.gz", data.read("t.svm")):
        with open_rows(source) as rows:
            assert same(rows, X, y)
            assert rows.preprocessing is None
            assert rows.feature_names is None


def test_several_svmlight_files_count_their_features_alike(tmp_path):
    (tmp_path / "a.svm").write_text("1 1:2.5 3:1\n-1 2:1\n")
    (tmp_path / "b.svm").write_text("1 0:7 4:1\n\n-1 # nothing\n")
    with open_rows(str(tmp_path / "?.svm")) as rows:
        X, y = together(rows)
        assert X.toarray().tolist() == [
            [0, 2.5, 0, 1, 0],
            [0, 0, 1, 0, 0],
            [7, 0, 0, 0, 1],
            [0, 0, 0, 0, 0],
        ]
        assert y.tolist() == [1, -1, 1, -1]


def test_one_svmlight_label_against_the_rest(tmp_path):
    (tmp_path / "t.svm").write_text("1 1:1\n2 1:2\n3 1:3\n")
    table = data.read("t.svm", positive=2)
    X, y, _ = table.encode()
    with open_rows(table) as rows:
        assert same(rows, X, y)
    with open_rows("t.svm") as rows:
        assert rows.classes.tolist() == [1, 2, 3]
        assert rows.block(0)[1].tolist() == [0, 1, 2]


# --- Batches -----------------------------------------------------------------------------------


def divided(X, y, cuts):
    """A function that gives these rows in batches that end there."""

    def batches():
        for begin, end in zip([0, *cuts], [*cuts, len(y)], strict=True):
            yield X[begin:end], y[begin:end]

    return batches


@given(
    form=st.sampled_from(["dense", "sparse"]),
    dtype=st.sampled_from([np.float32, np.float64, np.int16]),
    cuts=st.lists(st.integers(0, 457), max_size=6).map(sorted),
)
def test_however_rows_are_divided_into_batches(form, dtype, cuts):
    X, y = sparse_rows()
    X = (X * 100).astype(dtype) if form == "sparse" else (X.toarray() * 100).astype(dtype)
    found = X.astype(np.float64) if dtype == np.int16 else X
    with open_rows(divided(X, y, cuts)) as rows, open_rows(divided(X, y, [])) as at_once:
        assert same(rows, found, y)
        assert rows.fingerprint == at_once.fingerprint
    assert kept() == []


@pytest.mark.parametrize("form", ["dense", "sparse"])
def test_one_batch_of_float64_makes_all_float64(form):
    X, y = sparse_rows()
    X = X if form == "sparse" else X.toarray()
    first = X[:300].astype(np.float32)
    whole = (sparse.vstack if form == "sparse" else np.concatenate)([first, X[300:]])

    def batches():
        yield first[:200], y[:200]
        yield first[200:], y[200:300]
        yield X[300:], y[300:]

    with open_rows(batches) as rows, open_rows(divided(whole, y, [])) as at_once:
        assert same(rows, sparse.csr_array(whole) if form == "sparse" else whole, y)
        assert rows.fingerprint == at_once.fingerprint


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["yes", "no"]),
        np.array(["yes", "no"], dtype=object),
        np.array([2, 1], dtype=np.uint8),
        np.array([2, -1], dtype=np.float32),
        np.array([True, False]),
    ],
    ids=lambda labels: str(labels.dtype),
)
def test_labels_of_batches_keep_their_type(labels, rng):
    y = labels[rng.integers(0, 2, 250)]
    X = rng.normal(size=(250, 3))
    with open_rows(divided(X, y, [1, 50])) as rows:
        assert same(rows, X, y)


def test_labels_of_several_lengths_and_empty_batches():
    def batches():
        yield np.empty((0, 2)), []
        yield np.ones((2, 2)), ["zebra", "zebra"]
        yield [], np.empty(0)
        yield pd.DataFrame(np.ones((1, 2))), ["a"]

    with open_rows(batches) as rows:
        assert same(rows, np.ones((3, 2)), np.array(["zebra", "zebra", "a"]))


def test_names_of_columns_are_kept():
    table = frame()[["height", "count"]]
    with open_rows(divided(table, frame()["label"], [5])) as rows:
        assert rows.feature_names == ["height", "count"]


def test_the_type_of_an_index_suits_the_rows_of_a_block(monkeypatch):
    X, y = sparse_rows()
    with open_rows(divided(X, y, [])) as rows:
        assert rows.block(0)[0].indices.dtype == np.int32
        monkeypatch.setattr(stored_module, "_MOST_INT32", 10)  # as if a block had 2³¹ entries
        assert rows.block(0)[0].indices.dtype == np.int64
        assert same(rows, X, y)
    wide = sparse.csr_array(([1.0, 2.0], [0, 2**31], [0, 1, 2]), shape=(2, 2**31 + 1))
    with open_rows(divided(wide, np.array([0, 1]), [])) as rows:
        assert rows.block(0)[0].indices.tolist() == [0, 2**31]


def nothing():
    return iter([])


A, B = np.ones((2, 2)), np.array([0, 1])
REFUSED = {
    "a generator": (divided(A, B, [])(), InputTypeError),
    "a list": ([(A, B)], InputTypeError),
    "a class": (dict, InputTypeError),
    "no file": ("none.svm", InputError),
    "a table's path": ("t.csv", InputError),
    "no batch": (nothing, InputError),
    "no iterator": (lambda: None, InputTypeError),
    "no pairs": (lambda: iter([A]), InputTypeError),
    "three things": (lambda: [(A, B, B)], InputTypeError),
    "wider": (lambda: [(A, B), (np.ones((2, 3)), B)], InputError),
    "two forms": (lambda: [(A, B), (sparse.csr_array(A), B)], InputError),
    "names": (lambda: [(pd.DataFrame(A, columns=["a", "b"]), B), (A, B)], InputError),
    "NaN": (lambda: [(A, B), (A * np.nan, B)], InputError),
    "infinity": (lambda: [(A * np.inf, B)], InputError),
    "words": (lambda: [([["a", "b"]], [1])], InputTypeError),
    "labels missing": (lambda: [(A, [1])], InputError),
    "labels too many": (lambda: [(A[:0], B)], InputError),
    "one label": (lambda: [(A, [1, 1])] * 2, InputError),
    "labels mixed": (lambda: [(A, B), (A, ["0", "1"])], InputTypeError),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused_leaves_nothing(case):
    write(frame(), "t.csv")
    source, kind = REFUSED[case]
    with raises(kind), open_rows(source):
        pass
    assert not os.path.isdir("cache") or kept() == []


# --- The cache ---------------------------------------------------------------------------------


@pytest.fixture
def no_preprocessing(monkeypatch):
    """A function: from now on nothing may be written."""

    def refuse(*_, **__):
        raise AssertionError("encoded again")

    return lambda: monkeypatch.setattr(tables, "Writer", refuse)


def test_the_second_time_nothing_is_encoded(no_preprocessing):
    write(frame(), "t.csv")
    X, y, preprocessing = data.read("t.csv", target="label").encode()
    with open_rows(data.read("t.csv", target="label")) as rows:
        before = rows.fingerprint
    no_preprocessing()
    with open_rows(data.read("t.csv", target="label")) as rows:
        assert same(rows, X, y)
        assert rows.preprocessing == preprocessing
        assert rows.fingerprint == before


def test_other_files_and_other_preprocessings_have_other_keys():
    write(frame(), "t.csv")
    seen = set()
    for more in (
        {},
        {"ignore": "town"},
        {"impute": "mean"},
        {"na_values": ["Zug"], "impute": "mean"},
    ):
        table = data.read("t.csv", target="label", **more)
        for scale in (True, False):
            with open_rows(table.stream(scale=scale)) as rows:
                seen.add(rows.folder)
    assert len(seen) == len(kept()) == 8


def test_rows_of_a_file_as_it_once_was_are_removed():
    write(frame(), "t.csv")
    write(frame(), "other.csv")
    for name in ("t.csv", "other.csv"):
        with open_rows(data.read(name, target="label")):
            pass
    old = kept()
    write(frame(seed=1), "t.csv")
    table = data.read("t.csv", target="label")
    X, y, _ = table.encode()
    with open_rows(table) as rows:
        assert same(rows, X, y)
    assert len(kept()) == 2
    assert len(set(kept()) & set(old)) == 1


def test_who_reads_goes_on_when_the_folder_is_removed(tmp_path):
    write(frame(), "t.csv")
    table = data.read("t.csv", target="label")
    X, y, _ = table.encode()
    with open_rows(table) as rows:
        cache.shutil.rmtree(tmp_path / "cache")
        assert same(rows, X, y)
        window = rows.block(0)[0]
    assert window.tobytes() == X[:100].tobytes()  # also when it is closed


def cut(path):
    os.truncate(path, os.path.getsize(path) - 1)


DAMAGES = {
    "rows cut": ("X.bin", cut),
    "signs gone": ("y.bin", os.unlink),
    "meta cut": ("meta.json", cut),
    "meta gone": ("meta.json", os.unlink),
    "meta is no object": ("meta.json", lambda path: path.write_text("[]")),
    "another version": (
        "meta.json",
        lambda path: path.write_text(path.read_text().replace('"version": 1', '"version": 2')),
    ),
    "another shape": (
        "meta.json",
        lambda path: path.write_text(path.read_text().replace('"n": 523', '"n": 522')),
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_cache_is_made_anew(damage, tmp_path):
    write(frame(), "t.csv")
    table = data.read("t.csv", target="label")
    X, y, _ = table.encode()
    with open_rows(table) as rows:
        place = rows.folder
    name, change = DAMAGES[damage]
    change(place / name)
    with open_rows(table) as rows:
        assert same(rows, X, y)
    assert kept() == [place.name]


def test_rows_that_do_not_follow_each_other_are_refused(tmp_path):
    X, y = sparse_rows()
    with open_rows(divided(X, y, [])) as rows:
        starts = np.memmap(rows.folder / "indptr.bin", dtype=np.int64, mode="r+")
        starts[50] = 1 << 40
        starts.flush()
        with raises(FileError):
            rows.block(0)
        with raises(IndexError):
            rows.block(5)


def test_a_file_that_changes_while_it_is_encoded(monkeypatch):
    monkeypatch.setattr("rosenblatt.data.table._KEPT", 0)
    write(frame(), "t.csv")
    dump_svmlight_file(*sparse_rows(), "t.svm")

    def meddle(what, done, total):
        for name in ("t.csv", "t.svm"):
            os.utime(name, ns=(0, int(done)))

    for source in (data.read("t.csv", target="label"), "t.svm"):
        with (
            raises(InputError),
            heard_by(meddle),
            stored(source, folder=None),
        ):
            pass
    assert kept() == []


def test_where_the_cache_is(monkeypatch, tmp_path):
    assert files.cache_folder() == tmp_path / "cache"
    assert files.cache_folder(tmp_path) == tmp_path
    monkeypatch.delenv("ROSENBLATT_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/var/x")
    monkeypatch.setenv("HOME", "/home/someone")
    monkeypatch.setattr(files.sys, "platform", "linux")
    assert str(files.cache_folder()) == "/var/x/rosenblatt"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert str(files.cache_folder()) == "/home/someone/.cache/rosenblatt"
    monkeypatch.setattr(files.sys, "platform", "darwin")
    assert str(files.cache_folder()) == "/home/someone/Library/Caches/rosenblatt"


def test_the_doctor_knows_the_cache(shell, tmp_path):
    write(frame(), "t.csv")
    with open_rows(data.read("t.csv", target="label")):
        pass
    said = shell("doctor")[1].splitlines()[-1]
    assert said == f"cache of encoded rows (fit --stream): {tmp_path / 'cache'}, 0.0 MB"


def test_without_locks_whoever_is_first_wins(monkeypatch):
    monkeypatch.setattr(files, "fcntl", None)
    write(frame(), "t.csv")
    table = data.read("t.csv", target="label")
    X, y, _ = table.encode()

    def faster(what, done, total):
        """Encodes the same rows while they are being encoded."""
        if what == "scaling" and not done:
            with heard_by(None), open_rows(table) as rows:
                assert same(rows, X, y)

    with heard_by(faster), stored(table, folder=None) as rows:
        assert same(rows, X, y)
    assert len(kept()) == 1


def test_progress_is_told(capfd):
    write(frame(), "t.csv")
    table = data.read("t.csv", target="label")
    with shown_with_pace(quiet=False), stored(table, folder=None):
        pass
    first, second = capfd.readouterr().err.splitlines()
    assert first.startswith("Encoding: 523 rows (100%), ")
    assert second.startswith("Scaling: 523 rows (100%), ")


def test_progress_on_a_terminal(capfd, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    write(frame(), "t.csv")
    table = data.read("t.csv", target="label")
    with shown_with_pace(quiet=False), stored(table, folder=None):
        pass
    said = capfd.readouterr().err
    assert "━" in said  # the bar
    assert said.count("523 rows (100%)") >= 2


def test_rows_in_use_are_no_leftovers():
    X, y = sparse_rows()
    write(frame(), "t.csv")
    with open_rows(divided(X, y, [])) as rows:
        with open_rows(data.read("t.csv", target="label")):
            assert rows.folder.is_dir()
        assert len(kept()) == 3  # two folders, and the lock of the one in use
        assert same(rows, X, y)
    assert len(kept()) == 1


def test_a_stranger_in_the_cache_is_left_alone(tmp_path):
    write(frame(), "t.csv")
    (tmp_path / "cache" / "stranger").mkdir(parents=True)
    (tmp_path / "cache" / "stranger" / "source.json").write_text("5")
    (tmp_path / "cache" / "notes.txt").write_text("mine")
    with open_rows(data.read("t.csv", target="label")) as rows:
        assert kept() == sorted([rows.folder.name, "notes.txt", "stranger"])


# --- Memory ------------------------------------------------------------------------------------


def mapped():
    """Bytes of the cache's files that this process has mapped."""
    with open("/proc/self/maps") as lines:
        spans = [line.split()[0].split("-") for line in lines if os.getcwd() in line]
    return sum(int(end, 16) - int(begin, 16) for begin, end in spans)


def peak(n):
    """Bytes at the height of encoding and reading n rows of 8 kB."""

    def batches():
        for _ in range(n // 50):
            yield np.ones((50, 1000)), np.arange(50) % 2

    tracemalloc.start()
    with open_rows(batches) as rows:
        for b in range(rows.n_blocks):
            X, _ = rows.block(b)
            X.sum()
            assert mapped() <= 3 * X.nbytes  # this one, and the one before until it is replaced
    del X, _
    assert mapped() == 0
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found


def test_memory_does_not_grow_with_the_rows():
    few, many = peak(300), peak(1800)  # 2.4 MB and 14.4 MB
    assert many < few + 500_000


def test_memory_of_a_table_does_not_grow_with_the_rows(monkeypatch, rng):
    """All that NumPy and Python take; pyarrow has one block of a file."""
    monkeypatch.setattr(store, "PASS", 40_000)
    monkeypatch.setattr(tables, "PASS", 40_000)
    found = []
    for n in (7000, 42_000):
        table = pd.DataFrame({f"x{j}": rng.normal(size=n) for j in range(20)})
        table.assign(label=np.arange(n) % 2).to_parquet("t.parquet", row_group_size=1000)
        read = data.read("t.parquet", target="label")
        tracemalloc.start()
        with open_rows(read):
            found.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert found[1] < found[0] + 500_000  # its numbers take 1.1 and 6.7 MB


def test_files_of_others_in_the_folder_stay(tmp_path, rng):
    X = rng.normal(size=(60, 2))
    for name in ("uv.lock", "a.lock", f"{'g' * 64}.lock", ".rosenblatt-notes-old"):
        (tmp_path / name).write_text("mine")
    with stored(lambda: iter([(X, X[:, 0] > 0)]), folder=tmp_path):
        pass
    assert len(list(tmp_path.iterdir())) == 4


def test_columns_that_there_are_not_are_refused(tmp_path, rng):
    """A bit that fell over in the cache must not reach the kernels."""
    X = sparse.random_array((60, 5), density=0.5, rng=rng, format="csr")
    with stored(lambda: iter([(X, np.arange(60) % 2)]), folder=tmp_path) as rows:
        place = rows.folder / "indices.bin"
        content = bytearray(place.read_bytes())
        content[3] = 0x40
        place.write_bytes(content)
        with raises(FileError):
            rows.block(0)
