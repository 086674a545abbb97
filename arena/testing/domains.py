"""The conformance check of a domain: what it makes, says and reads, and what its checker makes of answers.

Problems of every kind and difficulty are made, sent through JSON as a task would carry them, stated, solved, spoilt,
attacked and proposed again. A domain that a user defines passes the same check as those that come with the arena.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

from arena.domains.domain import NOT_PROPOSABLE, Attempt, Checker, Domain, Problem, Rejection
from arena.domains.verifier import fields
from arena.errors import CapabilityError, CheckError
from arena.seeds import generator
from arena.testing.hostile_texts import HOSTILE_TEXTS
from arena.types import Outcome, Verdict

R = TypeVar("R")
_MOST_SHARE = 0.5
"""The share of problems of a kind that may break a rule which chance can break: a spoilt answer is right after all,
or a solution stands in its statement."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DomainReport:
    """What a passed check has covered.

    Attributes:
        domain: the name.
        kinds: how many kinds of problems.
        difficulties: how many difficulties of each kind.
        problems: problems made.
        attempts: answers judged.
        proposals: texts read as proposals.
    """

    domain: str
    kinds: int
    difficulties: int
    problems: int
    attempts: int
    proposals: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Made:
    """A problem as a task carries it, and where it came from."""

    kind: str
    difficulty: int
    seed: int
    problem: Problem
    solution: str


def check_domain(domain: Domain, executor: str = "monty", *, samples: int = 4) -> DomainReport:
    """Checks that a domain keeps its contract, and reports what was covered.

    Args:
        domain: the domain.
        executor: what runs programs, where anything does.
        samples: problems of each kind and difficulty.

    Raises:
        CheckError: the first thing that is not as the contract says, with kind, difficulty, seed and field.
        CapabilityError: an extra or a layer of the sandbox is missing.
    """
    check = _DomainCheck(domain, executor)
    check.declarations()
    made = [
        check.made(kind, difficulty, seed)
        for kind in domain.kinds
        for difficulty in range(1, domain.most_difficulty + 1)
        for seed in range(samples)
    ]
    check.variety(made)
    attempts = proposals = 0
    for kind in domain.kinds:
        of_kind = [one for one in made if one.kind == kind]
        check.secrecy(of_kind)
        attempts += check.answers(of_kind) + check.attacks(of_kind[0])
        proposals += check.proposals(of_kind)
    check.closed()
    return DomainReport(
        domain=domain.name,
        kinds=len(domain.kinds),
        difficulties=domain.most_difficulty,
        problems=len(made),
        attempts=attempts,
        proposals=proposals,
    )


