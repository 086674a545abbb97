"""Negotiation: what is dealt and paid, OpenSpiel's bargaining as an oracle, and that the game is not degenerate."""

from itertools import permutations, product

import pyspiel
import pytest

from arena.bargaining import pareto_optimal
from arena.errors import ConfigError
from arena.game_tree import game_tree
from arena.games.negotiation import (
    POOLS,
    Bargain,
    Negotiation,
)
from arena.solutions import best_response, nash_conv, tabulate, uniform_strategy
from arena.testing import check_game
from arena.types import NATURE, Task

GAME = Negotiation()
AGREE = 120  # the action "Agree" of OpenSpiel's bargaining


def task(**params):
    return Task(game="negotiation-v0", params=params)


@pytest.fixture(scope="module")
def tree():
    return game_tree(GAME, task())


def bargain(*history, values=((1, 6, 3), (7, 0, 3)), **params):
    return Bargain(values=values, history=history, **params)


def worth(values, items):
    return sum(value * count for value, count in zip(values, items, strict=True))


# --- the deal and the params


def test_every_profile_is_worth_ten_and_every_deal_has_gains_from_trade():
    for pool, profiles in POOLS.items():
        assert all(worth(profile, pool) == 10 for profile in profiles)
        for first, second in permutations(profiles, 2):
            best = sum(count * max(a, b) for count, a, b in zip(pool, first, second, strict=True))
            assert best >= 14  # one seat alone can make 10: trade gains at least 4


@pytest.mark.parametrize("pool", POOLS)
def test_the_deal_is_every_ordered_pair_of_different_profiles(pool):
    deals = GAME.nature(GAME.reset(task(pool=list(pool)))).outcomes
    assert {deal for deal, _ in deals} == set(permutations(POOLS[pool], 2))
    assert all(p == pytest.approx(1 / 12) for _, p in deals)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"pool": [1, 1, 2]}, r"task\.params\.pool: expected one of \[1, 1, 1\], .*got \[1, 1, 2\]; choose one"),
        ({"pool": "1 1 1"}, r"task\.params\.pool: expected one of"),
        ({"turns": 0}, r"task\.params\.turns: expected a whole number from 1 to 6, got 0"),
        ({"turns": 7}, r"task\.params\.turns"),
        ({"turns": True}, r"task\.params\.turns"),
        ({"discount": 0}, r"task\.params\.discount: expected a number above 0 and up to 1, got 0"),
        ({"discount": 1.1}, r"task\.params\.discount"),
    ],
)
def test_params_out_of_range_are_refused(params, message):
    with pytest.raises(ConfigError, match=message):
        GAME.reset(task(**params))


# --- play and pay


@pytest.mark.parametrize(
    ("history", "first", "second"),
    [
        (("ask 0 1 1", "accept"), 9, 7),
        (("ask 0 1 1", "ask 1 0 1", "accept"), 6, 10),
        (("ask 0 1 1", "ask 1 0 1", "ask 0 1 0", "accept"), 6, 10),
        (("ask 0 1 1", "ask 1 0 1", "ask 1 1 1", "reject"), 0, 0),
        (("ask 1 1 1", "accept"), 10, 0),
    ],
)
def test_pay(history, first, second):
    assert GAME.to_move(bargain(*history)) == ()
    assert GAME.returns(bargain(*history)) == {"first": first, "second": second}


def test_a_discount_shrinks_pay_with_each_offer_after_the_first():
    assert GAME.returns(bargain("ask 0 1 1", "accept", discount=0.5)) == {"first": 9, "second": 7}
    assert GAME.returns(bargain("ask 0 1 1", "ask 1 0 1", "accept", discount=0.5)) == {"first": 3, "second": 5}
    seen = GAME.observe(bargain("ask 0 1 1", "ask 1 0 1", discount=0.5), "first").text
    assert "Each offer after the first multiplies all pay by 0.5." in seen
    assert "Accepting gives you 3." in seen


