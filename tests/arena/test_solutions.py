"""Exact solutions against known values, against brute force over pure strategies, and against OpenSpiel."""

from __future__ import annotations

import importlib
import itertools
import os
import time
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from arena.errors import CapabilityError, InputError
from arena.game import Chance, Game, games
from arena.game_tree import GameTree, game_tree
from arena.seeds import generator
from arena.solutions import (
    best_response,
    expected_returns,
    minimax,
    nash_conv,
    tabulate,
    uniform_strategy,
)
from arena.types import NATURE, GameSpec, Observation, Payoff, Task

Strategies = dict[str, dict[str, dict[str, float]]]


@pytest.fixture(scope="module")
def kuhn() -> GameTree:
    return game_tree(games.make("kuhn_poker-v0"), Task(game="kuhn_poker-v0"))


@pytest.fixture(scope="module")
def tic_tac_toe() -> GameTree:
    return game_tree(games.make("tic_tac_toe-v0"), Task(game="tic_tac_toe-v0"))


@pytest.fixture(scope="module")
def rock_paper_scissors() -> GameTree:
    return game_tree(games.make("rock_paper_scissors-v0"), Task(game="rock_paper_scissors-v0"))


def always(tree: GameTree, *wanted: str) -> Strategies:
    """Every seat takes the first of ``wanted`` that is legal."""
    return {
        seat: {
            info.key: {next(action for action in wanted if action in info.actions): 1.0} for info in tree.sets_of(seat)
        }
        for seat in tree.seats
    }


def random_strategies(tree: GameTree, *seed: int) -> Strategies:
    rng = generator("test strategies", *seed)
    found: Strategies = {seat: {} for seat in tree.seats}
    for info in tree.information_sets:
        p = rng.dirichlet(np.full(len(info.actions), 0.7)).tolist()
        found[info.seat][info.key] = dict(zip(info.actions, p, strict=True))
    return found


def kuhn_equilibrium(alpha: float) -> Strategies:
    """The equilibria of Kuhn poker, one for each alpha in [0, 1/3] (Kuhn 1950)."""
    bet = {
        "first": {"J": alpha, "Q": 0.0, "K": 3 * alpha, "J check bet": 0.0, "Q check bet": alpha + 1 / 3},
        "second": {"J bet": 0.0, "Q bet": 1 / 3, "K bet": 1.0, "J check": 1 / 3, "Q check": 0.0, "K check": 1.0},
    }
    bet["first"]["K check bet"] = 1.0
    facing = ("fold", "call"), ("check", "bet")
    return {
        seat: {key: dict(zip(facing[not key.endswith("bet")], (1 - p, p), strict=True)) for key, p in by_key.items()}
        for seat, by_key in bet.items()
    }


@pytest.mark.parametrize("alpha", [0, 1 / 6, 1 / 3])
def test_kuhn_equilibria_cannot_be_exploited(kuhn: GameTree, alpha: float) -> None:
    found = nash_conv(kuhn, kuhn_equilibrium(alpha))
    assert found.value == pytest.approx(0, abs=1e-12)
    assert found.returns == pytest.approx({"first": -1 / 18, "second": 1 / 18}, abs=1e-12)  # Kuhn 1950


def test_kuhn_beyond_the_family_is_exploitable(kuhn: GameTree) -> None:
    strategies = kuhn_equilibrium(1 / 3)
    strategies["first"]["J"] = {"check": 0.5, "bet": 0.5}
    assert nash_conv(kuhn, strategies).value > 0.01


# OpenSpiel 2.0.2, exploitability.nash_conv: uniform 11/12, always pass 2, always bet 2/3.
@pytest.mark.parametrize(
    ("wanted", "value"), [(("check", "fold"), 2), (("bet", "call"), 2 / 3)], ids=["always pass", "always bet"]
)
def test_nash_conv_of_simple_kuhn_players(kuhn: GameTree, wanted: tuple[str, ...], value: float) -> None:
    assert nash_conv(kuhn, always(kuhn, *wanted)).value == pytest.approx(value, abs=1e-12)


def test_nash_conv_of_uniform_kuhn(kuhn: GameTree) -> None:
    found = nash_conv(kuhn, uniform_strategy(kuhn))
    assert found.value == pytest.approx(11 / 12, abs=1e-12)
    assert found.returns["first"] == pytest.approx(1 / 8, abs=1e-12)
    assert sum(found.gains.values()) == pytest.approx(found.value, abs=1e-15)


