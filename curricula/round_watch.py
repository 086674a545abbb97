"""Watches a proposer: detectors over the last rounds, and a stop when nothing valid and new comes any more.

A curriculum tells what became of each proposal while it settles, and closes the round when it observes. Every alarm
becomes an event of its ledger; an alarm never acts. A proposer that for several rounds wrote nothing to train on does:
the run ends with the funnel, because going on costs and teaches nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from arena.domains.verifier import SEALED
from arena.errors import ConfigError, RunError
from curricula.detectors import RoundSummary, TaskSummary, alarms
from curricula.ledger import TaskLedger

STAGES = ("proposed", "understood", "valid", "new")
"""What a proposal has to pass, in order."""

UNJUDGED = "undecided:attempts"
"""The reason of a valid proposal whose attempts nobody could judge."""

WINDOW = 8
"""The rounds that detectors can look back on."""


class RoundWatch:
    """Summaries of the last rounds and the funnel of the present one.

    Args:
        name: of the curriculum, for messages.
        most_empty_rounds: the rounds in a row without a valid new proposal after which the run ends.

    Raises:
        ConfigError: ``most_empty_rounds`` is less than 1.
    """

    def __init__(self, name: str, most_empty_rounds: int) -> None:
        if most_empty_rounds < 1:
            raise ConfigError(f"{name}.most_empty_rounds: expected at least 1, got {most_empty_rounds}; raise it")
        self._name, self._most_empty = name, most_empty_rounds
        self._history: list[RoundSummary] = []
        self._empty: list[tuple[Counter[str], Counter[str]]] = []
        self._begin()

    def lost(self, reason: str, stage: str) -> None:
        """Counts a proposal that did not pass a stage."""
        for passed in STAGES[: STAGES.index(stage)]:
            self._funnel[passed] += 1
        self._reasons[reason] += 1

    def passed(self) -> None:
        """Counts a proposal that passed every stage."""
        for stage in STAGES:
            self._funnel[stage] += 1

    def task(self, summary: TaskSummary) -> None:
        """Notes a valid proposal, new or not, with what became of it."""
        self._tasks.append(summary)

    def noted(self, id: str) -> TaskSummary | None:
        """Returns the first note of a task in this round, or ``None``."""
        return next((task for task in self._tasks if task.id == id), None)

    def close(
        self, ledger: TaskLedger, majority_rate: float | None = None, gold_rate: float | None = None
    ) -> dict[str, float]:
        """Ends the round: records alarms in the ledger and returns the rates of the funnel.

        Raises:
            RunError: too many rounds in a row had no valid new proposal.
        """
        summary = RoundSummary(
            round=ledger.round,
            tasks=tuple(self._tasks),
            pools=ledger.pools(),
            majority_rate=majority_rate,
            gold_rate=gold_rate,
        )
        self._history = [*self._history, summary][-WINDOW:]
        for alarm in alarms(self._history):
            ledger.record("alarm", **alarm.fields())
        funnel, reasons = self._funnel, self._reasons
        if funnel["proposed"]:
            self._empty = [] if funnel["new"] else [*self._empty, (funnel, reasons)]
        self._begin()
        if len(self._empty) >= self._most_empty:
            raise RunError(self._nothing_came())
        return _rates(funnel, reasons, summary.tasks)

    def state(self) -> dict[str, Any]:
        """Returns everything as JSON values; between rounds, when nothing is half counted."""
        return {
            "history": [_fields(summary) for summary in self._history],
            "empty": [[dict(funnel), dict(reasons)] for funnel, reasons in self._empty],
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Replaces everything by what ``state`` returned."""
        self._history = [_summary(fields) for fields in state["history"]]
        self._empty = [(Counter(funnel), Counter(reasons)) for funnel, reasons in state["empty"]]
        self._begin()

    def _begin(self) -> None:
        self._tasks: list[TaskSummary] = []
        self._funnel: Counter[str] = Counter()
        self._reasons: Counter[str] = Counter()

    def _nothing_came(self) -> str:
        funnel = sum((funnel for funnel, _ in self._empty), Counter[str]())
        reasons = sum((reasons for _, reasons in self._empty), Counter[str]())
        counts = ", ".join(f"{funnel[stage]} {stage}" for stage in STAGES)
        lost = ", ".join(f"{reason} {count}" for reason, count in reasons.most_common())
        return (
            f"{self._name}: expected a valid new proposal within {self._most_empty} rounds, got none: {counts}; "
            f"lost to {lost}; look at what was written (ludus inspect RUN), start the proposer from a model that can "
            "write the form, show it more references, or raise curriculum.most_empty_rounds"
        )


def _rates(funnel: Counter[str], reasons: Counter[str], valid: Sequence[TaskSummary]) -> dict[str, float]:
    undecided = sum(n for reason, n in reasons.items() if reason.startswith("undecided:")) - reasons[UNJUDGED]
    rates = {"sealed_refused": float(reasons[SEALED]), "new_tasks": float(funnel["new"])}
    if funnel["proposed"] > undecided:
        rates["proposal_valid_rate"] = len(valid) / (funnel["proposed"] - undecided)
    if valid:
        rates["duplicate_rate"] = sum(bool(one.repeats_batch or one.repeats_history) for one in valid) / len(valid)
    return rates


def _fields(summary: RoundSummary) -> dict[str, Any]:
    fields = {name: getattr(summary, name) for name in ("round", "majority_rate", "gold_rate")}
    tasks = [{**asdict(task), "vote_shares": list(task.vote_shares)} for task in summary.tasks]
    return {**fields, "pools": dict(summary.pools), "tasks": tasks}


def _summary(fields: Mapping[str, Any]) -> RoundSummary:
    tasks = tuple(TaskSummary(**{**task, "vote_shares": tuple(task["vote_shares"])}) for task in fields["tasks"])
    return RoundSummary(**{**fields, "tasks": tasks})
