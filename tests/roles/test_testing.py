"""The check of roles finds each kind of fault."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from arena.errors import CheckError
from arena.game import games
from arena.types import Action, Observation
from roles.player import Player
from roles.scripted import Uniform
from roles.testing import check_role, observations

KUHN = games.make("kuhn_poker-v0")


class Counting(Player):
    """Its prompt says how often it was asked."""

    count = 0

    def messages(self, game: Any, observation: Any, history: Any) -> Any:
        self.count += 1
        return [{"role": "user", "content": f"{observation.text} {self.count}"}]


class Remembering(Player):
    """Says that it needs no history, and reads it."""

    def messages(self, game: Any, observation: Any, history: Any) -> Any:
        return [{"role": "user", "content": f"{observation.text} {len(history)}"}]


class Blind(Player):
    """Ignores what it sees."""

    def messages(self, game: Any, observation: Any, history: Any) -> Any:
        return [{"role": "user", "content": game.rules}]


class Fragile(Player):
    """Falls over empty text."""

    def parse(self, text: str, observation: Observation) -> Any:
        return Action(value=text[text.index(">") + 1 : text.rindex("<")])


class Forgetful(Player):
    """Knows one answer only."""

    def answers(self, observation: Observation) -> Mapping[str, str]:
        return {"bet": "<action>bet</action>"}


class Stubborn(Player):
    """Reads every answer as the same action."""

    def parse(self, text: str, observation: Observation) -> Any:
        return Action(value="check")


class Vague(Player):
    """Returns bare text."""

    def parse(self, text: str, observation: Observation) -> Any:
        return super().parse(text, observation) if text in self.answers(observation).values() else text  # type: ignore[union-attr]


class Lossy(Uniform):
    """Its probabilities do not sum to 1."""

    def strategy(self, game: Any, observation: Observation) -> dict[str, float]:
        return {action: 0.4 for action in observation.legal_actions or ()}


class Cheating(Uniform):
    """Names an action that is not legal."""

    def strategy(self, game: Any, observation: Observation) -> dict[str, float]:
        return {"win": 1.0}


@pytest.mark.parametrize(
    ("role", "fault"),
    [
        (Counting(), "the same messages twice"),
        (Remembering(), "no earlier turn in them"),
        (Blind(), "the observation in them"),
        (Forgetful(), "one for each of"),
        (Stubborn(), "read back from"),
        (Fragile(), "an action or a reason"),
        (Vague(), "an Action or a NotUnderstood"),
        (Lossy(), "probabilities that sum to 1"),
        (Cheating(), r"only \('check', 'bet'\)"),
    ],
)
def test_each_fault_is_named(role: Any, fault: str) -> None:
    with pytest.raises(CheckError, match=fault):
        check_role(role, KUHN)


def test_the_walks_reach_all_of_kuhn_poker_and_repeat() -> None:
    keys = [seen.information_key for seen in observations(KUHN, {})]
    assert len(set(keys)) == 12
    assert keys == [seen.information_key for seen in observations(KUHN, {})]
