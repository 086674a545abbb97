"""The proposer: sees earlier problems and what is wanted, and writes a new one for the solvers.

What it must write is said by the domain, in the observation. Text that is no proposal is a reason in the log.
"""

from __future__ import annotations

from roles.player import Player
from roles.role import roles


@roles.register("proposer")
class Proposer(Player):
    """Writes a problem that is valid, new, and neither trivial nor hopeless (Absolute Zero, arXiv 2505.03335)."""

    name = "proposer"
    instruction = ""


@roles.register("challenger")
class Challenger(Player):
    """A proposer that aims at the edge of what the solver can do (R-Zero, arXiv 2508.05004)."""

    name = "challenger"
    instruction = "Solvers should succeed about half of the time."
