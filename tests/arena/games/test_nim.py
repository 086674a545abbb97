"""Nim against Bouton's theorem (1901) and against OpenSpiel's tree."""

from functools import reduce
from itertools import combinations_with_replacement
from operator import xor
from pathlib import Path

import pyspiel
import pytest

from arena.errors import ConfigError
from arena.game_tree import game_tree
from arena.games.nim import Heaps, Nim, takings
from arena.solutions import minimax
from arena.testing import check_game
from arena.types import Task

GOLDEN = Path(__file__).parents[2] / "golden" / "nim.txt"
GAME = Nim()


def task(**params):
    return Task(game="nim-v0", params=params)


def value(heaps, misere=False):
    return pytest.approx(minimax(game_tree(GAME, task(heaps=list(heaps), misere=misere)))[0])


def all_heaps():
    return [heaps for count in (1, 2, 3) for heaps in combinations_with_replacement((1, 2, 3, 5), count)]


@pytest.mark.parametrize("heaps", [*all_heaps(), (9,), (1, 3, 5, 7), (2, 3, 5, 7), (1, 2, 3, 4, 4)])
def test_the_first_seat_loses_exactly_at_nim_sum_zero(heaps):
    # C. L. Bouton, Nim, a game with a complete mathematical theory, Annals of Mathematics 3 (1901).
    assert value(heaps) == (-1 if reduce(xor, heaps) == 0 else 1)


@pytest.mark.parametrize("heaps", [*all_heaps(), (1, 3, 5, 7)])
def test_misere(heaps):
    # Bouton: as in normal play, but with heaps of 1 only an odd number of them loses.
    loses = len(heaps) % 2 == 1 if max(heaps) == 1 else reduce(xor, heaps) == 0
    assert value(heaps, misere=True) == (-1 if loses else 1)


@pytest.mark.parametrize("misere", [False, True])
def test_every_position_has_openspiels_moves_and_returns(misere):
    theirs = pyspiel.load_game("nim", {"pile_sizes": "1;3;4", "is_misere": misere})
    seen = set()

    def walk(state, other):
        if state in seen:
            return
        seen.add(state)
        if not GAME.to_move(state):
            assert other.is_terminal() and list(GAME.returns(state).values()) == other.returns()
            return
        legal = {f"{'abc'[pile]}{take}": action for action, pile, take in moves(other)}
        assert set(takings(state)) == set(legal)
        assert GAME.to_move(state) == (("first", "second")[other.current_player()],)
        for name, action in legal.items():
            walk(GAME.step(state, {GAME.to_move(state)[0]: name}), other.child(action))

    walk(GAME.reset(task(heaps=[1, 3, 4], misere=misere)), theirs.new_initial_state())
    # 2 x 4 x 5 positions by two movers; where each heap is full or one short, the number of moves and so the mover is
    # sure, in 2 x 2 x 2 of them.
    assert len(seen) == 2 * 40 - 8


def moves(state):
    """Yields OpenSpiel's legal actions with their pile (from 0) and number, read from ``pile:1, take:1;``."""
    for action in state.legal_actions():
        pile, take = (int(part.split(":")[1]) for part in state.action_to_string(action).rstrip(";").split(","))
        yield action, pile - 1, take


def test_texts_and_keys():
    state = GAME.step(GAME.reset(task(heaps=[1, 3])), {"first": "a1"})
    assert state == Heaps((0, 3), 1)
    seen = GAME.observe(state, "second")
    assert seen.text == "Heap b has 3. Taking the last object wins. You may take b1, b2, b3."
    assert seen.legal_actions == ("b1", "b2", "b3")
    assert GAME.observe(state, "first").text == "Heap b has 3. Taking the last object wins."
    assert GAME.information_key(state, "second") == "0 3 second"
    assert GAME.state_text(state) == "a\nb |||"
    over = GAME.step(state, {"second": "b3"})
    assert GAME.observe(over, "first").text == "All heaps are empty. Taking the last object wins."
    assert GAME.returns(over) == {"first": -1.0, "second": 1.0}
    assert GAME.information_key(GAME.reset(task(misere=True)), "first") == "1 3 5 7 first misere"
    lost = GAME.reset(task(heaps=[2], misere=True))
    assert GAME.observe(lost, "first").text == "Heap a has 2. Taking the last object loses. You may take a1, a2."
    assert GAME.returns(GAME.step(lost, {"first": "a2"})) == {"first": -1.0, "second": 1.0}


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"heaps": []}, r"task.params.heaps: expected a list of 1 to 5 heaps, got \[\]"),
        ({"heaps": 3}, r"task.params.heaps: .* got 3"),
        ({"heaps": [1] * 6}, r"task.params.heaps: "),
        ({"heaps": [1, 10]}, r"task.params.heaps\[1\]: expected a whole number from 1 to 9, got 10"),
        ({"heaps": [0]}, r"task.params.heaps\[0\]: "),
        ({"heaps": [True]}, r"task.params.heaps\[0\]: .* got True"),
        ({"misere": "yes"}, r"task.params.misere: expected true or false, got 'yes'"),
    ],
)
def test_bad_params(params, message):
    with pytest.raises(ConfigError, match=message):
        GAME.reset(task(**params))


def test_it_keeps_the_contract():
    tasks = [task(), task(heaps=[2, 2], misere=True), task(heaps=[9, 9, 9, 9, 9])]
    assert check_game(GAME, tasks=tasks).information_sets > 100
