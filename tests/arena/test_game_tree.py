"""Enumeration: known counts, merged and unmerged nodes, simultaneous moves, and everything that is refused."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from arena.errors import CapabilityError, GameError
from arena.game import Call, Chance, Game, games
from arena.game_tree import GameTree, game_tree
from arena.types import NATURE, Capabilities, GameSpec, Observation, Payoff, Task

SPEC = GameSpec(
    name="written",
    version=0,
    seats=("a", "b"),
    payoff=Payoff.GENERAL_SUM,
    max_turns=6,
    returns_range=(-9.0, 9.0),
    actions=("l", "r"),
)
PAID = {"a": 1.0, "b": 2.0}
COIN = Chance((("heads", 0.25), ("tails", 0.75)))


class Written(Game[tuple[Any, ...]]):
    """A game written as one function of the history: who moves. Everyone sees everything."""

    def __init__(self, movers: Callable[[tuple[Any, ...]], tuple[str, ...]], **changes: Any) -> None:
        self._movers = movers
        self.event: Chance | Call = changes.pop("event", COIN)
        self.paid: Mapping[str, float | None] = changes.pop("paid", PAID)
        self.legal: tuple[str, ...] | None = changes.pop("legal", ("l", "r"))
        self.spec = replace(SPEC, **changes)

    def reset(self, task: Task) -> tuple[Any, ...]:
        return ()

    def to_move(self, state: tuple[Any, ...]) -> tuple[str, ...]:
        return self._movers(state)

    def nature(self, state: tuple[Any, ...]) -> Chance | Call:
        return self.event

    def step(self, state: tuple[Any, ...], moves: Mapping[str, Any]) -> tuple[Any, ...]:
        return (*state, *moves.values())

    def observe(self, state: tuple[Any, ...], seat: str) -> Observation:
        return Observation(seat=seat, text=" ".join(map(str, state)), legal_actions=self.legal)

    def returns(self, state: tuple[Any, ...]) -> Mapping[str, float | None]:
        return self.paid


class Named(Written):
    """The same, with the information sets named by the length of the history, whatever was seen."""

    def information_key(self, state: tuple[Any, ...], seat: str) -> str | None:
        return f"ply {len(state)}"


class HalfNamed(Written):
    """Names only the sets of seat a."""

    def information_key(self, state: tuple[Any, ...], seat: str) -> str | None:
        return " ".join(state) if seat == "a" else None


def alternating(plies: int) -> Callable[[tuple[Any, ...]], tuple[str, ...]]:
    return lambda state: ("ab"[len(state) % 2],) if len(state) < plies else ()


def tree_of(name: str) -> GameTree:
    return game_tree(games.make(name), Task(game=name))


def test_kuhn_has_its_known_counts() -> None:
    tree = tree_of("kuhn_poker-v0")
    # Kuhn 1950; OpenSpiel 2.0.2 kuhn_poker: 30 terminal histories, 12 information states, 1 + 6 + 18 + 30 nodes.
    assert (tree.nodes, tree.terminals, len(tree.information_sets)) == (55, 30, 12)
    assert all(info.nodes == 2 for info in tree.information_sets)
    assert not tree.perfect_information


def test_tic_tac_toe_merges_equal_boards_and_is_quick() -> None:
    start = time.perf_counter()
    tree = tree_of("tic_tac_toe-v0")
    assert time.perf_counter() - start < 2.0
    # 5,478 reachable positions, of which 958 end the game (well-known counts; 549,946 histories).
    assert (tree.nodes, tree.terminals, len(tree.information_sets)) == (5478, 958, 4520)
    assert tree.perfect_information


def test_simultaneous_moves_are_hidden_from_each_other() -> None:
    tree = tree_of("rock_paper_scissors-v0")
    assert (tree.nodes, tree.terminals) == (1 + 3 + 9, 9)
    assert [(info.seat, info.nodes) for info in tree.information_sets] == [("first", 1), ("second", 3)]


def test_information_sets_carry_what_a_prompt_needs() -> None:
    tree = tree_of("kuhn_poker-v0")
    info = next(info for info in tree.sets_of("first") if info.key == "K check bet")
    assert info.observation.information_key == "K check bet"
    assert info.observation.seat == "first"
    assert "King" in info.observation.text
    assert info.actions == info.observation.legal_actions == ("fold", "call")


def test_default_keys_keep_different_pasts_apart() -> None:
    tree = game_tree(Written(alternating(3)), Task(game="written-v0"))
    assert (tree.nodes, tree.terminals) == (1 + 2 + 4 + 8, 8)
    assert [info.nodes for info in tree.information_sets] == [1] * 7


def test_a_game_that_names_only_some_sets_falls_back_to_pasts() -> None:
    tree = game_tree(HalfNamed(alternating(3)), Task(game="written-v0"))
    assert tree.nodes == 15
    assert {info.key for info in tree.sets_of("a")} >= {"", "l r"}


def test_edges_and_levels_cover_the_tree_once() -> None:
    tree = tree_of("kuhn_poker-v0")
    assert sorted(edge for level in tree.levels for edge in level.edges.tolist()) == list(range(tree.nodes - 1))
    order = [node for level in tree.levels for node in level.nodes.tolist()]
    place = {node: index for index, node in enumerate(order)}
    for parent, child in zip(tree.edges.parent_E.tolist(), tree.edges.child_E.tolist(), strict=True):
        assert place.get(child, -1) < place[parent], "children are evaluated before their parents"


def test_a_game_that_is_over_at_once_has_one_node() -> None:
    tree = game_tree(Written(lambda state: ()), Task(game="written-v0"))
    assert (tree.nodes, tree.terminals, tree.slots, tree.levels) == (1, 1, 0, ())


def test_an_impossible_chance_outcome_is_left_out() -> None:
    tree = game_tree(
        Written(lambda state: () if state else (NATURE,), event=Chance((("heads", 1.0), ("edge", 0.0)))),
        Task(game="written-v0"),
    )
    assert tree.nodes == 2


def one_coin(state: tuple[Any, ...]) -> tuple[str, ...]:
    return () if state else (NATURE,)


REFUSED = {
    "calls": (Written(one_coin, event=Call("python", "{}")), CapabilityError, "'python'"),
    "capability": (Written(alternating(1), capabilities=Capabilities(enumerate=False)), CapabilityError, "enumerate"),
    "free text": (Written(alternating(1), legal=None), CapabilityError, "free text"),
    "no legal action": (Written(alternating(1), legal=()), CapabilityError, "legal actions"),
    "too long": (Written(alternating(4), max_turns=3), CapabilityError, "max_turns=3, got 4"),
    "chance sum": (Written(one_coin, event=Chance((("x", 0.5),))), GameError, "sum to 1, got 0.5"),
    "negative chance": (Written(one_coin, event=Chance((("x", 1.5), ("y", -0.5)))), GameError, "sum to 1"),
    "unjudged": (Written(alternating(1), paid={"a": 1.0, "b": None}), GameError, "finite return"),
    "missing seat": (Written(alternating(1), paid={"a": 1.0}), GameError, "finite return"),
    "not a number": (Written(alternating(1), paid={"a": 1.0, "b": float("nan")}), GameError, "finite return"),
    "told apart": (Named(alternating(2)), GameError, "two under 'ply 1' of 'b'"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_enumerated_is_refused_by_name(case: str) -> None:
    game, error, words = REFUSED[case]
    with pytest.raises(error, match="written-v0: expected") as caught:
        game_tree(game, Task(game="written-v0"))
    assert words in str(caught.value)


def test_a_game_without_end_is_refused() -> None:
    with pytest.raises(CapabilityError, match="at most 500 nodes"):
        game_tree(Written(lambda state: ("a",)), Task(game="written-v0"), most_nodes=500)


def test_a_game_that_repeats_a_state_is_refused() -> None:
    class Circular(Written):
        """Goes round three states for ever."""

        def step(self, state: tuple[Any, ...], moves: Mapping[str, Any]) -> tuple[Any, ...]:
            return ((state[0] + 1) % 3,) if state else (0,)

        def information_key(self, state: tuple[Any, ...], seat: str) -> str | None:
            return str(state)

    with pytest.raises(CapabilityError, match="never repeats a state"):
        game_tree(Circular(lambda state: ("a",)), Task(game="written-v0"))


def test_an_unknown_seat_is_refused() -> None:
    with pytest.raises(CapabilityError, match="'third'"):
        tree_of("kuhn_poker-v0").sets_of("third")
