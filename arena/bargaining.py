"""How well a negotiation divides its pool: efficiency, Pareto optimality, and the Nash bargaining solution.

All are functions of an end of ``arena.games.negotiation``. They leave the discount out, because it punishes delay and
not the division.
"""

from __future__ import annotations

from arena.games.negotiation import Bargain, Split, agreed_split, agreed_worths, splits, worths


def efficiency(state: Bargain) -> float:
    """Returns the sum of both values of the agreement over the greatest possible sum, in [0, 1]; 0 without one."""
    best = max(sum(worths(state, split)) for split in splits(state.pool))
    return sum(agreed_worths(state)) / best


def pareto_optimal(state: Bargain) -> bool:
    """Whether the seats agreed on a split that no other improves for one of them at no cost to the other."""
    if agreed_split(state) is None:
        return False
    mine, yours = agreed_worths(state)
    others = [worths(state, split) for split in splits(state.pool)]
    return not any(a >= mine and b >= yours and (a, b) != (mine, yours) for a, b in others)


def nash_bargaining(state: Bargain) -> Split:
    """Returns the split of the greatest product of values (J. F. Nash, The bargaining problem, 1950).

    Disagreement pays 0. Ties go to the greater sum, then to the split that gives the first seat fewer items, books
    counted first.
    """
    return max(splits(state.pool), key=lambda split: _product_then_sum(state, split))


def nash_ratio(state: Bargain) -> float:
    """Returns the product of both values of the agreement over the greatest possible one, in [0, 1]; 0 without one."""
    mine, yours = agreed_worths(state)
    return mine * yours / _product_then_sum(state, nash_bargaining(state))[0]


def _product_then_sum(state: Bargain, split: Split) -> tuple[int, int]:
    mine, yours = worths(state, split)
    return mine * yours, mine + yours
