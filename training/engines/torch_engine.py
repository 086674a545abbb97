"""The embedded engine: samples from and scores with Hugging Face Llama-, Qwen2- and Qwen3-type weights, in process.

Several versions of one architecture lie side by side, each an immutable copy. Free text is decoded token by token over
a preallocated cache; answers from a given set need no decoding at all, since one forward over the prompt and the
branching answer tokens gives every choice exactly. Equal prompts, and in decoding equal prefixes, share one forward:
in small games a batch holds a dozen distinct prompts.

Equal requests in an equal batch give bit-equal results on one machine type and thread count. Another batch
composition may move log-probabilities by float rounding, and then rarely a sample. Left out: other architectures
(refused by name), adapters, half precision.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from arena.errors import EngineError
from arena.types import Completion, PolicyId
from training.engines.answers import trie_of
from training.engines.draws import uniforms
from training.engines.engine import EngineSupport, Request, ScoreRequest, engines
from training.engines.requests import TokenReader, check_new, check_requests, check_score_requests, completed
from training.engines.walk import Walker

if TYPE_CHECKING:
    from training.engines.static_kv.weights import Weights

T = TypeVar("T")


@engines.register("torch")
class TorchEngine:
    """An engine for one architecture on one device.

    Args:
        config: the Hugging Face config of the architecture.
        reader: knows the end token and turns tokens into text (a ``Renderer``).
        device: ``cpu``, or a CUDA device.
        deduplicate: equal prompts and prefixes share one forward; off only to measure what that saves.
        batch_tokens: most padded tokens held at once. Bounds memory; results are reproducible for a fixed number.

    Raises:
        InputError: the architecture or one of its options is not decoded.
    """

    supports = EngineSupport(masked=True, score=True, exact=True)

    def __init__(
        self,
        *,
        config: Any,  # noqa: ANN401 (transformers has no common typed config)
        reader: TokenReader,
        device: str = "cpu",
        deduplicate: bool = True,
        batch_tokens: int = 65536,
    ) -> None:
        from training.engines.static_kv.backend import Backend

        self._backend = Backend(config, reader.end_id, device, deduplicate, batch_tokens)
        self._reader = reader
        self._deduplicate = deduplicate
        self._policies: dict[PolicyId, Weights] = {}

    def load(self, policy: PolicyId, weights: Mapping[str, Any]) -> None:
        """Copies a ``state_dict`` (tensors or arrays, Hugging Face names); a loaded version never changes.

        Raises:
            EngineError: the version is loaded already, or a weight is missing, misshapen or unknown.
        """
        check_new(policy, self._policies)
        self._policies[policy] = self._backend.fuse(weights)

    def unload(self, policy: PolicyId) -> None:
        """Forgets a policy; one that is not loaded is no error."""
        self._policies.pop(policy, None)

    def loaded(self) -> frozenset[PolicyId]:
        """Returns the policies that can be asked for."""
        return frozenset(self._policies)

    def generate(self, requests: Sequence[Request]) -> list[Completion]:
        """Samples one completion a request, in order.

        Raises:
            EngineError: a request cannot be sampled, or a policy's logits are not finite.
        """
        check_requests(requests, self._policies)
        out: dict[int, Completion] = {}
        for indices in _grouped([(r.policy, r.sampling, r.answers is None) for r in requests]):
            group = [requests[i] for i in indices]
            sampled = self._free(group) if group[0].answers is None else self._masked(group)
            out.update(zip(indices, sampled, strict=True))
        return [out[index] for index in range(len(requests))]

    def score(self, requests: Sequence[ScoreRequest]) -> list[NDArray[np.float32]]:
        """Returns log-probabilities ``[C]`` of each continuation at temperature 1, in order.

        Raises:
            EngineError: a request cannot be scored, or a policy's logits are not finite.
        """
        from training.engines.static_kv.backend import Continuation

        check_score_requests(requests, self._policies)
        out: dict[int, NDArray[np.float32]] = {}
        for indices in _grouped([r.policy for r in requests]):
            first = self._first_of([requests[i] for i in indices])
            asked = [requests[indices[i]] for i in sorted(set(first))]
            items = [Continuation(prompt=r.prompt_ids, tokens=r.token_ids, support=r.support) for r in asked]
            scores = self._backend.score(self._policies[asked[0].policy], items)
            for request, logprobs in zip(asked, scores, strict=True):
                if np.isnan(logprobs).any():
                    raise _not_finite(request.policy, "a request to score")
            place = {index: n for n, index in enumerate(sorted(set(first)))}
            out.update((i, scores[place[f]].copy()) for i, f in zip(indices, first, strict=True))
        return [out[index] for index in range(len(requests))]

    def _free(self, group: Sequence[Request]) -> list[Completion]:
        from training.engines.static_kv.tape import NotFiniteError

        policy = group[0].policy
        try:
            sampled = self._backend.sample(
                self._policies[policy], [r.prompt_ids for r in group], group[0].sampling, [r.seed for r in group]
            )
        except NotFiniteError as error:
            raise _not_finite(policy, repr(group[error.index].id)) from error
        return [
            completed(request, drawn.tokens, drawn.logprobs, drawn.support, self._reader)
            for request, drawn in zip(group, sampled, strict=True)
        ]

    def _masked(self, group: Sequence[Request]) -> list[Completion]:
        policy, sampling = group[0].policy, group[0].sampling
        first = self._first_of([(r.prompt_ids, r.answers) for r in group])
        items = {i: (group[i].prompt_ids, trie_of(group[i].answers or ())) for i in sorted(set(first))}
        logits = self._backend.choices(self._policies[policy], list(items.values()))
        walkers: dict[int, Walker] = {}
        for (index, (_, trie)), by_node in zip(items.items(), logits, strict=True):
            try:
                walkers[index] = Walker(trie, by_node, sampling)
            except FloatingPointError as error:
                raise _not_finite(policy, repr(group[index].id)) from error
        depth = max(len(answer) for r in group for answer in r.answers or ())
        points_BC = uniforms([r.seed for r in group], depth).tolist()
        return [
            completed(request, *walkers[index].draw(points), self._reader)
            for request, index, points in zip(group, first, points_BC, strict=True)
        ]

    def _first_of(self, keys: Sequence[Hashable]) -> list[int]:
        """Returns for each key the index of its first equal."""
        if not self._deduplicate:
            return list(range(len(keys)))
        known: dict[Hashable, int] = {}
        return [known.setdefault(key, index) for index, key in enumerate(keys)]


def _grouped(keys: Sequence[Hashable]) -> list[list[int]]:
    """Returns the indices of equal keys, group by group, in order of first appearance."""
    groups: dict[Hashable, list[int]] = {}
    for index, key in enumerate(keys):
        groups.setdefault(key, []).append(index)
    return list(groups.values())


def _not_finite(policy: PolicyId, request: str) -> EngineError:
    return EngineError(
        f"engine.torch: expected finite logits, got NaN or infinity from {policy} at {request}; "
        "its weights have diverged: resume from an earlier checkpoint with a lower learning rate"
    )
