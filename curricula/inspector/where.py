"""A filter over the rows of a view: ``status=admitted,solve_rate>0.25,by=proposer@*``.

Terms stand between commas and all must hold. ``=`` and ``!=`` compare text by shell patterns (``*``, ``?``), numbers as
numbers and a list by its items; ``<``, ``<=``, ``>`` and ``>=`` compare numbers. A value that a row does not have (the
solve rate of a task that nobody tried) fails every term but ``!=``.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from arena.errors import InputError, unknown_name

_TERM = re.compile(r"\s*([a-z_]+)\s*(!=|>=|<=|=|>|<)\s*(.*?)\s*", re.DOTALL)
_ORDER: Mapping[str, Callable[[float, float], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """One comparison of a column with a value."""

    key: str
    sign: str
    value: str

    def holds(self, row: Mapping[str, Any]) -> bool:
        """Returns whether a row passes."""
        found = row[self.key]
        if self.sign in ("=", "!="):
            return _equal(found, self.value) == (self.sign == "=")
        return isinstance(found, int | float) and _ORDER[self.sign](found, float(self.value))


def parse(query: str, keys: Sequence[str]) -> tuple[Term, ...]:
    """Returns the terms of a query over the columns ``keys``; none for an empty one.

    Raises:
        InputError: a term cannot be read, or compares with what is no number.
        UnknownNameError: there is no such column.
    """
    terms = []
    for text in filter(None, (part.strip() for part in query.split(","))):
        match = _TERM.fullmatch(text)
        if match is None:
            raise InputError(f"--where: expected terms like status=admitted,round>3, got {text!r}; write key=value")
        term = Term(key=match[1], sign=match[2], value=match[3])
        if term.key not in keys:
            raise unknown_name("--where", term.key, keys)
        if term.sign in _ORDER and _number(term.value) is None:
            raise InputError(f"--where {text}: expected a number after {term.sign}, got {term.value!r}; write one")
        terms.append(term)
    return tuple(terms)


def keep(rows: Iterable[dict[str, Any]], terms: Sequence[Term]) -> list[dict[str, Any]]:
    """Returns the rows for which all terms hold."""
    return [row for row in rows if all(term.holds(row) for term in terms)]


def _equal(found: object, value: str) -> bool:
    if isinstance(found, list):
        return any(_equal(one, value) for one in found)
    if found is None:
        return False
    if isinstance(found, int | float) and not isinstance(found, bool):
        return _number(value) == float(found)
    return fnmatchcase(str(found).lower() if isinstance(found, bool) else str(found), value)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
