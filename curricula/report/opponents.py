"""Results against fixed opponents as tables: how games ended by seat, and what each deal paid from every seat.

Only the latest evaluation of each pairing is listed; the curves show the earlier ones. A count that an older log does
not hold is left out, never taken for zero.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.visible import visible
from curricula.report.series import interval, number
from curricula.report.wording import policies, rate, signed

OTHER_ENDS = {
    "won_by_forfeit": "of them won by forfeit",
    "forfeits": "of them lost by forfeit",
    "truncated": "truncated",
    "failed": "failed",
    "unjudged": "unjudged",
}
"""The ends that are no plain win, draw or loss, in words."""

_COUNTS = ("games", "wins", "draws", "losses")


@dataclass(frozen=True, slots=True, kw_only=True)
class OpponentRow:
    """The latest result against one opponent from one seat; ``other_ends`` says in words what the counts hide."""

    game: str
    policy: str
    opponent: str
    seat: str
    round: int
    games: str
    wins: str
    draws: str
    losses: str
    low: float | None
    mid: float | None
    high: float | None
    rate: str
    not_lost: str
    return_mean: str
    other_ends: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DealRow:
    """The latest mean return over deals that were played from every seat.

    Attributes:
        game: the game's name in the campaign.
        policy: who played.
        opponent: against whom.
        deals: how many deals.
        low: the lower end of the interval on a scale from 0 to 1, with a return of 0 in the middle; or ``None``.
        mid: the mean on that scale.
        high: the upper end on that scale.
        mean: the mean return with its interval.
        luck: in words, what swapping the seats did to the variance.
    """

    game: str
    policy: str
    opponent: str
    deals: str
    low: float | None
    mid: float | None
    high: float | None
    mean: str
    luck: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OpponentTable:
    """Both tables, and which of their columns say something."""

    rows: tuple[OpponentRow, ...]
    deals: tuple[DealRow, ...]

    @property
    def several_games(self) -> bool:
        """Whether the rows are of several games."""
        return len({row.game for row in self.rows}) > 1

    @property
    def several_policies(self) -> bool:
        """Whether the rows are of several policies."""
        return len({row.policy for row in self.rows}) > 1

    @property
    def any_draw(self) -> bool:
        """Whether any game was drawn, so that not losing is more than winning."""
        return any(row.draws not in ("0", "–") and row.not_lost != "–" for row in self.rows)

    @property
    def any_other_end(self) -> bool:
        """Whether any game ended otherwise than in a plain win, draw or loss."""
        return any(row.other_ends for row in self.rows)

    @property
    def when(self) -> str:
        """Of whom and when the results are, in words."""
        rounds = sorted({row.round for row in self.rows})
        whose = "" if self.several_policies else "".join(f" of {row.policy}" for row in self.rows[:1] if row.policy)
        after = f"round {rounds[-1]}" if len(rounds) == 1 else f"rounds {rounds[0]} to {rounds[-1]}"
        return f"Latest results{whose}, after {after}"


def opponent_table(evaluated: Sequence[Mapping[str, Any]], started: Mapping[str, Any]) -> OpponentTable:
    """Returns the latest result of each policy against each opponent from each seat.

    Args:
        evaluated: the evaluation events, in order.
        started: the event of the run's start, which says who plays which seat.
    """
    rows: dict[tuple[str, ...], OpponentRow] = {}
    deals: dict[tuple[str, ...], tuple[Mapping[str, Any], Mapping[str, Any]]] = {}
    for event in evaluated:
        place = str(event.get("game", "")), str(event.get("policy", ""))
        for one in event.get("opponents") or ():
            rows[*place, str(one.get("opponent", "")), str(one.get("seat", ""))] = _opponent_row(event, one, started)
        for one in event.get("duplicates") or ():
            deals[*place, str(one.get("opponent", ""))] = event, one
    return OpponentTable(rows=tuple(rows.values()), deals=_deal_rows(list(deals.values())))


def _opponent_row(event: Mapping[str, Any], one: Mapping[str, Any], started: Mapping[str, Any]) -> OpponentRow:
    low, mid, high = interval(one.get("win_rate"))
    mean = number(one.get("return_mean"))
    counts = {name: "–" if one.get(name) is None else str(one[name]) for name in _COUNTS}
    return OpponentRow(
        game=visible(str(event.get("game", ""))),
        policy=visible(_policy(event, str(one.get("seat", "")), started)),
        opponent=visible(str(one.get("opponent", ""))),
        seat=visible(str(one.get("seat", ""))),
        round=int(event.get("round", 0)),
        **counts,
        low=low,
        mid=mid,
        high=high,
        rate=rate(low, mid, high),
        not_lost=rate(*interval(one.get("not_lost_rate"))),
        return_mean="–" if mean is None else signed(mean, 3),
        other_ends=visible(", ".join(f"{one[name]} {words}" for name, words in OTHER_ENDS.items() if one.get(name))),
    )


def _policy(event: Mapping[str, Any], seat: str, started: Mapping[str, Any]) -> str:
    """Returns who sat in the seat, with its version where the event speaks of one policy only."""
    named = str(event.get("policy", ""))
    if "+" not in named:
        return f"{named}@{event.get('version', '?')}"
    place: object = started.get("games")
    for name in (str(event.get("game", "")), "seats", seat):
        place = place.get(name) if isinstance(place, Mapping) else None
    return str(place.get("policy") or policies(named)) if isinstance(place, Mapping) else policies(named)


def _deal_rows(latest: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]) -> tuple[DealRow, ...]:
    scales: dict[str, float] = {}
    for event, one in latest:
        ends = [abs(end) for end in interval(one.get("return")) if end is not None]
        game = str(event.get("game", ""))
        scales[game] = max([scales.get(game, 0.0), *ends])
    return tuple(_deal_row(event, one, scales[str(event.get("game", ""))]) for event, one in latest)


def _deal_row(event: Mapping[str, Any], one: Mapping[str, Any], scale: float) -> DealRow:
    low, mid, high = interval(one.get("return"))
    places = [None if end is None else 0.5 + end / (2.2 * scale) if scale else 0.5 for end in (low, mid, high)]
    return DealRow(
        game=visible(str(event.get("game", ""))),
        policy=visible(policies(str(event.get("policy", "")))),
        opponent=visible(str(one.get("opponent", ""))),
        deals="–" if one.get("deals") is None else str(one["deals"]),
        low=places[0],
        mid=places[1],
        high=places[2],
        mean="–" if mid is None or low is None or high is None else f"{signed(mid, 3)} ({_ends(low, high)})",
        luck=luck_in_words(number(one.get("variance_ratio"))),
    )


def luck_in_words(variance_ratio: float | None) -> str:
    """Returns what swapping the seats did to the variance of the mean, against as many unrelated deals."""
    if variance_ratio is None:
        return "–"
    change = round(100 * abs(1 - variance_ratio))
    if change < 1:
        return "as much luck as in unrelated deals"
    return f"{change} % {'less' if variance_ratio < 1 else 'more'} variance than unrelated deals"


def _ends(low: float, high: float) -> str:
    return f"{signed(low, 3)} to {signed(high, 3)}"
