"""A wrapper that lets the PettingZoo environments of others be played like our games.

It takes any AEC environment (or a Parallel one, through PettingZoo's converter) whose actions are discrete, with or
without an action mask, or text, and offers the spaces, ``infos`` and attributes of ``arena.env``: the typed
observation, the hybrid action, the rule for illegal answers. Texts come from a function of the user's or from the
environment's own ``ansi`` rendering (which shows the whole state: give a function where something is hidden).

Such a game has no pure rules, so it can neither be forked nor enumerated: its spec says so, and what needs either
refuses it by name. It never pauses: ``pending_call`` is always ``None``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Mapping
from typing import Any, NoReturn

from gymnasium import spaces
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.conversions import parallel_to_aec

from arena.errors import ConfigError, PlayError
from arena.foreign.game import ForeignGame, spec_of
from arena.foreign.history import History
from arena.foreign.inner import Inner
from arena.legality import check_rule, fault
from arena.pay import forfeit_returns, payoff_fault, penalty_payments
from arena.refereed import seat_info
from arena.seeds import derive, generator
from arena.spaces import Shown, Spaces
from arena.types import Action, CallRecord, GameSpec, IllegalRule, NotUnderstood, Observation, Status, Task, Verdict


class ForeignEnv(AECEnv[str, Shown, object]):  # type: ignore[misc]
    """A foreign PettingZoo environment that offers what ``arena.env`` offers.

    Args:
        inner: the foreign environment, AEC or Parallel.
        spec: what is known about it; built from its spaces and its name when ``None`` (general-sum, any return).
        rules: what a player must know, in words.
        observe_text: what an agent sees, in words: a function of the environment and the agent. ``None`` takes the
            environment's rendering, whose mode must then be ``ansi``.
        action_name: the name of each index; decimal numbers when ``None``.
        illegal: replaces the spec's rule for illegal and missing answers.
        params: which params a task may have; ``None`` hands any to the environment, as options of its ``reset``.

    Raises:
        ConfigError: there is no source of texts, or the action spaces are neither discrete nor text.
    """

    def __init__(
        self,
        inner: object,
        *,
        spec: GameSpec | None = None,
        rules: str = "",
        observe_text: Callable[[Any, str], str] | None = None,
        action_name: Callable[[int], str] = str,
        illegal: IllegalRule | None = None,
        params: Collection[str] | None = None,
    ) -> None:
        super().__init__()
        env: Any = parallel_to_aec(inner) if isinstance(inner, ParallelEnv) else inner
        self.spec = spec or spec_of(env, action_name)
        self._inner = Inner(env, self.spec, observe_text)
        self.game = ForeignGame(lambda: env, spec=self.spec, rules=rules)
        self.render_mode = getattr(env, "render_mode", None)
        self.metadata = {**getattr(env, "metadata", {}), "name": self.spec.id}
        self.possible_agents = list(self.spec.seats)
        self.agents: list[str] = []
        self._rule = check_rule(illegal or self.spec.illegal, self.spec)
        self._spaces = Spaces(self.spec)
        self._params = params
        self._task: Task | None = None
        self._status: Status | None = None
        self._reason = ""
        self.env_step = 0

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts ``options["task"]``, or else a task with the given (or the next) seed.

        The inner environment gets the low 31 bits of the task's seed, and as options the other options and the task's
        params.

        Raises:
            ConfigError: the task is of another game, or has a param that the environment does not take.
            GameError: the inner environment raised or broke its contract.
        """
        self._task = task = self._task_of(seed, options)
        seats = self.spec.seats
        self._status, self._reason = None, ""
        self.env_step = 0
        self._own_end = False
        self._attempts = 0
        self._earned = dict.fromkeys(seats, 0.0)
        self._fines = dict.fromkeys(seats, 0.0)
        self._cumulative_rewards = dict.fromkeys(seats, 0.0)
        self._histories = {seat: History() for seat in seats}
        root = json.dumps([self.spec.id, dict(task.params), task.seed], sort_keys=True)
        self._joint = hashlib.blake2b(root.encode(), digest_size=8)
        passed = {key: value for key, value in (options or {}).items() if key != "task"} | dict(task.params)
        self.infos = {seat: seat_info(Observation(seat=seat, text="", legal_actions=())) for seat in seats}
        self._inner.reset(task, passed)
        self._mirror()
        for agent in self.agents:
            self._refresh(agent)

    def step(self, action: object) -> None:
        """Takes the answer of ``agent_selection``; ``None`` removes an agent that is terminated or truncated.

        Raises:
            PlayError: the episode is over or the action is outside the space.
            GameError: the inner environment raised or broke its contract.
        """
        if self._task is None or not self.agents:
            raise PlayError(f"step of {self.spec.id}: expected a running episode, got none; call reset first")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._bury(agent, action)
            return
        answer = self._spaces.read(action)
        seen = self.infos[agent]["observation"]
        reason = fault(answer, seen.legal_actions)
        self.infos[agent] = {**self.infos[agent], "legal": not reason, "reason": reason}
        self._cumulative_rewards[agent] = 0.0
        if isinstance(answer, Action) and not reason:
            self._play(agent, seen, answer.value)
        else:
            self._punish(agent, seen, answer, reason)

    def observe(self, agent: str) -> Shown:
        """Returns the agent's text, and its mask if it is to move, as its observation space has it."""
        return self._spaces.show(self._look(agent))

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Returns the agent's observation space, always the same object."""
        return self._spaces.observation[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Returns the agent's action space, always the same object."""
        return self._spaces.action[agent]

    def render(self) -> object:
        """Returns what the inner environment renders."""
        return self._inner.env.render()

    def close(self) -> None:
        """Closes the inner environment."""
        self._inner.env.close()

    @property
    def task(self) -> Task:
        """What is played."""
        if self._task is None:
            raise PlayError(f"environment of {self.spec.id}: expected reset() before anything else, got none; call it")
        return self._task

    @property
    def status(self) -> Status | None:
        """How the task ended, or ``None`` while it runs."""
        return Status.FAILED if self._inner.failure else self._status

    @property
    def reason(self) -> str:
        """Why the task ended when it did not simply complete."""
        return self._inner.failure or self._reason

    @property
    def returns(self) -> dict[str, float | None]:
        """What each seat has earned so far, penalties included."""
        return {seat: earned + self._fines[seat] for seat, earned in self._earned.items()}

    @property
    def calls(self) -> tuple[CallRecord, ...]:
        """Always empty."""
        return ()

    @property
    def pending_call(self) -> None:
        """Always ``None``: a foreign environment never pauses."""
        return None

    @property
    def node_id(self) -> str:
        """The name of the joint history; the seed is part of it, because chance hides in the environment."""
        return "" if self._task is None else self._joint.hexdigest()

    def resolve(self, verdict: Verdict) -> NoReturn:
        """Always refuses.

        Raises:
            PlayError: always: a foreign environment never waits for a verdict.
        """
        raise PlayError(f"resolve of {self.spec.id}: expected a pending call, got {verdict!r}; it never pauses")

    def _task_of(self, seed: int | None, options: Mapping[str, Any] | None) -> Task:
        task = (options or {}).get("task")
        if task is None:
            if seed is None:
                seed = 0 if self._task is None else derive("reset", self._task.seed)
            return Task(game=self.spec.id, seed=seed)
        if not isinstance(task, Task) or task.game != self.spec.id:
            raise ConfigError(f"reset.options.task: expected a Task of {self.spec.id}, got {task!r}; pass one of it")
        unknown = [] if self._params is None else sorted(set(task.params) - set(self._params))
        if unknown:
            known = ", ".join(self._params or ()) or "none"
            raise ConfigError(f"task.params of {self.spec.id}: expected {known}, got {unknown}; leave them out")
        return task

    def _play(self, agent: str, seen: Observation, action: str) -> None:
        self._attempts = 0
        self._joint.update(f"{agent!a}:{action!a};".encode())
        self._histories[agent].extend(seen.text, action)
        self._inner.play(agent, action)
        self.env_step += 1
        self._mirror()
        if self._inner.refusal(agent):
            self.infos[agent] = {**self.infos[agent], "legal": False, "reason": fault(Action(value=action), ())}
        for payee, reward in self.rewards.items():
            self._earned[payee] += reward
            self._cumulative_rewards[payee] += reward
        self._finish_if_all_dead()
        if self._status is None and self.env_step >= self.spec.max_turns:
            self._end(Status.TRUNCATED, "max_turns")
        if self._status is not None:
            for other in self.agents:
                self._refresh(other)
        else:
            self._refresh(self.agent_selection)

    def _punish(self, agent: str, seen: Observation, answer: Action | NotUnderstood, reason: str) -> None:
        rule = self._rule
        said = answer.value if isinstance(answer, Action) else ""
        self._joint.update(f"{agent!a}:{reason!a}:{said!a};".encode())
        self.rewards = dict.fromkeys(self.agents, 0.0)
        if rule.penalty and rule.kind != "forfeit":
            self._receive(penalty_payments(self.spec, agent, rule.penalty), self._fines)
        if rule.kind == "retry" and self._attempts < rule.retries:
            self._attempts += 1
        elif rule.kind == "penalise" and seen.legal_actions:
            random = generator("illegal", self.task.seed, self.env_step, self.spec.seats.index(agent))
            fines = self.rewards
            self._play(agent, seen, seen.legal_actions[int(random.integers(len(seen.legal_actions)))])
            self.rewards = {seat: reward + fines.get(seat, 0.0) for seat, reward in self.rewards.items()}
        else:
            due = forfeit_returns(self.spec, [agent], self._earned)
            self._receive({seat: value - self._earned[seat] for seat, value in due.items()}, self._earned)
            self._end(Status.COMPLETED, f"forfeit:{agent}")
            for other in self.agents:
                self._refresh(other)

    def _receive(self, payments: Mapping[str, float], account: dict[str, float]) -> None:
        for seat, amount in payments.items():
            account[seat] += amount
            if seat in self.rewards:
                self.rewards[seat] += amount
                self._cumulative_rewards[seat] += amount

    def _end(self, status: Status, reason: str) -> None:
        """Ends the episode for every agent, without asking the inner environment further."""
        self._own_end = True
        self._status, self._reason = status, reason
        ended = self.truncations if status is Status.TRUNCATED else self.terminations
        for agent in self.agents:
            ended[agent] = True
        self._skip_agent_selection = None
        self.agent_selection = self.agents[0]

    def _finish_if_all_dead(self) -> None:
        if not all(self.terminations[agent] or self.truncations[agent] for agent in self.agents):
            return
        truncated = any(self.truncations[agent] for agent in self.agents)
        self._status = Status.TRUNCATED if truncated else Status.COMPLETED
        self._reason = self._inner.end_reason()
        expected = payoff_fault(self.spec, self._earned)
        if expected and not truncated:
            self._inner.broke("rewards", expected, repr(self._earned))

    def _bury(self, agent: str, action: object) -> None:
        """Removes a dead agent, by the inner environment unless the episode was ended here."""
        if self._own_end:
            self._was_dead_step(action)
            return
        if action is not None:
            raise PlayError(f"step of {self.spec.id}: expected None for {agent!r}, which is dead, got {action!r}")
        self._inner.bury(agent)
        del self.infos[agent], self._cumulative_rewards[agent]
        self._mirror()
        if self._status is None:
            self._finish_if_all_dead()
        if self.agents and not (self.terminations[self.agent_selection] or self.truncations[self.agent_selection]):
            self._refresh(self.agent_selection)

    def _mirror(self) -> None:
        """Copies what PettingZoo asks for from the inner environment."""
        seen = self._inner.look()
        self.agents, self.rewards = seen.agents, seen.rewards
        self.terminations, self.truncations = seen.terminations, seen.truncations
        if self.agents:
            self.agent_selection = seen.agent_selection

    def _refresh(self, agent: str) -> None:
        old = self.infos[agent]
        self.infos[agent] = seat_info(self._look(agent), old["legal"], old["reason"])

    def _look(self, agent: str) -> Observation:
        text = self._inner.text(agent)
        idle = agent != self.agent_selection or self.terminations[agent] or self.truncations[agent]
        legal = () if idle else self._inner.legal(agent)
        key = self._histories[agent].key(text)
        return Observation(seat=agent, text=text, legal_actions=legal, information_key=key)
