"""What a finished run leaves, and the verbs that read it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.errors import InputError
from arena.log import read_episodes, read_events
from training.compose import compose_campaign
from training.exploitation import exploit_run
from training.run_evaluation import EvaluatedRun, evaluate_run
from training.running import resume, start

from .conftest import SMALL

Ludus = Callable[..., subprocess.CompletedProcess[str]]

EXTENSION = '''
from roles.player import Player
from roles.role import roles


@roles.register("quiet")
class Quiet(Player):
    """Answers at once."""

    name = "quiet"
    instruction = "Answer <action>ACTION</action>."
'''


@pytest.fixture(scope="module")
def run(warm: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("verbs")
    return start(compose_campaign([*SMALL, "snapshot_every=3", f"output_root={folder}"]))


def test_the_summary_agrees_with_the_log(run: Path) -> None:
    summary = json.loads((run / "summary.json").read_text())
    episodes = list(read_episodes(run))
    assert summary["schema_version"] == 1
    assert (summary["campaign"], summary["rounds"], summary["complete"]) == ("kuhn_selfplay", 6, True)
    assert summary["episodes"] == len(episodes) == 6 * 48
    assert summary["tokens"]["completion"] == sum(e.completion_tokens for e in episodes)
    assert summary["cost"]["player"]["tokens"] == sum(e.prompt_tokens + e.completion_tokens for e in episodes)
    assert summary["policies"]["player"]["version"] == 6
    assert summary["metrics"]["kuhn/nash_conv"]["first"] > summary["metrics"]["kuhn/nash_conv"]["best"] >= 0
    parts = summary["wall_s"]
    assert 0 < parts["rollout"] + parts["update"] + parts["evaluate"] <= parts["total"]
    assert summary["rates"]["update_samples_per_s"] > 0


def test_the_log_tells_the_whole_story(run: Path) -> None:
    events = list(read_events(run))
    kinds = [event.kind for event in events]
    assert kinds[0] == "run_started"
    assert kinds[-1] == "run_finished"
    assert [e.fields["rounds_done"] for e in events if e.kind == "evaluated"] == [0, 3, 6]
    assert [e.fields["version"] for e in events if e.kind == "updated"] == [1, 2, 3, 4, 5, 6]
    assert [e.fields["version"] for e in events if e.kind == "snapshot_added"] == [3, 6]
    first = next(e for e in events if e.kind == "evaluated").fields
    assert first["nash_conv"] >= 0.85
    assert first["references"] == {
        "uniform": pytest.approx(11 / 12),
        "always_bet": pytest.approx(2 / 3),
        "kuhn_equilibrium": 0.0,
    }
    assert len(first["strategy"]) == 12
    assert first["equilibrium"]["K check"] == {"check": [0.0, 0.0], "bet": [1.0, 1.0]}


def test_every_sampled_action_was_legal_and_its_support_was_the_mask(run: Path) -> None:
    for episode in read_episodes(run, [5]):
        for turn in episode.turns:
            assert turn.legal
            assert turn.completion is not None
            assert turn.completion.support is not None
            choices = [allowed for allowed in turn.completion.support if len(allowed) > 1]
            assert [len(allowed) for allowed in choices] == [2]
            assert turn.completion.text == f"<action>{turn.action}</action>"


def test_eval_counts_every_game_from_both_seats(run: Path) -> None:
    document = evaluate_run(run, ["random", "optimal", "initial", str(run)], 50, None)
    assert [one["game"] for one in document["exact"]] == ["kuhn"]
    assert len(document["opponents"]) == 8
    for one in document["opponents"]:
        assert one["games"] == one["wins"] + one["draws"] + one["losses"] == 50
        low, mid, high = one["win_rate"]
        assert low <= mid <= high
    assert evaluate_run(run, ["random"], 50, None) == evaluate_run(run, ["random"], 50, None)


def test_every_seat_meets_the_same_deals(run: Path) -> None:
    evaluated = EvaluatedRun(run)
    entry = evaluated.games["kuhn"]
    deals = [[plan.task for plan in entry.versus(seat, "uniform", 5, 0)] for seat in ("first", "second")]
    assert deals[0] == deals[1] == [plan.task for plan in entry.rehearse(5, 0)]
    (found,) = evaluate_run(run, ["random"], 200, None)["duplicates"]
    assert found["deals"] == 200
    assert found["variance_ratio"] < 1  # each deal is played from both seats, and its luck cancels


def test_an_exploiter_gains_at_most_what_a_best_response_gains(run: Path) -> None:
    (found,) = exploit_run(run, 25, 400)
    assert found["game"] == "kuhn"
    assert [one["seat"] for one in found["seats"]] == ["first", "second"]
    for one in found["seats"]:
        low, mid, high = one["gain"]
        assert low <= mid <= high
        assert low <= one["exact"]
    assert found["nash_conv_at_least"][1] == pytest.approx(sum(one["gain"][1] for one in found["seats"]))
    assert found["nash_conv_at_least"][0] > 0  # the policy is far from an equilibrium after six rounds


def test_eval_reads_older_checkpoints_and_names_the_ones_there_are(run: Path) -> None:
    assert EvaluatedRun(run, 2).rounds_done == 2
    with pytest.raises(InputError, match=r"--checkpoint: expected one of 2, 4, 6, got 3"):
        EvaluatedRun(run, 3)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("eval", "nowhere"), "expected a run directory"),
        (("eval", "{run}", "--against", "optimum"), "did you mean optimal"),
        (("resume", "nowhere"), "expected a run directory"),
        (("resume", "{run}", "--rounds", "3"), "rounds are never undone"),
        (("resume", "{run}", "--rounds", "9"), "--accept-change"),
        (("explain", "campaign=kuhn"), "did you mean kuhn_s"),
    ],
)
def test_wrong_words_exit_with_2(run: Path, ludus: Ludus, words: tuple[str, ...], message: str) -> None:
    said = ludus(*(word.format(run=run) for word in words))
    assert said.returncode == 2, said.stdout + said.stderr
    assert message in said.stderr


def test_explain_says_what_is_trained(ludus: Ludus) -> None:
    said = ludus("explain", "campaign=kuhn_selfplay", "--json")
    document = json.loads(said.stdout)
    assert any("trained by AdamW" in line for line in document["Policies"])
    assert any("infoset_baseline" in line for line in document["Credit"])


def test_changed_code_is_refused_until_it_is_trusted(warm: Path, tmp_path: Path) -> None:
    file = tmp_path / "quiet.py"
    file.write_text(EXTENSION)
    overrides = [*SMALL, "rounds=1", f"+extend.mine={file}", f"output_root={tmp_path}"]
    config = compose_campaign([*overrides, "games.kuhn.seats.first.role=quiet"])
    run = start(config)
    assert next(iter(read_episodes(run))).lineup["first"].role == "quiet"
    file.write_text(EXTENSION + "\n# changed\n")
    with pytest.raises(InputError, match="--trust"):
        resume(run)
    resume(run, trust=True)
