"""Liar's dice against hand-computed pay, known values, and OpenSpiel's liars_dice as oracle."""

import pyspiel
import pytest
from open_spiel.python import policy
from open_spiel.python.algorithms import exploitability

from arena.errors import ConfigError
from arena.game_tree import game_tree
from arena.games.liars_dice import DiceState, LiarsDice, rolls, sayings
from arena.regret_matching import approximate_equilibrium
from arena.solutions import nash_conv, uniform_strategy
from arena.testing import check_game
from arena.types import NATURE, Task

GAME = LiarsDice()


def task_of(faces, dice=1):
    return Task(game="liars_dice-v0", params={"faces": faces, "dice": dice})


def oracle_of(faces, dice=1):
    return pyspiel.load_game(f"liars_dice(numdice={dice},dice_sides={faces})")


def said(hands, sayings, faces=6):
    return DiceState(faces, len(hands[0]), tuple(hands), tuple(sayings.split()))


def oracle_ends(state, dice, chance=1.0, rolled=(), told=()):
    """Yields every end of OpenSpiel's game: both hands in rising order and what was said, chance and returns."""
    if state.is_terminal():
        hands = tuple(sorted(rolled[:dice])), tuple(sorted(rolled[dice:]))
        yield (hands, told), chance, tuple(state.returns())
    elif state.is_chance_node():
        for outcome, p in state.chance_outcomes():
            yield from oracle_ends(state.child(outcome), dice, chance * p, (*rolled, outcome + 1), told)
    else:
        for action in state.legal_actions():
            name = state.action_to_string(action).lower()
            yield from oracle_ends(state.child(action), dice, chance, rolled, (*told, name))


def our_ends(state, chance=1.0):
    movers = GAME.to_move(state)
    if not movers:
        yield (state.hands, state.said), chance, tuple(GAME.returns(state).values())
    elif movers == (NATURE,):
        for outcome, p in GAME.nature(state).outcomes:
            yield from our_ends(GAME.step(state, {NATURE: outcome}), chance * p)
    else:
        for action in GAME.observe(state, movers[0]).legal_actions:
            yield from our_ends(GAME.step(state, {movers[0]: action}), chance)


def gathered(ends):
    """Returns the total chance and the returns of each end: OpenSpiel rolls one die at a time, in any order."""
    found = {}
    for name, chance, returns in ends:
        total, known = found.get(name, (0.0, returns))
        assert known == returns
        found[name] = (total + chance, returns)
    return found


@pytest.mark.parametrize(("faces", "dice", "count"), [(2, 1, 60), (3, 1, 567), (4, 1, 4080), (2, 2, 2295)])
def test_every_end_is_openspiels(faces, dice, count):
    """Dice, sayings, chance and returns of all ends are equal, so the rules are."""
    ours = gathered(our_ends(GAME.reset(task_of(faces, dice))))
    theirs = gathered(oracle_ends(oracle_of(faces, dice).new_initial_state(), dice))
    assert len(theirs) == count
    assert ours.keys() == theirs.keys()
    assert all(ours[name][1] == theirs[name][1] for name in theirs)
    assert all(ours[name][0] == pytest.approx(theirs[name][0], abs=1e-12) for name in theirs)


@pytest.mark.parametrize(("faces", "dice"), [(2, 1), (3, 1), (4, 1), (2, 2)])
def test_uniform_play_is_worth_what_openspiel_says(faces, dice):
    tree = game_tree(GAME, task_of(faces, dice))
    game = oracle_of(faces, dice)
    oracle = exploitability.nash_conv(game, policy.UniformRandomPolicy(game))
    assert nash_conv(tree, uniform_strategy(tree)).value == pytest.approx(oracle, abs=1e-9)


# To the first seat: the sequence-form linear program of OpenSpiel's game, solved once with HiGHS.
@pytest.mark.parametrize(
    ("faces", "dice", "value"), [(2, 1, 1 / 2), (3, 1, 1 / 9), (4, 1, 1 / 16), (5, 1, 1 / 125), (2, 2, 7 / 8)]
)
def test_value(faces, dice, value):
    found = approximate_equilibrium(game_tree(GAME, task_of(faces, dice)), within=1e-3)
    assert found.low <= value <= found.high
    assert found.high - found.low <= 1e-3


