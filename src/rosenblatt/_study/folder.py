"""The folder that a study is saved in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, final

from rosenblatt._util import files
from rosenblatt._util.files import as_path, make_folder
from rosenblatt.errors import InputError
from rosenblatt.selection.training import Progress, checkpoint_of

MODEL, CERTIFICATE, REPORT = "model.json", "certificate.json", "report.html"
_OURS = frozenset({MODEL, CERTIFICATE, REPORT})


def default_folder(names: tuple[str, ...]) -> str:
    """After the first file; after nothing in particular where there is none."""
    name = Path(names[0]).name if names else ""
    stem = name.split(".")[0] or name
    stem = re.sub(r"[*?\[\]]+", "", stem).strip("-_ ")  # of a pattern what is no riddle to a shell
    return f"{stem or 'table'}-rosenblatt"


def check(path: Any, *, force: bool, checkpoint: Any = None) -> None:
    """Before any work: may this folder be written, with checkpoints in that one?"""
    if checkpoint is not None:
        place = as_path(checkpoint).resolve()
        if as_path(path).resolve() in (place, *place.parents):
            raise InputError(
                f"checkpoint={str(checkpoint)!r} (--checkpoint) is in the folder of the results, "
                f"{path}, which is replaced as a whole. Give another one."
            )
    files.check_folder(path, ours=_OURS, overwrite=force)


@contextmanager
def writing(path: Any, *, force: bool) -> Iterator[Path]:
    """A folder to write these files into, whole or not at all."""
    with files.writing_whole_folder(path, ours=_OURS, overwrite=force) as part:
        yield part


# Where the trainings of a study stand: a folder that is there until all is saved.


_NOTE = "about.txt"
_ABOUT = (
    "Checkpoints of rosenblatt fit. Run the same command again to resume from here; it removes\n"
    "this folder when it is done. So does the same rosenblatt.study when it is saved.\n"
)


@final
class Checkpoints:
    """The folder of --checkpoint, for one comparison."""

    def __init__(self, folder: Path, every: float):
        self.folder, self.every = folder, every
        self._numbers: set[int] = set()
        if self.folder.exists():
            make_folder(self.folder)  # refuses a file

    def begin(self) -> None:
        """The table was read: the folder is there."""
        if not self.folder.exists():
            make_folder(self.folder)
            self._note.write_text(_ABOUT, encoding="utf-8")  # we made it, and it may go

    @property
    def _note(self) -> Path:
        return self.folder / _NOTE

    def seeing(self, progress: Progress) -> Progress:
        """The same progress(done, total, name); the numbers in it name the files."""

        def see(done: int, total: int, name: str) -> None:
            self._numbers.add(done)
            progress(done, total, name)

        return see

    def remove(self) -> None:
        """All is saved: our files go, and the folder if it was ours and holds nothing else."""
        for number in self._numbers:
            self.place(number).unlink(missing_ok=True)
        with suppress(OSError):
            ours = self._note.read_text(encoding="utf-8") == _ABOUT
            if ours and [entry.name for entry in self.folder.iterdir()] == [_NOTE]:
                self._note.unlink()
                self.folder.rmdir()

    def place(self, number: int) -> Path:
        """The file of the training of this number."""
        return checkpoint_of(self.folder, number)
