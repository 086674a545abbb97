"""Small games for the tests of the arena: each shows one thing that the built-in games do not."""

from __future__ import annotations

from dataclasses import replace

from arena.game import Call, Chance, Game
from arena.games.kuhn_poker import KuhnPoker
from arena.types import NATURE, Capabilities, GameSpec, Observation, Outcome, Payoff


class Count(Game):
    """Seats count together, all at once, until ``max_turns`` cuts the game off; each step pays 1 to everybody."""

    def __init__(self, max_turns=8, payoff=Payoff.COMMON):
        self.spec = GameSpec(
            name="count",
            version=0,
            seats=("a", "b"),
            payoff=payoff,
            max_turns=max_turns,
            returns_range=(-5.0, 100.0),
            actions=("one", "two"),
            capabilities=Capabilities(enumerate=False),
        )
        self.rules = "Say one or two."

    def reset(self, task):
        return (0,)

    def to_move(self, state):
        return self.spec.seats

    def observe(self, state, seat):
        return Observation(seat=seat, text=f"Round {len(state)}.", legal_actions=("one", "two"))

    def step(self, state, moves):
        return (*state, sum(1 if move == "one" else 2 for move in moves.values()))

    def rewards(self, before, after):
        return dict.fromkeys(self.spec.seats, 1.0)

    def returns(self, state):
        return dict.fromkeys(self.spec.seats, float(len(state) - 1))


class Asker(Game):
    """A seat answers a question in free text and a verifier judges it; UNDECIDED leaves the seat unjudged."""

    spec = GameSpec(
        name="asker",
        version=0,
        seats=("solver",),
        payoff=Payoff.GENERAL_SUM,
        max_turns=1,
        returns_range=(0.0, 1.0),
        actions=None,
        capabilities=Capabilities(enumerate=False),
        text_bytes=32,
    )
    rules = "Answer the question."

    def reset(self, task):
        return ()

    def to_move(self, state):
        return (("solver",), (NATURE,), ())[len(state)]

    def nature(self, state):
        return Call("exact", state[0])

    def observe(self, state, seat):
        return Observation(seat=seat, text="2 + 2 = ?", legal_actions=None)

    def step(self, state, moves):
        return (*state, next(iter(moves.values())))

    def returns(self, state):
        outcome = state[1].outcome
        return {"solver": None if outcome is Outcome.UNDECIDED else float(outcome is Outcome.CORRECT)}


class Coins(Game):
    """Nature tosses three coins in a row, then one seat calls: chance on several plies."""

    spec = GameSpec(
        name="coins",
        version=0,
        seats=("caller",),
        payoff=Payoff.GENERAL_SUM,
        max_turns=1,
        returns_range=(0.0, 1.0),
        actions=("heads", "tails"),
    )
    rules = "Call the last coin."

    def reset(self, task):
        return ()

    def to_move(self, state):
        return (NATURE,) if len(state) < 3 else ("caller",) if len(state) == 3 else ()

    def nature(self, state):
        return Chance((("heads", 0.25), ("tails", 0.75)))

    def observe(self, state, seat):
        legal = self.spec.actions if self.to_move(state) == (seat,) else ()
        return Observation(seat=seat, text=f"Tossed {' '.join(state[:2])}, and one more.", legal_actions=legal)

    def step(self, state, moves):
        return (*state, next(iter(moves.values())))

    def returns(self, state):
        return {"caller": float(state[2] == state[3])}


class LeakyKuhn(KuhnPoker):
    """Betrays the opponent's card."""

    def observe(self, state, seat):
        seen = super().observe(state, seat)
        return replace(seen, text=f"{seen.text} The cards are {' '.join(state.cards)}.")


class ForgetfulKuhn(KuhnPoker):
    """Its key forgets the card, its text does too: no perfect recall is broken, but legal play is not either."""

    def observe(self, state, seat):
        return replace(super().observe(state, seat), text="You hold a card.")

    def information_key(self, state, seat):
        return str(len(state.history) % 2)


class CountingKuhn(KuhnPoker):
    """Keeps a counter in the game and shows it: impure."""

    def __init__(self):
        self.asked = 0

    def observe(self, state, seat):
        self.asked += 1
        seen = super().observe(state, seat)
        return replace(seen, text=f"{seen.text} Question {self.asked}.")


class GenerousKuhn(KuhnPoker):
    """Pays the winner too much."""

    def returns(self, state):
        return {seat: value + (0.5 if value > 0 else 0.0) for seat, value in super().returns(state).items()}


class RichKuhn(KuhnPoker):
    """Zero-sum, but outside the declared range."""

    def returns(self, state):
        return {seat: 10 * value for seat, value in super().returns(state).items()}


class RefusingKuhn(KuhnPoker):
    """Offers a bet and raises when it is made."""

    def step(self, state, moves):
        if "bet" in moves.values():
            raise ValueError("no bets today")
        return super().step(state, moves)


class DriftingKuhn(KuhnPoker):
    """Bets become checks once it has been asked often enough: not deterministic over the whole length."""

    def __init__(self, after=100):
        self.left = after

    def step(self, state, moves):
        self.left -= 1
        drifted = self.left < 0 and "bet" in moves.values()
        return super().step(state, dict.fromkeys(moves, "check") if drifted else moves)


class LopsidedKuhn(KuhnPoker):
    """Its deal does not sum to 1."""

    def nature(self, state):
        return Chance(super().nature(state).outcomes[:5])


class SeedReadingKuhn(KuhnPoker):
    """Hides the deal in the seed."""

    def reset(self, task):
        return replace(super().reset(task), cards=("J", "Q") if task.seed % 2 else ("Q", "J"))


class WordyKuhn(KuhnPoker):
    """Says more than the box holds."""

    def observe(self, state, seat):
        return replace(super().observe(state, seat), text="word " * 300)


class UnruledKuhn(KuhnPoker):
    """Has no rules in words."""

    rules = " "


class WrongRewardsKuhn(KuhnPoker):
    """Pays by step what does not sum to the returns."""

    def rewards(self, before, after):
        return {"first": 1.0, "second": -1.0}


class ScatteredKuhn(KuhnPoker):
    """Shuffles the names of its legal actions."""

    def observe(self, state, seat):
        seen = super().observe(state, seat)
        return replace(seen, legal_actions=tuple(reversed(seen.legal_actions)))
