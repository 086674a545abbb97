"""The world: values, rules of games, task domains, verifiers, the episode log, exact solutions, conformance checks.

``arena.env(game)`` and ``arena.parallel_env(game)`` turn a game into a PettingZoo environment; they are loaded on
first use, so that importing the values and the rules stays cheap. The registry of games is ``arena.game.games``
(``arena.games`` is the package of the built-in ones).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.game import Call, Chance, Game, Verifier
from arena.types import (
    NATURE,
    Action,
    Capabilities,
    Episode,
    GameSpec,
    IllegalRule,
    NotUnderstood,
    Observation,
    Outcome,
    Payoff,
    PolicyId,
    Status,
    Task,
    Turn,
    Verdict,
)

if TYPE_CHECKING:
    from arena.aec import env
    from arena.foreign.env import ForeignEnv
    from arena.parallel import parallel_env

__all__ = [
    "NATURE",
    "Action",
    "Call",
    "Capabilities",
    "Chance",
    "Episode",
    "ForeignEnv",
    "Game",
    "GameSpec",
    "IllegalRule",
    "NotUnderstood",
    "Observation",
    "Outcome",
    "Payoff",
    "PolicyId",
    "Status",
    "Task",
    "Turn",
    "Verdict",
    "Verifier",
    "env",
    "parallel_env",
]

_ON_FIRST_USE = {"env": "arena.aec", "parallel_env": "arena.parallel", "ForeignEnv": "arena.foreign.env"}


def __getattr__(name: str) -> object:
    """Loads the environments, and PettingZoo with them, when they are first asked for."""
    if name not in _ON_FIRST_USE:
        raise AttributeError(f"module 'arena' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_ON_FIRST_USE[name]), name)
