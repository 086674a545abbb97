"""Registered items are checked, failures are shown, and a user's own item can be among them."""

import pytest

from arena.domains.domain import domains
from arena.errors import CapabilityError
from arena.executors.executor import executors
from arena.game import games
from training.cli.checking import CHECKS, knobs_needed, made, registries, run

BROKEN = '''
from arena import Game, GameSpec, Observation, Payoff
from arena.domains.domain import domains
from arena.errors import CapabilityError
from arena.executors.executor import executors
from arena.game import games

@games.register("{name}-v0")
class Broken(Game):
    """A zero-sum game whose returns are not."""

    spec = GameSpec(name="{name}", version=0, seats=("a", "b"), payoff=Payoff.ZERO_SUM, max_turns=1,
                    returns_range=(0.0, 1.0), actions=("x",))

    def reset(self, task): return 0
    def to_move(self, state): return () if state else ("a",)
    def observe(self, state, seat): return Observation(seat=seat, text=str(state), legal_actions=("x",))
    def step(self, state, moves): return 1
    def returns(self, state): return {{"a": 1.0, "b": 1.0}}
'''


DOMAIN = """
from arena.domains.arithmetic import Arithmetic
from arena.domains.domain import domains

@domains.register("too_kind")
class TooKind(Arithmetic):
    name = "too_kind"
    kinds = ("sum",)

    def statement(self, problem):
        return f"{super().statement(problem)} It is {self.solution(problem)}."
"""

FOREIGN = """
import numpy as np
from gymnasium import spaces
from pettingzoo import ParallelEnv
from arena.foreign.game import ForeignGame
from arena.domains.domain import domains
from arena.errors import CapabilityError
from arena.executors.executor import executors
from arena.game import games

class Seedless(ParallelEnv):
    metadata = {"name": "seedless_v0"}
    possible_agents = ["a"]
    render_mode = None

    seen, answers = spaces.Discrete(1 << 20), spaces.Discrete(2)

    def observation_space(self, agent): return self.seen
    def action_space(self, agent): return self.answers

    def reset(self, seed=None, options=None):
        self.agents = ["a"]
        return {"a": self._drawn()}, {"a": {}}

    def step(self, actions):
        self.agents = []
        return {"a": self._drawn()}, {"a": 0.0}, {"a": True}, {"a": False}, {"a": {}}

    def _drawn(self):
        return int(np.random.default_rng().integers(1 << 20))

@games.register("seedless-v0")
def make():
    return ForeignGame(Seedless, rules="Say 0 or 1.", observe_text=lambda env, agent: str(env.observe(agent)))
"""


def test_every_kind_has_a_check():
    assert set(CHECKS) == set(registries())


def test_items_that_hold(ludus):
    answer = ludus("check", "rock_paper_scissors-v0", "player", "uniform", "--json")
    assert answer.code == 0, answer.out
    assert [(one["kind"], one["name"], one["result"]) for one in answer.json] == [
        ("game", "rock_paper_scissors-v0", "ok"),
        ("role", "player", "ok"),
        ("player", "uniform", "ok"),
        ("curriculum", "uniform", "ok"),
    ]


def test_domains_are_checked_by_name_those_of_families_too(ludus):
    answer = ludus("check", "arithmetic", "reasoning_gym/chain_sum", "--json")
    assert answer.code == 0, answer.out
    assert [(one["kind"], one["name"], one["result"]) for one in answer.json] == [
        ("domain", "arithmetic", "ok"),
        ("domain", "reasoning_gym/chain_sum", "ok"),
    ]
    assert answer.json[0]["covered"].startswith("108 problems, ")  # 3 kinds, 9 difficulties, 4 samples


def test_a_domain_that_breaks_its_contract_fails(ludus, tmp_path, monkeypatch):
    domains.names()
    monkeypatch.setattr(domains, "_factories", dict(domains._factories))  # what is registered here is forgotten again
    (tmp_path / "mine.py").write_text(DOMAIN)
    answer = ludus("check", "too_kind", "--extend", tmp_path / "mine.py")
    assert answer.code == 1
    assert (
        "domain too_kind failed: check_domain(too_kind): kind sum, statement: expected the solution hidden"
        in " ".join(answer.out.split())
    )


def test_a_domain_whose_extra_is_missing_is_left_out(monkeypatch):
    def refuse(name, **knobs):
        raise CapabilityError("executor monty: expected pydantic-monty; pip install 'ludus-arena[code]'")

    monkeypatch.setattr(executors, "make", refuse)
    result = run("domain", "python_io")
    assert (result.result, result.message) == (
        "left out",
        "executor monty: expected pydantic-monty; pip install 'ludus-arena[code]'",
    )


@pytest.mark.parametrize("name", ["reasoning_gym/chain_sums", "reasoning_gym/countdown"])
def test_a_domain_that_its_library_cannot_make_is_refused(ludus, name):
    answer = ludus("check", name)
    assert (answer.code, answer.out) == (2, "")
    assert name in answer.err


def test_an_item_that_fails_is_shown(ludus, tmp_path):
    (tmp_path / "broken.py").write_text(BROKEN.format(name="broken_game"))
    answer = ludus("check", "broken_game-v0", "--extend", tmp_path / "broken.py")
    assert answer.code == 1
    assert "game broken_game-v0 failed:" in answer.out
    assert "1 failed" in answer.out


def test_an_unknown_name_is_refused(ludus):
    answer = ludus("check", "kuhn_poker")
    assert answer.code == 2
    assert "kuhn_poker-v0" in answer.err


def test_games_of_other_libraries_are_checked_by_name(ludus):
    answer = ludus("check", "openspiel/kuhn_poker-v0", "pettingzoo/tictactoe-v3", "--json")
    assert answer.code == 0, answer.out
    rules, foreign = answer.json
    assert (rules["name"], rules["kind"], rules["result"]) == ("openspiel/kuhn_poker-v0", "game", "ok")
    assert rules["covered"].endswith("12 information sets")  # Kuhn poker has six a seat
    assert (foreign["name"], foreign["result"]) == ("pettingzoo/tictactoe-v3", "ok")
    assert foreign["covered"].endswith("inside and wrapped")


@pytest.mark.parametrize("name", ["openspiel/no_such_game-v0", "pettingzoo/chess-v6", "shimmy/x-v0"])
def test_a_game_that_its_library_cannot_make_is_refused(ludus, name):
    answer = ludus("check", name)
    assert answer.code == 2
    assert name.partition("/")[2].rpartition("-v")[0] in answer.err
    assert answer.out == ""


def test_a_foreign_environment_that_breaks_its_contract_fails(ludus, tmp_path, monkeypatch):
    games.names()
    monkeypatch.setattr(games, "_factories", dict(games._factories))  # what is registered here is forgotten again
    (tmp_path / "foreign.py").write_text(FOREIGN)
    answer = ludus("check", "seedless-v0", "--extend", tmp_path / "foreign.py")
    assert answer.code == 1
    assert "check_foreign(" in answer.out
    assert "as in the first play with seed" in answer.out


def test_what_needs_knobs_is_left_out():
    result = run("player", "always")
    assert (result.result, result.message) == ("left out", "it cannot be built without preference")


@pytest.mark.parametrize(("offered", "needed"), [((), ["game"]), (("game",), [])])
def test_needed_knobs(offered, needed):
    def factory(game, seed=0, *args, **more):
        return game, seed

    assert knobs_needed(factory, offered) == needed
    assert made(factory, {"game": "g", "seed": 3, "other": 1}) == ("g", 3)