def test_what_is_legal():
    opening = GAME.observe(bargain(), "first").legal_actions
    assert len(opening) == 8 and opening[0] == "ask 0 0 0" and opening[-1] == "ask 1 1 1"
    assert GAME.observe(bargain("ask 1 1 1"), "second").legal_actions == ("accept", *opening)
    assert GAME.observe(bargain("ask 1 1 1"), "first").legal_actions == ()
    last = bargain("ask 1 1 1", "ask 1 1 1", "ask 1 1 1")
    assert GAME.observe(last, "second").legal_actions == ("accept", "reject")
    assert set(opening) <= set(GAME.spec.actions)


@pytest.mark.parametrize("pool", POOLS)
def test_legal_actions_are_the_specs_in_its_order(pool):
    values = POOLS[pool][:2]
    seen = GAME.observe(bargain("ask 0 0 0", values=values, pool=pool), "second").legal_actions
    assert list(seen) == sorted(seen, key=GAME.spec.actions.index)
    assert len(seen) == 1 + (pool[0] + 1) * (pool[1] + 1) * (pool[2] + 1)


def test_texts():
    state = bargain("ask 0 1 1", "ask 1 0 1")
    assert GAME.observe(state, "first").text == (
        "The pool is 1 book, 1 hat, 1 ball. Your values are 1 6 3. The opponent's values are 3 2 5, 5 4 1 or 7 0 3. "
        "You asked for 0 1 1. The opponent asked for 1 0 1. Offers left 1. Accepting gives you 6. "
        "You may accept or ask up to 1 1 1."
    )
    assert GAME.observe(state, "second").text.endswith(
        "The opponent asked for 0 1 1. You asked for 1 0 1. Offers left 1."
    )
    assert GAME.observe(bargain(), "first").text.endswith("Offers left 3. You may ask up to 1 1 1.")
    last = GAME.observe(bargain("ask 0 1 1", turns=1), "second").text
    assert last.endswith("Offers left 0. Accepting gives you 7. You may accept or reject.")
    over = GAME.observe(bargain("ask 0 1 1", "accept"), "second").text
    assert over.endswith("The opponent asked for 0 1 1. You accepted. You get 7.")
    many = GAME.observe(bargain(values=POOLS[2, 2, 1][:2], pool=(2, 2, 1)), "first").text
    assert many.startswith("The pool is 2 books, 2 hats, 1 ball.")
    assert GAME.information_key(state, "first") == "1 6 3 | ask 0 1 1 | ask 1 0 1"
    assert GAME.state_text(state) == "pool 1 1 1 | first values 1 6 3 | second values 7 0 3 | ask 0 1 1, ask 1 0 1"
    assert GAME.state_text(GAME.reset(task())) == "pool 1 1 1 | The values are not dealt."


def test_the_check_of_games_passes_for_every_kind_of_task():
    kinds = [task(), task(turns=1), task(pool=[2, 2, 1], turns=2), task(pool=[1, 2, 1], discount=0.9, turns=6)]
    for kind in kinds:  # one by one: an information key says nothing of the task
        assert check_game(GAME, episodes=5, tasks=[kind], most_states=800).hidden_information


# --- against OpenSpiel


def openspiel(tmp_path, pool, turns, discount):
    """Returns OpenSpiel's bargaining over the same deals: its last offer, which nobody can accept, is our reject."""
    lines = (" ".join(",".join(map(str, row)) for row in (pool, *deal)) for deal in permutations(POOLS[pool], 2))
    path = tmp_path / "instances.txt"
    path.write_text("\n".join(lines) + "\n")
    return pyspiel.load_game(
        "bargaining",
        {"instances_file": str(path), "max_num_instances": 12, "max_turns": turns + 1, "discount": discount},
    )


def uniform_policy(state, turns, policy, offers=0):
    """Fills ``policy`` with our uniform play: once our offers are used up, accept and reject weigh a half each."""
    legal = state.legal_actions()
    if state.is_chance_node():
        for action in legal:
            uniform_policy(state.child(action), turns, policy)
    elif not state.is_terminal():
        last = offers == turns
        policy[state.information_state_string()] = [
            (action, (0.5 if action == AGREE else 0.5 / (len(legal) - 1)) if last else 1 / len(legal))
            for action in legal
        ]
        for action in legal:
            uniform_policy(state.child(action), turns, policy, offers + 1)


