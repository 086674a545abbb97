"""Judging answers about programs: what runs, runs in an executor; what is compared, is compared here as text.

Every failure of a program (an exception, a limit, an unsupported construct) is one and the same verdict for pay, with
its kind in the reason. Results of (program, argument) are remembered, since a program's result is confirmed to be a
function of its input when it is admitted.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from arena.domains.domain import Attempt, Problem
from arena.domains.python_source import (
    INDENT,
    answer_bits,
    canonical,
    read_program,
    read_trace,
    straight,
    written_trace,
)
from arena.executors.executor import Ending, Execution, Executor, executors
from arena.executors.executor import Program as Run
from arena.types import Outcome, Verdict

if TYPE_CHECKING:
    from arena.domains.python_io import PythonIO

LEAST_BITS = 6.0
"""An output that takes fewer bits to guess is refused: tasks must not be solved by luck."""
REMEMBERED = 1 << 17
OTHER_HASH_SEED = 1
_LIMITS = (Ending.TIMEOUT, Ending.MEMORY)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Trace:
    """A written trace: its values from the input on, and whether each line leads from one to the next."""

    values: Sequence[str]
    links: Sequence[bool]


class PythonChecker:
    """Checks answers and validates proposals of ``python_io`` and ``python_trace``.

    Args:
        domain: which of the two.
        executor: ``monty`` or ``cpython``.

    Raises:
        CapabilityError: the executor's extra or a layer of its sandbox is missing.
    """

    def __init__(self, domain: PythonIO, executor: str) -> None:
        self._domain = domain
        self._executor: Executor = executors.make(executor)
        self._known: OrderedDict[tuple[str, str], Execution] = OrderedDict()
        self.runs = 0

    @property
    def executor_id(self) -> str:
        """The executor's name and version, as they stand in every task."""
        return f"{self._executor.name} {self._executor.version}"

    def close(self) -> None:
        """Stops the executor."""
        self._executor.close()

    def check(self, attempts: Sequence[Attempt]) -> list[Verdict]:
        """Returns one verdict an attempt; programs run in one batch, and their other cases in a second.

        A program that runs into a limit on its first case is not run on the others: all would take their full time.
        """
        if self._domain.traced:
            return [self._judged(trace) for trace in self._traces(attempts)]
        readings = [self._reading(attempt) for attempt in attempts]
        first = [runs[0] for runs, _ in readings if runs]
        self._run(first)
        bounded = [runs for runs, _ in readings if runs and self._known[runs[0]].ending not in _LIMITS]
        self._run([*first, *(run for runs in bounded for run in runs)])
        return [self._verdict(runs, wanted) for runs, wanted in readings]

    def hindsight(self, attempts: Sequence[Attempt]) -> list[list[Attempt]]:
        """Returns for each traced answer the problems that its verified stretches solve, longest first.

        A stretch of verified steps of an answer that is wrong as a whole is a right answer to the part of the program
        that it covers.
        """
        if not self._domain.traced:
            return [[] for _ in attempts]
        traces = self._traces(attempts)
        return [self._stretches(attempt.problem, trace) for attempt, trace in zip(attempts, traces, strict=True)]

    def validate(self, proposals: Sequence[Mapping[str, Any]]) -> list[Verdict]:
        """Runs each program twice on each input, under two hash seeds and clocks, and looks at what it gives."""
        runs = [(str(one["program"]), given) for one in proposals for given in one["inputs"]]
        first = self._fresh(runs, 0)
        second = self._fresh(runs, OTHER_HASH_SEED)
        results = iter(zip(first, second, strict=True))
        verdicts = [self._validated(one, [next(results) for _ in one["inputs"]]) for one in proposals]
        return self._walked(verdicts) if self._domain.traced else verdicts

    def _validated(self, proposal: Mapping[str, Any], results: Sequence[tuple[Execution, Execution]]) -> Verdict:
        outputs = [one.output for one, _ in results]
        cases = list(zip(proposal["inputs"], outputs, strict=True))
        reason = next((why for one, other in results if (why := _unsound(one, other))), "") or _dull(cases)
        if reason:
            return self._say(Outcome.INVALID, reason=reason)
        problem: dict[str, Any] = {"kind": proposal["kind"], "program": proposal["program"]}
        if proposal["kind"] == "induction":
            problem["cases"] = [list(case) for case in cases]
        else:
            ((problem["input"], problem["output"]),) = cases
        return self._say(Outcome.CORRECT, problem={**problem, "executor": self.executor_id})

    def _walked(self, verdicts: Sequence[Verdict]) -> list[Verdict]:
        """Returns the verdicts, INVALID for problems that no trace could solve.

        A line may need more than ``x``, leave a value that has no literal, or be too long to be read back.
        """
        found = {place: json.loads(verdict.detail).get("problem") for place, verdict in enumerate(verdicts)}
        problems = {place: problem for place, problem in found.items() if problem}
        walks = {place: [problem["input"]] for place, problem in problems.items()}
        for depth in range(max((len(_body(problem)) for problem in problems.values()), default=0)):
            going = {
                place: (straight(line), walks[place][-1])
                for place, problem in problems.items()
                if len(walks[place]) == depth + 1 and (line := _body(problem)[depth : depth + 1])
            }
            self._run(list(going.values()))
            for place, run in going.items():
                one = self._known[run]
                if one.ending is Ending.RETURNED and canonical(one.output) == one.output:
                    walks[place].append(one.output)
        lost = {place for place, problem in problems.items() if not _traceable(problem, walks[place])}
        refusal = self._say(Outcome.INVALID, reason="no_trace")
        return [refusal if place in lost else verdict for place, verdict in enumerate(verdicts)]

    def _reading(self, attempt: Attempt) -> tuple[list[tuple[str, str]], list[str] | bool | None]:
        """Returns the runs that an answer needs, and the outputs that they must give.

        ``None`` stands for an answer that is none, a truth value for one that is decided without a run.
        """
        problem, answer = attempt.problem, attempt.answer
        if problem["kind"] == "induction":
            program = read_program(answer.strip("\n"))
            if isinstance(program, str):
                return [], None
            return [(program.source, given) for given, _ in problem["cases"]], [got for _, got in problem["cases"]]
        value = canonical(answer)
        if value is None:
            return [], None
        if problem["kind"] == "deduction":
            return [], value == problem["output"]
        return [(str(problem["program"]), value)], [str(problem["output"])]

    def _verdict(self, runs: Sequence[tuple[str, str]], wanted: list[str] | bool | None) -> Verdict:
        if wanted is None:
            return self._say(Outcome.INVALID, reason="not_an_answer")
        if isinstance(wanted, bool):
            return self._say(Outcome.CORRECT if wanted else Outcome.WRONG)
        first = self._known[runs[0]]
        results = [first if first.ending in _LIMITS else self._known[run] for run in runs]
        fits = [one.ending is Ending.RETURNED and one.output == want for one, want in zip(results, wanted, strict=True)]
        failed = next((str(one.ending) for one in results if one.ending is not Ending.RETURNED), "")
        outcome = Outcome.CORRECT if all(fits) else Outcome.WRONG
        return self._say(outcome, **({"reason": failed} if failed else {}), share=sum(fits) / len(fits))

    def _judged(self, trace: _Trace | None) -> Verdict:
        if trace is None:
            return self._say(Outcome.INVALID, reason="not_a_trace", share=0.0)
        share = sum(trace.links) / len(trace.links)
        return self._say(Outcome.CORRECT if all(trace.links) else Outcome.WRONG, share=share)

    def _traces(self, attempts: Sequence[Attempt]) -> list[_Trace | None]:
        """Reads each answer once, and runs every line that is not remembered in one batch."""
        read = [_values(attempt) for attempt in attempts]
        runs = [_step_runs(attempt.problem, values or ()) for attempt, values in zip(attempts, read, strict=True)]
        self._run([run for own in runs for run in own])
        return [
            None if values is None else _Trace(values=values, links=self._links(own, values))
            for own, values in zip(runs, read, strict=True)
        ]

    def _links(self, runs: Sequence[tuple[str, str]], values: Sequence[str]) -> list[bool]:
        """Returns for each line whether the values before and after it fit."""
        results = [self._known[run] for run in runs]
        return [
            one.ending is Ending.RETURNED and one.output == after
            for one, after in zip(results, values[1:], strict=True)
        ]

    def _stretches(self, problem: Problem, trace: _Trace | None) -> list[Attempt]:
        if trace is None or all(trace.links):
            return []
        forwards = problem["kind"] == "deduction"
        found = []
        for first, last in _runs_of_true(trace.links):
            lines = _body(problem)[first:last]
            part = trace.values[first : last + 1]
            if part[0] == part[-1]:
                continue
            solved = {
                "kind": problem["kind"],
                "program": straight(lines),
                "input": part[0],
                "output": part[-1],
                "executor": self.executor_id,
            }
            told = written_trace(lines, part[1:]) if forwards else written_trace(lines[::-1], part[-2::-1])
            found.append(Attempt(problem=solved, answer=told))
        return sorted(found, key=lambda one: -len(one.answer))

    def _run(self, runs: Sequence[tuple[str, str]]) -> None:
        """Runs what is not remembered; what was not asked for the longest is forgotten first."""
        wanted = dict.fromkeys(runs)
        fresh = [run for run in wanted if run not in self._known]
        self._known.update(zip(fresh, self._fresh(fresh, 0), strict=True))
        for run in wanted:
            self._known.move_to_end(run)
        while len(self._known) > max(REMEMBERED, len(wanted)):
            self._known.popitem(last=False)

    def _fresh(self, runs: Sequence[tuple[str, str]], hash_seed: int) -> list[Execution]:
        self.runs += len(runs)
        programs = [Run(source=source, argument=given, hash_seed=hash_seed) for source, given in runs]
        return list(self._executor.run(programs)) if programs else []

    def _say(self, outcome: Outcome, **fields: object) -> Verdict:
        name = f"{self._domain.name}/{self._executor.name}"
        version = f"{self._domain.version}/{self._executor.version}"
        return Verdict(outcome=outcome, detail=json.dumps(fields, sort_keys=True), verifier=name, version=version)


