"""Units: the turns of trained seats, as estimators see them.

A unit is one decision of one trained seat together with what followed. Units of a round are listed in canonical
order (episode, then turn), so that nothing downstream depends on the order in which episodes arrived. A seat that a
verifier left unjudged has no units: UNDECIDED never becomes a return of 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from arena.errors import RunError
from arena.types import Completion, Episode, EpisodeGroup, PolicyId, Settlement, Status, Tag


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One turn of one trained seat.

    Attributes:
        episode_id: whose turn it was.
        group_id: the group of the episode (same task).
        task_id: the task.
        task_type: the task's parameter ``kind``; empty where it has none.
        game: the registered id of the game.
        seat: who acted.
        role: the seat's behaviour.
        role_seats: how many seats of the episode have this role, whoever sits there.
        policy: the weights that sampled.
        ordinal: counts the seat's own turns from 0.
        env_step: the environment's step.
        node_id: equal exactly when the joint history is.
        anchor_key: the seat's information key.
        return_to_go: sum of the seat's rewards from this turn on, pay by settlement included.
        episode_return: the seat's return of the whole episode, pay by settlement included.
        completion: the sampled tokens.
    """

    episode_id: str
    group_id: str
    task_id: str
    game: str
    seat: str
    role: str
    policy: PolicyId
    ordinal: int
    env_step: int
    node_id: str
    anchor_key: str
    return_to_go: float
    episode_return: float
    completion: Completion
    task_type: str = ""
    role_seats: int = 1


def units_of(groups: Iterable[EpisodeGroup], settlements: Sequence[Settlement] = ()) -> list[Unit]:
    """Returns the units of all judged, trained seats, sorted by episode and turn.

    Failed episodes have no units. A settlement for a turn adds to that turn's reward; one for a whole episode adds to
    the reward of the seat's last turn.

    Raises:
        RunError: a settlement pays a turn that its seat did not take.
    """
    pay: dict[tuple[str, str], list[Settlement]] = {}
    for settlement in settlements:
        pay.setdefault((settlement.episode_id, settlement.seat), []).append(settlement)
    episodes = sorted((e for group in groups for e in group.episodes), key=lambda e: e.id)
    return [unit for episode in episodes if episode.status is not Status.FAILED for unit in _episode(episode, pay)]


def _episode(episode: Episode, pay: Mapping[tuple[str, str], Sequence[Settlement]]) -> list[Unit]:
    units: list[Unit] = []
    kind = episode.task.params.get("kind", "")
    role_seats = Counter(plan.role for plan in episode.lineup.values())
    for seat, plan in episode.lineup.items():
        if plan.tag is not Tag.LIVE or episode.returns.get(seat) is None:
            continue
        turns = [turn for turn in episode.turns if turn.seat == seat]
        due = pay.get((episode.id, seat), ())
        rewards = _paid([turn.reward for turn in turns], due)
        whole = float(episode.returns[seat] or 0.0) + sum(sum(one.terms.values()) for one in due)
        for index, turn in enumerate(turns):
            if turn.completion is not None:
                units.append(
                    Unit(
                        episode_id=episode.id,
                        group_id=episode.group_id,
                        task_id=episode.task.id,
                        game=episode.task.game,
                        seat=seat,
                        role=plan.role,
                        policy=plan.policy,
                        ordinal=turn.ordinal,
                        env_step=turn.env_step,
                        node_id=turn.node_id,
                        anchor_key=turn.anchor_key,
                        return_to_go=sum(rewards[index:]),
                        episode_return=whole,
                        completion=turn.completion,
                        task_type=kind if isinstance(kind, str) else "",
                        role_seats=role_seats[plan.role],
                    )
                )
    return units


def _paid(rewards: list[float], settlements: Iterable[Settlement]) -> list[float]:
    for settlement in settlements:
        turn = len(rewards) - 1 if settlement.turn is None else settlement.turn
        if settlement.turn is not None and not 0 <= turn < len(rewards):
            raise RunError(
                f"settlement {settlement.formula} of {settlement.episode_id}/{settlement.seat}: expected a turn that "
                f"the seat took, got {turn} of {len(rewards)}; correct the curriculum's settle"
            )
        if rewards:
            rewards[turn] += sum(settlement.terms.values())
    return rewards
