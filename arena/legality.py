"""Whether an answer can be played, and whether a rule for illegal answers fits a game; what it costs is ``pay.py``."""

from __future__ import annotations

import math
from collections.abc import Sequence

from arena.errors import ConfigError
from arena.types import Action, GameSpec, IllegalRule, NotUnderstood

KINDS = ("retry", "penalise", "forfeit", "blank")
_SHOWN = 80


def fault(action: Action | NotUnderstood, legal: Sequence[str] | None) -> str:
    """Returns why an answer cannot be played, or an empty string when it can.

    Args:
        action: the parsed answer.
        legal: the legal actions, or ``None`` where every text may be played.

    Returns:
        The reason of a ``NotUnderstood``, or ``illegal:<action>`` with the action cut after 80 characters.
    """
    if isinstance(action, NotUnderstood):
        return action.reason or "not_understood"
    if legal is None or action.value in legal:
        return ""
    shown = action.value if len(action.value) <= _SHOWN else action.value[:_SHOWN] + "..."
    return f"illegal:{shown}"


def check_rule(rule: IllegalRule, spec: GameSpec) -> IllegalRule:
    """Returns ``rule`` when ``spec`` can be played by it.

    Raises:
        ConfigError: an unknown kind, a negative number, a penalty rule in a game without listed actions, or a forfeit
            in a game whose ``returns_range`` has no low end.
    """
    if rule.kind not in KINDS:
        raise ConfigError(f"illegal.kind: expected one of {', '.join(KINDS)}, got {rule.kind!r}; choose one")
    if rule.retries < 0 or rule.penalty < 0:
        raise ConfigError(
            f"illegal: expected retries and penalty of at least 0, got {rule.retries} and {rule.penalty}; raise them"
        )
    if rule.kind == "penalise" and spec.actions is None:
        raise ConfigError(
            f"illegal.kind: expected retry or forfeit for {spec.id}, whose actions are free text, got 'penalise'; "
            "no legal action can be drawn in its place"
        )
    if rule.kind == "blank" and spec.actions is not None:
        raise ConfigError(
            f"illegal.kind: expected retry, penalise or forfeit for {spec.id}, whose actions are listed, got 'blank'; "
            "an empty text is none of them"
        )
    if rule.kind in ("retry", "forfeit") and not math.isfinite(spec.returns_range[0]):
        raise ConfigError(
            f"illegal.kind: expected penalise for {spec.id}, whose returns have no low end that a forfeit could cost, "
            f"got {rule.kind!r}; declare returns_range or penalise"
        )
    return rule
