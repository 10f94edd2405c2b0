"""The command `rosenblatt` and its exit codes. Each command is a file, imported when needed.

Nothing heavy is imported at the top of these files: `rosenblatt --help` stays quick.
"""

from __future__ import annotations

import difflib
import gc
import io
import os
import re
import shlex
import sys
from functools import partial
from importlib import import_module
from typing import Any

import click

from rosenblatt._util.late_imports import import_late
from rosenblatt._util.spelling import in_shell
from rosenblatt._util.text import one_line, shown
from rosenblatt._util.version import __version__
from rosenblatt.cli import _common
from rosenblatt.data.formats import in_words
from rosenblatt.errors import RosenblattError

# What a person wants to do, and the commands for it. A new command is a name here and a file of
# that name with a function `command`.
TASKS = {
    "Learn from a table": ("fit", "inspect", "suspects", "demo"),
    "Use a trained model": ("predict", "evaluate", "export"),
    "Prove and check": ("certify", "verify"),
    "Teach and watch": ("trace", "play", "grade"),
    "Set up this computer": ("doctor", "completion"),
}
COMMANDS = tuple(name for names in TASKS.values() for name in names)
CRASHED = 70  # EX_SOFTWARE of sysexits.h
_MAY_BE_LEFT_OUT = ("pyarrow", "jinja2")  # docs/install.md says where that is worth it
_WIDEST = 12  # the longest name of a command, and a space on both sides


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command = import_module(f"rosenblatt.cli.{name}").command
        assert isinstance(command, click.Command)
        for parameter in command.params:
            if isinstance(parameter, click.Option):
                parameter.envvar = in_environment(name, parameter)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS:
            ctx.fail(f"No such command {args[0]!r}.{_meant(args[0])}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for task, names in TASKS.items():
            commands = ((name, self.get_command(ctx, name)) for name in names)
            rows = [(f"{n:{_WIDEST}}", c.get_short_help_str(100)) for n, c in commands if c]
            with formatter.section(task):
                formatter.write_dl(rows)


# What people type who know other tools, or the functions of Python.
_OTHER_NAMES = {
    "train": "fit trains; for rows on disk fit --stream",
    "score": "evaluate counts errors",
    "check": "verify checks a certificate",
    "explain": "predict --explain gives reasons",
    "study": "fit writes a report",
}


def _meant(word: str) -> str:
    if (hint := _OTHER_NAMES.get(word)) is not None:
        return f" rosenblatt {hint}."
    if os.path.exists(word):
        return f" For a table: rosenblatt fit {shlex.quote(word)} --target COLUMN."
    near = difflib.get_close_matches(word, COMMANDS, 1)
    return f" Did you mean {near[0]!r}?" if near else ""


def in_environment(command: str, option: click.Option) -> str:
    """The variable that sets an option: of --seed of fit ROSENBLATT_FIT_SEED."""
    flag = max(option.opts, key=len).lstrip("-")  # -y, --target
    return f"rosenblatt_{command}_{flag}".replace("-", "_").upper()


def _with_command(own: list[str], typed: str) -> str:
    """An option that the command does not have stands behind the first one that has it."""
    flag = re.split("[ =]", typed, maxsplit=1)[0]
    for name in (*own, *COMMANDS):
        command = group.get_command(click.Context(group), name)
        if command and any(flag in (*p.opts, *p.secondary_opts) for p in command.params):
            return typed if [name] == own else f"rosenblatt {name} {typed}"
    return typed


_HELP = f"""Linear classifiers you can check.

From a table: a rule that can be read, its error on unseen rows, and a proof of what no linear
rule can do.

Reads {in_words("and")} files; text may be compressed. Results go to standard output, messages to
standard error.
"""
_EPILOG = """To try it: rosenblatt demo. The examples of rosenblatt COMMAND --help use the table
that it writes.

Exit codes: 0 done, 1 rejected (verify, grade --exit-code), 2 wrong usage or input, 3 undecided,
13 shown up to chance (verify), 70 crash, 130 interrupted."""


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    help=_HELP,
    epilog=_EPILOG,
)
@click.version_option(__version__, "-V", "--version", prog_name="rosenblatt")
def group() -> None:
    pass


def main(arguments: list[str] | None = None) -> None:
    """Run the command and end the program."""
    import_late()
    code = run(sys.argv[1:] if arguments is None else arguments)
    gc.freeze()  # else all that libraries have made is searched for garbage, a sixth of the time
    sys.exit(code)


def run(arguments: list[str]) -> int:
    """Run the command; returns the exit code."""
    try:
        with in_shell(partial(_with_command, arguments[:1])):
            code: Any = group.main(
                arguments or ["--help"], prog_name="rosenblatt", standalone_mode=False
            )
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except click.ClickException as error:
        vars(error)["message"] = one_line(error.message)  # what was typed is in it
        words = io.StringIO()
        error.show(file=words)
        click.echo(shown(words.getvalue()), err=True, nl=False)
        return _failed(arguments, 2, error.format_message())
    except (KeyboardInterrupt, click.Abort):
        _common.say_error("Interrupted.")
        return 130
    except BrokenPipeError:  # whoever read our output has seen enough
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - until the program ends
        return 0
    except (RosenblattError, OSError) as error:
        _common.say_error(f"Error: {error}")
        return _failed(arguments, 2, str(error))
    except Exception as error:
        if isinstance(error, ModuleNotFoundError) and error.name in _MAY_BE_LEFT_OUT:
            why = f"This needs {error.name}, which is not installed: pip install {error.name}."
            _common.say_error(f"Error: {why}")
            return _failed(arguments, 2, why)
        if "-v" in arguments or "--verbose" in arguments:
            import traceback

            click.echo(shown(traceback.format_exc()), err=True)
        _common.say_error(f"Unexpected failure: {type(error).__name__}: {error}")
        _common.say_error("This is a bug in rosenblatt. Please report it with the output of -v.")
        return _failed(arguments, CRASHED, f"{type(error).__name__}: {error}")


def _failed(arguments: list[str], code: int, why: str) -> int:
    """With --json a program reads why from standard output, too."""
    if "--json" in arguments and arguments[0] in COMMANDS:
        _common.print_json(arguments[0], {"error": why, "exit_code": code})
    return code
