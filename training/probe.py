"""A transfer probe: a fixed set of questions that no game trains, answered before and after a campaign.

Does self-play on games change reasoning elsewhere (SPIRAL, arXiv 2506.24119, reports that it does)? A probe is a game
of one seat and one move that lists its own tasks (``quiz-v0``). Each answer is scored, not sampled: the probability of
the right answer is exact, so the only uncertainty is which questions were asked, and the change is measured question
by question.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from arena.errors import CapabilityError
from arena.game import FixedTasks, Game, games
from arena.params import reset
from training.evaluation import answer_scores
from training.players import ModelPlayer
from training.tally import mean_interval, wilson


def probe_game(name: str, where: str) -> Game[Any] | FixedTasks:
    """Returns the probe that a name, with or without its version, means.

    Raises:
        UnknownNameError: no game is called so.
        CapabilityError: the game is no fixed set of questions.
    """
    game = games.make(games.newest(name, where))
    if not isinstance(game, FixedTasks) or len(game.spec.seats) != 1 or game.spec.actions is None:
        raise CapabilityError(
            f"{where}: expected a game of one seat with tasks of its own, got {game.spec.id}; choose quiz"
        )
    return game


def probed(game: Any, player: ModelPlayer) -> dict[str, Any]:  # noqa: ANN401 - a game that also is FixedTasks
    """Returns how a player answers every question of a probe.

    Returns:
        ``probe``, ``policy``, ``version``, ``questions``; ``p_right`` (the probability of the right answer, question by
        question), its mean as (low, mid, high) in ``accuracy``, the share of questions whose most likely answer is
        right in ``greedy`` (Wilson), ``families`` (mean by family) and ``illegal_mass``.
    """
    tasks = game.tasks()
    states = [reset(game, task) for task in tasks]
    (seat,) = game.spec.seats
    scores = answer_scores(game, player, [game.observe(state, seat) for state in states])
    p_right, greedy, illegal = [], 0, []
    for state, (p_answers, missing) in zip(states, scores, strict=True):
        legal = game.observe(state, seat).legal_actions or ()
        paid = np.array([game.returns(game.step(state, {seat: action}))[seat] for action in legal])
        p_right.append(round(float(p_answers @ paid), 6))
        greedy += bool(paid[int(np.argmax(p_answers))] > 0)
        illegal.append(missing)
    families: dict[str, list[float]] = {}
    for task, p_one in zip(tasks, p_right, strict=True):
        families.setdefault(game.family(task), []).append(p_one)
    return {
        "probe": game.spec.id,
        "policy": player.policy.name,
        "version": player.policy.version,
        "questions": len(tasks),
        "accuracy": list(mean_interval(p_right)),
        "greedy": list(wilson(greedy, len(tasks))),
        "families": {family: float(np.mean(values)) for family, values in families.items()},
        "illegal_mass": float(np.mean(illegal)),
        "p_right": p_right,
    }


def change(before: Sequence[float], after: Sequence[float]) -> tuple[float, float, float]:
    """Returns the mean change of the probability of the right answer, question by question, as (low, mid, high)."""
    return mean_interval([b - a for a, b in zip(before, after, strict=True)])
