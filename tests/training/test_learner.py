"""The learner: its shared forwards change no gradient, and what is not finite never reaches the weights."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch
from training_samples import policy_config, random_rows, row, tiny_model, true_logprobs

from arena.errors import RunError
from training.learner import MOST_NONFINITE, Learner, minibatches
from training.normalisation import AGGREGATIONS
from training.objectives.policy_gradient import PolicyGradient
from training.objectives.ppo import ClippedPolicyGradient

MASK = ((1, 4), (2, 3), (0,))
LOW, HIGH = 0.2, 0.3


def learner_of(model, objective=None, rounds=10, **changes):
    return Learner(policy_config(**changes), objective or ClippedPolicyGradient(LOW, HIGH), model, rounds)


def gradient(rows, model_seed=0, drift=0, **changes):
    """The gradient that one update leaves behind, as one float64 vector; a rate of 0 keeps the weights.

    ``drift`` moves the weights away from the reference, so that its KL is not 0.
    """
    model = tiny_model(model_seed).double()
    learner = learner_of(model, learning_rate=0.0, **changes)
    if drift:
        model.load_state_dict(tiny_model(drift).double().state_dict())
    report = learner.update(rows, 0)
    return flat_gradient(model), report


def flat_gradient(model):
    return torch.cat(
        [p.grad.flatten() if p.grad is not None else torch.zeros(p.numel()).double() for p in model.parameters()]
    )


def naive_gradient(rows, model, reference, aggregation, kl_weight, entropy_weight, objective="ppo"):
    """One forward a row, a float loop over its tokens, the formulas of the papers written out."""
    model.zero_grad()
    tokens = sum(sum(own.mask) for own in rows)
    total = torch.zeros((), dtype=torch.float64)
    for own in rows:
        start, said = own.prompt_length, len(own.ids) - own.prompt_length
        share = {
            "turn_sum": own.weight / len(rows),
            "turn_mean": own.weight / len(rows) / said,
            "token_mean": own.weight / tokens,
        }[aggregation]
        logits = model(input_ids=torch.tensor([own.ids])).logits[0]
        with torch.no_grad():
            other = reference(input_ids=torch.tensor([own.ids])).logits[0]
        for offset in range(said):
            allowed = list(range(24)) if own.support is None else list(own.support[offset])
            logp = torch.log_softmax(logits[start + offset - 1][allowed], -1)
            logq = torch.log_softmax(other[start + offset - 1][allowed], -1)
            chosen = logp[allowed.index(own.ids[start + offset])]
            ratio = torch.exp(chosen - own.behaviour_logprobs[offset])
            if objective == "ppo":
                clipped = min(max(ratio.item(), 1 - LOW), 1 + HIGH)
                use_plain = ratio.item() * own.advantage <= clipped * own.advantage
                loss = -ratio * own.advantage if use_plain else torch.zeros((), dtype=torch.float64)
            else:
                loss = -own.advantage * chosen
            p = logp.exp()
            total = total + share * (loss + kl_weight * (p * (logp - logq)).sum() + entropy_weight * (p * logp).sum())
    total.backward()
    return flat_gradient(model)


def assert_same_gradient(one, other):
    assert other.abs().max() > 1e-3
    assert ((one - other).abs().max() / other.abs().max()).item() <= 1e-6


@pytest.mark.parametrize("aggregation", AGGREGATIONS)
def test_shared_forwards_give_the_gradient_of_a_loop_over_rows(aggregation):
    rows = random_rows(tiny_model(1), 40, seed=3, shift=0.6)
    assert {own.advantage > 0 for own in rows} == {True, False}
    assert {own.support is None for own in rows} == {True, False}
    assert len({(own.ids, own.support) for own in rows}) < len(rows)
    ours, report = gradient(
        rows, drift=1, aggregation=aggregation, reference="initial", weight=0.3, entropy_weight=0.05
    )
    naive = naive_gradient(rows, tiny_model(1).double(), tiny_model(0).double(), aggregation, 0.3, 0.05)
    assert_same_gradient(ours, naive)
    assert 0.05 < report["clip_rate"] < 0.95
    assert report["kl"] > 0.01
    assert report["distinct_inputs"] < len(rows) / 2


def test_the_plain_policy_gradient_too():
    rows = random_rows(tiny_model(1), 30, seed=4)
    ours, _ = gradient(rows, 1)
    model = tiny_model(1).double()
    learner = learner_of(model, PolicyGradient(), learning_rate=0.0)
    learner.update(rows, 0)
    naive = naive_gradient(rows, tiny_model(1).double(), tiny_model(0).double(), "turn_sum", 0, 0, "policy_gradient")
    assert_same_gradient(flat_gradient(model), naive)
    # At ratio 1 the clipped surrogate has the gradient of the plain one (behaviour is stored in single precision).
    assert ((ours - naive).abs().max() / naive.abs().max()).item() < 1e-5


def test_micro_batches_and_the_order_of_rows_change_no_gradient():
    rows = random_rows(tiny_model(1), 40, seed=5, shift=0.6)
    whole, report = gradient(rows, 1)
    for tokens in (1, 9, 25):
        split, other = gradient(rows, 1, micro_batch_tokens=tokens)
        assert_same_gradient(split, whole)
        assert other["loss"] == pytest.approx(report["loss"], rel=1e-6)
        assert other["clip_rate"] == report["clip_rate"]
    assert_same_gradient(gradient(rows[::-1], 1)[0], whole)


def test_masked_gradient_agrees_with_finite_differences():
    """d/dw log pi(a | support) by central differences: renormalisation included."""
    model = tiny_model(2).double()
    own = row(said=(1, 3, 0), support=MASK)
    learner_of(model, PolicyGradient(), learning_rate=0.0).update([replace(own, advantage=-1.0)], 0)
    weight = model.lm_head.weight
    for token, dimension in ((1, 0), (4, 3), (2, 5), (3, 7), (9, 1)):
        values = []
        for step in (1e-5, -1e-5):
            with torch.no_grad():
                weight[token, dimension] += step
                values.append(true_logprobs(model, own.ids, 3, MASK).sum().item())
                weight[token, dimension] -= step
        expected = (values[0] - values[1]) / 2e-5
        assert weight.grad[token, dimension].item() == pytest.approx(expected, abs=1e-6)
    assert weight.grad[9].abs().max().item() == 0.0  # an id that was never allowed


def test_prompts_and_forced_tokens_get_no_gradient():
    model = tiny_model(2).double()
    forced = row(said=(1, 2, 0), support=((1,), (2, 3), (0,)), advantage=2.0)
    learner_of(model, learning_rate=0.0).update([forced], 0)
    touched = {int(i) for i in torch.nonzero(model.lm_head.weight.grad.abs().sum(1)).flatten()}
    assert touched == {2, 3}


def test_an_update_without_choices_changes_nothing():
    model = tiny_model()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    report = learner_of(model).update([row(said=(1,), support=((1,),))], 0)
    assert report["steps"] == 0.0
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())


def test_no_advantage_and_no_reference_leave_the_weights():
    model = tiny_model()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    report = learner_of(model).update([row(advantage=0.0), row(said=(3, 2), advantage=0.0)], 0)
    assert report["steps"] == 1.0
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())


def test_a_step_raises_what_did_well_and_lowers_what_did_badly():
    model = tiny_model()
    good, bad = row(said=(1, 2, 0), support=MASK), row(said=(4, 2, 0), support=MASK, advantage=-1.0)
    start = [true_logprobs(model, own.ids, 3, MASK)[0].item() for own in (good, bad)]
    rows = [
        replace(own, behaviour_logprobs=tuple(true_logprobs(model, own.ids, 3, MASK).tolist())) for own in (good, bad)
    ]
    report = learner_of(model, learning_rate=1e-2).update(rows, 0)
    end = [true_logprobs(model, own.ids, 3, MASK)[0].item() for own in (good, bad)]
    assert end[0] > start[0] and end[1] < start[1]
    assert report["logprob_gap"] < 1e-5


def test_dropout_is_off_so_that_the_first_ratio_is_one():
    model = tiny_model(dropout=0.5)
    rows = random_rows(model, 6)
    model.train()
    assert learner_of(model).update(rows, 0)["logprob_gap"] < 1e-5


def state_of(learner):
    weights = {f"w.{name}": value.clone() for name, value in learner.model.state_dict().items()}
    return weights | {name: value.clone() for name, value in learner.tensors().items()}


def assert_equal_states(one, other):
    assert one.keys() == other.keys()
    assert all(torch.equal(value, other[name]) for name, value in one.items())


@pytest.mark.parametrize("poison", [float("nan"), float("inf"), -float("inf")])
def test_a_step_that_is_not_finite_is_skipped_and_counted(poison):
    model = tiny_model()
    learner = learner_of(model)
    rows = random_rows(model, 8)
    learner.update(rows, 0)
    before = state_of(learner)
    assert any(name.startswith("optimiser.") for name in before)
    report = learner.update([*rows[:-1], replace(rows[-1], advantage=poison)], 1)
    assert report["nonfinite_steps"] == 1.0
    assert_equal_states(before, state_of(learner))
    assert learner.update(rows, 2)["nonfinite_steps"] == 1.0
    assert not torch.equal(before["w.lm_head.weight"], model.lm_head.weight)


def test_a_run_stops_after_too_many_such_steps_in_a_row():
    model = tiny_model()
    learner = learner_of(model)
    good = random_rows(model, 4)
    bad = [replace(own, advantage=float("nan")) for own in good]
    for _ in range(MOST_NONFINITE - 1):
        learner.update(bad, 0)
    learner.update(good, 0)  # the count in a row begins again
    for _ in range(MOST_NONFINITE - 1):
        learner.update(bad, 0)
    with pytest.raises(RunError, match=f"got {MOST_NONFINITE} that were not"):
        learner.update(bad, 0)
    assert learner.nonfinite_steps == 2 * MOST_NONFINITE - 1


@pytest.mark.parametrize("reference", ["none", "moving", "ema"])
def test_a_restored_learner_goes_on_bit_for_bit(reference, tmp_path):
    rows = random_rows(tiny_model(), 12, shift=0.3)
    changes = {"reference": reference, "every": 2, "epochs": 2, "minibatches": 2, "learning_rate_end": 0.1}
    straight = learner_of(tiny_model(), **changes)
    for index in range(6):
        straight.update(rows, index)
    first = learner_of(tiny_model(), **changes)
    for index in range(3):
        first.update(rows, index)
    second = learner_of(tiny_model(7), **changes)
    second.model.load_state_dict(first.model.state_dict())
    second.restore(first.tensors(), json.loads(json.dumps(first.state())))
    for index in range(3, 6):
        second.update(rows, index)
    assert_equal_states(state_of(straight), state_of(second))


def test_the_learning_rate_falls_along_half_a_cosine_to_its_end():
    learner = learner_of(tiny_model(), rounds=5, learning_rate=1e-3, learning_rate_end=0.2)
    rates = [learner.update([row(advantage=0.0)], index)["learning_rate"] for index in range(5)]
    half = np.sqrt(0.5)
    shares = [1.0, 0.2 + 0.4 * (1 + half), 0.6, 0.2 + 0.4 * (1 - half), 0.2]
    np.testing.assert_allclose(rates, np.multiply(1e-3, shares), rtol=1e-12)


@pytest.mark.parametrize(("count", "epochs", "steps"), [(1, 1, 1), (4, 1, 4), (3, 2, 6), (100, 1, 6)])
def test_the_number_of_steps_follows_from_the_config_and_groups_stay_whole(count, epochs, steps):
    model = tiny_model()
    rows = random_rows(model, 12)  # 6 groups of 2
    report = learner_of(model, minibatches=count, epochs=epochs).update(rows, 0)
    assert report["steps"] == steps
    parts = minibatches(rows, count)
    homes = [{own.group_id for own in part} for part in parts]
    assert sum(len(home) for home in homes) == 6
    assert sorted(id(own) for part in parts for own in part) == sorted(id(own) for own in rows)


def test_equal_updates_are_equal_bit_for_bit():
    rows = random_rows(tiny_model(), 20, shift=0.4)
    one, other = (learner_of(tiny_model(), reference="ema", every=3) for _ in range(2))
    reports = [[learner.update(rows, index) for index in range(2)] for learner in (one, other)]
    assert json.dumps(reports[0]) == json.dumps(reports[1])
    assert_equal_states(state_of(one), state_of(other))


def test_rows_whose_context_was_replaced_are_refused():
    with pytest.raises(RunError, match="behaviour log-probabilities"):
        learner_of(tiny_model()).update([replace(row(), behaviour_logprobs=None, context="replaced(hint)")], 0)
