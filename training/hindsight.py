"""Hindsight: a wrong answer is a right answer to some other problem, and is trained as that (arXiv 1707.01495).

Where answers have verified steps, each verified stretch of an attempt solves the part of the problem that it covers.
Its prompt is not the one that was sampled from, so its row is a replaced context without behaviour log-probabilities,
and only objectives that need none accept it. Parts that fall into the sealed set are left out, and counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from arena.actions import delimited
from arena.domains.domain import Attempt, Problem, domains
from arena.domains.verifier import DomainVerifier
from arena.games.propose_solve import PROPOSER, read_proposed
from arena.games.solve import Solve, posed, read_answers
from arena.types import Episode, EpisodeGroup, Outcome, Status, Tag
from roles.role import Role
from training.campaign_game import CampaignGame
from training.rendering import Renderer
from training.rows import Row

CONTEXT = "replaced(hindsight)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hindsight:
    """The rows of a round, by policy, and how many were left out because they were sealed."""

    rows: dict[str, list[Row]]
    sealed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """An attempt of a trained seat, with what it takes to write a row."""

    policy: str
    seat: str
    group_id: str
    attempt: Attempt


def hindsight(entry: CampaignGame, groups: Sequence[EpisodeGroup]) -> Hindsight:
    """Returns one row for each verified stretch of the attempts of trained solvers.

    Args:
        entry: the game; ``entry.hindsight`` says how much a row weighs and how difficult its problem must be.
        groups: the episodes of a round.
    """
    weight, domain_name = entry.hindsight.weight, entry.params.get("domain")
    if not weight or domain_name is None or not isinstance(entry.verifier, DomainVerifier):
        return Hindsight(rows={})
    domain = domains.make(domain_name)
    said = [one for group in groups for episode in group.episodes for one in _attempts(episode)]
    found = entry.verifier.open(domain_name).hindsight([one.attempt for one in said])
    rows: dict[str, list[Row]] = {}
    sealed = 0
    for one, stretches in zip(said, found, strict=True):
        policy = entry.policies[one.policy]
        for stretch in stretches:
            if domain.difficulty(stretch.problem) < entry.hindsight.least_difficulty:
                continue
            if domain.signature(stretch.problem) in entry.sealed:
                sealed += 1
                continue
            row = _row(domain_name, stretch, entry.roles[one.seat], policy.renderer, one.group_id, weight)
            rows.setdefault(one.policy, []).append(row)
    return Hindsight(rows=rows, sealed=sealed)


def _attempts(episode: Episode) -> Iterator[_Said]:
    """Yields the judged answers of the trained solvers of an episode."""
    problem = _problem(episode)
    if episode.status is Status.FAILED or problem is None:
        return
    for answer in read_answers(episode):
        plan = episode.lineup[answer.seat]
        if plan.tag is not Tag.LIVE or not answer.text or answer.verdict.outcome is Outcome.UNDECIDED:
            continue
        attempt = Attempt(problem=problem, answer=answer.text)
        yield _Said(policy=plan.policy.name, seat=answer.seat, group_id=episode.group_id, attempt=attempt)


def _problem(episode: Episode) -> Problem | None:
    own: Any = episode.task.params.get("problem")
    if own or PROPOSER not in episode.lineup:
        return own or None
    return read_proposed(episode).problem


def _row(domain: str, attempt: Attempt, role: Role, renderer: Renderer, group_id: str, weight: float) -> Row:
    game = Solve()
    prompt = renderer.prompt(role.messages(game, posed(game, domain, attempt.problem), ()))
    answer = renderer.answer(delimited(attempt.answer))
    return Row(
        ids=prompt + answer,
        mask=(False,) * len(prompt) + (True,) * len(answer),
        support=None,
        behaviour_logprobs=None,
        unit=-1,
        group_id=group_id,
        advantage=weight,
        context=CONTEXT,
    )
