"""The values of a learnability rule that a reader checks by eye: its table, what it pays on average, and its peak.

A rule that wants more than counts is shown on attempts with returns of 0 and 1: answers vary as p(1 - p), advantages
are returns minus their mean, the best return is 1 once anybody succeeded, the antagonist always succeeds, and the
share of verified steps is p.

``python -m curricula.golden_table > tests/golden/learnability.txt`` writes the golden file; a test compares the two.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping

import numpy as np

from arena.errors import InputError
from curricula.learnability import Evidence, LearnabilityRule, pay, rules

INVALID_CLASSES = ("malformed", "fails_to_run", "not_deterministic", "unsafe", "leaks_answer", "duplicate")
"""How a proposal can fail to be a task; within one rule each failure costs the same."""

_GRID = 1000


def binary_evidence(successes: int, attempts: int) -> Evidence:
    """Returns the evidence of attempts with returns of 0 and 1, every optional number filled in.

    Raises:
        InputError: there is no attempt.
    """
    p = Evidence(successes=successes, attempts=attempts).solve_rate
    return Evidence(
        successes=successes,
        attempts=attempts,
        answer_variance=p * (1 - p),
        verified_share=p,
        advantages=(1 - p,) * successes + (-p,) * (attempts - successes),
        best_return=float(successes > 0),
        mean_return=p,
        antagonist_return=1.0,
        protagonist_return=p,
    )


def golden_table(rule: LearnabilityRule, n: int) -> dict[str, float | None]:
    """Returns the pay at p = 0, 1/n, 1/2, (n-1)/n and 1, and for each invalid class.

    ``None`` stands for evidence that the rule refuses, for example because n is too small.

    Raises:
        InputError: ``n`` is odd or less than 2, so that p = 1/2 does not exist.
    """
    if n < 2 or n % 2:
        raise InputError(f"golden_table.n: expected an even number of attempts, got {n}; choose 4 or 8")
    solved: Mapping[str, int] = {"p=0": 0, "p=1/n": 1, "p=1/2": n // 2, "p=(n-1)/n": n - 1, "p=1": n}
    table = {name: _pay(rule, binary_evidence(successes, n)) for name, successes in solved.items()}
    return table | {f"invalid:{slug}": _pay(rule, Evidence(invalid=slug)) for slug in INVALID_CLASSES}


def expected_pay(rule: LearnabilityRule, p: float, n: int) -> float:
    """Returns the mean pay of a valid task whose true solve rate is ``p``, over samples of ``n`` attempts.

    Raises:
        InputError: the rule refuses ``n`` attempts.
    """
    return float(_expected_pays(rule, np.array([p]), n)[0])


def peak(rule: LearnabilityRule, n: int) -> float:
    """Returns the true solve rate, to 0.001, at which a rule pays most on average for ``n`` attempts.

    Raises:
        InputError: the rule refuses ``n`` attempts.
    """
    rates = np.arange(_GRID + 1) / _GRID
    # Rounded, so that of equal values the first wins whatever the order of the sum.
    return float(rates[np.argmax(np.round(_expected_pays(rule, rates, n), 12))])


def golden_text(numbers: tuple[int, ...] = (4, 8)) -> str:
    """Returns the tables of every registered rule as text, one line a value."""
    lines = []
    for name in rules:
        rule = rules.make(name)
        for n in numbers:
            for case, value in golden_table(rule, n).items():
                lines.append(f"{name}-v{rule.version}/n={n} {case} {shown(value)}")
    return "\n".join(lines) + "\n"


def shown(value: float | None) -> str:
    """Returns a value with four digits and no negative zero, or ``refused``."""
    return "refused" if value is None else f"{round(value, 4) + 0.0:.4f}"


def _pay(rule: LearnabilityRule, evidence: Evidence) -> float | None:
    try:
        return pay(rule.score(evidence))
    except InputError:
        return None


def _expected_pays(rule: LearnabilityRule, rates: np.ndarray, n: int) -> np.ndarray:
    total = np.zeros_like(rates, dtype=float)
    for successes in range(n + 1):
        weight = math.comb(n, successes) * rates**successes * (1 - rates) ** (n - successes)
        total += weight * pay(rule.score(binary_evidence(successes, n)))
    return total


if __name__ == "__main__":
    sys.stdout.write(golden_text())
