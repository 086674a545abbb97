"""Distributions at sites: masked log-softmax, exact entropy and exact KL, all under the support of sampling.

Where legal answers were enforced the policy *is* its renormalisation over the allowed ids, so gradients, entropy and
KL are taken there too. Shapes: S sites, K most allowed ids, V vocabulary, D inputs, L tokens, E hidden size.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from transformers import PreTrainedModel

from training.sites import Site


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteBatch:
    """Sites of one kind on the inputs of one micro-batch, as tensors.

    Attributes:
        row_S: the input of each site, within the micro-batch.
        position_S: the token after which the site's distribution stands.
        support_SK: allowed ids, padded with 0; ``None`` where the whole vocabulary was allowed.
        allowed_SK: which entries of ``support_SK`` are real.
    """

    row_S: torch.Tensor
    position_S: torch.Tensor
    support_SK: torch.Tensor | None
    allowed_SK: torch.Tensor | None


def pad_inputs(inputs: Sequence[tuple[int, ...]]) -> torch.Tensor:
    """Returns right-padded input ids ``[D, L]``."""
    longest = max(len(ids) for ids in inputs)
    return torch.tensor([ids + (0,) * (longest - len(ids)) for ids in inputs])


def site_batch(sites: Sequence[Site], row_of: Mapping[int, int]) -> SiteBatch:
    """Packs sites that are all masked, or all over the whole vocabulary.

    Args:
        sites: the sites, of one kind.
        row_of: from an input's index in the plan to its row in this micro-batch.
    """
    support = allowed = None
    if sites[0].support is not None:
        width = max(len(site.support or ()) for site in sites)
        supports = [site.support or () for site in sites]
        support = torch.tensor([ids + (0,) * (width - len(ids)) for ids in supports])
        allowed = torch.tensor([[k < len(ids) for k in range(width)] for ids in supports])
    return SiteBatch(
        row_S=torch.tensor([row_of[site.input] for site in sites]),
        position_S=torch.tensor([site.position for site in sites]),
        support_SK=support,
        allowed_SK=allowed,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Hidden:
    """Last hidden states of a micro-batch, ``[D, L - start, E]``, from position ``start`` on."""

    states_DLE: torch.Tensor
    start: int


def hidden_states(model: PreTrainedModel, input_ids_DL: torch.Tensor, first_position: int = 0) -> Hidden:
    """Returns the last hidden states from ``first_position`` on, or from earlier; padding never reaches a real one.

    Tokens that all inputs begin with (the rules of a game, say) are run once, and their keys and values are shared.

    Args:
        model: any causal language model of Hugging Face.
        input_ids_DL: right-padded inputs.
        first_position: the first position that anybody will ask for.
    """
    decoder = model.get_decoder()
    same_L = (input_ids_DL == input_ids_DL[:1]).all(0).long().cumprod(0)
    start = min(int(same_L.sum()), first_position)
    if len(input_ids_DL) == 1 or start < WORTH_SHARING:
        return Hidden(states_DLE=decoder(input_ids=input_ids_DL, use_cache=False).last_hidden_state, start=0)
    cache = decoder(input_ids=input_ids_DL[:1, :start], use_cache=True).past_key_values
    cache.batch_repeat_interleave(len(input_ids_DL))
    rest = decoder(input_ids=input_ids_DL[:, start:], past_key_values=cache, use_cache=True)
    return Hidden(states_DLE=rest.last_hidden_state, start=start)


WORTH_SHARING = 8
"""The least number of common tokens for which a forward of their own pays."""


def site_logprobs(model: PreTrainedModel, hidden: Hidden, batch: SiteBatch) -> torch.Tensor:
    """Returns log-probabilities at each site: ``[S, K]`` over its support, or ``[S, V]``.

    Entries outside the support are minus infinity.
    """
    logits_SV = model.get_output_embeddings()(hidden.states_DLE[batch.row_S, batch.position_S - hidden.start]).float()
    if batch.support_SK is None or batch.allowed_SK is None:
        return torch.log_softmax(logits_SV, dim=-1)
    logits_SK = logits_SV.gather(1, batch.support_SK).masked_fill(~batch.allowed_SK, -torch.inf)
    return torch.log_softmax(logits_SK, dim=-1)


def entropy(logprobs: torch.Tensor) -> torch.Tensor:
    """Returns the entropy of each row in nats, ``[S]``."""
    return -_expectation(logprobs, logprobs)


def kl(logprobs: torch.Tensor, reference_logprobs: torch.Tensor) -> torch.Tensor:
    """Returns KL(policy, reference) of each row in nats, ``[S]``; exact, over the whole support."""
    return _expectation(logprobs, logprobs) - _expectation(logprobs, reference_logprobs)


def _expectation(logprobs: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    inside = logprobs > -torch.inf
    return (torch.where(inside, logprobs, -torch.inf).exp() * torch.where(inside, values, 0.0)).sum(-1)
