"""The contract of a schedule: which games are played and which policies are trained in the next round.

R-Zero's alternation, PSRO's best responses, STP's restarts and EnvGen's cycles are schedules over the same loop.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from arena.registry import Registry


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """One round.

    Attributes:
        round: its index.
        episodes: how many episodes of each game.
        trained: the policies that are updated.
    """

    round: int
    episodes: Mapping[str, int]
    trained: frozenset[str]


@runtime_checkable
class Schedule(Protocol):
    """Plans rounds.

    Attributes:
        name: the registered name.
    """

    name: str

    def next(self, round_index: int) -> Phase | None:
        """Returns the phase of a round, or ``None`` when the campaign is complete."""
        ...


schedules: Registry[Schedule] = Registry("schedule", "training.schedules")
"""Every registered schedule, by name (``simultaneous``)."""
