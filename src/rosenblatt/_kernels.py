"""The functions that read rows: the compiled core, or the NumPy reference where there is none."""

import os
import warnings
from types import ModuleType

from rosenblatt import _reference

_NO_CORE = (
    "rosenblatt was installed without its compiled core ({error}) and trains with the NumPy "
    "reference: the same results, hundreds of times slower. To mend it: install a C++17 compiler "
    "and install rosenblatt again with `pip install --force-reinstall --no-cache-dir`. To use the "
    "reference on purpose: ROSENBLATT_CORE=reference."
)


def _choose() -> ModuleType:
    wanted = os.environ.get("ROSENBLATT_CORE", "")
    if wanted == "reference":
        return _reference
    if wanted not in ("", "native"):
        raise ImportError(f"ROSENBLATT_CORE={wanted!r}; allowed: 'native', 'reference', or unset")
    try:
        from rosenblatt import _core
    except ImportError as error:
        if wanted == "native":
            raise
        warnings.warn(_NO_CORE.format(error=error), RuntimeWarning, stacklevel=2)
        return _reference
    return _core


kernels = _choose()
NATIVE = kernels is not _reference

CHUNK = 1 << 24 if NATIVE else _reference.CHUNK
"""How many numbers to read in one call: a few hundredths of a second, so that Ctrl-C is heard."""
