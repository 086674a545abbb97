"""A run's directory: created exclusively, and enough to resume, to evaluate and to report.

runs/<campaign>/<timestamp>-<short id>/
config.yaml  overrides.yaml  environment.json
rounds/000012/{events.jsonl, episodes.parquet, metrics.json, timings.jsonl}
checkpoints/000012/   snapshots/<policy>/000000.safetensors
metrics.jsonl  tensorboard/  summary.json  report.html      derived
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import secrets
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf

from arena.errors import InputError, RunError
from training.config import CampaignConfig

PACKAGES = ("ludus-arena", "torch", "transformers", "tokenizers", "numpy", "pettingzoo", "pyarrow", "hydra-core")
"""Whose versions a run records."""


class RunDirectory:
    """The folder of one run.

    Args:
        path: where it is.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def checkpoints(self) -> Path:
        """The folder of checkpoints."""
        return self.path / "checkpoints"

    @property
    def summary(self) -> Path:
        """The summary, which a finished run has."""
        return self.path / "summary.json"

    def snapshot(self, policy: str, version: int) -> Path:
        """Returns the file of an immutable snapshot."""
        return self.path / "snapshots" / policy / f"{version:06d}.safetensors"

    def config(self) -> CampaignConfig:
        """Returns the resolved config that the run was started with.

        Raises:
            InputError: the folder is not a run, or its config does not fit this version's schema.
        """
        file = self.path / "config.yaml"
        if not file.is_file():
            raise InputError(f"run {self.path}: expected a run directory, got none there; `ludus runs` lists them")
        try:
            merged = OmegaConf.merge(OmegaConf.structured(CampaignConfig), OmegaConf.load(file))
            config = OmegaConf.to_object(merged)
        except Exception as error:
            raise InputError(
                f"run {file}: expected a config of this version, got {error}; use the one it says"
            ) from error
        if not isinstance(config, CampaignConfig):
            raise InputError(f"run {file}: expected a campaign's config, got {type(config).__name__}; restore the file")
        return config


def create_run(config: CampaignConfig, overrides: Sequence[str]) -> RunDirectory:
    """Creates the directory of a new run; two starts in the same second get two.

    Raises:
        RunError: the output root cannot be written.
    """
    root = Path(config.output_root) / config.name
    try:
        root.mkdir(parents=True, exist_ok=True)
        path = _exclusive(root)
        _record(path, config, overrides)
    except OSError as error:
        raise RunError(f"output_root {root}: expected a folder to write to, got {error}; choose another") from error
    return RunDirectory(path)


def _exclusive(root: Path) -> Path:
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    while True:
        path = root / f"{stamp}-{secrets.token_hex(3)}"
        try:
            path.mkdir()
        except FileExistsError:
            continue
        return path


def _record(path: Path, config: CampaignConfig, overrides: Sequence[str]) -> None:
    (path / "config.yaml").write_text(OmegaConf.to_yaml(OmegaConf.structured(config)))
    (path / "overrides.yaml").write_text(OmegaConf.to_yaml(OmegaConf.create(list(overrides))))
    (path / "environment.json").write_text(json.dumps(environment(config), indent=1))


def replace_config(run: RunDirectory, config: CampaignConfig) -> None:
    """Records a changed config, the old one in one step with the new."""
    fresh = run.path / "config.yaml.new"
    fresh.write_text(OmegaConf.to_yaml(OmegaConf.structured(config)))
    fresh.replace(run.path / "config.yaml")


def environment(config: CampaignConfig) -> dict[str, Any]:
    """Returns what a reader needs to know about where a run was made; an allowlist, so that no secret is in it."""
    return {
        "python": sys.version.split()[0],
        "machine": platform.machine(),
        "system": platform.system(),
        "cores": os.cpu_count(),
        "threads": config.runtime.threads,
        "packages": {name: _version(name) for name in PACKAGES},
        "git_commit": _git_commit(),
    }


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _git_commit() -> str:
    here = Path(__file__).resolve().parent
    command = ["git", "-C", str(here), "rev-parse", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=5, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""
