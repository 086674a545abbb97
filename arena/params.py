"""Task parameters: which a game knows, and whole numbers within their range.

A misspelt parameter that nobody reads would be a game silently played with its default, so unknown names are refused
where a task begins.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.errors import ConfigError, unknown_name
from arena.types import GameSpec, Task


def check_known(spec: GameSpec, params: Mapping[str, Any]) -> None:
    """Refuses parameters that the game does not declare in ``spec.params``.

    Raises:
        UnknownNameError: a name is unknown; the message lists the nearest known ones.
    """
    for name in params:
        if name not in spec.params:
            raise unknown_name(f"task.params of {spec.id}", name, spec.params)


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
