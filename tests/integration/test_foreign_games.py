"""Games of other libraries play whole campaigns, and what they cannot do is refused by name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena import parallel_env
from arena.errors import CapabilityError, InputError
from arena.game import games
from arena.game_tree import game_tree
from arena.log import read_episodes, read_events
from arena.types import Status, Task
from roles.scripted import optimal_player
from training.compose import compose_campaign
from training.models.warm_start import warm_start
from training.run_evaluation import evaluate_run
from training.running import resume, start
from training.samplers.independent import IndependentSampler

FOREIGN = {
    "openspiel/kuhn_poker(players=3)-v0": ("player_0", "player_1", "player_2"),
    "openspiel/goofspiel(num_cards=3)-v0": ("player_0", "player_1"),
    "pettingzoo/tictactoe-v3": ("player_1", "player_2"),
    "pettingzoo/rps-v2": ("player_0", "player_1"),
    "textarena/TicTacToe-v0": ("player_0", "player_1"),
    "textarena/KuhnPoker-v0": ("player_0", "player_1"),
}


def words(game: str, folder: Path, *more: str) -> list[str]:
    """The overrides of a small campaign on a foreign game; any model reads any text, so no warm start is made."""
    return [
        "campaign=textarena_selfplay",
        f"model={warm_start([Task(game='kuhn_poker-v0')])}",
        f"games.ttt.game='{game}'",
        "opponents=self",
        "evaluation.probes={}",
        "rounds=2",
        "schedule.episodes_per_round=4",
        "runtime.chunk_episodes=4",
        "evaluate_every=2",
        "evaluation.games=2",
        f"output_root={folder}",
        *more,
    ]


@pytest.mark.parametrize("game", FOREIGN)
def test_a_foreign_game_plays_a_whole_campaign(game: str, warm: Path, tmp_path: Path) -> None:
    run = start(compose_campaign(words(game, tmp_path)))
    summary = json.loads((run / "summary.json").read_text())
    assert summary["complete"] and summary["policies"]["player"]["version"] == 2
    episodes = list(read_episodes(run))
    assert len(episodes) == 8
    assert {episode.task.game for episode in episodes} == {game}
    assert all(episode.status is not Status.FAILED for episode in episodes)
    assert all(set(episode.lineup) == set(FOREIGN[game]) for episode in episodes)
    assert all(turn.completion is not None for episode in episodes for turn in episode.turns)
    *_, last = read_events(run, {"evaluated"})
    assert (last.fields["nash_conv"] is not None) == game.startswith("openspiel")
    assert [one["games"] for one in last.fields["opponents"]] == [2] * len(FOREIGN[game])
    assert evaluate_run(run, ["random"], 2, None)["opponents"][0]["games"] == 2


def test_a_foreign_campaign_repeats_itself_and_resumes(warm: Path, tmp_path: Path) -> None:
    game = "textarena/KuhnPoker-v0"
    whole = start(compose_campaign(words(game, tmp_path / "a", "rounds=3", "checkpoint_every=1")))
    part = start(compose_campaign(words(game, tmp_path / "b", "rounds=2", "checkpoint_every=1")))
    resume(part, rounds=3, accept_change=True)
    other = start(compose_campaign(words(game, tmp_path / "c", "rounds=3", "checkpoint_every=1")))
    said = [
        [(e.id, e.returns, [t.action for t in e.turns]) for e in read_episodes(run, [0, 1])]
        for run in (whole, other, part)
    ]
    assert said[0] == said[1] == said[2]
    assert len(list(read_episodes(part))) == len(list(read_episodes(whole))) == 12


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("evaluation.nash_conv=true", "expected a game that can enumerate, got pettingzoo/tictactoe-v3"),
        ("+evaluation.against.minimax=true", "games.ttt: "),
        ("games.ttt.game=pettingzoo/chess-v6", "chess"),
        ("games.ttt.game=pettingzoo/nothing-v0", "nothing"),
        ("games.ttt.game=textarena/TicTacTo-v0", "TicTacToe-v0"),
        ("games.ttt.game=openspiel/kuhn_pokr-v0", "kuhn_poker"),
        ("games.ttt.params={cells: 4}", "cells"),
    ],
)
def test_what_a_foreign_game_lacks_is_refused_before_any_work(
    more: str, message: str, warm: Path, tmp_path: Path
) -> None:
    with pytest.raises((CapabilityError, InputError)) as refused:
        start(compose_campaign(words("pettingzoo/tictactoe-v3", tmp_path, more)))
    assert message in str(refused.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("game", ["pettingzoo/rps-v2", "textarena/KuhnPoker-v0"])
def test_enumeration_and_forks_are_refused_by_name(game: str, warm: Path, tmp_path: Path) -> None:
    rules = games.make(game)
    with pytest.raises(CapabilityError, match=rf"{game}: expected the capability 'enumerate'"):
        game_tree(rules, Task(game=game))
    with pytest.raises(CapabilityError, match=rf"expected a game with pure rules, got the foreign {game}"):
        parallel_env(rules)
    with pytest.raises(CapabilityError, match=rf"expected a game that can enumerate, got {game}"):
        compose_campaign(words(game, tmp_path, "evaluation.nash_conv=true"))
    assert "equilibrium" in optimal_player(game)
    with pytest.raises(CapabilityError, match=game):
        compose_campaign(words(game, tmp_path, "+evaluation.against.equilibrium=true"))


def test_a_sampler_that_forks_is_refused_by_name(warm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(IndependentSampler, "forks", True)
    with pytest.raises(CapabilityError, match="expected a game that can fork, got pettingzoo/rps-v2"):
        compose_campaign(words("pettingzoo/rps-v2", tmp_path))
    compose_campaign(words("openspiel/kuhn_poker(players=3)-v0", tmp_path))
