"""Masked sampling: a walk down the trie of answers, choosing where there is a choice.

Shapes: K children of a node, C tokens of an answer.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.types import Sampling
from training.engines.answers import Trie
from training.engines.draws import law

Walk = tuple[tuple[int, ...], tuple[float, ...], tuple[tuple[int, ...], ...]]
"""Tokens, their log-probabilities, and the ids that were allowed at each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """The distribution over the children of a choice node.

    Attributes:
        children: indices of the children that may be sampled, ascending.
        cdf: their distribution function, summed in double precision.
        logprobs: their log-probabilities in single precision.
        support: their tokens.
    """

    children: tuple[int, ...]
    cdf: tuple[float, ...]
    logprobs: tuple[float, ...]
    support: tuple[int, ...]

    def place(self, uniform: float) -> int:
        """Returns which of ``children`` the inverse distribution function picks."""
        total = self.cdf[-1]
        return bisect_right(self.cdf, min(uniform * total, math.nextafter(total, 0.0)))


class Walker:
    """Draws answers to one prompt; answers drawn before are the same object.

    Args:
        trie: the answers.
        logits: the logits ``[K]`` of the children of every choice node, by node.
        sampling: temperature and truncation, applied at each choice.

    Raises:
        FloatingPointError: a logit is NaN, or none of a choice is finite.
    """

    def __init__(self, trie: Trie, logits: Mapping[int, NDArray[np.float64]], sampling: Sampling) -> None:
        self._trie = trie
        self._branches = {index: _branch(trie, index, logits_K, sampling) for index, logits_K in logits.items()}
        self._walks: dict[int, Walk] = {}

    def draw(self, uniforms_C: Sequence[float]) -> Walk:
        """Returns one answer; the choice at token c is made by uniform c."""
        index, depth = 0, 0
        nodes = self._trie.nodes
        while following := nodes[index].next:
            branch = self._branches.get(index)
            index = following[0 if branch is None else branch.children[branch.place(uniforms_C[depth])]]
            depth += 1
        if index not in self._walks:
            self._walks[index] = self._path(index)
        return self._walks[index]

    def _path(self, leaf: int) -> Walk:
        nodes = self._trie.nodes
        tokens, logprobs, support = [], [], []
        while leaf > 0:
            parent = nodes[leaf].parent
            branch = self._branches.get(parent)
            place = 0 if branch is None else branch.support.index(nodes[leaf].token)
            tokens.append(nodes[leaf].token)
            logprobs.append(0.0 if branch is None else branch.logprobs[place])
            support.append(nodes[parent].children if branch is None else branch.support)
            leaf = parent
        return tuple(tokens[::-1]), tuple(logprobs[::-1]), tuple(support[::-1])


def _branch(trie: Trie, index: int, logits_K: NDArray[np.float64], sampling: Sampling) -> Branch:
    if np.isnan(logits_K).any() or not np.isfinite(logits_K.max()):
        raise FloatingPointError(f"logits {logits_K.tolist()}")
    logprobs_K = law(logits_K, sampling)
    kept = np.flatnonzero(logprobs_K > -np.inf)
    return Branch(
        children=tuple(kept.tolist()),
        cdf=tuple(np.cumsum(np.exp(logprobs_K[kept])).tolist()),
        logprobs=tuple(logprobs_K[kept].astype(np.float32).tolist()),
        support=tuple(trie.nodes[index].children[k] for k in kept.tolist()),
    )
