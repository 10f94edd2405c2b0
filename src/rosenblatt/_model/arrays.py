"""Arrays in JSON: short ones as numbers that a person can read, others as their exact bytes."""

from __future__ import annotations

import base64
import binascii
import math
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt._util.strict_json import LARGEST, InvalidDocument, Part, kind, shown

SHOWN = 100  # numbers of an array that is written as decimals
MOST_INFLATED = 1 << 24  # bytes that any file may inflate to,
INFLATED_FOR_A_BYTE = 64  # and how many more for each byte of compressed data

Shape = Sequence[int | None]  # None: any length


# --- Writing -----------------------------------------------------------------------------------


def floats(array: NDArray[Any]) -> Any:
    """A decimal is the shortest that gives back the same float64."""
    if array.ndim == 1 and array.dtype == np.float64 and array.size <= SHOWN:
        return array.tolist()
    return _binary(array)


def counts(array: NDArray[Any] | list[int], *, deflated: bool = False) -> Any:
    """In the fewest bytes that hold the largest of them; `deflated` where that saves half."""
    array = np.asarray(array, dtype=np.int64)
    if array.ndim == 1 and array.size <= SHOWN:
        return array.tolist()
    largest = int(array.max(initial=0))
    return _binary(array.astype(np.min_scalar_type(largest)), deflated=deflated)


def _binary(array: NDArray[Any], *, deflated: bool = False) -> dict[str, Any]:
    array = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
    data, field = memoryview(array.reshape(-1).view(np.uint8)), "base64"
    if deflated:
        small = memoryview(zlib.compress(data))
        if 2 * len(small) <= len(data) <= _most_inflated(len(small)):
            data, field = small, "zlib"
    text = base64.b64encode(data).decode()
    return {"dtype": array.dtype.str, "shape": list(array.shape), field: text}


def _most_inflated(compressed: int) -> int:
    return MOST_INFLATED + INFLATED_FOR_A_BYTE * compressed


# --- Reading -----------------------------------------------------------------------------------


def read_floats(part: Part, field: str, shape: Shape, *, single: bool = False) -> NDArray[Any]:
    dtypes = ("<f8", "<f4") if single else ("<f8",)
    stored = _read(part, field, shape, float, "numbers with a decimal point", dtypes)
    array = stored.astype(stored.dtype.newbyteorder("="))
    if not np.isfinite(array).all():
        raise InvalidDocument(f"{part.name(field)} holds NaN or infinity")
    return array


def read_counts(
    part: Part, field: str, shape: Shape, *, most: int = LARGEST, deflated: bool = False
) -> NDArray[np.int64]:
    dtypes = ("|u1", "<u2", "<u4", "<u8")
    array = _read(part, field, shape, int, "whole numbers", dtypes, deflated)
    if array.size and int(array.max()) > most:
        raise InvalidDocument(f"{part.name(field)} holds {array.max()}, which is more than {most}")
    return array.astype(np.int64)


def _read(
    part: Part,
    field: str,
    shape: Shape,
    number: type[Any],
    words: str,
    dtypes: tuple[str, ...],
    deflated: bool = False,
) -> NDArray[Any]:
    value = part.value(field)
    if isinstance(value, list):
        array = _listed(value, part.name(field), number, words)
    else:
        with part.part(field) as binary:
            array = _from_bytes(binary, dtypes, deflated)
    expected = tuple(shape)
    if array.ndim != len(expected) or any(
        want is not None and got != want for got, want in zip(array.shape, expected, strict=True)
    ):
        wanted = " x ".join("any" if want is None else str(want) for want in expected)
        got = " x ".join(map(str, array.shape))
        raise InvalidDocument(f"{part.name(field)} has shape {got}, not {wanted}")
    return array


def _listed(values: list[Any], name: str, number: type[Any], words: str) -> NDArray[Any]:
    for i, value in enumerate(values):
        if type(value) is not number:
            raise InvalidDocument(f"{name}[{i}] is {kind(value)}; {words} are expected")
        if number is int and not 0 <= int(value) <= LARGEST:
            raise InvalidDocument(f"{name}[{i}] is {value}, not between 0 and {LARGEST}")
    return np.array(values, dtype=np.float64 if number is float else np.uint64)


def _from_bytes(binary: Part, dtypes: tuple[str, ...], deflated: bool) -> NDArray[Any]:
    dtype = np.dtype(binary.one_of("dtype", dtypes))
    shape = _shape(binary)
    # Nothing is allocated for a shape before as many bytes are there.
    expected = math.prod(shape) * dtype.itemsize
    if deflated and "zlib" in binary:
        data = _inflated(_decoded(binary, "zlib"), expected, binary.name("zlib"))
    else:
        data = _decoded(binary, "base64")
    if len(data) != expected:
        raise InvalidDocument(
            f"{binary.name('shape')} calls for {expected:,} bytes of data, and there are "
            f"{len(data):,}"
        )
    return np.frombuffer(data, dtype=dtype).reshape(shape)


def _shape(binary: Part) -> list[int]:
    values = binary.value("shape")
    if type(values) is not list or not 1 <= len(values) <= 3:
        raise InvalidDocument(
            f"{binary.name('shape')} is {shown(values)}, not a list of one to three lengths"
        )
    for value in values:
        if type(value) is not int or not 0 <= value <= LARGEST:
            raise InvalidDocument(
                f"{binary.name('shape')} holds {shown(value)}, which is not a length"
            )
    return values


def _decoded(binary: Part, field: str) -> bytes:
    try:
        return base64.b64decode(binary.text(field), validate=True)
    except (binascii.Error, ValueError) as error:
        raise InvalidDocument(f"{binary.name(field)} is not base64: {error}") from None


def _inflated(data: bytes, expected: int, name: str) -> bytes:
    if expected > _most_inflated(len(data)):
        raise InvalidDocument(f"{name} would inflate to {expected:,} bytes, more than a file may")
    stream = zlib.decompressobj()
    try:
        inflated = stream.decompress(data, expected + 1)
    except zlib.error as error:
        raise InvalidDocument(f"{name} cannot be inflated: {error}") from None
    if not stream.eof or stream.unused_data:
        raise InvalidDocument(f"{name} does not inflate to {expected:,} bytes")
    return inflated
