"""Conformance checks: library code, for the built-in games and for those of users alike.

``check_game(game)`` raises a ``CheckError`` that names the first episode, ply, seat and field where a game breaks its
contract, and otherwise reports what was covered. ``check_foreign(env)`` does so for PettingZoo environments, those of
others above all: it names the first step, agent and field. ``check_domain(domain)`` does so for domains.
"""

from arena.testing.domains import DomainReport, check_domain
from arena.testing.foreign import ForeignReport, check_foreign
from arena.testing.games import GameReport, check_game

__all__ = ["DomainReport", "ForeignReport", "GameReport", "check_domain", "check_foreign", "check_game"]
