"""Episodes in words."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

from arena.log import read_episodes
from arena.types import Episode
from curricula.report.transcript import chosen, episode_view, folded


def episodes(run_dir: Path) -> list[Episode]:
    return list(read_episodes(run_dir, [0]))


def test_short_text_is_shown_whole() -> None:
    text = folded("bet\x1b[0m")
    assert (text.head, text.fold, text.omitted) == ("bet␛[0m", "", 0)


def test_long_text_is_folded_and_what_is_left_out_is_counted() -> None:
    text = folded("a" * 100 + "b" * 1_000_000, head=100, fold=50)
    assert (text.head, text.fold, text.omitted) == ("a" * 100, "b" * 50, 1_000_000 - 50)


def test_text_that_grows_when_made_visible_loses_nothing() -> None:
    text = folded("\u202e" * 100, head=100, fold=0)
    assert text.head + text.fold == "⟦U+202E⟧" * 100
    assert text.omitted == 0


def test_a_view_says_who_sat_where_and_what_each_saw(run_dir: Path) -> None:
    episode = episodes(run_dir)[0]
    view = episode_view(episode)
    assert [seat.seat for seat in view.seats] == ["first", "second"]
    assert view.seats[0].policy == "player@0"
    first = view.turns[0]
    assert first.saw.head == episode.turns[0].observation.text
    assert first.key.head == episode.turns[0].observation.information_key
    assert any(fact.startswith("log-prob -") for fact in first.facts)
    assert "policy player@0" in first.facts


def test_an_unjudged_seat_is_not_a_zero(run_dir: Path) -> None:
    view = episode_view(replace(episodes(run_dir)[0], returns={"first": None, "second": 1.0}))
    assert [(seat.returns, seat.outcome) for seat in view.seats] == [("unjudged", "unknown"), ("+1", "plus")]


def test_chosen_episodes_differ_and_show_an_illegal_one(run_dir: Path) -> None:
    picked = chosen(episodes(run_dir), 5)
    assert 1 < len(picked) <= 5
    courses = [tuple(turn.action for turn in episode.turns) for episode in picked]
    assert len(set(courses)) == len(courses)
    assert sum(not all(turn.legal for turn in episode.turns) for episode in picked) >= 1


def test_chosen_shows_every_game(run_dir: Path) -> None:
    kuhn = [episode for episode in episodes(run_dir) if all(turn.legal for turn in episode.turns)]
    others = [
        replace(episode, task=replace(episode.task, game=game)) for game in ("dice-v0", "rps-v0") for episode in kuhn
    ]
    counts = Counter(episode.task.game for episode in chosen([*kuhn, *others], 5))
    assert counts == {"kuhn_poker-v0": 2, "dice-v0": 2, "rps-v0": 1}


def test_chosen_copes_with_few_and_equal_episodes(run_dir: Path) -> None:
    one = episodes(run_dir)[0]
    assert chosen([one] * 9) == [one]
    assert chosen([]) == []
