"""Games with a tabular softmax policy whose policy gradient is known exactly, for tests of unbiasedness.

An *outcome* is one path of play: its probability, its decisions and its returns. Sums over all tuples of outcomes are
expectations of an estimator, without any sampling. The exact gradient is taken by automatic differentiation of the
expected return, which needs no estimator at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
import torch
from training_samples import unit

from arena.games.kuhn_poker import KuhnPoker
from arena.types import NATURE, Task


@dataclass(frozen=True)
class Outcome:
    """One path: chance, the (key, seat, legal actions, action) of its decisions, and the returns."""

    chance: float
    decisions: tuple
    returns: dict


def bandit(rewards=(1.0, -0.5)):
    """A two-armed bandit with fixed rewards."""
    arms = ("left", "right")
    return [
        Outcome(1.0, (("arm", "first", arms, arm),), {"first": reward})
        for arm, reward in zip(arms, rewards, strict=True)
    ]


def kuhn():
    """The 30 terminal histories of Kuhn poker."""
    game, outcomes = KuhnPoker(), []

    def walk(state, chance, decisions):
        movers = game.to_move(state)
        if not movers:
            outcomes.append(Outcome(chance, decisions, dict(game.returns(state))))
        elif movers == (NATURE,):
            for deal, p_deal in game.nature(state).outcomes:
                walk(game.step(state, {NATURE: deal}), chance * p_deal, decisions)
        else:
            (seat,) = movers
            legal = game.observe(state, seat).legal_actions
            key = game.information_key(state, seat)
            for action in legal:
                walk(game.step(state, {seat: action}), chance, (*decisions, (key, seat, legal, action)))

    walk(game.reset(Task(game=game.spec.id)), 1.0, ())
    return outcomes


class Tabular:
    """A softmax over the actions of each (seat, key), with random logits; gradients are vectors over all of them."""

    def __init__(self, outcomes, seed=0):
        self.outcomes = outcomes
        slots = dict.fromkeys((seat, key, a) for o in outcomes for key, seat, legal, _ in o.decisions for a in legal)
        self.slots = {slot: index for index, slot in enumerate(slots)}
        self.logits = torch.tensor(np.random.default_rng(seed).normal(size=len(slots)), requires_grad=True)

    def logprob(self, decision):
        key, seat, legal, action = decision
        indices = [self.slots[seat, key, a] for a in legal]
        return torch.log_softmax(self.logits[indices], 0)[legal.index(action)]

    def probability(self, outcome):
        return outcome.chance * torch.exp(
            sum((self.logprob(d) for d in outcome.decisions), torch.zeros((), dtype=torch.float64))
        )

    def exact_gradient(self):
        """For each seat the gradient of its own expected return with respect to its own logits, ``[A]``."""
        total = np.zeros(len(self.slots))
        for seat in self.outcomes[0].returns:
            expected = sum(self.probability(o) * o.returns[seat] for o in self.outcomes)
            (slope,) = torch.autograd.grad(expected, self.logits)
            own = np.array([slot[0] == seat for slot in self.slots])
            total += np.where(own, slope.numpy(), 0.0)
        return total

    def reach(self, seat, key):
        """The probability that an episode meets an information set."""
        met = [o for o in self.outcomes if any(d[:2] == (key, seat) for d in o.decisions)]
        return sum(self.probability(o).item() for o in met)

    def expected_estimate(self, estimator, episodes, state=None):
        """The expectation of (1/G) sum A grad log pi over all G-tuples of episodes, G = ``episodes``."""
        probabilities = [self.probability(o).item() for o in self.outcomes]
        scores = {}
        for decision in {d for o in self.outcomes for d in o.decisions}:
            (slope,) = torch.autograd.grad(self.logprob(decision), self.logits)
            scores[decision] = slope.numpy()
        total = np.zeros(len(self.slots))
        for indices in product(range(len(self.outcomes)), repeat=episodes):
            weight = np.prod([probabilities[i] for i in indices])
            units, decisions = self._units([self.outcomes[i] for i in indices])
            advantages = estimator.estimate(units, state or {}).advantages
            for advantage, decision in zip(advantages, decisions, strict=True):
                if advantage:
                    total += weight * advantage / episodes * scores[decision]
        return total

    def _units(self, played):
        units, decisions = [], []
        for number, outcome in enumerate(played):
            for seat in outcome.returns:
                own = [d for d in outcome.decisions if d[1] == seat]
                for ordinal, decision in enumerate(own):
                    key = decision[0]
                    units.append(unit(number, seat, outcome.returns[seat], anchor_key=key, ordinal=ordinal))
                    decisions.append(decision)
        return units, decisions
