r"""Any Python text, in files that hold UTF-8 only.

Model output may hold NUL, escape sequences, line separators, noncharacters and lone surrogates. All but the last are
plain UTF-8. A text with a lone surrogate is written as a mark (a Unicode noncharacter) and its Python escapes, so it
comes back exactly; a text that begins with the mark is escaped too. Every other text is stored as it is, and any
tool can read it. JSON's own ``\ud83d`` escapes would not do: two lone surrogates side by side would come back as one
character.

JSON here is ASCII on one line, and refuses what JSON lacks: numbers that are not finite, values of other types.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

import numpy as np

from arena.errors import LogError

MARK = "\ufdd0"
"""Begins an escaped text; Unicode reserves it for internal use and never assigns it."""

_ESCAPED_MARK = "\\ufdd0"
"""The mark as ASCII JSON writes it."""


def encode_text(text: str) -> str:
    """Returns a text that UTF-8 can hold, from which ``decode_text`` gets ``text`` back."""
    if text.startswith(MARK):
        return _escaped(text)
    try:
        text.encode()
    except UnicodeEncodeError:
        return _escaped(text)
    return text


def decode_text(stored: str) -> str:
    """Returns the text that ``encode_text`` was given.

    Raises:
        LogError: ``stored`` carries the mark but is no escaped text.
    """
    if not stored.startswith(MARK):
        return stored
    try:
        return stored[len(MARK) :].encode("ascii").decode("unicode_escape")
    except UnicodeError as error:
        raise LogError(
            f"text: expected Python escapes after U+FDD0, got {stored[:60]!a}; the file was altered"
        ) from error


def dump_json(value: object, where: str) -> str:
    """Returns JSON on one ASCII line; the order of keys is kept, tuples become arrays, numpy values plain ones.

    Args:
        value: JSON values, mappings, numpy scalars and arrays.
        where: names the value in errors.

    Raises:
        LogError: a number is not finite, a key is not text, or a value is of another type.
    """
    try:
        return json.dumps(_plain(value), allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise LogError(
            f"{where}: expected finite numbers, text, lists and mappings with text keys, got {value!r:.200} ({error}); "
            "convert the value, and write None for a number that does not exist"
        ) from error


def load_json(text: str, where: str) -> object:
    """Returns the value that ``dump_json`` was given, with lists for tuples.

    Raises:
        LogError: ``text`` is not JSON.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise LogError(f"{where}: expected JSON, got {text[:60]!a} ({error}); the file was altered") from error
    return _decoded(value) if _ESCAPED_MARK in text or MARK in text else value


def _escaped(text: str) -> str:
    return MARK + text.encode("unicode_escape").decode("ascii")


def _plain(value: object) -> object:
    if isinstance(value, str):
        return encode_text(value)
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, np.generic | np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, Mapping):
        if odd := [key for key in value if not isinstance(key, str)]:
            raise TypeError(f"key {odd[0]!r} is not text")
        return {encode_text(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    raise TypeError(f"{type(value).__name__} is not JSON")


def _decoded(value: object) -> object:
    if isinstance(value, str):
        return decode_text(value)
    if isinstance(value, list):
        return [_decoded(item) for item in value]
    if isinstance(value, dict):
        return {decode_text(key): _decoded(item) for key, item in value.items()}
    return value
