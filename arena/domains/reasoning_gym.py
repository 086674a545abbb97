"""Procedural tasks of the package reasoning-gym (Z. Stojanovski et al., arXiv 2505.24760): ``reasoning_gym/chain_sum``.

One dataset is one domain with one kind, ``question``. Difficulties are the levels of the dataset's curriculum, all its
attributes raised together; a dataset without one has a single difficulty. A problem holds its seed and level, and the
checker makes the entry anew from them: the package scores by data that JSON does not carry. An answer is right when the
package scores it 1; what it pays for less than that is in the verdict's ``score`` and is wrong here.

The package scores in this process, so datasets whose scoring can be turned against it are refused by name
(``REFUSED``, read from version 0.1.25). What remains is kept in bounds by limits on the answer, and a task for which
nonsense scores 1 is never made. Models cannot propose problems: nothing but the generator makes them.
"""

from __future__ import annotations

import contextlib
import copy
import importlib
import io
import json
import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib.metadata import version
from typing import Any

import numpy as np

from arena.domains.domain import NOT_PROPOSABLE, Attempt, Checker, Domain, Problem, Rejection, domains
from arena.errors import CapabilityError, unknown_name
from arena.types import Outcome, Verdict

PREFIX = "reasoning_gym"
_EXECUTES = "its scoring executes the answer in this process"
_UNBOUNDED = "a short answer makes its scoring take hours or all memory"
_NO_SOLUTION = "its tasks come without a solution"
REFUSED: Mapping[str, str] = {
    **dict.fromkeys(("binary_matrix", "n_queens", "spiral_matrix", "string_insertion"), f"{_EXECUTES} (eval)"),
    **dict.fromkeys(("countdown", "puzzle24", "polynomial_multiplication"), f"{_EXECUTES} (sympy.parse_expr)"),
    **dict.fromkeys(("intermediate_integration", "simple_integration"), f"{_EXECUTES} (sympy.parse_expr)"),
    "coin_flip": f"{_UNBOUNDED} (Fraction('1e99999999'))",
    "rubiks_cube": f"{_UNBOUNDED} (R99999999 is written out)",
    "rush_hour": f"{_UNBOUNDED} (A+99999999 shifts that many bits)",
    "jugs": "its higher levels take minutes to make, or cannot be made",
    "game_of_life_halting": "its scoring takes any text for right",
    "number_sorting": "its scoring takes numbers that are off by 1, and nan, for right",
    **dict.fromkeys(("boxnet", "graph_color", "propositional_logic"), _NO_SOLUTION),
    "codeio": "its programs draw numbers of their own, so that a seed does not make the same task again",
    "composite": "it is a mixture of other datasets; choose one of them",
}
"""Dataset -> why it cannot be a domain."""

MOST_ANSWER = 4000
_DRAWS = 50
_DECOYS = ("qzxv", "?", "-")
_NOT_FINITE = re.compile(r"(?<![a-z])(nan|inf|infinity)j?(?![a-z])", re.IGNORECASE)
_HUGE = re.compile(r"\de[+-]?\d{4,}|\d{301,}", re.IGNORECASE)


