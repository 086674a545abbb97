"""Matrix games: the table as a task, what each seat reads of it, and known values of known tables."""

from pathlib import Path

import pytest

from arena.errors import ConfigError
from arena.game_tree import game_tree
from arena.games.matrix_game import MatrixGame
from arena.referee import Referee
from arena.regret_matching import game_value
from arena.solutions import nash_conv, uniform_strategy
from arena.testing import check_game
from arena.types import NotUnderstood, Task

GOLDEN = Path(__file__).parents[2] / "golden" / "matrix_game.txt"
GAME = MatrixGame()
BATTLE = [[[2, 1], [0, 0]], [[0, 0], [1, 2]]]
PENNIES = [[[1, -1], [-1, 1]], [[-1, 1], [1, -1]]]
LARGE = [[[-12.3456789, 9.87654321] for _ in range(8)] for _ in range(8)]


def task(**params):
    return Task(game="matrix_game-v0", params=params)


def mixed(tree, row, column):
    """Returns strategies from probabilities of the actions of a game of one round."""
    (mine,), (theirs,) = tree.sets_of("row"), tree.sets_of("column")
    return {
        "row": {mine.key: dict(zip(mine.actions, row, strict=True))},
        "column": {theirs.key: dict(zip(theirs.actions, column, strict=True))},
    }


def test_odd_or_even_is_worth_a_twelfth():
    # T. S. Ferguson, Game Theory, part II: value 1/12, both say one with probability 7/12.
    tree = game_tree(GAME, task())
    found = nash_conv(tree, mixed(tree, (7 / 12, 5 / 12), (7 / 12, 5 / 12)))
    assert found.value == pytest.approx(0.0, abs=1e-12)
    assert found.returns == pytest.approx({"row": 1 / 12, "column": -1 / 12})
    value = game_value(tree, within=1e-3)
    assert value.low <= 1 / 12 <= value.high and value.high - value.low <= 1e-3


@pytest.mark.parametrize(
    ("row", "column", "value"),
    [
        ((1, 0), (1, 0), 0.0),
        ((0, 1), (0, 1), 0.0),
        ((2 / 3, 1 / 3), (1 / 3, 2 / 3), 0.0),  # each makes the other indifferent
        ((1, 0), (0, 1), 2.0),  # missing each other: row would gain 1 at b, column 1 at a
    ],
)
def test_the_battle_of_the_sexes(row, column, value):
    # R. D. Luce and H. Raiffa, Games and Decisions, 1957, section 5.3; the equilibria by hand.
    tree = game_tree(GAME, task(payoffs=BATTLE))
    assert nash_conv(tree, mixed(tree, row, column)).value == pytest.approx(value, abs=1e-12)


def test_repetition_adds_up_and_pays_by_round():
    state = GAME.reset(task(payoffs=BATTLE, rounds=3))
    paid = []
    for row, column in ("aa", "ab", "bb"):
        after = GAME.step(state, {"column": column, "row": row})
        paid.append(tuple(GAME.rewards(state, after).values()))
        state = after
    assert paid == [(2, 1), (0, 0), (1, 2)]
    assert GAME.returns(state) == {"row": 3.0, "column": 3.0}
    assert GAME.to_move(state) == ()
    tree = game_tree(GAME, task(payoffs=PENNIES, rounds=3))
    assert nash_conv(tree, uniform_strategy(tree)).value == pytest.approx(0.0, abs=1e-12)
    assert tree.terminals == 64


def test_what_each_seat_reads():
    start = GAME.reset(
        task(
            payoffs=[[[2, 1], [0, -0.5], [1, 1]], [[0, 0], [1, 2], [3, 0]]],
            row_actions=["opera", "fight"],
            column_actions=["left", "middle", "right"],
            rounds=2,
        )
    )
    state = GAME.step(start, {"row": "b", "column": "c"})
    assert GAME.observe(state, "row").text.splitlines() == [
        "Your actions: a opera, b fight.",
        "The opponent's actions: a left, b middle, c right.",
        "You a, opponent a: you get 2, opponent 1.",
        "You a, opponent b: you get 0, opponent -0.5.",
        "You a, opponent c: you get 1, opponent 1.",
        "You b, opponent a: you get 0, opponent 0.",
        "You b, opponent b: you get 1, opponent 2.",
        "You b, opponent c: you get 3, opponent 0.",
        "Round 2 of 2.",
        "You chose b. The opponent chose c.",
        "You may choose a, b.",
    ]
    seen = GAME.observe(state, "column")
    assert seen.legal_actions == ("a", "b", "c")
    assert seen.text.splitlines() == [
        "Your actions: a left, b middle, c right.",
        "The opponent's actions: a opera, b fight.",
        "You a, opponent a: you get 1, opponent 2.",
        "You a, opponent b: you get 0, opponent 0.",
        "You b, opponent a: you get -0.5, opponent 0.",
        "You b, opponent b: you get 2, opponent 1.",
        "You c, opponent a: you get 1, opponent 1.",
        "You c, opponent b: you get 0, opponent 3.",
        "Round 2 of 2.",
        "You chose c. The opponent chose b.",
        "You may choose a, b, c.",
    ]
    assert (
        GAME.information_key(state, "row")
        == "2,1 0,-0.5 1,1 / 0,0 1,2 3,0 | opera, fight | left, middle, right | bc of 2"
    )
    assert GAME.information_key(state, "column").endswith(" | cb of 2")
    assert GAME.information_key(start, "column").endswith(" | start of 2")
    assert GAME.information_key(GAME.reset(task()), "row") == "-2,2 3,-3 / 3,-3 -4,4 | start of 1"
    assert GAME.state_text(state) == (
        "       a      b      c\na    2,1 0,-0.5    1,1\nb    0,0    1,2    3,0\n1 of 2 rounds played: bc"
    )
    over = GAME.step(state, {"row": "a", "column": "a"})
    assert GAME.observe(over, "row").legal_actions == ()
    assert GAME.observe(over, "row").text.endswith("You chose b a. The opponent chose c a.")


