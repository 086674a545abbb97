"""Quiz: 200 fixed questions with four options each, a probe of what training on other games changes.

One seat answers one question; the task's parameter ``question`` says which. The questions are never made anew, so
scores before and after a campaign compare. ``arena.quiz_questions`` makes them and says what keeps them fair.
Guessing scores 1/4.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from arena.game import Game, games
from arena.params import whole_number
from arena.quiz_questions import LETTERS, questions
from arena.types import GameSpec, Observation, Payoff, Task

_SEAT = "solver"


@dataclass(frozen=True, slots=True)
class Quizzed:
    """Which question, and the answer: a letter, empty before it."""

    question: int
    answer: str = ""


@games.register("quiz-v0")
class Quiz(Game[Quizzed]):
    """One question of the quiz."""

    spec = GameSpec(
        name="quiz",
        version=0,
        seats=(_SEAT,),
        payoff=Payoff.COMMON,
        max_turns=1,
        returns_range=(0.0, 1.0),
        actions=LETTERS,
        params={"question": 0},
        summary="one question with four options: a fixed probe of reasoning",
    )
    rules = "Quiz. Exactly one of the options a, b, c and d is right. Choosing it pays 1, any other pays 0."

    def reset(self, task: Task) -> Quizzed:
        """Returns the task's question, unanswered.

        Raises:
            ConfigError: the index is out of range.
        """
        return Quizzed(whole_number(self.spec, task, "question", 0, len(questions()) - 1))

    def to_move(self, state: Quizzed) -> tuple[str, ...]:
        """Returns the solver, once."""
        return () if state.answer else (_SEAT,)

    def step(self, state: Quizzed, moves: Mapping[str, Any]) -> Quizzed:
        """Returns the question with its answer."""
        return Quizzed(state.question, moves[_SEAT])

    def observe(self, state: Quizzed, seat: str) -> Observation:
        """Returns the question and its options, one a line."""
        asked = questions()[state.question]
        options = [f"{letter}: {option}" for letter, option in zip(LETTERS, asked.options, strict=True)]
        told = f"You answered {state.answer}." if state.answer else "You may answer a, b, c or d."
        text = "\n".join((asked.text, *options, told))
        return Observation(seat=seat, text=text, legal_actions=() if state.answer else LETTERS)

    def returns(self, state: Quizzed) -> Mapping[str, float]:
        """Returns 1 for the right option, else 0."""
        return {_SEAT: 1.0 if state.answer == questions()[state.question].right else 0.0}

    def information_key(self, state: Quizzed, seat: str) -> str:
        """Returns the question's number and the answer: ``17 b``."""
        return f"{state.question} {state.answer}".strip()

    def state_text(self, state: Quizzed) -> str:
        """Returns the number, the family, the right option and the answer."""
        asked = questions()[state.question]
        answer = state.answer or "-"
        return f"question {state.question} | family {asked.family} | right {asked.right} | answer {answer}"

    def tasks(self) -> list[Task]:
        """Returns one task a question, in order."""
        return [Task(game=self.spec.id, params={"question": index}) for index in range(len(questions()))]

    def family(self, task: Task) -> str:
        """Returns the family of a task's question."""
        return questions()[self.reset(task).question].family
