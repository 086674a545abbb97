"""Rock-paper-scissors: the payoff matrix, and that nobody sees the other's choice."""

from itertools import product

import pytest

from arena.games.rock_paper_scissors import RockPaperScissors, Throw

GAME = RockPaperScissors()
BEATS = {"rock": "scissors", "scissors": "paper", "paper": "rock"}


@pytest.mark.parametrize(("first", "second"), list(product(BEATS, BEATS)))
def test_payoffs(first, second):
    state = GAME.step(Throw(), {"second": second, "first": first})
    assert state == Throw((first, second))
    gain = 0.0 if first == second else 1.0 if BEATS[first] == second else -1.0
    assert GAME.returns(state) == {"first": gain, "second": -gain}


def test_both_choose_at_once():
    assert GAME.to_move(Throw()) == ("first", "second")
    assert GAME.to_move(Throw(("rock", "rock"))) == ()
    texts = {GAME.observe(Throw(), seat).text for seat in GAME.spec.seats}
    assert texts == {"You may choose rock, paper, scissors."}
    after = Throw(("rock", "paper"))
    assert GAME.observe(after, "second").text == "You chose paper. The opponent chose rock."
    assert [GAME.state_text(state) for state in (Throw(), after)] == ["Nobody has chosen.", "first rock | second paper"]
    assert [GAME.information_key(state, "first") for state in (Throw(), after)] == ["throw", "rock paper"]
