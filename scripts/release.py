"""What is checked before a release, step by step. It never uploads: it says what to type.

    python scripts/release.py --before     the tree and the version, before anything takes long
    python scripts/release.py              what is in dist/, after `make check test wheel`

`make release` calls both.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
VERSIONS = {  # where else it stands, and how it is found there
    "src/rosenblatt/_util/version.py": r'^__version__ = "(.+)"$',
    "CITATION.cff": r"^version: (.+)$",
    "CHANGELOG.md": r"^## \[(.+)\]",
}
DATES = {
    "CITATION.cff": r'^date-released: "(\d{4}-\d\d-\d\d)"$',
    "CHANGELOG.md": r"^## \[.+\] - (\d{4}-\d\d-\d\d)$",
}


def found_in(root: Path, file: str, pattern: str) -> str | None:
    match = re.search(pattern, (root / file).read_text(), re.MULTILINE)
    return match and match[1]


def wrong_version(root: Path) -> list[str]:
    """What does not agree with the version of pyproject.toml, a sentence each."""
    version = tomllib.loads((root / "pyproject.toml").read_text())["project"]["version"]
    found = {file: found_in(root, file, pattern) for file, pattern in VERSIONS.items()}
    wrong = [
        f"{file} says {said or 'no version'}, pyproject.toml {version}."
        for file, said in found.items()
        if said != version
    ]
    dates = {found_in(root, file, pattern) for file, pattern in DATES.items()}
    if len(dates) != 1 or None in dates:
        wrong.append("CITATION.cff and the newest section of CHANGELOG.md have not the same date.")
    return wrong


def asked(*command: str, root: Path) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=root)
    return done.stdout.strip()


def wrong_tree(root: Path, version: str) -> list[str]:
    """What keeps this commit from being the released one."""
    wrong = []
    if asked("git", "status", "--porcelain", root=root):
        wrong.append("There are changes that are not committed: git status.")
    if asked("git", "tag", "--list", f"v{version}", root=root):
        wrong.append(f"There is a tag v{version} already: count the version up.")
    return wrong


def refuse(wrong: list[str]) -> None:
    if wrong:
        sys.exit("No release:\n" + "\n".join(f"  {sentence}" for sentence in wrong))


def step(what: str, *command: object) -> None:
    print(f"release: {what}", flush=True)
    if subprocess.run([sys.executable, *map(str, command)], cwd=ROOT, check=False).returncode:
        refuse([f"{what}: it failed, see above."])


def files_of(folder: Path, version: str) -> list[Path]:
    """What would be uploaded: one source distribution, two wheels, all of this version."""
    found = sorted(folder.glob("rosenblatt-*"))
    kinds = [path.name.removeprefix(f"rosenblatt-{version}") for path in found]
    wanted = [r"-cp311-cp311-manylinux.*\.whl", r"-cp312-abi3-manylinux.*\.whl", r"\.tar\.gz"]
    whole = len(kinds) == len(wanted)
    if not whole or not all(map(re.fullmatch, wanted, kinds)):
        names = ", ".join(path.name for path in found) or "nothing"
        refuse([f"{folder} has {names}; make wheel builds two wheels and a source of {version}."])
    return found


def main() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    refuse(wrong_version(ROOT) + wrong_tree(ROOT, version))
    if "--before" in sys.argv:
        return
    files = files_of(ROOT / "dist", version)
    wheels = [path for path in files if path.suffix == ".whl"]
    step("names, texts and links of the files", "-m", "twine", "check", "--strict", *files)
    step("the wheels in empty environments", "scripts/check_wheel.py", *wheels)
    step("the same bits on other processors", "scripts/portable.py")
    for path in files:
        print(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}")
    print(f"rosenblatt {version} is ready. Nothing was uploaded. What is left, by hand:")
    print(f"  git tag --annotate v{version} --message 'rosenblatt {version}'")
    print(f"  {Path(sys.executable).name} -m twine upload {' '.join(str(path) for path in files)}")


if __name__ == "__main__":
    main()
