"""An engine whose policies are tables: token probabilities written down, for tests and for exact arithmetic.

A policy is ``{"law": law}``, where the law maps the tokens so far (prompt and completion) to a distribution: a mapping
from token tuples, or a callable. Where it says nothing, every token of the alphabet is equally likely. Sampling uses
the same per-request uniforms, the same masks and the same truncation as the torch engine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.errors import EngineError
from arena.types import Completion, PolicyId
from training.engines.answers import Trie, trie_of
from training.engines.draws import law, pick, truncates, uniforms
from training.engines.engine import EngineSupport, Request, ScoreRequest, engines
from training.engines.requests import TokenReader, check_new, check_requests, check_score_requests, completed
from training.engines.walk import Walk, Walker

Tokens = tuple[int, ...]
Probabilities = Mapping[int, float]
Law = Mapping[Tokens, Probabilities] | Callable[[Tokens], Probabilities | None]


@engines.register("table")
class TableEngine:
    """Samples from and scores with token tables.

    Args:
        reader: knows the end token and turns tokens into text (a ``Renderer``).
        vocabulary: token ids are below it.
        alphabet: the tokens that are equally likely where a table says nothing; default: all.
    """

    supports = EngineSupport(masked=True, score=True, exact=True)

    def __init__(self, *, reader: TokenReader, vocabulary: int, alphabet: Sequence[int] | None = None) -> None:
        self._reader = reader
        self._vocabulary = vocabulary
        self._alphabet = tuple(range(vocabulary)) if alphabet is None else tuple(alphabet)
        self._laws: dict[PolicyId, Law] = {}

    def load(self, policy: PolicyId, weights: Mapping[str, Any]) -> None:
        """Takes ``{"law": law}``; an empty mapping is the uniform policy. A mapping is copied.

        Raises:
            EngineError: the version is loaded already, or what is given is not a law.
        """
        check_new(policy, self._laws)
        if set(weights) - {"law"}:
            raise EngineError(
                f"engine.table.load: expected {{'law': law}}, got {len(weights)} entries, {min(weights)!r} among them; "
                "load weights into the torch engine"
            )
        given = weights.get("law", {})
        if not callable(given) and not isinstance(given, Mapping):
            raise EngineError(
                f"engine.table.load: expected a law that is a mapping or a callable, got {type(given).__name__}; "
                "map token tuples to {token: probability}"
            )
        self._laws[policy] = given if callable(given) else {key: dict(row) for key, row in given.items()}

    def unload(self, policy: PolicyId) -> None:
        """Forgets a policy; one that is not loaded is no error."""
        self._laws.pop(policy, None)

    def loaded(self) -> frozenset[PolicyId]:
        """Returns the policies that can be asked for."""
        return frozenset(self._laws)

    def generate(self, requests: Sequence[Request]) -> list[Completion]:
        """Samples one completion a request, in order.

        Raises:
            EngineError: a request cannot be sampled.
        """
        check_requests(requests, self._laws)
        return [completed(request, *self._sample(request), self._reader) for request in requests]

    def score(self, requests: Sequence[ScoreRequest]) -> list[NDArray[np.float32]]:
        """Returns log-probabilities ``[C]`` of each continuation, in order.

        Raises:
            EngineError: a request cannot be scored.
        """
        check_score_requests(requests, self._laws)
        return [self._score(request) for request in requests]

    def _sample(self, request: Request) -> tuple[Tokens, tuple[float, ...], tuple[Tokens, ...] | None]:
        points_C = uniforms([request.seed], request.sampling.max_tokens)[0]
        if request.answers is not None:
            return self._walk(request, trie_of(request.answers), points_C)
        tokens: list[int] = []
        logprobs: list[float] = []
        support: list[Tokens] = []
        for point in points_C:
            logprobs_V = law(self._logits(request.policy, (*request.prompt_ids, *tokens)), request.sampling)
            tokens.append(pick(logprobs_V, float(point)))
            logprobs.append(float(np.float32(logprobs_V[tokens[-1]])))
            support.append(tuple(np.flatnonzero(np.exp(logprobs_V) > 0).tolist()))
            if tokens[-1] == self._reader.end_id:
                break
        return tuple(tokens), tuple(logprobs), tuple(support) if truncates(request.sampling) else None

    def _walk(self, request: Request, trie: Trie, points_C: NDArray[np.float64]) -> Walk:
        prefix: dict[int, Tokens] = {0: request.prompt_ids}
        logits = {}
        for index, node in enumerate(trie.nodes):
            if index:
                prefix[index] = (*prefix[node.parent], node.token)
            if node.is_choice:
                logits[index] = self._logits(request.policy, prefix[index])[list(node.children)]
        try:
            return Walker(trie, logits, request.sampling).draw(points_C.tolist())
        except FloatingPointError as error:
            raise EngineError(
                f"engine.table: expected an answer of positive probability, got none from {request.policy} at request "
                f"{request.id!r}; correct the table"
            ) from error

    def _score(self, request: ScoreRequest) -> NDArray[np.float32]:
        out = np.zeros(len(request.token_ids), dtype=np.float32)
        for place, token in enumerate(request.token_ids):
            logits_V = self._logits(request.policy, request.prompt_ids + request.token_ids[:place])
            allowed = range(self._vocabulary) if request.support is None else request.support[place]
            total = np.exp(logits_V[list(allowed)]).sum()
            out[place] = logits_V[token] - np.log(total) if total > 0 else -np.inf
        return out

    def _logits(self, policy: PolicyId, tokens: Tokens) -> NDArray[np.float64]:
        table = self._laws[policy]
        row = table(tokens) if callable(table) else table.get(tokens)
        if row is None:
            row = dict.fromkeys(self._alphabet, 1.0)
        p_V = np.zeros(self._vocabulary)
        for token, p_token in row.items():
            p_V[token] = p_token
        with np.errstate(divide="ignore"):  # log 0 is -inf: never sampled
            out: NDArray[np.float64] = np.log(p_V)
        return out