def test_the_text_says_what_is_paid():
    """Reads the listed pay back and compares it with the returns, for both seats and every cell."""
    start = GAME.reset(task(payoffs=[[[2, 1], [0, -0.5]], [[0.1, 0], [1, 2]]]))
    for row in "ab":
        for column in "ab":
            returns = GAME.returns(GAME.step(start, {"row": row, "column": column}))
            for seat, mine, theirs in (("row", row, column), ("column", column, row)):
                other = "column" if seat == "row" else "row"
                line = f"You {mine}, opponent {theirs}: you get {returns[seat]:g}, opponent {returns[other]:g}."
                assert line in GAME.observe(start, seat).text.splitlines()


def test_an_illegal_answer_costs_one_and_plays_at_random():
    referee = Referee(GAME, task(payoffs=[[[0, 0], [0, 0]], [[0, 0], [0, 0]]]))
    referee.act("row", NotUnderstood(reason="empty"))
    referee.act("column", NotUnderstood(reason="empty"))
    assert referee.done
    assert referee.returns == {"row": -1.0, "column": -1.0}


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"payoffs": 3}, r"task.params.payoffs: expected a list of 1 to 8 rows, got 3"),
        ({"payoffs": []}, r"task.params.payoffs: expected a list of 1 to 8 rows"),
        ({"payoffs": [[[1, 1]] * 9]}, r"task.params.payoffs\[0\]: expected a list of 1 to 8 pairs"),
        ({"payoffs": [[[1, 1], [0, 0]], [[1, 1]]]}, r"task.params.payoffs\[1\]: expected a list of 2 pairs"),
        ({"payoffs": [[[1, 1], [0]]]}, r"task.params.payoffs\[0\]\[1\]: expected a list of 2 numbers, got \[0\]"),
        ({"payoffs": [[[1, "1"]]]}, r"task.params.payoffs\[0\]\[0\]\[1\]: expected a number from -100 to 100, got '1'"),
        ({"payoffs": [[[1, 101]]]}, r"task.params.payoffs\[0\]\[0\]\[1\]: .* got 101"),
        ({"payoffs": [[[float("nan"), 1]]]}, r"task.params.payoffs\[0\]\[0\]\[0\]: .* got nan"),
        ({"payoffs": [[[True, 1]]]}, r"task.params.payoffs\[0\]\[0\]\[0\]: .* got True"),
        ({"payoffs": [[[30, 1]]], "rounds": 5}, r"\[0\]\[0\]\[0\]: expected a number from -20 to 20, got 30"),
        ({"rounds": 0}, r"task.params.rounds: expected a whole number from 1 to 10, got 0"),
        ({"rounds": 1.0}, r"task.params.rounds: "),
        ({"row_actions": ["up"]}, r"task.params.row_actions: expected a list of 2 names, got \['up'\]"),
        ({"column_actions": "ab"}, r"task.params.column_actions: expected a list of 2 names"),
        ({"row_actions": ["up", "up"]}, r"task.params.row_actions\[1\]: expected a name"),
        ({"row_actions": ["up", 3]}, r"task.params.row_actions\[1\]: expected a name"),
        ({"row_actions": ["up", "x" * 21]}, r"task.params.row_actions\[1\]: expected a name"),
    ],
)
def test_bad_params(params, message):
    with pytest.raises(ConfigError, match=message):
        GAME.reset(task(**params))


def test_it_keeps_the_contract():
    names = ["x" * 19 + letter for letter in "abcdefgh"]
    tasks = [
        task(),
        task(payoffs=BATTLE, rounds=3),
        task(payoffs=[[[1, 0]], [[0, 1]]]),
        task(payoffs=[[[-1.23456789e-5, -1.23456789e-5]] * 8] * 8, row_actions=names, column_actions=names, rounds=10),
        task(payoffs=LARGE),
    ]
    assert check_game(GAME, tasks=tasks, episodes=3, most_states=400).information_sets > 10
