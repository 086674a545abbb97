"""Self-play: every seat is played by the live policy that the config names."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arena.types import SeatPlan
from training.opponents.matchmaking import Population, SeatAssignment, live_lineup, matchmakers


@matchmakers.register("self")
class SelfPlay:
    """Every seat is played by the live policy that the config names."""

    name = "self"

    def lineup(
        self, seats: Sequence[SeatAssignment], population: Population, index: int, generator: np.random.Generator
    ) -> dict[str, SeatPlan]:
        """Returns the live lineup."""
        return live_lineup(seats, population)
