"""Every error that Ludus raises on purpose, on one page.

The message of each reads ``<where>: expected <what>, got <value>; <what to do>``. Two branches matter to callers:
``InputError`` (the input was wrong; nothing was done; the command line exits with 2) and ``RunError`` (work had
begun; the command line exits with 1).
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class LudusError(Exception):
    """The root of the errors that Ludus raises on purpose."""


class InputError(LudusError):
    """The input was wrong, and was found wrong before any work."""


class UnknownNameError(InputError):
    """A name that no registry knows; the message lists the nearest known ones."""


class ConfigError(InputError):
    """A campaign's config is misspelt, of the wrong type, out of range, or asks for an impossible combination."""


class CapabilityError(InputError):
    """A sampler, estimator or evaluation asks a game, role or engine for what it does not offer."""


class CheckError(LudusError):
    """A conformance check failed; the message names the first step, seat and field that differ."""


class RunError(LudusError):
    """A run failed after work had begun; everything committed before it is intact."""


class GameError(RunError):
    """A game broke its contract or raised inside its rules; carries the game, the ply and the task."""


class PlayerQuit(RunError):
    """The person in a seat left the game: asked to, or the terminal closed."""


class PlayError(RunError):
    """Play was driven out of turn: a move of a seat that is not to move, or a step while a call is pending."""


class LogError(RunError):
    """An episode log could not be written or read."""


class CheckpointError(RunError):
    """A checkpoint is torn, altered or of another schema."""


class EngineError(RunError):
    """An inference engine failed, or answered with a policy version nobody asked for."""


def nearest(name: str, known: Iterable[str], most: int = 3) -> list[str]:
    """Returns up to ``most`` known names that look like ``name``, best first."""
    return difflib.get_close_matches(name, list(known), n=most, cutoff=0.5)


def unknown_name(where: str, name: str, known: Iterable[str]) -> UnknownNameError:
    """Builds the error for a name that is not known, with the nearest names or, failing that, all of them."""
    names = sorted(known)
    close = nearest(name, names)
    hint = f"did you mean {' or '.join(close)}?" if close else f"known: {', '.join(names) or 'none'}"
    return UnknownNameError(f"{where}: expected a known name, got {name!r}; {hint}")
