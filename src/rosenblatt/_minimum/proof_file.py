"""Proofs of errors as documents: how they are made, written and held against the data."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt import verify, verify_errors
from rosenblatt._support.files import write_whole
from rosenblatt.errors import CertificateRejected


def proof_document(
    head: dict[str, Any],
    tree: dict[str, Any],
    *,
    unit: Fraction,
    at_least: int,
    at_most: int,
    rule: NDArray[np.float64],
) -> dict[str, Any]:
    """As `verify_errors.py` reads it; both ends are in units."""
    return {
        **head,
        "schema": verify_errors.SCHEMA,
        "unit": str(unit),
        "at_least": at_least,
        "at_most": at_most,
        "rule": [float(v).hex() for v in rule.tolist()],
        **tree,
    }


def save(document: dict[str, Any], path: str | os.PathLike[str]) -> None:
    """As JSON, whole or not at all."""
    text = json.dumps(document, ensure_ascii=False)
    write_whole(path, f"{text}\n".encode(), overwrite=True)


def held_against(
    head: dict[str, Any],
    X: Any,
    y: Any,
    check: Callable[[Any, NDArray[np.int8]], None],
    what: str,
) -> None:
    """Read the data again and check; what does not hold is a CertificateRejected about `what`."""
    from rosenblatt._proof.table import read_again

    X, _, texts = read_again(X, y, head)
    try:
        check(X, np.array(verify.label_signs(head, texts), dtype=np.int8))
    except (verify.Rejected, ValueError) as reason:
        raise CertificateRejected(f"{what} rejected: {reason}.") from None
