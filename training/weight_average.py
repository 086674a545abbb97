"""A moving average of the weights, for evaluation: steadier than the last step's, and never trained or sampled from.

The first steps are averaged alike, until a step's share would fall below 1 - decay; so the weights before training
have no part in it, and a short run is not measured half untrained.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from transformers import PreTrainedModel

STEPS = "steps"


class WeightAverage:
    """Mean of the weights after each optimiser step: ``m <- m + max(1 - decay, 1 / n) (w - m)`` at step n.

    Args:
        model: the weights before training, which are the average as long as there was no step.
        decay: the share of the average that a step leaves, in [0, 1).
    """

    def __init__(self, model: PreTrainedModel, decay: float) -> None:
        self._decay = decay
        self._steps = 0
        self._weights = {name: value.detach().clone() for name, value in model.state_dict().items()}

    def after_step(self, model: PreTrainedModel) -> None:
        """Moves the average towards ``model``."""
        self._steps += 1
        share = max(1.0 - self._decay, 1.0 / self._steps)
        with torch.no_grad():
            for name, live in model.state_dict().items():
                own = self._weights[name]
                if own.is_floating_point():
                    own.lerp_(live, share)
                else:
                    own.copy_(live)

    def weights(self) -> dict[str, torch.Tensor]:
        """Returns the average by the names of the model's state; not a copy."""
        return dict(self._weights)

    def tensors(self) -> dict[str, torch.Tensor]:
        """Returns everything that ``load`` needs."""
        return {f"weights.{name}": value for name, value in self._weights.items()} | {STEPS: torch.tensor(self._steps)}

    def load(self, tensors: Mapping[str, torch.Tensor]) -> None:
        """Takes up what ``tensors`` returned."""
        self._steps = int(tensors[STEPS])
        for name, value in self._weights.items():
            value.copy_(tensors[f"weights.{name}"])
