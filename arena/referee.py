"""The one mutable driver that plays one task by a game's pure rules.

Both PettingZoo environments use it, so that chance, legality, pay and history are decided in one place. Chance is
sampled from (task.seed, ply). At a ``Call`` the referee stops until ``resolve`` hands it the verdict. Simultaneous
moves are collected and applied together, and so are forfeits: the order in which seats answer never matters.

Left out: forking. A caller that branches keeps the pure states and starts from them itself.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any, Generic, NoReturn, TypeVar, TypeVarTuple

import numpy as np

from arena.calls import encode_verdict
from arena.errors import GameError, PlayError
from arena.game import Call, Chance, Game, State, seat_observation
from arena.legality import check_rule, fault
from arena.params import reset
from arena.pay import TOLERANCE, forfeit_returns, payoff_fault, penalty_payments
from arena.seeds import chance_generator, generator
from arena.types import NATURE, Action, CallRecord, IllegalRule, NotUnderstood, Observation, Status, Task, Verdict

Arguments = TypeVarTuple("Arguments")
R = TypeVar("R")
_MOST_NATURE_IN_A_ROW = 10_000


def draw(chance: Chance, random: np.random.Generator) -> int:
    """Returns the index of the outcome that ``random`` picks."""
    point = random.random()
    last = 0
    for index, (_, p_outcome) in enumerate(chance.outcomes):
        if p_outcome > 0:
            last = index
            if point < p_outcome:
                break
        point -= p_outcome
    return last


class Referee(Generic[State]):
    """Plays one task from its first state to its end.

    Attributes:
        game: the rules.
        task: what is played.
        rule: what happens to an illegal or missing answer.
        state: the present state.
        ply: how many transitions were made, nature's included.
        env_step: how many joint moves of seats were made; simultaneous seats share one.
        turns: how many own moves of any seat were made; at ``max_turns`` the task is truncated.
        pending_call: the call that waits for ``resolve``, or ``None``.
        to_move: the seats that owe an answer now; empty at a call and at the end.
        status: how the task ended, or ``None`` while it runs.
        reason: why, when it did not simply complete (``forfeit:first``, ``max_turns``, ``raised:ValueError``).

    Args:
        game: the rules.
        task: what to play.
        illegal: replaces the game's own rule for illegal and missing answers.

    Raises:
        ConfigError: ``illegal`` does not fit the game.
        GameError: the rules raised or broke their contract.
    """

    def __init__(self, game: Game[State], task: Task, illegal: IllegalRule | None = None) -> None:
        seats = game.spec.seats
        self.game = game
        self.task = task
        self.rule = check_rule(illegal or game.spec.illegal, game.spec)
        self.ply = self.env_step = self.turns = 0
        self.pending_call: Call | None = None
        self.to_move: tuple[str, ...] = ()
        self.status: Status | None = None
        self.reason = ""
        self._seats = frozenset(seats)
        self._calls: list[CallRecord] = []
        self._earned = dict.fromkeys(seats, 0.0)
        self._fines = dict.fromkeys(seats, 0.0)
        self._accrued = dict.fromkeys(seats, 0.0)
        self._undecided: frozenset[str] = frozenset()
        self._pays_by_step = False
        self._may_pay_by_step = type(game).rewards is not Game.rewards
        self._histories: dict[str, list[str]] = {seat: [] for seat in seats}
        self._seen: dict[str, Observation] = {}
        self._moves: dict[str, str] = {}
        self._attempts: dict[str, int] = {}
        self._offenders: list[str] = []
        params = json.dumps(dict(task.params), sort_keys=True) if task.params else ""
        self._joint = hashlib.blake2b(f"{game.spec.id}{params}".encode(), digest_size=8)
        self._unhashed: list[tuple[str, object]] = []
        self.state: State = self._ask(reset, game, task)
        self._advance()

    @property
    def done(self) -> bool:
        """Whether the task is over, by whatever end."""
        return self.status is not None

    @property
    def calls(self) -> tuple[CallRecord, ...]:
        """The calls answered so far, in order."""
        return tuple(self._calls)

    @property
    def undecided(self) -> frozenset[str]:
        """The seats that a verifier left unjudged; known at the end."""
        return self._undecided

    @property
    def returns(self) -> dict[str, float | None]:
        """What each seat has earned so far, penalties included; ``None`` for a seat left unjudged."""
        return {
            seat: None if seat in self._undecided else earned + self._fines[seat]
            for seat, earned in self._earned.items()
        }

    @property
    def node_id(self) -> str:
        """16 hex digits of the joint history (game, params, outcomes, answers); not of the seed behind it."""
        if self._unhashed:  # Hashed only when somebody asks; plain play never does.
            self._joint.update("".join([f"{mover!a}:{move!a};" for mover, move in self._unhashed]).encode())
            self._unhashed.clear()
        return self._joint.hexdigest()

    def observe(self, seat: str) -> Observation:
        """Returns what ``seat`` may know now, its information key filled in.

        Raises:
            PlayError: a call is pending: nobody observes while the environment itself is to move.
            GameError: the rules raised.
        """
        seen = self._seen.get(seat)
        if seen is None:
            if self.pending_call is not None:
                raise PlayError(f"{self._where()}: expected the verdict of a pending call, got observe({seat!r})")
            seen = self._ask(seat_observation, self.game, self.state, seat, self._histories[seat])
            self._seen[seat] = seen
        return seen

    def act(self, seat: str, action: Action | NotUnderstood) -> str:
        """Takes one seat's answer; when every seat to move has answered, the game moves on.

        Returns:
            Why the answer was not legal (what follows is the rule's business), or an empty string.

        Raises:
            PlayError: ``seat`` owes no answer.
            GameError: the rules raised or broke their contract.
        """
        if seat not in self.to_move:
            self._refuse(seat)
        legal = self.observe(seat).legal_actions
        if not legal and (legal is not None or self.game.spec.actions is not None):
            self._break("observe", f"at least one legal action for {seat!r}, which is to move", repr(legal))
        reason = fault(action, legal)
        if isinstance(action, Action) and not reason:
            self._moves[seat] = action.value
            self._settle(seat)
        else:
            self._punish(seat, action, reason, legal)
        return reason

    def resolve(self, verdict: Verdict) -> None:
        """Answers the pending call and moves on.

        Raises:
            PlayError: no call is pending.
            GameError: the rules raised or broke their contract.
        """
        call = self.pending_call
        if call is None:
            raise PlayError(f"{self._where()}: expected a pending call to resolve, got none; step the seats first")
        answer = encode_verdict(verdict)
        self._calls.append(CallRecord(ply=self.ply, kind=call.kind, request=call.request, answer=answer))
        self.pending_call = None
        self._record(NATURE, answer)
        self._transition({NATURE: verdict})
        self._advance()

    def collect(self) -> dict[str, float]:
        """Returns what each seat received since the last ``collect``, and begins anew."""
        accrued = self._accrued
        self._accrued = dict.fromkeys(accrued, 0.0)
        return accrued

    def _punish(self, seat: str, action: Action | NotUnderstood, reason: str, legal: tuple[str, ...] | None) -> None:
        rule = self.rule
        if rule.penalty and rule.kind != "forfeit":
            for payee, amount in penalty_payments(self.game.spec, seat, rule.penalty).items():
                self._fines[payee] += amount
                self._accrued[payee] += amount
        said = action.value if isinstance(action, Action) else ""
        self._record(seat, f"{reason}:{said}")
        if rule.kind == "retry" and self._attempts.get(seat, 0) < rule.retries:
            self._attempts[seat] = self._attempts.get(seat, 0) + 1
        elif rule.kind == "penalise" and legal is not None:
            random = generator("illegal", self.task.seed, self.ply, self.game.spec.seats.index(seat))
            self._moves[seat] = legal[int(random.integers(len(legal)))]
            self._settle(seat)
        elif rule.kind == "blank":
            self._moves[seat] = ""
            self._settle(seat)
        else:
            self._offenders.append(seat)
            self._settle(seat)

    def _settle(self, seat: str) -> None:
        """Notes that ``seat`` has answered, and moves the game on when it was the last to."""
        self.to_move = tuple([other for other in self.to_move if other != seat]) if len(self.to_move) > 1 else ()
        if self.to_move:
            return
        if self._offenders:
            self._forfeit()
            return
        moves, self._moves = self._moves, {}
        self._attempts.clear()
        for mover in self.game.spec.seats if len(moves) > 1 else moves:
            if mover in moves:
                self._record(mover, moves[mover])
                self._histories[mover] += (self._seen[mover].text, moves[mover])
        self.turns += len(moves)
        self.env_step += 1
        self._transition(moves)
        self._advance()

    def _advance(self) -> None:
        """Plays nature until a seat is to move, a call waits, or the game is over."""
        game = self.game
        for _ in range(_MOST_NATURE_IN_A_ROW):
            movers = self._ask(game.to_move, self.state)
            if movers != (NATURE,):
                break
            event = self._ask(game.nature, self.state)
            if isinstance(event, Call):
                self.pending_call = event
                return
            self._move_nature(event)
        else:
            self._break("to_move", f"a seat within {_MOST_NATURE_IN_A_ROW} moves of nature", "nature still to move")
        if not isinstance(movers, tuple) or not self._seats.issuperset(movers):
            self._break("to_move", f"a tuple of seats among {game.spec.seats}, (NATURE,) or ()", repr(movers))
        if not movers:
            self._complete()
        elif self.turns >= game.spec.max_turns:
            self.status, self.reason = Status.TRUNCATED, "max_turns"
        else:
            self.to_move = movers

    def _move_nature(self, chance: Chance) -> None:
        total = sum([p_outcome for _, p_outcome in chance.outcomes])
        if not abs(total - 1) <= TOLERANCE:
            self._break("nature", "probabilities that sum to 1", repr(total))
        index = draw(chance, chance_generator(self.task.seed, self.ply))
        self._record(NATURE, index)
        self._transition({NATURE: chance.outcomes[index][0]})

    def _transition(self, moves: Mapping[str, Any]) -> None:
        before = self.state
        self.state = self._ask(self.game.step, before, moves)
        self.ply += 1
        self._seen.clear()
        rewards = self._ask(self.game.rewards, before, self.state) if self._may_pay_by_step else None
        if rewards is not None:
            self._pays_by_step = True
            for seat, reward in rewards.items():
                self._pay(seat, reward)

    def _complete(self) -> None:
        returns = self._ask(self.game.returns, self.state)
        expected = payoff_fault(self.game.spec, returns)
        if expected:
            self._break("returns", expected, repr(dict(returns)))
        self._undecided = frozenset([seat for seat, value in returns.items() if value is None])
        for seat, value in returns.items():
            if value is None:
                continue
            if not self._pays_by_step:
                self._pay(seat, value)
            elif not abs(self._earned[seat] - value) <= TOLERANCE * max(1.0, abs(value)):
                self._break("rewards", f"rewards of {seat!r} that sum to its return {value}", repr(self._earned[seat]))
        self.status = Status.COMPLETED

    def _forfeit(self) -> None:
        for seat, value in forfeit_returns(self.game.spec, self._offenders, self._earned).items():
            self._accrued[seat] += value - self._earned[seat]
            self._earned[seat] = value
        order = [seat for seat in self.game.spec.seats if seat in self._offenders]
        self.status, self.reason = Status.COMPLETED, f"forfeit:{','.join(order)}"

    def _pay(self, seat: str, amount: float) -> None:
        self._earned[seat] += amount
        self._accrued[seat] += amount

    def _record(self, mover: str, move: object) -> None:
        self._unhashed.append((mover, move))

    def _ask(self, rule: Callable[[*Arguments], R], *arguments: *Arguments) -> R:
        """Calls a method of the game; whatever it raises becomes a ``GameError`` that says where."""
        try:
            return rule(*arguments)
        except Exception as error:
            self._fail(f"raised:{type(error).__name__}")
            name = getattr(rule, "__name__", "rule")
            name = "observe" if name == seat_observation.__name__ else name
            raise GameError(
                f"{self._where()}: expected {name} to return, got {type(error).__name__}: {error}; mend its rules"
            ) from error

    def _break(self, rule: str, expected: str, got: str) -> NoReturn:
        self._fail(f"broke:{rule}")
        raise GameError(f"{self._where()}, {rule}: expected {expected}, got {got}; mend its rules")

    def _fail(self, reason: str) -> None:
        self.status, self.reason, self.to_move = Status.FAILED, reason, ()

    def _refuse(self, seat: str) -> NoReturn:
        if self.pending_call is not None:
            expected = "the verdict of the pending call; resolve it first"
        elif self.done:
            expected = "no move, the task is over; start another"
        else:
            expected = f"a move of {' or '.join(self.to_move)}; move a seat that is to move"
        wanted, _, remedy = expected.partition("; ")
        raise PlayError(f"{self._where()}: expected {wanted}, got a move of {seat!r}; {remedy}")

    def _where(self) -> str:
        return f"game {self.game.spec.id}, task {self.task.id}, ply {self.ply}"
