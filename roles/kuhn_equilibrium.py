"""Kuhn poker's equilibrium family: one free number, alpha, says how often the first seat bluffs.

Source: H. W. Kuhn, "A simplified two-person poker", Contributions to the Theory of Games I, 1950. Every member gives
the first seat -1/18 a game and has NashConv 0. Assumption: information keys read ``CARD`` or ``CARD ACTION ...``, the
card first, then the public history (``K check bet``).
"""

from __future__ import annotations

from typing import Any

from arena.errors import CapabilityError, ConfigError
from arena.game import Game
from arena.types import Observation
from roles.role import scripted_players
from roles.scripted import legal_actions


@scripted_players.register("kuhn_equilibrium")
class KuhnEquilibrium:
    """Plays Kuhn poker's equilibrium with the given bluffing rate of the first seat.

    Args:
        alpha: the probability, in [0, 1/3], that the first seat bets with the jack.

    Raises:
        ConfigError: ``alpha`` is out of range.
    """

    name: str = "kuhn_equilibrium"

    def __init__(self, alpha: float = 1 / 3) -> None:
        if not 0 <= alpha <= 1 / 3 + 1e-12:
            raise ConfigError(f"kuhn_equilibrium.alpha: expected a number in [0, 1/3], got {alpha}; choose 0.2")
        self.alpha = alpha
        self._aggression = aggression(alpha)

    def strategy(self, game: Game[Any], observation: Observation) -> dict[str, float]:
        """Returns the equilibrium's probability of each legal action.

        Raises:
            CapabilityError: the information key is not one of Kuhn poker's twelve.
        """
        legal = legal_actions(self.name, game, observation)
        bold = next((action for action in ("bet", "call") if action in legal), None)
        p_bold = self._aggression.get(observation.information_key)
        if bold is None or p_bold is None or len(legal) != 2:
            raise CapabilityError(
                f"kuhn_equilibrium: expected an information set of Kuhn poker, got {observation.information_key!r} in "
                f"{game.spec.id}; choose a player made for this game"
            )
        return {action: p_bold if action == bold else 1 - p_bold for action in legal}

    def ranges(self, observation: Observation) -> dict[str, tuple[float, float]]:
        """Returns for each legal action its least and greatest probability in any member of the family.

        Raises:
            CapabilityError: the information key is not one of Kuhn poker's twelve.
        """
        spans = family().get(observation.information_key)
        if spans is None or set(spans) != set(observation.legal_actions or ()):
            raise CapabilityError(
                f"kuhn_equilibrium: expected an information set of Kuhn poker, got {observation.information_key!r}; "
                "choose a player made for this game"
            )
        return {action: spans[action] for action in observation.legal_actions or ()}


def aggression(alpha: float) -> dict[str, float]:
    """Returns for each of the twelve information keys the probability of betting or calling.

    Args:
        alpha: how often the first seat bets with the jack, in [0, 1/3].
    """
    first = {"J": alpha, "Q": 0.0, "K": 3 * alpha, "J check bet": 0.0, "Q check bet": alpha + 1 / 3, "K check bet": 1.0}
    second = {"J check": 1 / 3, "Q check": 0.0, "K check": 1.0, "J bet": 0.0, "Q bet": 1 / 3, "K bet": 1.0}
    return {key: min(1.0, p_bold) for key, p_bold in {**first, **second}.items()}


def family() -> dict[str, dict[str, tuple[float, float]]]:
    """Returns for each information key and action its least and greatest probability in any equilibrium.

    Every probability is linear in alpha, so the ends of alpha's range give them.
    """
    ends = aggression(0.0), aggression(1 / 3)
    found = {}
    for key in ends[0]:
        low, high = sorted(end[key] for end in ends)
        timid, bold = ("fold", "call") if key.endswith(" bet") else ("check", "bet")
        found[key] = {timid: (1 - high, 1 - low), bold: (low, high)}
    return found
