"""The tasks of one round and who tried them, as a ledger's events: what ``ludus inspect`` shows of a baseline.

Where every task is fresh and none comes back, nothing that is proposed depends on old records. So the live ledger holds
the round in progress alone and stays small however long the run; the log keeps all of it. Replaying the events of a
round gives its ledger.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arena.domains.domain import Domain, Problem
from arena.domains.verifier import fields
from arena.games.solve import Answer, read_answers
from arena.types import EpisodeGroup, Status, Task
from curricula.ledger import TaskLedger
from curricula.task_record import TaskRecord


def file_task(
    ledger: TaskLedger,
    domain: Domain,
    task: Task,
    problem: Problem,
    *,
    by: str,
    reason: str,
    role: str = "",
    episode: str = "",
) -> None:
    """Records a valid task with what the domain says about it, and admits it."""
    ledger.propose(
        task,
        by=by,
        role=role,
        episode=episode,
        signature=domain.signature(problem),
        kind=problem["kind"],
        skills=list(domain.skills(problem)),
    )
    checks = {"difficulty": domain.difficulty(problem), "executor": problem.get("executor", "")}
    ledger.record("task_validated", id=task.id, outcome="valid", checks=checks)
    ledger.record("task_admitted", id=task.id, reason=reason)


def file_attempts(ledger: TaskLedger, id: str, answers: Sequence[Answer]) -> None:
    """Records what a verifier made of the answers to a task; the ledger keeps undecided ones out of its counts."""
    for answer in answers:
        ledger.record(
            "attempt",
            id=id,
            seat=answer.seat,
            policy=answer.policy.name,
            version=answer.policy.version,
            episode=answer.episode,
            outcome=str(answer.verdict.outcome),
            verifier=f"{answer.verdict.verifier} {answer.verdict.version}",
            share=fields(answer.verdict).get("share"),
        )


def answers_of(group: EpisodeGroup) -> list[Answer]:
    """Returns the judged answers of a group, in order; failed episodes have none."""
    return [one for episode in group.episodes if episode.status is not Status.FAILED for one in read_answers(episode)]


def live_rate(records: Sequence[TaskRecord]) -> dict[str, float]:
    """Returns ``live_rate``: among tasks with two judged attempts or more, those solved sometimes and not always."""
    judged = [record for record in records if record.attempts >= 2]
    if not judged:
        return {}
    return {"live_rate": sum(0 < record.successes < record.attempts for record in judged) / len(judged)}


def mean_difficulty(records: Sequence[TaskRecord]) -> dict[str, float]:
    """Returns ``mean_difficulty`` over validated tasks; nothing for none."""
    known = [float(record.checks["difficulty"]) for record in records if "difficulty" in record.checks]
    return {"mean_difficulty": sum(known) / len(known)} if known else {}


class TaskLog:
    """A ledger that begins anew each round.

    Args:
        game: the registered id of the game.
        domain: whose problems the tasks are.
    """

    def __init__(self, game: str, domain: Domain) -> None:
        self._domain = domain
        self.ledger = TaskLedger(game)
        self._pending: list[tuple[str, dict[str, Any]]] = []

    def begin_round(self, number: int) -> bool:
        """Forgets the tasks of the round before; returns whether it did: not when the round is the one in progress."""
        if number == self.ledger.round:
            return False
        self._pending += self.ledger.drain()
        self.ledger = TaskLedger(self.ledger.game)
        self.ledger.begin_round(number)
        return True

    def pose(self, task: Task, problem: Problem) -> None:
        """Records a generated task."""
        file_task(self.ledger, self._domain, task, problem, by="generator", role="generator", reason="generated")

    def attempts(self, groups: Sequence[EpisodeGroup]) -> None:
        """Records the answers of a round to the tasks that were posed."""
        for group in groups:
            answers = answers_of(group)
            if answers and group.episodes[0].task.id in self.ledger:
                file_attempts(self.ledger, group.episodes[0].task.id, answers)

    def metrics(self) -> dict[str, float]:
        """Returns ``mean_difficulty`` and ``live_rate`` of the round."""
        records = list(self.ledger.records.values())
        return {**mean_difficulty(records), **live_rate(records)}

    def drain(self) -> list[tuple[str, dict[str, Any]]]:
        """Returns the events since the last call, for the log."""
        pending, self._pending = self._pending, []
        return pending + self.ledger.drain()

    def state(self) -> dict[str, Any]:
        """Returns the round's ledger and the events that were not drained."""
        return {"ledger": self.ledger.state(), "pending": [[kind, dict(said)] for kind, said in self._pending]}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Replaces both."""
        self.ledger.restore(state["ledger"])
        self._pending = [(kind, dict(said)) for kind, said in state["pending"]]
