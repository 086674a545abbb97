"""Connect four against OpenSpiel move by move, against known counts of positions and values of small boards."""

from dataclasses import replace
from pathlib import Path

import pyspiel
import pytest

from arena.errors import CapabilityError, ConfigError
from arena.game_tree import game_tree
from arena.games.connect_four import ConnectFour, Grid, open_columns
from arena.seeds import generator
from arena.solutions import minimax
from arena.testing import check_game
from arena.types import Capabilities, Task

GOLDEN = Path(__file__).parents[2] / "golden" / "connect_four.txt"
GAME = ConnectFour()


class Listed(ConnectFour):
    """The same rules, said to be enumerable: small boards are."""

    spec = replace(ConnectFour.spec, capabilities=Capabilities())


def task(**params):
    return Task(game="connect_four-v0", params=params)


def played(columns, **params):
    """Returns the board after the seats have dropped discs into the columns in turn."""
    state = GAME.reset(task(**params))
    for column in columns:
        state = GAME.step(state, {GAME.to_move(state)[0]: column})
    return state


def search(state, low=-1, high=1, known=None):
    """Returns the return of the seat to move under best play, by alpha-beta with a table of bounds."""
    known = {} if known is None else known
    movers = GAME.to_move(state)
    if not movers:
        return -1 if state.winner else 0  # whoever connected has just moved
    least, most = known.get(state, (-1, 1))
    low, high = max(low, least), min(high, most)
    if low >= high:
        return low
    best, floor = -1, low
    for column in open_columns(state):
        best = max(best, -search(GAME.step(state, {movers[0]: column}), -high, -floor, known))
        floor = max(floor, best)
        if floor >= high:
            break
    known[state] = (best if best > low else least, best if best < high else most)
    return best


def test_random_games_agree_with_openspiel_move_by_move():
    theirs = pyspiel.load_game("connect_four")
    ends = set()
    for episode in range(200):
        random = generator("connect four", episode)
        state, other = GAME.reset(task()), theirs.new_initial_state()
        while movers := GAME.to_move(state):
            assert movers == ("xo"[other.current_player()],)
            legal = open_columns(state)
            assert [int(column) - 1 for column in legal] == other.legal_actions()
            column = legal[int(random.integers(len(legal)))]
            state = GAME.step(state, {movers[0]: column})
            other.apply_action(int(column) - 1)
            assert str(other).split() == GAME.state_text(state).split()
        assert other.is_terminal()
        assert list(GAME.returns(state).values()) == other.returns()
        ends.add(state.winner)
    assert {"x", "o"} <= ends


def test_positions_after_each_ply():
    # OEIS A212693 (J. Tromp): legal 7 x 6 positions after n plies.
    boards = {GAME.reset(task())}
    for count in (1, 7, 49, 238, 1120, 4263):
        assert len(boards) == count
        boards = {
            GAME.step(board, {GAME.to_move(board)[0]: column}) for board in boards for column in open_columns(board)
        }


@pytest.mark.parametrize(
    ("params", "value"),
    [
        # J. Tromp, John's Connect Four Playground: 4 x 4 is a draw.
        ({"rows": 4, "columns": 4}, 0),
        # Three in a row on the lowest line of 5 columns: the middle, then beside it, then either open end.
        ({"rows": 3, "columns": 5, "connect": 3}, 1),
    ],
)
def test_best_play_on_small_boards(params, value):
    assert search(GAME.reset(task(**params))) == value


def test_the_tree_of_a_small_board_agrees_with_the_search():
    small = task(rows=3, columns=4, connect=3)
    tree = game_tree(Listed(), small)
    assert tree.perfect_information
    assert minimax(tree)[0] == search(GAME.reset(small))


@pytest.mark.slow
def test_the_tree_of_four_by_four():
    # J. Tromp, John's Connect Four Playground: 161,029 positions on 4 x 4, a draw.
    tree = game_tree(Listed(), task(rows=4, columns=4))
    assert tree.nodes == 161_029
    assert minimax(tree)[0] == 0


def test_it_says_that_it_cannot_be_enumerated():
    with pytest.raises(CapabilityError, match="enumerate"):
        game_tree(GAME, task())


@pytest.mark.parametrize(
    ("columns", "won"),
    [
        ("1717171", "x"),  # upright
        ("1727374", "x"),  # along the bottom
        ("12234334644", "x"),  # rising to the right
        ("76654554244", "x"),  # rising to the left
        ("1727475", ""),  # two and two with a gap
        ("61727374", "o"),
    ],
)
def test_lines(columns, won):
    state = played(columns)
    assert state.winner == won
    assert bool(GAME.to_move(state)) == (not won)


def test_a_line_does_not_wrap_around_the_edge():
    # x on 5, 6 and 7 of the second row and on 1 of the bottom row: neighbours in the string, not on the board.
    assert played("1556677").winner == ""


def test_texts_and_keys():
    state = played("4454")
    seen = GAME.observe(state, "x")
    assert seen.text == (
        "You are x. 4 in a row win.\n1 2 3 4 5 6 7\n. . . . . . .\n. . . . . . .\n. . . . . . .\n"
        ". . . o . . .\n. . . o . . .\n. . . x x . .\nYou may choose column 1 2 3 4 5 6 7."
    )
    assert GAME.observe(state, "o").legal_actions == ()
    assert GAME.information_key(state, "x") == "4 in ......./......./......./...o.../...o.../...xx.."
    assert open_columns(played("444444")) == ("1", "2", "3", "5", "6", "7")
    # Two orders of the same discs meet in one information set.
    assert GAME.information_key(played("123"), "o") == GAME.information_key(played("321"), "o")
    over = GAME.observe(played("1212121"), "o")
    assert over.legal_actions == () and "You may" not in over.text


def test_a_full_board_is_a_draw():
    full = Grid("xxoooxxxo", 3, 3)
    assert GAME.to_move(full) == ()
    assert GAME.returns(full) == {"x": 0.0, "o": 0.0}


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"rows": 7}, r"task.params.rows: expected a whole number from 3 to 6, got 7"),
        ({"columns": 2}, r"task.params.columns: expected a whole number from 3 to 7, got 2"),
        ({"columns": "4"}, r"task.params.columns: .* got '4'"),
        ({"rows": True}, r"task.params.rows: .* got True"),
        ({"rows": 4, "columns": 4, "connect": 5}, r"task.params.connect: expected a whole number from 3 to 4, got 5"),
    ],
)
def test_bad_params(params, message):
    with pytest.raises(ConfigError, match=message):
        GAME.reset(task(**params))


def test_it_keeps_the_contract():
    tasks = [task(), task(rows=3, columns=3, connect=3), task(rows=4, columns=5, connect=3)]
    assert check_game(GAME, tasks=tasks).states > 0
    assert check_game(Listed(), tasks=tasks[1:2]).information_sets > 100
