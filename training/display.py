"""The display of a run: what the loop tells a watcher, on the user's terminal."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from training.cli.printing import console
from training.cli.progress import Progress
from training.config import CampaignConfig


class Display:
    """Watches a campaign for a person.

    Args:
        config: the campaign.
        run: its directory, named last.
    """

    def __init__(self, config: CampaignConfig, run: Path) -> None:
        self._console = console()
        self._config = config
        self._run = run
        self._progress = Progress(config.rounds, self._console, config.name)

    def __enter__(self) -> Display:
        """Starts the display."""
        self._progress.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leaves the last picture on the screen."""
        self._progress.__exit__(kind, error, trace)

    def warm_start(self, fraction: float, text: str) -> None:
        """Shows how far the warm start is."""
        self._progress.warm_start(fraction, text)

    def round(self, n: int, metrics: Mapping[str, float], seconds: Mapping[str, float]) -> None:
        """Shows a committed round with its rates by the clock, which never enter the log's metrics."""
        self._progress.round(n, metrics, seconds)

    def evaluated(self, n: int, event: Mapping[str, Any]) -> None:
        """Shows an evaluation."""
        self._progress.evaluated(n, event)

    def resumed(self, rounds_done: int) -> None:
        """Says where the run goes on."""
        self._progress.__exit__(None, None, None)
        self._progress = Progress(self._config.rounds, self._console, self._config.name, rounds_done)
        self._progress.__enter__()
        self.note(f"resumed after round {rounds_done}")

    def note(self, text: str) -> None:
        """Says one line."""
        self._console.print(text, markup=False)

    def finished(self, complete: bool) -> None:
        """Says how it ended and where everything is; the last line is the run's directory."""
        self._progress.finish()
        if not complete:
            self.note(f"stopped after a checkpoint; `ludus resume {self._run}` goes on")
        self.note(f"report: {self._run / 'report.html'}")
        self._console.print(f"run: {self._run}", markup=False, soft_wrap=True)
