"""The contract of a role: what a seat's occupant says and how its answer is read.

Two kinds of occupant exist. A ``Role`` speaks through a language model: it turns an observation into chat messages
and the sampled text into an action. A ``ScriptedPlayer`` needs no model: it names the probability of each action.
Registered roles are found by name in ``roles.role.roles``, scripted players in ``roles.role.scripted_players``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol, TypedDict, runtime_checkable

from arena.game import Game
from arena.registry import Registry
from arena.types import Action, NotUnderstood, Observation, Turn

History = Literal["none", "own", "full"]


class Message(TypedDict):
    """One chat message, in the form that chat templates read."""

    role: str
    content: str


@runtime_checkable
class Role(Protocol):
    """A behaviour that speaks through a language model.

    Attributes:
        name: the registered name.
        history: which earlier turns of the seat stand in the prompt: ``none`` (the observation says it all), ``own``
            (this seat's earlier observations and the actions it took) or ``full`` (the same with all that it said).
            Exact NashConv needs ``none``.
    """

    name: str
    history: History

    def messages(self, game: Game[Any], observation: Observation, history: Sequence[Turn]) -> list[Message]:
        """Returns the prompt as chat messages; a pure function of its arguments."""
        ...

    def parse(self, text: str, observation: Observation) -> Action | NotUnderstood:
        """Returns the action in a sampled text, or why there is none; never raises, whatever the text."""
        ...

    def answers(self, observation: Observation) -> Mapping[str, str] | None:
        """Returns for each legal action the one text that stands for it, or ``None`` where text is free.

        Masked sampling draws among these texts, and exact NashConv scores them. ``parse`` reads each back.
        """
        ...


@runtime_checkable
class ScriptedPlayer(Protocol):
    """A player without a model.

    Attributes:
        name: the registered name.
    """

    name: str

    def strategy(self, game: Game[Any], observation: Observation) -> Mapping[str, float]:
        """Returns the probability of each legal action at this observation; sums to 1."""
        ...


roles: Registry[Role] = Registry("role", "roles")
"""Every registered language-model role, by name (``player``)."""

scripted_players: Registry[ScriptedPlayer] = Registry("player", "roles")
"""Every registered scripted player, by name (``uniform``, ``always_bet``, ``equilibrium``, ``minimax``)."""
