"""The alternating schedule: policies take turns at learning, against the others as they are (R-Zero, arXiv 2508.05004).

Every game is played in every round. A policy that is not trained in a round still plays, so the one whose turn it is
learns against an opponent that stands still.
"""

from __future__ import annotations

from collections.abc import Mapping

from arena.errors import ConfigError, unknown_name
from training.schedules.schedule import Phase, schedules
from training.schedules.simultaneous import shared_out


@schedules.register("alternating")
class Alternating:
    """Trains one policy at a time, each for the rounds of its turn, in the order of the turns.

    Args:
        rounds: the length of the campaign.
        episodes_per_round: episodes of a round, over all games.
        shares: the share of each game.
        trained: the policies that are updated.
        turns: the rounds of each policy's turn.

    Raises:
        ConfigError: there are no turns, a turn has no rounds, or a trained policy has no turn.
        UnknownNameError: a turn belongs to no trained policy.
    """

    name = "alternating"

    def __init__(
        self,
        rounds: int,
        episodes_per_round: int,
        shares: Mapping[str, float],
        trained: frozenset[str],
        turns: Mapping[str, int],
    ) -> None:
        for policy, length in turns.items():
            if policy not in trained:
                raise unknown_name("schedule.turns, the trained policies", policy, trained)
            if length < 1:
                raise ConfigError(
                    f"schedule.turns.{policy}: expected at least 1 round, got {length}; raise it, or set "
                    f"policies.{policy}.trained=false"
                )
        missing = sorted(trained - set(turns))
        if missing or not turns:
            raise ConfigError(
                f"schedule.turns: expected a turn for each trained policy, got none for {', '.join(missing) or 'any'}; "
                "for example {challenger: 1, solver: 1}"
            )
        self.rounds = rounds
        self.episodes = shared_out(episodes_per_round, shares)
        self.order = [policy for policy, length in turns.items() for _ in range(length)]

    def next(self, round_index: int) -> Phase | None:
        """Returns the phase in which the policy whose turn it is learns."""
        if round_index >= self.rounds:
            return None
        learner = self.order[round_index % len(self.order)]
        return Phase(round=round_index, episodes=self.episodes, trained=frozenset({learner}))
