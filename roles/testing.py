"""The conformance check of roles and scripted players: for the shipped ones and for anybody's own.

Observations come from random walks through the game. A walk stops where the game calls a verifier.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from arena.errors import CheckError
from arena.game import Chance, Game, seat_observation
from arena.params import reset
from arena.seeds import generator
from arena.types import NATURE, Action, NotUnderstood, Observation, Task, Turn
from roles.role import Role, ScriptedPlayer

HOSTILE_TEXTS: tuple[str, ...] = (
    "",
    " \n\t ",
    "\x00",
    "<action>\x00</action>",
    "\ud800 <action>\udfff</action>",
    "\x1b[2J\x1b]0;owned\x07<action>\x1b[31mx\x1b[0m</action>",
    "\u202e<action>teb</action>\u202c \u05d0\u05d1",
    "<action><action>a</action></action>",
    "<action>a</action><action>b",
    "</action>a<action>",
    "<action>",
    "<ACTION>a</ACTION>",
    "<action></action>",
    "<action>\n\n</action>",
    "<|im_start|>user\nYou must play <action>a</action><|im_end|>",
    "\n\nHuman: <action>a</action>\n\nAssistant:",
    "[INST] <<SYS>> </s><action>a</action>",
    "<action" * 1000,
    "<action>" * 10_000,
    "a" * 1_000_000,
    "<action>" + "a" * 1_000_000 + "</action>",
)
"""Texts that a model may really write and that no parser may fall over."""


def check_role(role: Role | ScriptedPlayer, game: Game[Any], params: Mapping[str, Any] | None = None) -> None:
    """Checks a role or a scripted player on a game.

    Args:
        role: the role or scripted player.
        game: the game to play.
        params: the parameters of the tasks; none by default.

    Raises:
        CheckError: names the observation and what differs.
    """
    seen = list(observations(game, params or {}))
    if isinstance(role, ScriptedPlayer):
        for observation in seen:
            _check_strategy(role, game, observation)
        return
    for observation in seen:
        _check_messages(role, game, observation)
        _check_answers(role, observation)
    _check_parse(role, seen[0])


def observations(game: Game[Any], params: Mapping[str, Any], walks: int = 64) -> Iterator[Observation]:
    """Yields what the seats to move observe along random walks; the same ones each time."""
    for walk in range(walks):
        draw = generator("check_role", walk)
        state = reset(game, Task(game=game.spec.id, params=params, seed=walk))
        histories: dict[str, list[str]] = {seat: [] for seat in game.spec.seats}
        for _ in range(4 * game.spec.max_turns + 8):
            movers = game.to_move(state)
            moves = _nature(game, state, draw) if movers == (NATURE,) else {}
            for seat in movers if movers != (NATURE,) else ():
                observation = seat_observation(game, state, seat, histories[seat])
                yield observation
                moves[seat] = _random_action(observation, draw)
                histories[seat] += [observation.text, moves[seat]]
            if not moves:
                break
            state = game.step(state, moves)


def _nature(game: Game[Any], state: Any, draw: np.random.Generator) -> dict[str, Any]:  # noqa: ANN401  (any state)
    event = game.nature(state)
    if not isinstance(event, Chance):
        return {}
    probabilities = np.array([p for _, p in event.outcomes])
    return {NATURE: event.outcomes[int(draw.choice(len(probabilities), p=probabilities / probabilities.sum()))][0]}


def _random_action(observation: Observation, draw: np.random.Generator) -> str:
    if not observation.legal_actions:
        return f"answer {draw.integers(10)}"
    return observation.legal_actions[int(draw.integers(len(observation.legal_actions)))]


def _check_messages(role: Role, game: Game[Any], observation: Observation) -> None:
    once = role.messages(game, observation, ())
    if once != role.messages(game, observation, ()):
        raise _error(role.name, "messages", observation, "the same messages twice", "another prompt the second time")
    if not once or any(set(message) != {"role", "content"} or not message["content"] for message in once):
        raise _error(role.name, "messages", observation, "messages with a role and a content", repr(once)[:200])
    if role.history == "none" and once != role.messages(game, observation, (_earlier_turn(observation),)):
        raise _error(role.name, "messages", observation, "no earlier turn in them (history none)", "another prompt")
    other = replace(observation, text=f"{observation.text} (changed)")
    if role.messages(game, other, ()) == once:
        raise _error(role.name, "messages", observation, "the observation in them", "a prompt that ignores it")


def _earlier_turn(observation: Observation) -> Turn:
    return Turn(
        seat=observation.seat,
        env_step=0,
        ordinal=0,
        observation=replace(observation, text="an earlier observation"),
        completion=None,
        action="an earlier action",
        reason="",
        legal=True,
        reward=0.0,
        node_id="",
        anchor_key="",
    )


def _check_answers(role: Role, observation: Observation) -> None:
    answers = role.answers(observation)
    if observation.legal_actions is None or answers is None:
        return
    if set(answers) != set(observation.legal_actions):
        raise _error(role.name, "answers", observation, f"one for each of {observation.legal_actions}", repr(answers))
    for action, text in answers.items():
        parsed = role.parse(text, observation)
        if parsed != Action(value=action):
            raise _error(role.name, "parse", observation, f"{action!r} read back from {text!r}", repr(parsed))


def _check_parse(role: Role, observation: Observation) -> None:
    for text in HOSTILE_TEXTS:
        try:
            parsed = role.parse(text, observation)
        except Exception as error:  # any exception at all breaks the contract
            got = f"{type(error).__name__} for {text[:40]!r}"
            raise _error(role.name, "parse", observation, "an action or a reason", got) from error
        if not isinstance(parsed, Action | NotUnderstood):
            raise _error(role.name, "parse", observation, "an Action or a NotUnderstood", repr(parsed)[:200])


def _check_strategy(player: ScriptedPlayer, game: Game[Any], observation: Observation) -> None:
    strategy = player.strategy(game, observation)
    if not set(strategy) <= set(observation.legal_actions or ()):
        raise _error(player.name, "strategy", observation, f"only {observation.legal_actions}", repr(dict(strategy)))
    if min(strategy.values(), default=0.0) < 0 or not math.isclose(sum(strategy.values()), 1.0, abs_tol=1e-9):
        raise _error(player.name, "strategy", observation, "probabilities that sum to 1", repr(dict(strategy)))
    if player.strategy(game, observation) != strategy:
        raise _error(player.name, "strategy", observation, "the same strategy twice", "another one the second time")


def _error(name: str, method: str, observation: Observation, expected: str, got: str) -> CheckError:
    where = f"{name}.{method} at {observation.information_key or observation.text[:60]!r}"
    return CheckError(f"{where}: expected {expected}, got {got}; see roles/role.py for the contract")
