"""A game of ours as a game of OpenSpiel, so that its algorithms (CFR, exploitability, ...) run on it.

Chance is explicit, simultaneous moves stay simultaneous (``pyspiel.convert_to_turn_based`` serialises them), and a
player's information state string is its information key. Two facts that OpenSpiel wants in advance and our rules do
not state, the most outcomes of a chance event and whether players move at once, come from seeded random games; a play
that shows otherwise is refused by name.

Left out: tensors, and registration by name (OpenSpiel could not rebuild the game from text).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, NoReturn

from arena.errors import CapabilityError, InputError
from arena.foreign.game import ForeignGame
from arena.game import Call, Game, seat_observation
from arena.params import check_known
from arena.seeds import generator
from arena.types import NATURE, Payoff, Task

_PROBE_EPISODES = 30
_UTILITIES = {Payoff.ZERO_SUM: "ZERO_SUM", Payoff.COMMON: "IDENTICAL", Payoff.GENERAL_SUM: "GENERAL_SUM"}


def as_openspiel(game: Game[Any], task: Task | None = None) -> Any:  # noqa: ANN401 - a type of an optional library
    """Returns a game as a ``pyspiel.Game``: players are the seats in order, actions the places in ``spec.actions``.

    Args:
        game: the rules.
        task: what is played; one without params when ``None``. Its seed does not matter, chance is explicit.

    Raises:
        CapabilityError: the game is foreign, takes free text, calls a verifier, or lists a chance outcome twice.
        InputError: OpenSpiel is not installed, or the task sets a parameter that the game does not know.
    """
    spec = game.spec
    rules = Translation(game, task or Task(game=spec.id), spec.actions or ())
    check_known(spec, rules.task.params)
    if isinstance(game, ForeignGame):
        rules.refuse("pure rules, got a foreign environment")
    if not spec.actions:
        rules.refuse("listed actions, got free text")
    try:
        import pyspiel
    except ModuleNotFoundError as error:
        raise InputError(f"as_openspiel: expected OpenSpiel, got {error}; pip install 'ludus-arena[games]'") from error
    most, at_once = rules.survey()
    kind, players = pyspiel.GameType, len(spec.seats)
    described = kind(
        short_name="ludus_" + "".join(letter if letter.isalnum() else "_" for letter in spec.name),
        long_name=spec.id,
        dynamics=kind.Dynamics.SIMULTANEOUS if at_once else kind.Dynamics.SEQUENTIAL,
        chance_mode=kind.ChanceMode.EXPLICIT_STOCHASTIC if most else kind.ChanceMode.DETERMINISTIC,
        information=kind.Information.IMPERFECT_INFORMATION,
        utility=getattr(kind.Utility, _UTILITIES[spec.payoff]),
        reward_model=kind.RewardModel.TERMINAL,
        max_num_players=players,
        min_num_players=players,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=False,
    )
    facts = pyspiel.GameInfo(
        num_distinct_actions=len(rules.actions),
        max_chance_outcomes=most,
        num_players=players,
        min_utility=spec.returns_range[0],
        max_utility=spec.returns_range[1],
        utility_sum=0.0 if spec.payoff is Payoff.ZERO_SUM else None,
        max_game_length=spec.max_turns,
    )
    return _game_class()(described, facts, rules, at_once)


@dataclass(frozen=True, slots=True)
class Point:
    """Where a play stands: the state, each seat's own past, and how many turns were taken.

    OpenSpiel copies the attributes of Python states deeply; nothing in a point changes, so copies share it.
    """

    state: Any
    pasts: tuple[tuple[str, ...], ...]
    turns: int = 0

    def __deepcopy__(self, memo: object) -> Point:
        """Returns the point itself."""
        return self


@dataclass(frozen=True, slots=True)
class Translation:
    """Our rules in OpenSpiel's numbers: players and actions by their place in the spec, outcomes by theirs in chance.

    Attributes:
        game: the rules.
        task: what is played.
        actions: ``game.spec.actions``.
    """

    game: Game[Any]
    task: Task
    actions: tuple[str, ...]

    def __deepcopy__(self, memo: object) -> Translation:
        """Returns the translation itself."""
        return self

    def root(self) -> Point:
        """Returns the start of a play."""
        return Point(self.game.reset(self.task), ((),) * len(self.game.spec.seats))

    def movers(self, point: Point) -> tuple[int, ...] | None:
        """Returns the players to move, none at the end, ``None`` at chance."""
        spec, movers = self.game.spec, self.game.to_move(point.state)
        if movers == (NATURE,):
            return None
        if movers and point.turns >= spec.max_turns:
            self.refuse(f"an end within max_turns={spec.max_turns}, got more turns")
        return tuple(spec.seats.index(seat) for seat in movers)

    def outcomes(self, point: Point) -> tuple[tuple[Any, float], ...]:
        """Returns the possible outcomes with their probabilities."""
        event = self.game.nature(point.state)
        if isinstance(event, Call):
            self.refuse(f"chance that lists its outcomes, got a call to {event.kind!r}")
        possible = tuple((outcome, p) for outcome, p in event.outcomes if p > 0)
        if len({outcome for outcome, _ in possible}) < len(possible):
            self.refuse(f"different chance outcomes, got one twice in {point.state!r}")
        return possible

    def legal(self, point: Point, player: int) -> list[int]:
        """Returns the legal actions of a player, ascending as OpenSpiel wants them."""
        seen = self.game.observe(point.state, self.game.spec.seats[player])
        return sorted(self.actions.index(action) for action in seen.legal_actions or ())

    def known(self, point: Point, player: int, key: bool) -> str:
        """Returns a player's information key or, without ``key``, what it is shown; nobody observes at chance."""
        if self.movers(point) is None:
            return ""
        seen = seat_observation(self.game, point.state, self.game.spec.seats[player], point.pasts[player])
        return seen.information_key if key else seen.text

    def after_chance(self, point: Point, number: int) -> Point:
        """Returns the play after an outcome."""
        state = self.game.step(point.state, {NATURE: self.outcomes(point)[number][0]})
        return Point(state, point.pasts, point.turns)

    def after(self, point: Point, taken: Mapping[int, int]) -> Point:
        """Returns the play after the actions of all players to move."""
        seats, pasts = self.game.spec.seats, list(point.pasts)
        for player, action in taken.items():
            pasts[player] = (*pasts[player], self.known(point, player, key=False), self.actions[action])
        moves = {seats[player]: self.actions[action] for player, action in taken.items()}
        return Point(self.game.step(point.state, moves), tuple(pasts), point.turns + len(taken))

    def returns(self, point: Point) -> list[float]:
        """Returns the players' returns, 0 before the end."""
        if self.movers(point) != ():
            return [0.0] * len(self.game.spec.seats)
        paid = self.game.returns(point.state)
        values = [value for seat in self.game.spec.seats if (value := paid[seat]) is not None]
        return values if len(values) == len(paid) else self.refuse(f"a return of every seat, got {dict(paid)}")

    def survey(self) -> tuple[int, bool]:
        """Returns the most chance outcomes of one event and whether players move at once, in random games."""
        most, at_once = 0, False
        for episode in range(_PROBE_EPISODES):
            random, point = generator("to_openspiel", episode), self.root()
            while (movers := self.movers(point)) != ():
                if movers is None:
                    count = len(self.outcomes(point))
                    most, point = max(most, count), self.after_chance(point, int(random.integers(count)))
                    continue
                legal = {player: self.legal(point, player) for player in movers}
                taken = {player: own[int(random.integers(len(own)))] for player, own in legal.items()}
                at_once, point = at_once or len(movers) > 1, self.after(point, taken)
        return most, at_once

    def refuse(self, expected: str) -> NoReturn:
        """Raises the error that names the game and what OpenSpiel would need of it."""
        raise CapabilityError(f"as_openspiel({self.game.spec.id}): expected {expected}; evaluate this game by play")


