"""NashConv of policies that can only be sampled: what ``n`` sampled actions at each information set tell.

The plug-in estimate takes the observed frequencies for the policy and solves that. It is biased upwards: each seat's
best response is chosen against the noise of the very samples that then value it, and the expected maximum is at least
the maximum of expectations. The half-sample estimate chooses the best responses against one half of the samples and
values them, and the policy itself, on the other half; then the halves change places and the two values are averaged.

Why its expectation is at most the true NashConv: at every information set the samples are independent of those
anywhere else, and under perfect recall no path of play visits a set twice. So a seat's return is linear in the
frequencies of each set apart, and the second half values a given response without bias, at what it truly earns. That
is never more than a best response earns. The bias is what the response loses by having been chosen on half of the
samples, and it vanishes as they grow. Together the two expectations enclose the true value. The half-sample estimate
of one set of samples may be negative; to cut it at 0 would bring an upward bias back.

Source: sample splitting, here as in the double estimator (H. van Hasselt, Double Q-learning, NIPS 2010; used against
the bias of the maximum in arXiv 1509.06461). Applying it to NashConv is our own choice, and no more than the argument
above. The interval resamples actions within each half of each set (B. Efron, Bootstrap methods, 1979): it shows the
noise of the half-sample estimate, not its bias.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from arena.errors import InputError
from arena.game_tree import GameTree, InformationSet
from arena.seeds import generator
from arena.solutions import best_response, expected_returns, nash_conv

Samples = Mapping[str, Mapping[str, Sequence[str]]]
"""Seat -> information key -> the actions that were sampled there, in the order of sampling."""

_Strategies = dict[str, dict[str, dict[str, float]]]
_Halves = tuple[_Strategies, _Strategies]

INTERVAL = (2.5, 97.5)
"""The percentiles of the interval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledNashConv:
    """What samples of all seats' policies tell about their NashConv.

    Attributes:
        plug_in: NashConv of the observed frequencies; in expectation at least the true one.
        half_sample: the half-sample estimate; in expectation at most the true one.
        samples_per_set: the fewest and the most samples of any information set.
        interval: the percentile bootstrap interval (95 %) of ``half_sample``, or ``None`` when none was asked for.
    """

    plug_in: float
    half_sample: float
    samples_per_set: tuple[int, int]
    interval: tuple[float, float] | None = None


def sampled_nash_conv(tree: GameTree, samples: Samples, *, resamples: int = 0, seed: int = 0) -> SampledNashConv:
    """Returns the plug-in and the half-sample estimate of NashConv.

    Args:
        tree: the enumerated game.
        samples: at least two independent actions at every information set of every seat; the first half of each list
            is one half of the sample.
        resamples: how many bootstrap resamples give the interval; 0 for none.
        seed: the root of the resampling.

    Raises:
        CapabilityError: a seat has forgotten something that matters to a best response.
        InputError: an information set has fewer than two samples, or an action that is not legal there.
    """
    counts = {info: _checked(samples, info) for info in tree.information_sets}
    halves = _halves(tree, counts)
    sizes = [len(actions) for actions in counts.values()]
    interval = None
    if resamples > 0:
        draw = generator("sampled_nash_conv", seed)
        values = [_half_sample(tree, _halves(tree, _resampled(counts, draw))) for _ in range(resamples)]
        low, high = np.percentile(values, INTERVAL)
        interval = float(low), float(high)
    whole = _frequencies(tree, counts)
    return SampledNashConv(
        plug_in=nash_conv(tree, whole).value,
        half_sample=_half_sample(tree, halves),
        samples_per_set=(min(sizes), max(sizes)),
        interval=interval,
    )


def _half_sample(tree: GameTree, halves: _Halves) -> float:
    """Returns what responses chosen on one half gain on the other, summed over the seats; the mean of both ways."""
    first, second = halves
    return (_gains(tree, first, second) + _gains(tree, second, first)) / 2


def _gains(tree: GameTree, chosen_on: _Strategies, valued_on: _Strategies) -> float:
    kept = expected_returns(tree, valued_on)
    total = 0.0
    for seat in tree.seats:
        response = best_response(tree, chosen_on, seat)[1]
        pure = {key: {action: 1.0} for key, action in response.items()}
        total += expected_returns(tree, {**valued_on, seat: pure})[seat] - kept[seat]
    return total


def _halves(tree: GameTree, counts: Mapping[InformationSet, Sequence[str]]) -> _Halves:
    first = {info: actions[: len(actions) // 2] for info, actions in counts.items()}
    second = {info: actions[len(actions) // 2 :] for info, actions in counts.items()}
    return _frequencies(tree, first), _frequencies(tree, second)


def _frequencies(tree: GameTree, counts: Mapping[InformationSet, Sequence[str]]) -> _Strategies:
    found: _Strategies = {seat: {} for seat in tree.seats}
    for info, actions in counts.items():
        seen = Counter(actions)
        found[info.seat][info.key] = {action: seen[action] / len(actions) for action in info.actions}
    return found


def _resampled(
    counts: Mapping[InformationSet, Sequence[str]], draw: np.random.Generator
) -> dict[InformationSet, list[str]]:
    """Returns as many actions of each set, drawn with replacement within each half."""
    found = {}
    for info, actions in counts.items():
        middle = len(actions) // 2
        first = draw.integers(0, middle, size=middle)
        second = draw.integers(middle, len(actions), size=len(actions) - middle)
        found[info] = [actions[index] for index in (*first, *second)]
    return found


def _checked(samples: Samples, info: InformationSet) -> Sequence[str]:
    actions = samples.get(info.seat, {}).get(info.key, ())
    if len(actions) < 2:
        raise InputError(
            f"samples[{info.seat!r}][{info.key!r}]: expected at least 2 actions, one a half, got {len(actions)}; "
            "sample every information set of tree.sets_of(seat)"
        )
    strange = next((action for action in actions if action not in info.actions), None)
    if strange is not None:
        raise InputError(
            f"samples[{info.seat!r}][{info.key!r}]: expected actions among {info.actions}, got {strange!r}; "
            "leave illegal answers out and report their share apart"
        )
    return actions