@pytest.mark.slow
def test_value_of_the_default_task():
    """The same linear program gives -0.0271317829, which is -7/258."""
    tree = game_tree(GAME, Task(game="liars_dice-v0"))
    assert (tree.terminals, len(tree.information_sets)) == (36 * 4095, 24576)
    found = approximate_equilibrium(tree, within=2e-3)
    assert found.low <= -7 / 258 <= found.high
    assert found.high - found.low <= 2e-3


def test_information_sets():
    tree = game_tree(GAME, task_of(3))
    assert len(tree.information_sets) == 3 * 2**6  # own die and bids made; all bids but the last leave a choice
    assert len({(info.seat, info.observation.text) for info in tree.information_sets}) == 3 * 2**6


@pytest.mark.parametrize(
    ("hands", "sayings", "gain"),
    [
        ([(3,), (3,)], "2-3 liar", 1),
        ([(3,), (2,)], "2-3 liar", -1),
        ([(3,), (6,)], "2-3 liar", 1),
        ([(5,), (5,)], "1-6 liar", -1),
        ([(1,), (2,)], "1-1 1-2 liar", -1),
        ([(1,), (2,)], "1-1 1-3 liar", 1),
        ([(1, 4), (4, 6)], "2-4 3-4 liar", -1),
        ([(1, 4), (4, 6)], "2-4 4-4 liar", 1),
    ],
)
def test_pay(hands, sayings, gain):
    state = said(hands, sayings)
    assert GAME.to_move(state) == ()
    assert GAME.returns(state) == {"first": gain, "second": -gain}


def test_sayings():
    assert sayings(2, 1) == ("1-1", "1-2", "2-1", "2-2", "liar")
    assert len(GAME.spec.actions) == 25 and GAME.spec.actions[-2:] == ("4-6", "liar")
    assert all(set(sayings(faces, dice)) <= set(GAME.spec.actions) for faces in range(2, 7) for dice in (1, 2))
    assert rolls(2, 2).outcomes == (((1, 1), 0.25), ((1, 2), 0.5), ((2, 2), 0.25))
    opening = said([(1,), (2,)], "", faces=2)
    assert GAME.observe(opening, "first").legal_actions == ("1-1", "1-2", "2-1", "2-2")
    assert GAME.observe(said([(1,), (2,)], "2-2", faces=2), "second").legal_actions == ("liar",)


def test_texts():
    state = said([(5,), (3,)], "1-5 2-4")
    assert GAME.observe(state, "first").text == (
        "Each player has 1 die with faces 1 to 6. You rolled 5. You said 1-5. The opponent said 2-4. "
        "You may say 2-5, 2-6 or liar."
    )
    assert GAME.observe(state, "second").text == (
        "Each player has 1 die with faces 1 to 6. You rolled 3. The opponent said 1-5. You said 2-4."
    )
    last = said([(1, 2), (2, 2)], "4-2", faces=2)
    assert GAME.observe(last, "second").text == (
        "Each player has 2 dice with faces 1 to 2. You rolled 2 and 2. The opponent said 4-2. You may say liar."
    )
    assert GAME.information_key(last, "first") == "2d2 1 2 4-2"
    assert GAME.state_text(last) == "2d2 | first 1 2 | second 2 2 | 4-2"
    assert GAME.state_text(GAME.reset(task_of(6))) == "1d6 | -"


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"faces": 1}, "task.params.faces: expected a whole number from 2 to 6, got 1; change it"),
        ({"faces": 7}, "task.params.faces: expected a whole number from 2 to 6, got 7; change it"),
        ({"faces": "3"}, "task.params.faces: expected a whole number from 2 to 6, got '3'; change it"),
        ({"dice": True}, "task.params.dice: expected a whole number from 1 to 2, got True; change it"),
        ({"dice": 3}, "task.params.dice: expected a whole number from 1 to 2, got 3; change it"),
    ],
)
def test_bad_params(params, message):
    with pytest.raises(ConfigError, match=message):
        GAME.reset(Task(game="liars_dice-v0", params=params))


@pytest.mark.parametrize("tasks", [(), (task_of(2), task_of(4), task_of(2, 2), task_of(6, 2))])
def test_check(tasks):
    assert check_game(GAME, tasks=tasks, most_states=1000).hidden_information
