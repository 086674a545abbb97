"""The conformance check of curricula: for the shipped ones and for anybody's own.

A curriculum that passes proposes the same tasks from the same generator, names no task twice, and continues exactly
from its state after a round trip through JSON.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from arena.errors import CheckError, ConfigError
from arena.seeds import generator
from arena.types import EpisodeGroup, Task
from curricula.curriculum import Credit, Curriculum

_ROUNDS = 4

_DOMAIN = {"domain": "arithmetic"}
SETTINGS: Sequence[Mapping[str, Any]] = (
    {"game": "kuhn_poker-v0"},
    {"game": "solve-v0", "base": _DOMAIN},
    {"game": "solve-v0", "base": {**_DOMAIN, "pay": "nothing"}},
    {"game": "solve/2-v0", "base": {**_DOMAIN, "pay": "nothing"}},
    {"game": "propose_solve/4-v0", "base": _DOMAIN},
    {"game": "propose_solve/4-v0", "base": {**_DOMAIN, "pay": "nothing"}},
)
"""Games with parameters that a campaign may hand to a curriculum: the check takes the first that it accepts."""


def setting_for(make: Callable[..., Curriculum]) -> Mapping[str, Any]:
    """Returns the first of ``SETTINGS`` that a curriculum accepts, as far as it asks for them.

    Raises:
        ConfigError: it accepts none; the message is that of the last.
    """
    asked = inspect.signature(make).parameters
    refusal: ConfigError | None = None
    for setting in SETTINGS:
        fitting = {name: value for name, value in setting.items() if name in asked}
        try:
            make(**fitting)
        except ConfigError as error:
            refusal = error
        else:
            return fitting
    raise refusal or ConfigError("setting_for: expected settings, got none; add one")


def check_curriculum(
    make: Callable[[], Curriculum],
    groups: Sequence[EpisodeGroup] = (),
    credits: Sequence[Credit] = (),
    count: int = 16,
) -> None:
    """Checks a curriculum over a few rounds.

    Args:
        make: builds a fresh one, with the same knobs each time.
        groups: episodes to settle and observe each round.
        credits: their advantages.
        count: tasks a round.

    Raises:
        CheckError: names the first round and field that differ.
    """
    one, other = make(), make()
    seen: dict[str, int] = {}
    for round_index in range(_ROUNDS):
        tasks = _round(one, groups, credits, round_index, count)
        _expect_equal(
            one.name, f"round {round_index}: tasks", tasks, _round(other, groups, credits, round_index, count)
        )
        _expect_distinct(one.name, tasks, seen, round_index)
        _expect_count(one.name, tasks, count, round_index)
        other = _restored(one, make)


def _round(
    curriculum: Curriculum, groups: Sequence[EpisodeGroup], credits: Sequence[Credit], round_index: int, count: int
) -> list[Task]:
    tasks = curriculum.propose(generator("check_curriculum", round_index), round_index, count)
    known = {episode.id for group in groups for episode in group.episodes}
    for settlement in curriculum.settle(groups):
        if settlement.episode_id not in known:
            raise CheckError(
                f"{curriculum.name}.settle: expected settlements of the given episodes, got {settlement.episode_id!r}; "
                "pay later ones when their groups arrive"
            )
    curriculum.observe(groups, credits)
    return tasks


def _restored(curriculum: Curriculum, make: Callable[[], Curriculum]) -> Curriculum:
    """Returns a fresh curriculum that took over the state through JSON text."""
    state = curriculum.state()
    try:
        text = json.dumps(state, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise CheckError(
            f"{curriculum.name}.state: expected JSON values, got {error}; keep numbers, text, lists and mappings only"
        ) from error
    fresh = make()
    fresh.restore(json.loads(text))
    _expect_equal(curriculum.name, "state after restore", json.loads(text), json.loads(json.dumps(fresh.state())))
    return fresh


def _expect_equal(name: str, what: str, expected: Any, got: Any) -> None:  # noqa: ANN401  (tasks or JSON)
    if expected != got:
        raise CheckError(
            f"{name}.{what}: expected the same from the same state and generator, got {got!r} after {expected!r}; "
            "draw from the given generator only and keep everything in state()"
        )


def _expect_distinct(name: str, tasks: Sequence[Task], seen: dict[str, int], round_index: int) -> None:
    for task in tasks:
        if task.id in seen:
            raise CheckError(
                f"{name}.propose: expected distinct task ids, got {task.id} in rounds "
                f"{seen[task.id]} and {round_index}; "
                "take each seed from arena.seeds.task_seed(seed, round_index, index)"
            )
        seen[task.id] = round_index


def _expect_count(name: str, tasks: Sequence[Task], count: int, round_index: int) -> None:
    if len(tasks) != count:
        raise CheckError(
            f"{name}.propose: expected {count} tasks in round {round_index}, got {len(tasks)}; return as many as asked"
        )
