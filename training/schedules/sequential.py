"""The sequential schedule: one game after the other, each for its share of the rounds.

What a policy forgets of the first game while it learns the second is measured by evaluating all games all the time.
"""

from __future__ import annotations

from collections.abc import Mapping

from training.schedules.schedule import Phase, schedules
from training.schedules.simultaneous import shared_out


@schedules.register("sequential")
class Sequential:
    """Plays the games one after another, in the order of the config, each for its share of the rounds.

    Args:
        rounds: the length of the campaign.
        episodes_per_round: episodes of a round, all of one game.
        shares: the share of each game.
        trained: the policies that are updated.
    """

    name = "sequential"

    def __init__(
        self, rounds: int, episodes_per_round: int, shares: Mapping[str, float], trained: frozenset[str]
    ) -> None:
        self.episodes = episodes_per_round
        self.trained = trained
        self.order = [name for name, count in shared_out(rounds, shares).items() for _ in range(count)]

    def next(self, round_index: int) -> Phase | None:
        """Returns the phase of the game whose turn it is."""
        if round_index >= len(self.order):
            return None
        return Phase(round=round_index, episodes={self.order[round_index]: self.episodes}, trained=self.trained)
