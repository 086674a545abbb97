"""Writes logs that look like those of a campaign: real Kuhn play of a drifting strategy, solved exactly."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arena.game import games, seat_observation
from arena.game_tree import game_tree
from arena.log import RunLog
from arena.seeds import generator
from arena.solutions import nash_conv
from arena.types import NATURE, Completion, Episode, Observation, PolicyId, Sampling, SeatPlan, Status, Tag, Task, Turn

GAME = "kuhn_poker-v0"
KUHN = games.make(GAME)
TREE = game_tree(KUHN, Task(game=GAME))
# The least and greatest probability of betting or calling in Kuhn's equilibrium family (Kuhn, 1950).
FAMILY = {
    "J": (0, 1 / 3), "Q": (0, 0), "K": (0, 1), "J check bet": (0, 0), "Q check bet": (1 / 3, 2 / 3),
    "K check bet": (1, 1), "J check": (1 / 3, 1 / 3), "Q check": (0, 0), "K check": (1, 1), "J bet": (0, 0),
    "Q bet": (1 / 3, 1 / 3), "K bet": (1, 1),
}  # fmt: skip

HOSTILE = (
    "<script>window.hacked=1</script>",
    "<img src=x onerror=\"window.hacked=1\"><svg onload='window.hacked=1'>",
    "</pre></details></script><script>window.hacked=1</script><!--",
    "{{ 7*7 }}{% raw %} ${7*7} <action>bet</action>",
    "\x1b[2J\x1b]8;;http://evil.example\x07link\x1b]8;;\x07\x00\x9b31m",
    "\u202e<action>teb</action>\u202c \u200b\u2066zero\u2069 \ud800 lone",
    "javascript:alert(1) https://evil.example/x.png <link rel=stylesheet href=//evil.example>",
    "a" * 1_000_000,
)


def strategy_at(progress: float, wobble: np.random.Generator) -> dict[str, dict[str, float]]:
    """Returns a strategy between uniform (progress 0) and one member of the family (progress 1), a little noisy."""
    found: dict[str, dict[str, float]] = {}
    for info in TREE.information_sets:
        low, high = FAMILY[info.key]
        target = low + (high - low) * 0.6
        noise = 0.05 * (1 - progress) + 0.012
        p = float(np.clip(0.5 + (target - 0.5) * progress + wobble.normal(0, noise), 0.002, 0.998))
        bold = "bet" if "bet" in info.actions else "call"
        found[info.key] = {action: p if action == bold else 1 - p for action in info.actions}
    return found


def play(index: int, at: int, strategy: dict[str, dict[str, float]], text: str | None) -> Episode:
    """Plays one game of Kuhn poker; ``text`` replaces what the last mover said (and forfeits the game)."""
    draw = generator("synthetic", at, index)
    state: Any = KUHN.reset(Task(game=GAME))
    turns: list[Turn] = []
    while movers := KUHN.to_move(state):
        if movers == (NATURE,):
            outcomes = KUHN.nature(state).outcomes  # type: ignore[union-attr]
            state = KUHN.step(state, {NATURE: outcomes[int(draw.integers(len(outcomes)))][0]})
            continue
        seen = seat_observation(KUHN, state, movers[0], [])
        chances = strategy[seen.information_key]
        action = list(chances)[int(draw.choice(2, p=list(chances.values())))]
        turns.append(turn(len(turns), seen, action, chances[action], at))
        state = KUHN.step(state, {movers[0]: action})
    returns: dict[str, float | None] = {seat: value for seat, value in KUHN.returns(state).items()}
    if text is not None:
        broken = turns[-1]
        turns[-1] = turn(len(turns) - 1, broken.observation, None, 0.5, at, text)
        returns = {seat: -2.0 if seat == broken.seat else 2.0 for seat in KUHN.spec.seats}
    plan = SeatPlan(policy=PolicyId(name="player", version=at), role="player", tag=Tag.LIVE)
    past = SeatPlan(policy=PolicyId(name="player", version=max(0, at - 20)), role="player", tag=Tag.PAST)
    return Episode(
        id=f"{at:06d}-{index:05d}",
        task=Task(game=GAME, seed=index, author="uniform"),
        group_id=f"{at:06d}-{index:05d}",
        round=at,
        lineup={"first": plan, "second": past if index % 4 == 3 else plan},
        turns=tuple(turns),
        returns=returns,
        status=Status.COMPLETED,
        reason="" if text is None else f"forfeit:{turns[-1].seat}",
        prompt_tokens=140 * len(turns),
        completion_tokens=8 * len(turns),
    )


def turn(number: int, seen: Observation, action: str | None, p: float, at: int, text: str | None = None) -> Turn:
    """Builds one turn with a completion that says the action."""
    said = text if text is not None else f"My card decides. <action>{action}</action>"
    completion = Completion(
        id=f"{at}-{number}-{seen.seat}",
        prompt_ids=tuple(range(140)),
        token_ids=(5, 6, 7, 1),
        logprobs=(-0.01, math.log(p), -0.002, 0.0),
        support=None if text else ((5,), (6, 8), (7,), (1,)),
        text=said,
        finish_reason="length" if text else "stop",
        policy=PolicyId(name="player", version=at),
        sampling=Sampling(),
        version_spans=((0, at),),
    )
    return Turn(
        seat=seen.seat,
        env_step=number,
        ordinal=number // 2,
        observation=seen,
        completion=completion,
        action=action,
        reason="" if action else "no_action",
        legal=action is not None,
        reward=0.0,
        node_id=f"n{number}",
        anchor_key=seen.information_key,
    )


def evaluation(at: int, strategy: dict[str, dict[str, float]], games_won: np.random.Generator) -> dict[str, Any]:
    """Returns the fields of an evaluation event with exact NashConv and Wilson intervals."""
    by_seat = {seat: {info.key: strategy[info.key] for info in TREE.sets_of(seat)} for seat in TREE.seats}
    exact = nash_conv(TREE, by_seat)
    bold = {key: next(action for action in ("bet", "call") if action in strategy[key]) for key in strategy}
    equilibrium = {
        key: {
            action: list(FAMILY[key]) if action == bold[key] else [1 - FAMILY[key][1], 1 - FAMILY[key][0]]
            for action in actions
        }
        for key, actions in strategy.items()
    }
    return {
        "game": "kuhn",
        "policy": "player",
        "version": at,
        "nash_conv": exact.value,
        "illegal_mass": 0.08 * math.exp(-at / 12),
        "expected_returns": dict(exact.returns),
        "references": {"uniform": 0.9167, "always_bet": 0.6667, "equilibrium": 0.0},
        "strategy": strategy,
        "equilibrium": equilibrium,
        "opponents": [
            opponent(name, seat, games_won, base + 0.12 * (1 - math.exp(-at / 30)))
            for name, base in (("uniform", 0.47), ("always_bet", 0.41))
            for seat in ("first", "second")
        ],
        "duplicates": [
            {"opponent": "uniform", "deals": 400, "return": [-0.05, 0.06, 0.17], "variance_ratio": 0.44},
            {"opponent": "always_bet", "deals": 0, "return": None, "variance_ratio": None},
        ],
    }


def probe(at: int, rounds_done: int, gain: float) -> dict[str, Any]:
    """Returns the fields of a probe's event: 40 questions, each ``gain`` and a little noise better than at first."""
    first = generator("questions").uniform(0.1, 0.4, 40)
    p_right = np.round(first + (gain + generator("answers", at).normal(0, 0.02, 40) if rounds_done else 0.0), 6)
    mid, half = float(p_right.mean()), 1.96 * float(p_right.std(ddof=1)) / math.sqrt(40)
    return {
        "probe": "quiz-v0", "policy": "player", "version": rounds_done, "rounds_done": rounds_done, "questions": 40,
        "accuracy": [mid - half, mid, mid + half], "greedy": [0.1, 0.2, 0.35], "illegal_mass": 0.9,
        "families": {"logic": float(p_right[:20].mean()), "counting": float(p_right[20:].mean())},
        "p_right": p_right.tolist(),
    }  # fmt: skip


