"""What the uniform player saw and could have said: the only thing that ludus-tiny's warm start is shown.

Games are played at random by their own rules. Each distinct prompt is kept once with all its legal answers, so that
training can use the exact expectation over the uniform player's answers instead of the ones it happened to draw. No
returns are looked at: nothing about strategy can leak.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from arena.aec import GameEnv, env
from arena.errors import CapabilityError
from arena.foreign.env import ForeignEnv
from arena.game import Game, games
from arena.seeds import generator
from arena.types import Action, Observation, Task, Turn
from roles.role import Role


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """One distinct prompt of a game and every legal answer to it.

    Attributes:
        game: the registered id.
        messages: ``(role, content)`` of each message of the prompt.
        answers: the text of each legal answer, in the game's order of actions.
    """

    game: str
    messages: tuple[tuple[str, str], ...]
    answers: tuple[str, ...]


def sights(tasks: Sequence[Task], role: Role, plays: int, seed: int) -> list[Sight]:
    """Returns the distinct sights of ``plays`` random plays of each task's game, in order of first appearance.

    Raises:
        UnknownNameError: a game is not registered.
        CapabilityError: a game has free-text actions or calls a verifier.
    """
    seen: dict[Sight, None] = {}
    for index, task in enumerate(tasks):
        game = games.make(task.game)
        if game.spec.actions is None:
            raise CapabilityError(
                f"warm start: expected games with finite actions, got {task.game} with free text; "
                "choose a Hugging Face model directory for it"
            )
        world = env(game)
        for play in range(plays):
            random = generator("transcript", seed, index, play)
            dealt = replace(task, seed=int(random.integers(1 << 62)))
            world.reset(options={"task": dealt})
            seen.update(dict.fromkeys(_play(world, role, random)))
    return list(seen)


def _play(world: GameEnv | ForeignEnv, role: Role, random: np.random.Generator) -> Iterator[Sight]:
    turns: list[Turn] = []
    while world.status is None:
        if world.pending_call is not None:
            raise CapabilityError(
                f"warm start: expected a game without calls, got {world.spec.id}, which calls a verifier; "
                "choose a Hugging Face model directory for it"
            )
        seat = world.agent_selection
        if world.terminations[seat] or world.truncations[seat]:
            world.step(None)
            continue
        observation: Observation = world.infos[seat]["observation"]
        legal = observation.legal_actions or ()
        yield _sight(world.game, role, observation, turns)
        action = legal[int(random.integers(len(legal)))]
        turns.append(_turn(observation, action, world, turns))
        world.step(Action(value=action))


def _sight(game: Game[Any], role: Role, observation: Observation, turns: Sequence[Turn]) -> Sight:
    own = [turn for turn in turns if turn.seat == observation.seat]
    messages = role.messages(game, observation, own)
    answers = role.answers(observation) or {}
    return Sight(
        game=game.spec.id,
        messages=tuple((message["role"], message["content"]) for message in messages),
        answers=tuple(answers.values()),
    )


def _turn(observation: Observation, action: str, world: GameEnv | ForeignEnv, turns: Sequence[Turn]) -> Turn:
    return Turn(
        seat=observation.seat,
        env_step=world.env_step,
        ordinal=sum(turn.seat == observation.seat for turn in turns),
        observation=observation,
        completion=None,
        action=action,
        reason="",
        legal=True,
        reward=0.0,
        node_id=world.node_id,
        anchor_key=observation.information_key,
    )
