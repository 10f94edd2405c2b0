"""Many modules of JavaScript as one short script: a page is one file that opens from a disk."""

from __future__ import annotations

import re
from collections.abc import Callable

_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./(\w+)\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?(?:function\*?|class|const) (\w+))", re.MULTILINE)


def bundled(entry: str, read: Callable[[str], str]) -> str:
    """The module of this name and all that it imports, each in a scope of its own.

    Notes and space are left out. `read(name)` gives the text of a module. What a module
    exports is in a constant of the script: `$` and its name.
    """
    done: dict[str, str] = {}

    def add(name: str) -> None:
        if name in done:
            return
        text = read(name)
        done[name] = ""  # a circle of imports ends here
        for _, other in _IMPORT.findall(text):
            add(other)
        del done[name]  # those it needs come first
        done[name] = _in_its_scope(name, text)

    add(entry)
    return minified("\n".join(done.values()))


def _in_its_scope(name: str, text: str) -> str:
    def taken(statement: re.Match[str]) -> str:
        return f"const {{{statement[1].replace(' as ', ': ')}}} = ${statement[2]};\n"

    exported = ", ".join(export[1] for export in _EXPORT.findall(text))
    body = _EXPORT.sub(r"\1", _IMPORT.sub(taken, text))
    if left := re.search(r"^(?:import|export) .*", body, re.MULTILINE):
        raise ValueError(f"{name}.js has a form of import or export that is not joined: {left[0]}")
    return f"const ${name} = (() => {{\n{body}\nreturn {{{exported}}};\n}})();"


# --- Without notes and without space that means nothing: pages are mailed ------------------------


_TOKEN = re.compile(
    r"""(?P<note>//[^\n]*|/\*.*?\*/)|(?P<space>\s+)|(?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')"""
    r"""|(?P<word>[\w$]+)|(?P<other>.)""",
    re.DOTALL,
)
_PATTERN = re.compile(r"/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/[a-z]*")
_BEFORE_PATTERN = ("", *"(,=:[!&|?{};+-*%~^<>", "return", "case", "typeof", "yield")
_WORD = re.compile(r"[\w$]")
_OPEN = ("", *"{([,;:?=&|<>+-*%!\n")  # what cannot end a statement


def minified(text: str) -> str:
    """Strings, templates and patterns stay as they are; lines end where a statement may."""
    return _code(text, 0, whole=True)[0]


def _code(text: str, at: int, *, whole: bool) -> tuple[str, int]:
    """What is left of the code; where it stands in a template, up to the brace that closes it."""
    out, gap, depth, last = [], "", 0, ""
    while at < len(text):
        lexeme = _TOKEN.match(text, at)
        assert lexeme is not None
        kind, token = lexeme.lastgroup, lexeme[0]
        if kind == "note" or kind == "space":
            gap = "\n" if "\n" in gap + token else " "
            at = lexeme.end()
            continue
        if token == "`":
            token, at = _template(text, at)
        elif token == "/" and last in _BEFORE_PATTERN:
            pattern = _PATTERN.match(text, at)
            assert pattern is not None
            token, at = pattern[0], pattern.end()
        else:
            at = lexeme.end()
        depth += (token == "{") - (token == "}")
        if depth < 0 and not whole:
            break
        out.append(_between(last, gap, token) + token)
        gap, last = "", token
    return "".join(out), at


def _between(last: str, gap: str, token: str) -> str:
    """The space that keeps two tokens apart, where one is needed."""
    if not gap:
        return ""
    if gap == "\n" and last not in _OPEN:
        return "\n"
    words = bool(_WORD.match(last[-1:])) and bool(_WORD.match(token))
    return " " if words or (last in ("+", "-") and token == last) else ""


def _template(text: str, at: int) -> tuple[str, int]:
    """A template with the code in it, from its first quote to behind its last."""
    begin, out = at, ["`"]
    at += 1
    while text[at] != "`":
        if text.startswith("${", at):
            code, at = _code(text, at + 2, whole=False)
            out.append(f"${{{code}}}")
        else:
            step = 2 if text[at] == "\\" else 1
            out.append(text[at : at + step])
            at += step
    assert at > begin
    return "".join([*out, "`"]), at + 1
