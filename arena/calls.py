"""Answers to calls as they stand in the log, and a verifier that feeds them back in a replay."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Sequence

from arena.errors import PlayError
from arena.game import Call
from arena.types import CallRecord, Outcome, Verdict


def encode_verdict(verdict: Verdict) -> str:
    """Returns a verdict as the JSON text of ``CallRecord.answer``."""
    fields = {"outcome": verdict.outcome, "detail": verdict.detail}
    return json.dumps({**fields, "verifier": verdict.verifier, "version": verdict.version})


def decode_verdict(answer: str) -> Verdict:
    """Returns the verdict that ``encode_verdict`` wrote."""
    fields = json.loads(answer)
    return Verdict(**{**fields, "outcome": Outcome(fields["outcome"])})


class RecordedAnswers:
    """A verifier that answers as the log says, in the order of the log, so that a replay needs no verifier.

    Args:
        records: the calls of one episode.
    """

    def __init__(self, records: Iterable[CallRecord]) -> None:
        self._left = deque(records)

    def check(self, calls: Sequence[Call]) -> list[Verdict]:
        """Returns the recorded verdict of each call.

        Raises:
            PlayError: a call is not the next one in the log: the replay has left the recorded path.
        """
        return [decode_verdict(self._next(call).answer) for call in calls]

    def _next(self, call: Call) -> CallRecord:
        record = self._left.popleft() if self._left else None
        if record is None or (record.kind, record.request) != (call.kind, call.request):
            got = "no more calls" if record is None else f"{record.kind} {record.request!r}"
            raise PlayError(
                f"replay: expected {call.kind} {call.request!r} next in the log, got {got}; replay with the recorded "
                "actions and the recorded version of the game"
            )
        return record