@pytest.mark.parametrize(
    ("pool", "turns", "discount"), [((1, 1, 1), 3, 1.0), ((1, 1, 1), 2, 0.5), ((1, 2, 1), 2, 0.9), ((2, 2, 1), 1, 1.0)]
)
def test_returns_and_nash_conv_are_those_of_openspiel(tmp_path, pool, turns, discount):
    other = openspiel(tmp_path, pool, turns, discount)
    policy = {}
    uniform_policy(other.new_initial_state(), turns, policy)
    ours = game_tree(GAME, task(pool=list(pool), turns=turns, discount=discount))
    found = nash_conv(ours, uniform_strategy(ours))
    assert len(ours.information_sets) == len(policy)
    tabular = pyspiel.TabularPolicy(policy)
    expected = pyspiel.expected_returns(other.new_initial_state(), tabular, -1, True)
    assert list(found.returns.values()) == pytest.approx(expected, abs=1e-9)
    assert found.value == pytest.approx(pyspiel.nash_conv(other, tabular), abs=1e-9)


# --- not degenerate


def test_the_default_tree(tree):
    # By hand, for each of 12 deals: 1 + 8 (accept, 8 more) + 64 (accept, 8 more) + 512 (accept, reject), and the root.
    assert tree.nodes == 1 + 12 * (1 + 2 * 8 + 2 * 64 + 3 * 512) == 20_173
    assert tree.terminals == 12 * (8 + 64 + 2 * 512)
    assert len(tree.sets_of("first")) == 4 * (1 + 64)
    assert len(tree.sets_of("second")) == 4 * (8 + 512)
    assert nash_conv(tree, uniform_strategy(tree)).value == pytest.approx(7.5339506173, abs=1e-9)


def test_every_deal_has_several_efficient_splits_and_the_even_one_is_not_the_rule():
    for pool, profiles in POOLS.items():
        for deal in permutations(profiles, 2):
            asks = GAME.observe(bargain(values=deal, pool=pool), "first").legal_actions
            ends = [bargain(ask, "accept", values=deal, pool=pool) for ask in asks]
            efficient = {tuple(GAME.returns(end).values()) for end in ends if pareto_optimal(end)}
            assert len(efficient) >= 3 or pool == (1, 2, 1)
            assert len(efficient) >= 2
            assert (5.0, 5.0) not in efficient  # splitting the value evenly leaves gains on the table


def accepting(seen):
    """Accepts whatever is offered; as long as nothing is, asks for anything."""
    if "accept" in seen.legal_actions:
        return {"accept": 1.0}
    return {action: 1 / len(seen.legal_actions) for action in seen.legal_actions}


def insisting(least, revealing=True):
    """Returns a player that accepts ``least`` or more, else asks for the fewest items worth that (or for all)."""

    def play(seen):
        offered = int(seen.text.partition("Accepting gives you ")[2].partition(".")[0] or -1)
        if offered >= least:
            return {"accept": 1.0}
        if "reject" in seen.legal_actions:
            return {"reject": 1.0}
        values = tuple(map(int, seen.information_key.split(" | ")[0].split()))
        asks = [action for action in seen.legal_actions if action.startswith("ask")]
        enough = [action for action in asks if worth(values, map(int, action.split()[1:])) >= least]
        return {min(enough, key=lambda action: (action.count("1"), action)) if revealing else asks[-1]: 1.0}

    return play


def strategies_of(tree, play):
    return {seat: tabulate(tree, seat, play) for seat in tree.seats}


