"""Composing from YAML and overrides: whatever is wrong ends as one clear line, before any work."""

import subprocess
import sys
from pathlib import Path

import pytest

from arena.errors import InputError
from training.compose import compose_campaign, refuse_targets, typed
from training.shipped_configs import configs_folder

KUHN = "campaign=kuhn_selfplay"
CAMPAIGNS = sorted(path.stem for path in (configs_folder() / "campaign").glob("*.yaml"))
FILES = sorted(configs_folder().rglob("*.yaml"))

BAD = {
    "no campaign": ([], "campaign: expected campaign=NAME.*kuhn_selfplay"),
    "unknown campaign": (["campaign=kuhn_selfpaly"], "campaign.*did you mean kuhn_selfplay"),
    "typo on top": ([KUHN, "ronds=3"], "ronds.*did you mean rounds"),
    "typo on top, added": ([KUHN, "+ronds=3"], "ronds.*did you mean rounds"),
    "typo in a part": ([KUHN, "runtime.thread=2"], "runtime.thread.*did you mean threads"),
    "typo in a part, added": ([KUHN, "+runtime.thread=2"], "runtime.thread.*did you mean threads"),
    "typo in a policy": ([KUHN, "policies.player.agregation=turn_mean"], "agregation.*did you mean aggregation"),
    "typo in a policy, added": (
        [KUHN, "+policies.player.agregation=turn_mean"],
        "agregation.*did you mean aggregation",
    ),
    "typo in an optimiser": ([KUHN, "policies.player.optimiser.lerning_rate=1"], "lerning_rate.*learning_rate"),
    "typo in a game": ([KUHN, "games.kuhn.groupsize=2"], "groupsize.*did you mean group_size"),
    "typo in a seat": ([KUHN, "games.kuhn.seats.first.rol=player"], "rol.*did you mean role"),
    "typo in a seat, added": ([KUHN, "+games.kuhn.seats.first.rol=player"], "rol.*did you mean role"),
    "typo in a knob": ([KUHN, "estimator=rae", "+estimator.decy=0.5"], "decy.*did you mean decay"),
    "unknown group": ([KUHN, "estimator=infoset"], "estimator.*infoset_baseline"),
    "unknown objective": ([KUHN, "objective=ppoo"], "objective.*did you mean ppo"),
    "unknown opponents": ([KUHN, "opponents=pasd"], "opponents.*did you mean past"),
    "wrong type: number": ([KUHN, "rounds=many"], "rounds.*many"),
    "wrong type: whole number": ([KUHN, "rounds=1.5"], "rounds.*1.5"),
    "wrong type: flag": ([KUHN, "sampling.masked=perhaps"], "masked.*perhaps"),
    "wrong type: mapping": ([KUHN, "runtime=3"], "runtime"),
    "wrong type: nested": ([KUHN, "policies.player.reference.every=soon"], "every.*soon"),
    "wrong type: games": ([KUHN, "games=3"], "games"),
    "null where a number belongs": ([KUHN, "rounds=null"], "rounds"),
    "range": ([KUHN, "rounds=0"], "rounds: expected a number of at least 1"),
    "nan": ([KUHN, "policies.player.optimiser.learning_rate=nan"], "learning_rate.*got nan"),
    "combination": ([KUHN, "estimator=grpo"], "group_size of at least 2 for grpo, got 1"),
    "target": ([KUHN, "+_target_=os.system"], "_target_: expected the name of a registered part, got 'os.system'"),
    "nested target": ([KUHN, "+estimator._target_=os.system"], "estimator._target_"),
    "target in a seat": ([KUHN, "+games.kuhn.seats.first._target_=os.system"], "games.kuhn.seats.first._target_"),
    "target in a policy": ([KUHN, "+policies.player._target_=os.system"], "policies.player._target_"),
    "deep target": ([KUHN, "+engine={name:torch,knob:{_target_:os.system}}"], "engine.knob._target_"),
    "target in a list": ([KUHN, "+engine.knobs=[{_target_:os.system}]"], "_target_"),
    "temperature": ([KUHN, "sampling.temperature=0.5"], "sampling.temperature: expected 1.0"),
    "adapter": ([KUHN, "policies.player.adapter=lora"], "adapter: expected null"),
    "seat removed": ([KUHN, "~games.kuhn.seats.second"], "got none for second"),
    "seat added": ([KUHN, "+games.kuhn.seats.third.policy=player"], "third"),
    "policy that no seat uses": (
        [
            KUHN,
            *(
                f"games.kuhn.seats.{seat}.{word}"
                for seat in ("first", "second")
                for word in ("role=uniform", "policy=''")
            ),
        ],
        "policies.player: expected a seat that uses it",
    ),
    "policy misspelt": ([KUHN, "games.kuhn.seats.first.policy=palyer"], "policy.*did you mean player"),
    "broken grammar": ([KUHN, "rounds=[1"], "config: expected"),
    "no value": ([KUHN, "rounds"], "config: expected"),
    "missing interpolation": ([KUHN, "rounds=${nowhere}"], "nowhere"),
    "evaluation opponent": ([KUHN, "+evaluation.against.unifrom=true"], "unifrom.*did you mean uniform"),
    "game": ([KUHN, "games.kuhn.game=kuhn-v0"], "games.kuhn.game.*kuhn_poker-v0"),
}


