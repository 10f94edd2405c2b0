"""The verifier of the page is the one of verify.py: the same status and the same sentences."""

import json
import math
import random
import warnings
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import twins
from rosenblatt import certify
from rosenblatt.cli import run
from tampering import changed, changes


@pytest.fixture(scope="module")
def page(browser):
    opened = browser.new_page()
    opened.goto("about:blank")
    opened.evaluate(f"() => {{ {twins.script()} }}")
    return opened


@pytest.fixture
def both(page, tmp_path, monkeypatch):
    """A function that asks both verifiers about certificates and tables, and compares."""
    monkeypatch.chdir(tmp_path)

    def ask(cases):
        asked = [[certificate, "t.csv", table] for certificate, table in cases]
        found, seen = page.evaluate("(asked) => twin.plain(asked)", asked), Counter({0: 0, 1: 0})
        for (certificate, table), (status, lines) in zip(cases, found, strict=True):
            expected, said = twins.python_says(certificate, table)
            assert status == expected, (said, lines, certificate, table)
            seen[status] += 1
            if status in (0, 1, 13) and "not a certificate" not in said[0]:  # Python's own words
                assert lines == said, (certificate, table)
        return seen

    return ask


def test_kept_certificates_are_accepted(both):
    cases = list(twins.kept())
    assert both(cases) == {0: len(cases) - 1, 13: 1, 1: 0}
    assert len(cases) == 18


def test_every_change_of_a_certificate_has_the_same_end(both, heavy):
    cases = [(text, table) for kept, table in twins.kept() for text in twins.tampered(kept)]
    random.Random(1).shuffle(cases)
    seen = both(cases[: heavy(len(cases))])
    assert seen[1] > 10 * seen[0] > 0


def test_signs_under_complete_separation_are_checked(both):
    X, y = [[0.0, 5.0], [1.0, 5.0], [0.0, 1.0], [1.0, 2.0]], [1, 1, 0, 0]
    table = "x0,x1,y\n" + "".join(f"{a},{b},{label}\n" for (a, b), label in zip(X, y, strict=True))
    claim = certify(X, y).to_dict()
    assert [part["signs"] for part in claim["signs"]] == ["±", "+", "-"]
    other = [{"signs": "-", **claim["signs"][1]} | {"signs": "-"}, {"signs": "0"}, {"signs": "?"}]
    turned = [claim | {"signs": [claim["signs"][0], part, claim["signs"][2]]} for part in other]
    seen = both([(json.dumps(one), table) for one in (claim, *turned)])
    assert seen == {0: 2, 1: 2}


