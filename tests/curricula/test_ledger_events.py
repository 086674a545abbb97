"""What an event may say."""

from __future__ import annotations

import pytest

from arena.errors import InputError, UnknownNameError
from curricula.ledger_events import EXCERPT_CHARACTERS, KINDS, event_fields

ATTEMPT = {"id": "a", "seat": "solver", "policy": "solver", "version": 1, "episode": "e", "outcome": "correct"}


def test_what_is_left_out_is_filled_in_and_the_game_is_added():
    assert event_fields("attempt", ATTEMPT, "g-v0") == {**ATTEMPT, "verifier": "", "share": None, "game": "g-v0"}


def test_an_excerpt_is_cut():
    fields = event_fields("task_rejected", {"reason": "unsafe", "excerpt": "x" * 9000}, "g-v0")
    assert fields["excerpt"] == "x" * EXCERPT_CHARACTERS


def test_tuples_become_lists_as_in_a_log():
    fields = {"id": "a", "formula": "f", "terms": {"t": 1}, "p_mean": 0.5, "interval": (0.1, 0.9)}
    assert event_fields("score", fields, "g-v0")["interval"] == [0.1, 0.9]


def test_no_event_has_a_field_that_a_log_reserves():
    names = {name for kind in KINDS.values() for name in (*kind.required, *kind.defaults, "game")}
    assert not names & {"v", "event", "round"}


@pytest.mark.parametrize(
    ("kind", "fields", "message"),
    [
        ("attempt", {"id": "a"}, r"ledger\.record\.attempt: .* add \['seat', 'policy', "),
        ("task_admitted", {"id": "a", "why": "x"}, r"ledger\.record\.task_admitted: .* leave out \['why'\]"),
        ("attempt", {**ATTEMPT, "outcome": "solved"}, r"attempt\.outcome: expected one of \['correct', 'wrong', "),
        ("task_admitted", {"id": "a", "reason": float("nan")}, "expected JSON values"),
        ("task_admitted", {"id": "a", "reason": object()}, "expected JSON values"),
    ],
)
def test_what_cannot_be_folded_is_refused(kind, fields, message):
    with pytest.raises(InputError, match=message):
        event_fields(kind, fields, "g-v0")


def test_an_unknown_kind_names_its_neighbours():
    with pytest.raises(UnknownNameError, match="task_admitted"):
        event_fields("task_admited", {}, "g-v0")
