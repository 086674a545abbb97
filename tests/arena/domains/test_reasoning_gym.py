"""Tasks of reasoning-gym: what is taken in, what is refused, and answers that its own scoring would fall for."""

import re
import sys
import time
from pathlib import Path

import pytest
from answer_attacks import LITERALS

from arena.domains import reasoning_gym as adapter
from arena.domains.domain import Attempt, Rejection, domains
from arena.domains.verifier import fields
from arena.errors import CapabilityError, UnknownNameError
from arena.seeds import generator
from arena.testing import check_domain
from arena.types import Outcome

package = pytest.importorskip("reasoning_gym")
FOLDER = Path(package.__file__).parent


def domain(name):
    return domains.make(f"reasoning_gym/{name}")


def judged(name, *answers, difficulty=1, seed=0):
    made = domain(name)
    problem = made.generate(generator("test", seed), "question", difficulty)
    attempts = [Attempt(problem=problem, answer=answer) for answer in (made.solution(problem), *answers)]
    first, *others = made.checker("monty").check(attempts)
    assert first.outcome is Outcome.CORRECT
    return others


@pytest.mark.parametrize(
    "name", ["chain_sum", "letter_jumble", "knight_swap", "gsm_symbolic", "word_sorting", "tsumego", "power_function"]
)
def test_datasets_keep_the_contract_of_a_domain(name):
    report = check_domain(domain(name), samples=2)
    assert report.domain == f"reasoning_gym/{name}" and report.problems == 2 * domain(name).most_difficulty


def test_a_task_by_hand():
    made = domain("chain_sum")
    problem = made.generate(generator("test", 1), "question", 1)
    terms = re.search(r"\d+(?: [+-] \d+)+", problem["question"]).group().replace("- ", "-").replace("+ ", "").split()
    assert made.solution(problem) == str(sum(map(int, terms)))
    assert made.statement(problem) == problem["question"]
    assert made.skills(problem) == ("arithmetic/chain_sum",)
    (verdict,) = made.checker("monty").check([Attempt(problem=problem, answer="0.5")])
    assert (verdict.outcome, verdict.verifier) == (Outcome.WRONG, "reasoning_gym/chain_sum")
    assert verdict.version.startswith("1/0.1.")


def test_difficulties_are_the_levels_of_the_curriculum():
    assert domain("chain_sum").most_difficulty == 11
    assert domain("gsm_symbolic").most_difficulty == 1
    # Its first level asks for 4 nodes, which the dataset itself refuses; the others count.
    assert domain("knight_swap").most_difficulty < 5
    lengths = [
        sum(
            len(domain("chain_sum").generate(generator("test", seed), "question", level)["question"])
            for seed in range(5)
        )
        for level in (1, 11)
    ]
    assert lengths[0] < lengths[1]


def test_partial_scores_are_told_and_not_paid():
    made = domain("word_sorting")
    problem = made.generate(generator("test", 0), "question", 1)
    words = made.solution(problem).split(", ")
    (verdict,) = made.checker("monty").check([Attempt(problem=problem, answer=", ".join(reversed(words)))])
    assert verdict.outcome is Outcome.WRONG and 0 < fields(verdict)["score"] < 1


def test_a_task_that_cannot_be_made_again_is_undecided():
    made = domain("chain_sum")
    problem = {**made.generate(generator("test", 0), "question", 1), "question": "What is 1 + 1?"}
    (verdict,) = made.checker("monty").check([Attempt(problem=problem, answer="2")])
    assert (verdict.outcome, fields(verdict)) == (Outcome.UNDECIDED, {"reason": "not_reproducible"})


def test_models_cannot_propose():
    made = domain("chain_sum")
    assert not made.proposable
    read = made.read_proposal("1 + 1", "question")
    assert isinstance(read, Rejection) and read.reason == "not_proposable"
    (verdict,) = made.checker("monty").validate([{"kind": "question"}])
    assert (verdict.outcome, fields(verdict)) == (Outcome.INVALID, {"reason": "not_proposable"})


