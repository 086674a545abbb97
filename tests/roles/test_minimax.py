"""The optimal player of games without hidden information."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from arena.errors import CapabilityError, InputError
from arena.game import Game, games, seat_observation
from arena.types import GameSpec, Observation, Payoff, Task
from roles.minimax import Minimax

SEATS = ("first", "second")


@dataclass(frozen=True, slots=True)
class Pile:
    """Matches left, and who moves."""

    left: int
    mover: int


class Nim(Game[Pile]):
    """Take one, two or three matches; whoever takes the last one wins (C. L. Bouton, 1901)."""

    spec = GameSpec(
        name="nim", version=0, seats=SEATS, payoff=Payoff.ZERO_SUM, max_turns=30, returns_range=(-1.0, 1.0),
        actions=("1", "2", "3"), params={"matches": 10},
    )  # fmt: skip

    def reset(self, task: Task) -> Pile:
        return Pile(int(task.params.get("matches", 10)), 0)

    def to_move(self, state: Pile) -> tuple[str, ...]:
        return (SEATS[state.mover],) if state.left else ()

    def observe(self, state: Pile, seat: str) -> Observation:
        legal = tuple(str(take) for take in (1, 2, 3) if take <= state.left)
        return Observation(seat=seat, text=f"{state.left} left", legal_actions=legal)

    def step(self, state: Pile, moves: Mapping[str, str]) -> Pile:
        return Pile(state.left - int(moves[SEATS[state.mover]]), 1 - state.mover)

    def returns(self, state: Pile) -> Mapping[str, float]:
        winner = SEATS[1 - state.mover]
        return {seat: 1.0 if seat == winner else -1.0 for seat in SEATS}

    def information_key(self, state: Pile, seat: str) -> str:
        return str(state.left)


def test_it_leaves_a_multiple_of_four_matches() -> None:
    # Bouton's theory: with takes of 1 to 3, positions that are multiples of 4 are lost for the mover.
    nim, player = Nim(), Minimax(params={"matches": 10})
    for left in (10, 7, 6, 5):
        strategy = player.strategy(nim, seat_observation(nim, Pile(left, 0), "first", []))
        assert [action for action, p in strategy.items() if p] == [str(left % 4)]


def test_a_lost_position_mixes_all_moves() -> None:
    strategy = Minimax(params={"matches": 10}).strategy(Nim(), seat_observation(Nim(), Pile(4, 1), "second", []))
    assert strategy == pytest.approx({"1": 1 / 3, "2": 1 / 3, "3": 1 / 3})


def test_two_optimal_players_draw_tic_tac_toe() -> None:
    game = games.make("tic_tac_toe-v0")
    player, state = Minimax(), game.reset(Task(game=game.spec.id))
    while movers := game.to_move(state):
        strategy = player.strategy(game, seat_observation(game, state, movers[0], []))
        state = game.step(state, {movers[0]: max(strategy, key=lambda action: strategy[action])})
    assert set(game.returns(state).values()) == {0.0}


def test_hidden_information_is_refused_by_name() -> None:
    seen = Observation(seat="first", text="", legal_actions=("check", "bet"), information_key="K")
    with pytest.raises(CapabilityError, match=r"kuhn_poker-v0: expected perfect information for minimax"):
        Minimax().strategy(games.make("kuhn_poker-v0"), seen)


def test_a_position_of_other_params_is_refused() -> None:
    with pytest.raises(InputError, match=r"minimax: expected a position of nim-v0 with params \{'matches': 4\}"):
        Minimax(params={"matches": 4}).strategy(Nim(), seat_observation(Nim(), Pile(9, 0), "first", []))
