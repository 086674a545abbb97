"""The README's own-role example: it is executed as it stands there, in a file of its own."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from arena.game import games
from arena.types import Observation
from roles.role import roles
from roles.testing import check_role

SOURCE = '''"""A player that is told to think about its opponent before it acts."""

from roles.player import Player
from roles.role import roles


@roles.register("mind_reader")
class MindReader(Player):
    """Asks itself what the opponent may hold, and what the opponent believes."""

    name = "mind_reader"
    instruction = (
        "First say what your opponent may hold, judging by what it did. Then say what it may think that you hold. "
        "Then decide, and end with <action>ACTION</action>."
    )

    def messages(self, game, observation, history):
        messages = super().messages(game, observation, history)
        messages[-1]["content"] += f"\\nYou sit in the seat called {observation.seat}."
        return messages
'''


def test_the_example_is_short() -> None:
    code = [line for line in SOURCE.splitlines() if line.strip() and not line.strip().startswith('"""')]
    assert len(code) <= 25


def test_the_example_registers_a_role_that_passes_the_check(tmp_path: Path) -> None:
    path = tmp_path / "mind_reader.py"
    path.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location("mind_reader", path)
    assert spec is not None
    assert spec.loader is not None
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
    kuhn = games.make("kuhn_poker-v0")
    role = roles.make("mind_reader")
    check_role(role, kuhn)
    seen = Observation(seat="second", text="You hold the Queen.", legal_actions=("check", "bet"))
    system, user = role.messages(kuhn, seen, ())
    assert "what your opponent may hold" in system["content"]
    assert user["content"] == "You hold the Queen.\nYou sit in the seat called second."
