"""The learner under weighted likelihood: rows left out, rows nobody sampled, replay, and the averaged weights."""

import json
from dataclasses import replace

import pytest
import torch
from training_samples import policy_config, random_rows, row, tiny_model

from arena.errors import RunError
from training.config import ReplayConfig
from training.learner import Learner
from training.normalisation import AGGREGATIONS
from training.objectives.nll import WeightedLikelihood

RATE = 1e-2


def learner_of(model, rounds=10, seed=0, **changes):
    return Learner(policy_config(**{"learning_rate": RATE, **changes}), WeightedLikelihood(), model, rounds, seed)


def weighted_rows(count, seed=0):
    return [replace(own, advantage=abs(own.advantage)) for own in random_rows(tiny_model(), count, seed)]


def state_of(learner):
    weights = {f"w.{name}": value.clone() for name, value in learner.model.state_dict().items()}
    return weights | {name: value.clone() for name, value in learner.tensors().items()}


def assert_equal_states(one, other):
    assert one.keys() == other.keys()
    assert all(torch.equal(value, other[name]) for name, value in one.items())


def gradient(rows, **changes):
    model = tiny_model().double()
    report = learner_of(model, learning_rate=0.0, **changes).update(rows, 0)
    return {name: weight.grad for name, weight in model.named_parameters() if weight.grad is not None}, report


@pytest.mark.parametrize("aggregation", AGGREGATIONS)
def test_rows_of_weight_0_leave_numerator_and_denominator(aggregation):
    kept = weighted_rows(8)
    padded = [piece for own in kept for piece in (own, replace(own, advantage=0.0), replace(own, weight=0.0))]
    ours, report = gradient(padded, aggregation=aggregation)
    theirs, _ = gradient(kept, aggregation=aggregation)
    assert_equal_states(ours, theirs)
    assert report["rows"] == 8.0


def test_a_token_mean_is_the_weighted_cross_entropy_over_the_kept_tokens():
    rows = [row(said=(1, 2), advantage=0.5), row((5, 6), (3,), advantage=0.1), row(said=(7, 7, 7), advantage=0.0)]
    ours, report = gradient(rows, aggregation="token_mean")
    model = tiny_model().double()
    loss = torch.zeros((), dtype=torch.float64)
    for own in rows:
        logits = model(input_ids=torch.tensor([own.ids])).logits[0, own.prompt_length - 1 : -1]
        said = torch.tensor(own.ids[own.prompt_length :])
        loss = loss + own.advantage * torch.nn.functional.cross_entropy(logits, said, reduction="sum") / 3
    loss.backward()
    assert report["loss"] == pytest.approx(loss.item(), rel=1e-6)
    for name, weight in model.named_parameters():
        torch.testing.assert_close(ours[name], weight.grad, rtol=1e-5, atol=1e-8)


def test_what_sampled_a_row_changes_no_gradient_and_only_sampled_rows_have_a_gap():
    rows = weighted_rows(6)
    replaced = [replace(own, behaviour_logprobs=None, context="replaced(hint)") for own in rows]
    (ours, report), (theirs, plain) = gradient(replaced), gradient(rows)
    assert_equal_states(ours, theirs)
    assert report["logprob_gap"] == 0.0
    assert 0.0 < plain["logprob_gap"] < 1e-5
    far = replace(rows[0], behaviour_logprobs=tuple(value - 2.0 for value in rows[0].behaviour_logprobs))
    assert gradient([far, *replaced[1:]])[1]["logprob_gap"] == pytest.approx(2.0, abs=1e-4)


def test_negative_weights_are_refused():
    with pytest.raises(RunError, match="weights of at least 0"):
        learner_of(tiny_model()).update([row(advantage=-1.0)], 0)


def test_a_round_without_successes_changes_nothing():
    learner = learner_of(tiny_model(), evaluate_average=0.9)
    before = state_of(learner)
    report = learner.update([row(advantage=0.0)], 0)
    assert (report["steps"], report["rows"], "loss" in report) == (0.0, 0.0, False)
    assert_equal_states(before, state_of(learner))


def test_batch_rows_let_the_number_of_steps_follow_the_rows():
    rows = weighted_rows(12)  # 6 groups of 2
    assert learner_of(tiny_model(), batch_rows=4, epochs=2).update(rows, 0)["steps"] == 6.0
    assert learner_of(tiny_model(), batch_rows=100).update(rows, 0)["steps"] == 1.0
    assert learner_of(tiny_model(), batch_rows=4).update([row(advantage=0.0)], 0)["steps"] == 0.0


def test_replayed_rows_are_trained_when_a_round_brings_none():
    learner = learner_of(tiny_model(), batch_rows=4, replay=ReplayConfig(rounds=3))
    nothing = [row(advantage=0.0)]
    assert [
        learner.update(rows, r)["steps"] for r, rows in enumerate([weighted_rows(12), nothing, nothing, nothing])
    ] == [
        1.0,
        1.0,
        1.0,
        0.0,
    ]


def test_a_restored_learner_goes_on_bit_for_bit():
    rounds = [weighted_rows(8, seed) for seed in range(6)]
    changes = {"batch_rows": 3, "replay": ReplayConfig(rounds=3, passes=1.5, capacity=20), "evaluate_average": 0.8}
    straight, first, second = (learner_of(tiny_model(s), **changes) for s in (0, 0, 7))
    reports = [straight.update(rows, index) for index, rows in enumerate(rounds)]
    for index in range(3):
        first.update(rounds[index], index)
    second.model.load_state_dict(first.model.state_dict())
    second.restore(
        {name: value.clone() for name, value in first.tensors().items()}, json.loads(json.dumps(first.state()))
    )
    assert [second.update(rounds[index], index) for index in range(3, 6)] == reports[3:]
    assert_equal_states(state_of(straight), state_of(second))
    assert second.state() == straight.state()
    assert any(name.startswith("average.") for name in straight.tensors())


def test_averaged_weights_are_the_live_ones_unless_an_average_is_kept():
    plain, averaged = learner_of(tiny_model()), learner_of(tiny_model(), evaluate_average=0.9)
    seen = []
    for index in range(3):
        for learner in (plain, averaged):
            learner.update(weighted_rows(6, index), index)
        seen.append(plain.model.lm_head.weight.detach().clone())
    assert torch.equal(plain.averaged_weights()["lm_head.weight"], seen[-1])
    mean = averaged.averaged_weights()["lm_head.weight"]
    torch.testing.assert_close(mean, torch.stack(seen).mean(0))
    assert torch.equal(averaged.model.lm_head.weight, seen[-1])


def test_a_step_that_is_not_finite_leaves_the_average():
    learner = learner_of(tiny_model(), evaluate_average=0.9)
    learner.update(weighted_rows(4), 0)
    before = state_of(learner)
    learner.update([replace(row(), advantage=float("nan"))], 1)
    assert learner.state()["nonfinite_steps"] == learner.state()["nonfinite_in_a_row"] == 1
    assert_equal_states(before, state_of(learner))
