"""Print every file of the package and the core, with the first line that it says of itself."""

import ast
import re
from itertools import takewhile
from pathlib import Path

ROOT = Path(__file__).parents[1]


def first_line(path: Path) -> str:
    """With the end of its last sentence, where that is on the next line."""
    text = path.read_text()
    if path.suffix == ".py":
        lines = (ast.get_docstring(ast.parse(text)) or "").splitlines()
    else:
        comments = (line[3:] for line in text.splitlines() if line.startswith("//"))
        lines = [line for line in comments if not line.startswith("@")]
    paragraph = list(takewhile(bool, lines)) or [""]
    if not paragraph[0].endswith((".", "?", "!")):
        paragraph[0] += " " + re.split("(?<=[.?!]) ", " ".join(paragraph[1:]))[0]
    return paragraph[0].rstrip()


def main() -> None:
    for folder in ("native", "src/rosenblatt"):
        for path in sorted((ROOT / folder).rglob("*"), key=lambda p: (p.parent, p.name)):
            if path.suffix in (".py", ".hpp", ".cpp", ".cu", ".js"):
                print(f"{path.relative_to(ROOT)!s:52} {first_line(path)}")


if __name__ == "__main__":
    main()
