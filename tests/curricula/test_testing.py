"""The check of curricula finds each kind of fault."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from arena.errors import CheckError, ConfigError
from arena.types import EpisodeGroup, Settlement, Task
from curricula.generated import Generated
from curricula.majority_vote import MajorityVote
from curricula.testing import check_curriculum, setting_for
from curricula.uniform import Uniform


class Stale(Uniform):
    """Proposes the same tasks every round."""

    def propose(self, generator: np.random.Generator, round_index: int, count: int) -> list[Task]:
        return Uniform("g-v0", seed=1).propose(generator, 0, count)


class Forgetful(Uniform):
    """Keeps what matters outside its state."""

    age = 0

    def propose(self, generator: np.random.Generator, round_index: int, count: int) -> list[Task]:
        self.age += 1
        return super().propose(generator, round_index + 1000 * self.age, count)


class Opaque(Uniform):
    """Its state is not JSON."""

    def state(self) -> dict[str, Any]:
        return {**super().state(), "generator": object()}


class Amnesic(Uniform):
    """Restores nothing."""

    def restore(self, state: Mapping[str, Any]) -> None:
        return None


class Short(Uniform):
    """Proposes one task too few."""

    def propose(self, generator: np.random.Generator, round_index: int, count: int) -> list[Task]:
        return super().propose(generator, round_index, count - 1)


class Generous(Uniform):
    """Pays an episode that nobody played."""

    def settle(self, groups: Sequence[EpisodeGroup]) -> list[Settlement]:
        return [Settlement(episode_id="x", seat="a", turn=None, terms={"gift": 1.0}, formula="f1", round=0)]


@pytest.mark.parametrize(
    ("kind", "fault"),
    [
        (Stale, "expected distinct task ids"),
        (Forgetful, "round 1: tasks: expected the same"),
        (Opaque, "state: expected JSON values"),
        (Amnesic, "state after restore: expected the same"),
        (Short, "expected 16 tasks in round 0, got 15"),
        (Generous, "expected settlements of the given episodes"),
    ],
)
def test_each_fault_is_named(kind: type[Uniform], fault: str) -> None:
    with pytest.raises(CheckError, match=fault):
        check_curriculum(lambda: kind("g-v0", seed=1))


class Picky(Uniform):
    """Accepts no game at all."""

    def __init__(self, game: str, seed: int = 0) -> None:
        raise ConfigError(f"picky: expected another game, got {game}; choose one")


def test_a_setting_is_found_for_each_kind_of_curriculum() -> None:
    assert setting_for(Uniform)["game"] == "kuhn_poker-v0"
    assert setting_for(Generated) == {"game": "solve-v0", "base": {"domain": "arithmetic"}}
    assert setting_for(MajorityVote)["base"]["pay"] == "nothing"
    assert setting_for(lambda: Uniform("g-v0")) == {}
    with pytest.raises(ConfigError, match="picky: expected another game"):
        setting_for(Picky)
