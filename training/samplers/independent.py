"""Independent sampling: every episode is played on its own, many side by side.

The sampler drives the PettingZoo AEC API only, so a foreign environment plays like one of ours. In each turn of the
loop every unfinished table either takes its dead steps, waits for a verdict, or asks its next player; all requests of
one engine go out in one batch, all pending calls in another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from pettingzoo import AECEnv

from arena.errors import CapabilityError, GameError
from arena.game import Verifier
from arena.seeds import derive
from arena.types import (
    Action,
    Completion,
    Episode,
    NotUnderstood,
    Observation,
    Status,
    Turn,
)
from roles.scripted import act
from training.engines.engine import Engine, Request
from training.players import ModelPlayer
from training.samplers.sampler import EnvFactory, EpisodePlan, samplers


@dataclass(slots=True, kw_only=True)
class _Draft:
    """A turn whose reward is not known yet."""

    seat: str
    env_step: int
    ordinal: int
    observation: Observation
    completion: Completion | None
    action: str | None
    reason: str
    legal: bool
    node_id: str
    reward: float = 0.0

    def turn(self) -> Turn:
        return Turn(
            seat=self.seat,
            env_step=self.env_step,
            ordinal=self.ordinal,
            observation=self.observation,
            completion=self.completion,
            action=self.action,
            reason=self.reason,
            legal=self.legal,
            reward=self.reward,
            node_id=self.node_id,
            anchor_key=self.observation.information_key,
        )


@dataclass(slots=True, kw_only=True)
class _Table:
    """One episode being played."""

    plan: EpisodePlan
    env: AECEnv[str, Any, Any]
    drafts: list[_Draft] = field(default_factory=list)
    latest: dict[str, _Draft] = field(default_factory=dict)
    returns: dict[str, float | None] = field(default_factory=dict)
    failure: str = ""
    dealt: bool = False

    @property
    def world(self) -> Any:  # noqa: ANN401 - the attributes that our environments and the foreign wrapper share
        return self.env.unwrapped

    @property
    def over(self) -> bool:
        return bool(self.failure) or not self.env.agents


@samplers.register("independent")
class IndependentSampler:
    """Plays every episode from its start to its end, on one path."""

    name = "independent"
    forks = False

    def play(self, plans: Sequence[EpisodePlan], open_env: EnvFactory, verifier: Verifier | None) -> list[Episode]:
        """Returns the episodes of one chunk, in the order of their plans."""
        tables = [_open(plan, open_env()) for plan in plans]
        running = [table for table in tables if not table.over]
        while running:
            _answer_calls(running, verifier)
            asked = [(table, agent) for table in running if (agent := _advance(table))]
            _take_turns(asked)
            running = [table for table in running if not table.over]
        return [_episode(table) for table in tables]


def _open(plan: EpisodePlan, env: AECEnv[str, Any, Any]) -> _Table:
    table = _Table(plan=plan, env=env)
    try:
        env.reset(seed=plan.task.seed % 2**31, options={"task": plan.task})
        table.dealt = True
    except GameError as error:
        table.failure = f"raised: {error}"
    table.returns = dict.fromkeys(plan.lineup, 0.0)
    return table


def _answer_calls(tables: Sequence[_Table], verifier: Verifier | None) -> None:
    """Checks the pending calls of all tables in one batch, until none is pending."""
    while waiting := [table for table in tables if not table.over and table.world.pending_call is not None]:
        if verifier is None:
            raise CapabilityError(
                f"sampler: expected a verifier for {waiting[0].plan.task.game}, got none; name one in the campaign"
            )
        verdicts = verifier.check([table.world.pending_call for table in waiting])
        for table, verdict in zip(waiting, verdicts, strict=True):
            try:
                table.world.resolve(verdict)
            except GameError as error:
                table.failure = f"raised: {error}"


def _advance(table: _Table) -> str:
    """Takes dead steps and credits rewards; returns the seat to ask now, or nothing."""
    while not table.over and table.world.pending_call is None:
        seat: str = table.env.agent_selection
        _, reward, terminated, truncated, info = table.env.last(observe=False)
        _credit(table, seat, float(reward), bool(info.get("undecided")))
        if not (terminated or truncated):
            return seat
        _step(table, None)
    return ""


def _credit(table: _Table, seat: str, reward: float, undecided: bool) -> None:
    total = table.returns[seat]
    table.returns[seat] = None if undecided or total is None else total + reward
    if seat in table.latest:
        table.latest[seat].reward += reward


def _step(table: _Table, action: Any) -> None:  # noqa: ANN401 - whatever the environment's action space holds
    try:
        table.env.step(action)
    except GameError as error:
        table.failure = f"raised: {error}"


def _take_turns(asked: Sequence[tuple[_Table, str]]) -> None:
    """Asks every seat, in one batch for each engine, and steps every table."""
    completions = _complete(asked)
    for index, (table, seat) in enumerate(asked):
        player = table.plan.players[seat]
        observation: Observation = table.env.infos[seat]["observation"]
        completion = completions.get(index)
        if isinstance(player, ModelPlayer):
            assert completion is not None  # _complete asked every model player
            answer = player.read(completion, observation)
        else:
            generator = np.random.Generator(np.random.PCG64(_turn_seed(table, seat)))
            answer = Action(value=act(player, table.world.game, observation, generator))
        _play(table, seat, observation, completion, answer)


def _complete(asked: Sequence[tuple[_Table, str]]) -> dict[int, Completion]:
    batches: dict[int, tuple[Engine, list[int], list[Request]]] = {}
    for index, (table, seat) in enumerate(asked):
        player = table.plan.players[seat]
        if isinstance(player, ModelPlayer):
            observation = table.env.infos[seat]["observation"]
            history = [draft.turn() for draft in table.drafts] if player.role.history != "none" else []
            name = f"{table.plan.id}/{seat}/{_ordinal(table, seat)}"
            request = player.request(table.world.game, observation, history, name, _turn_seed(table, seat))
            _, indices, requests = batches.setdefault(id(player.engine), (player.engine, [], []))
            indices.append(index)
            requests.append(request)
    completions: dict[int, Completion] = {}
    for engine, indices, requests in batches.values():
        completions.update(zip(indices, engine.generate(requests), strict=True))
    return completions


def _ordinal(table: _Table, seat: str) -> int:
    return table.latest[seat].ordinal + 1 if seat in table.latest else 0


def _turn_seed(table: _Table, seat: str) -> int:
    return derive("turn", table.plan.seeds[seat], _ordinal(table, seat))


def _play(
    table: _Table,
    seat: str,
    observation: Observation,
    completion: Completion | None,
    answer: Action | NotUnderstood,
) -> None:
    world = table.world
    draft = _Draft(
        seat=seat,
        env_step=world.env_step,
        ordinal=_ordinal(table, seat),
        observation=observation,
        completion=completion,
        action=answer.value if isinstance(answer, Action) else None,
        reason="",
        legal=True,
        node_id=world.node_id,
    )
    table.drafts.append(draft)
    table.latest[seat] = draft
    _step(table, answer)
    if table.failure:
        draft.legal, draft.reason = False, table.failure
        return
    info = table.env.infos.get(seat)
    if info is not None:
        draft.legal, draft.reason = bool(info["legal"]), str(info["reason"])


def _episode(table: _Table) -> Episode:
    plan = table.plan
    completions = [draft.completion for draft in table.drafts if draft.completion is not None]
    status = Status.FAILED if table.failure else table.world.status
    return Episode(
        id=plan.id,
        task=plan.task,
        group_id=plan.group_id,
        round=plan.round,
        lineup=plan.lineup,
        turns=tuple(draft.turn() for draft in table.drafts),
        returns=dict.fromkeys(plan.lineup) if table.failure else table.returns,
        status=status,
        reason=table.failure or table.world.reason,
        calls=tuple(table.world.calls) if table.dealt else (),
        prompt_tokens=sum(len(c.prompt_ids) for c in completions),
        completion_tokens=sum(len(c.token_ids) for c in completions),
    )