class PlayState:
    """The methods that OpenSpiel wants of a state: a point, which they replace and never change.

    Args:
        game: the ``pyspiel.Game``.
        rules: ours.
        at_once: whether players may move at once.
    """

    def __init__(self, game: Any, rules: Translation, at_once: bool) -> None:  # noqa: ANN401
        # The next base is pyspiel.State (see _game_class).
        super().__init__(game)  # type: ignore[call-arg]
        self.rules, self.point, self.at_once = rules, rules.root(), at_once
        self.most_outcomes = game.max_chance_outcomes()

    def current_player(self) -> int:
        """Returns the player to move, or OpenSpiel's number for chance, several players, or the end."""
        from pyspiel import PlayerId

        movers = self.rules.movers(self.point)
        if movers is None:
            return int(PlayerId.CHANCE)
        if len(movers) > 1 and not self.at_once:
            self.rules.refuse("one player to move, as in the random games that described it, got several")
        return movers[0] if len(movers) == 1 else int(PlayerId.SIMULTANEOUS if movers else PlayerId.TERMINAL)

    def is_terminal(self) -> bool:
        """Whether the play is over."""
        return self.rules.movers(self.point) == ()

    def returns(self) -> list[float]:
        """Returns the players' returns, 0 before the end."""
        return self.rules.returns(self.point)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Returns the numbers and probabilities of the outcomes."""
        outcomes, most = self.rules.outcomes(self.point), self.most_outcomes
        if len(outcomes) > most:
            self.rules.refuse(f"at most {most} chance outcomes, as in the random games that described it, got more")
        return [(number, p) for number, (_, p) in enumerate(outcomes)]

    def _legal_actions(self, player: int) -> list[int]:
        return self.rules.legal(self.point, player) if player in (self.rules.movers(self.point) or ()) else []

    def _apply_action(self, action: int) -> None:
        movers = self.rules.movers(self.point)
        if movers is None:
            self.point = self.rules.after_chance(self.point, action)
        else:
            self.point = self.rules.after(self.point, {movers[0]: action})

    def _apply_actions(self, actions: list[int]) -> None:
        movers = self.rules.movers(self.point) or ()
        self.point = self.rules.after(self.point, {player: actions[player] for player in movers})

    def _action_to_string(self, player: int, action: int) -> str:
        return self.rules.actions[action] if player >= 0 else str(self.rules.outcomes(self.point)[action][0])

    def __str__(self) -> str:
        """Returns the whole state in words."""
        return self.rules.game.state_text(self.point.state)


class Observer:
    """OpenSpiel's Python interface of an observer: texts, no tensors.

    Args:
        perfect_recall: whether to say the information key, instead of the text of the present observation.
    """

    def __init__(self, perfect_recall: bool) -> None:
        self.tensor = None
        self.dict: dict[str, Any] = {}
        self._perfect_recall = perfect_recall

    def set_from(self, state: Any, player: int) -> None:  # noqa: ANN401
        """Does nothing: there is no tensor to fill."""

    def string_from(self, state: Any, player: int) -> str:  # noqa: ANN401
        """Returns what the player knows at a state."""
        return state.rules.known(state.point, player, self._perfect_recall)  # type: ignore[no-any-return]


@cache
def _game_class() -> Any:  # noqa: ANN401
    """Returns the subclass of ``pyspiel.Game``, made when it is first needed because its base is optional."""
    import pyspiel

    make_state = type("LudusState", (PlayState, pyspiel.State), {})

    class LudusGame(pyspiel.Game):  # type: ignore[misc]
        def __init__(self, described: Any, facts: Any, rules: Translation, at_once: bool) -> None:  # noqa: ANN401
            super().__init__(described, facts, {})
            self._rules, self._at_once = rules, at_once

        def new_initial_state(self) -> Any:  # noqa: ANN401
            return make_state(self, self._rules, self._at_once)

        def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Observer:  # noqa: ANN401
            return Observer(iig_obs_type is not None and iig_obs_type.perfect_recall)

    return LudusGame
