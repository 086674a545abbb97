"""OpenSpiel's games as pure games (M. Lanctot et al., OpenSpiel, arXiv 1908.09453): ``openspiel/leduc_poker-v0``.

The name between the slash and the version is whatever ``pyspiel.load_game`` takes, parameters included:
``openspiel/kuhn_poker(players=3)-v0``. States of OpenSpiel can be copied and list their chance outcomes, so such a
game forks, enumerates and is solved like our own. An action is called what OpenSpiel calls it, as long as a few random
games show that the words do not depend on the position; else it is a number with the words beside it.

Left out, refused by name: mean-field games, games whose chance is drawn by a generator inside OpenSpiel (the same task
could not be replayed), and games with more than 5,000 actions.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from arena.errors import CapabilityError, GameError, InputError, UnknownNameError, unknown_name
from arena.game import Chance, Game, default_information_key, games
from arena.seeds import generator
from arena.types import NATURE, GameSpec, IllegalRule, Observation, Payoff, Task

MOST_ACTIONS = 5000
"""How many different actions a game may have."""

_NAME = re.compile(r"(?P<asked>.+)-v0")
_PAYOFFS = {"ZERO_SUM": Payoff.ZERO_SUM, "IDENTICAL": Payoff.COMMON}
_MEANING = {
    Payoff.ZERO_SUM: "What one player wins the others lose.",
    Payoff.COMMON: "All players win and lose together.",
    Payoff.GENERAL_SUM: "Each player has its own gain.",
}
_TEXT_BYTES = 16_384
_MOST_TABLE = 2000
_MOST_READABLE = 16
_PROBE_EPISODES = 40
_PROBE_DECISIONS = 1500

Names = tuple[dict[int, str], ...]
"""One player: OpenSpiel's action -> its name."""


@dataclass(frozen=True, slots=True)
class OpenSpielState:
    """The actions and chance outcomes so far, which say everything, and OpenSpiel's state, which is never changed."""

    game: str
    actions: tuple[int, ...]
    inner: Any = field(compare=False, repr=False)


class OpenSpielGame(Game[OpenSpielState]):
    """One game of OpenSpiel, with the seats ``player_0``, ``player_1``, ...

    Args:
        inner: a ``pyspiel.Game``.
        name: what the game is called here, without the version; made from the game's own name when empty.

    Raises:
        CapabilityError: the game is of a kind that is left out, or random play fails in it.
    """

    def __init__(self, inner: Any, name: str = "") -> None:  # noqa: ANN401 - a type of an optional library
        self._inner = inner
        self._kind = inner.get_type()
        name = name or f"openspiel/{inner}"
        _refuse_left_out(inner, f"{name}-v0")
        names = _names(inner, f"{name}-v0")
        self._action_names = names
        self._actions = [{word: action for action, word in own.items()} for own in names]
        self.spec = _spec(inner, name, names)
        self.rules = _rules(inner, self.spec)

    def reset(self, task: Task) -> OpenSpielState:
        """Returns OpenSpiel's initial state; task params are not read, parameters belong to the game's name."""
        return OpenSpielState(self.spec.name, (), self._inner.new_initial_state())

    def to_move(self, state: OpenSpielState) -> tuple[str, ...]:
        """Returns nature at chance nodes, at simultaneous nodes every seat that has a legal action."""
        inner = state.inner
        if inner.is_terminal():
            return ()
        if inner.is_chance_node():
            return (NATURE,)
        if not inner.is_simultaneous_node():
            return (self.spec.seats[inner.current_player()],)
        movers = tuple(seat for place, seat in enumerate(self.spec.seats) if inner.legal_actions(place))
        if not movers:
            raise GameError(f"{self.spec.id}.to_move: expected a legal action of some seat, got none in {state!r}")
        return movers

    def nature(self, state: OpenSpielState) -> Chance:
        """Returns OpenSpiel's chance outcomes, by number."""
        return Chance(tuple(state.inner.chance_outcomes()))

    def step(self, state: OpenSpielState, moves: Mapping[str, Any]) -> OpenSpielState:
        """Returns the state after one action, one outcome, or the actions of all seats at once."""
        seats = self.spec.seats
        if state.inner.is_simultaneous_node():
            # OpenSpiel wants a number for each player and does not read that of a player without a legal action.
            taken = [self._actions[place][moves[seat]] if seat in moves else 0 for place, seat in enumerate(seats)]
            after = state.inner.clone()
            after.apply_actions(taken)
        else:
            ((mover, move),) = moves.items()
            taken = [move if mover == NATURE else self._actions[seats.index(mover)][move]]
            after = state.inner.child(taken[0])
        return OpenSpielState(state.game, (*state.actions, *taken), after)

    def observe(self, state: OpenSpielState, seat: str) -> Observation:
        """Returns OpenSpiel's text for the seat and what it may do; never the whole state of a hidden game."""
        inner, place = state.inner, self.spec.seats.index(seat)
        parts = [f"You are {seat}.", self._text(inner, place).strip()]
        legal: tuple[str, ...] = ()
        if seat in self.to_move(state):
            actions = inner.legal_actions(place)
            legal = tuple(self._action_names[place][action] for action in actions)
            labels = [_label(inner, place, action, name) for action, name in zip(actions, legal, strict=True)]
            parts.append(f"You may {_listed(labels)}.")
        elif inner.is_terminal():
            parts.append("The game is over.")
        return Observation(seat=seat, text="\n".join(part for part in parts if part), legal_actions=legal)

    def returns(self, state: OpenSpielState) -> Mapping[str, float]:
        """Returns OpenSpiel's returns."""
        return dict(zip(self.spec.seats, state.inner.returns(), strict=True))

    def rewards(self, before: OpenSpielState, after: OpenSpielState) -> Mapping[str, float] | None:
        """Returns what the returns grew by where OpenSpiel pays during the game."""
        if self._kind.reward_model.name != "REWARDS":
            return None
        paid = zip(self.spec.seats, before.inner.returns(), after.inner.returns(), strict=True)
        return {seat: now - earlier for seat, earlier, now in paid}

    def information_key(self, state: OpenSpielState, seat: str) -> str | None:
        """Returns the whole history where nothing is hidden, else OpenSpiel's information state, if it has one.

        OpenSpiel's information states of perfect-information games may forget the order of simultaneous moves; the
        history does not. It is hashed past 16 moves.
        """
        if self._kind.information.name == "PERFECT_INFORMATION":
            moves = [str(action) for action in state.actions]
            return " ".join(moves) if len(moves) <= _MOST_READABLE else default_information_key(moves)
        if self._kind.provides_information_state_string:
            return str(state.inner.information_state_string(self.spec.seats.index(seat)))
        return None

    def state_text(self, state: OpenSpielState) -> str:
        """Returns OpenSpiel's text of the whole state."""
        return str(state.inner)

    def _text(self, inner: Any, place: int) -> str:  # noqa: ANN401
        kind = self._kind
        if kind.information.name == "ONE_SHOT" and len(table := str(inner)) <= _MOST_TABLE:
            return table
        hidden = kind.information.name == "IMPERFECT_INFORMATION"
        if kind.provides_observation_string and not (hidden and kind.provides_information_state_string):
            return str(inner.observation_string(place))
        return str(inner.information_state_string(place)) if kind.provides_information_state_string else str(inner)


