"""Fresh problems from a domain's own generator that are not sealed: what every curriculum without a proposer draws."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from arena.domains.domain import Domain, Problem, domains
from arena.errors import ConfigError, RunError

_MOST_DRAWS = 2000


def domain_in(name: str, base: Mapping[str, Any], *, pay: str = "") -> Domain:
    """Returns the domain of a campaign's game.

    Args:
        name: of the curriculum, for messages.
        base: the parameters that the campaign gives the game.
        pay: what the game must pay for the curriculum to make sense; empty: anything.

    Raises:
        ConfigError: the game has no domain, or pays something else.
    """
    if "domain" not in base:
        raise ConfigError(f"{name}: expected a game over a domain, got none; set params.domain")
    paid = base.get("pay", "verdict")
    if pay and paid != pay:
        raise ConfigError(f"{name}: expected a game with pay {pay}, got {paid!r}; set params.pay={pay}")
    return domains.make(base["domain"])


class ProblemSource:
    """Draws problems of one domain.

    Args:
        name: of the curriculum, for messages.
        domain: whose problems.
        sealed: signatures that may not be posed.
        least: the least difficulty.
        most: the greatest difficulty.

    Raises:
        ConfigError: the difficulties are out of range.
    """

    def __init__(self, name: str, domain: Domain, sealed: frozenset[str], least: int, most: int) -> None:
        if not 1 <= least <= most <= domain.most_difficulty:
            raise ConfigError(
                f"{name}.least, most: expected 1 <= least <= most <= {domain.most_difficulty}, got {least} and {most}; "
                "change them"
            )
        self.domain, self._name, self._sealed = domain, name, sealed
        self.difficulties = range(least, most + 1)
        self.refused = 0
        """Sealed problems that were drawn and refused, over the whole campaign."""

    def draw(self, random: np.random.Generator, kind: str = "", difficulty: int = 0) -> Problem:
        """Returns a problem; kinds and difficulties that are not said are as likely as each other.

        Raises:
            RunError: every problem that was drawn is sealed.
        """
        kinds = self.domain.kinds
        for _ in range(_MOST_DRAWS):
            chosen = kind or kinds[int(random.integers(len(kinds)))]
            depth = difficulty or self.difficulties[int(random.integers(len(self.difficulties)))]
            problem = self.domain.generate(random, chosen, depth)
            if self.domain.signature(problem) not in self._sealed:
                return problem
            self.refused += 1
        raise RunError(
            f"{self._name}: expected a problem of {self.domain.name} that is not sealed ({kind or 'any kind'}, "
            f"difficulty {difficulty or 'any'}), got {_MOST_DRAWS} sealed ones; lower evaluation.heldout.per_cell or "
            "raise curriculum.least"
        )
