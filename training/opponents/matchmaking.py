"""The contract of matchmaking: who sits in each seat of an episode."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from arena.registry import Registry
from arena.types import PolicyId, SeatPlan, Tag


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """The policies that can be seated.

    Attributes:
        live: the current version of each policy.
        snapshots: immutable earlier versions of each policy, oldest first; the first is the one before training.
    """

    live: Mapping[str, PolicyId]
    snapshots: Mapping[str, Sequence[PolicyId]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatAssignment:
    """The campaign's own assignment of a seat: a role, and the policy behind it (empty for a scripted player)."""

    seat: str
    role: str
    policy: str
    trained: bool


@runtime_checkable
class Matchmaking(Protocol):
    """Chooses a lineup.

    Attributes:
        name: the registered name.
    """

    name: str

    def lineup(
        self, seats: Sequence[SeatAssignment], population: Population, index: int, generator: np.random.Generator
    ) -> dict[str, SeatPlan]:
        """Returns who sits where in the ``index``-th group of a round."""
        ...


matchmakers: Registry[Matchmaking] = Registry("opponents", "training.opponents")
"""Every registered matchmaking, by name (``self``)."""


def live_lineup(seats: Sequence[SeatAssignment], population: Population) -> dict[str, SeatPlan]:
    """Returns the lineup that the campaign's config names, with live policies."""
    return {seat.seat: configured(seat, population) for seat in seats}


def configured(seat: SeatAssignment, population: Population) -> SeatPlan:
    """Returns the seat's plan as the config names it."""
    if not seat.policy:
        return SeatPlan(policy=PolicyId(name=seat.role), role=seat.role, tag=Tag.SCRIPTED)
    tag = Tag.LIVE if seat.trained else Tag.FROZEN
    return SeatPlan(policy=population.live[seat.policy], role=seat.role, tag=tag)
