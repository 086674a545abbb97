"""Problems about programs: what is shown, what is read, and the traces of the small family."""

import numpy as np
import pytest

from arena.domains.digit_chains import BY_LINE, source
from arena.domains.domain import Rejection, domains
from arena.seeds import generator

IO, TRACE = domains.make("python_io"), domains.make("python_trace")
PROGRAM = source([BY_LINE["x = x[::-1]"], BY_LINE["x = x[1:] + x[:1]"]])
ONE = {"program": PROGRAM, "input": "'0123'", "output": "'2103'"}
CASES = [["'01'", "'01'"], ["'012'", "'102'"], ["'0123'", "'2103'"], ["'44'", "'44'"], ["'33'", "'33'"]]
INDUCTION = {"kind": "induction", "program": PROGRAM, "cases": CASES}


def kind(name):
    return {"kind": name, **ONE}


def test_statements_show_what_may_be_seen():
    assert IO.statement(kind("deduction")) == f"Say the output of this program.\n{PROGRAM}\nInput:\n'0123'"
    assert IO.statement(kind("abduction")) == f"Say an input that gives this output.\n{PROGRAM}\nOutput:\n'2103'"
    asked = "Trace this program: write each line, and below it x after that line."
    assert TRACE.statement(kind("deduction")) == f"{asked}\n{PROGRAM}\nInput:\n'0123'"
    assert TRACE.statement(kind("abduction")).endswith(f"{PROGRAM}\nOutput:\n'2103'")
    shown = IO.statement(INDUCTION)
    assert shown.count("Input:") == 3 and "'44'" not in shown and "'33'" not in shown and PROGRAM not in shown


def test_solutions():
    assert IO.solution(kind("deduction")) == "'2103'"
    assert IO.solution(kind("abduction")) == "'0123'"
    assert IO.solution(INDUCTION) == PROGRAM
    assert TRACE.solution(kind("deduction")) == "x = x[::-1]\n'3210'\nx = x[1:] + x[:1]\n'2103'"
    assert TRACE.solution(kind("abduction")) == "x = x[1:] + x[:1]\n'3210'\nx = x[::-1]\n'0123'"


def test_what_is_said_of_a_problem():
    assert IO.skills(kind("deduction")) == ("reverse", "rotate")
    assert IO.difficulty(INDUCTION) == 2
    other = {**ONE, "kind": "deduction", "program": "def f(x):\n    return ''.join(sorted(str(x)))"}
    assert IO.skills(other) == ("join", "sorted", "str")
    assert IO.difficulty(other) >= 1


def test_signatures_forget_the_kind_and_the_spelling():
    assert IO.signature(kind("deduction")) == IO.signature(kind("abduction")) == TRACE.signature(kind("deduction"))
    spelt = {**kind("deduction"), "program": PROGRAM.replace("x", "y") + "  # mine"}
    assert IO.signature(spelt) == IO.signature(kind("deduction"))
    assert IO.signature({**kind("deduction"), "input": "'0124'"}) != IO.signature(kind("deduction"))
    assert IO.signature({**INDUCTION, "cases": CASES[:4]}) != IO.signature(INDUCTION)


def test_generated_problems_move_their_input():
    for domain in (IO, TRACE):
        for name in domain.kinds:
            for depth in range(1, 7):
                problem = domain.generate(generator("test", depth), name, depth)
                cases = problem["cases"] if "cases" in problem else [[problem["input"], problem["output"]]]
                assert all(given != got for given, got in cases)
                assert len({given for given, _ in cases}) == len(cases) == (4 if name == "induction" else 1)
                assert domain.difficulty(problem) == depth


@pytest.mark.parametrize("text", ["{}", "```python\n{}\n```", "\n\n{}\n\n", "{}\n"])
def test_proposals_are_read(text):
    written = text.format(f"{PROGRAM}\nInput:\n  '0123'  ")
    assert IO.read_proposal(written, "deduction") == {"kind": "deduction", "program": PROGRAM, "inputs": ["'0123'"]}
    assert IO.read_proposal(written.replace("\n", "\r\n"), "deduction")["program"] == PROGRAM


def test_inputs_of_an_induction_are_counted_once():
    text = "\n".join([PROGRAM, *(f"Input:\n'{value}'" for value in ("01", "012", "01", "0123", "44"))])
    read = IO.read_proposal(text, "induction")
    assert read["inputs"] == ["'01'", "'012'", "'0123'", "'44'"]


@pytest.mark.parametrize(
    ("domain", "text", "kind", "reason"),
    [
        (IO, "", "deduction", "no_input"),
        (IO, PROGRAM, "deduction", "no_input"),
        (IO, f"{PROGRAM}\nInput: '01'", "deduction", "no_input"),
        (IO, "\nInput:\n'01'", "deduction", "no_input"),
        (IO, "x\nInput:\n'01'", "deduction", "no_function"),
        (IO, "def f(x:\nInput:\n'01'", "deduction", "syntax"),
        (IO, f"{PROGRAM}\nInput:\nopen('a')", "deduction", "input_literal"),
        (IO, f"{PROGRAM}\nInput:\n", "deduction", "input_literal"),
        (IO, f"{PROGRAM}\nInput:\n{{1, 2}}", "deduction", "input_literal"),
        (IO, f"{PROGRAM}\nInput:\n1e999", "deduction", "input_literal"),
        (IO, f"{PROGRAM}\nInput:\n'01'\nInput:\n'02'", "deduction", "inputs"),
        (IO, f"{PROGRAM}\nInput:\n'01'", "induction", "inputs"),
        (IO, "\n".join([PROGRAM, *(f"Input:\n{n}" for n in range(11))]), "induction", "inputs"),
        (IO, "#" * 5000 + "\nInput:\n'01'", "deduction", "too_long"),
        (TRACE, "def f(x): return x\nInput:\n'01'", "deduction", "not_straight"),
        (TRACE, "def f(x):\n    y = x\n    return y\nInput:\n'01'", "deduction", "not_straight"),
    ],
)
def test_texts_that_are_no_proposals(domain, text, kind, reason):
    read = domain.read_proposal(text, kind)
    assert isinstance(read, Rejection) and read.reason == reason


def test_a_one_line_program_is_one():
    # It has neither head nor tail of its own, and must not trip the reader.
    read = IO.read_proposal("def f(x): return x + x\nInput:\n'0123'", "deduction")
    assert read["program"] == "def f(x): return x + x"


def test_forms_say_what_to_write():
    assert (
        IO.proposal_form("induction") == "Write a program f(x) and 4 to 10 different inputs for a new induction task."
    )
    assert TRACE.proposal_form("deduction").endswith("Every line assigns to x; the last returns it.")


def test_a_problem_that_cannot_be_read_is_named():
    with pytest.raises(ValueError, match=r"problem\.program: expected a program that can be read, got no_function"):
        IO.skills({"kind": "deduction", "program": "x", "input": "1", "output": "2"})


def test_the_same_seed_makes_the_same_problem():
    made = [IO.generate(np.random.default_rng(5), "induction", 4) for _ in range(2)]
    assert made[0] == made[1]


@pytest.mark.parametrize(
    ("answer", "same"),
    [(' "01" ', "'01'"), ("[1,2]", "[1, 2]"), ("x = 1\n 0x10 ", "x = 1\n16"), ("no answer ", "no answer"), ("", "")],
)
def test_canonical_answers(answer, same):
    assert IO.canonical_answer(answer) == TRACE.canonical_answer(answer) == same
    assert IO.canonical_answer("1\n" * 500_000) == ("1\n" * 500_000).strip()
