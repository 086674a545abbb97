"""Held-out questions before and after."""

from __future__ import annotations

from typing import Any

import pytest

from curricula.report.probes import in_words, paired_change, probes


def asked(at: int, p_right: list[float], **fields: Any) -> dict[str, Any]:
    mean = sum(p_right) / len(p_right)
    return {
        "probe": "quiz-v0",
        "policy": "player",
        "round": at,
        "questions": len(p_right),
        "accuracy": [mean - 0.1, mean, mean + 0.1],
        "p_right": p_right,
        "families": {"logic": p_right[0], "counting": p_right[-1]},
        **fields,
    }


def test_the_change_is_paired() -> None:
    # By hand: changes 0.1, 0.3, 0.2; mean 0.2, standard deviation 0.1, half width 1.96 * 0.1 / sqrt(3).
    found = paired_change([0.1, 0.5, 0.9], [0.2, 0.8, 1.1])
    assert found == pytest.approx((0.2 - 0.113161, 0.2, 0.2 + 0.113161), abs=1e-6)


def test_pairing_finds_a_small_change_that_the_two_intervals_hide() -> None:
    before = [0.05 * at for at in range(20)]
    after = [value + 0.01 + 0.001 * (at % 2) for at, value in enumerate(before)]
    change = paired_change(before, after)
    assert change is not None
    assert 0 < change[0] < 0.0105 < change[2] < 0.02
    assert in_words(change).startswith("Better than before")


@pytest.mark.parametrize(("before", "after"), [([0.1, 0.2], [0.1]), (None, [0.1, 0.2]), ([0.1], [0.2]), ("?", "?")])
def test_other_questions_are_not_compared(before: object, after: object) -> None:
    assert paired_change(before, after) is None
    assert "cannot be compared" in in_words(None)


@pytest.mark.parametrize(
    ("change", "beginning"),
    [
        ((-0.1, 0.0, 0.1), "No change beyond chance"),
        ((0.0, 0.0, 0.0), "No change beyond chance"),
        ((0.01, 0.02, 0.03), "Better"),
        ((-0.03, -0.02, -0.01), "Worse"),
    ],
)
def test_the_verdict_says_what_the_interval_shows(change: tuple[float, float, float], beginning: str) -> None:
    assert in_words(change).startswith(beginning)


def test_the_first_answers_stand_beside_the_last() -> None:
    events = [asked(0, [0.2, 0.4]), asked(3, [0.9, 0.9]), asked(6, [0.3, 0.5])]
    (probe,) = probes(events)
    assert (probe.when, probe.questions) == ("after rounds 0 and 6", "2")
    assert (probe.measures[0].before, probe.measures[0].after) == ("30.0 % (20.0 to 40.0)", "40.0 % (30.0 to 50.0)")
    assert probe.change == "+10.00 percentage points (+10.00 to +10.00)"
    assert [(one.name, one.change) for one in probe.families] == [("logic", "+10.0"), ("counting", "+10.0")]
    assert probe.axis == ("20 %", "50 %")
    assert probe.families[0].place_before == pytest.approx(0.0)
    assert probe.families[0].place_after == pytest.approx(1 / 3)


def test_policies_are_kept_apart_and_one_answer_is_no_comparison() -> None:
    first, second = probes([asked(0, [0.2, 0.4]), asked(0, [0.2, 0.4], policy="other")])
    assert (first.policy, second.policy) == ("player", "other")
    assert not first.asked_twice
    assert first.change == ""
    assert first.verdict == "Asked once so far, after round 0; there is nothing to compare it with yet."


def test_what_it_says_when_nothing_is_masked_is_told() -> None:
    events = [asked(0, [0.2, 0.4], illegal_mass=0.99), asked(6, [0.3, 0.5], illegal_mass=0.5)]
    assert probes(events)[0].free.endswith("with a probability of 99.0 % before and 50.0 % after.")
    assert probes([asked(0, [0.2, 0.4], illegal_mass=0.001)])[0].free == ""
