"""Propose, then solve: one proposer writes a problem, several solvers try it, a verifier judges all of it.

The proposer sees references (problems of earlier rounds) and what is wanted, and writes a proposal. A call decides
whether it is a problem; if it is none, the episode ends. Otherwise all solvers answer at the same time, each unseen by
the others, and one call an answer judges them. Solvers are paid by the verdict, or with ``pay: nothing`` by a
curriculum (a vote, for example). The proposer's pay depends on what the solvers made of the problem, by a rule that a
curriculum chooses (``curricula.learnability``), so the game itself pays it 0.

The game's name carries the number of solvers: ``propose_solve/4-v0``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from arena.calls import decode_verdict
from arena.domains.domain import VALIDATE, Problem, Rejection
from arena.domains.verifier import check_call, domain_of, fields, validate_call
from arena.errors import ConfigError
from arena.game import Call, Game, games
from arena.games.solve import Answer, Solve, packed, paid, pay_of, read_answers, solver_seats, solvers_in
from arena.params import reset
from arena.types import (
    NATURE,
    Capabilities,
    Episode,
    GameSpec,
    IllegalRule,
    Observation,
    Outcome,
    Payoff,
    Task,
    Verdict,
)

PROPOSER = "proposer"
PREFIX = "propose_solve"


@dataclass(frozen=True, slots=True)
class Proposing:
    """The request, what was proposed, whether it is a problem, and what the solvers made of it.

    Attributes:
        domain: the domain's name.
        kind: what is asked for.
        references: earlier problems as JSON texts.
        wanted: what the proposer is asked to aim at, in words.
        pay: what a judged answer earns (``arena.games.solve``).
        proposal: the proposal as JSON text, empty before it.
        reason: why it is no problem; empty while it may be one.
        problem: the validated problem as JSON text, empty before that.
        answers: the solvers' answers, in order; empty before them.
        outcomes: the verdicts so far, in order.
    """

    domain: str
    kind: str
    references: tuple[str, ...] = ()
    wanted: str = ""
    pay: str = "verdict"
    proposal: str = ""
    reason: str = ""
    problem: str = ""
    answers: tuple[str, ...] = ()
    outcomes: tuple[str, ...] = ()


class ProposeSolve(Game[Proposing]):
    """One proposer and ``solvers`` solvers over any domain.

    Args:
        solvers: how many try each proposal.
    """

    rules = Solve.rules

    def __init__(self, solvers: int) -> None:
        self.solvers = solver_seats(solvers)
        self.spec = GameSpec(
            name=f"{PREFIX}/{solvers}",
            version=0,
            seats=(PROPOSER, *self.solvers),
            payoff=Payoff.GENERAL_SUM,
            max_turns=1 + solvers,
            returns_range=(0.0, 1.0),
            actions=None,
            capabilities=Capabilities(enumerate=False),
            illegal=IllegalRule(kind="blank"),
            params={"domain": "arithmetic", "kind": "", "references": [], "wanted": "", "pay": "verdict"},
            text_bytes=8192,
            summary=f"a proposer writes a problem, {solvers} solvers try it, a verifier judges",
        )

    def reset(self, task: Task) -> Proposing:
        """Returns the request to the proposer.

        Raises:
            ConfigError: the domain cannot be proposed to or has no such kind, or the references are no problems.
            UnknownNameError: no such domain.
        """
        domain = domain_of(task.params["domain"])
        if not domain.proposable:
            raise ConfigError(
                f"task.params.domain: expected a domain whose problems can be proposed, got {domain.name}; choose "
                "another, or solve-v0"
            )
        kind = task.params["kind"] or domain.kinds[0]
        if kind not in domain.kinds:
            raise ConfigError(
                f"task.params.kind: expected one of {', '.join(domain.kinds)} for {domain.name}, got {kind!r}; "
                "choose one"
            )
        references = task.params["references"]
        if isinstance(references, str | Mapping) or not all(isinstance(one, Mapping) for one in references):
            raise ConfigError(
                f"task.params.references: expected a list of problems of {domain.name}, got {references!r}; "
                "take them from the domain"
            )
        references = tuple(packed(one) for one in references)
        return Proposing(domain.name, kind, references, str(task.params["wanted"]), pay_of(task))

    def to_move(self, state: Proposing) -> tuple[str, ...]:
        """Returns the proposer, the verifier, all solvers at once, and the verifier again for each answer."""
        if state.reason or len(state.outcomes) == len(self.solvers):
            return ()
        if not state.proposal:
            return (PROPOSER,)
        return self.solvers if state.problem and not state.answers else (NATURE,)

    def nature(self, state: Proposing) -> Call:
        """Returns the question whether the proposal is a problem, or whether the next answer is right."""
        if not state.problem:
            return validate_call(state.domain, json.loads(state.proposal))
        return check_call(state.domain, json.loads(state.problem), state.answers[len(state.outcomes)])

    def observe(self, state: Proposing, seat: str) -> Observation:
        """Returns the request with its references (proposer), or the statement alone (solvers)."""
        to_move = seat in self.to_move(state)
        if seat == PROPOSER:
            return Observation(seat=seat, text=self._request(state), legal_actions=None if to_move else ())
        text = domain_of(state.domain).statement(json.loads(state.problem)) if state.problem else ""
        return Observation(seat=seat, text=text, legal_actions=None if to_move else ())

    def step(self, state: Proposing, moves: Mapping[str, Any]) -> Proposing:
        """Returns the state after a proposal, a verdict or all answers; an unreadable proposal ends the game."""
        if PROPOSER in moves:
            read = domain_of(state.domain).read_proposal(moves[PROPOSER], state.kind)
            if isinstance(read, Rejection):
                return replace(state, reason=read.reason)
            return replace(state, proposal=json.dumps(dict(read), sort_keys=True))
        if NATURE not in moves:
            return replace(state, answers=tuple(moves[seat] for seat in self.solvers))
        verdict: Verdict = moves[NATURE]
        if state.problem:
            return replace(state, outcomes=(*state.outcomes, str(verdict.outcome)))
        problem = fields(verdict).get("problem")
        if verdict.outcome is Outcome.CORRECT and isinstance(problem, dict):
            return replace(state, problem=packed(problem))
        reason = fields(verdict).get("reason") or str(verdict.outcome)
        return replace(state, reason=f"undecided:{reason}" if verdict.outcome is Outcome.UNDECIDED else str(reason))

    def returns(self, state: Proposing) -> Mapping[str, float | None]:
        """Returns the solvers' verdicts as 1 or 0; 0 without a problem, ``None`` where nobody could tell."""
        if not state.problem:
            undecided = state.reason.startswith("undecided:")
            return {PROPOSER: None if undecided else 0.0, **dict.fromkeys(self.solvers, 0.0)}
        if state.pay == "nothing":
            return dict.fromkeys(self.spec.seats, 0.0)
        pay = {seat: paid(outcome) for seat, outcome in zip(self.solvers, state.outcomes, strict=True)}
        return {PROPOSER: 0.0, **pay}

    def state_text(self, state: Proposing) -> str:
        """Returns the request, the proposal or problem, and each answer with its outcome."""
        lines = [f"{state.domain} {state.kind} {state.wanted}".strip(), state.problem or state.proposal or "-"]
        if state.reason:
            lines.append(f"rejected: {state.reason}")
        for index, answer in enumerate(state.answers):
            outcome = state.outcomes[index] if index < len(state.outcomes) else "-"
            lines.append(f"{self.solvers[index]}: {answer!r} {outcome}")
        return "\n".join(lines)

    def _request(self, state: Proposing) -> str:
        domain = domain_of(state.domain)
        shown = [f"Example:\n{domain.proposal_text(json.loads(one))}" for one in state.references]
        wanted = [state.wanted] if state.wanted else []
        return "\n".join([*shown, *wanted, domain.proposal_form(state.kind)])


