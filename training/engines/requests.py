"""What every engine checks of a request, and the completion that it makes of an answer."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from typing import Protocol

from arena.errors import EngineError
from arena.types import Completion, PolicyId
from training.engines.engine import Request, ScoreRequest


class TokenReader(Protocol):
    """The part of a renderer that engines need: the end token, and sampled tokens as text."""

    end_id: int

    def text(self, token_ids: Sequence[int]) -> str:
        """Returns sampled tokens as text, without the end token."""
        ...


def check_requests(requests: Iterable[Request], loaded: Container[PolicyId]) -> None:
    """Refuses what cannot be sampled.

    Raises:
        EngineError: a policy is not loaded, a prompt is empty, a sampling parameter is out of range, or an answer is
            longer than ``max_tokens``.
    """
    for request in requests:
        _check_policy(request.policy, loaded)
        if not request.prompt_ids:
            raise EngineError(f"engine: expected a prompt of at least one token, got none in request {request.id!r}")
        sampling = request.sampling
        ranges = {
            "temperature": (sampling.temperature, sampling.temperature >= 0, "at least 0"),
            "top_p": (sampling.top_p, 0 < sampling.top_p <= 1, "in (0, 1]"),
            "top_k": (sampling.top_k, sampling.top_k >= 0, "at least 0"),
            "max_tokens": (sampling.max_tokens, sampling.max_tokens >= 1, "at least 1"),
        }
        for name, (value, good, wanted) in ranges.items():
            if not good:
                raise EngineError(f"engine: expected sampling.{name} {wanted}, got {value}; correct it")
        longest = max(map(len, request.answers), default=0) if request.answers is not None else 0
        if longest > sampling.max_tokens:
            raise EngineError(
                f"engine: expected answers of at most max_tokens={sampling.max_tokens} tokens, got one of {longest} "
                f"in request {request.id!r}; raise sampling.max_tokens"
            )


def check_score_requests(requests: Iterable[ScoreRequest], loaded: Container[PolicyId]) -> None:
    """Refuses what cannot be scored.

    Raises:
        EngineError: a policy is not loaded, a prompt is empty, or a support does not fit its continuation.
    """
    for request in requests:
        _check_policy(request.policy, loaded)
        if not request.prompt_ids:
            raise EngineError("engine: expected a prompt of at least one token, got none in a request to score")
        support, tokens = request.support, request.token_ids
        if support is None:
            continue
        if len(support) != len(tokens):
            raise EngineError(f"engine: expected one support a token, got {len(support)} for {len(tokens)} tokens")
        for token, allowed in zip(tokens, support, strict=True):
            if token not in allowed:
                raise EngineError(f"engine: expected every token in its support, got {token}, allowed {allowed[:8]}")


def check_new(policy: PolicyId, loaded: Container[PolicyId]) -> None:
    """Refuses to change a version that is loaded.

    Raises:
        EngineError: it is.
    """
    if policy in loaded:
        raise EngineError(
            f"engine.load: expected a new version, got {policy}, which is loaded; unload it first or raise the version"
        )


def completed(
    request: Request,
    tokens: tuple[int, ...],
    logprobs: tuple[float, ...],
    support: tuple[tuple[int, ...], ...] | None,
    reader: TokenReader,
) -> Completion:
    """Returns the completion of ``request``: stopped at the end token or a whole answer, else cut at its length."""
    whole = request.answers is not None or (bool(tokens) and tokens[-1] == reader.end_id)
    return Completion(
        id=request.id,
        prompt_ids=request.prompt_ids,
        token_ids=tokens,
        logprobs=logprobs,
        support=support,
        text=reader.text(tokens),
        finish_reason="stop" if whole else "length",
        policy=request.policy,
        sampling=request.sampling,
        version_spans=((0, request.policy.version),),
    )


def _check_policy(policy: PolicyId, loaded: Container[PolicyId]) -> None:
    if policy not in loaded:
        raise EngineError(f"engine: expected a loaded policy, got {policy}; load it first")
