"""Our exceptions.

RosenblattError
├── InputError (also ValueError)        what was given cannot be learned from, or is not allowed
│   ├── InputTypeError (also TypeError) it is not even of a type that could be
│   └── ModelFileError                  a file is not a model file, or is damaged
├── FileError (also OSError)            a file cannot be read or written
│   └── MissingFileError (also FileNotFoundError) it, or the folder to write into, is not there
├── WeightsOverflowError (also OverflowError) the weights grew beyond floating-point numbers
├── VerificationError                   a certificate does not prove what it claims about the data
├── TooManyVotersError (also MemoryError) keep="vote" would need more memory than it may take
├── MissingExtraError (also ImportError) a library that only this needs is not installed
├── DeviceError (also RuntimeError)     the GPU that was asked for is not there, or could not do it
│   └── DeviceMemoryError (also MemoryError) it has too little memory
└── EngineError (also RuntimeError)     the machines of an engine are not there, or could not do it
"""

from __future__ import annotations

from typing import Any


class RosenblattError(Exception):
    """Everything that rosenblatt raises by itself; what it is about stands in its attributes.

    Attributes
    ----------
    option : str or None
        The parameter that is not allowed, by its name in Python.
    value : object
        What was given for `option`; or what the file holds at `row` and `column`.
    allowed : tuple or None
        The values that are allowed, where there is a list of them.
    file : str or None
        The file that cannot be used.
    row : int or None
        The row, counted from 0 in its file or array.
    column : str, int or None
        The column: its name, or its number where it has none.
    """

    def __init__(
        self,
        *args: object,
        option: str | None = None,
        value: Any = None,
        allowed: tuple[Any, ...] | None = None,
        file: str | None = None,
        row: int | None = None,
        column: str | int | None = None,
    ):
        super().__init__(*args)
        self.option = option
        self.value = value
        self.allowed = allowed
        self.file = file
        self.row = row
        self.column = column


class InputError(RosenblattError, ValueError):
    """What was given cannot be learned from, or is not an allowed value."""


class InputTypeError(InputError, TypeError):
    """What was given is not of an allowed type."""


class ModelFileError(InputError):
    """A file is not a model file, is damaged, or is of a version that is not known here."""


class FileError(RosenblattError, OSError):
    """A file cannot be read or written."""


class MissingFileError(FileError, FileNotFoundError):
    """There is no such file, or no such folder to write into."""


class WeightsOverflowError(RosenblattError, OverflowError):
    """The weights grew beyond floating-point numbers."""


class VerificationError(RosenblattError):
    """A certificate does not prove what it claims about this data."""


class TooManyVotersError(RosenblattError, MemoryError):
    """The weight vectors that vote would take more memory than they may."""


class MissingExtraError(RosenblattError, ImportError):
    """A library that only some functions need is not installed."""


class DeviceError(RosenblattError, RuntimeError):
    """The GPU that was asked for is not there, or could not do it."""


class DeviceMemoryError(DeviceError, MemoryError):
    """The GPU has too little memory."""


class EngineError(RosenblattError, RuntimeError):
    """The machines of an engine are not there, or could not do what they were asked."""