def opponent(name: str, seat: str, draw: np.random.Generator, p: float) -> dict[str, Any]:
    """Returns one opponent's result over 400 games, with the Wilson interval."""
    wins, n, z = int(draw.binomial(400, p)), 400, 1.96
    centre, half = (wins + z * z / 2) / (n + z * z), z / (n + z * z) * math.sqrt(wins * (n - wins) / n + z * z / 4)
    return {
        "opponent": name, "seat": seat, "games": n, "wins": wins, "draws": 0, "losses": n - wins, "won_by_forfeit": 0,
        "forfeits": 3, "truncated": 0, "failed": 0, "unjudged": 0, "return_mean": (2 * wins - n) / n,
        "win_rate": [centre - half, wins / n, centre + half], "not_lost_rate": [centre - half, wins / n, centre + half],
    }  # fmt: skip


def write_run(
    directory: Path, rounds: int = 12, games_a_round: int = 24, *, hostile: bool = True, finished: bool = True
) -> Path:
    """Writes a run directory with everything that the report draws."""
    directory.mkdir(parents=True)
    (directory / "config.yaml").write_text("seed: 0\nrounds: 200\n# <script>window.hacked=1</script>\n")
    wobble = generator("wobble")
    with RunLog(directory) as log:
        for at in range(rounds):
            log.open_round(at)
            write_round(log, at, rounds, games_a_round, wobble, hostile)
            if at == rounds - 1 and finished:
                log.event("run_finished", rounds=rounds)
            log.commit()
        if not finished:
            log.open_round(rounds)
            log.event("alarm", detector="open_round", evidence="the process was killed here")
    return directory


