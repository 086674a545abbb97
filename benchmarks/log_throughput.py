"""How fast the episode log writes and reads, and how large it gets: ``python -m benchmarks.log_throughput``.

Kuhn-sized episodes: 2 or 3 turns, 60 prompt ids and 4 completion ids each. The yardstick is ``json.dumps`` of the same
content, one object a line, in memory.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from arena.log import RunLog, read_episodes
from arena.log.episode_columns import episode_batch
from arena.log.schema import EPISODES
from arena.seeds import generator
from arena.types import Completion, Episode, Observation, PolicyId, Sampling, SeatPlan, Status, Tag, Task, Turn

PROMPT_TOKENS, COMPLETION_TOKENS, VOCABULARY = 60, 4, 512
ACTIONS = ("check", "bet", "fold", "call")
SEATS = ("first", "second")


def kuhn_sized_episodes(count: int) -> list[Episode]:
    """Returns episodes of the size of Kuhn poker's, with random tokens and log-probabilities."""
    rng = generator("benchmark", count)
    prompts = [tuple(row) for row in rng.integers(0, VOCABULARY, (12, PROMPT_TOKENS)).tolist()]
    return [_episode(rng, index, prompts) for index in range(count)]


def _episode(rng: np.random.Generator, index: int, prompts: Sequence[tuple[int, ...]]) -> Episode:
    task = Task(game="kuhn_poker-v0", params={}, seed=int(rng.integers(1 << 62)))
    turns = tuple(_turn(rng, index, ordinal, prompts) for ordinal in range(2 + (index % 5 < 2)))
    policy = PolicyId(name="player", version=7)
    return Episode(
        id=f"r7-e{index}",
        task=task,
        group_id=f"r7-g{index}",
        round=7,
        lineup={seat: SeatPlan(policy=policy, role="player", tag=Tag.LIVE) for seat in SEATS},
        turns=turns,
        returns={"first": 1.0, "second": -1.0},
        status=Status.COMPLETED,
        prompt_tokens=PROMPT_TOKENS * len(turns),
        completion_tokens=COMPLETION_TOKENS * len(turns),
    )


def _turn(rng: np.random.Generator, index: int, number: int, prompts: Sequence[tuple[int, ...]]) -> Turn:
    which, seat = int(rng.integers(len(prompts))), SEATS[number % 2]
    action = ACTIONS[int(rng.integers(4))]
    logprobs = rng.exponential(1.0, COMPLETION_TOKENS).astype(np.float32)
    completion = Completion(
        id=f"r7-e{index}-{number}",
        prompt_ids=prompts[which],
        token_ids=tuple(rng.integers(0, VOCABULARY, COMPLETION_TOKENS).tolist()),
        logprobs=tuple((-logprobs).tolist()),
        support=((3,), (17, 18), (4,), (2,)),
        text=f"<action>{action}</action>",
        finish_reason="stop",
        policy=PolicyId(name="player", version=7),
        sampling=Sampling(),
        version_spans=((0, 7),),
    )
    return Turn(
        seat=seat,
        env_step=number,
        ordinal=number // 2,
        observation=Observation(
            seat=seat,
            text=f"You hold card {which}. The opponent bets. Pot 3. You may fold or call.",
            legal_actions=("fold", "call"),
            information_key=f"key {which}",
        ),
        completion=completion,
        action=action,
        reason="",
        legal=True,
        reward=0.0,
        node_id=f"{which:016x}",
        anchor_key=f"key {which}",
    )


def best_s(act: Callable[[], object], repeats: int) -> float:
    """Returns the least wall time of several calls, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        act()
        times.append(time.perf_counter() - start)
    return min(times)


def measure(count: int, repeats: int) -> dict[str, float]:
    """Returns the figures for ``count`` episodes in one round."""
    episodes = kuhn_sized_episodes(count)
    with tempfile.TemporaryDirectory() as folder, RunLog(folder) as log:
        rounds = iter(range(repeats + 1))

        append_s: list[float] = []

        def write() -> None:
            log.open_round(next(rounds))
            append_s.append(best_s(lambda: log.episodes(episodes), 1))
            log.commit()

        write_s = best_s(write, repeats)
        read_s = best_s(lambda: list(read_episodes(folder, rounds=[0])), repeats)
        size = (Path(folder) / "rounds" / "000000" / EPISODES).stat().st_size
    rows = [asdict(episode) for episode in episodes]
    json_s = best_s(lambda: "\n".join(map(json.dumps, rows)), repeats)
    return {
        "columns_ms": 1e3 * best_s(lambda: episode_batch(episodes), repeats),
        "columns_and_parquet_ms": 1e3 * min(append_s),
        "write_and_commit_ms": 1e3 * write_s,
        "read_ms": 1e3 * read_s,
        "written_episodes_per_s": count / write_s,
        "read_episodes_per_s": count / read_s,
        "bytes_per_episode": size / count,
        "json_ms": 1e3 * json_s,
        "json_bytes_per_episode": len("\n".join(map(json.dumps, rows))) / count,
        "write_time_over_json": write_s / json_s,
    }


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--episodes", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=5)
    chosen = parser.parse_args()
    for name, value in measure(chosen.episodes, chosen.repeats).items():
        print(f"{name:28} {value:12,.2f}")


if __name__ == "__main__":
    main()
