"""A campaign in words."""

import pytest

from training.compose import compose_campaign
from training.explain import explained
from training.shipped_configs import configs_folder

CAMPAIGNS = sorted(path.stem for path in (configs_folder() / "campaign").glob("*.yaml"))


@pytest.mark.parametrize("name", CAMPAIGNS)
def test_every_shipped_campaign_can_be_told(name):
    told = explained(compose_campaign([f"campaign={name}"]))
    assert list(told) == ["Campaign", "Games", "Policies", "Credit", "Sampling", "Evaluation"]
    for lines in told.values():
        assert lines
        assert all(line and "\n" not in line and "None" not in line for line in lines)


def told(*overrides):
    return explained(compose_campaign(["campaign=kuhn_selfplay", *overrides]))


def test_what_decides_is_said():
    base = told("rounds=12", "schedule.episodes_per_round=34", "seed=7")
    assert "12 rounds of 34 episodes, seed 7" in base["Campaign"][0]
    assert "updates player" in base["Campaign"][1]
    assert "kuhn_poker-v0 (zero_sum" in base["Games"][0]
    assert any("credited by infoset_baseline" in line for line in base["Credit"])
    assert "same mask" in base["Sampling"][0]
    assert "kuhn" in base["Evaluation"][1]


def test_each_choice_changes_the_words():
    base = told()
    assert any("rae (decay 0.5)" in line for line in told("estimator=rae", "estimator.decay=0.5")["Credit"])
    assert told("sampling.masked=false")["Sampling"] != base["Sampling"]
    assert told("evaluation.nash_conv=false")["Evaluation"][1] == "Exact NashConv: no game."
    frozen = told("policies.player.trained=false")
    assert frozen["Policies"] == ["player: ludus-tiny, frozen."]
    assert all("not trained" in line for line in frozen["Credit"])
    for kind, words in (("none", "no reference"), ("initial", "before training"), ("moving", "copy of itself")):
        assert any(words in line for line in told(f"policies.player.reference.kind={kind}")["Policies"])
    scripted = told("games.kuhn.seats.second.role=always_bet", "games.kuhn.seats.second.policy=''")
    assert any("second is played by role always_bet on a script" in line for line in scripted["Games"])
    assert not any("second" in line for line in scripted["Credit"])


def test_the_decay_of_the_learning_rate_is_told_as_it_is():
    lines = told("policies.player.optimiser.learning_rate_end=0.1", "rounds=50")["Policies"]
    assert any("half a cosine to 0.1 of it at round 50" in line for line in lines)
    assert any("constant" in line for line in told("policies.player.optimiser.learning_rate_end=1.0")["Policies"])


def test_how_often_rows_are_trained_is_told():
    def policy(*knobs, objective="ppo"):
        own = [f"policies.player.{knob}" for knob in ("optimiser.epochs=1", "optimiser.minibatches=1", *knobs)]
        return told(f"objective={objective}", *own)["Policies"]

    assert any("1 pass(es) of 1 step(s) a round" in line for line in policy())
    assert any("1 pass(es) of steps of 32 rows a round" in line for line in policy("optimiser.batch_rows=32"))
    replay = ["replay.rounds=3", "replay.passes=2", "optimiser.batch_rows=32", "evaluate_average=0.9"]
    lines = policy(*replay, objective="nll")
    assert any("trained about 2 time(s) over 3 round(s), 32 rows a step" in line for line in lines)
    assert any("moving average of its weights is evaluated, decay 0.9" in line for line in lines)
