"""Sample episodes as readable turn lists: who sat where, what each seat saw and said, what became of it.

Every text is made visible first (``arena.visible``) and folded when it is long; what a page cannot carry is counted,
never dropped silently. The page's template escapes the rest.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from arena.types import Episode, Turn
from arena.visible import visible
from curricula.report.wording import signed

HEAD_CHARACTERS = 1_200
FOLD_CHARACTERS = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldedText:
    """A text of any length, safe to show.

    Attributes:
        head: what is shown at once.
        fold: what is shown on demand; empty for short texts.
        omitted: how many characters the page does not hold; they are in the log.
    """

    head: str
    fold: str
    omitted: int

    @property
    def folded(self) -> int:
        """How many characters are behind the fold."""
        return len(self.fold)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatView:
    """Who sat in a seat and what it got; ``outcome`` is ``plus``, ``minus``, ``zero`` or ``unknown``."""

    seat: str
    role: str
    policy: str
    tag: str
    returns: str
    outcome: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnView:
    """One turn in words.

    Attributes:
        number: counts the turns of the episode from 1.
        seat: who acted.
        seat_index: its place in the lineup, for its colour.
        key: the information key.
        saw: what the seat was shown.
        said: the sampled text, or ``None`` for a scripted or human player.
        action: what the environment received, or ``None``.
        legal: whether it was legal.
        reason: why it was not understood or not legal.
        reward: with its sign.
        facts: log-probability, tokens, sampling and policy version, in words.
    """

    number: int
    seat: str
    seat_index: int
    key: FoldedText
    saw: FoldedText
    said: FoldedText | None
    action: FoldedText | None
    legal: bool
    reason: str
    reward: str
    facts: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeView:
    """One episode in words; ``anchor`` is its stable name on the page."""

    id: str
    anchor: str
    game: str
    task: str
    status: str
    reason: str
    seats: tuple[SeatView, ...]
    turns: tuple[TurnView, ...]


def folded(text: str, head: int = HEAD_CHARACTERS, fold: int = FOLD_CHARACTERS) -> FoldedText:
    """Returns ``text`` made visible, split into what is shown, what is folded and how much is left out."""
    end = head + fold
    return FoldedText(head=visible(text[:head]), fold=visible(text[head:end]), omitted=max(0, len(text) - end))


def episode_view(episode: Episode) -> EpisodeView:
    """Returns an episode in words."""
    seats = list(episode.lineup)
    return EpisodeView(
        id=visible(episode.id),
        anchor=f"episode-{visible(episode.id)}",
        game=visible(episode.task.game),
        task=episode.task.id,
        status=str(episode.status),
        reason=visible(episode.reason),
        seats=tuple(_seat_view(episode, seat) for seat in seats),
        turns=tuple(_turn_view(number, turn, seats) for number, turn in enumerate(episode.turns, 1)),
    )


def chosen(episodes: Sequence[Episode], most: int = 5) -> list[Episode]:
    """Returns a few episodes of a round that differ: some of every game, by course of play, then evenly spread."""
    courses: dict[tuple[object, ...], Episode] = {}
    for episode in episodes:
        legal = all(turn.legal for turn in episode.turns)
        course = (episode.task.game, legal, str(episode.status), tuple(turn.action for turn in episode.turns))
        courses.setdefault(course, episode)
    distinct = sorted(courses.items(), key=lambda item: (item[0][1], str(item[0][2]) == "completed"))
    odd = [episode for course, episode in distinct if not course[1]][: max(1, most // 3)]
    rest = [episode for course, episode in distinct if course[1]] or list(episodes)
    return [*_spread(rest, most - len(odd)), *odd]


def _spread(episodes: Sequence[Episode], wanted: int) -> list[Episode]:
    """Returns about so many episodes, as many of each game and at least one, evenly spread."""
    games: dict[str, list[Episode]] = {}
    for episode in episodes:
        games.setdefault(episode.task.game, []).append(episode)
    picked: list[Episode] = []
    for place, own in enumerate(games.values()):
        share = max(1, (wanted + len(games) - 1 - place) // len(games))
        picked += own[:: max(1, len(own) // share)][:share]
    return picked


def _seat_view(episode: Episode, seat: str) -> SeatView:
    plan, value = episode.lineup[seat], episode.returns.get(seat)
    return SeatView(
        seat=visible(seat),
        role=visible(plan.role),
        policy=visible(str(plan.policy)),
        tag=str(plan.tag),
        returns="unjudged" if value is None else signed(value),
        outcome="unknown" if value is None else "plus" if value > 0 else "minus" if value < 0 else "zero",
    )


def _turn_view(number: int, turn: Turn, seats: Sequence[str]) -> TurnView:
    return TurnView(
        number=number,
        seat=visible(turn.seat),
        seat_index=seats.index(turn.seat) if turn.seat in seats else 0,
        key=folded(turn.observation.information_key or turn.anchor_key, head=120, fold=0),
        saw=folded(turn.observation.text),
        said=None if turn.completion is None else folded(turn.completion.text),
        action=None if turn.action is None else folded(turn.action, head=120, fold=2000),
        legal=turn.legal,
        reason=visible(turn.reason[:200]),
        reward=signed(turn.reward),
        facts=_facts(turn),
    )


def _facts(turn: Turn) -> tuple[str, ...]:
    completion = turn.completion
    if completion is None:
        return ("no model: scripted or human",)
    total = sum(completion.logprobs)
    chance = f" (p = {math.exp(total):.3g})" if total <= 0 else ""
    return (
        f"log-prob {total:.3f}{chance}",
        f"{len(completion.token_ids)} tokens after {len(completion.prompt_ids)}",
        "drawn among the legal answers" if completion.support is not None else "drawn freely",
        f"temperature {completion.sampling.temperature:g}",
        f"ended by {visible(completion.finish_reason)}",
        f"policy {visible(str(completion.policy))}",
    )
