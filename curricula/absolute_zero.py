"""Absolute Zero's buffers (arXiv 2505.03335): the solver's tasks are what the proposer wrote.

Each episode shows the proposer K references from the buffer of one kind and asks for a new problem of that kind. What
is valid and new enters the buffer; the proposer is paid by a learnability rule of how many solvers were right. Every
failure of a proposal is paid alike. Buffers begin with problems of the domain's own generator, where the paper begins
with one hand-written program: a tiny model has no library of programs in its weights.

Everything is an event of a ``TaskLedger``; its state, the memory of duplicates and the watch over the last rounds are
the whole state (``curricula.proposals``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from arena.domains.verifier import fields
from arena.errors import ConfigError
from arena.games.propose_solve import PREFIX, PROPOSER, Proposed, read_proposed
from arena.games.solve import solvers_in
from arena.seeds import task_seed
from arena.types import Episode, EpisodeGroup, Settlement, Status, Task
from curricula.curriculum import Credit, curricula
from curricula.learnability import Evidence, evidence_of, formula, rules
from curricula.ledger import TaskLedger
from curricula.problem_source import domain_in
from curricula.proposals import Proposals, Valid
from curricula.round_watch import UNJUDGED


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
        most_empty_rounds: the rounds in a row without a valid new proposal after which the run ends.

    Raises:
        ConfigError: the game is none of proposing and solving, has too few solvers for the rule, or the domain lacks a
            kind.
    """

    name: str = "absolute_zero"
    pay: str = "verdict"
    """What the game must pay the solvers."""

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
        most_empty_rounds: int = 5,
    ) -> None:
        if not game.startswith(f"{PREFIX}/") or "domain" not in base:
            raise ConfigError(
                f"{self.name}: expected a game of proposing and solving over a domain, got {game} with {dict(base)}; "
                f"set game={PREFIX}/4-v0 and params.domain"
            )
        self._domain = domain_in(self.name, base, pay=self.pay)
        self._kinds = [kind for kind in self._domain.kinds if kinds.get(kind, not kinds)]
        unknown = sorted(set(kinds) - set(self._domain.kinds))
        if unknown or not self._kinds:
            raise ConfigError(
                f"{self.name}.kinds: expected some of {', '.join(self._domain.kinds)}, got {dict(kinds)}; change it"
            )
        self._game, self._seed, self._base, self._sealed = game, seed, dict(base), sealed
        self._rule, self._scale = rules.make(rule), scale
        self._check_solvers(game, references, seeds)
        self._references, self._seeds, self._seed_difficulty = references, seeds, seed_difficulty
        self._refuse = refuse_duplicates
        self.book = Proposals(self.name, game, self._domain, self._kinds, cap, most_empty_rounds)
        self._metrics: dict[str, float] = {}
        self._paid: dict[str, float] = {}

    @property
    def ledger(self) -> TaskLedger:
        """Every task, what became of it, and the buffers."""
        return self.book.ledger

    def propose(self, generator: np.random.Generator, round_index: int, count: int) -> list[Task]:
        """Returns ``count`` requests to the proposer, kind after kind, each with K references of its kind."""
        if not len(self.ledger):
            self.book.fill(self._seed, self._seeds, self._seed_difficulty, self._sealed)
        self.ledger.begin_round(round_index)
        return [self._request(generator, round_index, index) for index in range(count)]

    def settle(self, groups: Sequence[EpisodeGroup]) -> list[Settlement]:
        """Returns the proposers' pay, and files what they proposed."""
        played = [episode for group in groups for episode in group.episodes if episode.status is not Status.FAILED]
        proposed = [(episode, read_proposed(episode)) for episode in played]
        valid = self.book.clustered(proposed)
        settlements = []
        for episode, found in proposed:
            one = valid.get(episode.id)
            settlements += self._invalid(episode, found) if one is None else self._valid(one)
        paid = [sum(one.terms.values()) for one in settlements if one.seat == PROPOSER]
        self._paid = {"proposer_pay": sum(paid) / len(paid)} if paid else {}
        return settlements

    def observe(self, groups: Sequence[EpisodeGroup], credits: Sequence[Credit]) -> None:
        """Ends the round; a proposal was filed when it was settled.

        Raises:
            RunError: too many rounds in a row had no valid new proposal.
        """
        self._metrics = {**self._paid, **self.book.close_round()}

    def drain(self) -> list[tuple[str, dict[str, Any]]]:
        """Returns the events since the last call, for the log."""
        return self.ledger.drain()

    def metrics(self) -> dict[str, float]:
        """Returns the rates of the round that was observed last.

        ``proposal_valid_rate`` (of judged proposals), ``duplicate_rate`` (of valid ones), ``sealed_refused``,
        ``new_tasks``, ``proposer_pay`` (its mean), and ``mean_difficulty`` and ``live_rate`` of the new tasks.
        """
        return dict(self._metrics)

    def state(self) -> dict[str, Any]:
        """Returns the ledger, the memory of duplicates, and what the last rounds came to."""
        return self.book.state()

    def restore(self, state: Mapping[str, Any]) -> None:
        """Replaces all of it."""
        self.book.restore(state)

    def _check_solvers(self, game: str, references: int, seeds: int) -> None:
        solvers = solvers_in(PREFIX, game.removeprefix(f"{PREFIX}/"))
        if solvers < self._rule.least_attempts:
            raise ConfigError(
                f"{self.name}.rule: expected at least {self._rule.least_attempts} solvers for {self._rule.name}, got "
                f"{game}; set game={PREFIX}/{self._rule.least_attempts}-v0 or more"
            )
        if references < 0 or seeds < 1:
            raise ConfigError(
                f"{self.name}.references, seeds: expected at least 0 and at least 1, got {references} and {seeds}; "
                "change them"
            )

    def _request(self, random: np.random.Generator, round_index: int, index: int) -> Task:
        kind = self._kinds[index % len(self._kinds)]
        ids = self.book.references(random, kind, self._references)
        shown = [dict(self.ledger[one].task.params["problem"]) for one in ids]
        return Task(
            game=self._game,
            params={**self._base, "kind": kind, "references": shown},
            seed=task_seed(self._seed, round_index, index),
            author=self.name,
            parents=tuple(ids),
        )

    def _invalid(self, episode: Episode, found: Proposed) -> list[Settlement]:
        self.book.reject(episode, found, found.reason)
        if found.reason.startswith("undecided:"):
            return []
        return [self._pay(episode, Evidence(invalid=found.reason))]

    def _valid(self, one: Valid) -> list[Settlement]:
        return self._filed(one, self._evidence(one))

    def _filed(self, one: Valid, evidence: Evidence) -> list[Settlement]:
        """Files a valid proposal and returns its pay; nothing where it is new and too few attempts were judged."""
        task, duplicate = self.book.remember(one)
        if duplicate and self._refuse:
            self.book.reject(one.episode, one.found, duplicate, at="new")
            return [self._pay(one.episode, Evidence(invalid="duplicate"))]
        if evidence.attempts < self._rule.least_attempts:
            self.book.reject(one.episode, one.found, UNJUDGED, at="new")
            return []
        self.book.admit(one, task, duplicate)
        settlement = self._pay(one.episode, evidence)
        self.book.score(task, settlement)
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

    def _evidence(self, one: Valid) -> Evidence:
        """Returns what the solvers made of a valid proposal; undecided attempts are in no count."""
        tried = [(verdict.outcome, fields(verdict).get("share")) for verdict in one.found.verdicts]
        return replace(evidence_of(tried), cluster_share=one.cluster_share)