@games.family("openspiel")
def load(rest: str) -> OpenSpielGame:
    """OpenSpiel's games by name and parameters: openspiel/leduc_poker-v0, openspiel/kuhn_poker(players=3)-v0.

    Raises:
        InputError: OpenSpiel is not installed, does not know the name, or does not take the parameters.
        CapabilityError: the game is of a kind that is left out.
    """
    match = _NAME.fullmatch(rest)
    if match is None:
        raise UnknownNameError(
            f"game: expected openspiel/NAME-v0, got 'openspiel/{rest}'; write 'openspiel/{rest.partition('-v')[0]}-v0'"
        )
    asked = match["asked"]
    try:
        import pyspiel
    except ModuleNotFoundError as error:
        raise InputError(
            f"game: expected OpenSpiel for 'openspiel/{rest}', got {error}; pip install 'ludus-arena[games]'"
        ) from error
    known = _known_names(asked.partition("(")[0])
    if asked.partition("(")[0] not in known:
        raise unknown_name("game: openspiel/NAME-v0, NAME", asked.partition("(")[0], known)
    try:
        inner = pyspiel.load_game(asked)
    except (pyspiel.SpielError, LookupError, TypeError, ValueError) as error:
        raise InputError(
            f"game 'openspiel/{rest}': expected parameters that OpenSpiel takes, got {_first_line(error)!r}; "
            "write NAME(parameter=value,...)-v0"
        ) from error
    return OpenSpielGame(inner, f"openspiel/{asked}")


def _known_names(name: str) -> list[str]:
    import pyspiel

    if name not in pyspiel.registered_names():
        import open_spiel.python.games  # noqa: F401 - registers the games that OpenSpiel writes in Python
    return list(pyspiel.registered_names())


def _refuse_left_out(inner: Any, where: str) -> None:  # noqa: ANN401
    kind, count = inner.get_type(), inner.num_distinct_actions()
    texts = kind.provides_information_state_string or kind.provides_observation_string
    faults = {
        "players that move one after another or at once, got a mean-field game": kind.dynamics.name == "MEAN_FIELD",
        "chance outcomes that are listed, got chance that OpenSpiel draws by itself; the same task could not be "
        "replayed": kind.chance_mode.name == "SAMPLED_STOCHASTIC",
        f"1 to {MOST_ACTIONS:,} different actions, got {count:,}": not 0 < count <= MOST_ACTIONS,
        "a text of what each player knows, got none in a game of hidden information": (
            kind.information.name == "IMPERFECT_INFORMATION" and not texts
        ),
    }
    for fault, found in faults.items():
        if found:
            raise CapabilityError(f"{where}: expected {fault}; choose another game")


