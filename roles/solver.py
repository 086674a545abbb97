"""The solver: reads a problem of a domain and answers it in one delimited action, thinking before it if asked to."""

from __future__ import annotations

from roles.player import Player
from roles.role import History, roles


@roles.register("solver")
class Solver(Player):
    """Answers problems; the statement says what an answer looks like, a written trace included.

    Args:
        think: ask for free thoughts before the answer; they are sampled and trained, and never judged.
        history: which earlier turns of the seat stand in the prompt.
    """

    name = "solver"

    def __init__(self, think: bool = False, history: History = "none") -> None:
        super().__init__(history)
        self.instruction = "Think step by step first." if think else ""
