"""Selectable parts: ``{name: NAME, knob: value}`` checked against the registered factory, then built.

A new estimator or curriculum is one file: its knobs are the parameters of its constructor, and this is where a
misspelt one is caught, before any work.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from types import NoneType
from typing import Any, TypeVar, get_args, get_type_hints

from arena.errors import ConfigError, unknown_name
from arena.registry import Registry

T = TypeVar("T")


def part_name(part: Mapping[str, Any], where: str) -> str:
    """Returns the ``name`` of a part.

    Raises:
        ConfigError: it has none.
    """
    name = part.get("name")
    if not isinstance(name, str) or not name:
        raise ConfigError(f"{where}.name: expected the name of a registered item, got {name!r}; write {{name: ...}}")
    return name


def check_part(
    registry: Registry[Any], part: Mapping[str, Any], where: str, given: frozenset[str] = frozenset()
) -> None:
    """Refuses a part whose name is unknown or whose knobs do not fit the factory.

    Args:
        registry: where the name is filed.
        part: the part.
        where: its place in the config, for messages.
        given: parameters that the campaign itself hands over.

    Raises:
        ConfigError: a knob is unknown, missing, or of the wrong type; the nearest known knobs are listed.
    """
    factory = registry.factory(part_name(part, where), f"{where}.name")
    parameters = dict(inspect.signature(factory).parameters)
    hints = get_type_hints(factory.__init__ if inspect.isclass(factory) else factory)
    knobs = {name for name in parameters if name not in given}
    for knob, value in part.items():
        if knob == "name":
            continue
        if knob not in knobs:
            raise unknown_name(f"{where}.{knob} of {part['name']}", knob, knobs)
        _check_type(value, hints.get(knob, Any), f"{where}.{knob}")
    for knob in knobs - set(part):
        if parameters[knob].default is inspect.Parameter.empty:
            raise ConfigError(f"{where}.{knob}: expected a value, got none; {part['name']} needs it")


def one_of(known: Iterable[str], **values: str) -> None:
    """Refuses values that are not among the known names.

    Raises:
        UnknownNameError: a value is unknown; the message names its key and lists the nearest names.
    """
    for where, value in values.items():
        if value not in known:
            raise unknown_name(where, value, known)


def build_part(registry: Registry[T], part: Mapping[str, Any], where: str, **given: object) -> T:
    """Checks a part and builds it; ``given`` is what the campaign hands over, as far as the factory asks for it."""
    check_part(registry, part, where, frozenset(given))
    parameters = inspect.signature(registry.factory(part_name(part, where))).parameters
    handed = {name: value for name, value in given.items() if name in parameters}
    knobs = {name: value for name, value in part.items() if name != "name"}
    return registry.make(part_name(part, where), **handed, **knobs)


def _check_type(value: object, hint: Any, where: str) -> None:  # noqa: ANN401 - any annotation
    simple = [kind for kind in (get_args(hint) or (hint,)) if kind in (int, float, str, bool, NoneType)]
    if not simple:
        return
    numeric = isinstance(value, int) and not isinstance(value, bool) and float in simple
    exact = any(type(value) is kind for kind in simple)
    if not (numeric or exact):
        names = " or ".join("none" if kind is NoneType else kind.__name__ for kind in simple)
        raise ConfigError(f"{where}: expected {names}, got {value!r} ({type(value).__name__}); correct the value")
