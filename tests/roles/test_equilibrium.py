"""The equilibrium player: known values, a proved bound, memory on disk, and what it refuses."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import roles.equilibrium
from arena.errors import CapabilityError, ConfigError, InputError
from arena.game import Game, games, seat_observation
from arena.game_tree import game_tree
from arena.solutions import NashConv, minimax, nash_conv, tabulate
from arena.types import GameSpec, Observation, Payoff, Task
from roles.equilibrium import WITHIN, Equilibrium
from roles.testing import check_role


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LUDUS_CACHE", str(tmp_path))
    return tmp_path


def solved(name: str, params: Mapping[str, Any] | None = None, within: float = WITHIN) -> NashConv:
    game, player = games.make(name), Equilibrium(params or {}, within)
    tree = game_tree(game, Task(game=name, params=params or {}))
    return nash_conv(
        tree, {seat: tabulate(tree, seat, lambda seen: player.strategy(game, seen)) for seat in tree.seats}
    )


def first_sight(game: Game[Any], params: Mapping[str, Any] | None = None) -> Observation:
    """Returns what the first seat to move sees; for games without chance before it."""
    state = game.reset(Task(game=game.spec.id, params=params or {}))
    return seat_observation(game, state, game.to_move(state)[0], [])


@pytest.mark.parametrize(
    ("name", "params", "span", "value"),
    [
        ("kuhn_poker-v0", {}, 4, -1 / 18),  # Kuhn 1950
        ("leduc_poker-v0", {}, 26, -0.085606424078),  # OpenSpiel, sequence-form LP
        ("rock_paper_scissors-v0", {}, 2, 0),  # symmetric
        ("blotto-v0", {}, 2, 0),  # symmetric
        ("matrix_game-v0", {}, 8, 1 / 12),  # T. S. Ferguson, Game Theory, II 1.1: Odd or Even
    ],
)
def test_it_is_as_close_as_it_says(name: str, params: Mapping[str, Any], span: float, value: float) -> None:
    found = solved(name, params)
    assert -1e-12 <= found.value <= WITHIN * span
    first = next(iter(found.returns.values()))
    assert first == pytest.approx(value, abs=WITHIN * span)


def test_within_is_honoured() -> None:
    assert solved("kuhn_poker-v0", within=1e-5).value <= 4e-5 < solved("kuhn_poker-v0", within=1e-2).value


def test_params_are_those_of_the_tasks() -> None:
    found = solved("liars_dice-v0", {"faces": 3})
    assert found.value <= 2 * WITHIN
    game = games.make("liars_dice-v0")
    seen = Observation(seat="first", text="", legal_actions=("1-1",), information_key="1d2 1")
    with pytest.raises(InputError, match=r"position of liars_dice-v0 with params \{'faces': 3\}, got '1d2 1'"):
        Equilibrium({"faces": 3}).strategy(game, seen)


def test_perfect_information_is_played_by_minimax() -> None:
    game = games.make("tic_tac_toe-v0")
    player, state = Equilibrium(), game.reset(Task(game=game.spec.id))
    known = minimax(game_tree(game, Task(game=game.spec.id)))[1]
    seen = seat_observation(game, state, "x", [])
    assert player.strategy(game, seen) == pytest.approx(known["x"][seen.information_key])


def test_a_second_process_remembers(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = games.make("blotto-v0")
    seen = first_sight(game)
    solves: list[str] = []
    solve = roles.equilibrium.game_value
    monkeypatch.setattr(roles.equilibrium, "game_value", lambda tree, **k: solves.append(tree.game) or solve(tree, **k))
    strategies = [Equilibrium().strategy(game, seen) for _ in range(2)]
    assert strategies[0] == strategies[1]
    assert solves == ["blotto-v0"]
    assert len(list((cache / "equilibria").iterdir())) == 1
    Equilibrium(within=0.1).strategy(game, seen)
    Equilibrium({"coins": 4}).strategy(game, first_sight(game, {"coins": 4}))
    assert len(solves) == 3


COIN = """
from arena.game import Game
from arena.types import GameSpec, Observation, Payoff

