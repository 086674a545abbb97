"""The reference policy: a frozen copy that the trained policy is kept near.

Plain policy-gradient self-play cycles in games of imperfect information. A KL to a slowly moving copy of the policy
itself makes the last iterate converge (magnetic mirror descent, arXiv 2206.05825).
"""

from __future__ import annotations

import copy

import torch
from transformers import PreTrainedModel

from training.config import ReferenceConfig


class Reference:
    """A frozen copy of a model, moved every so many rounds or never.

    Args:
        config: which kind, how often it moves, and its weight in the loss.
        model: the model before training.
    """

    def __init__(self, config: ReferenceConfig, model: PreTrainedModel) -> None:
        self.config = config
        self.model: PreTrainedModel | None = None
        if config.kind != "none":
            self.model = copy.deepcopy(model).eval()
            self.model.requires_grad_(False)

    @property
    def weight(self) -> float:
        """The weight of KL(policy, reference) in the loss; 0 without a reference."""
        return 0.0 if self.model is None else self.config.weight

    def after_round(self, model: PreTrainedModel, rounds_done: int, pace: float = 1.0) -> None:
        """Moves the reference towards ``model``, all the way or by its share, when its time has come.

        Args:
            model: the trained policy.
            rounds_done: how many rounds it was trained.
            pace: the learning rate as a share of what it was at first; only a ``magnet`` slows down with it.
        """
        if self.model is None:
            return
        if self.config.kind == "moving" and rounds_done % self.config.every == 0:
            self.load(dict(model.state_dict()))
        if self.config.kind in ("ema", "magnet"):
            share = (pace if self.config.kind == "magnet" else 1.0) / self.config.every
            with torch.no_grad():
                for own, live in zip(self.model.parameters(), model.parameters(), strict=True):
                    own.lerp_(live, share)

    def load(self, weights: dict[str, torch.Tensor]) -> None:
        """Copies ``weights`` into the reference."""
        if self.model is not None:
            self.model.load_state_dict(weights)