class ReasoningGym(Domain):
    """One dataset of reasoning-gym.

    Args:
        dataset: its name there.

    Raises:
        CapabilityError: the extra ``[tasks]`` is missing, or the dataset is refused.
        UnknownNameError: reasoning-gym has no such dataset.
    """

    version = 1
    kinds = ("question",)
    proposable = False
    shows_solution = True

    def __init__(self, dataset: str) -> None:
        factory = _factory()
        if dataset in REFUSED:
            raise CapabilityError(
                f"domain: expected a dataset that can be judged safely, got '{PREFIX}/{dataset}': {REFUSED[dataset]}; "
                "choose another"
            )
        if dataset not in factory.DATASETS:
            raise unknown_name("domain", f"{PREFIX}/{dataset}", [f"{PREFIX}/{one}" for one in dataset_names()])
        self.name = f"{PREFIX}/{dataset}"
        self.dataset = dataset
        self._levels = _levels(factory, dataset)
        self.most_difficulty = len(self._levels)

    def generate(self, random: np.random.Generator, kind: str, difficulty: int) -> Problem:
        """Returns a task of the curriculum's level ``difficulty - 1`` whose scoring tells its solution from nonsense.

        Raises:
            CapabilityError: no such task in 50 draws.
        """
        for _ in range(_DRAWS):
            seed = int(random.integers(2**31))
            try:
                made, entry = self.entry(difficulty, seed)
            except (AssertionError, RuntimeError, ValueError):  # some seeds make no task
                continue
            if _sound(made, entry):
                asked = {"question": str(entry["question"]), "answer": entry["answer"]}
                return {"kind": kind, "seed": seed, "difficulty": difficulty, **asked}
        raise CapabilityError(
            f"{self.name}: expected a task whose scoring tells right from wrong, got none in {_DRAWS} draws; "
            "choose another dataset"
        )

    def entry(self, difficulty: int, seed: int) -> tuple[Any, dict[str, Any]]:
        """Returns the package's dataset and its entry for a level and a seed."""
        level = self._levels[min(difficulty, self.most_difficulty) - 1]
        made = _factory().DATASETS[self.dataset][0](_config(_factory(), self.dataset, level, seed))
        return made, made[0]

    def statement(self, problem: Problem) -> str:
        """Returns the question as the package asks it."""
        return str(problem["question"])

    def skills(self, problem: Problem) -> tuple[str, ...]:
        """Returns the package's category with the dataset, as ``arithmetic/chain_sum``."""
        return (f"{_factory().DATASETS[self.dataset][0].__module__.split('.')[1]}/{self.dataset}",)

    def difficulty(self, problem: Problem) -> int:
        """Returns the level for which the problem was made, from 1."""
        return int(problem["difficulty"])

    def signature(self, problem: Problem) -> str:
        """Returns the question without case and spacing."""
        return " ".join(str(problem["question"]).casefold().split())

    def solution(self, problem: Problem) -> str:
        """Returns the package's own answer."""
        return str(problem["answer"])

    def checker(self, executor: str) -> Checker:
        """Returns a checker that scores with the package, in this process."""
        return _Checker(self)

    def read_proposal(self, text: str, kind: str) -> Mapping[str, Any] | Rejection:
        """Refuses every proposal."""
        return Rejection(reason=NOT_PROPOSABLE, detail="only reasoning-gym makes its tasks")

    def proposal_text(self, problem: Problem) -> str:
        """Returns the question; nothing reads it back."""
        return self.statement(problem)

    def proposal_form(self, kind: str) -> str:
        """Returns that there is none."""
        return f"Tasks of {self.name} are generated; they cannot be proposed."


class _Checker:
    """Makes each entry anew and scores with the package."""

    def __init__(self, domain: ReasoningGym) -> None:
        self._domain = domain
        self._version = f"{domain.version}/{version('reasoning-gym')}"
        self._entry = lru_cache(maxsize=256)(domain.entry)

    def check(self, attempts: Sequence[Attempt]) -> list[Verdict]:
        return [self._one(attempt) for attempt in attempts]

    def validate(self, proposals: Sequence[Mapping[str, Any]]) -> list[Verdict]:
        return [self._say(Outcome.INVALID, reason=NOT_PROPOSABLE) for _ in proposals]

    def hindsight(self, attempts: Sequence[Attempt]) -> list[list[Attempt]]:
        return [[] for _ in attempts]

    def close(self) -> None:
        self._entry.cache_clear()

    def _one(self, attempt: Attempt) -> Verdict:
        problem = attempt.problem
        reason = _refused(attempt.answer, self._domain.solution(problem))
        if reason:
            return self._say(Outcome.INVALID, reason=reason)
        made, entry = self._entry(int(problem["difficulty"]), int(problem["seed"]))
        if (entry["question"], entry["answer"]) != (problem["question"], problem["answer"]):
            return self._say(Outcome.UNDECIDED, reason="not_reproducible")
        score = _score(made, entry, attempt.answer)
        if score is None:
            return self._say(Outcome.INVALID, reason="not_an_answer")
        return self._say(Outcome.CORRECT if score == 1 else Outcome.WRONG, score=score)

    def _say(self, outcome: Outcome, **fields: object) -> Verdict:
        detail = json.dumps(fields, sort_keys=True)
        return Verdict(outcome=outcome, detail=detail, verifier=self._domain.name, version=self._version)


