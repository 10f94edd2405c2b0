"""Print every file of the package and the core, with the first line that it says of itself."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[1]


def first_line(path: Path) -> str:
    text = path.read_text()
    if path.suffix == ".py":
        return (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0]
    comments = (line[3:] for line in text.splitlines() if line.startswith("// "))
    comments = (line for line in comments if not line.startswith("@"))
    return next(comments, "")


def main() -> None:
    for folder in ("native", "src/rosenblatt"):
        for path in sorted((ROOT / folder).rglob("*"), key=lambda p: (p.parent, p.name)):
            if path.suffix in (".py", ".hpp", ".cpp", ".cu", ".js"):
                print(f"{path.relative_to(ROOT)!s:52} {first_line(path)}")


if __name__ == "__main__":
    main()
