"""Ctrl-C once: finish the round, write a checkpoint, exit 130. Twice: exit now; what was committed is intact."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class StopSignal:
    """Remembers that somebody asked to stop."""

    def __init__(self) -> None:
        self.requested = False

    def __call__(self) -> bool:
        """Says whether a stop was asked for."""
        return self.requested

    def receive(self, number: int, frame: FrameType | None) -> None:
        """Notes the first signal; the second raises.

        Raises:
            KeyboardInterrupt: this is the second signal.
        """
        if self.requested:
            raise KeyboardInterrupt
        self.requested = True


@contextmanager
def stop_on_signals() -> Iterator[StopSignal]:
    """Yields a flag that SIGINT and SIGTERM set; the handlers from before come back afterwards."""
    stop = StopSignal()
    before = {number: signal.signal(number, stop.receive) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
