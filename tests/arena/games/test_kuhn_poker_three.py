"""Kuhn poker for three against published equilibria, and against OpenSpiel's kuhn_poker(players=3) as oracle."""

import pyspiel
import pytest
from open_spiel.python import policy
from open_spiel.python.algorithms import expected_game_score, exploitability

from arena.game_tree import game_tree
from arena.games.kuhn_poker_three import CARDS, KuhnPokerThree, KuhnThreeState
from arena.solutions import nash_conv, uniform_strategy
from arena.testing import check_game
from arena.types import NATURE, Task

GAME = KuhnPokerThree()
TASK = Task(game="kuhn_poker_three-v0")

SITUATIONS = {
    "first": ("", "check check bet", "check bet fold", "check bet call"),
    "second": ("check", "bet", "check check bet fold", "check check bet call"),
    "third": ("check check", "check bet", "bet fold", "bet call"),
}
"""Seat -> the histories at which it decides, numbered 1 to 4 in the paper's order."""


@pytest.fixture(scope="module")
def tree():
    return game_tree(GAME, TASK)


@pytest.fixture(scope="module")
def oracle():
    return pyspiel.load_game("kuhn_poker(players=3)")


def oracle_ends(state, chance=1.0, played=()):
    """Yields every end of OpenSpiel's game: cards and actions by name, chance and returns."""
    if state.is_terminal():
        yield played, chance, tuple(state.returns())
    elif state.is_chance_node():
        for outcome, p in state.chance_outcomes():
            yield from oracle_ends(state.child(outcome), chance * p, (*played, CARDS[outcome]))
    else:
        names = ("fold", "call") if "bet" in played else ("check", "bet")
        for action in state.legal_actions():
            yield from oracle_ends(state.child(action), chance, (*played, names[action]))


def our_ends(state, chance=1.0):
    movers = GAME.to_move(state)
    if not movers:
        yield (*state.cards, *state.history), chance, tuple(GAME.returns(state).values())
    elif movers == (NATURE,):
        for outcome, p in GAME.nature(state).outcomes:
            yield from our_ends(GAME.step(state, {NATURE: outcome}), chance * p)
    else:
        for action in GAME.observe(state, movers[0]).legal_actions:
            yield from our_ends(GAME.step(state, {movers[0]: action}), chance)


def test_every_end_is_openspiels(oracle):
    """Cards, actions, chance and returns of all 312 ends are equal, so the rules are."""
    ours = {played: (chance, returns) for played, chance, returns in our_ends(GAME.reset(TASK))}
    ends = oracle_ends(oracle.new_initial_state())
    theirs = {played: (chance, returns) for played, chance, returns in ends}
    assert len(theirs) == 312
    assert ours.keys() == theirs.keys()
    assert all(ours[played][1] == theirs[played][1] for played in theirs)
    assert all(ours[played][0] == pytest.approx(theirs[played][0], abs=1e-12) for played in theirs)


def test_counts(tree, oracle):
    assert tree.terminals == 312
    assert len(tree.information_sets) == len(policy.TabularPolicy(oracle).state_lookup) == 48
    assert len({(info.seat, info.observation.text) for info in tree.information_sets}) == 48


def test_uniform_play_is_worth_what_openspiel_says(tree, oracle):
    found = nash_conv(tree, uniform_strategy(tree))
    uniform = policy.UniformRandomPolicy(oracle)
    assert found.value == pytest.approx(exploitability.nash_conv(oracle, uniform), abs=1e-9)
    expected = expected_game_score.policy_value(oracle.new_initial_state(), [uniform] * 3)
    assert list(found.returns.values()) == pytest.approx(list(expected), abs=1e-9)


def profile(*, c11, b11, b21, b23, b32, c33, c34):
    """The parametrised equilibria of Szafron, Gibson and Sturtevant (AAMAS 2013).

    A parameter is a probability to bet or to call: its letter is the seat, its first digit the card (1 the Jack), its
    second the situation. All that are neither given nor computed here are the same in the whole family.
    """
    b33 = 1 / 2 + (b11 + b21 + max(b11, b21)) / 2 - b23 * (1 - b21)
    b41 = 2 * (b11 + b21)
    table = {
        "first": ((0, 0, 0, 0), (0, 0, 0, 0), (0, 0, 1 / 2, 0), (0, 1, 1, 1)),
        "second": ((b11, 0, 0, 0), (b21, 0, b23, 0), (0, b32, b33, 0), (b41, 1, 1, 1)),
        "third": ((c11, 0, 0, 0), (1 / 2 - c11, 0, 0, 0), (0, 0, c33, c34), (1, 1, 1, 1)),
    }
    return {
        seat: {
            f"{card} {history}".strip(): {"call": p, "fold": 1 - p} if "bet" in history else {"bet": p, "check": 1 - p}
            for card, row in zip(CARDS, rows, strict=True)
            for history, p in zip(SITUATIONS[seat], row, strict=True)
        }
        for seat, rows in table.items()
    }


