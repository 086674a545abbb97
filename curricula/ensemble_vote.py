"""RLCCF (arXiv 2508.12338): several policies label problems together, and who is consistent with itself counts more.

Every seat of ``solve/N-v0`` is played by some policy, every task by a group of episodes. A policy's self-consistency on
a task is the share of its own answers that its own majority has; its answers vote with that weight. Everybody is paid
for agreeing with the weighted majority, so that policies with different mistakes correct each other.

Differs from the paper in that problems are fresh and come from the domain's generator, and that every answer votes,
weighted, where a policy's answers could also vote as one.
"""

from __future__ import annotations

from collections.abc import Sequence

from arena.games.solve import PREFIX, Answer
from curricula.curriculum import curricula
from curricula.majority_vote import MajorityVote
from curricula.voting import vote


@curricula.register("ensemble_vote")
class EnsembleVote(MajorityVote):
    """Pays 1 for agreeing with the majority of all policies, each weighted by its self-consistency.

    Args:
        game: ``solve/N-v0`` with ``params.pay=nothing``.
        seed: the campaign's seed.
        base: the parameters that the campaign gives the game.
        sealed: signatures that may not be posed.
        least: the least difficulty.
        most: the greatest difficulty.
        group_size: the episodes of a task, which the campaign hands over; with 1 nobody could be inconsistent.

    Raises:
        ConfigError: the game has a single seat, or see ``MajorityVote``.
    """

    name: str = "ensemble_vote"
    family: str = f"{PREFIX}/"

    def _weights(self, answers: Sequence[Answer], said: Sequence[str]) -> list[float]:
        """Returns the self-consistency of the policy behind each answer; 0 for one that said nothing."""
        own: dict[str, list[str]] = {}
        for answer, text in zip(answers, said, strict=True):
            own.setdefault(answer.policy.name, []).append(text)
        consistency = {name: agreed.share if (agreed := vote(texts)) else 0.0 for name, texts in own.items()}
        return [consistency[answer.policy.name] for answer in answers]