def test_kuhn_nash_conv_takes_well_under_5_ms(kuhn: GameTree) -> None:
    strategies = uniform_strategy(kuhn)
    times = []
    for _ in range(20):
        start = time.perf_counter()
        nash_conv(kuhn, strategies)
        times.append(time.perf_counter() - start)
    assert min(times) < 5e-3


def test_rock_paper_scissors(rock_paper_scissors: GameTree) -> None:
    tree = rock_paper_scissors
    assert nash_conv(tree, uniform_strategy(tree)).value == pytest.approx(0, abs=1e-12)
    assert nash_conv(tree, always(tree, "rock")).value == pytest.approx(2, abs=1e-12)
    value, response = best_response(tree, always(tree, "rock"), "second")
    assert (value, response) == (1.0, {"throw": "paper"})


def test_tic_tac_toe_is_a_draw_and_minimax_never_loses(tic_tac_toe: GameTree) -> None:
    value, strategies = minimax(tic_tac_toe)
    assert value == 0
    assert nash_conv(tic_tac_toe, strategies).value == pytest.approx(0, abs=1e-12)
    # Never losing is more than never losing on average: the best response to each seat wins nothing.
    for seat in tic_tac_toe.seats:
        assert best_response(tic_tac_toe, strategies, seat)[0] == 0
    # Every opening draws (well known), so the first move is a uniform choice of nine.
    assert strategies["x"]["........."] == pytest.approx({str(cell): 1 / 9 for cell in range(1, 10)})


def test_minimax_takes_a_win(tic_tac_toe: GameTree) -> None:
    _, strategies = minimax(tic_tac_toe)
    chosen = strategies["x"]["xx.oo...."]
    assert chosen.pop("3") == 1
    assert set(chosen.values()) == {0}


def test_random_tic_tac_toe_has_its_known_odds(tic_tac_toe: GameTree) -> None:
    expected = expected_returns(tic_tac_toe, uniform_strategy(tic_tac_toe))
    # Uniform against uniform: x wins 0.585, o wins 0.288, draws 0.127 (OpenSpiel 2.0.2 enumeration).
    assert expected["x"] == pytest.approx(0.585 - 0.288, abs=1e-3)
    counting = {"win": (1.0, 0.0), "loss": (0.0, 1.0)}
    rates = {}
    for name, (win, loss) in counting.items():
        returns_NS = tic_tac_toe.returns_NS.copy()
        returns_NS[:, 0] = np.where(returns_NS[:, 0] > 0, win, np.where(returns_NS[:, 0] < 0, loss, 0.0))
        rates[name] = _root_value(tic_tac_toe, returns_NS[:, 0])
    assert rates == pytest.approx({"win": 0.585, "loss": 0.288}, abs=5e-4)


def _root_value(tree: GameTree, value_N: np.ndarray) -> float:
    """Uniform play by plain recursion over the edges, an independent way to the same number."""
    children: dict[int, list[int]] = {}
    for parent, child in zip(tree.edges.parent_E.tolist(), tree.edges.child_E.tolist(), strict=True):
        children.setdefault(parent, []).append(child)
    known: dict[int, float] = {}

    def value(node: int) -> float:
        if node not in known:
            below = children.get(node)
            known[node] = sum(map(value, below)) / len(below) if below else float(value_N[node])
        return known[node]

    return value(0)


class Auction(Game[tuple[Any, ...]]):
    """Three seats, general sum, chance, simultaneous and unequal numbers of decisions, default information keys.

    Nature deals a hidden mark. a sees it and passes or plays on (a pass ends its part), then b and c choose at once,
    then a, when it played on, chooses again knowing only what c did.
    """

    spec = GameSpec(
        name="auction",
        version=0,
        seats=("a", "b", "c"),
        payoff=Payoff.GENERAL_SUM,
        max_turns=4,
        returns_range=(-9.0, 9.0),
        actions=("l", "r", "pass", "on"),
    )

    def reset(self, task: Task) -> tuple[Any, ...]:
        return ()

    def to_move(self, state: tuple[Any, ...]) -> tuple[str, ...]:
        if len(state) == 3 and state[1] == "pass":
            return ()
        return ((NATURE,), ("a",), ("b", "c"), ("a",), ())[len(state)]

    def nature(self, state: tuple[Any, ...]) -> Chance:
        return Chance((("red", 0.3), ("blue", 0.7)))

    def step(self, state: tuple[Any, ...], moves: Mapping[str, Any]) -> tuple[Any, ...]:
        joint = tuple(moves[seat] for seat in ("b", "c")) if "b" in moves else next(iter(moves.values()))
        return (*state, joint)

    def observe(self, state: tuple[Any, ...], seat: str) -> Observation:
        if seat != "a":
            return Observation(seat=seat, text=f"a chose {state[1]}", legal_actions=("l", "r"))
        if len(state) == 1:
            return Observation(seat=seat, text=f"the mark is {state[0]}", legal_actions=("pass", "on"))
        return Observation(seat=seat, text=f"c chose {state[2][1]}", legal_actions=("l", "r"))

    def returns(self, state: tuple[Any, ...]) -> Mapping[str, float]:
        rng = generator("auction", *map(ord, repr(state)))
        return dict(zip(self.spec.seats, rng.uniform(-5, 5, 3).tolist(), strict=True))


