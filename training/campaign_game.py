"""One game of a campaign: its tasks, its lineups, and the plans of its episodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pettingzoo import AECEnv

from arena.aec import env
from arena.game import Game, Verifier
from arena.seeds import derive, generator, player_seed
from arena.types import IllegalRule, PolicyId, Sampling, SeatPlan, Tag, Task
from curricula.curriculum import Curriculum
from roles.role import Role, ScriptedPlayer, scripted_players
from training.config import HindsightConfig
from training.opponents.matchmaking import Matchmaking, Population, SeatAssignment
from training.parts import build_part
from training.players import ModelPlayer, Player
from training.policies import Policy, policy_name
from training.samplers.sampler import EpisodePlan, Sampler


@dataclass(slots=True, kw_only=True)
class CampaignGame:
    """A game with everything that the campaign chose for it.

    Attributes:
        name: as the config names it.
        game: the rules.
        params: the parameters of its tasks, as far as no curriculum varies them.
        seats: the campaign's own assignment of each seat.
        roles: the role of each seat that a policy plays.
        group_size: episodes that share a task.
        curriculum: chooses tasks.
        matchmaking: chooses lineups.
        sampler: plays.
        illegal: replaces the game's rule for illegal actions, or ``None``.
        policies: every policy of the campaign.
        sampling: how tokens are drawn.
        masked: draw among legal answers only.
        verifier: answers the game's calls.
        sealed: signatures of the problems that measure, and that nobody trains on.
        hindsight: whether wrong answers are trained as right answers to something else.
    """

    name: str
    game: Game[Any]
    params: Mapping[str, Any]
    seats: Sequence[SeatAssignment]
    roles: Mapping[str, Role]
    group_size: int
    curriculum: Curriculum
    matchmaking: Matchmaking
    sampler: Sampler
    illegal: IllegalRule | None
    policies: Mapping[str, Policy]
    sampling: Sampling
    masked: bool
    verifier: Verifier | None = None
    sealed: frozenset[str] = frozenset()
    hindsight: HindsightConfig = field(default_factory=HindsightConfig)
    _envs: list[AECEnv[str, Any, Any]] = field(default_factory=list)
    _lent: int = 0
    _scripts: dict[str, ScriptedPlayer] = field(default_factory=dict)

    def plan(
        self, seed: int, round_index: int, episodes: int, population: Population, first: int, refill: int = 0
    ) -> list[EpisodePlan]:
        """Returns the plans of a round: fresh tasks, lineups, and the seeds of every seat.

        Args:
            seed: the campaign's.
            round_index: the round.
            episodes: how many; whole groups of ``group_size`` are planned, at least one.
            population: who can be seated.
            first: the index, within the round, of the first episode; seeds and ids derive from it.
            refill: which play of the round this is beyond the first; 0 is the first.
        """
        again = (refill,) if refill else ()
        groups = max(1, episodes // self.group_size)
        label = f"curriculum:{self.name}"
        tasks = self.curriculum.propose(generator(label, seed, round_index, *again), round_index, groups)
        plans: list[EpisodePlan] = []
        for index, task in enumerate(tasks):
            number = first + index * self.group_size
            chance = generator(f"matchmaking:{self.name}", seed, round_index, index, *again)
            lineup = self.matchmaking.lineup(self.seats, population, index, chance)
            players = {seat: self.player(seat, plan) for seat, plan in lineup.items()}
            for member in range(self.group_size):
                plans.append(
                    EpisodePlan(
                        id=f"r{round_index:06d}-e{number + member:06d}",
                        group_id=f"r{round_index:06d}-g{number:06d}",
                        round=round_index,
                        task=task,
                        lineup=lineup,
                        players=players,
                        seeds={
                            seat: player_seed(seed, round_index, number + member, place)
                            for place, seat in enumerate(self.game.spec.seats)
                        },
                    )
                )
        return plans

    def versus(self, seat: str, opponent: str, count: int, seed: int) -> list[EpisodePlan]:
        """Returns the plans of evaluation games: the live policy in ``seat`` against ``opponent`` everywhere else.

        The deal depends on (seed, index) alone: every seat, every opponent and every evaluation of a run meets the same
        deals, with the same draws for the same seat (``training.tally.duplicates``).

        Args:
            seat: where the live policy sits.
            opponent: a scripted player, or ``initial``.
            count: how many games.
            seed: the campaign's.
        """
        lineup = {place.seat: self._opponent(place, opponent) for place in self.seats}
        lineup[seat] = self._measured(next(place for place in self.seats if place.seat == seat))
        return self._evaluation(f"{opponent}-{seat}", lineup, count, seed)

    def rehearse(self, count: int, seed: int) -> list[EpisodePlan]:
        """Returns the plans of evaluation games in the campaign's own lineup, on the deals of ``versus``."""
        return self._evaluation("rehearsal", {place.seat: self._measured(place) for place in self.seats}, count, seed)

    def _measured(self, place: SeatAssignment) -> SeatPlan:
        if not place.policy:
            return SeatPlan(policy=PolicyId(name=place.role), role=place.role, tag=Tag.SCRIPTED)
        return SeatPlan(policy=self.policies[place.policy].id, role=place.role, tag=Tag.FROZEN)

    def _evaluation(self, name: str, lineup: Mapping[str, SeatPlan], count: int, seed: int) -> list[EpisodePlan]:
        players = {seat: self.player(seat, plan) for seat, plan in lineup.items()}
        label = f"evaluation:{self.name}"
        return [
            EpisodePlan(
                id=f"{name}-{index:06d}",
                group_id="",
                round=-1,
                task=Task(game=self.game.spec.id, params=self.params, seed=derive(label, seed, index)),
                lineup=lineup,
                players=players,
                seeds={seat: derive(f"{label}:{seat}", seed, index) for seat in lineup},
            )
            for index in range(count)
        ]

    def player(self, seat: str, plan: SeatPlan) -> Player:
        """Returns who acts for a seat's plan."""
        if plan.tag is Tag.SCRIPTED:
            return self.scripted(plan.role)
        policy = self.policies[policy_name(plan.policy)]
        return ModelPlayer(
            role=self.roles[seat],
            policy=plan.policy,
            engine=policy.engine,
            renderer=policy.renderer,
            sampling=self.sampling,
            masked=self.masked,
        )

    def scripted(self, name: str) -> ScriptedPlayer:
        """Returns a registered scripted player; one that asks for the parameters of the tasks gets the game's."""
        if name not in self._scripts:
            part = {"name": name}
            self._scripts[name] = build_part(scripted_players, part, f"games.{self.name}", params=self.params)
        return self._scripts[name]

    def open_env(self) -> AECEnv[str, Any, Any]:
        """Returns an environment that pauses at calls; ``return_envs`` makes all of them free again."""
        if self._lent == len(self._envs):
            self._envs.append(env(self.game, illegal=self.illegal))
        self._lent += 1
        return self._envs[self._lent - 1]

    def return_envs(self) -> None:
        """Takes back every environment that was lent."""
        self._lent = 0

    def _opponent(self, place: SeatAssignment, opponent: str) -> SeatPlan:
        if opponent == "initial":
            if not place.policy:  # a scripted seat is what it was before training
                return self._measured(place)
            return SeatPlan(policy=PolicyId(name=f"{place.policy}.past"), role=place.role, tag=Tag.FROZEN)
        return SeatPlan(policy=PolicyId(name=opponent), role=opponent, tag=Tag.SCRIPTED)
