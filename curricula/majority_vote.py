"""TTRL (arXiv 2504.16084): the majority of a group's answers is the label, and who agrees with it is paid.

Problems come from the domain's generator; their solutions are not used. The group of a task is the paper's set of
samples. The canonical texts of answers are counted (``Domain.canonical_answer``); of two answers with as many votes
the first in alphabetical order is the label, and the vote's formula in the log ends in ``/tie``. The verdicts of the
verifier measure the labels (``label_accuracy``) and pay nobody.

Differs from the paper in that the votes are the training samples themselves (the paper may draw more votes than it
trains on), and that problems are fresh in each round, where the paper trains on a fixed test set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from arena.errors import ConfigError, InputError
from arena.games.solve import Answer
from arena.types import EpisodeGroup, Settlement
from curricula.curriculum import Credit, curricula
from curricula.generated import Generated
from curricula.task_log import answers_of
from curricula.vote_rates import VoteRates
from curricula.voting import vote


@curricula.register("majority_vote")
class MajorityVote(Generated):
    """Pays 1 for agreeing with the majority of one's group, and 0 for anything else.

    ``metrics`` has the rates of the votes too (``VoteRates``).

    Args:
        game: ``solve-v0`` with ``params.pay=nothing``.
        seed: the campaign's seed.
        base: the parameters that the campaign gives the game.
        sealed: signatures that may not be posed.
        least: the least difficulty.
        most: the greatest difficulty.
        group_size: the episodes of a task, which the campaign hands over.

    Raises:
        ConfigError: the game is of another family, the group has fewer than two members, or see ``Generated``.
    """

    name: str = "majority_vote"
    pay: str = "nothing"
    family: str = ""
    """What the game's name must begin with; empty: anything."""

    def __init__(
        self,
        game: str,
        seed: int = 0,
        base: Mapping[str, Any] = MappingProxyType({}),
        sealed: frozenset[str] = frozenset(),
        least: int = 1,
        most: int = 5,
        group_size: int = 2,
    ) -> None:
        if not game.startswith(self.family):
            raise ConfigError(
                f"{self.name}: expected a game with a seat for each policy, got {game}; set game={self.family}2-v0"
            )
        if group_size < 2:
            raise ConfigError(f"{self.name}.group_size: expected at least 2 for a vote, got {group_size}; raise it")
        super().__init__(game, seed, base, sealed, least, most)
        self._votes = VoteRates()

    def settle(self, groups: Sequence[EpisodeGroup]) -> list[Settlement]:
        """Returns what each answer is paid.

        Raises:
            InputError: a group has a single episode.
        """
        settlements = []
        for group in groups:
            if len(group.episodes) < 2:
                raise InputError(
                    f"{self.name}.settle: expected groups of at least 2 episodes, got 1 in {group.group_id}; raise "
                    "group_size"
                )
            answers = answers_of(group)
            if len(answers) >= 2:
                settlements += self._paid(group, answers)
        return settlements

    def _weights(self, answers: Sequence[Answer], said: Sequence[str]) -> list[float]:
        """Returns the weight of each vote; here 1."""
        return [1.0] * len(said)

    def _paid(self, group: EpisodeGroup, answers: Sequence[Answer]) -> list[Settlement]:
        said = [self._source.domain.canonical_answer(answer.text) for answer in answers]
        agreed = vote(said, self._weights(answers, said))
        self._votes.add(agreed, said, [answer.verdict for answer in answers])
        if agreed is None:
            return []
        return [
            Settlement(
                episode_id=answer.episode,
                seat=answer.seat,
                turn=None,
                terms={"agreement": float(text == agreed.label)},
                formula=f"{self.name}-v1/n={len(said)}{'/tie' if agreed.tied else ''}",
                round=group.episodes[0].round,
            )
            for answer, text in zip(answers, said, strict=True)
        ]

    def _learn(self, groups: Sequence[EpisodeGroup], credits: Sequence[Credit]) -> dict[str, float]:
        rates, self._votes = self._votes.rates(), VoteRates()
        return rates
