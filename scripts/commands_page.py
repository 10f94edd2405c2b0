"""Every command, its options and its exit codes, from the commands themselves: docs/commands.md.

python scripts/commands_page.py            writes the page
python scripts/commands_page.py --check    fails if it says something else
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path

import click

from rosenblatt.cli import TASKS, group

PAGE = Path(__file__).parents[1] / "docs" / "commands.md"
OPENING = """# Commands, options, exit codes

Everything that can be typed after `rosenblatt`, in the words of `rosenblatt COMMAND --help`. Every
option can also be set in the environment: `--seed` of `fit` is `ROSENBLATT_FIT_SEED`, and a flag
such as `--json` of `fit` is `ROSENBLATT_FIT_JSON=1`.

Results go to standard output, messages to standard error. With `--json` a command prints one JSON
object and nothing else; if it fails (exit codes 2 and 70), the object has the fields `error` and
`exit_code`. A file that exists is replaced only with `--force`, and only as a whole.

| exit code | meaning |
|---|---|
| 0 | done. `certify`: the question is decided, whatever the verdict. `verify`: the proof holds |
| 1 | `verify`: the proof does not hold. `grade --exit-code`: a program is not correct |
| 2 | wrong usage, bad input, a file that is not a certificate |
| 3 | undecided: `certify`, and `verify` of an undecided certificate |
| 13 | `verify`: accepted up to chance, which is not proved |
| 70 | a bug: please report it |
| 130 | interrupted by Ctrl-C; what was finished is written |

`certify --exit-code` has a code for each verdict: 0 complete separation, 10 overlap,
11 quasi-complete separation, 12 not separable, where 10 or 11 is open, 13 overlap up to chance,
which is not proved.
"""
SHARED = "Options of all commands that read tables"


def page() -> str:
    context = click.Context(group, info_name="rosenblatt")
    commands = {
        name: group.get_command(context, name) for names in TASKS.values() for name in names
    }
    shared = shared_by([commands[name] for name in ("fit", "certify", "inspect")])
    parts = [OPENING]
    for task, names in TASKS.items():
        parts.append(f"## {task}\n")
        parts += [described(name, commands[name], shared) for name in names]
    parts += [f"## {SHARED}\n", "They mean the same in every command that has them.\n"]
    return "\n".join([*parts, table(list(shared.values()))])


def shared_by(commands: list[click.Command]) -> dict[str, click.Option]:
    first, *others = [{row(p): p for p in options(c)} for c in commands]
    return {key: p for key, p in first.items() if all(key in other for other in others)}


def options(command: click.Command) -> list[click.Option]:
    return [p for p in command.params if isinstance(p, click.Option) and p.help]


def described(name: str, command: click.Command, shared: dict[str, click.Option]) -> str:
    context = click.Context(command, info_name=f"rosenblatt {name}")
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    paragraphs = inspect.cleandoc(command.help or "").split("\n\n")
    lines = [f"### {name}\n", f"`{usage}`\n"]
    lines += [p.replace("\n", " ") + "\n" for p in paragraphs if "\b" not in p]
    own = [p for p in options(command) if row(p) not in shared]
    lines += [table(own)] if own else []
    also = [f"`{p.opts[-1]}`" for p in options(command) if row(p) in shared]
    if len(also) == len(shared):
        lines.append(f"And all [{SHARED.lower()}](#{SHARED.lower().replace(' ', '-')}).\n")
    elif also:
        link = f"[{SHARED.lower()}](#{SHARED.lower().replace(' ', '-')})"
        lines.append(f"And of the {link}: {', '.join(also)}.\n")
    return "\n".join(lines)


def table(listed: list[click.Option]) -> str:
    return "\n".join(["| option | |", "|---|---|", *(row(p) for p in listed)]) + "\n"


def row(option: click.Option) -> str:
    flags = ", ".join(f"`{flag}`" for flag in [*option.opts, *option.secondary_opts])
    of = "" if option.is_flag or option.count else f" `{option.make_metavar(click.Context(group))}`"
    default = f" [default: {option.default}]" if option.show_default else ""
    meaning = " ".join(f"{option.help}{default}".split())
    return f"| {bars(flags + of)} | {bars(meaning)} |"


def bars(text: str) -> str:
    return text.replace("|", r"\|")


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        if PAGE.read_text() != page():
            sys.exit(
                "docs/commands.md is not what the commands say: python scripts/commands_page.py"
            )
    else:
        PAGE.write_text(page())
