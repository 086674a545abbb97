"""The plain player: reads the rules and its observation, thinks freely, answers with one delimited action.

The prompt is short on purpose: the smallest models read it too. ``history`` says which earlier turns stand in it:
``none`` (the observation says it all), ``own`` (this seat's earlier observations and the actions it took) or ``full``
(the same with the whole text that it said, thinking included). Another seat's turns never stand in the prompt,
because their observations and thoughts are private; what is public, the game puts into the observation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from arena.actions import delimited, parse_action
from arena.errors import ConfigError
from arena.game import Game
from arena.types import Action, NotUnderstood, Observation, Turn
from roles.role import History, Message, roles

INSTRUCTION = "Think, then answer <action>ACTION</action>."
"""How to answer, in as few tokens as the smallest model needs."""


@roles.register("player")
class Player:
    """Plays any game whose rules and observations are text.

    Args:
        history: which earlier turns of the seat stand in the prompt.

    Raises:
        ConfigError: ``history`` is not one of the three.
    """

    name: str = "player"
    instruction: str = INSTRUCTION

    def __init__(self, history: History = "none") -> None:
        if history not in get_args(History):
            raise ConfigError(
                f"{self.name}.history: expected one of {', '.join(get_args(History))}, got {history!r}; choose one"
            )
        self.history: History = history

    def messages(self, game: Game[Any], observation: Observation, history: Sequence[Turn]) -> list[Message]:
        """Returns the rules and how to answer (system), the seat's earlier turns if asked for, and what it sees now."""
        system = f"{game.rules.strip()}\n{self.instruction}".strip()
        messages: list[Message] = [{"role": "system", "content": system}]
        if self.history != "none":
            for turn in history:
                if turn.seat == observation.seat:
                    messages.append({"role": "user", "content": turn.observation.text})
                    messages.append({"role": "assistant", "content": self._said(turn)})
        messages.append({"role": "user", "content": observation.text})
        return messages

    def parse(self, text: str, observation: Observation) -> Action | NotUnderstood:
        """Returns the last delimited action of ``text``, or why there is none."""
        return parse_action(text, observation.legal_actions)

    def answers(self, observation: Observation) -> Mapping[str, str] | None:
        """Returns ``{action: "<action>action</action>"}`` for a finite game, ``None`` where text is free."""
        if observation.legal_actions is None:
            return None
        return {action: delimited(action) for action in observation.legal_actions}

    def _said(self, turn: Turn) -> str:
        if self.history == "full" and turn.completion is not None:
            return turn.completion.text
        return "(not understood)" if turn.action is None else delimited(turn.action)
