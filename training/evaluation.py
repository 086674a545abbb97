"""Exact evaluation: NashConv where a game can be enumerated (``training.tally`` counts played games).

Self-play reward is no measure of progress: it is 0 by symmetry while a policy collapses.

NashConv of a language-model policy scores each legal answer at each information set instead of sampling it. The raw
probabilities sum to less than 1; what is missing is the illegal mass, which is reported apart. The strategy that is
solved is the one the campaign samples from: masked (renormalised token by token over the legal answers), or raw and
renormalised once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.errors import CapabilityError
from arena.game import Game
from arena.game_tree import GameTree, game_tree
from arena.solutions import nash_conv, tabulate, uniform_strategy
from arena.types import Observation, Task
from roles.role import ScriptedPlayer
from training.campaign_game import CampaignGame
from training.engines.engine import ScoreRequest
from training.opponents.matchmaking import Population, live_lineup
from training.players import ModelPlayer

Strategy = dict[str, dict[str, float]]
CHUNK_SETS = 256
"""Information sets scored in one call of the engine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exact:
    """An exact evaluation.

    Attributes:
        nash_conv: what the seats could gain, summed; 0 exactly at an equilibrium.
        gains: what each seat could gain by best responding.
        returns: what each seat expects.
        illegal_mass: the mean over information sets of the probability of anything but a legal answer.
        strategies: by seat, information key and action.
    """

    nash_conv: float
    gains: Mapping[str, float]
    returns: Mapping[str, float]
    illegal_mass: float
    strategies: Mapping[str, Strategy]


class ExactEvaluation:
    """Solves one game of a campaign, again and again as its policies change.

    Args:
        entry: the game.
    """

    def __init__(self, entry: CampaignGame) -> None:
        self._entry = entry
        self.tree: GameTree = game_tree(entry.game, Task(game=entry.game.spec.id, params=entry.params))

    def evaluate(self, players: Mapping[str, ModelPlayer | ScriptedPlayer]) -> Exact:
        """Returns the exact evaluation of the players in their seats."""
        strategies: dict[str, Strategy] = {}
        illegal: list[float] = []
        for seat, player in players.items():
            if isinstance(player, ModelPlayer):
                sets = self.tree.sets_of(seat)
                scores = answer_scores(self._entry.game, player, [info.observation for info in sets])
                strategies[seat] = {
                    info.key: dict(zip(info.actions, p_actions.tolist(), strict=True))
                    for info, (p_actions, _) in zip(sets, scores, strict=True)
                }
                illegal += [missing for _, missing in scores]
            else:
                strategies[seat] = self._tabulated(player, seat)
        solved = nash_conv(self.tree, strategies)
        return Exact(
            nash_conv=solved.value,
            gains=solved.gains,
            returns=solved.returns,
            illegal_mass=float(np.mean(illegal)) if illegal else 0.0,
            strategies=strategies,
        )

    def references(self, names: Sequence[str]) -> dict[str, float]:
        """Returns NashConv of the uniform player, and of the named scripted players that know this game."""
        values = {"uniform": _clean(nash_conv(self.tree, uniform_strategy(self.tree)).value)}
        for name in names:
            try:
                player = self._entry.scripted(name)
                strategies = {seat: self._tabulated(player, seat) for seat in self.tree.seats}
                values[name] = _clean(nash_conv(self.tree, strategies).value)
            except CapabilityError:
                continue
        return values

    def equilibrium(self, names: Sequence[str]) -> dict[str, dict[str, tuple[float, float]]] | None:
        """Returns for each information set the range of each action in the equilibrium family that a player knows."""
        for name in names:
            ranges = getattr(self._entry.scripted(name), "ranges", None)
            if ranges is None:
                continue
            try:
                return {info.key: ranges(info.observation) for info in self.tree.information_sets}
            except CapabilityError:  # it solves another game
                continue
        return None

    def _tabulated(self, player: ScriptedPlayer, seat: str) -> Strategy:
        game = self._entry.game
        return tabulate(self.tree, seat, lambda observation: player.strategy(game, observation))


def _clean(value: float) -> float:
    """Returns a value without float residue, so that an equilibrium's line reads 0."""
    return round(value, 12)


def answer_scores(
    game: Game[Any], player: ModelPlayer, observations: Sequence[Observation]
) -> list[tuple[NDArray[np.float64], float]]:
    """Returns for each observation the probabilities ``[K]`` of its legal actions, and the mass of anything else.

    The probabilities are those that the player samples by: masked, or raw and renormalised once.

    Raises:
        CapabilityError: the role does not name its answers.
    """
    found: list[tuple[NDArray[np.float64], float]] = []
    for start in range(0, len(observations), CHUNK_SETS):
        requests, answers = _requests(game, player, observations[start : start + CHUNK_SETS])
        scores = iter(player.engine.score(requests))
        for texts in answers:
            masked, raw = answer_probabilities(texts, [next(scores) for _ in texts])
            legal = float(np.logaddexp.reduce(raw))
            found.append((masked if player.masked else np.exp(raw - legal), max(0.0, -float(np.expm1(legal)))))
    return found


def _requests(
    game: Game[Any], player: ModelPlayer, observations: Sequence[Observation]
) -> tuple[list[ScoreRequest], list[list[tuple[int, ...]]]]:
    requests: list[ScoreRequest] = []
    answers: list[list[tuple[int, ...]]] = []
    for observation in observations:
        texts = player.role.answers(observation)
        if texts is None:
            raise CapabilityError(
                f"evaluation: expected a role that names its answers, got {player.role.name}; use eval"
            )
        prompt = player.renderer.prompt(player.role.messages(game, observation, ()))
        ids = [player.renderer.answer(texts[action]) for action in observation.legal_actions or ()]
        answers.append(ids)
        requests += [ScoreRequest(policy=player.policy, prompt_ids=prompt, token_ids=answer) for answer in ids]
    return requests, answers


def answer_probabilities(
    answers: Sequence[tuple[int, ...]], logprobs: Sequence[NDArray[np.float32]]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Returns each answer's probability when sampling is masked, and its log-probability when not; both ``[K]``.

    All is summed as logarithms, so that a policy to which every legal answer is next to impossible still has a
    strategy. Masked sampling renormalises token by token over the answers that share what was sampled so far.

    Args:
        answers: the token strings, end token included, K of them.
        logprobs: their log-probabilities over the whole vocabulary, token by token.
    """
    steps: dict[tuple[int, ...], float] = {}
    for answer, values in zip(answers, logprobs, strict=True):
        for length, value in enumerate(values, start=1):
            steps[answer[:length]] = float(value)
    totals: dict[tuple[int, ...], float] = {}
    for prefix, value in steps.items():
        totals[prefix[:-1]] = float(np.logaddexp(totals.get(prefix[:-1], -np.inf), value))
    masked = [sum(steps[a[:n]] - totals[a[: n - 1]] for n in range(1, len(a) + 1)) for a in answers]
    raw = [float(np.sum(values, dtype=np.float64)) for values in logprobs]
    return np.exp(masked), np.array(raw)


def live_players(entry: CampaignGame) -> dict[str, ModelPlayer | ScriptedPlayer]:
    """Returns the players of the live lineup."""
    population_live = {name: policy.id for name, policy in entry.policies.items()}
    plans = live_lineup(entry.seats, Population(live=population_live, snapshots={}))
    return {seat: entry.player(seat, plan) for seat, plan in plans.items()}
