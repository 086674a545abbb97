"""The optimal player of zero-sum games of two seats in which nothing is hidden, by backward induction.

It mixes all optimal actions uniformly, so it never loses what the position holds, but sets no traps for weak
opponents. The game is enumerated on the first move and kept: one table per game.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from arena.errors import InputError
from arena.game import Game
from arena.game_tree import game_tree
from arena.solutions import minimax
from arena.types import Observation, Task
from roles.role import scripted_players
from roles.scripted import legal_actions


@scripted_players.register("minimax")
class Minimax:
    """Plays every optimal action with the same probability.

    Args:
        params: the parameters of the tasks that will be played; an observation does not tell them.
    """

    name: str = "minimax"

    def __init__(self, params: Mapping[str, Any] = MappingProxyType({})) -> None:
        self._params = dict(params)
        self._solved: dict[str, dict[str, dict[str, dict[str, float]]]] = {}

    def strategy(self, game: Game[Any], observation: Observation) -> dict[str, float]:
        """Returns the optimal actions, equally likely, and 0 for the rest.

        Raises:
            CapabilityError: the game cannot be enumerated, hides information, or is not zero-sum of two seats.
            InputError: the position does not occur under these ``params``.
        """
        legal_actions(self.name, game, observation)
        if game.spec.id not in self._solved:
            self._solved[game.spec.id] = minimax(game_tree(game, Task(game=game.spec.id, params=self._params)))[1]
        known = self._solved[game.spec.id].get(observation.seat, {})
        if observation.information_key not in known:
            raise InputError(
                f"minimax: expected a position of {game.spec.id} with params {self._params}, got "
                f"{observation.information_key!r} of {observation.seat!r}; give the params of the tasks that are played"
            )
        return dict(known[observation.information_key])
