"""Which figures are drawn, and where they stand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from curricula.report.panels import panels
from curricula.report.run_record import RunRecord, read_run


def also(run: RunRecord, **fields: Any) -> RunRecord:
    """Returns the run with a second game, whose evaluations are those of the first but for the given fields."""
    return replace(run, events=(*run.events, *({**event, **fields} for event in run.of_kind("evaluated"))))


def test_a_game_alone_has_a_wide_curve_and_its_opponents_share_a_row(run_dir: Path) -> None:
    found = panels(read_run(run_dir))
    assert [(slot.title, slot.size) for slot in found.learning] == [("NashConv in kuhn", "wide")]
    assert [(slot.title, slot.size) for slot in found.opponents] == [
        ("Share of games won in kuhn", "half"),
        ("Mean return in kuhn, over all seats", "half"),
    ]


def test_every_game_has_its_curve_with_its_own_references(run_dir: Path) -> None:
    found = panels(also(read_run(run_dir), game="dice", references={"uniform": 1.111}))
    assert [slot.title for slot in found.learning] == ["NashConv in kuhn", "NashConv in dice"]
    assert {slot.size for slot in found.learning} == {"half"}
    texts = [
        [trace["text"][1].strip() for trace in found.drawn[slot.id]["data"] if "text" in trace]
        for slot in found.learning
    ]
    assert texts == [["equilibrium 0", "always bet 0.6667", "uniform 0.9167"], ["uniform 1.111"]]


def test_a_game_that_is_not_solved_stands_among_the_learning_curves(run_dir: Path) -> None:
    found = panels(also(read_run(run_dir), game="chess", nash_conv=None))
    assert [slot.title for slot in found.learning] == [
        "NashConv in kuhn",
        "Share of games won in chess",
        "Mean return in chess, over all seats",
    ]
    assert not [slot for slot in found.opponents if "chess" in slot.title]


def test_the_slots_are_the_figures(run_dir: Path) -> None:
    found = panels(read_run(run_dir))
    slots = [*found.learning, *found.opponents, *found.training]
    assert sorted(slot.id for slot in slots) == sorted(found.drawn)
