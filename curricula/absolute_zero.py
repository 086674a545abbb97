"""Absolute Zero's buffers (arXiv 2505.03335): the solver's tasks are what the proposer wrote.

Each episode shows the proposer K references from the buffer of one kind and asks for a new problem of that kind. What
is valid and new enters the buffer; the proposer is paid by a learnability rule of how many solvers were right. Every
failure of a proposal is paid alike. Buffers begin with problems of the domain's own generator, where the paper begins
with one hand-written program: a tiny model has no library of programs in its weights.

Everything is an event of a ``TaskLedger``; its state, the memory of duplicates and two counters are the whole state.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from arena.domains.domain import Problem, domains
from arena.domains.verifier import fields
from arena.errors import ConfigError
from arena.games.propose_solve import PREFIX, PROPOSER, Proposed, read_proposed
from arena.seeds import derive, task_seed
from arena.types import Episode, EpisodeGroup, Outcome, Settlement, Status, Task
from curricula.curriculum import Credit, curricula
from curricula.learnability import Evidence, formula, rules
from curricula.ledger import TaskLedger
from curricula.memory import DuplicateMemory, Fingerprint

SOLVE = "solve-v0"
_ROUND_SHARE = 2


@curricula.register("absolute_zero")
class AbsoluteZero:
    """Proposer-driven tasks from buffers of valid ones.

    Args:
        game: ``propose_solve/N-v0``.
        seed: the campaign's seed.
        base: the parameters that the campaign gives the game; ``domain`` says whose problems.
        sealed: signatures that are kept out of the buffers; the verifier refuses them as proposals.
        rule: the learnability rule that pays the proposer.
        scale: what the rule's pay is multiplied with.
        references: K.
        seeds: problems of each kind with which the buffers begin.
        seed_difficulty: their greatest difficulty.
        cap: the most problems of a buffer; the oldest leaves.
        refuse_duplicates: pay a proposal that repeats another like an invalid one, and keep it out of the buffer.
        kinds: which kinds are asked for, each on or off; default: all of the domain's.

    Raises:
        ConfigError: the game is none of proposing and solving, or the domain lacks a kind.
    """

    name: str = "absolute_zero"

    def __init__(
        self,
        game: str,
        seed: int = 0,
        base: Mapping[str, Any] = MappingProxyType({}),
        sealed: frozenset[str] = frozenset(),
        rule: str = "azr_paper",
        scale: float = 1.0,
        references: int = 2,
        seeds: int = 64,
        seed_difficulty: int = 3,
        cap: int = 4096,
        refuse_duplicates: bool = True,
        kinds: Mapping[str, bool] = MappingProxyType({}),
    ) -> None:
        if not game.startswith(f"{PREFIX}/") or "domain" not in base:
            raise ConfigError(
                f"{self.name}: expected a game of proposing and solving over a domain, got {game} with {dict(base)}; "
                f"set game={PREFIX}/4-v0 and params.domain"
            )
        self._domain = domains.make(base["domain"])
        self._kinds = [kind for kind in self._domain.kinds if kinds.get(kind, not kinds)]
        unknown = sorted(set(kinds) - set(self._domain.kinds))
        if unknown or not self._kinds:
            raise ConfigError(
                f"{self.name}.kinds: expected some of {', '.join(self._domain.kinds)}, got {dict(kinds)}; change it"
            )
        self._game, self._seed, self._base, self._sealed = game, seed, dict(base), sealed
        self._rule, self._scale = rules.make(rule), scale
        self._references, self._seeds, self._seed_difficulty = references, seeds, seed_difficulty
        self._refuse = refuse_duplicates
        self.ledger = TaskLedger(game, caps=dict.fromkeys(self._kinds, cap))
        self.memory = DuplicateMemory()

    def propose(self, generator: np.random.Generator, round_index: int, count: int) -> list[Task]:
        """Returns ``count`` requests to the proposer, kind after kind, each with K references of its kind."""
        if round_index == 0 and not len(self.ledger):
            self._fill_buffers()
        self.ledger.begin_round(round_index)
        return [self._request(generator, round_index, index) for index in range(count)]

    def settle(self, groups: Sequence[EpisodeGroup]) -> list[Settlement]:
        """Returns the proposers' pay, and files what they proposed."""
        settlements = []
        for group in groups:
            for episode in group.episodes:
                if episode.status is not Status.FAILED:
                    settlements += self._settled(episode)
        return settlements

    def observe(self, groups: Sequence[EpisodeGroup], credits: Sequence[Credit]) -> None:
        """Learns nothing more: a proposal is filed when it is settled."""

    def drain(self) -> list[tuple[str, dict[str, Any]]]:
        """Returns the events since the last call, for the log."""
        return self.ledger.drain()

    def state(self) -> dict[str, Any]:
        """Returns the ledger and the memory of duplicates."""
        return {"ledger": self.ledger.state(), "memory": self.memory.state()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Replaces both."""
        self.ledger.restore(state["ledger"])
        self.memory.restore(state["memory"])

    def _fill_buffers(self) -> None:
        for kind in self._kinds:
            random = np.random.Generator(np.random.PCG64(derive(f"buffer:{kind}", self._seed)))
            made = 0
            while made < self._seeds:
                difficulty = 1 + int(random.integers(self._seed_difficulty))
                problem = self._domain.generate(random, kind, difficulty)
                task = self._task(problem, "generator", ())
                if self._domain.signature(problem) in self._sealed or task.id in self.ledger:
                    continue
                self.memory.add(self._fingerprint(task.id, problem))
                self._file(task, problem, by="generator", reason="seed")
                made += 1

    def _request(self, random: np.random.Generator, round_index: int, index: int) -> Task:
        kind = self._kinds[index % len(self._kinds)]
        pool = self.ledger.pool(kind)
        chosen = random.choice(len(pool), size=min(self._references, len(pool)), replace=False)
        ids = [pool[int(place)] for place in chosen]
        shown = [dict(self.ledger[one].task.params["problem"]) for one in ids]
        return Task(
            game=self._game,
            params={**self._base, "kind": kind, "references": shown, **self._aim(kind, index)},
            seed=task_seed(self._seed, round_index, index),
            author=self.name,
            parents=tuple(ids),
        )

    def _aim(self, kind: str, index: int) -> dict[str, Any]:
        """Returns what the proposer is asked to aim at; here nothing."""
        return {}

    def _settled(self, episode: Episode) -> list[Settlement]:
        found = read_proposed(episode)
        if found.reason.startswith("undecided:"):
            self._reject(episode, found, found.reason)
            return []
        if found.problem is None:
            self._reject(episode, found, found.reason)
            return [self._pay(episode, Evidence(invalid=found.reason))]
        return self._valid(episode, found, found.problem)

    def _valid(self, episode: Episode, found: Proposed, problem: Problem) -> list[Settlement]:
        task = self._task(problem, str(episode.lineup[PROPOSER].policy), episode.task.parents)
        evidence = _evidence(found)
        repeated = self.memory.add(self._fingerprint(task.id, problem))
        reason = f"duplicate:{repeated.kind}" if repeated else "duplicate:exact" if task.id in self.ledger else ""
        if reason and self._refuse:
            self._reject(episode, found, reason)
            return [self._pay(episode, Evidence(invalid="duplicate"))]
        if evidence.attempts < self._rule.least_attempts:
            self._reject(episode, found, "undecided:attempts")
            return []
        self._file(task, problem, by=task.author, episode=episode.id, reason="valid")
        self._attempts(task.id, episode, found)
        settlement = self._pay(episode, evidence)
        posterior = self.ledger[task.id].posterior()
        self.ledger.record(
            "score",
            id=task.id,
            formula=settlement.formula,
            terms=dict(settlement.terms),
            p_mean=posterior.mean,
            interval=list(posterior.interval()),
            episode=episode.id,
        )
        return [settlement]

    def _pay(self, episode: Episode, evidence: Evidence) -> Settlement:
        terms = {name: self._scale * value for name, value in self._rule.score(evidence).items()}
        return Settlement(
            episode_id=episode.id,
            seat=PROPOSER,
            turn=None,
            terms=terms,
            formula=formula(self._rule, evidence.attempts),
            round=episode.round,
        )

    def _file(self, task: Task, problem: Problem, *, by: str, episode: str = "", reason: str) -> None:
        self.ledger.propose(
            task,
            by=by,
            role=PROPOSER if episode else "",
            episode=episode,
            signature=self._domain.signature(problem),
            kind=problem["kind"],
            skills=list(self._domain.skills(problem)),
        )
        checks = {"difficulty": self._domain.difficulty(problem), "executor": problem.get("executor", "")}
        self.ledger.record("task_validated", id=task.id, outcome="valid", checks=checks)
        self.ledger.record("task_admitted", id=task.id, reason=reason)
        self.ledger.move(task.id, problem["kind"], reason)

    def _attempts(self, id: str, episode: Episode, found: Proposed) -> None:
        solvers = [turn for turn in episode.turns if turn.seat != PROPOSER]
        for turn, verdict in zip(solvers, found.verdicts, strict=True):
            policy = episode.lineup[turn.seat].policy
            self.ledger.record(
                "attempt",
                id=id,
                seat=turn.seat,
                policy=policy.name,
                version=policy.version,
                episode=episode.id,
                outcome=str(verdict.outcome),
                verifier=f"{verdict.verifier} {verdict.version}",
                share=fields(verdict).get("share"),
            )

    def _reject(self, episode: Episode, found: Proposed, reason: str) -> None:
        self.ledger.record("task_rejected", reason=reason, episode=episode.id, excerpt=found.text[:500])

    def _task(self, problem: Problem, author: str, parents: tuple[str, ...]) -> Task:
        params = {"domain": self._domain.name, "problem": dict(problem)}
        return Task(game=SOLVE, params=params, author=author, parents=parents)

    def _fingerprint(self, id: str, problem: Problem) -> Fingerprint:
        kind = problem["kind"]
        text = json.dumps([kind, self._domain.statement(problem)])
        return Fingerprint(id=id, text=text, structure=f"{kind}:{self._domain.signature(problem)}")


def _evidence(found: Proposed) -> Evidence:
    """Returns what the solvers made of a valid proposal; undecided attempts are in no count."""
    judged = [verdict for verdict in found.verdicts if verdict.outcome is not Outcome.UNDECIDED]
    shares = [float(share) for verdict in judged if (share := fields(verdict).get("share")) is not None]
    return Evidence(
        successes=sum(verdict.outcome is Outcome.CORRECT for verdict in judged),
        attempts=len(judged),
        undecided=len(found.verdicts) - len(judged),
        verified_share=sum(shares) / len(judged) if shares else None,
    )
