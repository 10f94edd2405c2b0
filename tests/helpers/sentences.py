"""What people read, by sentence: pages, docstrings, messages, the report, the playground."""

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import rosenblatt

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "rosenblatt"
ENDS = re.compile(r"(?<!e\.g\.)(?<!i\.e\.)(?<!vol\.)(?<!no\.)(?<=[.!?])[)*_\"']*\s+")
WORD = re.compile(
    r"(?<![\w.(\[])[^\W\d_]{2,}(?:['’-][^\W\d_]+)*(?![\w(=])"
)  # no formulas, no names
HOLE = "…"  # where a message has a value

FILES = sorted(SOURCE.rglob("*.py"))
Named = ast.ClassDef | ast.FunctionDef
Place = tuple[str, str]  # where it is; what it says


def sentences(text: str) -> list[str]:
    return [" ".join(part.split()) for part in ENDS.split(text) if part.strip()]


def words(sentence: str) -> int:
    return len(WORD.findall(re.sub(r"`[^`]*`", "x", sentence)))


def paragraphs(page: str) -> Iterator[str]:
    """Of a Markdown page: no code, and each item of a list and each cell of a table alone."""
    page = re.sub(r"^ *```.*?^ *```$", "\n", page, flags=re.DOTALL | re.MULTILINE)
    page = re.sub(r"\]\([^)]*\)", "]", page)  # where a link leads
    for block in re.split(r"\n\s*\n", page):
        for part in re.split(r"^\s*(?:[-*]|\d+\.|#+) |^\|", block, flags=re.MULTILINE):
            yield from re.split(r" \| | · " if block.startswith("|") else r"(?!)", part)


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def of_pages() -> Iterator[Place]:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
    for path in [*pages, *sorted((ROOT / "docs").glob("*.md"))]:
        for part in paragraphs(path.read_text()):
            yield from ((path.name, sentence) for sentence in sentences(part))


def behind(path: Path) -> set[str] | None:
    """The public names that a file has, where it is not public itself."""
    if "/_" not in str(path.relative_to(SOURCE.parent)):
        return None
    module = ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts)
    return {n for n in rosenblatt.__all__ if getattr(rosenblatt, n).__module__ == module}


def documented(path: Path) -> Iterator[tuple[str, str]]:
    """What `help` shows of a file: the name and docstring of public classes, functions, methods."""
    tree, names = parsed(path), behind(path)
    if names is None:
        yield "the module", ast.get_docstring(tree) or ""
    for node in tree.body:
        if isinstance(node, Named) and (node.name in names if names is not None else public(node)):
            inner = [n for n in node.body if isinstance(n, Named) and public(n)]
            yield from ((n.name, ast.get_docstring(n) or "") for n in [node, *inner])


def public(node: ast.ClassDef | ast.FunctionDef) -> bool:
    return not node.name.startswith("_")


def prose(docstring: str) -> str:
    """Without examples, and without lines that draw."""
    text = re.sub(r"^ *>>>.*?(?:\n\n|\Z)", "\n\n", docstring, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"^.*[│├└─►].*$", "\n", text, flags=re.MULTILINE)


def of_docstrings() -> Iterator[Place]:
    items = re.compile(r"\n\s*\n|\n(?=\S+ : )|^ *(?:- |\d+ )", re.MULTILINE)
    for path in FILES:
        for name, text in documented(path):
            for part in items.split(prose(text)):
                yield from ((f"{path.name}, {name}", sentence) for sentence in sentences(part))


def literal(node: ast.AST) -> str | None:
    """A text as it is written, with a hole for every value in it."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(literal(value) or HOLE for value in node.values)
    return None


def of_messages() -> Iterator[Place]:
    """Every text in the source that is not a docstring."""
    for path in FILES:
        nodes = list(ast.walk(parsed(path)))
        inner = {id(v) for n in nodes if isinstance(n, ast.JoinedStr) for v in n.values}
        inner |= {id(n.value) for n in nodes if isinstance(n, ast.Expr)}
        for node in nodes:
            text = None if id(node) in inner else literal(node)
            if text and " " in text:
                where = f"{path.relative_to(SOURCE)}:{getattr(node, 'lineno', 0)}"
                for part in re.split(r"\n\s*\n", text):
                    yield from ((where, sentence) for sentence in sentences(part))


def of_templates() -> Iterator[Place]:
    for path in sorted(SOURCE.rglob("*.html")):
        gone = re.compile(r"{#.*?#}|<(script|style).*?</\1>|{%.*?%}", re.DOTALL)
        text = gone.sub("\n\n", path.read_text())
        text = re.sub(r"{{.*?}}", HOLE, text, flags=re.DOTALL)
        inline = r"</?(?:a|b|em|strong|code|span|abbr|small|sub|sup)\b[^>]*>"
        text = re.sub(r"<[^>]*>", "\n\n", re.sub(inline, " ", text))
        for part in re.split(r"\n\s*\n", text):
            yield from ((path.name, sentence) for sentence in sentences(part))


def of_playground() -> Iterator[Place]:
    path = SOURCE / "play" / "assets" / "english.json"
    for text in json.loads(path.read_text()).values():
        filled = re.sub(r"\{[^}]*\}", HOLE, text)
        yield from ((path.name, sentence) for sentence in sentences(filled))
