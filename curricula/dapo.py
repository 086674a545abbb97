"""DAPO's dynamic sampling (arXiv 2503.14476, section 3.2): train on groups that are neither all right nor all wrong.

Under group-relative advantages a group whose attempts all came out the same has no gradient. Such groups are left out
of training and the round is played on with fresh problems, until as many groups as it asked for are left or its refills
are used up. Right is what the verifier found correct; no shaped reward and no settlement counts. Attempts that it left
undecided are in no count.

Differs from the paper in that the refills of a round are bounded: the paper samples until the batch is full.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from arena.errors import ConfigError
from arena.types import EpisodeGroup, Outcome, Task
from curricula.curriculum import Credit, curricula
from curricula.generated import Generated
from curricula.task_log import answers_of


@curricula.register("dapo")
class DynamicSampling(Generated):
    """Poses what ``generated`` poses, and keeps the groups that are solved sometimes and not always.

    ``metrics`` has ``kept_rate`` too, the share of kept groups among those with a judged attempt, refills included, and
    ``refills_used``.

    Args:
        game: the registered id of the game.
        seed: the campaign's seed.
        base: the parameters that the campaign gives the game.
        sealed: signatures that may not be posed.
        least: the least difficulty.
        most: the greatest difficulty.
        refills: how often a round may be played on, at most.
        group_size: the episodes of a task, which the campaign hands over.

    Raises:
        ConfigError: a number is out of range, or see ``Generated``.
    """

    name: str = "dapo"
    pay: str = "verdict"

    def __init__(
        self,
        game: str,
        seed: int = 0,
        base: Mapping[str, Any] = MappingProxyType({}),
        sealed: frozenset[str] = frozenset(),
        least: int = 1,
        most: int = 5,
        refills: int = 2,
        group_size: int = 2,
    ) -> None:
        super().__init__(game, seed, base, sealed, least, most)
        if refills < 0:
            raise ConfigError(f"dapo.refills: expected a number of at least 0, got {refills}; try 2")
        if group_size < 2:
            raise ConfigError(f"dapo.group_size: expected at least 2 attempts to compare, got {group_size}; raise it")
        self.refills = refills
        self._asked = 0
        self._used = 0

    def propose(self, generator: np.random.Generator, round_index: int, count: int) -> list[Task]:
        """Returns ``count`` fresh problems as tasks; asked again in the same round, those of a refill."""
        if self.log.ledger.round == round_index:
            self._used += 1
        else:
            self._asked, self._used = count, 0
        return super().propose(generator, round_index, count)

    def kept(self, groups: Sequence[EpisodeGroup]) -> list[EpisodeGroup]:
        """Returns the groups with a right and a wrong attempt, in their order."""
        return [group for group in groups if len(set(_judged(group))) == 2]

    def lacking(self, groups: Sequence[EpisodeGroup]) -> int:
        """Returns how many kept groups are missing to what the round asked for."""
        return max(0, self._asked - len(self.kept(groups)))

    def state(self) -> dict[str, Any]:
        """Returns the state of ``Generated``, what the round asked for and its refills so far."""
        return {**super().state(), "asked": self._asked, "used": self._used}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Replaces all of it."""
        super().restore(state)
        self._asked, self._used = int(state["asked"]), int(state["used"])

    def _learn(self, groups: Sequence[EpisodeGroup], credits: Sequence[Credit]) -> dict[str, float]:
        judged = sum(bool(_judged(group)) for group in groups)
        rate = {"kept_rate": len(self.kept(groups)) / judged} if judged else {}
        return {**rate, "refills_used": float(self._used)}


def _judged(group: EpisodeGroup) -> list[bool]:
    """Returns whether each judged attempt was right, those left undecided left out."""
    outcomes = [answer.verdict.outcome for answer in answers_of(group)]
    return [outcome is Outcome.CORRECT for outcome in outcomes if outcome is not Outcome.UNDECIDED]
