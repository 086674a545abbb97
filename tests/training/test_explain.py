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


def programs(name, *overrides):
    return explained(compose_campaign([f"campaign={name}", *overrides]))["Games"]


@pytest.mark.parametrize("name", ["absolute_zero", "uniform_tasks"])
def test_a_campaign_over_a_domain_says_what_is_posed_and_what_judges(name):
    lines = programs(name, "executor=cpython", "evaluation.heldout.per_cell=7", "evaluation.heldout.most_difficulty=4")
    assert any("the domain python_trace (deduction, abduction)" in line for line in lines)
    assert any("executor cpython" in line for line in lines)
    assert any("7 sealed problems of each kind at each difficulty from 1 to 4" in line for line in lines)
    unsealed = programs(name, "evaluation.heldout.per_cell=0")
    assert any("no problems are sealed" in line for line in unsealed)
    assert not any("sealed problems of each kind" in line for line in unsealed)


def test_the_curriculum_is_told_with_its_rule():
    lines = programs("absolute_zero", "games.programs.curriculum={name: absolute_zero, rule: azr_paper}")
    assert any("curriculum absolute_zero: Proposer-driven tasks" in line for line in lines)
    assert any("learnability rule azr_paper: Pays 1 - p" in line for line in lines)
    assert not any("learnability" in line for line in programs("uniform_tasks"))
    assert any("curriculum generated: " in line for line in programs("uniform_tasks"))


def test_the_rule_is_told_where_the_curriculum_leaves_it_out():
    lines = programs("absolute_zero", "~games.programs.curriculum.rule")
    assert any("learnability rule azr_paper" in line for line in lines)


def test_hindsight_is_told():
    lines = programs("uniform_tasks", "games.programs.hindsight={weight: 0.25, least_difficulty: 2}")
    assert any("hindsight: verified stretches" in line and "weight 0.25, from difficulty 2" in line for line in lines)
    assert any(
        "trained as nothing else" in line for line in programs("uniform_tasks", "games.programs.hindsight.weight=0")
    )


def test_turns_are_told():
    told = explained(compose_campaign(["campaign=r_zero"]))["Campaign"]
    assert any(
        "take turns at learning, over and over: challenger for 1 round, then solver for 3 rounds" in line
        for line in told
    )


def test_a_game_without_a_domain_says_nothing_of_it():
    lines = told()["Games"]
    assert any("curriculum uniform: " in line for line in lines)
    assert not any(word in line for line in lines for word in ("domain", "hindsight", "sealed", "executor"))
