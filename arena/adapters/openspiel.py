"""OpenSpiel's games as pure games (M. Lanctot et al., OpenSpiel, arXiv 1908.09453): ``openspiel/leduc_poker-v0``.

The name between the slash and the version is whatever ``pyspiel.load_game`` takes, parameters included:
``openspiel/kuhn_poker(players=3)-v0``. States of OpenSpiel can be copied and list their chance outcomes, so such a
game forks, enumerates and is solved like our own. An action is called what OpenSpiel calls it, as long as a few random
games show that the words do not depend on the position; else it is a number with the words beside it.

Left out, refused by name: mean-field games, games whose chance is drawn by a generator inside OpenSpiel (the same task
could not be replayed), games with more than 5,000 actions, and ``morpion_solitaire``, whose copied states read memory
of the state they were copied from after it is gone (OpenSpiel 2.0.2).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

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
_UNSAFE_COPIES = ("morpion_solitaire",)
_FORGETFUL = ("dark_hex_ir", "go_fish", "liars_dice_ir", "phantom_ttt_ir", "repeated_leduc_poker")
"""Games whose information states forget a player's own past; the arena's own keys do not."""
_MOST_TEXT_BYTES = 32_768
_MOST_TABLE = 2000
_MOST_READABLE = 16
_PROBE_EPISODES = 40
_PROBE_PLIES = 600

Names = tuple[dict[int, str], ...]
"""One player: OpenSpiel's action -> its name."""


@dataclass(frozen=True, slots=True)
class OpenSpielState:
    """The actions and chance outcomes so far, which say everything, and OpenSpiel's state, which is never changed."""

    game: str
    actions: tuple[int, ...]
    inner: Any = field(compare=False, repr=False)

    def __deepcopy__(self, memo: object) -> OpenSpielState:
        """Returns an equal state; OpenSpiel's own deep copies go through text, which not every game survives."""
        return OpenSpielState(self.game, self.actions, self.inner.clone())


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
        return {seat: float(value) for seat, value in zip(self.spec.seats, state.inner.returns(), strict=True)}

    def rewards(self, before: OpenSpielState, after: OpenSpielState) -> Mapping[str, float] | None:
        """Returns what the returns grew by where OpenSpiel pays during the game."""
        if self._kind.reward_model.name != "REWARDS":
            return None
        paid = zip(self.spec.seats, before.inner.returns(), after.inner.returns(), strict=True)
        return {seat: float(now - earlier) for seat, earlier, now in paid}

    def information_key(self, state: OpenSpielState, seat: str) -> str | None:
        """Returns the whole history where nothing is hidden, else OpenSpiel's information state where it serves.

        OpenSpiel's information states of perfect-information games may forget the order of simultaneous moves; the
        history does not. It is hashed past 16 moves. An information state does not always say whether its owner is to
        move, so the keys of those who wait end in ``(waiting)``.
        """
        kind = self._kind
        if kind.information.name == "PERFECT_INFORMATION":
            moves = [str(action) for action in state.actions]
            return " ".join(moves) or "start" if len(moves) <= _MOST_READABLE else default_information_key(moves)
        if not kind.provides_information_state_string or kind.short_name in _FORGETFUL:
            return None
        known = str(state.inner.information_state_string(self.spec.seats.index(seat)))
        return known if seat in self.to_move(state) else f"{known} (waiting)"

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
        "states that can be copied, got a game whose copies are unsafe": kind.short_name in _UNSAFE_COPIES,
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
        text_bytes=_text_bytes(inner, names),
    )


def _text_bytes(inner: Any, names: Names) -> int:  # noqa: ANN401
    """Returns room for a table, for every action with its words, and for a line a move of what happened."""
    listed = max(sum(len(name.encode()) + 2 if not name.isdecimal() else 48 for name in own.values()) for own in names)
    return int(min(_MOST_TEXT_BYTES, _MOST_TABLE + 512 + listed + 128 * inner.max_game_length()))


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
    """Returns what each player's actions are called: the words of the positions that a few random games visit.

    Words of one player serve the others for an action that they did not meet, when no action has words of its own for
    each; an action that did not occur is its number. All are numbers when one action has two words, or two actions
    one.

    Raises:
        CapabilityError: OpenSpiel could not play these games.
    """
    count, players = inner.num_distinct_actions(), range(inner.num_players())
    numbers: Names = tuple({action: str(action) for action in range(count)} for _ in players)
    said: dict[tuple[int, int], str] = {}
    try:
        for place, action, words in _said(inner):
            if said.setdefault((place, action), words) != words:
                return numbers
    except (RuntimeError, LookupError, TypeError, ValueError) as error:
        raise CapabilityError(
            f"{where}: expected a game that random legal actions can play, got {_first_line(error)!r}; "
            "change its parameters or choose another game"
        ) from error
    shared = {action: words for (_, action), words in said.items()}
    if any(words != shared[action] for (_, action), words in said.items()):
        shared = {}
    named: Names = tuple(
        {action: said.get((place, action)) or shared.get(action) or str(action) for action in range(count)}
        for place in players
    )
    union = {name for own in named for name in own.values()}
    return named if all(_apart(list(own.values())) for own in named) and _apart(list(union)) else numbers


def _apart(names: Sequence[str]) -> bool:
    """Whether a reader who ignores case can tell the names apart."""
    return len({name.casefold() for name in names}) == len(names)


def _said(inner: Any) -> Iterator[tuple[int, int, str]]:  # noqa: ANN401
    """Yields player, action and words of the legal actions on the way of seeded random games."""
    plies = 0
    for episode in range(_PROBE_EPISODES):
        random, state = generator("openspiel names", episode), inner.new_initial_state()
        while not state.is_terminal() and plies < _PROBE_PLIES:
            plies += 1
            if state.is_chance_node():
                state.apply_action(_drawn([outcome for outcome, p in state.chance_outcomes() if p > 0], random))
            elif state.is_simultaneous_node():
                legal = [state.legal_actions(place) for place in range(inner.num_players())]
                yield from _told(state, dict(enumerate(legal)))
                state.apply_actions([_drawn(own, random) if own else 0 for own in legal])
            else:
                own = state.legal_actions()
                yield from _told(state, {state.current_player(): own})
                state.apply_action(_drawn(own, random))


def _told(state: Any, legal: Mapping[int, list[int]]) -> Iterator[tuple[int, int, str]]:  # noqa: ANN401
    return ((place, action, _words(state, place, action)) for place, own in legal.items() for action in own)


def _drawn(options: list[int], random: np.random.Generator) -> int:
    return options[int(random.integers(len(options)))]


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
