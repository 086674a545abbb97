"""Masked sampling: a walk down the trie of answers, choosing where there is a choice.

Shapes: K children of a node.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.types import Sampling
from training.engines.answers import Trie
from training.engines.draws import law


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """The distribution over the children of a choice node.

    Attributes:
        children: indices of the children that may be sampled, ascending.
        cdf: their distribution function, unnormalised, as ``draws.pick`` uses it.
        logprobs: their log-probabilities.
        support: their tokens.
    """

    children: tuple[int, ...]
    cdf: tuple[float, ...]
    logprobs: tuple[float, ...]
    support: tuple[int, ...]


Walk = tuple[tuple[int, ...], tuple[float, ...], tuple[tuple[int, ...], ...]]
"""Tokens, their log-probabilities, and the ids that were allowed at each."""


def branches(trie: Trie, logits: Mapping[int, NDArray[np.float64]], sampling: Sampling) -> dict[int, Branch]:
    """Returns the branch at each choice node, from the logits ``[K]`` of its children."""
    out = {}
    for index, logits_K in logits.items():
        logprobs_K = law(logits_K, sampling)
        kept = np.flatnonzero(logprobs_K > -np.inf)
        node = trie.nodes[index]
        out[index] = Branch(
            children=tuple(kept.tolist()),
            cdf=tuple(np.cumsum(np.exp(logprobs_K[kept])).tolist()),
            logprobs=tuple(logprobs_K[kept].astype(np.float32).tolist()),
            support=tuple(node.children[k] for k in kept.tolist()),
        )
    return out


def walk(trie: Trie, choices: Mapping[int, Branch], uniforms_C: Sequence[float]) -> Walk:
    """Returns one answer: at token c the choice is made by uniform c."""
    tokens: list[int] = []
    logprobs: list[float] = []
    support: list[tuple[int, ...]] = []
    node = trie.nodes[0]
    while node.children:
        branch = choices.get(trie.nodes[0] is not node and _index(trie, tokens) or 0) if node.is_choice else None
        if branch is None:
            child = 0
            logprobs.append(0.0)
            support.append(node.children)
        else:
            place = _place(branch.cdf, uniforms_C[len(tokens)])
            child = branch.children[place]
            logprobs.append(branch.logprobs[place])
            support.append(branch.support)
        tokens.append(node.children[child])
        node = trie.nodes[node.next[child]]
    return tuple(tokens), tuple(logprobs), tuple(support)