class _DomainCheck:
    """One domain under test, with its checker."""

    def __init__(self, domain: Domain, executor: str) -> None:
        self._domain = domain
        self._checker: Checker = domain.checker(executor)

    def declarations(self) -> None:
        domain = self._domain
        self._expect(isinstance(domain.name, str) and domain.name.strip(), "name", "a name", domain.name)
        self._expect(type(domain.version) is int and domain.version >= 0, "version", "a number", domain.version)
        kinds = domain.kinds
        told = isinstance(kinds, tuple) and kinds and all(isinstance(one, str) and one for one in kinds)
        self._expect(told and len(set(kinds)) == len(kinds), "kinds", "a tuple of distinct names", kinds)
        most = domain.most_difficulty
        self._expect(type(most) is int and most >= 1, "most_difficulty", "a whole number of at least 1", most)

    def made(self, kind: str, difficulty: int, seed: int) -> _Made:
        """Makes one problem twice, sends it through JSON and looks at all that is said about it."""
        where = f"kind {kind}, difficulty {difficulty}, seed {seed}, "
        first, second = (
            self._ask(where, self._domain.generate, generator("check_domain", seed, difficulty), kind, difficulty)
            for _ in range(2)
        )
        try:
            problem: Problem = json.loads(json.dumps(dict(first), allow_nan=False))
        except (TypeError, ValueError, RecursionError) as error:
            self._fail(f"{where}generate", "a problem of JSON values", f"{first!r} ({error})")
        self._expect(first == second, f"{where}generate", f"the same problem for one seed, {first!r}", second)
        self._expect(problem == first, f"{where}generate", f"a problem that JSON carries unchanged, {first!r}", problem)
        self._expect(problem.get("kind") == kind, f"{where}problem.kind", repr(kind), problem.get("kind"))
        deep = self._stable(where, self._domain.difficulty, problem)
        self._expect(type(deep) is int and deep == difficulty, f"{where}difficulty", str(difficulty), deep)
        for say in (self._domain.statement, self._domain.signature, self._domain.proposal_text):
            text = self._stable(where, say, problem)
            self._expect(isinstance(text, str) and text.strip(), f"{where}{say.__name__}", "a text", text)
        skills = self._stable(where, self._domain.skills, problem)
        told = isinstance(skills, tuple) and all(isinstance(one, str) and one for one in skills)
        self._expect(told and list(skills) == sorted(set(skills)), f"{where}skills", "a sorted tuple of names", skills)
        solution = self._stable(where, self._domain.solution, problem)
        self._expect(isinstance(solution, str), f"{where}solution", "a text", solution)
        return _Made(kind=kind, difficulty=difficulty, seed=seed, problem=problem, solution=solution)

    def variety(self, made: Sequence[_Made]) -> None:
        """Expects that seeds make different problems."""
        signatures = {self._domain.signature(one.problem) for one in made}
        self._expect(len(signatures) > 1, "generate", "different problems for different seeds", sorted(signatures))

    def secrecy(self, made: Sequence[_Made]) -> None:
        """Expects that statements do not hold their solutions, but for a few by chance."""
        if self._domain.shows_solution:
            return
        shown = [one for one in made if _holds(self._domain.statement(one.problem), one.solution)]
        where = f"kind {made[0].kind}, statement"
        share = len(shown) / len(made)
        expected = "the solution hidden (set shows_solution where it stands there by nature)"
        self._expect(share <= _MOST_SHARE, where, expected, shown and self._domain.statement(shown[0].problem))

    def answers(self, made: Sequence[_Made]) -> int:
        """Expects that solutions are right, spoilt ones are not, and what hindsight finds is right."""
        attempts = [Attempt(problem=one.problem, answer=one.solution) for one in made]
        for one, verdict in zip(made, self._judged(attempts), strict=True):
            where = f"kind {one.kind}, difficulty {one.difficulty}, seed {one.seed}, checker.check"
            right = verdict.outcome is Outcome.CORRECT
            self._expect(right, where, f"the solution {one.solution!r} to be correct", _said(verdict))
        spoilt = [Attempt(problem=one.problem, answer=text) for one in made for text in _spoilt(one.solution)]
        lucky = [one for one, verdict in zip(spoilt, self._judged(spoilt), strict=True) if _right(verdict)]
        expected = "answers that differ from the solution in one character not to be correct"
        where = f"kind {made[0].kind}, checker.check"
        self._expect(len(lucky) <= _MOST_SHARE * len(spoilt), where, expected, lucky and lucky[0])
        found = self._ask(f"kind {made[0].kind}, ", self._checker.hindsight, [*attempts, *spoilt])
        paired = isinstance(found, list) and len(found) == len(attempts) + len(spoilt)
        self._expect(paired, "checker.hindsight", "one list an attempt", found)
        others = [other for several in found for other in several]
        for other, verdict in zip(others, self._judged(others), strict=True):
            self._expect(_right(verdict), "checker.hindsight", "attempts that are correct", f"{other}: {verdict}")
        return len(attempts) + len(spoilt) + len(others)

    def attacks(self, one: _Made) -> int:
        """Expects one verdict for each hostile text, none of them correct."""
        attempts = [Attempt(problem=one.problem, answer=text) for text in HOSTILE_TEXTS if text != one.solution]
        for attempt, verdict in zip(attempts, self._judged(attempts), strict=True):
            where = f"kind {one.kind}, checker.check"
            wanted = f"the answer {_cut(attempt.answer)} not to be correct"
            self._expect(not _right(verdict), where, wanted, _said(verdict))
        for text in (one.solution, *HOSTILE_TEXTS):
            where = f"canonical_answer({_cut(text)})"
            told = self._ask(f"{where}, ", self._domain.canonical_answer, text)
            again = self._ask(f"{where}, ", self._domain.canonical_answer, told)
            self._expect(isinstance(told, str) and told == again, where, "a text that is its own canonical form", again)
        return len(attempts)

    def proposals(self, made: Sequence[_Made]) -> int:
        """Expects that hostile texts are read or rejected, and that every problem can be proposed again."""
        kind = made[0].kind
        for text in HOSTILE_TEXTS:
            self._read(text, kind)
        if not self._domain.proposable:
            return len(HOSTILE_TEXTS)
        proposals = []
        for one in made:
            text = self._domain.proposal_text(one.problem)
            read = self._read(text, kind)
            if isinstance(read, Rejection):
                self._fail(f"kind {kind}, read_proposal", f"the text of a problem to be read: {text!r}", str(read))
            proposals.append(json.loads(json.dumps(dict(read))))
        verdicts = self._verdicts("validate", self._checker.validate, proposals)
        for one, verdict in zip(made, verdicts, strict=True):
            self._admitted(one, verdict)
        return len(HOSTILE_TEXTS) + len(made)

    def closed(self) -> None:
        self._ask("", self._checker.close)

    def _admitted(self, one: _Made, verdict: Verdict) -> None:
        where = f"kind {one.kind}, difficulty {one.difficulty}, seed {one.seed}, checker.validate"
        problem = fields(verdict).get("problem")
        found = verdict.outcome is Outcome.CORRECT and isinstance(problem, Mapping)
        self._expect(found, where, "a generated problem to be valid, with the problem in detail", _said(verdict))
        assert problem is not None  # said above
        self._expect(problem.get("kind") == one.kind, where, f"a problem of kind {one.kind}", problem)
        wanted, got = self._domain.signature(one.problem), self._domain.signature(problem)
        self._expect(wanted == got, where, f"a problem with the signature {wanted!r}", got)

    def _read(self, text: str, kind: str) -> Mapping[str, Any] | Rejection:
        read = self._ask(f"kind {kind}, text {_cut(text)}, ", self._domain.read_proposal, text, kind)
        told = isinstance(read, Mapping) or (isinstance(read, Rejection) and read.reason)
        where = f"kind {kind}, read_proposal({_cut(text)})"
        self._expect(told, where, "the parts of a proposal, or a Rejection with a reason", read)
        if not self._domain.proposable:
            refused = isinstance(read, Rejection) and read.reason == NOT_PROPOSABLE
            self._expect(refused, where, f"a Rejection {NOT_PROPOSABLE!r}, since proposable is False", read)
        return read

    def _judged(self, attempts: Sequence[Attempt]) -> list[Verdict]:
        """Returns the verdicts on attempts, asked twice."""
        first, second = (self._verdicts("check", self._checker.check, attempts) for _ in range(2))
        outcomes = [[verdict.outcome for verdict in several] for several in (first, second)]
        self._expect(
            outcomes[0] == outcomes[1], "checker.check", f"the same outcomes again, {outcomes[0]}", outcomes[1]
        )
        return first

    def _verdicts(self, name: str, ask: Callable[[Sequence[Any]], list[Verdict]], many: Sequence[Any]) -> list[Verdict]:
        verdicts = self._ask("checker, ", ask, many)
        where = f"checker.{name}"
        self._expect(isinstance(verdicts, list), where, "a list", type(verdicts).__name__)
        self._expect(len(verdicts) == len(many), where, f"{len(many)} verdicts, one each", len(verdicts))
        for verdict in verdicts:
            plain = isinstance(verdict, Verdict) and isinstance(verdict.outcome, Outcome)
            self._expect(plain, where, "a Verdict", verdict)
            self._expect(_is_object(verdict.detail), where, "a detail that is a JSON object", verdict.detail)
        return verdicts

    def _stable(self, where: str, say: Callable[[Problem], R], problem: Problem) -> R:
        """Returns what a method says of a problem, after asking twice."""
        before = json.dumps(problem, sort_keys=True)
        first, second = (self._ask(where, say, problem) for _ in range(2))
        self._expect(first == second, f"{where}{say.__name__}", f"the same answer when asked twice, {first!r}", second)
        unchanged = json.dumps(problem, sort_keys=True) == before
        self._expect(unchanged, f"{where}{say.__name__}", "the problem left unchanged", problem)
        return first

    def _ask(self, where: str, method: Callable[..., R], *arguments: object) -> R:
        try:
            return method(*arguments)
        except (CheckError, CapabilityError):
            raise
        except Exception as error:  # the item under test may raise anything
            raise CheckError(
                f"check_domain({self._domain.name}): {where}{method.__name__}: expected an answer, got "
                f"{type(error).__name__}: {error}; mend the domain"
            ) from error

    def _expect(self, holds: object, where: str, expected: str, got: object) -> None:
        if not holds:
            self._fail(where, expected, repr(got))

    def _fail(self, where: str, expected: str, got: str) -> NoReturn:
        raise CheckError(f"check_domain({self._domain.name}): {where}: expected {expected}, got {got}; mend the domain")


def _holds(statement: str, solution: str) -> bool:
    """Whether a statement holds a solution as a word of its own."""
    sought = solution.strip()
    return bool(sought) and re.search(rf"(?<!\w){re.escape(sought)}(?!\w)", statement) is not None


def _spoilt(solution: str) -> list[str]:
    """Returns a solution with its first digit changed and with its last, else so with letters, else with one more."""
    for alphabet, first, second in (("[0-9]", "0", "1"), ("[a-zA-Z]", "a", "b")):
        places = [match.start() for match in re.finditer(alphabet, solution)]
        if places:
            return [
                f"{solution[:place]}{second if solution[place] == first else first}{solution[place + 1 :]}"
                for place in (places[0], places[-1])
            ]
    return [f"{solution}a"]


def _right(verdict: Verdict) -> bool:
    return verdict.outcome is Outcome.CORRECT


def _said(verdict: Verdict) -> str:
    return f"{verdict.outcome} {verdict.detail}"


def _cut(text: str) -> str:
    return f"{text[:40]!a}{'...' if len(text) > 40 else ''}"


def _is_object(detail: str) -> bool:
    try:
        return isinstance(json.loads(detail), dict)
    except (ValueError, RecursionError, TypeError):
        return False
