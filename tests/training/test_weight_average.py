"""The averaged weights: by hand, and saved bit for bit."""

import pytest
import torch
from training_samples import tiny_model

from training.weight_average import WeightAverage


def set_to(model, value):
    with torch.no_grad():
        for weight in model.parameters():
            weight.fill_(value)


def averages(average, values):
    model, found = tiny_model(), []
    for value in values:
        set_to(model, value)
        average.after_step(model)
        weights = average.weights()["lm_head.weight"]
        assert (weights == weights[0, 0]).all()
        found.append(weights[0, 0].item())
    return found


def test_a_mean_at_first_and_then_a_moving_one():
    # decay 3/4: shares 1, 1/2, 1/3, 1/4, 1/4
    found = averages(WeightAverage(tiny_model(), 0.75), [4.0, 0.0, 8.0, 8.0, 0.0])
    assert found == pytest.approx([4.0, 2.0, 4.0, 5.0, 3.75], rel=1e-6)


def test_before_the_first_step_it_is_the_model_itself_and_a_copy():
    model = tiny_model()
    average = WeightAverage(model, 0.9)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    set_to(model, 1.0)
    assert all(torch.equal(value, before[name]) for name, value in average.weights().items())


def test_a_model_takes_the_average_up():
    average = WeightAverage(tiny_model(), 0.5)
    averages(average, [1.0, 2.0])
    other = tiny_model(3)
    other.load_state_dict(average.weights())
    assert other.lm_head.weight.unique().tolist() == [1.5]


def test_a_loaded_average_goes_on_bit_for_bit():
    values = [0.1, 0.7, -0.3, 0.9, 0.2]
    straight, first, second = (WeightAverage(tiny_model(seed), 0.6) for seed in (0, 0, 1))
    whole = averages(straight, values)
    averages(first, values[:2])
    second.load({name: value.clone() for name, value in first.tensors().items()})
    assert averages(second, values[2:]) == whole[2:]