def pure_strategies(tree: GameTree, seat: str) -> list[dict[str, dict[str, float]]]:
    sets = tree.sets_of(seat)
    return [
        {info.key: {action: 1.0} for info, action in zip(sets, chosen, strict=True)}
        for chosen in itertools.product(*(info.actions for info in sets))
    ]


def test_best_responses_agree_with_brute_force_in_a_three_seat_general_sum_game() -> None:
    tree = game_tree(Auction(), Task(game="auction-v0"))
    assert [len(tree.sets_of(seat)) for seat in tree.seats] == [2 + 4, 2, 2]
    for seed in range(3):
        strategies = random_strategies(tree, seed)
        found = nash_conv(tree, strategies)
        for seat in tree.seats:
            best = max(expected_returns(tree, {**strategies, seat: pure})[seat] for pure in pure_strategies(tree, seat))
            value, response = best_response(tree, strategies, seat)
            assert value == pytest.approx(best, abs=1e-12)
            reached = {**strategies, seat: {key: {action: 1.0} for key, action in response.items()}}
            assert expected_returns(tree, reached)[seat] == pytest.approx(best, abs=1e-12)
            assert found.gains[seat] == pytest.approx(best - found.returns[seat], abs=1e-12)


def test_best_responses_agree_with_brute_force_on_kuhn(kuhn: GameTree) -> None:
    strategies = random_strategies(kuhn, 7)
    for seat in kuhn.seats:
        best = max(expected_returns(kuhn, {**strategies, seat: pure})[seat] for pure in pure_strategies(kuhn, seat))
        assert best_response(kuhn, strategies, seat)[0] == pytest.approx(best, abs=1e-12)


def openspiel() -> tuple[Any, Any, Any]:
    """Returns OpenSpiel's modules; skips without them, except where nothing may be left out."""
    try:
        names = ("pyspiel", "open_spiel.python.policy", "open_spiel.python.algorithms.exploitability")
        return tuple(importlib.import_module(name) for name in names)  # type: ignore[return-value]
    except ImportError:
        if os.environ.get("LUDUS_REQUIRE_ALL") == "1":
            raise
        pytest.skip("needs open-spiel, which the extras [games] and [dev] install")


def test_nash_conv_agrees_with_openspiel_on_kuhn(kuhn: GameTree) -> None:
    pyspiel, policy, exploitability = openspiel()
    game = pyspiel.load_game("kuhn_poker")
    letters = {"check": "p", "fold": "p", "bet": "b", "call": "b"}
    for seed in range(10):
        strategies = random_strategies(kuhn, seed)
        table = policy.TabularPolicy(game)
        for seat in kuhn.seats:
            for key, p in strategies[seat].items():
                card, *past = key.split()
                name = str("JQK".index(card)) + "".join(letters[action] for action in past)
                table.policy_for_key(name)[:] = [p.get("check", p.get("fold")), p.get("bet", p.get("call"))]
        assert nash_conv(kuhn, strategies).value == pytest.approx(exploitability.nash_conv(game, table), abs=1e-9)


