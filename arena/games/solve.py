"""Solve: one problem of a domain, answered and judged; by one solver, or by several unseen by each other.

The problem travels in the task's parameters, so a task from any buffer is an ordinary task. Every answer goes to a
verifier by a call of its own. ``pay`` says what a judged answer earns: ``verdict`` pays 1 for a right one; ``nothing``
leaves the pay to a curriculum (a vote, for example) while the verdict still stands in the log.

``solve-v0`` has the one seat ``solver``; ``solve/4-v0`` has the seats ``solver_0`` to ``solver_3``, which answer at the
same time, for ensembles of different policies.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from arena.calls import decode_verdict
from arena.domains.domain import CHECK, Problem
from arena.domains.verifier import check_call, domain_of
from arena.errors import ConfigError, unknown_name
from arena.game import Call, Game, games
from arena.params import reset
from arena.seeds import generator
from arena.types import (
    NATURE,
    Capabilities,
    Episode,
    GameSpec,
    IllegalRule,
    Observation,
    Outcome,
    Payoff,
    PolicyId,
    Task,
    Verdict,
)

SEAT = "solver"
PREFIX = "solve"
MOST_SOLVERS = 64
PAYS = ("verdict", "nothing")


@dataclass(frozen=True, slots=True)
class Solving:
    """The problem as JSON, the answers in the order of the seats (none before), and the outcomes so far."""

    domain: str
    problem: str
    pay: str
    answers: tuple[str, ...] = ()
    outcomes: tuple[str, ...] = ()


@games.register("solve-v0")
class Solve(Game[Solving]):
    """One problem, and one answer from each seat.

    Args:
        solvers: how many answer; 0 is ``solve-v0`` with its one seat ``solver``.
    """

    rules = "Solve the task. Answer <action>ANSWER</action>."

    def __init__(self, solvers: int = 0) -> None:
        seats = solver_seats(solvers) or (SEAT,)
        several = f"answered by {solvers} at once" if solvers else "answered"
        self.spec = GameSpec(
            name=f"{PREFIX}/{solvers}" if solvers else PREFIX,
            version=0,
            seats=seats,
            payoff=Payoff.GENERAL_SUM if solvers else Payoff.COMMON,
            max_turns=len(seats),
            returns_range=(0.0, 1.0),
            actions=None,
            capabilities=Capabilities(enumerate=False),
            illegal=IllegalRule(kind="blank"),
            params={"domain": "arithmetic", "problem": {}, "kind": "", "pay": "verdict"},
            text_bytes=8192,
            summary=f"one problem of a domain, {several} in free text and judged by a verifier",
        )

    def reset(self, task: Task) -> Solving:
        """Returns the task's problem, unanswered; a task without one is the domain's first example.

        Raises:
            ConfigError: the problem or the pay is none.
            UnknownNameError: no such domain.
        """
        params = {**self.spec.params, **task.params}
        domain = domain_of(params["domain"])
        problem = params["problem"] or domain.generate(generator("example"), domain.kinds[0], 1)
        if not isinstance(problem, Mapping) or problem.get("kind") not in domain.kinds:
            raise ConfigError(
                f"task.params.problem: expected a problem of kind {' or '.join(domain.kinds)}, got {problem!r}; "
                f"take one from the domain {domain.name}"
            )
        return Solving(domain.name, packed(problem), pay_of(task))

    def to_move(self, state: Solving) -> tuple[str, ...]:
        """Returns all solvers at once, then the verifier for each answer."""
        if not state.answers:
            return self.spec.seats
        return () if len(state.outcomes) == len(state.answers) else (NATURE,)

    def nature(self, state: Solving) -> Call:
        """Returns the question whether the next answer is right."""
        return check_call(state.domain, json.loads(state.problem), state.answers[len(state.outcomes)])

    def observe(self, state: Solving, seat: str) -> Observation:
        """Returns the statement; nothing of the other answers or of a verdict."""
        text = domain_of(state.domain).statement(json.loads(state.problem))
        return Observation(seat=seat, text=text, legal_actions=() if state.answers else None)

    def step(self, state: Solving, moves: Mapping[str, Any]) -> Solving:
        """Returns the problem with its answers, or with one more verdict."""
        if NATURE not in moves:
            return replace(state, answers=tuple(moves[seat] for seat in self.spec.seats))
        verdict: Verdict = moves[NATURE]
        return replace(state, outcomes=(*state.outcomes, str(verdict.outcome)))

    def returns(self, state: Solving) -> Mapping[str, float | None]:
        """Returns 1 for a right answer, 0 for any other, ``None`` when nobody could tell."""
        if state.pay == "nothing":
            return dict.fromkeys(self.spec.seats, 0.0)
        return {seat: paid(outcome) for seat, outcome in zip(self.spec.seats, state.outcomes, strict=True)}

    def state_text(self, state: Solving) -> str:
        """Returns the problem with its hidden parts, the answers and the outcomes."""
        answers, outcomes = (" | ".join(one) or "-" for one in (state.answers, state.outcomes))
        return f"{state.domain} {state.problem}\nanswer {answers}\noutcome {outcomes}"


@games.family(PREFIX)
def solve_together(rest: str) -> Solve:
    """N solvers answer one problem at once: solve/N-v0."""
    return Solve(solvers_in(PREFIX, rest))


def solvers_in(prefix: str, rest: str) -> int:
    """Returns the number of solvers in the rest of a family's name, ``4-v0``.

    Raises:
        UnknownNameError: it holds none, or too many.
    """
    match = re.fullmatch(r"([1-9][0-9]{0,3})-v0", rest)
    if match is None or int(match[1]) > MOST_SOLVERS:
        raise unknown_name("game", f"{prefix}/{rest}", [f"{prefix}/4-v0", f"{prefix}/8-v0"])
    return int(match[1])


def solver_seats(count: int) -> tuple[str, ...]:
    """Returns the seats of ``count`` solvers."""
    return tuple(f"{SEAT}_{index}" for index in range(count))


def problem_task(domain: str, problem: Problem, author: str = "", parents: tuple[str, ...] = ()) -> Task:
    """Returns the task of solving one problem."""
    params = {"domain": domain, "problem": dict(problem)}
    return Task(game=f"{PREFIX}-v0", params=params, author=author, parents=parents)


def posed(game: Solve, domain: str, problem: Problem) -> Observation:
    """Returns what a solver sees of a problem."""
    return game.observe(reset(game, problem_task(domain, problem)), game.spec.seats[0])


def pay_of(task: Task) -> str:
    """Returns what a task says a judged answer earns.

    Raises:
        ConfigError: it is neither ``verdict`` nor ``nothing``.
    """
    pay = task.params.get("pay", "verdict")
    if pay not in PAYS:
        raise ConfigError(f"task.params.pay: expected {' or '.join(PAYS)}, got {pay!r}; choose one")
    return str(pay)


def packed(problem: Problem) -> str:
    """Returns a problem as canonical JSON text, so that a state can be hashed."""
    return json.dumps(dict(problem), sort_keys=True)


def paid(outcome: str) -> float | None:
    """Returns what a verdict pays a solver: invalid answers are paid like wrong ones, undecided ones not at all."""
    return None if outcome == Outcome.UNDECIDED else float(outcome == Outcome.CORRECT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What one solver said, and what the verifier found.

    Attributes:
        episode: the episode's id.
        seat: who said it.
        policy: who sat there.
        text: the answer; empty when none was understood.
        verdict: of the verifier.
    """

    episode: str
    seat: str
    policy: PolicyId
    text: str
    verdict: Verdict


def read_answers(episode: Episode) -> list[Answer]:
    """Returns the judged answers of an episode of solving, with or without a proposer, in the order of the seats.

    A seat that was asked again counts once, with its last answer.
    """
    last = {turn.seat: turn for turn in episode.turns if turn.seat.startswith(SEAT)}
    verdicts = [decode_verdict(call.answer) for call in episode.calls if call.kind == CHECK]
    return [
        Answer(
            episode=episode.id,
            seat=seat,
            policy=episode.lineup[seat].policy,
            text=turn.action or "",
            verdict=verdict,
        )
        for (seat, turn), verdict in zip(last.items(), verdicts, strict=False)
    ]
