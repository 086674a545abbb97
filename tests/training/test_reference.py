"""The reference: none, the policy before training, a copy from time to time, or a moving average."""

import pytest
import torch
from training_samples import tiny_model

from training.config import ReferenceConfig
from training.reference import Reference


def made(kind, every=2, weight=0.5):
    model = tiny_model()
    return Reference(ReferenceConfig(kind=kind, every=every, weight=weight), model), model


def head(model):
    return model.lm_head.weight.detach().clone()


def test_none_has_no_model_and_no_weight():
    reference, model = made("none")
    reference.after_round(model, 1)
    reference.load({})
    assert reference.model is None
    assert reference.weight == 0.0


def test_initial_never_moves():
    reference, model = made("initial")
    start = head(model)
    model.load_state_dict(tiny_model(1).state_dict())
    for done in range(1, 6):
        reference.after_round(model, done)
    assert torch.equal(head(reference.model), start)
    assert reference.weight == 0.5
    assert not any(p.requires_grad for p in reference.model.parameters())


def test_moving_is_a_copy_taken_every_so_many_rounds():
    reference, model = made("moving", every=3)
    start = head(model)
    moved = []
    for done in range(1, 7):
        with torch.no_grad():
            model.lm_head.weight += 1.0
        reference.after_round(model, done)
        moved.append((head(reference.model) - start).mean().item())
    assert moved == pytest.approx([0, 0, 3, 3, 3, 6], abs=1e-5)
    with torch.no_grad():
        model.lm_head.weight += 1.0
    assert (head(reference.model) - start).mean().item() == pytest.approx(6, abs=1e-5)  # a copy, not a view


def test_ema_goes_its_share_of_the_way_each_round():
    reference, model = made("ema", every=4)
    start = head(model)
    with torch.no_grad():
        model.lm_head.weight += 1.0
    reference.after_round(model, 1)
    assert (head(reference.model) - start).mean().item() == pytest.approx(0.25, abs=1e-6)
    reference.after_round(model, 2)
    assert (head(reference.model) - start).mean().item() == pytest.approx(0.25 + 0.75 * 0.25, abs=1e-6)


def test_a_magnet_slows_down_with_the_learning_rate():
    reference, model = made("magnet", every=4)
    start = head(model)
    with torch.no_grad():
        model.lm_head.weight += 1.0
    reference.after_round(model, 1, pace=0.5)
    assert (head(reference.model) - start).mean().item() == pytest.approx(0.125, abs=1e-6)
    reference.after_round(model, 2, pace=0.0)
    assert (head(reference.model) - start).mean().item() == pytest.approx(0.125, abs=1e-6)
    steady, other = made("ema", every=4)
    before = head(other)
    with torch.no_grad():
        other.lm_head.weight += 1.0
    steady.after_round(other, 1, pace=0.5)
    assert (head(steady.model) - before).mean().item() == pytest.approx(0.25, abs=1e-6)
