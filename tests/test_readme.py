"""The README's own code runs as it stands, and its commands name things that exist."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from arena.domains.domain import Attempt, domains
from arena.errors import ConfigError
from arena.game import games
from arena.params import whole_number
from arena.testing import check_domain, check_game
from arena.types import Task
from curricula.curriculum import curricula
from curricula.testing import check_curriculum
from roles.role import roles
from roles.testing import check_role
from training.estimators.estimator import estimators
from training.testing import check_estimator

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
SNIPPETS = dict(re.findall(r"```python\n# (\w+)\.py\n(.*?)```", README, re.DOTALL))
"""File name -> code of the README's own-item examples."""


def _code(name: str) -> list[str]:
    text = re.sub(r'""".*?"""', "", SNIPPETS[name], flags=re.DOTALL)
    return [line for line in text.splitlines() if line.strip() and not line.strip().startswith("#")]


def _load(name: str) -> None:
    exec(compile(SNIPPETS[name], f"{name}.py", "exec"), {"__name__": name})


def test_there_are_four_examples_within_their_budgets() -> None:
    budgets = {"sticks": 40, "mind_reader": 25, "biggest_first": 30, "leave_one_out": 20}
    assert {name: len(_code(name)) <= most for name, most in budgets.items()} == dict.fromkeys(budgets, True)


def test_the_game_passes_its_check() -> None:
    if "sticks-v0" not in games:
        _load("sticks")
    assert check_game(games.make("sticks-v0")).information_sets > 20


def test_the_role_passes_its_check() -> None:
    _load("mind_reader")
    check_role(roles.make("mind_reader"), games.make("kuhn_poker-v0"))


def test_the_curriculum_passes_its_check() -> None:
    _load("biggest_first")
    check_curriculum(lambda: curricula.make("biggest_first", game="sticks-v0", seed=1))
    tasks = curricula.make("biggest_first", game="sticks-v0", seed=1).propose(np.random.default_rng(0), 3, 2)
    assert [task.params["sticks"] for task in tasks] == [5, 5]


def test_the_estimator_passes_its_check() -> None:
    _load("leave_one_out")
    check_estimator(estimators.make("leave_one_out"))


@pytest.mark.parametrize("campaign", sorted(re.findall(r"campaign=(\w+)", README)))
def test_every_campaign_that_is_named_exists(campaign: str) -> None:
    assert (ROOT / "configs" / "campaign" / f"{campaign}.yaml").is_file()


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\(((?!http)[^)#]+)", README))))
def test_every_link_leads_somewhere(link: str) -> None:
    assert (ROOT / link).exists()


def test_the_games_page_runs_as_it_stands(capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs" / "games.md").read_text()
    parameter, game, solved, _ = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    names: dict[str, object] = {"__name__": "high_card"}
    exec(compile(game, "high_card.py", "exec"), names)
    assert check_game(games.make("high_card-v0")).states > 20
    exec(compile(solved, "solve.py", "exec"), names)
    value, gains = (float(line.split()[0]) for line in capsys.readouterr().out.splitlines())
    # By hand: a holder who bets with the high card only wins 1/2 on average whether the guesser bets or passes.
    assert value == pytest.approx(0.5, abs=1e-3)
    assert gains > 0
    rules: dict[str, Any] = {"whole_number": whole_number}
    exec(compile(parameter, "parameter.py", "exec"), rules)
    dice = SimpleNamespace(spec=SimpleNamespace(params={"faces": 6}))
    assert rules["reset"](dice, Task(game="dice-v0", params={"faces": 2}))[0] == 2
    with pytest.raises(ConfigError, match="from 2 to 6"):
        rules["reset"](dice, Task(game="dice-v0", params={"faces": 7}))


def test_the_domains_page_runs_as_it_stands() -> None:
    page = (ROOT / "docs" / "domains.md").read_text()
    (domain,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    exec(compile(domain, "backwards.py", "exec"), {"__name__": "backwards"})
    made = domains.make("backwards")
    assert check_domain(made).problems == 4 * made.most_difficulty
    attempts = [Attempt(problem={"kind": "reverse", "word": "abc"}, answer=answer) for answer in ("CBA", "abc", "")]
    outcomes = [str(verdict.outcome) for verdict in made.checker("monty").check(attempts)]
    assert outcomes == ["correct", "wrong", "invalid"]
    rows = re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)
    assert [name for name in domains if name in rows] == ["arithmetic", "python_io", "python_trace"]
    for kind in {kind for name in ("arithmetic", "python_io", "python_trace") for kind in domains.make(name).kinds}:
        assert f"`{kind}`" in page