def _spec(inner: Any, name: str, names: Names) -> GameSpec:  # noqa: ANN401
    kind, low = inner.get_type(), inner.min_utility()
    at_once = inner.num_players() if kind.dynamics.name == "SIMULTANEOUS" else 1
    by_action = [own[action] for action in range(inner.num_distinct_actions()) for own in names]
    return GameSpec(
        name=name,
        version=0,
        seats=tuple(f"player_{place}" for place in range(inner.num_players())),
        payoff=_PAYOFFS.get(kind.utility.name, Payoff.GENERAL_SUM),
        max_turns=max(1, inner.max_game_length() * at_once),
        returns_range=(low, inner.max_utility()),
        actions=tuple(dict.fromkeys(by_action)),
        illegal=IllegalRule() if math.isfinite(low) else IllegalRule(kind="penalise", penalty=1.0),
        summary=f"{kind.long_name}, played by OpenSpiel",
        text_bytes=_TEXT_BYTES,
    )


def _rules(inner: Any, spec: GameSpec) -> str:  # noqa: ANN401
    settings = [f"{key.replace('_', ' ')} {_value(value)}" for key, value in sorted(inner.get_parameters().items())]
    parts = [f"{inner.get_type().long_name}, as the OpenSpiel library plays it."]
    if settings:
        parts.append(f"Settings: {', '.join(settings)}.")
    if len(spec.seats) > 1:
        parts.append(f"The players are {', '.join(spec.seats)}. {_MEANING[spec.payoff]}")
    parts.append("Each observation ends with your legal actions.")
    if any(name.isdecimal() for name in spec.actions or ()):
        parts.append("Where an action is a number, what it does stands behind it in brackets; answer with the number.")
    return " ".join(parts)


def _value(value: object) -> str:
    if isinstance(value, Mapping):
        return str(value.get("name", value))
    text = " ".join(str(value).split())
    return text if len(text) <= 60 else f"{text[:60]}..."


def _names(inner: Any, where: str) -> Names:  # noqa: ANN401
    """Returns what each player's actions are called.

    The words of the positions that a few random games visit, where one action never has two; the number of an action
    that did not occur; numbers for all when one action has two, or two actions of one list would have one name.

    Raises:
        CapabilityError: OpenSpiel could not play these games.
    """
    count, players = inner.num_distinct_actions(), inner.num_players()
    numbers: Names = tuple({action: str(action) for action in range(count)} for _ in range(players))
    named: Names = tuple(dict(own) for own in numbers)
    told: set[tuple[int, int]] = set()
    try:
        for place, action, words in _said(inner):
            if (place, action) in told and words != named[place][action]:
                return numbers
            told.add((place, action))
            named[place][action] = words
    except (RuntimeError, LookupError, TypeError, ValueError) as error:
        raise CapabilityError(
            f"{where}: expected a game that random legal actions can play, got {_first_line(error)!r}; "
            "change its parameters or choose another game"
        ) from error
    apart = [len({name.casefold() for name in own.values()}) == count for own in named]
    union = dict.fromkeys(name for own in named for name in own.values())
    return named if all(apart) and len({name.casefold() for name in union}) == len(union) else numbers


def _said(inner: Any) -> Iterator[tuple[int, int, str]]:  # noqa: ANN401
    """Yields player, action and words of the legal actions on the way of seeded random games."""
    decisions = 0
    for episode in range(_PROBE_EPISODES):
        random, state = generator("openspiel names", episode), inner.new_initial_state()
        while not state.is_terminal() and decisions < _PROBE_DECISIONS:
            if state.is_chance_node():
                outcomes = [outcome for outcome, p in state.chance_outcomes() if p > 0]
                state.apply_action(outcomes[int(random.integers(len(outcomes)))])
                continue
            at_once = state.is_simultaneous_node()
            taken = []
            for place in range(inner.num_players()) if at_once else (state.current_player(),):
                legal = state.legal_actions(place)
                for action in legal:
                    yield place, action, _words(state, place, action) or str(action)
                taken.append(legal[int(random.integers(len(legal)))] if legal or not at_once else 0)
            decisions += 1
            _ = state.apply_actions(taken) if at_once else state.apply_action(taken[0])


def _words(inner: Any, place: int, action: int) -> str:  # noqa: ANN401
    return " ".join(str(inner.action_to_string(place, action)).split())


def _label(inner: Any, place: int, action: int, name: str) -> str:  # noqa: ANN401
    words = _words(inner, place, action)
    return name if words in (name, "") else f"{name} ({words})"


def _listed(labels: Sequence[str]) -> str:
    comma = "; " if any("," in label for label in labels) else ", "
    return " or ".join([comma.join(labels[:-1]), labels[-1]] if len(labels) > 1 else labels)


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
