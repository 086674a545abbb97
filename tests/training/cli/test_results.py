"""How a game ended, in words and in the score."""

import pytest

from arena.types import GameSpec, Payoff, Status
from training.cli.results import GameResult, in_words, score, score_in_words, verdict


def spec(payoff=Payoff.ZERO_SUM, seats=("a", "b")):
    return GameSpec(
        name="g", version=0, seats=seats, payoff=payoff, max_turns=9, returns_range=(-2.0, 2.0), actions=("x",)
    )


def result(returns, status=Status.COMPLETED, reason=""):
    return GameResult(status=status, reason=reason, returns=returns)


@pytest.mark.parametrize(
    ("found", "end", "words"),
    [
        (result({"a": 1.0, "b": -1.0}), "won", "You win: a +1, b -1."),
        (result({"a": -1.0, "b": 1.0}), "lost", "You lose: a -1, b +1."),
        (result({"a": 0.0, "b": 0.0}), "drawn", "A draw: a 0, b 0."),
        (
            result({"a": 2.0, "b": -2.0}, reason="forfeit:b"),
            "won",
            "Forfeit by b: no legal answer. You win: a +2, b -2.",
        ),
        (
            result({"a": 0.0, "b": 0.0}, Status.TRUNCATED, "max_turns"),
            "truncated",
            "Stopped by the game's limit of 9 turns: a 0, b 0.",
        ),
        (
            result({"a": 0.0, "b": 0.0}, Status.FAILED, "step: expected ..."),
            "failed",
            "The game broke, and nobody is paid: step: expected ...",
        ),
        (result({"a": None, "b": 1.0}), "unjudged", "Nobody judged your answer: a -, b +1."),
    ],
)
def test_ends_of_rivals_are_told_apart(found, end, words):
    assert verdict(spec(), "a", found) == end
    assert in_words(spec(), "a", found) == words


def test_the_best_of_three_wins_and_equal_bests_draw():
    three = spec(seats=("a", "b", "c"))
    assert verdict(three, "a", result({"a": 0.5, "b": 0.0, "c": -0.5})) == "won"
    assert verdict(three, "a", result({"a": 1.0, "b": 1.0, "c": -2.0})) == "drawn"
    assert verdict(three, "a", result({"a": 0.0, "b": 1.0, "c": -1.0})) == "lost"


@pytest.mark.parametrize("payoff", [Payoff.GENERAL_SUM, Payoff.COMMON])
def test_where_nobody_is_a_rival_pay_is_told_and_no_winner(payoff):
    found = result({"a": 2.0, "b": 0.0})
    assert verdict(spec(payoff), "a", found) == "paid"
    assert in_words(spec(payoff), "a", found) == "You get 2: a +2, b 0."


def test_one_seat_is_told_its_own_return():
    alone = spec(Payoff.COMMON, seats=("a",))
    assert in_words(alone, "a", result({"a": 1.0})) == "You get 1."


def test_the_score_sums_the_games_that_ended_by_their_rules():
    played = [
        result({"a": 2.0, "b": -2.0}), result({"a": 2.0, "b": -2.0}), result({"a": -1.0, "b": 1.0}),
        result({"a": 1.0, "b": -1.0}, Status.TRUNCATED, "max_turns"),
    ]  # fmt: skip
    assert score(spec(), "a", played) == {
        "games": 4, "won": 2, "lost": 1, "truncated": 1, "returns": {"a": 3.0, "b": -3.0},
    }  # fmt: skip
    words = "After 4 of 5 games: 2 won, 1 lost, 1 truncated; in all a +3, b -3."
    assert score_in_words(spec(), "a", played, 5) == words
