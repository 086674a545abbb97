"""The events of a ledger: their kinds and their fields.

Every event also says its game, so that one log can hold several ledgers. The round of a proposal and of an attempt is
that of the last ``ledger_round``: a log reserves the field ``round`` for its own use, and a fold that needs nothing
but events can be replayed from anything.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from arena.errors import InputError, unknown_name
from arena.types import Outcome

EXCERPT_CHARACTERS = 500
"""The most of a rejected proposal that is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventKind:
    """What an event of one kind says.

    Attributes:
        required: the fields that it must have.
        defaults: the fields that it may leave out, and what they then are.
        choices: the fields that take one of a few values.
    """

    required: tuple[str, ...]
    defaults: Mapping[str, Any] = field(default_factory=dict)
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


KINDS: Mapping[str, EventKind] = {
    "ledger_round": EventKind(required=("number",)),
    "task_proposed": EventKind(
        required=("task", "by"), defaults={"role": "", "episode": "", "signature": "", "kind": "", "skills": []}
    ),
    "task_validated": EventKind(
        required=("id", "outcome"),
        defaults={"reason": "", "checks": {}},
        choices={"outcome": ("valid", "invalid")},
    ),
    "task_admitted": EventKind(required=("id",), defaults={"reason": ""}),
    "task_rejected": EventKind(required=("reason",), defaults={"id": "", "episode": "", "excerpt": ""}),
    "attempt": EventKind(
        required=("id", "seat", "policy", "version", "episode", "outcome"),
        defaults={"verifier": "", "share": None},
        choices={"outcome": tuple(Outcome)},
    ),
    "score": EventKind(required=("id", "formula", "terms", "p_mean", "interval"), defaults={"episode": ""}),
    "pool_moved": EventKind(required=("id", "to"), defaults={"from": "", "reason": ""}),
    "alarm": EventKind(
        required=("detector", "evidence", "action"),
        defaults={"tasks": []},
        choices={"action": ("continue", "pause", "rollback")},
    ),
}
"""Every kind of event, in the order of a task's life."""


def event_fields(kind: str, fields: Mapping[str, Any], game: str) -> dict[str, Any]:
    """Returns the fields of an event as JSON values, complete and with the game.

    Raises:
        UnknownNameError: nobody knows the kind.
        InputError: a field is missing, unknown or no JSON value.
    """
    if kind not in KINDS:
        raise unknown_name("ledger.record", kind, KINDS)
    known = KINDS[kind]
    missing = [name for name in known.required if name not in fields]
    unknown = [name for name in fields if name not in (*known.required, *known.defaults)]
    if missing or unknown:
        raise InputError(
            f"ledger.record.{kind}: expected the fields {sorted((*known.required, *known.defaults))}, got "
            f"{sorted(fields)}; {f'add {missing}' if missing else f'leave out {unknown}'}"
        )
    for name, values in known.choices.items():
        if fields[name] not in values:
            raise InputError(
                f"ledger.record.{kind}.{name}: expected one of {[str(one) for one in values]}, got {fields[name]!r}; "
                "choose one of them"
            )
    whole = {**known.defaults, **fields, "game": game}
    if "excerpt" in whole:
        whole["excerpt"] = str(whole["excerpt"])[:EXCERPT_CHARACTERS]
    try:
        # Through text, so that what is folded live is what a log gives back.
        return dict(json.loads(json.dumps(whole, allow_nan=False)))
    except (TypeError, ValueError) as error:
        raise InputError(
            f"ledger.record.{kind}: expected JSON values, got {error}; keep text, finite numbers, lists and mappings"
        ) from error
