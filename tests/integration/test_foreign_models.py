"""A campaign on a Hugging Face directory that is not ours: another architecture, its own weights, the same loop."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from transformers import AutoTokenizer, Qwen2Config, Qwen2ForCausalLM, Qwen3Config, Qwen3ForCausalLM

from arena.log import read_events
from arena.types import Task
from training.compose import compose_campaign
from training.models.warm_start import warm_start
from training.running import start

from .conftest import SMALL

SHAPE = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 256,
}
MODELS = {"qwen2": (Qwen2Config, Qwen2ForCausalLM, {}), "qwen3": (Qwen3Config, Qwen3ForCausalLM, {"head_dim": 8})}


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("masked", [True, False])
def test_a_directory_of_another_architecture_is_trained(warm: Path, tmp_path: Path, kind: str, masked: bool) -> None:
    config, model, more = MODELS[kind]
    tokenizer = AutoTokenizer.from_pretrained(warm_start([Task(game="kuhn_poker-v0")]))
    torch.manual_seed(0)
    made = model(config(vocab_size=len(tokenizer), eos_token_id=tokenizer.eos_token_id, **SHAPE, **more))
    directory = tmp_path / "model"
    made.save_pretrained(directory)
    tokenizer.save_pretrained(directory)
    overrides = (f"model={directory}", f"sampling.masked={str(masked).lower()}", "rounds=3", "checkpoint_every=3")
    run = start(compose_campaign([*SMALL, *overrides, f"output_root={tmp_path}"]))
    updates = [event.fields for event in read_events(run, {"updated"})]
    assert [update["version"] for update in updates] == [1, 2, 3]
    assert all(update["logprob_gap"] < 1e-4 for update in updates)
    assert all(update["grad_norm"] > 0 for update in updates if masked)
    measured = [event.fields["nash_conv"] for event in read_events(run, {"evaluated"})]
    assert len(measured) == 2
    assert all(0 <= value <= 4 for value in measured)
