"""Many modules of JavaScript as one script, so that a page is one file that opens from a disk."""

from __future__ import annotations

import re
from collections.abc import Callable

from rosenblatt.play.squeezed import squeezed

_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./(\w+)\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?(?:function\*?|class|const) (\w+))", re.MULTILINE)


def joined(entry: str, read: Callable[[str], str]) -> str:
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
    return squeezed("\n".join(done.values()))


def _in_its_scope(name: str, text: str) -> str:
    def taken(found: re.Match[str]) -> str:
        return f"const {{{found[1].replace(' as ', ': ')}}} = ${found[2]};\n"

    exported = ", ".join(found[1] for found in _EXPORT.findall(text))
    body = _EXPORT.sub(r"\1", _IMPORT.sub(taken, text))
    if left := re.search(r"^(?:import|export) .*", body, re.MULTILINE):
        raise ValueError(f"{name}.js has a form of import or export that is not joined: {left[0]}")
    return f"const ${name} = (() => {{\n{body}\nreturn {{{exported}}};\n}})();"
