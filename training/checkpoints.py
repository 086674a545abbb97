"""Checkpoints: safetensors and JSON, a manifest of hashes written last, never a pickle.

A checkpoint is a cache of the log: it names the round after which it was taken, and a resumed run continues from the
newest one that is whole. Writing goes to a temporary folder that is renamed when the manifest is on disk, so a
checkpoint is there whole or not at all; a torn or altered one is named, never loaded.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from arena.errors import CheckpointError

SCHEMA = 2
MANIFEST = "manifest.json"
STATE = "state.json"

Tensors = Mapping[str, torch.Tensor]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """Everything a run needs to continue after a round.

    Attributes:
        rounds_done: how many rounds were complete.
        tensors: by file stem (``player.weights``, ``player.learner``).
        state: everything else, as JSON values.
    """

    rounds_done: int
    tensors: Mapping[str, Tensors]
    state: Mapping[str, Any]


def save_checkpoint(folder: Path, checkpoint: Checkpoint, keep: int) -> Path:
    """Writes a checkpoint under ``folder`` and removes old ones beyond the newest ``keep``.

    Raises:
        CheckpointError: the disk refused; the message names the path, and the older checkpoints are intact.
    """
    final = folder / f"{checkpoint.rounds_done:06d}"
    open_folder = folder / f"open-{checkpoint.rounds_done:06d}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(open_folder, ignore_errors=True)
        open_folder.mkdir()
        for stem, tensors in checkpoint.tensors.items():
            save_tensors(open_folder / f"{stem}.safetensors", tensors)
        # Keys keep their order: a mapping that comes back in another one would be walked, and logged, in another one.
        _write(open_folder / STATE, json.dumps({"schema": SCHEMA, "state": checkpoint.state}))
        files = {path.name: file_digest(path) for path in sorted(open_folder.iterdir())}
        manifest = {"schema": SCHEMA, "rounds_done": checkpoint.rounds_done, "sha256": files}
        _write(open_folder / MANIFEST, json.dumps(manifest | {"digest": _digest(manifest)}, sort_keys=True, indent=1))
        _replace(final, open_folder)
    except (OSError, SafetensorError) as error:
        shutil.rmtree(open_folder, ignore_errors=True)
        raise CheckpointError(
            f"checkpoint {final}: expected to write it, got {error}; free some space and resume: older checkpoints are "
            "intact"
        ) from error
    for old in checkpoint_folders(folder)[:-keep]:
        shutil.rmtree(old, ignore_errors=True)
    return final


def load_checkpoint(path: Path) -> Checkpoint:
    """Reads a checkpoint after checking every hash.

    Raises:
        CheckpointError: it is torn, altered, or of a newer schema; the message names the file.
    """
    manifest = _manifest(path)
    for name, digest in manifest["sha256"].items():
        file = path / name
        if not file.is_file() or file_digest(file) != digest:
            got = "another" if file.exists() else "no file"
            raise CheckpointError(
                f"checkpoint {file}: expected sha256 {digest[:12]}..., got {got}; it was altered or torn: remove this "
                "checkpoint to resume from the one before"
            )
    state = json.loads((path / STATE).read_text())["state"]
    stems = [Path(name).stem for name in sorted(manifest["sha256"]) if name.endswith(".safetensors")]
    tensors = {stem: load_file(path / f"{stem}.safetensors") for stem in stems}
    return Checkpoint(rounds_done=manifest["rounds_done"], tensors=tensors, state=state)


def checkpoint_folders(folder: Path) -> list[Path]:
    """Returns the committed checkpoints of a run, oldest first; torn ones (without a manifest) are not among them."""
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if path.name.isdigit() and (path / MANIFEST).is_file())


def torn_folders(folder: Path) -> list[Path]:
    """Returns what an interrupted write left behind."""
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if path.is_dir() and path not in checkpoint_folders(folder))


def save_tensors(path: Path, tensors: Tensors) -> None:
    """Writes tensors with their memory unshared (tied weights are written once per name), synced to disk."""
    save_file({name: value.detach().cpu().contiguous().clone() for name, value in tensors.items()}, path)
    _sync(path)


def load_tensors(path: Path) -> dict[str, torch.Tensor]:
    """Reads what ``save_tensors`` wrote."""
    tensors: dict[str, torch.Tensor] = load_file(path)
    return tensors


def file_digest(path: Path) -> str:
    """Returns the sha256 of a file, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def weights_digest(weights: Tensors) -> str:
    """Returns the sha256 of weights by name, in hex."""
    digest = hashlib.sha256()
    for name in sorted(weights):
        digest.update(name.encode())
        digest.update(weights[name].detach().cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()


def _manifest(path: Path) -> dict[str, Any]:
    try:
        manifest = json.loads((path / MANIFEST).read_text())
    except (OSError, ValueError) as error:
        raise CheckpointError(
            f"checkpoint {path / MANIFEST}: expected a manifest, got {error}; the checkpoint is torn: remove it"
        ) from error
    if not isinstance(manifest, dict) or manifest.get("schema") != SCHEMA:
        got = manifest.get("schema") if isinstance(manifest, dict) else type(manifest).__name__
        raise CheckpointError(f"checkpoint {path}: expected schema {SCHEMA}, got {got}; use the version that wrote it")
    if manifest.pop("digest", None) != _digest(manifest):
        raise CheckpointError(
            f"checkpoint {path / MANIFEST}: expected a manifest that matches its digest, got another; it was altered: "
            "remove this checkpoint to resume from the one before"
        )
    return manifest


def _digest(manifest: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()


def _replace(final: Path, open_folder: Path) -> None:
    """Puts a complete checkpoint in its place; one that says the same already stays, so that no moment lacks both."""
    if (final / MANIFEST).is_file() and (final / MANIFEST).read_bytes() == (open_folder / MANIFEST).read_bytes():
        shutil.rmtree(open_folder)
        return
    aside = final.with_name(f"replaced-{final.name}")
    shutil.rmtree(aside, ignore_errors=True)
    if final.exists():
        final.rename(aside)
    open_folder.rename(final)
    shutil.rmtree(aside, ignore_errors=True)


def _write(path: Path, text: str) -> None:
    path.write_text(text)
    _sync(path)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
