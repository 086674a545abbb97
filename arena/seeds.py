"""Explicit randomness: every generator is derived from what it is for, never from global state or arrival order.

Players draw from (seed, round, episode, seat), chance from (task.seed, ply), and task.seed itself from
(seed, round, task index). A label keeps the uses apart, so that no two streams coincide.
"""

from __future__ import annotations

import hashlib

import numpy as np

_MASK = (1 << 63) - 1


def derive(label: str, *parts: int) -> int:
    """Returns a 63-bit seed that depends on the label and on every part, in order."""
    text = f"{label}:{':'.join(map(str, parts))}"
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little") & _MASK


def generator(label: str, *parts: int) -> np.random.Generator:
    """Returns a numpy generator seeded with ``derive(label, *parts)``."""
    return np.random.Generator(np.random.PCG64(derive(label, *parts)))


def chance_generator(task_seed: int, ply: int) -> np.random.Generator:
    """Returns the generator of the chance event at ``ply`` of a task."""
    return generator("chance", task_seed, ply)


def task_seed(seed: int, round_index: int, task_index: int) -> int:
    """Returns the seed of the ``task_index``-th task of a round."""
    return derive("task", seed, round_index, task_index)


def player_seed(seed: int, round_index: int, episode: int, seat: int) -> int:
    """Returns the seed from which a seat of an episode samples."""
    return derive("player", seed, round_index, episode, seat)
