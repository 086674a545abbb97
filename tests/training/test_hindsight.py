"""Hindsight: what a wrong trace is right about becomes a row with another prompt; nothing else does."""

from dataclasses import replace

import pytest
from programs_world import domain_entry, played, renderer, speaking
from training_samples import policy_config

from arena.actions import delimited
from arena.domains import digit_chains as chains
from arena.domains.domain import Attempt, domains
from arena.domains.python_source import written_trace
from arena.domains.verifier import DomainVerifier
from arena.errors import RunError
from arena.game import games
from arena.params import reset
from arena.types import Outcome, Status, Tag, Task
from roles.role import roles
from training.hindsight import CONTEXT, hindsight
from training.learner import Learner
from training.objectives.objective import objectives

DOMAIN = domains.make("python_trace")
NAMES = ("reverse", "add_one", "rotate", "add_place")
STEPS = [next(step for step in chains.STEPS if step.name == name) for name in NAMES]
LINES = [step.line for step in STEPS]
GIVEN = "0123"
VALUES = chains.trace(STEPS, GIVEN)
PROBLEM = {"kind": "deduction", "program": chains.source(STEPS), "input": repr(GIVEN), "output": repr(VALUES[-1])}
SLIP = "44444"
"""What a solver that slips writes for the third value; it goes on rightly from there."""
CLAIMED = [*VALUES[:2], SLIP, STEPS[3].apply(SLIP)]
SLIPPED = written_trace(LINES, [repr(value) for value in CLAIMED])
RIGHT = written_trace(LINES, [repr(value) for value in VALUES])


def part(first, last, given):
    """The problem of some of the lines, with its trace."""
    values = chains.trace(STEPS[first:last], given)
    problem = {
        "kind": "deduction",
        "program": chains.source(STEPS[first:last]),
        "input": repr(given),
        "output": repr(values[-1]),
    }
    return problem, written_trace(LINES[first:last], [repr(value) for value in values])


HEAD, TAIL = part(0, 2, GIVEN), part(3, 4, SLIP)


def entry(answer=SLIPPED, problem=PROBLEM, **changes):
    policy = speaking("solver", lambda prompt: delimited(answer))
    return domain_entry("solve-v0", [{"problem": problem}], {"solver": policy}, **changes)


def expected(problem, trace):
    """The tokens of a prompt and of its answer, written from scratch."""
    game = games.make("solve-v0")
    state = reset(game, Task(game="solve-v0", params={"domain": "python_trace", "problem": problem}))
    words = renderer()
    return words.prompt(roles.make("solver").messages(game, game.observe(state, "solver"), ())), words.answer(
        delimited(trace)
    )


def test_the_sample_is_wrong_as_a_whole_and_right_in_two_stretches():
    with_executor = DomainVerifier("monty").open("python_trace")
    (slipped, right) = with_executor.check([Attempt(problem=PROBLEM, answer=one) for one in (SLIPPED, RIGHT)])
    assert (slipped.outcome, right.outcome) == (Outcome.WRONG, Outcome.CORRECT)
    for problem, trace in (HEAD, TAIL):
        (verdict,) = with_executor.check([Attempt(problem=problem, answer=trace)])
        assert verdict.outcome is Outcome.CORRECT


def test_each_verified_stretch_is_a_row_with_a_prompt_of_its_own():
    made = entry(weight=0.5)
    found = hindsight(made, played(made))
    assert (list(found.rows), found.sealed) == (["solver"], 0)
    assert len(found.rows["solver"]) == 2
    for row, (problem, trace) in zip(found.rows["solver"], (HEAD, TAIL), strict=True):
        prompt, answer = expected(problem, trace)
        assert row.ids == prompt + answer
        assert row.mask == (False,) * len(prompt) + (True,) * len(answer)
        assert row.prompt_length == len(prompt)
        assert (row.context, row.behaviour_logprobs, row.support) == (CONTEXT, None, None)
        assert (row.advantage, row.weight, row.group_id) == (0.5, 1.0, "r000000-g000000")
    text = renderer().tokenizer.decode(list(found.rows["solver"][0].ids))
    assert LINES[2] not in text
    assert text.count(LINES[1]) == 2  # once in the program, once in the trace


def test_shallow_stretches_are_left_out():
    made = entry(least=2)
    assert len(hindsight(made, played(made)).rows["solver"]) == 1
    made.hindsight.least_difficulty = 3
    assert hindsight(made, played(made)).rows == {}


