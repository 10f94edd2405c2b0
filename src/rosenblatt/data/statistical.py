"""Files of Stata and SPSS, read by pandas: values that have labels are these words.

They are held in memory, as data frames are.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rosenblatt._util.extras import needed
from rosenblatt.data.columnar import arrow_table
from rosenblatt.data.files import File
from rosenblatt.data.opening import reason
from rosenblatt.errors import InputError


def held(file: File) -> File:
    pandas = needed("pandas", f"Reading {file.name}")
    if file.kind == "spss":
        needed("pyreadstat", f"Reading {file.name}")
    try:
        table = pandas.read_spss(file.path) if file.kind == "spss" else _of_stata(pandas, file)
    except Exception as error:  # whatever damage does
        raise InputError(
            f"{file.name} cannot be read, it is damaged or of a version that pandas does not read: "
            f"{reason(error)}.",
            file=file.name,
        ) from None
    return replace(file, keep=arrow_table(table))


def _of_stata(pandas: Any, file: File) -> Any:
    try:
        return pandas.read_stata(file.path)
    except ValueError as error:  # two values have one label: then the values are told apart
        if "labels" not in str(error):
            raise
        return pandas.read_stata(file.path, convert_categoricals=False)
