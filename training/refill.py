"""Playing a round on until enough of its groups teach something (DAPO's dynamic sampling, arXiv 2503.14476).

A round whose curriculum is ``Refilling`` is played on, with fresh tasks, while groups are lacking and refills are left.
What was played stays: the log, the metrics and the curriculum see all of it. The policies see the kept groups alone, at
most as many as the round asked for. Every refill is a function of (seed, round, refill) and of what was played before,
so a resumed round plays it again bit for bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from arena.types import EpisodeGroup
from curricula.curriculum import Refilling
from training.campaign_game import CampaignGame
from training.runtimes.local import Batch, LocalRuntime
from training.samplers.sampler import EpisodePlan

Groups = Mapping[str, Sequence[EpisodeGroup]]
"""Groups by game."""


class Propose(Protocol):
    """Plans further episodes of the round in progress."""

    def __call__(self, name: str, episodes: int, first: int, refill: int) -> list[EpisodePlan]:
        """Returns plans of a game for a refill, numbered from ``first`` on."""
        ...


def refilled(
    batches: Iterable[Batch], games: Mapping[str, CampaignGame], runtime: LocalRuntime, propose: Propose, first: int
) -> list[tuple[Batch, Groups]]:
    """Returns each batch with all that was played for it, and the groups of it to train on.

    Args:
        batches: what the round played first.
        games: the games of the campaign.
        runtime: plays.
        propose: plans further episodes.
        first: how many episodes the round has planned so far; further ones are numbered on from there.
    """
    filled: list[tuple[Batch, Groups]] = []
    for batch in batches:
        played: dict[str, Sequence[EpisodeGroup]] = dict(batch.groups)
        kept: dict[str, Sequence[EpisodeGroup]] = dict(batch.groups)
        for name, groups in batch.groups.items():
            curriculum = games[name].curriculum
            if not isinstance(curriculum, Refilling):
                continue
            whole = list(groups)
            for refill in range(1, curriculum.refills + 1):
                lacking = curriculum.lacking(whole)
                if lacking <= 0:
                    break
                plans = propose(name, lacking * games[name].group_size, first, refill)
                first += len(plans)
                whole += [group for more in runtime.batches({name: plans}) for group in more.groups[name]]
            played[name], kept[name] = whole, curriculum.kept(whole)[: len(groups)]
        filled.append((Batch(groups=played), kept))
    return filled
