"""The contract of a curriculum: which task comes next, and what a task was worth.

Per round the campaign calls, in this order, ``propose`` (tasks to play), ``settle`` (pay that depends on other
episodes or on later rounds, before advantages are estimated) and ``observe`` (what was learnt from them). All state
is in ``state()``: a curriculum that restores it continues exactly. Randomness comes from the generator that the
campaign hands in, never from elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from arena.registry import Registry
from arena.types import EpisodeGroup, Settlement, Task


@dataclass(frozen=True, slots=True, kw_only=True)
class Credit:
    """What an estimator made of one turn of a trained seat.

    Attributes:
        episode_id: the episode.
        seat: who acted.
        ordinal: the seat's own turn, from 0.
        advantage: before any normalisation over the step.
    """

    episode_id: str
    seat: str
    ordinal: int
    advantage: float


@runtime_checkable
class Curriculum(Protocol):
    """Chooses tasks, pays for them, and learns from what became of them.

    Attributes:
        name: the registered name.
    """

    name: str

    def propose(self, generator: np.random.Generator, round_index: int, count: int) -> list[Task]:
        """Returns ``count`` tasks for a round, one per group, with distinct ids.

        Every task is fresh: its seed is ``arena.seeds.task_seed(seed, round_index, index)``.
        """
        ...

    def settle(self, groups: Sequence[EpisodeGroup]) -> list[Settlement]:
        """Returns the pay that is due now; may be empty."""
        ...

    def observe(self, groups: Sequence[EpisodeGroup], credits: Sequence[Credit]) -> None:
        """Learns from the groups of a round and from the advantages of their turns."""
        ...

    def state(self) -> dict[str, Any]:
        """Returns everything that ``propose`` and ``settle`` depend on, as JSON values."""
        ...

    def restore(self, state: Mapping[str, Any]) -> None:
        """Replaces the whole state by one that ``state`` returned."""
        ...


@runtime_checkable
class Recorded(Protocol):
    """What a curriculum offers whose whole state can be rebuilt from events in the log."""

    def drain(self) -> list[tuple[str, dict[str, Any]]]:
        """Returns the events since the last call, for the log."""
        ...


@runtime_checkable
class Measured(Protocol):
    """What a curriculum offers that has rates of its own for every round."""

    def metrics(self) -> dict[str, float]:
        """Returns the rates of the round that was observed last."""
        ...


@runtime_checkable
class Refilling(Protocol):
    """What a curriculum offers that has more groups played in a round when too few of the played ones teach anything.

    Within a round ``propose`` is then called again, with another generator and the count that is lacking; its tasks are
    distinct from all that the round has. The policies train on the kept groups alone, at most as many as the round
    asked for; ``settle`` and ``observe`` get everything that was played.

    Attributes:
        refills: how often a round may be played on, at most.
    """

    refills: int

    def kept(self, groups: Sequence[EpisodeGroup]) -> list[EpisodeGroup]:
        """Returns the groups to train on, in their order: judged attempts neither all right nor all wrong."""
        ...

    def lacking(self, groups: Sequence[EpisodeGroup]) -> int:
        """Returns how many more groups are wanted after all those of the round so far; 0: enough."""
        ...


curricula: Registry[Curriculum] = Registry("curriculum", "curricula")
"""Every registered curriculum, by name (``uniform``)."""