def _unsound(one: Execution, other: Execution) -> str:
    """Returns why the results of two runs do not make a task, or an empty string."""
    for ran in (one, other):
        if ran.ending is not Ending.RETURNED:
            return str(ran.ending)
    if one.output != other.output:
        return "not_deterministic"
    if canonical(one.output) != one.output:
        return "output_literal"
    return "low_entropy" if answer_bits(one.output) < LEAST_BITS else ""


def _dull(cases: Sequence[tuple[str, str]]) -> str:
    """Returns why sound cases still ask nothing, or an empty string."""
    if all(given == output for given, output in cases):
        return "identity"
    return "constant" if len(cases) > 1 and len({output for _, output in cases}) == 1 else ""


def _body(problem: Problem) -> list[str]:
    """Returns the statements of a straight program, as written."""
    return [line[len(INDENT) :] for line in str(problem["program"]).split("\n")[1:-1]]


def _traceable(problem: Problem, walk: Sequence[str]) -> bool:
    """Whether the values of a walk through all lines lead to the output, and both traces of them can be read."""
    lines = _body(problem)
    if len(walk) <= len(lines) or walk[-1] != problem["output"]:
        return False
    traces = [(lines, walk[1:]), (lines[::-1], walk[-2::-1])]
    return all(read_trace(written_trace(told, values), told) is not None for told, values in traces)


def _values(attempt: Attempt) -> list[str] | None:
    """Returns the claimed values from the input on, in the order of the program, or ``None`` for no trace."""
    lines, forwards = _body(attempt.problem), attempt.problem["kind"] == "deduction"
    known = read_trace(attempt.answer, lines if forwards else lines[::-1])
    if known is None:
        return None
    return [str(attempt.problem["input"]), *known] if forwards else [*reversed(known), str(attempt.problem["output"])]


def _step_runs(problem: Problem, values: Sequence[str]) -> list[tuple[str, str]]:
    """Returns one run a line: that line alone on the value that is claimed before it; none without values."""
    if not values:
        return []
    return [(straight([line]), before) for line, before in zip(_body(problem), values[:-1], strict=True)]


def _runs_of_true(links: Sequence[bool]) -> list[tuple[int, int]]:
    """Returns the maximal stretches of true links as ``(first, end)``."""
    found: list[tuple[int, int]] = []
    start = -1
    for index, fits in enumerate([*links, False]):
        if fits and start < 0:
            start = index
        elif not fits and start >= 0:
            found.append((start, index))
            start = -1
    return found
