"""The values: what identifies a task, and that nothing can be changed after the fact."""

import dataclasses
import os
import subprocess
import sys

import pytest

from arena.types import Action, GameSpec, Payoff, PolicyId, Task


def test_task_id_depends_on_game_params_and_seed_only():
    task = Task(game="kuhn_poker-v0", params={"a": 1, "b": [2]}, seed=7)
    assert task.id == Task(game="kuhn_poker-v0", params={"b": [2], "a": 1}, seed=7, author="x", parents=("p",)).id
    others = [
        Task(game="kuhn_poker-v1", params={"a": 1, "b": [2]}, seed=7),
        Task(game="kuhn_poker-v0", params={"a": 2, "b": [2]}, seed=7),
        Task(game="kuhn_poker-v0", params={"a": 1, "b": [2]}, seed=8),
    ]
    assert len({task.id, *(other.id for other in others)}) == 4


def test_task_id_is_the_same_in_every_process():
    code = "from arena.types import Task; print(Task(game='g-v0', params={'x': 1}, seed=3).id)"
    ids = {
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True
        ).stdout.strip()
        for seed in ("0", "1")
    }
    assert ids == {Task(game="g-v0", params={"x": 1}, seed=3).id}


def test_values_are_frozen_and_keyword_only():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Action(value="bet").value = "fold"
    with pytest.raises(TypeError):
        Action("bet")


def test_names():
    spec = GameSpec(
        name="g", version=3, seats=("a",), payoff=Payoff.COMMON, max_turns=1, returns_range=(0, 1), actions=None
    )
    assert spec.id == "g-v3"
    assert str(PolicyId(name="player", version=12)) == "player@12"
    assert PolicyId(name="a", version=2) < PolicyId(name="b", version=1)
