"""How a game ended for the person in it, in words: won, drawn and lost, forfeits, and what stopped it short.

Winning is for zero-sum games: the greatest return. Elsewhere a return is just told, because a player who got less than
another may still have played well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from arena.types import GameSpec, Payoff, Status

RIVALS = ("won", "drawn", "lost")
_WORDS = {"won": "You win", "lost": "You lose", "drawn": "A draw", "unjudged": "Nobody judged your answer"}


@dataclass(frozen=True, slots=True, kw_only=True)
class GameResult:
    """The end of one game.

    Attributes:
        status: completed, truncated or failed.
        reason: why, when it did not simply complete.
        returns: by seat; ``None`` for a seat left unjudged.
        moves: every answer, in order.
    """

    status: Status
    reason: str
    returns: Mapping[str, float | None]
    moves: Sequence[Mapping[str, str]] = field(default=())


def verdict(spec: GameSpec, mine: str, result: GameResult) -> str:
    """Returns ``won``, ``drawn``, ``lost``, ``paid`` (no rivals), ``unjudged``, ``truncated`` or ``failed``."""
    if result.status is not Status.COMPLETED:
        return str(result.status)
    own = result.returns[mine]
    others = [value for seat, value in result.returns.items() if seat != mine and value is not None]
    if own is None:
        return "unjudged"
    if spec.payoff is not Payoff.ZERO_SUM or not others:
        return "paid"
    best = max(others)
    return "won" if own > best else "lost" if own < best else "drawn"


def in_words(spec: GameSpec, mine: str, result: GameResult) -> str:
    """Returns how the game ended and what every seat got."""
    found = verdict(spec, mine, result)
    if found == "failed":
        return f"The game broke, and nobody is paid: {result.reason}"
    pay = "" if len(result.returns) == 1 else f": {returns_in_words(result.returns)}"
    if found == "truncated":
        limit = f"limit of {spec.max_turns} turns" if result.reason == "max_turns" else "own limit"
        return f"Stopped by the game's {limit}{pay}."
    kind, _, quitters = result.reason.partition(":")
    forfeit = f"Forfeit by {quitters.replace(',', ' and ')}: no legal answer. " if kind == "forfeit" else ""
    return f"{forfeit}{_WORDS.get(found) or f'You get {result.returns[mine]:g}'}{pay}."


def returns_in_words(returns: Mapping[str, float | None]) -> str:
    """Returns every seat's return: ``first +1, second -1``."""
    return ", ".join(f"{seat} {_signed(value)}" for seat, value in returns.items())


def score(spec: GameSpec, mine: str, results: Sequence[GameResult]) -> dict[str, object]:
    """Returns how often each end came, and every seat's sum of returns over the games that were judged and whole."""
    whole = [result for result in results if result.status is Status.COMPLETED]
    sums = {seat: sum(result.returns[seat] or 0.0 for result in whole) for seat in spec.seats}
    return {"games": len(results), **Counter(verdict(spec, mine, result) for result in results), "returns": sums}


def score_in_words(spec: GameSpec, mine: str, results: Sequence[GameResult], planned: int) -> str:
    """Returns the score so far, as ``After 2 of 3 games: 1 won, 1 lost; in all first +1, second -1.``."""
    counts = Counter(verdict(spec, mine, result) for result in results)
    told = [f"{counts[end]} {end}" for end in (*RIVALS, "unjudged", "truncated", "failed") if counts[end]]
    whole = [result for result in results if result.status is Status.COMPLETED]
    sums = {seat: sum(result.returns[seat] or 0.0 for result in whole) for seat in spec.seats}
    parts = [", ".join(told), f"in all {returns_in_words(sums)}"]
    return f"After {len(results)} of {planned} games: {'; '.join(part for part in parts if part)}."


def _signed(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:+g}" if value else "0"
