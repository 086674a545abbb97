"""Games, players and plans for the tests of samplers and runtimes."""

from __future__ import annotations

from dataclasses import replace

from arena.aec import env
from arena.game import Call, Game, Verifier
from arena.games.kuhn_poker import KuhnPoker
from arena.games.rock_paper_scissors import RockPaperScissors
from arena.games.tic_tac_toe import TicTacToe
from arena.seeds import player_seed
from arena.types import (
    NATURE,
    Capabilities,
    GameSpec,
    Observation,
    Outcome,
    Payoff,
    PolicyId,
    SeatPlan,
    Tag,
    Task,
    Verdict,
)
from roles.scripted import Uniform
from training.samplers.independent import IndependentSampler
from training.samplers.sampler import EpisodePlan

GAMES = {"kuhn": KuhnPoker, "tic_tac_toe": TicTacToe, "rock_paper_scissors": RockPaperScissors}


class RaisingKuhn(KuhnPoker):
    """Raises as soon as somebody bets."""

    def step(self, state, moves):
        if "bet" in moves.values():
            raise ValueError("the chips are gone")
        return super().step(state, moves)


class RaisingReset(KuhnPoker):
    """Raises at the start of tasks whose table is not 0."""

    spec = replace(KuhnPoker.spec, params={"table": 0})

    def reset(self, task):
        if task.params["table"]:
            raise ValueError("no such table")
        return super().reset(task)


class Guess(Game):
    """A seat names a number and a verifier judges it; the other seat is paid for wrong ones; 0 is undecided."""

    spec = GameSpec(
        name="guess",
        version=0,
        seats=("solver", "doubter"),
        payoff=Payoff.GENERAL_SUM,
        max_turns=2,
        returns_range=(0.0, 1.0),
        actions=("0", "1", "2"),
        capabilities=Capabilities(enumerate=False),
    )
    rules = "Name the even number."

    def reset(self, task):
        return ()

    def to_move(self, state):
        return (("solver",), (NATURE,), ("doubter",), ())[len(state)]

    def nature(self, state):
        return Call("even", state[0])

    def observe(self, state, seat):
        return Observation(seat=seat, text=f"{len(state)} steps.", legal_actions=self.spec.actions)

    def step(self, state, moves):
        return (*state, next(iter(moves.values())))

    def returns(self, state):
        outcome = state[1].outcome
        solver = None if outcome is Outcome.UNDECIDED else float(outcome is Outcome.CORRECT)
        return {"solver": solver, "doubter": float(outcome is Outcome.WRONG)}


class Ticking(Game):
    """Two seats alternate four times; each move pays its mover 1 and the other seat 10."""

    spec = GameSpec(
        name="ticking",
        version=0,
        seats=("a", "b"),
        payoff=Payoff.GENERAL_SUM,
        max_turns=4,
        returns_range=(0.0, 44.0),
        actions=("tick",),
    )
    rules = "Tick."

    def reset(self, task):
        return 0

    def to_move(self, state):
        return () if state == 4 else (self.spec.seats[state % 2],)

    def observe(self, state, seat):
        return Observation(seat=seat, text=f"Move {state}.", legal_actions=self.spec.actions)

    def step(self, state, moves):
        return state + 1

    def rewards(self, before, after):
        mover = self.spec.seats[before % 2]
        return {seat: 1.0 if seat == mover else 10.0 for seat in self.spec.seats}

    def returns(self, state):
        return dict.fromkeys(self.spec.seats, 22.0)


class Even(Verifier):
    """Judges numbers and remembers the size of each batch."""

    def __init__(self):
        self.batches = []

    def check(self, calls):
        self.batches.append(len(calls))
        outcomes = {"0": Outcome.UNDECIDED, "1": Outcome.WRONG, "2": Outcome.CORRECT}
        return [Verdict(outcome=outcomes[call.request], verifier="even", version="1") for call in calls]


def plans(game, count, player=None, params=None):
    """Plans of episodes between scripted players; ``params`` maps an index to the params of its task."""
    seats = game.spec.seats
    player = player or Uniform()
    return [
        EpisodePlan(
            id=f"r000000-e{i:06d}",
            group_id=f"g{i // 2}",
            round=0,
            task=Task(game=game.spec.id, seed=1000 + i // 2, params=(params or {}).get(i, {})),
            lineup={s: SeatPlan(policy=PolicyId(name=player.name), role=player.name, tag=Tag.SCRIPTED) for s in seats},
            players=dict.fromkeys(seats, player),
            seeds={seat: player_seed(0, 0, i, place) for place, seat in enumerate(seats)},
        )
        for i in range(count)
    ]


def play(game, planned, verifier=None, chunk=None):
    """Plays in chunks, re-using environments as the runtime does."""
    sampler, envs, episodes = IndependentSampler(), [], []
    chunk = chunk or len(planned)
    for start in range(0, len(planned), chunk):
        free = iter(envs)

        def open_env(free=free):
            found = next(free, None)
            if found is None:
                envs.append(found := env(game))
            return found

        episodes += sampler.play(planned[start : start + chunk], open_env, verifier)
    return episodes
