"""Policies and snapshots: versions replace each other, snapshots never change."""

import pytest
import torch
from kuhn_world import policy
from training_samples import policy_config, row

from arena.errors import CheckpointError
from arena.types import PolicyId
from training.engines.engine import ScoreRequest
from training.learner import Learner
from training.objectives.objective import objectives
from training.policies import Snapshots, past_id, policy_name
from training.run_directory import RunDirectory

PROMPT, SAID = (5, 6, 7), (8, 9)


def change(one, amount=0.5):
    with torch.no_grad():
        for parameter in one.model.parameters():
            parameter += amount * torch.sign(parameter)


def score(one, policy_id):
    (values,) = one.engine.score([ScoreRequest(policy=policy_id, prompt_ids=PROMPT, token_ids=SAID)])
    return values.tolist()


def test_publishing_replaces_the_version_before():
    one = policy()
    before = score(one, one.id)
    change(one)
    assert score(one, one.id) == before  # a loaded version never changes
    one.publish()
    assert one.id == PolicyId(name="player", version=1)
    assert one.engine.loaded() == {one.id}
    assert score(one, one.id) != before


def test_restoring_takes_up_weights_and_version():
    one, other = policy(), policy(seed=1)
    one.restore(other.weights(), 9)
    assert one.id == PolicyId(name="player", version=9)
    assert one.digest() == other.digest()
    assert score(one, one.id) == score(other, other.id)
    assert one.engine.loaded() == {one.id}


def made(tmp_path, seed=0):
    one = policy(seed=seed)
    return one, Snapshots(RunDirectory(tmp_path), {"player": one})


def test_snapshots_are_immutable_and_outlive_the_live_version(tmp_path):
    one, snapshots = made(tmp_path)
    initial = snapshots.add(one)
    before = score(one, initial)
    change(one)
    one.publish()
    later = snapshots.add(one)
    change(one)
    one.publish()
    assert (initial, later) == (past_id("player", 0), past_id("player", 1))
    assert score(one, initial) == before
    assert len({tuple(score(one, i)) for i in (initial, later, one.id)}) == 3
    population = snapshots.population()
    assert population.live == {"player": one.id}
    assert population.snapshots == {"player": [initial, later]}


def test_adding_the_same_version_again_changes_nothing(tmp_path):
    one, snapshots = made(tmp_path)
    snapshots.add(one)
    file = RunDirectory(tmp_path).snapshot("player", 0)
    before = file.read_bytes()
    change(one)
    snapshots.add(one)
    assert file.read_bytes() == before
    assert snapshots.population().snapshots["player"] == [past_id("player", 0)]


def two_snapshots(tmp_path):
    one, snapshots = made(tmp_path)
    snapshots.add(one)
    change(one)
    one.publish()
    snapshots.add(one)
    return one, snapshots.state()


def test_a_resumed_run_has_the_same_snapshots(tmp_path):
    first, state = two_snapshots(tmp_path)
    second, snapshots = made(tmp_path)
    snapshots.add(second)
    snapshots.restore(state["versions"], state["sha256"])
    assert snapshots.state() == state
    for version in (0, 1):
        assert score(second, past_id("player", version)) == score(first, past_id("player", version))


@pytest.mark.parametrize("damage", ["missing", "altered"])
def test_a_damaged_snapshot_is_named(tmp_path, damage):
    _, state = two_snapshots(tmp_path)
    file = RunDirectory(tmp_path).snapshot("player", 1)
    if damage == "missing":
        file.unlink()
    else:
        data = bytearray(file.read_bytes())
        data[-1] ^= 1
        file.write_bytes(bytes(data))
    _, snapshots = made(tmp_path)
    with pytest.raises(CheckpointError, match=r"snapshot .*000001.safetensors: expected"):
        snapshots.restore(state["versions"], state["sha256"])


def test_a_snapshot_that_is_cut_short_is_named(tmp_path):
    _, state = two_snapshots(tmp_path)
    file = RunDirectory(tmp_path).snapshot("player", 1)
    file.write_bytes(file.read_bytes()[:100])
    _, snapshots = made(tmp_path)
    with pytest.raises(CheckpointError, match=r"snapshot .*000001.safetensors: expected"):
        snapshots.restore(state["versions"], state["sha256"])


def test_another_initial_model_than_the_run_began_with_is_refused(tmp_path):
    _, state = two_snapshots(tmp_path)
    second, snapshots = made(tmp_path, seed=1)
    snapshots.add(second)
    with pytest.raises(CheckpointError, match=r"snapshot .*000000.safetensors: expected weights with sha256"):
        snapshots.restore(state["versions"], state["sha256"])


def test_names():
    assert policy_name(past_id("player", 3)) == "player"
    assert policy_name(PolicyId(name="player", version=3)) == "player"


def learning(average=0.5, steps=3):
    """A policy that took some steps and was published, as after a round."""
    one = policy()
    config = policy_config(learning_rate=1e-2, evaluate_average=average)
    one.learner = Learner(config, objectives.make("nll"), one.model, rounds=steps)
    for step in range(steps):
        one.learner.update([row(PROMPT, SAID)], step)
    one.publish()
    return one


def test_an_evaluation_answers_with_the_average_under_the_live_id():
    one = learning()
    live, version, digest = score(one, one.id), one.version, one.digest()
    with one.averaged():
        averaged = score(one, one.id)
        assert one.engine.loaded() == {one.id}
        assert one.digest() == digest  # the live weights are not touched
    assert averaged != live
    other = policy()
    other.restore(one.learner.averaged_weights(), 9)
    assert averaged == score(other, other.id)
    assert score(one, one.id) == live
    assert (one.version, one.engine.loaded()) == (version, {one.id})


def test_the_live_weights_come_back_after_an_evaluation_that_fails():
    one = learning()
    live = score(one, one.id)
    with pytest.raises(KeyError), one.averaged():
        raise KeyError("evaluation")
    assert score(one, one.id) == live


@pytest.mark.parametrize("kept", ["frozen", "no average"])
def test_a_policy_without_an_average_answers_as_it_is(kept):
    one = policy() if kept == "frozen" else learning(average=0.0)
    live = score(one, one.id)
    with one.averaged():
        assert score(one, one.id) == live
    assert score(one, one.id) == live


def test_training_after_an_evaluation_does_not_change_what_was_measured():
    one = learning()
    with one.averaged():
        before = score(one, one.id)
        one.learner.update([row(PROMPT, SAID)], 3)
        assert score(one, one.id) == before
