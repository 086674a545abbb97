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
        self.episodes = shared_out(episodes_per_round, shares)

    def next(self, round_index: int) -> Phase | None:
        """Returns the same phase for every round until the last."""
        if round_index >= self.rounds:
            return None
        return Phase(round=round_index, episodes=self.episodes, trained=self.trained)


def shared_out(total: int, shares: Mapping[str, float]) -> dict[str, int]:
    """Splits ``total`` by shares, none lost: the games with the largest remainders get one more."""
    whole = sum(shares.values())
    exact = {name: total * share / whole for name, share in shares.items()}
    counts = {name: int(value) for name, value in exact.items()}
    ranked = sorted(exact, key=lambda name: counts[name] - exact[name])
    for name in ranked[: total - sum(counts.values())]:
        counts[name] += 1
    return counts
