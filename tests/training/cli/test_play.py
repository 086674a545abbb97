"""A person takes a seat; lines come from a pipe."""

import pytest

from arena.errors import UnknownNameError
from training.cli.play import game_id


def test_a_whole_game_against_a_script(ludus):
    # The second seat calls every bet, so betting twice the same deal pays plus or minus 2.
    answer = ludus("play", "kuhn_poker", "--against", "always_bet", "--seed", 5, "--json", typed="bet\n")
    assert answer.code == 0, answer.err
    assert [move["action"] for move in answer.json["moves"]] == ["bet", "call"]
    assert sorted(answer.json["returns"].values()) == [-2.0, 2.0]
    assert answer.json["status"] == "completed"


def test_the_same_seed_deals_and_answers_alike(ludus):
    games = [ludus("play", "kuhn_poker", "--seat", 2, "--seed", 8, "--json", typed="1\n1\n").json for _ in range(2)]
    assert games[0] == games[1]
    others = {
        str(ludus("play", "kuhn_poker", "--seat", 2, "--seed", s, "--json", typed="1\n1\n").json["moves"])
        for s in range(8)
    }
    assert len(others) > 1


def test_people_see_rules_board_and_end(ludus):
    answer = ludus(
        "play", "tic_tac_toe", "--against", "optimal", "--seed", 0, typed="".join(f"{n}\n" for n in range(1, 10)) * 5
    )
    assert answer.code == 0, answer.err
    assert "you are x" in answer.out
    assert "you lose" in answer.out or "even" in answer.out  # minimax never loses


def test_a_simultaneous_game(ludus):
    answer = ludus("play", "rock_paper_scissors", "--against", "optimal", "--seed", 3, "--json", typed="rock\n")
    assert answer.code == 0, answer.err
    assert answer.json["moves"][0]["action"] == "rock"
    assert sum(answer.json["returns"].values()) == 0


@pytest.mark.parametrize("typed", ["", "q\n"])
def test_leaving_ends_the_game(ludus, typed):
    answer = ludus("play", "kuhn_poker", typed=typed)
    assert answer.code == 1
    assert "the game stops here" in answer.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["kuhn_pokr"], "kuhn_poker-v0"),
        (["kuhn_poker", "--seat", "third"], "first"),
        (["kuhn_poker", "--against", "unifrom"], "did you mean uniform"),
        (["kuhn_poker", "--against", "nowhere/at/all"], "run directory"),
    ],
)
def test_bad_input_is_refused_before_play(ludus, arguments, words):
    answer = ludus("play", *arguments)
    assert answer.code == 2
    assert words in answer.err


def test_a_player_made_for_another_game_is_refused(ludus):
    answer = ludus("play", "tic_tac_toe", "--against", "kuhn_equilibrium", typed="1\n")
    assert answer.code == 2
    assert "kuhn_equilibrium" in answer.err


def test_the_version_may_be_left_out():
    assert game_id("kuhn_poker") == game_id("kuhn_poker-v0") == "kuhn_poker-v0"
    with pytest.raises(UnknownNameError):
        game_id("kuhn_poker-v9")
