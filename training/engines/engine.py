"""The seam between play and inference: requests in, completions out, several policy versions side by side.

Token-in, token-out: an engine never sees text and never tokenises. Every request carries its own seed, so that a
sample does not depend on which requests share its batch. Arrays: B batch, P prompt, C completion tokens.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from arena.registry import Registry
from arena.types import Completion, PolicyId, Sampling


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One completion to sample.

    Attributes:
        id: becomes ``Completion.id``.
        policy: which loaded policy samples.
        prompt_ids: ``[P]``.
        seed: the root of this request's own randomness (one uniform per token).
        sampling: temperature, truncation and the token limit.
        answers: the token strings that may be sampled, end token included, or ``None`` for free text. Sampling walks
            their trie: at each token the policy is renormalised over the trie's children (``Completion.support``).
    """

    id: str
    policy: PolicyId
    prompt_ids: tuple[int, ...]
    seed: int
    sampling: Sampling
    answers: tuple[tuple[int, ...], ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRequest:
    """One continuation to score under a loaded policy, token by token.

    Attributes:
        policy: which loaded policy scores.
        prompt_ids: ``[P]``.
        token_ids: ``[C]``.
        support: allowed ids per token (the policy is renormalised over them), or ``None`` for the whole vocabulary.
    """

    policy: PolicyId
    prompt_ids: tuple[int, ...]
    token_ids: tuple[int, ...]
    support: tuple[tuple[int, ...], ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineSupport:
    """What an engine can do; campaigns that need more are refused before any work.

    Attributes:
        masked: samples among given answers.
        score: scores given continuations.
        exact: bit-equal results for equal requests in equal chunks on one machine type.
    """

    masked: bool
    score: bool
    exact: bool


class Engine(Protocol):
    """Samples from and scores with the policies that are loaded."""

    supports: EngineSupport

    def load(self, policy: PolicyId, weights: Mapping[str, Any]) -> None:
        """Makes ``policy`` available; a version once loaded never changes."""
        ...

    def unload(self, policy: PolicyId) -> None:
        """Forgets a policy."""
        ...

    def loaded(self) -> frozenset[PolicyId]:
        """Returns the policies that can be asked for."""
        ...

    def generate(self, requests: Sequence[Request]) -> list[Completion]:
        """Samples one completion a request, in order; each says the version that really sampled it.

        Raises:
            EngineError: a request names a policy that is not loaded.
        """
        ...

    def score(self, requests: Sequence[ScoreRequest]) -> list[NDArray[np.float32]]:
        """Returns log-probabilities ``[C]`` of each continuation, in order."""
        ...


engines: Registry[Engine] = Registry("engine", "training.engines")
"""Every registered engine, by name (``table``, ``torch``)."""
