"""Which moves of others a person is told of."""

from arena.game import games
from arena.types import NATURE, Task
from training.cli.public_moves import is_public


def state_after(name, *moves):
    game = games.make(name)
    state = game.reset(Task(game=name))
    for move in moves:
        state = game.step(state, move)
    return game, state


def test_a_move_on_an_open_board_is_told():
    game, board = state_after("tic_tac_toe-v0", {"x": "5"})
    assert is_public(game, board, "o", "1", "x")
    assert not is_public(game, board, "o", "1", "o")  # one's own move is no news


def test_nothing_is_told_where_the_mover_knows_more():
    game, dealt = state_after("kuhn_poker-v0", {NATURE: ("K", "J")})
    assert not is_public(game, dealt, "first", "bet", "second")


def test_nothing_is_told_of_moves_at_once():
    game, start = state_after("rock_paper_scissors-v0")
    assert not is_public(game, start, "first", "rock", "second")


class Secret(type(games.make("tic_tac_toe-v0"))):
    """Tic-tac-toe in which o sees how many marks there are, not where."""

    def information_key(self, state, seat):
        board = super().information_key(state, seat)
        return board if seat == "x" else str(board.count("x"))


class Blind(type(games.make("tic_tac_toe-v0"))):
    """Tic-tac-toe in which nobody sees more than the number of marks."""

    def information_key(self, state, seat):
        board = super().information_key(state, seat)
        return str(len(board) - board.count("."))


def test_a_choice_that_the_seat_cannot_tell_apart_is_not_told():
    for kind in (Secret, Blind):
        game = kind()
        start = game.reset(Task(game=game.spec.id))
        assert not is_public(game, start, "x", "5", "o")