class Forgetful(Game[tuple[str, ...]]):
    """a chooses twice; nature hides a coin in between, and the second time a no longer knows its first choice."""

    spec = GameSpec(
        name="forgetful",
        version=0,
        seats=("a", "b"),
        payoff=Payoff.ZERO_SUM,
        max_turns=2,
        returns_range=(-1.0, 1.0),
        actions=("l", "r"),
    )

    def reset(self, task: Task) -> tuple[str, ...]:
        return ()

    def to_move(self, state: tuple[str, ...]) -> tuple[str, ...]:
        return (("a",), (NATURE,), ("a",), ())[len(state)]

    def nature(self, state: tuple[str, ...]) -> Chance:
        return Chance((("heads", 0.5), ("tails", 0.5)))

    def step(self, state: tuple[str, ...], moves: Mapping[str, Any]) -> tuple[str, ...]:
        return (*state, *moves.values())

    def observe(self, state: tuple[str, ...], seat: str) -> Observation:
        return Observation(seat=seat, text=str(len(state)), legal_actions=("l", "r"))

    def returns(self, state: tuple[str, ...]) -> Mapping[str, float]:
        gain = 1.0 if state[0] == state[2] else -1.0
        return {"a": gain, "b": -gain}

    def information_key(self, state: tuple[str, ...], seat: str) -> str:
        return str(len(state))


def test_imperfect_recall_is_refused_for_best_responses_only() -> None:
    tree = game_tree(Forgetful(), Task(game="forgetful-v0"))
    assert expected_returns(tree, {**uniform_strategy(tree), "b": {}}) == {"a": 0, "b": 0}
    with pytest.raises(CapabilityError, match="forgetful-v0: expected perfect recall of 'a'"):
        best_response(tree, uniform_strategy(tree), "a")
    assert best_response(tree, uniform_strategy(tree), "b") == (0, {})


def test_absent_mindedness_is_refused() -> None:
    class AbsentMinded(Forgetful):
        """Both choices of a happen in one and the same information set."""

        def observe(self, state: tuple[str, ...], seat: str) -> Observation:
            return Observation(seat=seat, text="again?", legal_actions=("l", "r"))

        def information_key(self, state: tuple[str, ...], seat: str) -> str:
            return "road"

    tree = game_tree(AbsentMinded(), Task(game="forgetful-v0"))
    with pytest.raises(CapabilityError, match="perfect recall of 'a'"):
        best_response(tree, uniform_strategy(tree), "a")


def test_minimax_refuses_hidden_information_and_other_payoffs(kuhn: GameTree) -> None:
    with pytest.raises(CapabilityError, match="perfect information"):
        minimax(kuhn)
    with pytest.raises(CapabilityError, match="zero-sum"):
        minimax(game_tree(Auction(), Task(game="auction-v0")))


def test_tabulate_asks_a_player_once_per_information_set(kuhn: GameTree) -> None:
    seen: list[Observation] = []

    def play(observation: Observation) -> Mapping[str, float]:
        seen.append(observation)
        return {(observation.legal_actions or ())[0]: 1.0}

    table = {seat: tabulate(kuhn, seat, play) for seat in kuhn.seats}
    assert len(seen) == 12
    assert nash_conv(kuhn, table).value == pytest.approx(2, abs=1e-12)  # the first legal action is check or fold


INCOMPLETE = {
    "seat": ({"first": None}, r"expected seat 'first'"),
    "key": ({"first": {"J": {"check": 1.0}}}, r"information key 'Q'"),
    "sum": ({"second": {"J bet": {"fold": 0.7}}}, r"'J bet'.*sum to 1"),
    "negative": ({"second": {"J bet": {"fold": 1.5, "call": -0.5}}}, r"sum to 1"),
    "unknown action": ({"second": {"J bet": {"fold": 1.0, "raise": 0.0}}}, r"raise"),
    "not a number": ({"second": {"J bet": {"fold": float("nan"), "call": 1.0}}}, r"sum to 1"),
}


@pytest.mark.parametrize("case", INCOMPLETE)
def test_incomplete_strategies_are_refused_by_name(kuhn: GameTree, case: str) -> None:
    changes, words = INCOMPLETE[case]
    strategies: Any = uniform_strategy(kuhn)
    for seat, change in changes.items():
        if change is None:
            del strategies[seat]
        elif case == "key":
            strategies[seat] = change
        else:
            strategies[seat] = {**strategies[seat], **change}
    with pytest.raises(InputError, match=words):
        expected_returns(kuhn, strategies)


def test_a_strategy_may_hold_more_keys_than_the_game_asks_for(kuhn: GameTree) -> None:
    strategies: Any = uniform_strategy(kuhn)
    strategies["first"]["A"] = {"all in": 1.0}
    assert expected_returns(kuhn, strategies)["first"] == pytest.approx(1 / 8, abs=1e-12)
