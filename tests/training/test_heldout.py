"""Held-out rates: the sealed problems, the same draws each time, and undecided answers in no cell."""

import json

import pytest
from programs_world import speaking

from arena.actions import delimited
from arena.domains.domain import domains
from arena.domains.exact import ExactChecker
from arena.domains.sealed import sealed_cells, sealed_signatures
from arena.domains.verifier import DomainVerifier, undecided
from arena.types import Outcome, PolicyId, Sampling
from roles.role import roles
from training.config import GameConfig, HeldoutConfig
from training.heldout import answered, heldout_metrics, heldout_rates, sealed_for
from training.players import ModelPlayer
from training.tally import wilson

SUMS = domains.make("arithmetic")
CONFIG = HeldoutConfig(per_cell=4, most_difficulty=5)
CELLS = sealed_cells("arithmetic", 4, 5, 0)
BY_STATEMENT = {SUMS.statement(one): (cell, one) for cell in CELLS for one in cell.problems}


def posed(prompt):
    """The cell and the problem that a prompt is about."""
    (found,) = {statement for statement in BY_STATEMENT if statement in prompt}
    return BY_STATEMENT[found]


def player(say):
    policy = speaking("solver", say, "arithmetic")
    return ModelPlayer(
        role=roles.make("solver"),
        policy=PolicyId(name="solver", version=7),
        engine=policy.engine,
        renderer=policy.renderer,
        sampling=Sampling(max_tokens=16),
        masked=False,
    )


def right(prompt):
    return delimited(SUMS.solution(posed(prompt)[1]))


def shallow(prompt):
    """Right below difficulty 5 but for products, wrong above, and never an answer to a product."""
    cell, problem = posed(prompt)
    if cell.kind == "product":
        return "I would rather not."
    return delimited(SUMS.solution(problem) if cell.difficulty < 5 else "1000000000000")


def rates(say, verifier=None, seed=0, config=CONFIG):
    return heldout_rates("arithmetic", config, player(say), verifier or DomainVerifier(), seed)


def test_rates_are_counted_by_kind_and_difficulty():
    event = rates(shallow)
    assert (event["policy"], event["version"], event["domain"], event["undecided"]) == ("solver", 7, "arithmetic", 0)
    assert [(cell["kind"], cell["difficulty"]) for cell in event["cells"]] == [(c.kind, c.difficulty) for c in CELLS]
    for cell in event["cells"]:
        solved = 4 if cell["kind"] != "product" and cell["difficulty"] < 5 else 0
        assert (cell["attempts"], cell["solved"]) == (4, solved)
        assert cell["rate"] == list(wilson(solved, 4))
    assert json.loads(json.dumps(event)) == event  # it goes into the log


def test_metrics_are_means_over_cells():
    assert heldout_metrics(rates(shallow)) == pytest.approx(
        {
            "solve_rate_heldout": 8 / 15,
            "solve_rate_heldout_deep": 2 / 6,
            "solve_rate_heldout_sum": 4 / 5,
            "solve_rate_heldout_difference": 4 / 5,
            "solve_rate_heldout_product": 0.0,
        }
    )
    assert set(heldout_metrics(rates(right)).values()) == {1.0}


def test_a_set_without_deep_problems_has_no_rate_of_them():
    metrics = heldout_metrics(rates(right, config=HeldoutConfig(per_cell=1, most_difficulty=3)))
    assert "solve_rate_heldout" in metrics
    assert "solve_rate_heldout_deep" not in metrics


class Unsure(ExactChecker):
    """Judges nothing of difficulty 1, and one problem of each other cell not."""

    def check(self, attempts):
        verdicts = super().check(attempts)
        for place, attempt in enumerate(attempts):
            cell, problem = BY_STATEMENT[SUMS.statement(attempt.problem)]
            if cell.difficulty == 1 or problem == cell.problems[0]:
                verdicts[place] = undecided("arithmetic", "timeout")
        return verdicts


def test_undecided_answers_leave_their_cells():
    verifier = DomainVerifier(checkers={"arithmetic": Unsure(SUMS, SUMS.canonical_answer)})
    event = rates(right, verifier)
    assert event["undecided"] == 3 * 4 + 12
    attempts = {cell["difficulty"]: cell["attempts"] for cell in event["cells"]}
    assert attempts == {1: 0, 2: 3, 3: 3, 4: 3, 5: 3}
    # A cell that nobody could judge says nothing: it is no rate of a half.
    assert set(heldout_metrics(event).values()) == {1.0}


def test_a_set_that_nobody_could_judge_has_no_rates():
    assert heldout_metrics({"cells": [{"kind": "sum", "difficulty": 1, "attempts": 0, "rate": [0, 0.5, 1]}]}) == {}


def asked(seed):
    one = player(right)
    heldout_rates("arithmetic", CONFIG, one, DomainVerifier(), seed)
    return [(request.id, request.prompt_ids, request.seed, request.sampling) for request in one.engine.asked]


def test_every_evaluation_asks_the_same_problems_with_the_same_draws():
    first = asked(0)
    assert asked(0) == first
    assert len({request[2] for request in first}) == len(first) == 60
    other = asked(1)
    assert [request[:2] for request in other] == [request[:2] for request in first]  # the set is not the campaign's
    assert not {request[2] for request in other} & {request[2] for request in first}


def test_verdicts_stand_in_the_order_of_the_problems_over_several_batches():
    problems = [{"kind": "sum", "left": n, "right": 1} for n in range(300)]
    one = player(lambda prompt: delimited(SUMS.solution({"kind": "sum", "left": 0, "right": 7})))
    verdicts = answered("arithmetic", problems, one, DomainVerifier(), 0)
    assert [v.outcome for v in verdicts].index(Outcome.CORRECT) == 6
    assert sum(v.outcome is Outcome.CORRECT for v in verdicts) == 1
    assert one.engine.batches == [256, 44]


def test_what_is_no_answer_is_judged_and_not_solved():
    event = rates(lambda prompt: "nothing delimited")
    assert {(cell["attempts"], cell["solved"]) for cell in event["cells"]} == {(4, 0)}


def test_sealed_for():
    entry = GameConfig(game="solve-v0", params={"domain": "arithmetic"})
    assert sealed_for(entry, CONFIG) == sealed_signatures("arithmetic", 4, 5, 0)
    assert sealed_for(entry, CONFIG) == {SUMS.signature(one) for _, one in BY_STATEMENT.values()}
    assert sealed_for(entry, HeldoutConfig(per_cell=0)) == frozenset()
    assert sealed_for(GameConfig(game="kuhn_poker-v0"), CONFIG) == frozenset()
    assert sealed_for(entry, HeldoutConfig(per_cell=4, most_difficulty=5, seed=1)) != sealed_for(entry, CONFIG)
