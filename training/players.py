"""Players: a role bound to a policy and the engine that samples from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from arena.game import Game
from arena.types import Action, Completion, NotUnderstood, Observation, PolicyId, Sampling, Turn
from roles.role import Role, ScriptedPlayer
from training.engines.engine import Engine, Request
from training.rendering import Renderer


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPlayer:
    """A role that speaks through a loaded policy.

    Attributes:
        role: what it says and how its answers are read.
        policy: the weights, which ``engine`` has loaded.
        engine: samples the answers.
        renderer: turns messages into tokens and back.
        sampling: how tokens are drawn.
        masked: draw among the role's legal answers only, wherever the role names them.
    """

    role: Role
    policy: PolicyId
    engine: Engine
    renderer: Renderer
    sampling: Sampling
    masked: bool

    def request(
        self, game: Game[Any], observation: Observation, history: Sequence[Turn], name: str, seed: int
    ) -> Request:
        """Returns the request for this decision; ``name`` becomes the completion's id."""
        answers = self.role.answers(observation) if self.masked else None
        return Request(
            id=name,
            policy=self.policy,
            prompt_ids=self.renderer.prompt(self.role.messages(game, observation, history)),
            seed=seed,
            sampling=self.sampling,
            answers=None if answers is None else tuple(self.renderer.answer(text) for text in answers.values()),
        )

    def read(self, completion: Completion, observation: Observation) -> Action | NotUnderstood:
        """Returns the action in a completion, or why there is none; a cut answer may still hold one."""
        return self.role.parse(completion.text, observation)


Player = ModelPlayer | ScriptedPlayer
"""Whoever can sit in a seat during training and evaluation."""
