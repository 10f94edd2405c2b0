"""The map in CONTRIBUTING.md: every file is on it, nothing else is, and each has its tests."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "rosenblatt"
UNNAMED = {"__init__.py", "conftest.py"}
LONGEST = 300
LONGER = {"_compute/reference.py", "verify.py"}  # each is to be read alone


def folder_of(heading):
    """Rooms are named without the way to them."""
    whole = heading.startswith(("native", "tests", "src"))
    return Path(heading if whole else f"src/rosenblatt/{heading}")


def room_for_tests(folder):
    """Where the tests of its files are, unless a line says otherwise."""
    return "compute" if folder.name == "native" else folder.name.removeprefix("_")


def the_map():
    """The files that are named, and of each line the tests that it names."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    block = re.search(r"^## The map$.*?^```\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)[1]
    files, tests, folder = [], {}, None
    for line in block.splitlines():
        if not line.startswith(" "):
            folder = folder_of(line.split("/ ", 1)[0])
            continue
        left, _, right = line.partition("→")
        names = re.match(r"(?:  [\w/]+\.\w+(?=  ))+", left)[0].split()
        files += [str(folder / name) for name in names]
        if folder.parts[0] != "tests":
            places = [n if "/" in n else f"{room_for_tests(folder)}/{n}" for n in right.split()]
            tests[line.strip()] = ["tests/{}/test_{}.py".format(*n.split("/")) for n in places]
    return files, tests


def on_disk(*patterns):
    found = (path for pattern in patterns for path in ROOT.glob(pattern))
    return {str(path.relative_to(ROOT)) for path in found if path.name not in UNNAMED}


def differences(named, there, what):
    stale = [f"delete {name}: it is {what} that is not there" for name in sorted(named - there)]
    return stale + [f"add {name}" for name in sorted(there - named)]


def test_the_map_names_every_file_and_no_other():
    files, _ = the_map()
    there = on_disk("native/*.?pp", "src/rosenblatt/**/*.py", "tests/project/*.py")
    there |= on_disk("tests/helpers/*.py") | {"tests/helpers/reports/__init__.py"}
    wrong = differences(set(files), there, "a file")
    wrong += [f"name {name} once" for name in sorted({f for f in files if files.count(f) > 1})]
    assert not wrong, "CONTRIBUTING.md, The map:\n" + "\n".join(wrong)


def test_every_group_of_files_has_its_tests_and_every_test_has_a_group():
    files, tests = the_map()
    named = {test for some in tests.values() for test in some}
    listed = {file for file in files if file.startswith("tests/project/")}
    wrong = [f"name the tests of the line: {line}" for line, some in tests.items() if not some]
    wrong += differences(named | listed, on_disk("tests/*/test_*.py"), "a test")
    assert not wrong, "CONTRIBUTING.md, The map, behind the →:\n" + "\n".join(wrong)


def test_every_room_has_a_folder_of_tests():
    rooms = [path.parent for path in SOURCE.glob("*/__init__.py")]
    assert len(rooms) > 15
    assert [
        r.name for r in rooms if not list(ROOT.glob(f"tests/{room_for_tests(r)}/test_*.py"))
    ] == []


def test_no_file_is_too_long_to_be_read_at_once():
    lengths = {
        str(path.relative_to(SOURCE)): len(path.read_text().splitlines())
        for path in SOURCE.rglob("*.py")
    }
    assert {n: k for n, k in lengths.items() if k > LONGEST and n not in LONGER} == {}
