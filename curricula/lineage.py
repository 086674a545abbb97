"""Where tasks came from and what they led to: the graph of parents and children.

An edge runs from a parent to the task made from it. What a branch taught is read from the tasks themselves: how far
the posterior of their solve rate moved between the oldest and the newest version of a policy that tried them. That is
a difference, not an effect: a solver that improves everywhere moves every branch.
"""

from __future__ import annotations

from collections.abc import Iterable

import networkx as nx

from arena.errors import InputError
from arena.log.reader import Event
from curricula.ledger import TaskLedger
from curricula.task_record import TaskRecord


class Lineage:
    """The family of the tasks of one or more ledgers.

    A parent that no ledger knows (a seed theorem, a task of another run) is a node without a record.

    Args:
        ledgers: the ledgers; the graph is of the moment.

    Raises:
        InputError: a task is its own ancestor, which no order of proposals can give.
    """

    def __init__(self, *ledgers: TaskLedger) -> None:
        self._records = {id: record for ledger in ledgers for id, record in ledger.records.items()}
        self.graph = nx.DiGraph()
        for id, record in self._records.items():
            self.graph.add_node(id, known=True)
            self.graph.add_edges_from((parent, id) for parent in record.parents)
        if not nx.is_directed_acyclic_graph(self.graph):
            cycle = [parent for parent, _ in nx.find_cycle(self.graph)]
            raise InputError(f"lineage: expected parents that came before their children, got {cycle}; check the log")

    def parents(self, id: str) -> list[str]:
        """Returns the tasks that a task was made from, sorted."""
        return sorted(self.graph.predecessors(self._node(id)))

    def children(self, id: str) -> list[str]:
        """Returns the tasks made from a task, sorted."""
        return sorted(self.graph.successors(self._node(id)))

    def ancestors(self, id: str) -> set[str]:
        """Returns every task that a task goes back to, itself not included."""
        return set(nx.ancestors(self.graph, self._node(id)))

    def descendants(self, id: str) -> set[str]:
        """Returns every task that goes back to a task, itself not included."""
        return set(nx.descendants(self.graph, self._node(id)))

    def generations(self) -> dict[str, int]:
        """Returns the generation of each task: 0 without parents, else one more than its latest parent's."""
        # networkx layers a graph without cycles by exactly this depth.
        return {id: depth for depth, layer in enumerate(nx.topological_generations(self.graph)) for id in sorted(layer)}

    def branch(self, id: str) -> set[str]:
        """Returns a task and its descendants."""
        return {id} | self.descendants(id)

    def taught(self, id: str, policy: str = "") -> float | None:
        """Returns the mean change of the posterior of the solve rate over a branch.

        Args:
            id: where the branch begins.
            policy: the name of the only policy to count, or empty for all.

        Returns:
            The mean of the newest minus the oldest version's posterior mean, over the tasks that at least two
            versions of one policy tried; ``None`` when there is no such task.
        """
        changes = [
            change
            for one in sorted(self.branch(id))
            if one in self._records
            for change in _changes(self._records[one], policy)
        ]
        return sum(changes) / len(changes) if changes else None

    def _node(self, id: str) -> str:
        if id not in self.graph:
            raise InputError(
                f"lineage: expected a task of the ledgers or a parent of one, got {id!r}; propose it first"
            )
        return id


def lineage_from_events(events: Iterable[Event]) -> Lineage:
    """Returns the lineage of every game whose ledger a log holds; other events are left out."""
    ledgers: dict[str, TaskLedger] = {}
    for event in events:
        game = event.fields.get("game")
        if isinstance(game, str):
            ledgers.setdefault(game, TaskLedger(game)).replay([(event.kind, event.fields)])
    return Lineage(*ledgers.values())


def _changes(record: TaskRecord, policy: str) -> list[float]:
    """Returns the change of the posterior mean for each policy that tried a task at two versions or more."""
    means: dict[str, dict[int, float]] = {}
    for tried, posterior in record.posteriors().items():
        if policy in ("", tried.name):
            means.setdefault(tried.name, {})[tried.version] = posterior.mean
    return [by[max(by)] - by[min(by)] for by in means.values() if len(by) > 1]
