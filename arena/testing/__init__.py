"""Conformance checks: library code, for the built-in games and for those of users alike.

``check_game(game)`` raises a ``CheckError`` that names the first episode, ply, seat and field where a game breaks its
contract, and otherwise reports what was covered.
"""

from arena.testing.games import GameReport, check_game

__all__ = ["GameReport", "check_game"]