def test_rows_that_last_bits_have_right_are_checked(both):
    tied = [[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]
    X, y = [*tied, *tied, [0.1, 0.2, 0.3], [0.1, 0.2, 0.25]], [0, 0, 1, 1, 1, 1]
    table = "x0,x1,x2,y\n" + "".join(
        f"{a},{b},{c},{label}\n" for (a, b, c), label in zip(X, y, strict=True)
    )
    claim = certify(X, y, fit_intercept=False).to_dict()
    others = [claim | {"last_bits": rows} for rows in ([], [5], [4, 5], [0], [4, 4])]
    seen = both([(json.dumps(one), table) for one in (claim, *others)])
    assert seen == {0: 2, 1: 4}


def test_other_models_are_left_to_the_program(page):
    X, y = [[5.0], [4.0], [3.0], [4.0]], [1, 1, 0, 1]
    table = "x0,time,y\n5,1,1\n4,2,1\n3,3,0\n4,4,1\n"
    for given in ({"family": "cox", "time": [1, 2, 3, 4]}, {"absorb": list("aabb")}):
        claim = certify(X, y, **given)
        asked = [json.dumps(claim.to_dict()), "t.csv", table]
        ((status, lines),) = page.evaluate("(asked) => twin.plain(asked)", [asked])
        assert status == 2
        assert "another model than the logistic one" in lines[0]


def test_spoiled_tables_have_the_same_end(both, heavy):
    """Quotes, line ends, numbers that are none, cells too many."""
    chance, cases = random.Random(2), list(twins.kept())
    spoiled = [(c, twins.scribbled(table, chance)) for c, table in cases * heavy(200)]
    seen = both(spoiled)
    assert seen[1] > seen[0] > 0


def test_spoiled_json_has_the_same_end(both, heavy):
    """4.0 is no number of rows, NaN is no number, and no name stands twice."""
    chance, cases = random.Random(3), list(twins.kept())
    seen = both([(twins.rewritten(c, chance), table) for c, table in cases * heavy(200)])
    assert seen[1] > seen[0] > 0
    seen = both([(twins.scribbled(c, chance), table) for c, table in cases * heavy(100)])
    assert seen[2] > 0 < seen[1]


def test_random_tables_and_their_neighbours(both, heavy):
    rng, chance = np.random.default_rng(4), random.Random(4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cases = [twins.made(rng) for _ in range(heavy(600))]
    assert both(cases)[0] == len(cases)
    one = [(c, table.replace("1", "2", 1)) for c, table in cases]
    other = [(chance.choice(list(twins.tampered(c))), table) for c, table in cases]
    assert both(one + other)[1] > len(cases)


@pytest.mark.parametrize(
    "table",
    [
        "",
        "\n",
        "x,y\n",
        "\ufeffx,y\n1,0\n2,0\n2,1\n3,1\n",
        "x,y\r1,0\r2,0\r2,1\r3,1",
        'x,y\r\n"1",0\r\n\r\n2,0\r\n2,1\r\n3,"1"\r\n',
        'x,y\n"1"2,0\n',
        'x,y\n1,0\n2,0\n2,"1\n',
        "x,x,y\n1,1,0\n",
        "x,y,z\n1,0,a\n2,0,b\n2,1,c\n3,1,d\n",
        "x,y\n1.0,0.0\n2e0,0.0\n2.00,1.0\n+3,1.0\n",
        "x,y\n1,0\n2,0.0\n2,1\n3,1\n",
        "x,y\n1,0\n2,0\n2,1\n0x3,1\n",
        "x,y\nTrue,0\n2,0\n2,1\n3,1\n",
        "x,y\n1,0\n2,0\n2,1\n1e999,1\n",
        "x,y\n" + "1" * 140_000 + ",0\n2,0\n2,1\n3,1\n",
    ],
)
def test_how_tables_are_written(both, table):
    quasi = next(c for c, t in twins.kept() if t.startswith("x,y") and "quasi" in c)
    both([(quasi, table)])


# --- Numbers --------------------------------------------------------------------------------------


def test_fractions_become_the_nearest_float(page, rng):
    """As Python divides whole numbers: to the even one of two, also below the normal ones."""
    asked = [(1, 3), (2**53 + 1, 1), (2**53 + 3, 1), (2**1024 - 2**971, 1), (1, 2**1075)]
    asked += [(3, 2**1075), (-(2**1000), 3), (0, 7), (1, 2**1076), (2**54 - 1, 2**1076)]
    for _ in range(300):
        above, below = (int(rng.integers(1, 2**62)) << int(rng.integers(0, 900)) for _ in "ab")
        asked.append((above, below))
        half = Fraction(float(rng.normal())) + Fraction(1, 2**54)  # often half way
        asked.append((half.numerator, half.denominator))
    texts = [[str(a), str(b)] for a, b in asked]
    found = page.evaluate("(asked) => twin.numbers(asked)", texts)
    assert [float(v) for v in found] == [a / b for a, b in asked]


def test_beyond_the_largest_float(page):
    most = str(2**1024 - 2**970)  # half way to the next one, which is none
    (found,) = page.evaluate("(v) => twin.numbers(v).map(String)", [[most, "1"]])
    assert found == "Infinity"


def test_floats_are_written_as_python_does(page):
    values = [0.1, 1.0, -0.0, 1e16, 123456789012345.6, 1e-4, 1e-5, 1.5e-7, 5e-324, 1e22, 2.5e300]
    assert page.evaluate("(v) => twin.written(v)", values) == [repr(v) for v in values]


def test_neighbours_of_floats(page):
    values = [0.0, 5e-324, 1.0, 1e300, 2.0**-1022]
    expected = [[math.nextafter(v, math.inf), math.nextafter(v, 0)] for v in values]
    assert page.evaluate("(v) => twin.neighbours(v)", values) == expected


def test_lengths_are_right_to_the_last_digits(page, rng):
    rows = [[3.0, 4.0], [0.0], [5e-324, 5e-324], [1e300, 1e300], rng.normal(size=2000).tolist()]
    rows += [(rng.normal(size=50) * 10.0 ** rng.integers(-300, 290)).tolist() for _ in range(50)]
    found = page.evaluate("(rows) => twin.lengths(rows)", rows)
    for x, length in zip(rows, found, strict=True):
        assert length == pytest.approx(math.hypot(*x), rel=2**-51, abs=1e-323)


def test_exact_numbers_of_certificates(page):
    texts = ["0x1f", "-0x3/0x7", "0x1.8p+3", "-0x1.8p-3", "0x0.0000000000001p-1022", "0x6/0x2"]
    expected = [Fraction(31), Fraction(-3, 7), Fraction(12), Fraction(-3, 16)]
    expected += [Fraction(5e-324), Fraction(3)]
    found = page.evaluate("(v) => twin.exact(v)", texts)
    assert [Fraction(int(a), int(b)) for a, b in found] == expected


# --- Tables that are encoded ----------------------------------------------------------------------

WORDS = "town,size,open,y\n" + "".join(
    f"{town},{size},{there},{label}\n"
    for town, size, there, label in [
        *[("Rome", 1.5, True, "no"), ("Oslo", 2.5, False, "yes"), ("Rome", 3.25, True, "yes")],
        *[("Bonn", 0.5, False, "no"), ("Oslo", 7.0, True, "no"), (" Bonn", 1.0, True, "yes")],
    ]
)
GAPS = "a,w,y\n1,x,0\n,x,1\n3,,0\n4.5,z,1\nNA,z,1\n2,x,0\n"
ENCODED = {
    "words": (WORDS, []),
    "gaps": (GAPS, ["--impute", "mean"]),
    "gaps, scaled": (GAPS, ["--impute", "median", "--scale"]),
    "semicolons and commas": ("a;b;y\n1,5;2;j\n2,5;3;n\n3;1,25;j\n0;1;n\n", []),
    "tabs and quotes": ('"a"\t"b c"\ty\n1\t"2"\t"p ""q"""\n2\t1\tz\n3\t3\tz\n', []),
    "announced": ("sep=|\na|b|y\n1|2|0\n2|1|1\n3|3|1\n", []),
    "missing words": (
        "a,b,y\n1,?,0\n2,3,1\n?,1,1\n4,4,0\n",
        ["--na-values", "?", "--impute", "mean"],
    ),
    "no header": ("1,2,0\n2,1,1\n3,3,1\n", ["--no-header"]),
    "units": ('a,b,y\n"$1,200",1,0\n$300,2,1\n"$2,000.50",3,1\n$0,4,0\n', ["--numeric", "a"]),
    "one against the rest": ("a,y\n1,p\n2,q\n3,r\n4,q\n", ["--positive", "q"]),
    "the first of two labels": ("a,y\n1,p\n2,q\n3,p\n4,q\n", ["--positive", "p"]),
    "a condition": ("a,y\n1,3\n2,7\n3,8.5\n4,1\n", ["--positive", ">=7"]),
    "numbers as labels": ("a,b,y\n1,0,1.0\n2,1,2e1\n3,0,2e1\n0,1,1.0\n", []),
    "truth as labels": ("a,b,y\n1,0,TRUE\n2,1,false\n3,0,False\n0,1,true\n", []),
    "three classes": ("a,w,y\n1,u,a\n2,v,b\n3,u,c\n4,v,a\n5,w,b\n2,w,c\n", []),
    "decimals": ("a,b,y\n0.1,0.2,0\n0.3,0.6,1\n0.7,0.1,1\n", ["--numbers", "decimal"]),
    "dates": (
        "d,t,y\n2024-02-28,2024-01-01 00:00:01.5,0\n2024-03-01,2023-12-31 23:59:59.25,1\n"
        "2025-01-01,2024-01-01 12:00:00,1\n",
        ["--numeric", "d", "--numeric", "t"],
    ),
    "dates of other formats": (
        "d,t,u,y\n31/1/2024,2016/01/01 00:47:36,1-Feb-99 1:02 PM,0\n"
        "3/2/2024,2016/1/2 9:00,28-FEB-68 12:30 am,1\n1/3/2024,2016/01/01,1-Mar-69 11:59 AM,1\n",
        ["--date", "u=%d-%b-%y %I:%M %p"],
    ),
    "prose": (
        's,a,y\n"A good, good film",1,1\nnot a GOOD film!,2,0\n"bad film, été",3,0\nété bad,1,1\n',
        ["--text", "s"],
    ),
    "hashed prose": (
        's,a,y\n"A good, good film",1,1\nnot a GOOD film!,2,0\n"bad film, été",3,0\n電影 bad,1,1\n',
        ["--text", "s:hashed"],
    ),
    "no label": ("a,b,y\n1,0,p\n2,1,q\n3,0,\n4,1,q\n5,5,p\n", ["--drop-unlabelled"]),
    "labels that are left out": (
        "a,b,y\n1,0,p\n2,1,q\n3,0,\n4,1,q\n5,5,p\n0,1,r\n",
        ["--drop-unlabelled", "--min-rows", "2"],
    ),
    "numbers that are left out": (
        "a,b,y\n1,0,0\n2,1,1\n4,1,1\n5,5,0\n0,1,3\n",
        ["--drop-label", "3.0"],
    ),
    "pooled": (
        "w,a,y\nx,1,0\nx,2,1\nu,1,1\nv,2,0\n,3,0\nz,1,1\n",
        ["--min-count", "2", "--impute", "mean"],
    ),
    "blanks": ("a   b  y\n 1  2.5 0\n2    1  1\n 3  3  1\n", []),
    "names": ("1;2;0\n2;1;1\n3;3;1\n", ["--names", "a,b,y", "--sep", ";"]),
    "a title and totals": (
        "Loans\n\na,b,y\n1,0,p\n2,1,q\n3,3,p\nTotal,4,\n",
        ["--skip-rows", "2", "--skip-footer", "1"],
    ),
    "two lines of names": (
        "loan,,y\na,b,\n1,2.5,0\n2,1,1\n3,3,1\n",
        ["--header-rows", "2"],
    ),
    "brackets": (
        'a,b,y\n(1.5),"($1,200)",0\n2,$300,1\n(3),($2),1\n0.5,$0,0\n',
        ["--numeric", "a", "--numeric", "b"],
    ),
    "a comma in quotes": ('a,b,y\n"1,5",2,0\n"2,5",3,1\n3,"1,25",0\n', ["--decimal", ","]),
    "categories": ("z,a,y\n10,1,0\n20,2,1\n30,1,1\n10,2,0\n", ["--categorical", "z"]),
}


@pytest.fixture
def encoded(page, tmp_path, monkeypatch, capfd):
    """What the command and the page say of a table and a certificate."""
    monkeypatch.chdir(tmp_path)

    def ask(certificate, table):
        (tmp_path / "c.json").write_text(certificate)
        (tmp_path / "t.csv").write_text(table, newline="")
        capfd.readouterr()
        status = run(["verify", "c.json", "t.csv", "--quiet"])
        said = capfd.readouterr().out.strip().splitlines()
        asked = [[certificate, "t.csv", table]]
        ((found, lines),) = page.evaluate("(asked) => twin.encoded(asked)", asked)
        return (status, said), (found, lines)

    return ask


@pytest.mark.parametrize("name", ENCODED)
def test_a_table_is_encoded_as_the_command_does(encoded, name, tmp_path):
    table, options = ENCODED[name]
    (tmp_path / "t.csv").write_text(table, newline="")
    certificate = certified(*options)
    python, page = encoded(certificate, table)
    assert python == page
    assert page[0] == 0
    for other in (table.replace("1", "9", 1), table.replace("2", "hm", 1), table + table[-8:]):
        python, page = encoded(certificate, other)
        assert python[0] == page[0]


def certified(*options):
    """The certificate of t.csv, as text."""
    target = "x2" if "--no-header" in options else "y"
    fixed = ["--target", target, "-o", "c.json", "--quiet"]
    assert run(["certify", "t.csv", *fixed, *options]) == 0
    return Path("c.json").read_text()


def test_a_preprocessing_that_makes_one_value_of_two_is_rejected(encoded, tmp_path):
    table = "a,b,y\n3,0,0\n4,1,1\n5,2,1\n"
    (tmp_path / "t.csv").write_text(table)
    claim = json.loads(certified("--scale"))
    claim["preprocessing"]["columns"][0] |= {"center": 1e17}
    python, page = encoded(json.dumps(claim), table)
    assert python[0] == page[0] == 1
    assert "makes 3.0 and 4.0 in the column 'a' the same number" in page[1][0]
    assert page[1][0] in python[1][0]


@pytest.mark.parametrize("name", ENCODED)
def test_a_preprocessing_that_was_changed_has_the_same_end(encoded, name, tmp_path, heavy):
    table, options = ENCODED[name]
    (tmp_path / "t.csv").write_text(table, newline="")
    document = json.loads(certified(*options))
    every = [
        change for change in changes(document) if change[0][0] == "preprocessing" != change[0][-1]
    ]
    for change in random.Random(name).sample(every, min(heavy(60), len(every))):
        python, page = encoded(json.dumps(changed(document, *change)), table)
        assert python[0] == page[0], (change, python, page)


def test_numbers_that_were_written_for_the_verifier_are_read_as_they_are(encoded, tmp_path):
    """What `rosenblatt verify --encoded` writes has the columns of the certificate itself."""
    (tmp_path / "t.csv").write_text(WORDS)
    certificate = certified()
    assert run(["verify", "c.json", "t.csv", "--quiet", "--encoded", "n.csv"]) == 0
    numbers = (tmp_path / "n.csv").read_text()
    _, (status, lines) = encoded(certificate, numbers)
    assert status == 0
    assert lines[2].startswith("The numbers are those in t.csv")
