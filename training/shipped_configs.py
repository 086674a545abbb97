"""Where the shipped YAML is, in a source tree and in an installation alike."""

from __future__ import annotations

from pathlib import Path

HOME = Path(__file__).resolve().parents[1]
"""The folder that holds the four packages."""


def configs_folder(home: Path = HOME) -> Path:
    """Returns the folder of the shipped YAML: ``configs/`` in a source tree, ``training/configs`` in a wheel."""
    source = home / "configs"
    installed = home / "training" / "configs"
    return installed if installed.is_dir() else source
