"""Leduc poker against hand-computed pay, and against OpenSpiel's leduc_poker as oracle."""

import pyspiel
import pytest
from open_spiel.python import policy
from open_spiel.python.algorithms import expected_game_score, exploitability

from arena.errors import ConfigError
from arena.game_tree import game_tree
from arena.games.leduc_poker import CARDS, LeducPoker, LeducState, closed, legal_actions
from arena.regret_matching import approximate_equilibrium
from arena.solutions import nash_conv, uniform_strategy
from arena.testing import check_game
from arena.types import NATURE, Task

GAME = LeducPoker()
TASK = Task(game="leduc_poker-v0")
VALUE = -0.085606424078
"""To the first seat (OpenSpiel, algorithms/ortools/sequence_form_lp_test.cc)."""


@pytest.fixture(scope="module")
def tree():
    return game_tree(GAME, TASK)


def state_of(cards, *rounds):
    return LeducState(tuple(cards.split()), tuple(tuple(actions.split()) for actions in rounds))


def oracle_ends(state, chance=1.0, played=()):
    """Yields every end of OpenSpiel's game: the actions by name with chance outcomes by number, chance and returns."""
    if state.is_terminal():
        yield played, chance, tuple(state.returns())
    elif state.is_chance_node():
        for outcome, p in state.chance_outcomes():
            yield from oracle_ends(state.child(outcome), chance * p, (*played, CARDS[outcome]))
    else:
        facing = 0 in state.legal_actions()
        names = {0: "fold", 1: "call" if facing else "check", 2: "raise"}
        for action in state.legal_actions():
            yield from oracle_ends(state.child(action), chance, (*played, names[action]))


def our_ends(state, chance=1.0, played=()):
    movers = GAME.to_move(state)
    if not movers:
        yield played, chance, tuple(GAME.returns(state).values())
    elif movers == (NATURE,):
        for outcome, p in GAME.nature(state).outcomes:
            told = (outcome,) if isinstance(outcome, str) else outcome
            yield from our_ends(GAME.step(state, {NATURE: outcome}), chance * p, (*played, *told))
    else:
        for action in GAME.observe(state, movers[0]).legal_actions:
            yield from our_ends(GAME.step(state, {movers[0]: action}), chance, (*played, action))


def test_every_end_is_openspiels():
    """Cards, actions, chance and returns of all 5,520 ends are equal, so the rules are."""
    ours = {played: (chance, returns) for played, chance, returns in our_ends(GAME.reset(TASK))}
    oracle = oracle_ends(pyspiel.load_game("leduc_poker").new_initial_state())
    theirs = {played: (chance, returns) for played, chance, returns in oracle}
    assert len(theirs) == 5520
    assert ours.keys() == theirs.keys()
    assert all(ours[played][1] == theirs[played][1] for played in theirs)
    assert all(ours[played][0] == pytest.approx(theirs[played][0], abs=1e-15) for played in theirs)


def test_information_sets(tree):
    assert len(tree.information_sets) == 936  # OpenSpiel's count, suits told apart
    assert len({(info.seat, info.observation.text) for info in tree.information_sets}) == 936
    assert tree.terminals == 5520


def test_uniform_play_is_worth_what_openspiel_says(tree):
    found = nash_conv(tree, uniform_strategy(tree))
    game = pyspiel.load_game("leduc_poker")
    uniform = policy.UniformRandomPolicy(game)
    assert found.value == pytest.approx(exploitability.nash_conv(game, uniform), abs=1e-9)
    expected = expected_game_score.policy_value(game.new_initial_state(), [uniform, uniform])
    assert list(found.returns.values()) == pytest.approx(list(expected), abs=1e-9)
    assert found.value == pytest.approx(4.7472, abs=5e-5)


