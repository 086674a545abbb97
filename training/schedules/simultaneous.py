"""The simultaneous schedule: every game and every trained policy in every round."""

from __future__ import annotations

from collections.abc import Mapping

from training.schedules.schedule import Phase, schedules


@schedules.register("simultaneous")
class Simultaneous:
    """Splits each round's episodes over the games by their shares.

    Args:
        rounds: the length of the campaign.
        episodes_per_round: episodes of a round, over all games.
        shares: the share of each game.
        trained: the policies that are updated.
    """

    name = "simultaneous"

    def __init__(
        self, rounds: int, episodes_per_round: int, shares: Mapping[str, float], trained: frozenset[str]
    ) -> None:
        self.rounds = rounds
        self.trained = trained
        whole = sum(shares.values())
        self.episodes = {name: round(episodes_per_round * share / whole) for name, share in shares.items()}

    def next(self, round_index: int) -> Phase | None:
        """Returns the same phase for every round until the last."""
        if round_index >= self.rounds:
            return None
        return Phase(round=round_index, episodes=self.episodes, trained=self.trained)
