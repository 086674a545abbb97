"""The values that everything upstream makes and everything downstream reads.

All are frozen and keyword-only. ``Episode`` is the central one: one path of play. A stage that learns more about a
value returns a new type instead of filling in a ``None``.

Words: a *seat* is a position in a game; a *role* is a behaviour; a *policy* is weights; a *player* is a role bound
to a policy; a *return* is an episode's sum, a *reward* is what a rule pays.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

NATURE = "nature"
"""The name under which the environment itself moves (a chance event or a call to a verifier or tool)."""


class Payoff(StrEnum):
    """How the returns of the seats relate."""

    ZERO_SUM = "zero_sum"
    COMMON = "common"
    GENERAL_SUM = "general_sum"


class Status(StrEnum):
    """How an episode ended."""

    COMPLETED = "completed"
    TRUNCATED = "truncated"
    FAILED = "failed"


class Outcome(StrEnum):
    """What a verifier found."""

    CORRECT = "correct"
    WRONG = "wrong"
    INVALID = "invalid"
    UNDECIDED = "undecided"


class Tag(StrEnum):
    """What kind of policy sits in a seat: the one being trained, an earlier snapshot, a fixed one, or a script."""

    LIVE = "live"
    PAST = "past"
    FROZEN = "frozen"
    SCRIPTED = "scripted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What a game offers beyond being played.

    Attributes:
        fork: states may be copied and continued on several branches.
        enumerate: every chance outcome and legal action can be listed, so the game can be solved exactly.
        deterministic: the same task and actions give the same episode.
        state_text: ``state_text`` shows the whole state to a person.
    """

    fork: bool = True
    enumerate: bool = True
    deterministic: bool = True
    state_text: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class IllegalRule:
    """What a game does with an illegal or missing action.

    Attributes:
        kind: ``retry`` (the seat is asked again, up to ``retries`` times, then forfeits), ``penalise`` (the seat
            pays ``penalty`` and a legal action drawn from the task's own randomness is played for it), ``forfeit`` (the
            game ends; the seat gets the low end of ``returns_range``) or ``blank`` (free text only: the game receives
            an empty text and goes on, so that one seat's bad answer never ends its siblings' attempts).
        retries: how often a seat may be asked again in one turn.
        penalty: what one illegal action costs. In a zero-sum game it is paid to the opponents in equal parts.
    """

    kind: str = "forfeit"
    retries: int = 0
    penalty: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class GameSpec:
    """What samplers, estimators and evaluations may know about a game without playing it.

    Attributes:
        name: snake_case, without the version.
        version: raised by any change that can change results.
        seats: the names of the seats, in canonical order.
        payoff: how the seats' returns relate; checked on every episode.
        max_turns: the most turns (own moves of any seat) of an episode; past it the episode is truncated.
        returns_range: the least and the greatest return of any seat.
        actions: every action of a finite game, in canonical order; ``None`` means free text.
        capabilities: what else the game offers.
        illegal: what happens to an illegal or missing action; a campaign may override it.
        summary: one line for people.
        text_bytes: the length of the uint8 box in which a text travels through PettingZoo (UTF-8, zero padded).
        params: the parameters that tasks may set, with their defaults; a task with another name is refused.
    """

    name: str
    version: int
    seats: tuple[str, ...]
    payoff: Payoff
    max_turns: int
    returns_range: tuple[float, float]
    actions: tuple[str, ...] | None
    capabilities: Capabilities = Capabilities()
    illegal: IllegalRule = IllegalRule()
    summary: str = ""
    text_bytes: int = 1024
    params: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def id(self) -> str:
        """The registered name, for example ``kuhn_poker-v0``."""
        return f"{self.name}-v{self.version}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One thing to play or to solve: the level, the problem, the conjecture.

    Attributes:
        game: the registered id of the game, version included.
        params: what shapes the task; JSON values only.
        seed: the root of every chance event of the task.
        author: who made it (provenance; not part of ``id``).
        parents: the ids of the tasks it was made from (provenance; not part of ``id``).
    """

    game: str
    params: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    author: str = ""
    parents: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """16 hex digits of the hash of game (with version), params and seed."""
        text = json.dumps([self.game, dict(self.params), self.seed], sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What one seat may know at one decision, and nothing else.

    Attributes:
        seat: who observes.
        text: what is new for this seat, in words.
        legal_actions: the legal actions of a finite game in canonical order, or ``None`` for free text.
        information_key: the name of the seat's information set; equal exactly when the seat cannot tell apart.
    """

    seat: str
    text: str
    legal_actions: tuple[str, ...] | None
    information_key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """A parsed answer: the action that the environment receives."""

    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NotUnderstood:
    """An answer that held no action, and why (``no_action``, ``empty``, ``too_long``, ...)."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class PolicyId:
    """A policy's name and version; versions count optimiser rounds and never repeat."""

    name: str
    version: int = 0

    def __str__(self) -> str:
        """Reads ``player@12``."""
        return f"{self.name}@{self.version}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How tokens were drawn."""

    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int = 0
    max_tokens: int = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """The tokens that an engine sampled: the truth at sampling, never re-tokenised.

    Attributes:
        id: unique in the run; derived from the episode, the seat and the ordinal.
        prompt_ids: the prompt, ``[P]``.
        token_ids: the sampled tokens, ``[C]``, the end token included when it was sampled.
        logprobs: log-probability of each token under the distribution really sampled, ``[C]``.
        support: for each token the ids that were allowed, or ``None`` when the whole vocabulary was.
        text: ``token_ids`` decoded, without the end token.
        finish_reason: ``stop``, ``length`` or ``abort``.
        policy: the policy that sampled.
        sampling: how.
        version_spans: ``((first token, version), ...)``; more than one when weights changed midway.
    """

    id: str
    prompt_ids: tuple[int, ...]
    token_ids: tuple[int, ...]
    logprobs: tuple[float, ...]
    support: tuple[tuple[int, ...], ...] | None
    text: str
    finish_reason: str
    policy: PolicyId
    sampling: Sampling
    version_spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One decision of one seat.

    Attributes:
        seat: who acted.
        env_step: the step of the environment; simultaneous seats share it.
        ordinal: counts this seat's own turns from 0.
        observation: what the seat was shown.
        completion: the sampled tokens, or ``None`` for a scripted or human player.
        action: what the environment received, or ``None`` when the answer was not understood.
        reason: why an answer was not understood or not legal; empty otherwise.
        legal: whether the action was legal.
        reward: what accrued to the seat from this turn on, up to its next own turn.
        node_id: equal exactly when the joint history is.
        anchor_key: the seat's information key.
        produced_task: the id of a task that this turn wrote, or empty.
        attempted_task: the id of the task that this turn tried to solve, or empty.
    """

    seat: str
    env_step: int
    ordinal: int
    observation: Observation
    completion: Completion | None
    action: str | None
    reason: str
    legal: bool
    reward: float
    node_id: str
    anchor_key: str
    produced_task: str = ""
    attempted_task: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatPlan:
    """Who sits in a seat of one episode."""

    policy: PolicyId
    role: str
    tag: Tag


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRecord:
    """A request that a game made of a verifier, tool or judge, and the answer it got."""

    ply: int
    kind: str
    request: str
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """One path of play.

    Attributes:
        id: derived from (round, index); never from the clock.
        task: what was played.
        group_id: episodes of one group share a task and are scheduled and mini-batched together.
        round: the round of the campaign.
        lineup: who sat where.
        turns: in the order in which they were taken.
        returns: the sum of rewards by seat; ``None`` for a seat that a verifier left unjudged.
        status: how it ended.
        reason: why, when it did not simply complete (``forfeit:first``, ``max_turns``, ``raised:...``).
        parent: the episode that this one was forked from, or empty.
        fork_turn: the turn at which it was forked, or -1.
        calls: requests to verifiers and tools with their answers, so that a replay needs neither.
        prompt_tokens: tokens read by the policies.
        completion_tokens: tokens sampled by the policies.
    """

    id: str
    task: Task
    group_id: str
    round: int
    lineup: Mapping[str, SeatPlan]
    turns: tuple[Turn, ...]
    returns: Mapping[str, float | None]
    status: Status
    reason: str = ""
    parent: str = ""
    fork_turn: int = -1
    calls: tuple[CallRecord, ...] = ()
    prompt_tokens: int = 0
    completion_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeGroup:
    """Episodes of one task: the unit of scheduling, failure and mini-batching."""

    group_id: str
    episodes: tuple[Episode, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A verifier's answer. UNDECIDED never becomes a reward of 0: the attempt leaves the statistics."""

    outcome: Outcome
    detail: str = ""
    verifier: str = ""
    version: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settlement:
    """Pay that depends on other episodes or on later rounds: learnability, votes, regret, measured progress.

    Attributes:
        episode_id: whose turn is paid.
        seat: which seat.
        turn: the seat's own ordinal, or ``None`` for the whole episode.
        terms: named parts; their sum is the pay.
        formula: the rule and its version.
        round: when it was paid.
    """

    episode_id: str
    seat: str
    turn: int | None
    terms: Mapping[str, float]
    formula: str
    round: int
