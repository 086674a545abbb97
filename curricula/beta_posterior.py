"""A solve rate as a Beta posterior: what a handful of attempts really says.

A task with a true rate of 0.1 shows 0 of 8 in 43 % of trials; a mean hides that, an interval does not. Quantiles are
found by bisection of the regularised incomplete beta function (Numerical Recipes, third edition, section 6.4), so
that no statistics library is needed here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class BetaPosterior:
    """A Beta distribution over a rate.

    Attributes:
        alpha: prior plus (weighted) successes.
        beta: prior plus (weighted) failures.
    """

    alpha: float
    beta: float

    @property
    def mean(self) -> float:
        """The expected rate."""
        return self.alpha / (self.alpha + self.beta)

    def interval(self, mass: float = 0.95) -> tuple[float, float]:
        """Returns the central credible interval that holds ``mass``, in (0, 1)."""
        return self.quantile((1 - mass) / 2), self.quantile((1 + mass) / 2)

    def quantile(self, p: float) -> float:
        """Returns the rate below which ``p`` of the posterior lies, to 1e-12."""
        low, high = 0.0, 1.0
        while high - low > 1e-12:
            middle = (low + high) / 2
            low, high = (middle, high) if incomplete_beta(middle, self.alpha, self.beta) < p else (low, middle)
        return (low + high) / 2


def incomplete_beta(x: float, a: float, b: float) -> float:
    """Returns the regularised incomplete beta function ``I_x(a, b)`` for ``a, b > 0``."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(1 - x, b, a)
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    return math.exp(log_front) * _continued_fraction(x, a, b) / a


def _continued_fraction(x: float, a: float, b: float) -> float:
    """Evaluates the continued fraction of ``I_x(a, b)`` by Lentz's method; converges for x < (a + 1) / (a + b + 2)."""
    c, d = 1.0, _away_from_zero(1 - (a + b) * x / (a + 1))
    d = 1 / d
    result = d
    for m in range(1, 1000):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / _away_from_zero(1 + numerator * d)
            c = _away_from_zero(1 + numerator / c)
            result *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return result


def _away_from_zero(value: float) -> float:
    return value if abs(value) > 1e-300 else 1e-300