def test_both_seats_gain_by_greed_where_everything_is_accepted(tree):
    strategies = strategies_of(tree, accepting)
    found = nash_conv(tree, strategies)
    # By hand: the first seat asks for each item with probability 1/2, so both expect half of 10.
    assert found.returns == pytest.approx({"first": 5.0, "second": 5.0})
    assert found.gains == pytest.approx({"first": 5.0, "second": 5.0})
    actions = best_response(tree, strategies, "first")[1]
    # With 7 0 3 the hat is worthless, and the first of equally good actions counts.
    assert {values: actions[values] for values in ("1 6 3", "7 0 3")} == {"1 6 3": "ask 1 1 1", "7 0 3": "ask 1 0 1"}


def test_both_seats_gain_by_giving_in_where_both_are_stubborn(tree):
    found = nash_conv(tree, strategies_of(tree, insisting(9)))
    assert found.returns == {"first": 0.0, "second": 0.0}  # no profiles allow 9 to both
    assert found.gains == pytest.approx({"first": 19 / 6, "second": 19 / 6})


def test_even_a_seat_that_wants_everything_leaves_what_is_worthless_to_it(tree):
    found = nash_conv(tree, strategies_of(tree, insisting(10, revealing=False)))
    assert found.returns == {"first": 0.0, "second": 0.0}
    # By hand: 7 0 3, dealt to the other seat in 1 deal of 4, lets go of the hat, worth 6, 2 or 4 to the others.
    assert found.gains == pytest.approx({"first": 1.0, "second": 1.0})


def known_best(least):
    """Returns the mean over deals of the most that one seat can take while it leaves ``least`` to the other."""
    deals, shares = list(permutations(POOLS[1, 1, 1], 2)), list(product((0, 1), repeat=3))
    best = [max(worth(own, share) for share in shares if 10 - worth(other, share) >= least) for own, other in deals]
    return sum(best) / len(deals)


def hidden_best(least):
    """Returns the same for a seat that has one offer and does not know what the other holds."""
    profiles, shares = POOLS[1, 1, 1], list(product((0, 1), repeat=3))
    best = [
        max(
            worth(own, share) * sum(10 - worth(other, share) >= least for other in profiles if other != own) / 3
            for share in shares
        )
        for own in profiles
    ]
    return sum(best) / len(profiles)


class SecondIsKnown(Negotiation):
    """The first seat is told the second seat's values."""

    def information_key(self, state, seat):
        own = super().information_key(state, seat)
        return f"{own} against {state.values[1]}" if seat == "first" else own


def both_best(play, **params):
    """Returns what the first seat's best response to ``play`` earns, with hidden and with open values."""
    trees = [game_tree(game, task(**params)) for game in (GAME, SecondIsKnown())]
    return [best_response(tree, {"second": tabulate(tree, "second", play)}, "first")[0] for tree in trees]


@pytest.mark.parametrize("least", [1, 4, 5, 6, 7])
def test_knowing_the_others_values_is_worth_something_in_an_ultimatum(least):
    hidden, known = both_best(insisting(least), turns=1)
    assert hidden == pytest.approx(hidden_best(least))
    assert known == pytest.approx(known_best(least))
    assert known > hidden + 0.1


def test_knowing_the_others_values_is_worth_something_in_the_default_game():
    hidden, known = both_best(insisting(5, revealing=False))
    assert known == pytest.approx(known_best(5)) == pytest.approx(91 / 12)
    # Two offers find out more than one, and less than everything.
    assert hidden_best(5) == pytest.approx(64 / 12) and hidden == pytest.approx(86 / 12)


def test_a_counter_offer_reveals_what_its_maker_wants():
    hidden, known = both_best(insisting(5))
    assert hidden == pytest.approx(known)
    impatient = both_best(insisting(5), discount=0.8)
    assert impatient[1] > impatient[0] + 0.5  # to find out takes an offer


def test_nature_moves_first():
    state = GAME.reset(task())
    assert GAME.to_move(state) == (NATURE,)
    dealt = GAME.step(state, {NATURE: ((1, 6, 3), (7, 0, 3))})
    assert GAME.to_move(dealt) == ("first",)
    assert GAME.to_move(GAME.step(dealt, {"first": "ask 0 1 1"})) == ("second",)
