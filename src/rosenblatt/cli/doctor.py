"""rosenblatt doctor: what is installed, which core runs, what the cache takes."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from rosenblatt._util.version import __version__
from rosenblatt.cli import _common, _options
from rosenblatt.cli._help import Command

_PACKAGES = ("numpy", "scipy", "scikit-learn", "pyarrow", "click", "rich")


@click.command(cls=Command)
@_options.output_options
def command(out: _common.Output) -> None:
    """Show versions, whether the compiled core runs, and the size of the cache.

    \b
    Example:
      rosenblatt doctor
    """
    about = _examine()
    if out.as_json:
        _common.print_json("doctor", about)
        return
    click.echo(f"rosenblatt {about['rosenblatt']}, {about['core']}")
    click.echo(f"Python {about['python']} on {about['platform']}")
    for name, version in about["packages"].items():
        click.echo(f"{name} {version or 'is not installed'}")
    cache = about["cache"]
    click.echo(
        f"cache of encoded rows (fit --stream): {cache['folder']}, {cache['bytes'] / 1e6:,.1f} MB"
    )


def _examine() -> dict[str, Any]:
    import platform
    from importlib import metadata

    from rosenblatt._core.backend import compute, core
    from rosenblatt._util.files import cache_folder

    packages: dict[str, str | None] = {}
    for name in _PACKAGES:
        try:
            packages[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            packages[name] = None
    return {
        "rosenblatt": __version__,
        "core": core()["core"],
        "native": compute.native,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "packages": packages,
        "cache": {"folder": str(cache_folder()), "bytes": _size(cache_folder())},
    }


def _size(folder: Path) -> int:
    total = 0
    for path, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):  # removed meanwhile
                total += os.lstat(os.path.join(path, name)).st_size
    return total