def write_round(
    log: RunLog, at: int, rounds: int, games_a_round: int, wobble: np.random.Generator, hostile: bool
) -> None:
    """Writes one round's events, episodes and metrics."""
    progress = 1 - math.exp(-3.5 * at / rounds)
    strategy = strategy_at(progress, wobble)
    if at == 0:
        seats = {seat: {"role": "player", "policy": "player"} for seat in ("first", "second")}
        games_of = {"kuhn": {"game": GAME, "seats": seats}}
        versions = {"ludus-arena": "0.1.0", "torch": "2.13.0"}
        log.event("run_started", campaign="kuhn_selfplay", seed=0, rounds=rounds, games=games_of, versions=versions)
    log.event("task_proposed", task="t", game=GAME, seed=at, group="g", author="uniform")
    log.event("updated", **update(at, progress, wobble))
    log.event("evaluated", **evaluation(at, strategy, wobble))
    if at in (0, rounds - 1):
        log.event("probed", **probe(at, at + 1 if at else 0, gain=0.0))
    if at == rounds // 3:
        log.event("alarm", detector="entropy_low", evidence=HOSTILE[0] if hostile else "entropy 0.02 in round 66")
    if at == rounds // 2 and at:
        log.event("resumed", from_round=at - 1)
        log.event("snapshot_added", policy="player", version=at)
    texts = HOSTILE if hostile else ("I would rather not say.",)
    log.episodes([play(i, at, strategy, texts[i % len(texts)] if i % 3 == 2 else None) for i in range(games_a_round)])
    log.metrics({
        "kuhn/return_first": -1 / 18 + float(wobble.normal(0, 0.03)), "illegal_rate": 0.08 * math.exp(-at / 12),
        "kuhn/return_second": 1 / 18 + float(wobble.normal(0, 0.03)), "kuhn/turns_mean": 2.4, "distinct_prompts": 54,
        "undecided_rate": 0.0, "rows": 1200 + int(wobble.integers(60)), "nothing": None,
    })  # fmt: skip


def update(at: int, progress: float, wobble: np.random.Generator) -> dict[str, Any]:
    """Returns the fields of an update event."""
    return {
        "policy": "player", "version": at + 1, "steps": 4, "loss": -0.02 + float(wobble.normal(0, 0.004)),
        "kl": 0.01 * (1 - progress) + float(abs(wobble.normal(0, 0.001))), "entropy": 0.69 - 0.4 * progress,
        "grad_norm": 0.5 + float(abs(wobble.normal(0, 0.1))), "learning_rate": 3e-4 * (1 - 0.9 * at / 200),
        "clip_rate": 0.06 * (1 - progress), "rows": 1228, "distinct_rows": 54,
        "advantage": {"player": {"mean": 0.0, "std": 1.1, "max": 2.4}},
    }  # fmt: skip


@pytest.fixture(scope="session")
def run_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short finished run with hostile texts."""
    return write_run(tmp_path_factory.mktemp("runs") / "20260101-120000-ab12cd")


@pytest.fixture
def write() -> Callable[..., Path]:
    """The function that writes a run directory."""
    return write_run
