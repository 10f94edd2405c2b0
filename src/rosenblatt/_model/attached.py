"""What a model file has beside the rule: how a table became numbers, and which data it was."""

from __future__ import annotations

from typing import Any

from rosenblatt._support.strict_json import InvalidDocument, plain
from rosenblatt.errors import InputError, InputTypeError


def encoding(given: Any) -> dict[str, Any] | None:
    """As JSON keeps it, or an error."""
    if given is None:
        return None
    found = given.to_dict() if hasattr(given, "to_dict") else given
    if type(found) is not dict:
        raise InputTypeError(
            f"encoding is a {type(given).__name__}: give a dict, or an object whose to_dict() "
            "returns one."
        )
    try:
        return plain(found, "encoding")  # type: ignore[no-any-return] # a dict stays one
    except InvalidDocument as why:
        raise InputError(
            f"{why}. Use text, finite numbers, True, False, None, lists and dicts of these."
        ) from None


def fingerprint(estimator: Any, given: str | None) -> str | None:
    """That given, or what training knows of its rows."""
    if given is None:
        recipe = getattr(estimator, "_trained_by", None)
        if recipe is not None:
            return str(recipe.data)
        certificate = getattr(estimator, "certificate_", None)
        return None if certificate is None else certificate.fingerprint
    if not isinstance(given, str):
        raise InputTypeError(f"data_fingerprint={given!r} is not text.")
    return str(given)
