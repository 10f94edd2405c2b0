"""Where the trainings of a study stand: a folder that is there until all is saved."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import final

from rosenblatt._util.files import make_folder
from rosenblatt.selection.comparison import Progress, checkpoint_of

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
        """progress(done, total, name), which also notes the numbers: they name the files."""

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
