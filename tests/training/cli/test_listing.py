"""What is listed comes from where it is defined."""

import pytest

from arena.domains.domain import domains
from arena.game import games
from curricula.learnability import rules
from roles.role import roles
from training.cli.listing import KINDS, campaign_head, campaigns, source, summary

FUNCTION = """
from arena.errors import InputError
from arena.game import games

@games.register("made-v0")
def made():
    return games.make("kuhn_poker-v0")

@games.register("unmade-v0")
def unmade():
    raise InputError("a library is missing")
"""


@pytest.mark.parametrize("kind", [*KINDS, "campaigns"])
def test_every_kind_can_be_listed(ludus, kind):
    assert ludus("list", kind).code == 0


def test_games_come_with_their_summary(ludus):
    answer = ludus("list", "games", "--json")
    listed = {entry["name"]: entry["summary"] for entry in answer.json}
    assert list(listed) == [*games.names(), *(f"{prefix}/..." for prefix in games.families())]
    assert listed["kuhn_poker-v0"] == games.make("kuhn_poker-v0").spec.summary


def test_games_come_with_their_spec(ludus):
    listed = {entry["name"]: entry for entry in ludus("list", "games", "--json").json}
    dice = listed["liars_dice-v0"]
    assert dice["seats"] == ["first", "second"]
    assert dice["payoff"] == "zero_sum"
    assert dice["params"] == dict(games.make("liars_dice-v0").spec.params)
    assert dice["enumerable"]
    assert not listed["connect_four-v0"]["enumerable"]
    assert "seats" not in listed["openspiel/..."]


def test_a_game_is_one_line_in_a_narrow_terminal(ludus, monkeypatch):
    monkeypatch.setattr("training.cli.printing.PIPE_WIDTH", 100)
    lines = ludus("list", "games").out.splitlines()
    assert max(map(len, lines)) <= 100
    rows = [line.split() for line in lines[lines.index(next(one for one in lines if "blotto-v0" in one)) :]]
    assert [row[0] for row in rows[: len(games.names())]] == games.names()
    (dice,) = [row for row in rows if row and row[0] == "liars_dice-v0"]
    assert dice[1:4] == ["2", "zero-sum", "yes"]
    assert dice[-2:] == ["faces=6", "dice=1"]


def test_a_game_that_only_a_call_makes_is_listed_with_its_spec(ludus, tmp_path, monkeypatch):
    games.names()
    monkeypatch.setattr(games, "_factories", dict(games._factories))  # what is registered here is forgotten again
    (tmp_path / "mine.py").write_text(FUNCTION)
    listed = {entry["name"]: entry for entry in ludus("list", "games", "--json", "--extend", tmp_path / "mine.py").json}
    assert listed["made-v0"]["payoff"] == "zero_sum"
    assert "seats" not in listed["unmade-v0"]


def test_domains_are_listed_with_their_families(ludus):
    answer = ludus("list", "domains", "--json")
    listed = {entry["name"]: entry for entry in answer.json}
    assert list(listed) == [*domains.names(), "reasoning_gym/..."]
    assert listed["python_io"]["source"] == "arXiv:2505.03335"
    assert "arXiv 2505.24760" in listed["reasoning_gym/..."]["summary"]


def test_rules_come_with_the_paper_that_they_name(ludus):
    listed = {entry["name"]: entry for entry in ludus("list", "rules", "--json").json}
    assert list(listed) == rules.names()
    assert listed["pvl"]["source"] == "arXiv:2110.02439"
    assert all(entry["summary"].startswith("Pays ") for entry in listed.values())


def test_roles_come_with_the_first_line_of_their_docstring():
    line = summary(roles.factory("player"))
    assert line
    assert "\n" not in line


def test_an_unknown_kind_is_refused_with_the_nearest(ludus):
    answer = ludus("list", "game")
    assert answer.code == 2
    assert "did you mean games" in answer.err


def test_sources():
    class Paper:
        """A rule (Somebody 1992) of arXiv 2506.24119, section 3."""

    class Print:
        """A rule.

        Source: H. W. Kuhn, "A simplified
        two-person poker", 1950. More.
        """

    class Author:
        """The surrogate (Williams 1992): minus A log pi."""

    class Told:
        """A rule."""

        source = "Robust PLR, arXiv 2110.02439, positive value loss"

    assert source(Paper) == "arXiv:2506.24119"
    assert source(Print) == 'H. W. Kuhn, "A simplified two-person poker", 1950'
    assert source(Author) == "Williams 1992"
    assert source(Told) == "arXiv:2110.02439"


def test_a_campaigns_head_is_read_without_yaml(tmp_path):
    head = "# ludus train campaign=x\n# A model learns x.\n# Source: arXiv 2506.24119.\n# @package _global_\n"
    text = head + "name: x\n# not the head any more\n"
    assert campaign_head(text) == {"summary": "A model learns x.", "source": "arXiv 2506.24119"}
    (tmp_path / "x.yaml").write_text(text)
    (tmp_path / "bare.yaml").write_text("name: bare\n")
    assert [(entry.name, entry.summary) for entry in campaigns(tmp_path)] == [("bare", ""), ("x", "A model learns x.")]


def test_a_missing_extra_is_named(ludus, monkeypatch):
    monkeypatch.setattr("training.cli.extras.EXTRAS", {"train": ("a_module_that_nobody_has",)})
    answer = ludus("list", "objectives")
    assert answer.code == 2
    assert "pip install 'ludus-arena[train]'" in answer.err


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_that_has_items_lists_them(ludus, kind):
    assert len(ludus("list", kind, "--json").json) >= 1
