"""Mixed play: in a share of the groups one seat is taken by somebody else.

The seat rotates, so that the learner meets the other player from every side: the policy before training (``frozen``),
an immutable snapshot (``past``) or a registered scripted player (``scripted``).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from arena.errors import ConfigError
from arena.types import PolicyId, SeatPlan, Tag
from roles.role import scripted_players
from training.opponents.matchmaking import Population, SeatAssignment, configured, live_lineup, matchmakers
from training.parts import check_part


class _Mixed(ABC):
    """Seats another player in one rotating seat of a share of the groups."""

    name = ""

    def __init__(self, share: float = 0.5) -> None:
        if not 0.0 < share <= 1.0:
            raise ConfigError(f"opponents.share: expected a number in (0, 1], got {share}; 0.5 is half of the groups")
        self.share = share

    def lineup(
        self, seats: Sequence[SeatAssignment], population: Population, index: int, generator: np.random.Generator
    ) -> dict[str, SeatPlan]:
        """Returns the live lineup, or the one with another player in the seat whose turn it is."""
        plans = live_lineup(seats, population)
        if generator.random() < self.share:
            seat = seats[index % len(seats)]
            plans[seat.seat] = self.other(seat, population, generator)
        return plans

    @abstractmethod
    def other(self, seat: SeatAssignment, population: Population, generator: np.random.Generator) -> SeatPlan:
        """Returns who takes the seat instead of the live policy."""


@matchmakers.register("frozen")
class FrozenOpponents(_Mixed):
    """Seats the policy before training.

    Args:
        share: the share of groups that meet it.
    """

    name = "frozen"

    def other(self, seat: SeatAssignment, population: Population, generator: np.random.Generator) -> SeatPlan:
        """Returns the first snapshot of the seat's policy."""
        if not seat.policy:
            return configured(seat, population)
        return SeatPlan(policy=population.snapshots[seat.policy][0], role=seat.role, tag=Tag.FROZEN)


@matchmakers.register("past")
class PastOpponents(_Mixed):
    """Seats an earlier snapshot, each as likely as any other.

    Args:
        share: the share of groups that meet one.
    """

    name = "past"

    def other(self, seat: SeatAssignment, population: Population, generator: np.random.Generator) -> SeatPlan:
        """Returns a snapshot of the seat's policy."""
        if not seat.policy:
            return configured(seat, population)
        snapshots = population.snapshots[seat.policy]
        return SeatPlan(policy=snapshots[int(generator.integers(len(snapshots)))], role=seat.role, tag=Tag.PAST)


@matchmakers.register("scripted")
class ScriptedOpponents(_Mixed):
    """Seats a scripted player.

    Args:
        player: its registered name.
        share: the share of groups that meet it.

    Raises:
        ConfigError: no scripted player has the name, or it needs knobs.
    """

    name = "scripted"

    def __init__(self, player: str = "uniform", share: float = 0.5) -> None:
        super().__init__(share)
        check_part(scripted_players, {"name": player}, "opponents.player")
        self.player = player

    def other(self, seat: SeatAssignment, population: Population, generator: np.random.Generator) -> SeatPlan:
        """Returns the scripted player's plan."""
        return SeatPlan(policy=PolicyId(name=self.player), role=self.player, tag=Tag.SCRIPTED)
