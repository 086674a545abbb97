"""A game tree while it grows, breadth first: nodes, edges and information sets in the order of discovery.

A node is a state, what was chosen so far in a joint step, and, where the game does not name its information sets,
every seat's own past. Whatever the game breaks of its contract is found here and named.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import Any

from arena.errors import CapabilityError, GameError
from arena.game import Chance, Game, default_information_key
from arena.params import reset
from arena.types import NATURE, Observation, Task


@dataclass(frozen=True, slots=True)
class _Point:
    """Where a node stands: the state, what was chosen so far in a joint step, and each seat's own past."""

    state: Hashable
    chosen: tuple[tuple[str, str], ...]
    pasts: tuple[tuple[str, ...], ...]


@dataclass(slots=True)
class _Set:
    """An information set while the tree grows."""

    observation: Observation
    first_slot: int
    nodes: int = 1


@dataclass(slots=True)
class Draft:
    """The tree so far.

    Attributes:
        game: the rules.
        task: what is played.
        merged: whether equal states are one node, whatever the seats' pasts.
        most_nodes: where growing stops with an error.
        points: the nodes.
        index: the number of each node.
        sets: the information sets by seat and key.
        slots: how many pairs of information set and action there are.
        returns: terminal nodes with the seats' returns.
        parent: of each edge; those of one node lie together.
        child: of each edge.
        slot: of each edge, -1 at chance.
        chance: the probability of each edge, 1 at decisions.
    """

    game: Game[Any]
    task: Task
    merged: bool
    most_nodes: int
    points: list[_Point] = field(default_factory=list)
    index: dict[_Point, int] = field(default_factory=dict)
    sets: dict[tuple[str, str], _Set] = field(default_factory=dict)
    slots: int = 0
    returns: list[tuple[int, tuple[float, ...]]] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    child: list[int] = field(default_factory=list)
    slot: list[int] = field(default_factory=list)
    chance: list[float] = field(default_factory=list)

    def node(self, state: Hashable, chosen: tuple[tuple[str, str], ...], pasts: tuple[tuple[str, ...], ...]) -> int:
        """Returns the number of a node, a new one when it was not known."""
        point = _Point(state, chosen, pasts)
        known = self.index.get(point)
        if known is not None:
            return known
        if len(self.points) >= self.most_nodes:
            raise CapabilityError(
                f"{self.game.spec.id}: expected at most {self.most_nodes:,} nodes to enumerate, got more; "
                "raise most_nodes, or evaluate this game by play"
            )
        self.index[point] = len(self.points)
        self.points.append(point)
        return len(self.points) - 1

    def edge(self, parent: int, child: int, slot: int, chance: float) -> None:
        """Adds an edge; ``slot`` is -1 at chance nodes, ``chance`` is 1 at decisions."""
        self.parent.append(parent)
        self.child.append(child)
        self.slot.append(slot)
        self.chance.append(chance)

    def grow(self) -> bool:
        """Enumerates the game; returns False when a merged tree meets an information set without a name."""
        self.node(reset(self.game, self.task), (), () if self.merged else ((),) * len(self.game.spec.seats))
        done = 0
        while done < len(self.points):
            if not self._expand(done):
                return False
            done += 1
        return True

    def _expand(self, number: int) -> bool:
        point = self.points[number]
        movers = self.game.to_move(point.state)
        if not movers:
            self._terminal(number, point.state)
        elif movers == (NATURE,):
            self._chance(number, point)
        else:
            return self._decision(number, point, movers)
        return True

    def _terminal(self, number: int, state: Hashable) -> None:
        returns = self.game.returns(state)
        values = tuple(returns.get(seat) for seat in self.game.spec.seats)
        paid = tuple(value for value in values if value is not None and math.isfinite(value))
        if len(paid) != len(values):
            raise GameError(
                f"{self.game.spec.id}: expected a finite return for every seat at the end, got {dict(returns)!r}; "
                "name every seat in returns()"
            )
        self.returns.append((number, paid))

    def _chance(self, number: int, point: _Point) -> None:
        event = self.game.nature(point.state)
        if not isinstance(event, Chance):
            raise CapabilityError(
                f"{self.game.spec.id}: expected only chance events in a game to enumerate, got a call to "
                f"{event.kind!r}; evaluate this game by play"
            )
        total = math.fsum(p for _, p in event.outcomes)
        if abs(total - 1.0) > 1e-9 or any(p < 0 for _, p in event.outcomes):
            raise GameError(
                f"{self.game.spec.id}: expected chance probabilities that sum to 1, got {total!r}; fix nature()"
            )
        for outcome, p in event.outcomes:
            if p > 0:
                after = self.game.step(point.state, {NATURE: outcome})
                self.edge(number, self.node(after, (), point.pasts), -1, p)

    def _decision(self, number: int, point: _Point, movers: tuple[str, ...]) -> bool:
        seat = movers[len(point.chosen)]
        place = self.game.spec.seats.index(seat)
        seen = self.game.observe(point.state, seat)
        key = self.game.information_key(point.state, seat)
        if key is None:
            if self.merged:
                return False
            key = default_information_key([*point.pasts[place], seen.text])
        actions = self._legal(seen)
        first = self._slot(replace(seen, information_key=key), actions)
        for offset, action in enumerate(actions):
            chosen = (*point.chosen, (seat, action))
            pasts = point.pasts
            if not self.merged:
                pasts = (*pasts[:place], (*pasts[place], seen.text, action), *pasts[place + 1 :])
            if len(chosen) == len(movers):
                child = self.node(self.game.step(point.state, dict(chosen)), (), pasts)
            else:
                child = self.node(point.state, chosen, pasts)
            self.edge(number, child, first + offset, 1.0)
        return True

    def _legal(self, seen: Observation) -> tuple[str, ...]:
        if not seen.legal_actions:
            raise CapabilityError(
                f"{self.game.spec.id}: expected listed legal actions for {seen.seat!r}, got {seen.legal_actions!r}; "
                "free text cannot be enumerated"
            )
        return seen.legal_actions

    def _slot(self, seen: Observation, actions: tuple[str, ...]) -> int:
        known = self.sets.get((seen.seat, seen.information_key))
        if known is None:
            self.sets[seen.seat, seen.information_key] = _Set(seen, self.slots)
            self.slots += len(actions)
            return self.slots - len(actions)
        if known.observation != seen:
            raise GameError(
                f"{self.game.spec.id}: expected one observation per information set, got two under "
                f"{seen.information_key!r} of {seen.seat!r}: {known.observation!r} and {seen!r}; "
                "give states that the seat can tell apart different keys"
            )
        known.nodes += 1
        return known.first_slot
