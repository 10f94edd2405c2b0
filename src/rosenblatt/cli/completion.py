"""rosenblatt completion: the shell finishes what is typed."""

from __future__ import annotations

import click


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print a script that completes this command in a shell.

    \b
    bash: eval "$(rosenblatt completion bash)"  in ~/.bashrc
    zsh:  eval "$(rosenblatt completion zsh)"   in ~/.zshrc
    fish: rosenblatt completion fish > ~/.config/fish/completions/rosenblatt.fish
    """
    from click.shell_completion import get_completion_class

    from rosenblatt.cli import group

    found = get_completion_class(shell)
    assert found is not None
    click.echo(found(group, {}, "rosenblatt", "_ROSENBLATT_COMPLETE").source())
