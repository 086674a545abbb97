"""The one parser of answers: free text that changes nothing, and an action in ``<action>...</action>``.

The last delimited action counts, so that a player may think aloud, quote the form and change its mind. Names of a
finite game are compared trimmed, case-folded and with inner whitespace collapsed. A delimited action that no rule
knows is still an ``Action``: legality is the environment's business.
"""

from __future__ import annotations

from collections.abc import Sequence

from arena.types import Action, NotUnderstood

OPEN = "<action>"
CLOSE = "</action>"
MOST_CHARACTERS = 1 << 16
"""Answers longer than this are not read."""

EMPTY = NotUnderstood(reason="empty")
"""Nothing but whitespace, in the answer or between the delimiters."""
NO_ACTION = NotUnderstood(reason="no_action")
"""No opening delimiter."""
UNCLOSED = NotUnderstood(reason="unclosed")
"""An opening delimiter, but no complete action."""
TOO_LONG = NotUnderstood(reason="too_long")
"""More than ``MOST_CHARACTERS``."""


def parse_action(text: str, legal: Sequence[str] | None) -> Action | NotUnderstood:
    """Returns the action in an answer, or why there is none; never raises, in time linear in the text.

    Args:
        text: the whole answer, any characters.
        legal: the names that a finite game allows; a match is returned in its spelling. ``None`` for free text, which
            is only trimmed.

    Returns:
        The last complete ``<action>...</action>``; between the last opening delimiter before it and the closing one.
        An answer cut off inside a later action still counts by the last complete one.
    """
    if len(text) > MOST_CHARACTERS:
        return TOO_LONG
    if not text.strip():
        return EMPTY
    end = text.rfind(CLOSE)
    start = -1 if end < 0 else text.rfind(OPEN, 0, end)
    if start < 0:
        return NO_ACTION if OPEN not in text else UNCLOSED
    inner = text[start + len(OPEN) : end]
    # A stray closing delimiter after the action: the action ends at its own.
    value = inner.split(CLOSE, 1)[0].strip()
    if not value:
        return EMPTY
    return Action(value=value if legal is None else _spelling(value, legal))


def delimited(action: str) -> str:
    """Returns an action as players write it, so that ``parse_action(delimited(a), ...)`` reads it back."""
    return f"{OPEN}{action}{CLOSE}"


def _spelling(value: str, legal: Sequence[str]) -> str:
    """Returns the legal name that ``value`` spells, or ``value`` folded when none matches."""
    folded = _fold(value)
    return next((name for name in legal if _fold(name) == folded), folded)


def _fold(name: str) -> str:
    return " ".join(name.casefold().split())
