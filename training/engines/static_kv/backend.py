"""Prompts to samples and scores, on tensors: what the torch engine asks for, policy by policy.

Shapes: B requests, R rows, P prompt tokens, S new tokens, C completion tokens, N tokens to judge, V vocabulary.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from arena.types import Sampling
from training.engines.answers import Trie
from training.engines.static_kv.decoder import Cache, Decoder
from training.engines.static_kv.rows import regroup
from training.engines.static_kv.sampling import law_rows
from training.engines.static_kv.tape import Drawn, Tape
from training.engines.static_kv.weights import Geometry, Weights, fuse

Tokens = tuple[int, ...]
T = TypeVar("T")
_BLOCKED = -1e30
"""Added to the score of a token that must not be seen; finite, so that a row of padding stays finite."""
_LOGITS_AT_ONCE = 1 << 24
"""Most logits held while scoring."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Continuation:
    """One continuation to score, as in ``ScoreRequest``."""

    prompt: Tokens
    tokens: Tokens
    support: tuple[Tokens, ...] | None


class Backend:
    """Runs the loaded versions of one architecture.

    Args:
        config: the Hugging Face config.
        end_id: the token that ends a completion.
        device: where the tensors lie.
        deduplicate: equal prompts and equal prefixes share one forward.
        batch_tokens: most padded tokens held at once.
    """

    def __init__(self, config: Any, end_id: int, device: str, deduplicate: bool, batch_tokens: int) -> None:  # noqa: ANN401
        self.geometry = Geometry.of(config)
        self.decoder = Decoder(self.geometry, device)
        self.end_id = end_id
        self.device = device
        self.deduplicate = deduplicate
        self.batch_tokens = batch_tokens

    def fuse(self, named: Mapping[str, Any]) -> Weights:
        """Returns an immutable copy of a policy's weights."""
        with torch.inference_mode():
            return fuse(self.geometry, named, self.device)

    @torch.inference_mode()
    def sample(
        self, weights: Weights, prompts: Sequence[Tokens], sampling: Sampling, seeds: Sequence[int]
    ) -> list[Drawn]:
        """Returns one completion a prompt, each from its own seed."""
        room = max(len(prompt) for prompt in prompts) + sampling.max_tokens
        size = max(1, self.batch_tokens // room)
        return [
            drawn
            for start in range(0, len(prompts), size)
            for drawn in self._sample(weights, prompts[start : start + size], sampling, seeds[start : start + size])
        ]

    def _sample(
        self, weights: Weights, prompts: Sequence[Tokens], sampling: Sampling, seeds: Sequence[int]
    ) -> list[Drawn]:
        distinct, row_L = _distinct(prompts, self.deduplicate)
        cache = self.decoder.cache(len(prompts), max(map(len, distinct)) + sampling.max_tokens - 1)
        hidden, pads_R = self._prefill(weights, cache, distinct, rows=len(prompts))
        tape = Tape(len(prompts), sampling, seeds, self.device)
        live, shared = np.arange(len(prompts)), len(distinct) < len(prompts)
        rows, token_L = len(distinct), np.zeros(0, dtype=np.int64)
        for step in range(sampling.max_tokens):
            logprobs_RV = law_rows(self.decoder.logits(weights, hidden), sampling)
            token_L = tape.draw(logprobs_RV, live, row_L, step)
            going = token_L != self.end_id
            if step + 1 == sampling.max_tokens or not going.any():
                break
            live = live[going]
            plan = regroup(row_L[going], token_L[going], rows, self.geometry.vocabulary, shared=shared)
            if len(plan.sources):
                cache.copy_rows(torch.from_numpy(plan.sources), torch.from_numpy(plan.targets))
                pads_R[plan.targets] = pads_R[plan.sources]
            row_L, rows, shared = plan.row_L, len(plan.token_R), plan.shared
            hidden = self._step(weights, cache, plan.token_R, pads_R)
        return tape.drawn()

    def _prefill(
        self, weights: Weights, cache: Cache, prompts: Sequence[Tokens], rows: int
    ) -> tuple[Tensor, NDArray[np.int64]]:
        """Reads left-padded prompts; returns their last hidden states ``[R, D]`` and every row's padding."""
        lengths_R = np.array([len(prompt) for prompt in prompts])
        longest = int(lengths_R.max())
        pads_R = np.zeros(rows, dtype=np.int64)
        pads_R[: len(prompts)] = longest - lengths_R
        ids = torch.tensor([(0,) * (longest - len(prompt)) + prompt for prompt in prompts], device=self.device)
        if not pads_R.any():
            rotations = self._rotations(np.arange(longest)[None], longest)
            hidden = self.decoder.extend(weights, cache, ids, rotations, None, causal=True)
            return hidden[:, -1], pads_R
        places = np.arange(longest)
        positions_RP = np.maximum(places - pads_R[: len(prompts), None], 0)
        blocked = np.where(np.arange(cache.room) < pads_R[:, None], np.float32(_BLOCKED), np.float32(0))
        cache.blocked = torch.from_numpy(blocked).to(self.device)[:, None, None]
        later = torch.from_numpy(np.triu(np.full((longest, longest), _BLOCKED, np.float32), 1)).to(self.device)
        mask = torch.minimum(cache.blocked[: len(prompts), ..., :longest], later)
        hidden = self.decoder.extend(weights, cache, ids, self._rotations(positions_RP, longest), mask)
        return hidden[:, -1], pads_R

    def _step(self, weights: Weights, cache: Cache, token_R: NDArray[np.int64], pads_R: NDArray[np.int64]) -> Tensor:
        """Reads one token a row; returns the hidden states ``[R, D]``."""
        rows, at = len(token_R), cache.filled
        mask = None if cache.blocked is None else cache.blocked[:rows, ..., : at + 1]
        positions = np.array([[at]]) if mask is None else (at - pads_R[:rows])[:, None]
        ids = torch.from_numpy(token_R).to(self.device)[:, None]
        return self.decoder.extend(weights, cache, ids, self._rotations(positions, at + 1), mask)[:, 0]

    def _rotations(self, positions_RS: NDArray[np.int64], most: int) -> Tensor:
        return self.decoder.rotations(torch.from_numpy(positions_RS).to(self.device), most)

    @torch.inference_mode()
    def choices(self, weights: Weights, items: Sequence[tuple[Tokens, Trie]]) -> list[dict[int, NDArray[np.float64]]]:
        """Returns for each (prompt, answers) the logits of the children of every choice node, by node.

        One forward: a row holds the prompt and then those answer tokens that some choice depends on, each seeing the
        prompt and its own ancestors. Rows are padded on the right, where no real token looks.
        """
        out: list[dict[int, NDArray[np.float64]]] = [{} for _ in items]
        undecided = [index for index, (_, trie) in enumerate(items) if trie.choices]
        for batch in self._batches(undecided, lambda index: len(items[index][0]) + len(items[index][1].read)):
            for index, found in zip(batch, self._choices(weights, [items[index] for index in batch]), strict=True):
                out[index] = found
        return out

    def _choices(self, weights: Weights, items: Sequence[tuple[Tokens, Trie]]) -> list[dict[int, NDArray[np.float64]]]:
        rows = [prompt + tuple(trie.nodes[i].token for i in trie.read) for prompt, trie in items]
        longest = max(map(len, rows))
        ids = torch.tensor([row + (0,) * (longest - len(row)) for row in rows], device=self.device)
        cache = self.decoder.cache(len(rows), longest)
        if all(trie.is_chain for _, trie in items):
            rotations = self._rotations(np.arange(longest)[None], longest)
            hidden = self.decoder.extend(weights, cache, ids, rotations, None, causal=True)
        else:
            positions, mask = _tree_layout(items, longest)
            hidden = self.decoder.extend(
                weights, cache, ids, self._rotations(positions, longest), torch.from_numpy(mask).to(self.device)
            )
        asked = [
            (row, node, len(prompt) - 1 + (trie.read.index(node) + 1 if node else 0))
            for row, (prompt, trie) in enumerate(items)
            for node in trie.choices
        ]
        at = torch.tensor([(row, place) for row, _, place in asked], device=self.device)
        logits_NV = self.decoder.logits(weights, hidden[at[:, 0], at[:, 1]]).cpu().numpy()
        out: list[dict[int, NDArray[np.float64]]] = [{} for _ in items]
        for (row, node, _), logits_V in zip(asked, logits_NV, strict=True):
            children = list(items[row][1].nodes[node].children)
            out[row][node] = logits_V[children].astype(np.float64)
        return out

    @torch.inference_mode()
    def score(self, weights: Weights, items: Sequence[Continuation]) -> list[NDArray[np.float32]]:
        """Returns the log-probabilities ``[C]`` of each continuation; equal prompts are read once a batch."""
        out: list[NDArray[np.float32]] = []
        for batch in self._batches(items, lambda item: len(item.prompt) + len(item.tokens)):
            out += self._score(weights, batch)
        return out

    def _score(self, weights: Weights, items: Sequence[Continuation]) -> list[NDArray[np.float32]]:
        prompts, row_B = _distinct([item.prompt for item in items], self.deduplicate)
        longest = max(map(len, prompts))
        cache = self.decoder.cache(len(prompts), longest)
        first_RD, pads_R = self._prefill(weights, cache, prompts, rows=len(prompts))
        hidden_BSD = first_RD[torch.from_numpy(row_B)][:, None]
        new = max(len(item.tokens) for item in items) - 1
        if new > 0:
            wide = cache.expanded(self.geometry, torch.from_numpy(row_B), new)
            ids = torch.tensor([(item.tokens[:-1] + (0,) * (new + 1))[:new] for item in items], device=self.device)
            positions = longest - pads_R[row_B][:, None] + np.arange(new)
            later = torch.triu(torch.full((new, longest + new), _BLOCKED, device=self.device), longest + 1)
            mask = later.expand(len(items), 1, -1, -1)
            if wide.blocked is not None:
                mask = torch.minimum(mask, wide.blocked)
            rotations = self._rotations(positions, longest + new)
            hidden_BSD = torch.cat([hidden_BSD, self.decoder.extend(weights, wide, ids, rotations, mask)], dim=1)
        return self._judge(weights, hidden_BSD, items)

    def _judge(self, weights: Weights, hidden_BSD: Tensor, items: Sequence[Continuation]) -> list[NDArray[np.float32]]:
        """Returns the log-probabilities of the items' tokens, each from the hidden state before it."""
        out = [np.zeros(len(item.tokens), dtype=np.float32) for item in items]
        asked = [
            (row, place, token, None if item.support is None else item.support[place])
            for row, item in enumerate(items)
            for place, token in enumerate(item.tokens)
            if item.support is None or len(item.support[place]) > 1  # a forced token has log-probability 0
        ]
        size = max(1, _LOGITS_AT_ONCE // self.geometry.vocabulary)
        for start in range(0, len(asked), size):
            part = asked[start : start + size]
            at = torch.tensor([(row, place) for row, place, _, _ in part], device=self.device)
            logits_NV = self.decoder.logits(weights, hidden_BSD[at[:, 0], at[:, 1]])
            logprobs_N = _token_logprobs(logits_NV, [token for _, _, token, _ in part], [ids for *_, ids in part])
            for (row, place, _, _), logprob in zip(part, logprobs_N.cpu().numpy(), strict=True):
                out[row][place] = logprob
        return out

    def _batches(self, items: Sequence[T], length: Any) -> Iterator[list[T]]:  # noqa: ANN401
        """Yields consecutive items whose padded rows hold at most ``batch_tokens`` tokens."""
        batch: list[T] = []
        longest = 0
        for item in items:
            longest = max(longest, length(item))
            if batch and (len(batch) + 1) * longest > self.batch_tokens:
                yield batch
                batch, longest = [], length(item)
            batch.append(item)
        if batch:
            yield batch


def _distinct(prompts: Iterable[Tokens], deduplicate: bool) -> tuple[list[Tokens], NDArray[np.int64]]:
    """Returns the distinct prompts in order of appearance, and which of them each request has."""
    if not deduplicate:
        every = list(prompts)
        return every, np.arange(len(every))
    known: dict[Tokens, int] = {}
    rows = [known.setdefault(prompt, len(known)) for prompt in prompts]
    return list(known), np.array(rows, dtype=np.int64)


def _tree_layout(items: Sequence[tuple[Tokens, Trie]], longest: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Returns positions ``[R, S]`` and the mask ``[R, 1, S, S]`` of prompts followed by trees of answer tokens."""
    positions = np.tile(np.arange(longest), (len(items), 1))
    seen = np.tile(np.tril(np.ones((longest, longest), dtype=bool)), (len(items), 1, 1))
    for row, (prompt, trie) in enumerate(items):
        start = len(prompt)
        place = {node: start + offset for offset, node in enumerate(trie.read)}
        for node, at in place.items():
            positions[row, at] = start + trie.nodes[node].depth - 1
            seen[row, at, start:] = False
            while node > 0:
                seen[row, at, place[node]] = True
                node = trie.nodes[node].parent
    return positions, np.where(seen[:, None], np.float32(0), np.float32(_BLOCKED))


def _token_logprobs(logits_NV: Tensor, tokens: Sequence[int], supports: Sequence[Tokens | None]) -> Tensor:
    """Returns the log-probability of each token, renormalised over its support where there is one."""
    picked_N = logits_NV.gather(1, torch.tensor(tokens, device=logits_NV.device)[:, None])[:, 0]
    norm_N = torch.logsumexp(logits_NV, dim=-1)
    chosen = [(n, ids) for n, ids in enumerate(supports) if ids is not None]
    if chosen:
        widest = max(len(ids) for _, ids in chosen)
        index = torch.tensor([ids + ids[:1] * (widest - len(ids)) for _, ids in chosen], device=logits_NV.device)
        spare = torch.tensor([[k >= len(ids) for k in range(widest)] for _, ids in chosen], device=logits_NV.device)
        rows = torch.tensor([n for n, _ in chosen], device=logits_NV.device)
        norm_N[rows] = torch.logsumexp(logits_NV[rows].gather(1, index).masked_fill(spare, -torch.inf), dim=-1)
    return picked_N - norm_N
