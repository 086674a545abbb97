"""Metrics of a round, and the files derived from them.

``round_metrics`` is a pure function of the episodes. ``metrics.jsonl`` and the TensorBoard folder are derived: a
resumed run rebuilds both from the committed rounds.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from arena.log import read_metrics
from arena.types import Episode, EpisodeGroup, Status
from training.tally import offenders


def round_metrics(groups: Mapping[str, Sequence[EpisodeGroup]]) -> dict[str, float]:
    """Returns rates and means over the episodes of a round, by game and over all."""
    metrics: dict[str, float] = {}
    episodes = [e for played in groups.values() for group in played for e in group.episodes]
    for name, played in groups.items():
        own = [episode for group in played for episode in group.episodes]
        for seat in own[0].lineup if own else ():
            returns = [value for e in own if (value := e.returns.get(seat)) is not None]
            if returns:
                metrics[f"{name}/return_{seat}"] = float(np.mean(returns))
        if own and len(own[0].lineup) > 1:
            metrics[f"{name}/draw_rate"] = sum(_drawn(episode) for episode in own) / len(own)
    return metrics | _rates(episodes) | _tokens_by_role(episodes)


def _tokens_by_role(episodes: Sequence[Episode]) -> dict[str, float]:
    """Returns the tokens that were read and sampled for each role, as ``role_tokens/ROLE``."""
    tokens: dict[str, float] = {}
    for episode in episodes:
        for turn in episode.turns:
            if turn.completion is not None:
                name = f"role_tokens/{episode.lineup[turn.seat].role}"
                spent = len(turn.completion.prompt_ids) + len(turn.completion.token_ids)
                tokens[name] = tokens.get(name, 0.0) + spent
    return dict(sorted(tokens.items()))


def _rates(episodes: Sequence[Episode]) -> dict[str, float]:
    turns = [turn for episode in episodes for turn in episode.turns]
    judged = [episode for episode in episodes if episode.status is not Status.FAILED]
    returns = [value for episode in judged for value in episode.returns.values()]
    count = max(1, len(episodes))
    return {
        "episodes": float(len(episodes)),
        "turns": float(len(turns)),
        "prompt_tokens": float(sum(e.prompt_tokens for e in episodes)),
        "completion_tokens": float(sum(e.completion_tokens for e in episodes)),
        "illegal_rate": sum(not turn.legal for turn in turns) / max(1, len(turns)),
        "forfeit_rate": sum(bool(offenders(e)) for e in episodes) / count,
        "truncated_rate": sum(e.status is Status.TRUNCATED for e in episodes) / count,
        "failed_rate": sum(e.status is Status.FAILED for e in episodes) / count,
        "undecided_rate": sum(value is None for value in returns) / max(1, len(returns)),
    }


def _drawn(episode: Episode) -> bool:
    """Whether a game was played to its end and paid every seat the same."""
    if episode.status is not Status.COMPLETED or offenders(episode):
        return False
    return len(set(episode.returns.values())) == 1 and None not in episode.returns.values()


class DerivedMetrics:
    """Writes ``metrics.jsonl`` and TensorBoard files beside the log.

    Args:
        run: the run's folder.
    """

    def __init__(self, run: Path) -> None:
        from torch.utils.tensorboard import SummaryWriter

        self._run = run
        shutil.rmtree(run / "tensorboard", ignore_errors=True)
        self._writer = SummaryWriter(str(run / "tensorboard"))
        (run / "metrics.jsonl").write_text("")
        for round_index, metrics in read_metrics(run).items():
            self.add(round_index, metrics)

    def add(self, round_index: int, metrics: Mapping[str, float]) -> None:
        """Adds one committed round."""
        with (self._run / "metrics.jsonl").open("a") as file:
            file.write(json.dumps({"round": round_index, **metrics}) + "\n")
        for name, value in metrics.items():
            self._writer.add_scalar(name, value, round_index)

    def close(self) -> None:
        """Flushes what is buffered; may be called twice."""
        self._writer.close()
