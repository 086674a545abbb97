"""Task parameters: which a game knows, their defaults, and whole numbers within their range.

A misspelt parameter that nobody reads would be a game silently played with its default, so unknown names are refused
where a task begins.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from arena.errors import ConfigError, unknown_name
from arena.game import Game, State
from arena.types import GameSpec, Task


def check_known(spec: GameSpec, params: Mapping[str, Any]) -> None:
    """Refuses parameters that the game does not declare in ``spec.params``.

    Raises:
        UnknownNameError: a name is unknown; the message lists the nearest known ones.
    """
    for name in params:
        if name not in spec.params:
            raise unknown_name(f"task.params of {spec.id}", name, spec.params)


def reset(game: Game[State], task: Task) -> State:
    """Returns the first state of a task; ``game.reset`` sees every declared parameter, set or at its default.

    Raises:
        UnknownNameError: the task sets a parameter that the game does not declare.
        ConfigError: the game refuses a parameter.
    """
    declared = game.spec.params
    if not declared and not task.params:
        return game.reset(task)
    check_known(game.spec, task.params)
    return game.reset(replace(task, params={**declared, **task.params}))


def whole_number(spec: GameSpec, task: Task, name: str, least: int, most: int) -> int:
    """Returns a parameter that is a whole number, or its declared default.

    Raises:
        ConfigError: it is no whole number from ``least`` to ``most``.
    """
    value = task.params.get(name, spec.params[name])
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        default = spec.params[name]
        raise ConfigError(
            f"task.params.{name}: expected a whole number from {least} to {most}, got {value!r}; "
            f"change it or leave it out for {default}"
        )
    return value
