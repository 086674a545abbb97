"""Sites: the distinct places at which a batch of rows asks the model for a distribution.

In a small game a round of 512 episodes asks the same few prompts thousands of times. A *site* is one (input tokens,
allowed ids): the model is run once for each distinct input, one distribution is computed for each site, and its
log-probabilities are gathered back to every token of every row. The objective therefore sees all rows with their own
advantages and behaviour log-probabilities; nothing is summed beforehand, since min and clip are not linear.

Tokens with a single allowed id have log-probability 0 whatever the weights: they need no site. They still count as
tokens in the denominators. An input ends before the last token that was a choice, so rows that differ only in that
last choice share their input.

Shapes: D distinct inputs, S sites, N tokens that were a choice (of all rows), R rows, K allowed ids.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from training.rows import Row

Ints = NDArray[np.int64]
Support = tuple[int, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """A place that needs a distribution: the logits after token ``position`` of input ``input``."""

    input: int
    position: int
    support: Support


@dataclass(frozen=True, slots=True, kw_only=True)
class SitePlan:
    """How the tokens of a batch of rows hang on distinct sites and inputs.

    Attributes:
        inputs: the distinct input sequences, D of them, in order of first appearance.
        sites: the distinct sites, S of them.
        site_N: the site of each choice token.
        choice_N: which entry of the site's distribution was sampled: an index into the support, or a token id.
        row_N: the row of each choice token.
        offset_N: the position of the choice token within its completion.
        tokens_R: completion tokens of each row, forced ones included.
    """

    inputs: tuple[tuple[int, ...], ...]
    sites: tuple[Site, ...]
    site_N: Ints
    choice_N: Ints
    row_N: Ints
    offset_N: Ints
    tokens_R: Ints


def plan_sites(rows: Sequence[Row]) -> SitePlan:
    """Returns the distinct inputs and sites of ``rows`` and the map from each choice token to its site."""
    inputs: dict[tuple[int, ...], int] = {}
    sites: dict[Site, int] = {}
    known: dict[tuple[object, ...], tuple[list[int], list[int], list[int]]] = {}
    site_lists, choice_lists, offset_lists = [], [], []
    for row in rows:
        key = (row.ids, row.prompt_length, row.support)
        if key not in known:
            known[key] = _plan_row(row, inputs, sites)
        site, choice, offset = known[key]
        site_lists.append(site)
        choice_lists.append(choice)
        offset_lists.append(offset)
    counts_R = [len(site) for site in site_lists]
    return SitePlan(
        inputs=tuple(inputs),
        sites=tuple(sites),
        site_N=_flat(site_lists),
        choice_N=_flat(choice_lists),
        row_N=np.repeat(np.arange(len(rows)), counts_R).astype(np.int64),
        offset_N=_flat(offset_lists),
        tokens_R=np.array([sum(row.mask) for row in rows], dtype=np.int64),
    )


def _plan_row(
    row: Row, inputs: dict[tuple[int, ...], int], sites: dict[Site, int]
) -> tuple[list[int], list[int], list[int]]:
    start = row.prompt_length
    completion = row.ids[start:]
    offsets = [o for o in range(len(completion)) if row.support is None or len(row.support[o]) != 1]
    if not offsets:
        return [], [], []
    seen = row.ids[: start + offsets[-1]]
    source = inputs.setdefault(seen, len(inputs))
    site_list, choice_list = [], []
    for offset in offsets:
        support = None if row.support is None else row.support[offset]
        site = Site(input=source, position=start + offset - 1, support=support)
        site_list.append(sites.setdefault(site, len(sites)))
        choice_list.append(completion[offset] if support is None else support.index(completion[offset]))
    return site_list, choice_list, offsets


def _flat(lists: list[list[int]]) -> Ints:
    return np.array([value for values in lists for value in values], dtype=np.int64)


def micro_batches(plan: SitePlan, most_tokens: int) -> Iterator[Ints]:
    """Yields the indices of the inputs of each micro-batch: similar lengths together, at most ``most_tokens`` padded.

    Every site belongs to one input and so to one micro-batch. The split changes no gradient: denominators are fixed
    for the whole step before the first micro-batch.
    """
    order = sorted(range(len(plan.inputs)), key=lambda i: len(plan.inputs[i]))
    batch: list[int] = []
    for index in order:
        if batch and (len(batch) + 1) * len(plan.inputs[index]) > most_tokens:
            yield np.array(batch, dtype=np.int64)
            batch = []
        batch.append(index)
    if batch:
        yield np.array(batch, dtype=np.int64)