def test_sealed_parts_are_left_out_and_counted():
    made = entry()
    groups = played(made)
    made.sealed = frozenset({DOMAIN.signature(HEAD[0])})
    found = hindsight(made, groups)
    assert found.sealed == 1
    assert [row.ids for row in found.rows["solver"]] == [sum(expected(*TAIL), ())]
    made.sealed |= {DOMAIN.signature(TAIL[0])}
    assert hindsight(made, groups).rows == {}
    assert hindsight(made, groups).sealed == 2


def test_a_shallow_part_is_no_sealed_one():
    made = entry(least=3)
    made.sealed = frozenset({DOMAIN.signature(HEAD[0])})
    assert hindsight(made, played(made)).sealed == 0


@pytest.mark.parametrize("answer", [RIGHT, "no trace at all", "'3210'", ""])
def test_right_answers_and_texts_that_are_no_trace_give_none(answer):
    made = entry(answer=answer)
    assert hindsight(made, played(made)).rows == {}


def changed_lineup(group, **changes):
    (episode,) = group.episodes
    lineup = {seat: replace(plan, **changes) for seat, plan in episode.lineup.items()}
    return replace(group, episodes=(replace(episode, lineup=lineup),))


@pytest.mark.parametrize("tag", [Tag.SCRIPTED, Tag.FROZEN, Tag.PAST])
def test_who_is_not_trained_gives_none(tag):
    made = entry()
    assert hindsight(made, [changed_lineup(group, tag=tag) for group in played(made)]).rows == {}


def test_failed_episodes_give_none():
    made = entry()
    groups = [
        replace(group, episodes=tuple(replace(one, status=Status.FAILED) for one in group.episodes))
        for group in played(made)
    ]
    assert hindsight(made, groups).rows == {}


class Broken:
    """A checker that raises whenever it is asked."""

    def check(self, attempts):
        raise OSError("no sandbox")

    def close(self):
        pass


def test_undecided_answers_give_none():
    made = entry(verifier=DomainVerifier(checkers={"python_trace": Broken()}))
    groups = played(made)
    assert groups[0].episodes[0].returns == {"solver": None}
    made.verifier = DomainVerifier("monty")
    assert hindsight(made, groups).rows == {}
    assert hindsight(made, played(made)).rows != {}


def test_without_weight_domain_or_steps_there_is_nothing():
    made = entry(weight=0.0)
    groups = played(made)
    assert hindsight(made, groups).rows == {}
    made.hindsight.weight = 1.0
    assert hindsight(made, groups).rows != {}
    made.params = {}
    assert hindsight(made, groups).rows == {}
    policy = speaking("solver", lambda prompt: delimited("6"), "arithmetic")
    problem = {"kind": "sum", "left": 2, "right": 3}
    sums = domain_entry("solve-v0", [{"problem": problem}], {"solver": policy}, domain="arithmetic")
    assert hindsight(sums, played(sums)).rows == {}


def test_a_task_without_a_problem_gives_none():
    made = entry(problem={})  # the domain's first example, which no task names
    assert hindsight(made, played(made)).rows == {}


def proposing(proposal):
    """A game in which somebody proposes the sample problem or nonsense, and both solvers slip."""
    policies = {
        "proposer": speaking("proposer", lambda prompt: delimited(proposal)),
        "solver": speaking("solver", lambda prompt: delimited(SLIPPED)),
    }
    return domain_entry("propose_solve/2-v0", [{"kind": "deduction", "references": []}], policies)


def test_solvers_of_a_proposed_problem_give_rows_and_its_proposer_none():
    made = proposing(DOMAIN.proposal_text(PROBLEM))
    found = hindsight(made, played(made))
    assert list(found.rows) == ["solver"]
    assert [row.ids for row in found.rows["solver"]] == [sum(expected(*one), ()) for one in (HEAD, TAIL)] * 2


@pytest.mark.parametrize("params", [{"kind": "deduction"}, {}])
def test_a_proposal_that_is_no_problem_gives_none(params):
    made = proposing("nonsense")
    made.curriculum.tasks = [replace(made.curriculum.tasks[0], params={"domain": "python_trace", **params})]
    assert hindsight(made, played(made)).rows == {}


def test_only_objectives_without_ratios_train_the_rows():
    made = entry()
    rows = hindsight(made, played(made)).rows["solver"]

    def learner(name):
        model = speaking("solver", str).model
        return Learner(policy_config(learning_rate=1e-2, aggregation="token_mean"), objectives.make(name), model, 1)

    trained = learner("nll")
    losses = [trained.update(rows, 0)["loss"] for _ in range(5)]
    assert losses == sorted(losses, reverse=True)
    with pytest.raises(RunError, match=r"expected rows with behaviour log-probabilities.*replaced\(hindsight\)"):
        learner("ppo").update(rows, 0)
