"""Who watches a campaign: a progress display, or nobody."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol


class Watcher(Protocol):
    """Is told what happens; never changes it."""

    def warm_start(self, fraction: float, text: str) -> None:
        """The tiny model is being made; ``fraction`` of it is done."""

    def round(self, n: int, metrics: Mapping[str, float], seconds: Mapping[str, float]) -> None:
        """Round ``n``, counted from 0, was committed."""

    def evaluated(self, n: int, event: Mapping[str, Any]) -> None:
        """An evaluation event was logged, with ``n`` rounds done."""


class Nobody:
    """Watches nothing."""

    def warm_start(self, fraction: float, text: str) -> None:
        """Ignored."""

    def round(self, n: int, metrics: Mapping[str, float], seconds: Mapping[str, float]) -> None:
        """Ignored."""

    def evaluated(self, n: int, event: Mapping[str, Any]) -> None:
        """Ignored."""