@pytest.mark.parametrize("what", BAD)
def test_a_bad_config_ends_in_one_clear_line(what):
    overrides, words = BAD[what]
    with pytest.raises(InputError, match=words) as caught:
        compose_campaign(overrides)
    assert "\n" not in str(caught.value)
    assert ": expected " in str(caught.value)


@pytest.mark.parametrize("name", CAMPAIGNS)
def test_every_shipped_campaign_composes(name):
    config = compose_campaign([f"campaign={name}"])
    assert config.name == name
    assert config.games and config.policies
    lines = (configs_folder() / "campaign" / f"{name}.yaml").read_text().splitlines()
    assert len(lines) <= 25


def test_there_are_campaigns():
    assert "kuhn_selfplay" in CAMPAIGNS


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_every_yaml_opens_with_a_command_that_composes(file):
    lines = file.read_text().splitlines()
    first = next(line for line in lines if line != "# @package _global_")
    assert first.startswith("# ludus train campaign=")
    command = first.removeprefix("# ludus train ").split("  ")[0]
    config = compose_campaign(command.split())
    if file.parent.name == "learner":
        assert next(iter(config.policies.values())).replay.rounds == 6
    elif file.parent.name not in {"campaign", "configs"}:
        chosen = {
            "objective": config.policies["player"].objective,
            "engine": config.engine,
            **{key: getattr(next(iter(config.games.values())), key) for key in ("curriculum", "sampler", "opponents")},
            "estimator": next(iter(next(iter(config.games.values())).seats.values())).estimator,
        }[file.parent.name]
        assert chosen["name"] == file.stem


def test_overrides_reach_every_level():
    config = compose_campaign(
        [
            KUHN,
            "rounds=7",
            "estimator=rae",
            "estimator.decay=0.5",
            "games.kuhn.seats.second.role=uniform",
            "games.kuhn.seats.second.policy=''",
            "policies.player.optimiser.epochs=3",
            "+evaluation.against.uniform=true",
        ]
    )
    assert config.rounds == 7
    assert config.games["kuhn"].seats["first"].estimator == {"name": "rae", "decay": 0.5}
    assert config.games["kuhn"].seats["second"].role == "uniform"
    assert config.policies["player"].optimiser.epochs == 3
    assert config.evaluation.against["uniform"] is True


def test_composing_twice_gives_the_same_and_leaves_nothing_behind():
    assert compose_campaign([KUHN]) == compose_campaign([KUHN])
    with pytest.raises(InputError):
        compose_campaign([KUHN, "ronds=1"])
    assert compose_campaign([KUHN]).rounds == compose_campaign([KUHN]).rounds


def test_targets_are_found_anywhere():
    refuse_targets({"a": {"b": [1, {"c": 2}]}}, "")
    for value in ({"_target_": 1}, {"a": {"_target_": 1}}, {"a": [{"b": {"_target_": 1}}]}, [[{"_target_": 1}]]):
        with pytest.raises(InputError, match="_target_"):
            refuse_targets(value, "")


def test_a_config_that_is_no_mapping_is_refused():
    from omegaconf import OmegaConf

    with pytest.raises(InputError, match="expected a mapping, got list"):
        typed(OmegaConf.create([1]))


def test_nothing_is_written(tmp_path):
    code = "from training.compose import compose_campaign; compose_campaign(['campaign=kuhn_selfplay'])"
    root = str(Path(__file__).parents[2])
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env={"PYTHONPATH": root}, check=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("missing", ["folder", "config.json", "tokenizer.json", "model.safetensors"])
def test_a_model_directory_that_cannot_be_used_is_refused_before_any_work(tmp_path, missing):
    from kuhn_world import policy

    from training.assembly import check_models

    folder = tmp_path / "model"
    one = policy()
    one.model.save_pretrained(folder)
    one.renderer.tokenizer.save_pretrained(folder)
    config = compose_campaign([KUHN, f"model={folder}"])
    check_models(config)
    if missing == "folder":
        folder.rename(tmp_path / "elsewhere")
    else:
        (folder / missing).unlink()
    with pytest.raises(InputError, match=r"model: expected .*model"):
        check_models(config)
