"""Rows: what a learner sees of a unit. Ids and masks are those of sampling; text is never tokenised again.

Each unit makes one row: its prompt, then the tokens it sampled. Every sampled token of a trained seat is therefore
trained in exactly one row, whatever its prompt holds. Prompts that share a prefix are not merged; identical inputs
share one forward (``training.sites``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from training.units import Unit

AS_SAMPLED = "as_sampled"
REPLAYED = "replayed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One trained sequence of L = P + C tokens.

    Attributes:
        ids: prompt and completion, ``[L]``.
        mask: whether the token was sampled by the trained seat, ``[L]``.
        support: for each completion token the ids that were allowed, ``[C]``, or ``None``.
        behaviour_logprobs: of the completion under the policy that sampled it, ``[C]``; ``None`` when the context was
            replaced, for then nobody sampled it, or when the row is of an earlier round, for then they are stale.
        unit: the index of the unit in its round.
        group_id: rows of a group are never split over mini-batches.
        advantage: the same for all tokens of the unit.
        weight: scales the row's share of the loss.
        context: ``as_sampled``; ``replayed`` when an earlier round sampled it; or ``replaced(reason)`` when the prompt
            is not the one that was sampled from.
    """

    ids: tuple[int, ...]
    mask: tuple[bool, ...]
    support: tuple[tuple[int, ...], ...] | None
    behaviour_logprobs: tuple[float, ...] | None
    unit: int
    group_id: str
    advantage: float
    weight: float = 1.0
    context: str = AS_SAMPLED

    @property
    def prompt_length(self) -> int:
        """The number of tokens before the first sampled one."""
        return self.mask.index(True) if True in self.mask else len(self.ids)


def rows_of(units: Sequence[Unit], advantages_U: NDArray[np.float64]) -> list[Row]:
    """Returns one row a unit, in order.

    Args:
        units: the units of one policy.
        advantages_U: one advantage a unit.
    """
    return [
        Row(
            ids=unit.completion.prompt_ids + unit.completion.token_ids,
            mask=(False,) * len(unit.completion.prompt_ids) + (True,) * len(unit.completion.token_ids),
            support=unit.completion.support,
            behaviour_logprobs=unit.completion.logprobs,
            unit=index,
            group_id=unit.group_id,
            advantage=float(advantage),
        )
        for index, (unit, advantage) in enumerate(zip(units, advantages_U, strict=True))
    ]
