"""Model directories: what loads, and what is refused before any work."""

import json

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from arena.errors import InputError
from training.models.directory import check_directory, digest_of, load_directory
from training.models.tokenizer import build_tokenizer


@pytest.fixture
def directory(tmp_path):
    tokenizer = build_tokenizer({"g": ["You hold the Jack."]}, vocabulary=300, context=64)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        intermediate_size=24,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=64,
    )
    LlamaForCausalLM(config).to(torch.bfloat16).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    return tmp_path


def edit_config(directory, **changes):
    file = directory / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | changes))


def test_a_directory_loads_in_single_precision(directory, capsys):
    loaded = load_directory(directory)
    assert {weight.dtype for weight in loaded.model.parameters()} == {torch.float32}
    assert not loaded.model.training
    assert loaded.tokenizer.eos_token == "<|end|>"
    assert loaded.digest == digest_of(directory)
    assert "Loading" not in capsys.readouterr().err


def test_the_digest_follows_every_file(directory):
    before = digest_of(directory)
    assert digest_of(directory) == before
    edit_config(directory, rms_norm_eps=1e-4)
    assert digest_of(directory) != before


def test_a_missing_directory_is_named(tmp_path):
    with pytest.raises(InputError, match="nowhere"):
        load_directory(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("config.json", "config.json"),
        ("model.safetensors", "no weights"),
        ("tokenizer.json", "tokenizer"),
    ],
)
def test_a_missing_file_is_named(directory, file, message):
    (directory / file).unlink()
    with pytest.raises(InputError, match=message):
        load_directory(directory)


def test_pickled_weights_are_refused(directory):
    (directory / "model.safetensors").rename(directory / "pytorch_model.bin")
    with pytest.raises(InputError, match=r"only pickled weights \(pytorch_model\.bin\)"):
        load_directory(directory)


def test_an_unknown_architecture_is_refused_without_reading_weights(directory):
    edit_config(directory, model_type="gpt2")
    (directory / "model.safetensors").write_bytes(b"")
    with pytest.raises(InputError, match="'gpt2'"):
        check_directory(directory)


def test_code_in_the_directory_is_not_run(directory):
    (directory / "evil.py").write_text("import pathlib; pathlib.Path('ran').touch()")
    edit_config(directory, model_type="llama", auto_map={"AutoModelForCausalLM": "evil.Model"})
    load_directory(directory)
    assert not list(directory.rglob("ran"))


def test_a_torn_weight_file_is_an_input_error(directory):
    file = directory / "model.safetensors"
    file.write_bytes(file.read_bytes()[:100])
    with pytest.raises(InputError, match="transformers can load"):
        load_directory(directory)


def test_a_config_that_is_no_json_is_an_input_error(directory):
    (directory / "config.json").write_text("{")
    with pytest.raises(InputError, match="JSON"):
        load_directory(directory)
