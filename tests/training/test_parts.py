"""Selectable parts: names, knobs and types are checked against the registered factory."""

import pytest

from arena.errors import ConfigError, UnknownNameError
from arena.registry import Registry
from training.parts import build_part, check_part, part_name

things: Registry = Registry("thing", "training.estimators")


@things.register("plain")
class Plain:
    """Takes knobs of every simple type, and the game that the campaign hands over."""

    def __init__(self, game: str, size: float = 1.0, count: int = 2, on: bool = True, note: str | None = None) -> None:
        self.knobs = (game, size, count, on, note)


@things.register("needy")
class Needy:
    """Needs a knob."""

    def __init__(self, level: int) -> None:
        self.level = level


@things.register("made")
def made(size: float = 3.0) -> float:
    """A factory that is a function."""
    return size


def test_knobs_and_what_is_handed_over():
    part = {"name": "plain", "size": 2, "note": "hi"}
    assert build_part(things, part, "x", game="kuhn", seed=3).knobs == ("kuhn", 2, 2, True, "hi")
    assert build_part(things, {"name": "made", "size": 1.5}, "x", game="kuhn") == 1.5


@pytest.mark.parametrize(
    ("part", "kind", "words"),
    [
        ({}, ConfigError, r"x\.name: expected the name"),
        ({"name": ""}, ConfigError, r"x\.name"),
        ({"name": 3}, ConfigError, r"x\.name.*got 3"),
        ({"name": "plian"}, UnknownNameError, r"x\.name.*did you mean plain"),
        ({"name": "plain", "sise": 2}, UnknownNameError, r"x\.sise of plain.*did you mean size"),
        ({"name": "plain", "game": "other"}, UnknownNameError, r"x\.game of plain"),
        ({"name": "plain", "size": "big"}, ConfigError, r"x\.size: expected float, got 'big' \(str\)"),
        ({"name": "plain", "size": None}, ConfigError, r"x\.size: expected float"),
        ({"name": "plain", "size": True}, ConfigError, r"x\.size: expected float, got True"),
        ({"name": "plain", "count": 1.5}, ConfigError, r"x\.count: expected int, got 1.5"),
        ({"name": "plain", "count": True}, ConfigError, r"x\.count: expected int, got True"),
        ({"name": "plain", "on": 1}, ConfigError, r"x\.on: expected bool, got 1"),
        ({"name": "plain", "note": 1}, ConfigError, r"x\.note: expected str or none"),
        ({"name": "needy"}, ConfigError, r"x\.level: expected a value, got none; needy needs it"),
        ({"name": "made", "level": 1}, UnknownNameError, r"x\.level of made"),
    ],
)
def test_what_does_not_fit_is_named(part, kind, words):
    with pytest.raises(kind, match=words):
        check_part(things, part, "x", frozenset({"game"}))
    with pytest.raises(kind, match=words):
        build_part(things, part, "x", game="kuhn")


def test_the_name_of_a_part():
    assert part_name({"name": "rae", "decay": 1}, "x") == "rae"