class Coin(Game):
    spec = GameSpec(name="coin", version=0, seats=("a", "b"), payoff=Payoff.ZERO_SUM, max_turns=2,
                    returns_range=(-9.0, 9.0), actions=("heads", "tails"))
    def reset(self, task): return ()
    def to_move(self, state): return () if state else ("a", "b")
    def observe(self, state, seat):
        return Observation(seat=seat, text="say", legal_actions=() if state else ("heads", "tails"))
    def step(self, state, moves): return tuple(moves.values())
    def information_key(self, state, seat): return "say"
    def returns(self, state):
        gain = {("heads", "heads"): HEADS, ("tails", "tails"): 1.0}.get(state, -1.0)
        return {"a": gain, "b": -gain}
"""


def test_edited_rules_are_solved_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    found = []
    for heads in (1.0, 3.0):
        (tmp_path / f"coin_{heads:g}.py").write_text(COIN.replace("HEADS", str(heads)))
        game = importlib.import_module(f"coin_{heads:g}").Coin()
        found.append(Equilibrium().strategy(game, first_sight(game))["heads"])
    # The second payoff by hand: p heads makes b indifferent, 3p - (1 - p) = -p + (1 - p), so p = 1/3.
    assert found == pytest.approx([1 / 2, 1 / 3], abs=0.01)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("kuhn_poker_three-v0", "expected a game of two seats, got kuhn_poker_three-v0 with 3"),
        ("stag_hunt-v0", r"expected a zero-sum game, got stag_hunt-v0 \(general_sum\), which can end with"),
        ("connect_four-v0", "connect_four-v0: expected the capability 'enumerate'"),
    ],
)
def test_what_has_no_perfect_player_is_refused_with_the_reason(name: str, words: str) -> None:
    game = games.make(name)
    seen = Observation(seat=game.spec.seats[0], text="", legal_actions=game.spec.actions)
    with pytest.raises(CapabilityError, match=words):
        Equilibrium().strategy(game, seen)


def test_a_long_general_sum_game_is_refused_before_it_is_enumerated() -> None:
    game, params = games.make("prisoners_dilemma-v0"), {"rounds": 100}  # 4 ** 100 histories
    with pytest.raises(CapabilityError, match="expected a zero-sum game"):
        Equilibrium(params).strategy(game, first_sight(game, params))


def test_a_bound_that_is_not_reached_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(roles.equilibrium, "MOST_ITERATIONS", 3)
    with pytest.raises(CapabilityError, match=r"equilibrium.within of kuhn_poker-v0: expected a NashConv of at most"):
        solved("kuhn_poker-v0")


def test_free_text_is_refused() -> None:
    class Talk(Game[int]):
        """Says anything."""

        spec = GameSpec(
            name="talk", version=0, seats=("a", "b"), payoff=Payoff.ZERO_SUM, max_turns=1, returns_range=(-1, 1),
            actions=None,
        )  # fmt: skip

        def reset(self, task: Task) -> int:
            return 0

        def to_move(self, state: int) -> tuple[str, ...]:
            return ()

        def observe(self, state: int, seat: str) -> Observation:
            return Observation(seat=seat, text="", legal_actions=None)

        def step(self, state: int, moves: Mapping[str, Any]) -> int:
            return 1

        def returns(self, state: int) -> Mapping[str, float]:
            return {"a": 0.0, "b": 0.0}

    with pytest.raises(CapabilityError, match="equilibrium: expected an observation with legal actions"):
        Equilibrium().strategy(Talk(), Observation(seat="a", text="", legal_actions=None))


@pytest.mark.parametrize("within", [0, -1.0, float("nan")])
def test_within_is_above_0(within: float) -> None:
    with pytest.raises(ConfigError, match=r"equilibrium.within: expected a number above 0"):
        Equilibrium(within=within)


def test_it_passes_the_check_of_players() -> None:
    check_role(Equilibrium(), games.make("leduc_poker-v0"))
    check_role(Equilibrium({"faces": 2}), games.make("liars_dice-v0"), {"faces": 2})
