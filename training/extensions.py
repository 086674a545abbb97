"""A campaign's own code: what it names under ``extend``, loaded explicitly, hashed into the run, trusted by hash.

A run records the hash of every file it loaded. Whoever resumes or evaluates it later, on code that is no longer the
same, has to say so with ``--trust``.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from arena.errors import InputError
from training.cli.extension import load_all
from training.config import CampaignConfig
from training.run_directory import RunDirectory

RECORD = "extensions.json"


def load_extensions(config: CampaignConfig) -> dict[str, str]:
    """Loads what a campaign extends and returns the sha256 of each file.

    Raises:
        InputError: a file is missing, or raises while it is imported.
    """
    files = load_all([Path(place).expanduser() for place in config.extend.values()])
    return {str(file): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def record_extensions(run: RunDirectory, hashes: dict[str, str]) -> None:
    """Writes down what a run loaded."""
    (run.path / RECORD).write_text(json.dumps(hashes, indent=1))


def load_recorded_extensions(run: RunDirectory, config: CampaignConfig, trust: bool) -> None:
    """Loads a run's extensions again.

    Raises:
        InputError: a file is not the one that the run recorded, and ``trust`` was not given.
    """
    file = run.path / RECORD
    recorded = json.loads(file.read_text()) if file.is_file() else {}
    for name, digest in recorded.items():
        path = Path(name)
        now = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "no file"
        if now != digest and not trust:
            raise InputError(
                f"extend {name}: expected the file that the run was made with (sha256 {digest[:12]}), got {now[:12]}; "
                "restore it, or pass --trust to run this code"
            )
    load_extensions(config)
