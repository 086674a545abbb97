"""The local runtime: play in this process, one chunk after another.

A chunk has a fixed size and canonical order, so the composition of every batch, and with it every bit of a sample,
is a function of the plan alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from arena.types import Episode, EpisodeGroup
from training.campaign_game import CampaignGame
from training.samplers.sampler import EpisodePlan


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """What a runtime hands over: groups of one or more games, in canonical order."""

    groups: Mapping[str, Sequence[EpisodeGroup]]


class LocalRuntime:
    """Plays chunks in this process; synchronous, so a round is one batch.

    Args:
        games: the games of the campaign.
        chunk_episodes: episodes played side by side.
    """

    def __init__(self, games: Mapping[str, CampaignGame], chunk_episodes: int) -> None:
        self._games = games
        self._chunk = chunk_episodes

    def batches(self, plans: Mapping[str, Sequence[EpisodePlan]]) -> Iterator[Batch]:
        """Yields the episodes of a round, after all of them are over."""
        yield Batch(groups={name: _grouped(self.play(name, planned)) for name, planned in plans.items()})

    def play(self, name: str, plans: Sequence[EpisodePlan]) -> list[Episode]:
        """Returns the episodes of one game, in the order of their plans."""
        entry = self._games[name]
        episodes: list[Episode] = []
        for start in range(0, len(plans), self._chunk):
            episodes += entry.sampler.play(plans[start : start + self._chunk], entry.open_env, entry.verifier)
            entry.return_envs()
        return episodes


def _grouped(episodes: Sequence[Episode]) -> list[EpisodeGroup]:
    groups: dict[str, list[Episode]] = {}
    for episode in episodes:
        groups.setdefault(episode.group_id, []).append(episode)
    return [EpisodeGroup(group_id=name, episodes=tuple(members)) for name, members in groups.items()]
