"""One sentence about what an evaluation found: what the policy does where it has changed most.

Poker-like information keys (``K check bet``: the private card, then the public history) become words; any other key
is quoted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_CARDS = {"J": "a Jack", "Q": "a Queen", "K": "a King", "A": "an Ace"}
_BOLD = ("bet", "call", "raise")

Strategy = Mapping[str, Mapping[str, float]]


def sentence(event: Mapping[str, Any], before: Mapping[str, Any] | None) -> str:
    """Returns what the policy does now, where it moved most since the evaluation before.

    Args:
        event: the fields of an ``evaluated`` event: ``strategy`` by information key and action, ``equilibrium`` by
            key, action and (low, high), or else ``opponents``.
        before: the event before it, or ``None``.
    """
    strategy: Strategy = event.get("strategy") or {}
    if not strategy:
        return _against(event)
    known: Strategy = (before or {}).get("strategy") or {}
    key = max(sorted(strategy), key=lambda one: _moved(strategy[one], known.get(one)))
    action = _shown_action(strategy[key])
    share = strategy[key][action]
    was = known.get(key, {}).get(action)
    moved = f", {was:.0%} before" if was is not None and abs(was - share) >= 0.005 else ""
    return f"{situation(key)} it {_verb(action)} {share:.0%} of the time{moved}{_equilibrium(event, key, action)}"


def situation(key: str) -> str:
    """Returns an information key in words."""
    card, *history = key.split()
    if card not in _CARDS:
        return f"at {key!r}"
    return f"with {_CARDS[card]} after {', '.join(history)}" if history else f"opening with {_CARDS[card]}"


def _against(event: Mapping[str, Any]) -> str:
    results = [
        f"as {one.get('seat', '?')} it wins {one['win_rate'][1]:.0%} against {one.get('opponent', '?')}"
        for one in event.get("opponents") or ()
        if one.get("win_rate")
    ]
    return "; ".join(results[:2])


def _moved(now: Mapping[str, float], before: Mapping[str, float] | None) -> float:
    if before is None:
        return max(now.values(), default=0.0) - 1.0
    return max((abs(p - before.get(action, 0.0)) for action, p in now.items()), default=0.0)


def _shown_action(actions: Mapping[str, float]) -> str:
    bold = next((action for action in _BOLD if action in actions), None)
    return bold or max(sorted(actions), key=lambda action: actions[action])


def _verb(action: str) -> str:
    return f"{action}s" if action in {*_BOLD, "check", "fold"} else f"plays {action}"


def _equilibrium(event: Mapping[str, Any], key: str, action: str) -> str:
    ends = ((event.get("equilibrium") or {}).get(key) or {}).get(action)
    if not ends:
        return ""
    low, high = ends
    span = f"{low:.0%}" if high - low < 0.005 else f"{low:.0%} to {high:.0%}"
    return f" (an equilibrium: {span})"
