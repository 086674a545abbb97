"""Whole campaigns, small ones: one warm start for all tests, every run in its own folder."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

SMALL = (
    "campaign=kuhn_selfplay",
    "rounds=6",
    "schedule.episodes_per_round=48",
    "runtime.chunk_episodes=16",
    "evaluate_every=3",
    "checkpoint_every=2",
)
"""A Kuhn campaign of a few seconds."""


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """One cache of warm-started models for the session."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LUDUS_CACHE", str(folder))
        yield folder


@pytest.fixture(scope="session")
def warm(cache: Path) -> Path:
    """The cache, with the Kuhn model in it, so that no test measures its warm start."""
    from arena.types import Task
    from training.models.warm_start import warm_start

    warm_start([Task(game="kuhn_poker-v0")])
    return cache


@pytest.fixture
def ludus(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs the command line in an empty folder and returns what it said."""

    def run(*words: str, timeout: float = 120) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "training.cli", *words],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )

    return run


def run_of(said: subprocess.CompletedProcess[str], folder: Path) -> Path:
    """Returns the run directory that the last line names."""
    last = said.stdout.strip().splitlines()[-1]
    assert last.startswith("run: "), said.stdout + said.stderr
    return folder / last.removeprefix("run: ")
