"""Players without a model that need no solution of the game: uniform, and a fixed order of preference.

A scripted player names probabilities; ``act`` samples from them. Both read the observation only, never a state.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from arena.errors import CapabilityError
from arena.game import Game
from arena.types import Observation
from roles.role import ScriptedPlayer, scripted_players

OPTIMAL = {
    "kuhn_poker-v0": "kuhn_equilibrium",
    "matching_pennies-v0": "uniform",
    "nim-v0": "minimax",
    "rock_paper_scissors-v0": "uniform",
    "tic_tac_toe-v0": "minimax",
}
"""Game -> the scripted player that nobody can exploit; games that are not named are solved by ``equilibrium``."""


def optimal_player(game: str) -> str:
    """Returns the scripted player that plays a registered game perfectly.

    Games that ``OPTIMAL`` does not name are left to ``equilibrium``, which solves every zero-sum game of two seats
    that can be enumerated and refuses the others by name, with the reason, when it is first asked for a strategy.
    """
    return OPTIMAL.get(game, "equilibrium")


def act(player: ScriptedPlayer, game: Game[Any], observation: Observation, generator: np.random.Generator) -> str:
    """Samples one legal action of a scripted player, with one draw of ``generator``.

    Actions are laid out in the observation's canonical order, so the result does not depend on the order in which
    the player happens to list them.

    Raises:
        CapabilityError: the observation lists no legal actions.
    """
    legal = legal_actions(player.name, game, observation)
    strategy = player.strategy(game, observation)
    cumulative = np.cumsum([strategy.get(action, 0.0) for action in legal])
    index = int(np.searchsorted(cumulative, generator.random() * cumulative[-1], side="right"))
    return legal[min(index, len(legal) - 1)]


def legal_actions(where: str, game: Game[Any], observation: Observation) -> tuple[str, ...]:
    """Returns the legal actions of an observation.

    Raises:
        CapabilityError: there are none to choose from (free text, or the seat is not to move).
    """
    if not observation.legal_actions:
        raise CapabilityError(
            f"{where}: expected an observation with legal actions, got {observation.legal_actions} in {game.spec.id}; "
            "seat a language-model role where the answer is free text"
        )
    return observation.legal_actions


@scripted_players.register("uniform")
class Uniform:
    """Plays every legal action with the same probability."""

    name: str = "uniform"

    def strategy(self, game: Game[Any], observation: Observation) -> dict[str, float]:
        """Returns ``1 / n`` for each of the ``n`` legal actions."""
        legal = legal_actions(self.name, game, observation)
        return {action: 1.0 / len(legal) for action in legal}


@scripted_players.register("always")
class Always:
    """Plays the first legal action of a fixed order of preference.

    Args:
        preference: actions, the most wanted first.
        name: how the player is called in logs.
    """

    def __init__(self, preference: Sequence[str], name: str = "always") -> None:
        self.name: str = name
        self._preference = tuple(preference)

    def strategy(self, game: Game[Any], observation: Observation) -> dict[str, float]:
        """Returns probability 1 for the most wanted legal action.

        Raises:
            CapabilityError: none of the wanted actions is legal, so the player was not made for this game.
        """
        legal = legal_actions(self.name, game, observation)
        wanted = next((action for action in self._preference if action in legal), None)
        if wanted is None:
            raise CapabilityError(
                f"{self.name}: expected one of {', '.join(self._preference)} to be legal in {game.spec.id}, "
                f"got {', '.join(legal)}; choose a player made for this game, for example uniform"
            )
        return {action: float(action == wanted) for action in legal}


@scripted_players.register("always_bet")
def always_bet() -> Always:
    """Bets and calls whenever it may: loses 2/3 a game to a best response in Kuhn poker, summed over both seats."""
    return Always(("bet", "call"), "always_bet")


@scripted_players.register("always_check")
def always_check() -> Always:
    """Checks and folds whenever it may."""
    return Always(("check", "fold"), "always_check")
