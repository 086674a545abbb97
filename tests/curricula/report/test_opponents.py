"""The tables of results against fixed opponents."""

from __future__ import annotations

from typing import Any

import pytest

from curricula.report.opponents import luck_in_words, opponent_table

ONE = {"opponent": "uniform", "seat": "first", "games": 4, "wins": 1, "win_rate": [0.1, 0.25, 0.5]}


def event(policy: str = "a", version: int = 1, **fields: Any) -> dict[str, Any]:
    return {"policy": policy, "version": version, "game": "g", "round": version, "opponents": [ONE], **fields}


def test_each_policy_keeps_its_own_latest_row() -> None:
    table = opponent_table([event(policy, version) for policy in ("a", "b") for version in (1, 2)], {})
    assert [row.policy for row in table.rows] == ["a@2", "b@2"]
    assert table.rows[0].rate == "25.0 % (10.0 to 50.0)"
    assert table.several_policies
    assert not table.several_games
    assert table.when == "Latest results, after round 2"


def test_what_an_older_log_lacks_is_no_zero_and_needs_no_column() -> None:
    table = opponent_table([event()], {})
    (row,) = table.rows
    assert (row.draws, row.not_lost, row.return_mean, row.other_ends) == ("–", "–", "–", "")
    assert not table.any_draw
    assert not table.any_other_end
    assert table.deals == ()
    assert table.when == "Latest results of a@1, after round 1"


def test_other_ends_stand_in_words_where_there_are_any() -> None:
    ends = {"won_by_forfeit": 3, "forfeits": 0, "truncated": 2, "failed": 0, "unjudged": 1, "draws": 1}
    table = opponent_table([event(opponents=[{**ONE, **ends, "not_lost_rate": [0.2, 0.5, 0.8]}])], {})
    assert table.rows[0].other_ends == "3 of them won by forfeit, 2 truncated, 1 unjudged"
    assert table.any_other_end
    assert table.any_draw
    assert table.rows[0].not_lost == "50.0 % (20.0 to 80.0)"


def test_a_seat_has_its_own_policy_where_several_share_a_game() -> None:
    seats = {"first": {"policy": "row"}, "second": {"policy": "column"}}
    both = [ONE, {**ONE, "seat": "second"}]
    joined = event(policy="column+row", opponents=both)
    started = {"games": {"g": {"seats": seats}}}
    assert [row.policy for row in opponent_table([joined], started).rows] == ["row", "column"]
    assert [row.policy for row in opponent_table([joined], {"games": "?"}).rows] == ["column and row"] * 2


def test_deals_are_drawn_on_one_scale_a_game_with_zero_in_the_middle() -> None:
    deals = [
        {"opponent": "uniform", "deals": 200, "return": [-1.0, 0.0, 1.0], "variance_ratio": 0.4},
        {"opponent": "initial", "deals": 200, "return": [0.5, 1.0, 2.0], "variance_ratio": None},
        {"opponent": "nobody", "deals": 0, "return": None, "variance_ratio": None},
    ]
    first, second, none = opponent_table([event(duplicates=deals)], {}).deals
    assert (first.mean, first.mid) == ("0 (−1.000 to +1.000)", 0.5)
    assert first.low is not None
    assert second.high is not None
    assert first.low == pytest.approx(0.5 - 1 / 4.4)
    assert second.high == pytest.approx(0.5 + 1 / 2.2)
    assert (none.mean, none.mid, none.deals) == ("–", None, "0")


@pytest.mark.parametrize(
    ("ratio", "words"),
    [
        (None, "–"),
        (0.38, "62 % less variance than unrelated deals"),
        (1.07, "7 % more variance than unrelated deals"),
        (0.998, "as much luck as in unrelated deals"),
    ],
)
def test_luck_in_words(ratio: float | None, words: str) -> None:
    assert luck_in_words(ratio) == words