@pytest.mark.parametrize("name", adapter.REFUSED)
def test_refused_datasets_say_why(name):
    with pytest.raises(CapabilityError, match=f"'reasoning_gym/{name}': .+; choose another"):
        domain(name)


def test_unknown_datasets_are_refused_with_the_nearest():
    with pytest.raises(UnknownNameError, match="reasoning_gym/chain_sum"):
        domain("chain_sums")


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "reasoning_gym", None)
    with pytest.raises(CapabilityError, match=r"pip install 'ludus-arena\[tasks\]'"):
        adapter.ReasoningGym("chain_sum")


def test_every_scoring_that_runs_text_is_refused():
    """Looks for ``eval``, ``exec`` and sympy's parser in what is installed, beside the list that was read by hand."""
    runs = re.compile(r"(?<![\w.])(?:sympy\.|sp\.)?(eval|exec|parse_expr|sympify|literal_eval|parse_latex|lambdify)\(")
    # Each with what it runs: texts of the package's own making, never the answer.
    known = {
        "code/codeio": "its own programs, and refused",
        "algorithmic/number_sorting": "entry['answer'], and refused",
        "arithmetic/basic_arithmetic": "the expression that it made",
        "arithmetic/bitwise_arithmetic": "metadata['problem']",
        "arithmetic/gsm_symbolic/generators_00_49": "a fraction that it drew",
        "arithmetic/gsm_symbolic/generators_50_99": "a fraction that it drew",
        "logic/propositional_logic": "a parser of its own, and refused",
    }
    found = {
        str(path.relative_to(FOLDER).with_suffix(""))
        for path in FOLDER.rglob("*.py")
        if runs.search(path.read_text(encoding="utf-8"))
    }
    executing = {place for place in found - set(known)}
    executed = {name for name, why in adapter.REFUSED.items() if "executes" in why}
    assert {place.rpartition("/")[2] for place in executing} == executed


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("complex_arithmetic", "nan"),
        ("complex_arithmetic", "nanj"),
        ("power_function", "1e99999999"),
        ("decimal_arithmetic", "NaN"),
        ("products", "1e99999999"),
        ("chain_sum", "Infinity"),
        ("prime_factorization", "9" * 4000),
        ("rectangle_count", "9" * 5000),
        ("time_intervals", "9" * 5000),
        ("pool_matrix", "nan"),
        ("survo", "[" * 5000),
        ("cryptarithm", "A=1,B"),
        ("palindrome_partitioning", "[" * 3000),
    ],
)
def test_answers_that_its_scoring_cannot_bear(name, answer):
    start = time.perf_counter()
    (verdict,) = judged(name, answer)
    assert verdict.outcome in (Outcome.WRONG, Outcome.INVALID)
    assert time.perf_counter() - start < 30


@pytest.mark.parametrize("name", ["chain_sum", "letter_jumble", "mini_sudoku", "knights_knaves", "word_ladder"])
def test_no_hostile_answer_is_rewarded(name):
    verdicts = judged(name, *LITERALS.values())
    assert {verdict.outcome for verdict in verdicts} <= {Outcome.WRONG, Outcome.INVALID}


def test_tasks_for_which_nonsense_is_right_are_not_made():
    class Fond:
        def score_answer(self, answer, entry):
            return 1.0

    assert not adapter._sound(Fond(), {"answer": "7"})
    assert not adapter._sound(Fond(), {"answer": None})


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_every_dataset_makes_a_task_and_rewards_no_nonsense():
    for name in adapter.dataset_names():
        verdicts = judged(name, "qzxv", "nan", "[NaN]", "0" * 3999, "1e99999999", "R99999999", "{}", "-")
        right = [verdict for verdict in verdicts if verdict.outcome is Outcome.CORRECT]
        assert len(right) <= 1, name  # a zero in many digits can be the solution