def test_hidden_suits_are_openspiels_suit_isomorphism():
    tree = game_tree(GAME, Task(game="leduc_poker-v0", params={"suits": False}))
    game = pyspiel.load_game("leduc_poker(suit_isomorphism=true)")
    assert len(tree.information_sets) == 288
    found = nash_conv(tree, uniform_strategy(tree))
    assert found.value == pytest.approx(exploitability.nash_conv(game, policy.UniformRandomPolicy(game)), abs=1e-9)
    assert found.value == pytest.approx(4.7472, abs=5e-5)
    seen = GAME.observe(LeducState(("J", "K", "Q"), (("check", "check"), ()), False), "first").text
    assert seen.startswith("You hold the Jack. You checked. The opponent checked. The open card is the Queen. Pot 2.")
    with pytest.raises(ConfigError, match=r"task\.params\.suits: expected true or false, got 'no'"):
        GAME.reset(Task(game="leduc_poker-v0", params={"suits": "no"}))


def test_value(tree):
    found = approximate_equilibrium(tree, within=1e-3)
    assert found.low <= VALUE <= found.high
    assert found.high - found.low <= 1e-3


@pytest.mark.parametrize(
    ("cards", "rounds", "gain"),
    [
        ("Jh Kh", ["raise fold"], 1),
        ("Jh Kh", ["check raise fold"], -1),
        ("Jh Kh", ["raise raise fold"], -3),
        ("Jh Kh Qs", ["check check", "check check"], -1),
        ("Jh Kh Js", ["check check", "check check"], 1),
        ("Kh Qs Jh", ["raise call", "check check"], 3),
        ("Jh Js Kh", ["raise raise call", "raise raise call"], 0),
        ("Qh Kh Ks", ["check raise raise call", "check raise raise call"], -13),
        ("Qh Ks Qs", ["raise raise call", "raise raise call"], 13),
        ("Qh Ks Qs", ["raise raise call", "raise raise fold"], -9),
        ("Qh Ks Qs", ["check check", "check raise fold"], -1),
    ],
)
def test_pay(cards, rounds, gain):
    state = state_of(cards, *rounds)
    assert GAME.to_move(state) == ()
    assert GAME.returns(state) == {"first": gain, "second": -gain}


@pytest.mark.parametrize(
    ("actions", "legal"),
    [
        ("", "check raise"),
        ("check", "check raise"),
        ("raise", "fold call raise"),
        ("check raise", "fold call raise"),
        ("raise raise", "fold call"),
        ("check raise raise", "fold call"),
    ],
)
def test_legal_actions(actions, legal):
    assert not closed(tuple(actions.split()))
    assert legal_actions(tuple(actions.split())) == tuple(legal.split())


def test_chance():
    deals = GAME.nature(LeducState()).outcomes
    assert len(deals) == 30 and sum(p for _, p in deals) == pytest.approx(1)
    after = state_of("Jh Qs", "check check")
    assert GAME.to_move(after) == (NATURE,)
    assert GAME.nature(after).outcomes == (("Js", 0.25), ("Qh", 0.25), ("Kh", 0.25), ("Ks", 0.25))
    assert GAME.to_move(GAME.step(after, {NATURE: "Js"})) == ("first",)


def test_texts():
    state = state_of("Jh Kh Qs", "check raise call", "raise")
    assert GAME.observe(state, "second").text == (
        "You hold the King of hearts. The opponent checked. You raised. The opponent called. "
        "The open card is the Queen of spades. The opponent raised. Pot 10. You may fold, call or raise."
    )
    assert GAME.observe(state, "first").legal_actions == ()
    assert GAME.observe(state, "first").text.endswith("You raised. Pot 10.")
    assert GAME.information_key(state, "first") == "Jh check raise call Qs raise"
    assert GAME.state_text(state) == "first Jh | second Kh | open Qs | check raise call / raise | pot 10"
    assert GAME.state_text(LeducState()) == "The cards are not dealt."
    opening = GAME.observe(state_of("Jh Kh", ""), "first")
    assert opening.text == "You hold the Jack of hearts. Pot 2. You may check or raise."


def test_check():
    assert check_game(GAME).hidden_information
