"""The iterated prisoner's dilemma: pay by hand, backward induction, and Axelrod's tit-for-tat."""

from itertools import product
from pathlib import Path

import pytest

from arena.errors import ConfigError
from arena.game_tree import game_tree
from arena.games.prisoners_dilemma import Dilemma, PrisonersDilemma
from arena.solutions import nash_conv, tabulate
from arena.testing import check_game
from arena.types import Task

GOLDEN = Path(__file__).parents[2] / "golden" / "prisoners_dilemma.txt"
GAME = PrisonersDilemma()
ACTIONS = ("cooperate", "defect")


def task(**params):
    return Task(game="prisoners_dilemma-v0", params=params)


def tree_of(rounds):
    return game_tree(GAME, task(rounds=rounds))


def tit_for_tat(seen):
    """Cooperates at first, then repeats the opponent's last action; it reads what a player reads."""
    if "The opponent played" not in seen.text:
        return "cooperate"
    last = seen.text.split("The opponent played ")[1].split(".")[0].split()[-1]
    return {"c": "cooperate", "d": "defect"}[last]


def played(rounds, first, second):
    """Returns the last state when two functions of the observation play, and the pay of every round."""
    state, paid = GAME.reset(task(rounds=rounds)), []
    while GAME.to_move(state):
        before = state
        moves = {seat: play(GAME.observe(state, seat)) for seat, play in (("first", first), ("second", second))}
        state = GAME.step(state, moves)
        paid.append(tuple(GAME.rewards(before, state).values()))
    return state, paid


def strategies(tree, play):
    return {seat: tabulate(tree, seat, lambda seen: {play(seen): 1.0}) for seat in tree.seats}


def cooperator(seen):
    return "cooperate"


def defector(seen):
    return "defect"


@pytest.mark.parametrize(
    ("rounds", "play", "value"),
    [
        (1, defector, 0.0),
        (2, defector, 0.0),
        (3, defector, 0.0),
        (1, cooperator, 4.0),  # each takes 5 instead of 3
        (2, cooperator, 8.0),  # in both rounds
        (1, tit_for_tat, 4.0),
        (2, tit_for_tat, 4.0),  # each defects in the last round only: 3 + 5; at once is 5 + 1
        (3, tit_for_tat, 4.0),
    ],
)
def test_nash_conv(rounds, play, value):
    tree = tree_of(rounds)
    assert nash_conv(tree, strategies(tree, play)).value == pytest.approx(value, abs=1e-12)


def equilibria(state):
    """Returns the pay of every subgame-perfect equilibrium in pure actions, and the actions of both at its root."""
    if not GAME.to_move(state):
        return [((0.0, 0.0), ())]
    after = {}
    for first, second in product(ACTIONS, repeat=2):
        end = GAME.step(state, {"first": first, "second": second})
        pay = GAME.rewards(state, end)
        ((later, _),) = equilibria(end)  # exactly one below each history
        after[first, second] = (pay["first"] + later[0], pay["second"] + later[1])
    return [
        (value, (first, second))
        for (first, second), value in after.items()
        if all(after[other, second][0] <= value[0] and after[first, other][1] <= value[1] for other in ACTIONS)
    ]


@pytest.mark.parametrize("rounds", [1, 2, 3, 4])
def test_mutual_defection_is_the_only_subgame_perfect_equilibrium(rounds):
    # Backward induction (R. D. Luce and H. Raiffa, Games and Decisions, 1957, section 5.5).
    assert equilibria(GAME.reset(task(rounds=rounds))) == [((rounds, rounds), ("defect", "defect"))]


def test_tit_for_tat_loses_one_round_to_a_defector_and_none_to_itself():
    # R. Axelrod, The Evolution of Cooperation: 0 against 5 once, then 1 each.
    state, paid = played(10, tit_for_tat, defector)
    assert paid == [(0.0, 5.0)] + [(1.0, 1.0)] * 9
    assert GAME.returns(state) == {"first": 9.0, "second": 14.0}
    assert GAME.returns(played(10, tit_for_tat, tit_for_tat)[0]) == {"first": 30.0, "second": 30.0}
    assert GAME.returns(played(10, defector, defector)[0]) == {"first": 10.0, "second": 10.0}


def test_counts():
    tree = tree_of(5)
    # A full history before each round is one information set of each seat: 1 + 4 + ... + 4^4 = 341; 4^5 ends.
    assert len(tree.information_sets) == 2 * 341
    assert tree.terminals == 4**5
    assert tree.nodes == 2047


def test_texts_and_keys():
    state = Dilemma(4, "cdc", "ccd")
    assert GAME.observe(Dilemma(4), "first").text == "Round 1 of 4. You may cooperate or defect."
    assert GAME.observe(state, "first").text == (
        "Round 4 of 4. You played c d c. The opponent played c c d. You may cooperate or defect."
    )
    assert GAME.observe(state, "second").text == (
        "Round 4 of 4. You played c c d. The opponent played c d c. You may cooperate or defect."
    )
    over = GAME.step(state, {"first": "defect", "second": "defect"})
    assert GAME.observe(over, "first").text == ("You played c d c d. The opponent played c c d d. The game is over.")
    assert GAME.information_key(state, "first") == "cc dc cd of 4"
    assert GAME.information_key(state, "second") == "cc cd dc of 4"
    assert GAME.information_key(Dilemma(4), "second") == "start of 4"
    assert GAME.state_text(state) == "first  c d c | 8\nsecond c c d | 8\n3 of 4 rounds played"


def test_the_longest_game_fits_its_box():
    state, _ = played(100, cooperator, defector)
    assert len(GAME.observe(Dilemma(100, state.first[1:], state.second[1:]), "first").text) < GAME.spec.text_bytes
    assert GAME.returns(state) == {"first": 0.0, "second": GAME.spec.returns_range[1]}


@pytest.mark.parametrize("rounds", [0, 101, "5", 2.0, True])
def test_bad_rounds(rounds):
    with pytest.raises(ConfigError, match=r"task.params.rounds: expected a whole number from 1 to 100, got"):
        GAME.reset(task(rounds=rounds))


def test_it_keeps_the_contract():
    assert check_game(GAME, tasks=[task(), task(rounds=1), task(rounds=20)], episodes=5).information_sets > 600
