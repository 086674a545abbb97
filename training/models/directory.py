"""Any Hugging Face causal language model that lies on the disk: weights, tokenizer and a digest of both.

Only local files are read, only safetensors are accepted (a pickle can run code when it is opened), and code that
travels with a model is never executed. Weights are single precision: half precision moves log-probabilities by more
than an importance ratio forgives.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena.errors import InputError

ARCHITECTURES = ("llama", "qwen2", "qwen3")
"""Values of ``model_type`` that the torch engine decodes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedModel:
    """A model ready for training and for engines.

    Attributes:
        model: a ``transformers`` causal language model in evaluation mode.
        tokenizer: its tokenizer, with chat template and end token.
        digest: 16 hex digits of the hash of every file that determines what it says.
    """

    model: Any
    tokenizer: Any
    digest: str


def load_directory(directory: str | Path) -> LoadedModel:
    """Loads the model in ``directory``.

    Raises:
        InputError: the directory is missing or incomplete, holds pickled weights only, or an unknown architecture.
    """
    path = Path(directory)
    check_directory(path)
    import torch
    from safetensors import SafetensorError
    from transformers import AutoModelForCausalLM, AutoTokenizer

    loader: Any = AutoModelForCausalLM
    options: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    try:
        tokenizer = AutoTokenizer.from_pretrained(path, **options)
        with _no_progress_bar():
            model = loader.from_pretrained(path, dtype=torch.float32, use_safetensors=True, **options)
    except (OSError, ValueError, KeyError, RuntimeError, ImportError, SafetensorError) as error:
        raise InputError(
            f"model: expected a directory that transformers can load, got {path}: {type(error).__name__}: {error}; "
            "download the model again or save it with save_pretrained"
        ) from error
    return LoadedModel(model=model.eval(), tokenizer=tokenizer, digest=digest_of(path))


def save_directory(model: Any, tokenizer: Any, directory: Path) -> None:  # noqa: ANN401 - untyped library classes
    """Writes a model and its tokenizer so that ``load_directory`` and transformers read them; the folder exists.

    A head that is tied to the embedding is not written twice.
    """
    from safetensors.torch import save_file

    tied = bool(getattr(model.config, "tie_word_embeddings", False))
    kept = {name: weight for name, weight in model.state_dict().items() if not (tied and name == "lm_head.weight")}
    model.config.architectures = [type(model).__name__]
    model.config.save_pretrained(directory)
    weights = {name: weight.detach().contiguous() for name, weight in kept.items()}
    save_file(weights, directory / "model.safetensors", metadata={"format": "pt"})
    tokenizer.save_pretrained(directory)


def check_directory(path: Path) -> dict[str, Any]:
    """Returns the model's config after checking, without loading any weights, that the directory can be used.

    Raises:
        InputError: it cannot; the message says which file is missing or which architecture is unknown.
    """
    if not path.is_dir():
        raise InputError(f"model: expected a model directory, got {path}, which is not one; check the path")
    names = {file.name for file in path.iterdir()}
    if "config.json" not in names:
        raise InputError(f"model: expected a config.json, got {path} without one; save it with save_pretrained")
    if not any(name.endswith(".safetensors") for name in names):
        pickled = sorted(name for name in names if name.endswith((".bin", ".pt", ".pth", ".ckpt")))
        got = f"only pickled weights ({', '.join(pickled)})" if pickled else "no weights"
        raise InputError(f"model: expected safetensors in {path}, got {got}; save it with save_pretrained")
    if not names & {"tokenizer.json", "tokenizer.model", "vocab.json"}:
        raise InputError(
            f"model: expected a tokenizer in {path}, got none of tokenizer.json, tokenizer.model, vocab.json; "
            "save the tokenizer beside the model with save_pretrained"
        )
    config = _read_config(path / "config.json")
    kind = config.get("model_type")
    if kind not in ARCHITECTURES:
        raise InputError(
            f"model: expected one of the architectures {', '.join(ARCHITECTURES)}, got {kind!r} in {path}; "
            "choose a model of a known architecture"
        )
    return config


def digest_of(path: Path) -> str:
    """Returns 16 hex digits of the hash of the names and bytes of config, tokenizer and weight files."""
    digest = hashlib.sha256()
    kept = (".json", ".safetensors", ".jinja", ".model", ".txt")
    for file in sorted(file for file in path.iterdir() if file.is_file() and file.suffix in kept):
        digest.update(f"{file.name}:{file.stat().st_size}:".encode())
        with file.open("rb") as stream:
            while block := stream.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()[:16]


@contextmanager
def _no_progress_bar() -> Iterator[None]:
    """Keeps transformers from drawing a bar for a load of milliseconds."""
    from transformers.utils import logging

    bars: Any = logging
    drawn = bars.is_progress_bar_enabled()
    bars.disable_progress_bar()
    try:
        yield
    finally:
        if drawn:
            bars.enable_progress_bar()


def _read_config(file: Path) -> dict[str, Any]:
    try:
        config = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"model: expected JSON in {file}, got {error}; save the model again") from error
    if not isinstance(config, dict):
        raise InputError(f"model: expected a JSON object in {file}, got {type(config).__name__}; save the model again")
    return config