@games.family(PREFIX)
def propose_solve(rest: str) -> ProposeSolve:
    """One proposer and N solvers over any domain: propose_solve/N-v0."""
    return ProposeSolve(solvers_in(PREFIX, rest))


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """What became of one proposal, read from its episode.

    Attributes:
        kind: what was asked for.
        text: what the proposer wrote, or empty when it was not understood.
        problem: the validated problem, or ``None``.
        reason: why there is none.
        understood: whether the text was read as a proposal, so that a verifier was asked about it.
        answers: of the solvers, in order; empty without a problem.
    """

    kind: str
    text: str
    problem: Problem | None
    reason: str
    understood: bool
    answers: Sequence[Answer]

    @property
    def verdicts(self) -> list[Verdict]:
        """One a solver, in order; empty without a problem."""
        return [answer.verdict for answer in self.answers]


def read_proposed(episode: Episode) -> Proposed:
    """Returns what became of the proposal of a ``propose_solve`` episode."""
    kind = str(episode.task.params.get("kind", ""))
    said = [turn for turn in episode.turns if turn.seat == PROPOSER]
    text = said[-1].action or "" if said else ""
    first = next((decode_verdict(call.answer) for call in episode.calls if call.kind == VALIDATE), None)
    problem = fields(first).get("problem") if first is not None and first.outcome is Outcome.CORRECT else None
    return Proposed(
        kind=kind,
        text=text,
        problem=problem,
        reason="" if problem is not None else _why(episode, text, first),
        understood=first is not None,
        answers=read_answers(episode),
    )


def _why(episode: Episode, text: str, verdict: Verdict | None) -> str:
    if verdict is not None:
        reason = str(fields(verdict).get("reason") or verdict.outcome)
        return f"undecided:{reason}" if verdict.outcome is Outcome.UNDECIDED else reason
    said = [turn for turn in episode.turns if turn.seat == PROPOSER]
    if said and not said[-1].legal:
        return said[-1].reason
    asked: Proposing = reset(games.make(episode.task.game), episode.task)
    read = domain_of(asked.domain).read_proposal(text, asked.kind)
    return read.reason if isinstance(read, Rejection) else str(episode.reason or "no_verdict")