@pytest.mark.parametrize(
    ("parameters", "first"),
    [
        (dict(c11=0, b11=0, b21=0, b23=0, b32=1 / 4, c33=1 / 4, c34=0), -1 / 48),
        (dict(c11=0, b11=0, b21=1 / 4, b23=0, b32=3 / 5, c33=1 / 10, c34=0), -1 / 32),
        (dict(c11=1 / 2, b11=1 / 4, b21=0, b23=1 / 8, b32=3 / 4, c33=0, c34=3 / 4), -1 / 32),
    ],
)
def test_published_equilibria(tree, parameters, first):
    """The second seat gets -1/48 in all of them, and what the first loses more goes to the third."""
    found = nash_conv(tree, profile(**parameters))
    assert found.value == pytest.approx(0, abs=1e-9)
    assert list(found.returns.values()) == pytest.approx([first, -1 / 48, 1 / 48 - first], abs=1e-12)


def test_leaving_the_family_can_be_exploited(tree):
    strategies = profile(c11=0, b11=0, b21=0, b23=0, b32=1 / 4, c33=1 / 4, c34=0)
    strategies["first"]["K check bet fold"] = {"fold": 1.0}
    found = nash_conv(tree, strategies)
    assert found.gains["second"] == pytest.approx(1 / 6)
    assert [found.gains["first"], found.gains["third"]] == pytest.approx([0, 0], abs=1e-12)


@pytest.mark.parametrize(
    ("cards", "history", "returns"),
    [
        ("JQK", "check check check", (-1, -1, 2)),
        ("AQK", "check check check", (2, -1, -1)),
        ("JQK", "bet fold fold", (2, -1, -1)),
        ("JQK", "bet fold call", (-2, -1, 3)),
        ("JQK", "bet call call", (-2, -2, 4)),
        ("JAK", "bet call fold", (-2, 3, -1)),
        ("AJQ", "check bet fold fold", (-1, 2, -1)),
        ("AJQ", "check bet fold call", (3, -2, -1)),
        ("AJQ", "check bet call call", (4, -2, -2)),
        ("JKQ", "check check bet fold call", (-1, 3, -2)),
        ("KAQ", "check check bet call fold", (3, -1, -2)),
    ],
)
def test_pay(cards, history, returns):
    state = KuhnThreeState(tuple(cards), tuple(history.split()))
    assert GAME.to_move(state) == ()
    assert tuple(GAME.returns(state).values()) == returns


@pytest.mark.parametrize(
    ("history", "seat"),
    [
        ("", "first"),
        ("check", "second"),
        ("check check", "third"),
        ("check check bet", "first"),
        ("check check bet fold", "second"),
        ("check bet", "third"),
        ("check bet call", "first"),
        ("bet fold", "third"),
    ],
)
def test_who_moves(history, seat):
    assert GAME.to_move(KuhnThreeState(("J", "Q", "K"), tuple(history.split()))) == (seat,)


def test_texts():
    state = KuhnThreeState(("K", "J", "A"), ("check", "check", "bet", "call"))
    assert GAME.observe(state, "second").text == (
        "You hold the Jack. The first player checked. You checked. The third player bet. The first player called. "
        "Pot 5. You may fold or call."
    )
    assert GAME.observe(state, "third").text == (
        "You hold the Ace. The first player checked. The second player checked. You bet. The first player called. "
        "Pot 5."
    )
    assert GAME.observe(state, "third").legal_actions == ()
    assert GAME.observe(KuhnThreeState(("K", "J", "A")), "first").text == (
        "You hold the King. Pot 3. You may check or bet."
    )
    assert GAME.information_key(state, "second") == "J check check bet call"
    assert GAME.state_text(state) == "first K | second J | third A | check check bet call | pot 5"
    assert GAME.state_text(KuhnThreeState()) == "The cards are not dealt."


def test_check():
    assert check_game(GAME).hidden_information