@domains.family(PREFIX)
def load(name: str) -> ReasoningGym:
    """The datasets of reasoning-gym by name: reasoning_gym/chain_sum (arXiv 2505.24760)."""
    return _load(name)


@cache
def _load(name: str) -> ReasoningGym:
    return ReasoningGym(name)


def dataset_names() -> list[str]:
    """Returns the datasets that can be domains, sorted.

    Raises:
        CapabilityError: the extra ``[tasks]`` is missing.
    """
    return sorted(set(_factory().DATASETS) - set(REFUSED))


def _factory() -> Any:  # noqa: ANN401  (a module without types)
    try:
        importlib.import_module("reasoning_gym")
        return importlib.import_module("reasoning_gym.factory")
    except ImportError as error:
        raise CapabilityError(
            f"domain {PREFIX}/NAME: expected reasoning-gym, got {error}; pip install 'ludus-arena[tasks]'"
        ) from error


def _levels(factory: Any, dataset: str) -> list[int | None]:  # noqa: ANN401  (a module without types)
    """Returns the levels of a dataset's curriculum that the dataset itself accepts; one that says nothing without."""
    if dataset not in factory.CURRICULA:
        return [None]
    attributes = factory.CURRICULA[dataset]().attributes.values()
    levels = range(max((len(attribute.levels) for attribute in attributes), default=1))
    return [level for level in levels if _accepted(factory, dataset, level)] or [None]


def _accepted(factory: Any, dataset: str, level: int) -> bool:  # noqa: ANN401  (a module without types)
    config = _config(factory, dataset, level, seed=0)
    try:
        getattr(config, "validate", bool)()
    except (AssertionError, ValueError):
        return False
    return True


def _config(factory: Any, dataset: str, level: int | None, seed: int) -> Any:  # noqa: ANN401  (its own dataclass)
    if level is None:
        return factory.DATASETS[dataset][1](seed=seed, size=1)
    curriculum = factory.CURRICULA[dataset]()
    for attribute in curriculum.attributes.values():
        curriculum.set_attr_level(attribute.name, min(level, len(attribute.levels) - 1))
    return curriculum.generate_configuration({"seed": seed, "size": 1})


def _sound(made: Any, entry: Mapping[str, Any]) -> bool:  # noqa: ANN401  (the package's dataset)
    answer = entry["answer"]
    if not isinstance(answer, str) or _refused(answer, answer) or _score(made, entry, answer) != 1:
        return False
    return all(_score(made, entry, decoy) != 1 for decoy in _DECOYS if decoy != answer)


def _score(made: Any, entry: Mapping[str, Any], answer: str) -> float | None:  # noqa: ANN401  (its dataset)
    """Returns the package's score, or ``None`` when its scoring breaks on the answer."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):  # some of it prints
            score = float(made.score_answer(answer, copy.deepcopy(entry)))
    except Exception:  # a text that the scoring cannot bear is no answer; the solution was scored when it was made
        return None
    return score if 0 <= score <= 1 else None


def _refused(answer: str, solution: str) -> str:
    """Returns why an answer is not shown to the package's scoring, or an empty string.

    ``nan`` passes several of its comparisons, and numbers of a few characters can take hours to write out.
    """
    if not answer.strip():
        return "empty"
    if len(answer) > max(MOST_ANSWER, 2 * len(solution)):
        return "too_long"
    if _HUGE.search(answer) and not _HUGE.search(solution):
        return "number_too_long"
    numeric = any(character.isdigit() for character in solution)
    return "not_finite" if numeric and _NOT_FINITE.search(answer) and not _NOT_FINITE.search(solution) else ""
