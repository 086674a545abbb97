"""Replay: rows that did well are trained again in later rounds.

A round's successes are few and an update moves the weights little, so each row stays for some rounds and its passes
are spread over them. Every row has a phase in [0, 1): after ``a`` of its rounds it has been trained
``floor(passes * a / rounds + phase)`` times. So it is trained ``passes`` times in all, exactly where that is a whole
number, and since the phases of a round are spread evenly, each draw takes its share of every round's rows within one
row. No counter of uses is kept, and nothing depends on how often the buffer was saved. A round in which the policy was
not trained does not count. Rows lose their behaviour log-probabilities after their own round, when they are stale.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from arena.seeds import generator
from training.config import ReplayConfig
from training.rows import REPLAYED, Row


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    """A row in the buffer, how many rounds it was there for, and its phase."""

    row: Row
    rounds: int
    phase: float


class Replay:
    """The rows of the last rounds, oldest first and in canonical order within a round.

    Args:
        config: how long rows stay, how often they are trained, and how many there may be.
        seed: the campaign's.
    """

    def __init__(self, config: ReplayConfig, seed: int) -> None:
        self._config = config
        self._seed = seed
        self._kept: tuple[_Kept, ...] = ()

    def draw(self, rows: Sequence[Row], round_index: int, batch_rows: int) -> list[list[Row]]:
        """Takes up the rows of a round and returns the mini-batches to train on, equal in size within one row.

        The number of mini-batches is ``ceil(size of the buffer * passes / rounds / batch_rows)``, or one a row if that
        is fewer.

        Args:
            rows: the new rows, in canonical order.
            round_index: names the draw; the same one, the same mini-batches.
            batch_rows: rows of a mini-batch.
        """
        config, random = self._config, generator("replay", self._seed, round_index)
        phases = (random.permutation(len(rows)) + 0.5) / max(1, len(rows))
        new = (_Kept(row=row, rounds=0, phase=float(phase)) for row, phase in zip(rows, phases, strict=True))
        kept = (*self._kept, *new)[-config.capacity :]
        due = [one.row for one in kept for _ in range(self._uses(one, one.rounds + 1) - self._uses(one, one.rounds))]
        order = random.permutation(len(due))
        steps = min(len(due), math.ceil(len(kept) * config.passes / config.rounds / batch_rows))
        self._kept = tuple(
            _Kept(row=_stale(one.row), rounds=one.rounds + 1, phase=one.phase)
            for one in kept
            if one.rounds + 1 < config.rounds
        )
        return [[due[i] for i in part] for part in np.array_split(order, steps)] if steps else []

    def _uses(self, one: _Kept, rounds: int) -> int:
        return math.floor(self._config.passes * rounds / self._config.rounds + one.phase)

    def state(self) -> list[dict[str, Any]]:
        """Returns the buffer as JSON values."""
        return [
            {
                "ids": list(one.row.ids),
                "prompt": one.row.prompt_length,
                "support": None if one.row.support is None else [list(ids) for ids in one.row.support],
                "unit": one.row.unit,
                "group": one.row.group_id,
                "advantage": one.row.advantage,
                "weight": one.row.weight,
                "context": one.row.context,
                "rounds": one.rounds,
                "phase": one.phase,
            }
            for one in self._kept
        ]

    def restore(self, state: Sequence[Mapping[str, Any]]) -> None:
        """Takes up the buffer that ``state`` returned."""
        self._kept = tuple(_Kept(row=_row(one), rounds=one["rounds"], phase=one["phase"]) for one in state)


def _stale(row: Row) -> Row:
    if row.behaviour_logprobs is None:
        return row
    return replace(row, behaviour_logprobs=None, context=REPLAYED)


def _row(saved: Mapping[str, Any]) -> Row:
    support = saved["support"]
    said = len(saved["ids"]) - saved["prompt"]
    return Row(
        ids=tuple(saved["ids"]),
        mask=(False,) * saved["prompt"] + (True,) * said,
        support=None if support is None else tuple(tuple(ids) for ids in support),
        behaviour_logprobs=None,
        unit=saved["unit"],
        group_id=saved["group"],
        advantage=saved["advantage"],
        weight=saved["weight"],
        context=saved["context"],
    )
