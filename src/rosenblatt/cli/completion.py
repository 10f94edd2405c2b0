"""rosenblatt completion: the shell finishes what is typed."""

from __future__ import annotations

import click

from rosenblatt.cli._help import Command


@click.command(cls=Command)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print a script that lets the shell complete commands and options.

    \b
    bash: add to ~/.bashrc   eval "$(rosenblatt completion bash)"
    zsh:  add to ~/.zshrc    eval "$(rosenblatt completion zsh)"
    fish: run once           rosenblatt completion fish > ~/.config/fish/completions/rosenblatt.fish

    \b
    Example:
      rosenblatt completion bash
    """
    from click.shell_completion import get_completion_class

    from rosenblatt.cli import group

    completion = get_completion_class(shell)
    assert completion is not None
    click.echo(completion(group, {}, "rosenblatt", "_ROSENBLATT_COMPLETE").source())
