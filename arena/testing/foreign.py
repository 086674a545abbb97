"""The conformance check of foreign environments: does it keep PettingZoo's contract, and does its seed decide all.

Every episode is played three times with the same seed and actions: on a fresh object, on the same object again, and on
another fresh one. Between the steps of the repetitions the global generators of Python and numpy are disturbed (and
put back), since many environments share them when a campaign plays side by side.
"""

from __future__ import annotations

import contextlib
import io
import random as python_random
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from pettingzoo import ParallelEnv
from pettingzoo.utils.conversions import parallel_to_aec

from arena.aec import env as open_env
from arena.errors import CheckError
from arena.foreign.game import ForeignGame
from arena.game import Game, games
from arena.pay import payoff_fault
from arena.seeds import derive, generator
from arena.testing.foreign_walks import ForeignWalk, Moment, cut
from arena.testing.walks import AnyVerdict, Say
from arena.types import GameSpec, Observation, Status

_CYCLES = 50
_SEED_MASK = (1 << 31) - 1
Played = list[tuple[Moment, object]]
"""The moments of an episode, each with the action that followed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignReport:
    """What a passed check has covered.

    Attributes:
        game: the id, or the environment's name.
        layers: which environments were checked: ``inside`` (as its author wrote it), ``wrapped`` (as we offer it).
        episodes: random episodes played, not counting repetitions.
        steps: steps of these episodes, empty ones included.
        finished: how many episodes came to an end within ``most_steps``.
    """

    game: str
    layers: tuple[str, ...]
    episodes: int
    steps: int
    finished: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Layer:
    name: str
    make: Callable[[], Any]
    observe_text: Callable[[Any, str], str] | None = None


def check_foreign(
    game: str | Game[Any] | Callable[[], Any],
    *,
    episodes: int = 5,
    seed: int = 0,
    most_steps: int = 1000,
    say: Say | None = None,
) -> ForeignReport:
    """Checks an environment as a campaign will use it, and reports what was covered.

    Found are environments that ignore their seed or carry something from one episode to the next, keep dead agents or
    drop living ones, offer no legal action or punish one that they offer, raise, return what their spaces do not
    contain, masks of another shape or type, rewards that are no numbers, texts that are no ``str``; with a spec also
    returns outside its range or against its payoff type.

    Args:
        game: the id or the game (a foreign one is checked inside and wrapped), or what makes an environment: AEC,
            Parallel, or one of ours.
        episodes: how many random legal episodes.
        seed: from which seeds and actions derive.
        most_steps: after how many steps an episode is left; that is no fault.
        say: what may be said where answers are free text; a few short texts when ``None``.

    Raises:
        CheckError: the first thing that is not as it should be, with step, agent and field.
    """
    layers = _layers(game)
    name = _name(game, layers)
    steps = finished = 0
    for layer in layers:
        for episode in range(episodes):
            place = f"check_foreign({name}), {layer.name}: episode {episode}"
            played, over = _Check(layer, place, derive("foreign", seed, episode), most_steps, say or _anything).run()
            steps += len(played)
            finished += over
        if layer.name == "wrapped":
            _pettingzoo(name, layer)
    return ForeignReport(
        game=name,
        layers=tuple(layer.name for layer in layers),
        episodes=episodes * len(layers),
        steps=steps,
        finished=finished,
    )


class _Check:
    """One episode of one layer, three times."""

    def __init__(self, layer: _Layer, place: str, seed: int, most_steps: int, say: Say) -> None:
        self._layer = layer
        self._place = place
        self._seed = seed & _SEED_MASK
        self._most_steps = most_steps
        self._say = say

    def run(self) -> tuple[Played, bool]:
        env = self._make()
        random = generator("foreign actions", self._seed)
        played, over = self._play(env, lambda walk, step, moment: walk.choose(moment, random, self._say))
        if over:
            self._fair(env)
        with _disturbances() as disturb:
            for again in (env, self._make()):

                def repeat(walk: ForeignWalk, step: int, moment: Moment) -> object:
                    disturb()
                    self._same(walk, step, moment, played)
                    return played[step][1]

                length = len(self._play(again, repeat)[0])
                if length != len(played):
                    raise CheckError(
                        f"{self._place}, step {length}, agent {played[length][0].agent!r}, agents: expected the "
                        f"episode to go on as in the first play with seed {self._seed}, got its end; {_ADVICE}"
                    )
        return played, over

    def _make(self) -> Any:  # noqa: ANN401
        try:
            made = self._layer.make()
        except Exception as error:
            raise CheckError(
                f"{self._place}, step 0, agent '', opening: expected an environment, got "
                f"{type(error).__name__}: {error}; mend the environment"
            ) from error
        return parallel_to_aec(made) if isinstance(made, ParallelEnv) else made

    def _play(self, env: Any, decide: Callable[[ForeignWalk, int, Moment], object]) -> tuple[Played, bool]:  # noqa: ANN401
        walk = ForeignWalk(env, self._place, self._layer.observe_text)
        walk.reset(self._seed)
        played: Played = []
        while walk.agents() and len(played) < self._most_steps:
            moment = walk.look()
            action = decide(walk, len(played), moment)
            played.append((moment, action))
            walk.step(moment, action)
        return played, not walk.agents()

    def _same(self, walk: ForeignWalk, step: int, moment: Moment, played: Played) -> None:
        if step >= len(played):
            walk.fail("agents", f"the end, as in the first play with seed {self._seed}", str(walk.agents()), _ADVICE)
        first = played[step][0].seen
        for (agent, field, expected), (other, _, got) in zip(first, moment.seen, strict=False):
            if (agent, expected) != (other, got):
                raise CheckError(
                    f"{self._place}, step {step}, agent {agent!r}, {field}: expected {cut(repr(expected))} as in the "
                    f"first play with seed {self._seed}, got {cut(repr(got))}; {_ADVICE}"
                )

    def _fair(self, env: Any) -> None:  # noqa: ANN401
        """Checks the returns of an environment that has a spec of ours."""
        spec = getattr(env, "spec", None)
        if not isinstance(spec, GameSpec) or env.status is not Status.COMPLETED:
            return
        low, high = spec.returns_range
        fault = payoff_fault(spec, env.returns)
        for agent, value in env.returns.items():
            if value is not None and not low <= value <= high:
                fault = f"a return of {agent!r} in returns_range [{low}, {high}]"
        if fault:
            raise CheckError(
                f"{self._place}, end, agent '', returns: expected {fault}, got {env.returns}; mend the spec"
            )


_ADVICE = (
    "reset must depend on its seed alone: it ignores the seed, keeps something from the episode before or draws from a "
    "global generator"
)


@contextlib.contextmanager
def _disturbances() -> Iterator[Callable[[], None]]:
    """Yields what disturbs the global generators, and puts them back at the end."""
    python, numpy = python_random.getstate(), np.random.get_state()

    def disturb() -> None:
        python_random.seed(python_random.random())
        np.random.seed(int(np.random.randint(1 << 30)))

    try:
        yield disturb
    finally:
        python_random.setstate(python)
        np.random.set_state(numpy)


def _layers(game: str | Game[Any] | Callable[[], Any]) -> list[_Layer]:
    if isinstance(game, str):
        game = games.make(game)
    if isinstance(game, ForeignGame):
        return [
            _Layer(name="inside", make=game.inside, observe_text=game.observe_text),
            _Layer(name="wrapped", make=game.open),
        ]
    if isinstance(game, Game):
        rules, judge = game, AnyVerdict()
        return [_Layer(name="wrapped", make=lambda: open_env(rules, verifier=judge))]
    is_ours = isinstance(getattr(game(), "spec", None), GameSpec)
    return [_Layer(name="wrapped" if is_ours else "inside", make=game)]


def _name(game: str | Game[Any] | Callable[[], Any], layers: list[_Layer]) -> str:
    if isinstance(game, str):
        return game
    if isinstance(game, Game):
        return game.spec.id
    made = layers[0].make()
    return str(getattr(made, "metadata", {}).get("name", type(made).__name__))


def _pettingzoo(name: str, layer: _Layer) -> None:
    """Runs PettingZoo's own tests of the API and of seeds."""
    from pettingzoo.test import api_test, seed_test

    tests: dict[str, Callable[[], object]] = {
        "api_test": lambda: api_test(layer.make(), num_cycles=_CYCLES),
        "seed_test": lambda: seed_test(layer.make, num_cycles=_CYCLES),
    }
    for test, run in tests.items():
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            try:
                run()
            except Exception as error:
                raise CheckError(
                    f"check_foreign({name}), {layer.name}: PettingZoo {test}: expected it to pass, got "
                    f"{type(error).__name__}: {error}; mend the environment"
                ) from error


def _anything(seen: Observation) -> tuple[str, ...]:
    return ("yes", "no", "0", "two words")
