"""The contract of a sampler: plans of episodes in, episodes out, one chunk at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from pettingzoo import AECEnv

from arena.game import Verifier
from arena.registry import Registry
from arena.types import Episode, SeatPlan, Task
from training.players import Player


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodePlan:
    """Everything that determines an episode before it is played.

    Attributes:
        id: the episode's id.
        group_id: its group.
        round: its round.
        task: what is played.
        lineup: who sits where, for the log.
        players: who sits where, to act.
        seeds: the seed of each seat's randomness.
    """

    id: str
    group_id: str
    round: int
    task: Task
    lineup: Mapping[str, SeatPlan]
    players: Mapping[str, Player]
    seeds: Mapping[str, int]


class EnvFactory(Protocol):
    """Opens environments of one game; a campaign re-uses them."""

    def __call__(self) -> AECEnv[str, object, object]:
        """Returns an environment that pauses at calls."""
        ...


@runtime_checkable
class Sampler(Protocol):
    """Plays a chunk of episodes side by side.

    Attributes:
        name: the registered name.
        forks: whether the sampler needs a game that can fork.
    """

    name: str
    forks: bool

    def play(self, plans: Sequence[EpisodePlan], open_env: EnvFactory, verifier: Verifier | None) -> list[Episode]:
        """Returns the episodes of one chunk, in the order of their plans.

        A game that breaks ends its own episode as FAILED, with the reason; its siblings live on.
        """
        ...


samplers: Registry[Sampler] = Registry("sampler", "training.samplers")
"""Every registered sampler, by name (``independent``)."""
