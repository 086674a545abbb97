"""The views that count: the funnel, pay and returns, the same log under another rule, and the one screen."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from arena.errors import LogError, UnknownNameError
from curricula.inspector.episode_facts import episode_facts
from curricula.inspector.funnel import rejections
from curricula.inspector.overview import summary
from curricula.inspector.rates import block_of, blocks, histogram, rate_bin, solve_rate
from curricula.inspector.rescore import rescore, spearman
from curricula.inspector.rewards import rewards
from curricula.learnability import rules


def test_the_funnel_says_where_proposals_are_lost(run, facts):
    found = rejections(run, facts)
    # 3 tasks and 5 rejections; the open round's "syntax" counts as it did in round 0.
    assert found["funnel"] == {"proposed": 8, "understood": 6, "valid": 5, "new": 4, "admitted": 3}
    assert [(one["lost_at"], one["reason"], one["count"]) for one in found["reasons"]] == [
        ("understood", "syntax", 2), ("valid", "identity", 1), ("new", "duplicate:exact", 1),
        ("admitted", "undecided:attempts", 1),
    ]  # fmt: skip
    assert (found["reasons"][0]["first_round"], found["reasons"][0]["last_round"]) == (0, 2)
    assert found["reasons"][1]["excerpts"] == ["0 + 0"]
    chosen = rejections(run, facts, "reason=duplicate:*")
    assert [row["excerpt"] for row in chosen["rejected"]] == ["31 + 10"]
    assert chosen["funnel"] == found["funnel"]


def test_without_episodes_a_reason_counts_as_understood(run):
    assert rejections(run, [])["funnel"]["understood"] == 8


def test_episodes_are_read_in_short(facts, run, made, tmp_path):
    assert [(one.id, one.validated) for one in facts[:3]] == [("e00", True), ("e01", False), ("e02", True)]
    assert facts[0].returns == (
        ("proposer", "proposer", 0.0),
        ("solver", "solver_0", 1.0),
        ("solver", "solver_1", None),
    )
    with pytest.raises(LogError, match="unreadable"):
        list(episode_facts(tmp_path, [0]))


def test_pay_by_formula_and_returns_by_role(run, facts):
    found = rewards(run, facts)
    assert [(one["rounds"], one["formula"], one["count"], one["mean"]) for one in found["pay"]] == [
        ([0, 0], "azr_paper-v1/n=3", 1, pytest.approx(2 / 3)), ([1, 1], "azr_paper-v1/n=4", 1, 0.0),
        ([2, 2], "azr_paper-v1/n=2", 1, 0.0),
    ]  # fmt: skip
    assert found["pay"][0]["terms"] == {"learnability": pytest.approx(2 / 3)}
    assert found["pay"][0]["histogram"] == [0] * 9 + [1]
    assert [one["count"] for one in found["rejected"]] == [2, 2, 1]
    solver = [one for one in found["returns"] if one["role"] == "solver"]
    # Round 0: 1, undecided, 0, 0, 0, 0; round 1: always 1; the open round has no episodes.
    assert [(one["mean"], one["count"], one["undecided"]) for one in solver] == [(0.2, 5, 1), (1.0, 6, 0)]
    assert solver[0]["seats"] == {"solver_0": pytest.approx(1 / 3), "solver_1": 0.0}
    (whole,) = [one for one in rewards(run, facts, most=1)["returns"] if one["role"] == "solver"]
    assert (whole["rounds"], whole["mean"]) == ([0, 2], pytest.approx(7 / 11))


def test_the_same_rule_gives_the_pay_of_the_log(run):
    found = rescore(run, "azr_paper")
    assert [(one["old"], one["new"]) for one in found["tasks"]] == [
        (pytest.approx(2 / 3), pytest.approx(2 / 3)), (0.0, 0.0), (0.0, 0.0),
    ]  # fmt: skip
    assert (found["spearman"], found["compared"]) == (pytest.approx(1.0), 3)
    assert [one["new_formula"] for one in found["tasks"]] == [one["formula"] for one in found["tasks"]]


def test_another_rule_is_paid_by_the_attempts_of_the_scored_episode(made, run):
    found = rescore(run, "variance")
    # p1: 1 of 3 in its own episode, although it was solved twice later: 4/3 * 2/3.
    assert [one["new"] for one in found["tasks"]] == [pytest.approx(8 / 9), 0.0, 0.0]
    assert found["most"][0] == made.ids["p1"]
    assert found["rejected"] == {"count": 5, "pay": 0.0}
    first = found["rounds"][0]
    assert (first["round"], first["old"], first["new"]) == (0, pytest.approx(2 / 3), pytest.approx(8 / 9))
    assert rescore(run, "variance", "round=1")["compared"] == 1


def test_what_a_rule_cannot_know_is_not_scored_and_never_zero(run):
    found = rescore(run, "partial")
    # Shares 0.5 (p1) and 0.25 (p3): 4q(1 - q); p2's attempts tell none.
    assert [one["new"] for one in found["tasks"]] == [1.0, None, 0.75]
    assert found["not_scored"] == {"partial.verified_share: expected a number, got None": 1}
    assert found["compared"] == 2
    nothing = rescore(run, "stp")
    assert [one["new"] for one in nothing["tasks"]] == [None] * 3
    assert (nothing["spearman"], nothing["most"], nothing["assumed"]) == (None, [], ["used_seed"])
    assert nothing["rounds"][0] == {"round": 0, "old": pytest.approx(2 / 3), "new": None, "scored": 0, "not_scored": 1}


def test_repetition_is_computed_from_the_texts_of_a_round(run):
    found = rescore(run, "r_zero_code")
    assert found["computed"] == ["cluster_share"]
    # Each round has one proposal, which is its whole cluster.
    assert [one["terms"]["repetition"] for one in found["tasks"]] == [-1.0, -1.0, -1.0]


@pytest.mark.parametrize("name", list(rules))
def test_every_rule_can_be_asked(run, name):
    found = rescore(run, name)
    assert all((one["new"] is None) == bool(one["not_scored"]) for one in found["tasks"])


def test_an_unknown_rule_names_the_nearest(run):
    with pytest.raises(UnknownNameError, match="azr_paper"):
        rescore(run, "azr_papers")


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=20))
def test_the_rank_correlation_is_that_of_scipy(pairs):
    one, other = zip(*pairs, strict=True)
    if len(set(one)) < 2 or len(set(other)) < 2:
        assert spearman(one, other) is None
    else:
        assert spearman(one, other) == pytest.approx(stats.spearmanr(one, other).statistic)


def test_one_screen(run, facts):
    found = summary(run, facts)
    assert (found["tasks"], found["seeds"], found["rounds"], found["in_progress"]) == (5, 2, 2, 2)
    first, second, third = found["blocks"]
    assert (first["proposed"], first["valid_rate"], first["admitted"], first["difficulty"]) == (3, 1 / 3, 1, 2)
    assert (second["proposed"], second["valid_rate"], second["duplicate_rate"]) == (3, 1.0, 1 / 3)
    assert (third["proposed"], third["valid_rate"], third["tokens"]) == (2, 0.5, {})
    # p1 was solved 3 times of 5 in all, p2 always, p3 never.
    assert [one["solve_rates"] for one in found["blocks"]] == [[0, 0, 1, 0, 0], [0, 0, 0, 0, 1], [1, 0, 0, 0, 0]]
    assert first["tokens"] == {"proposer": 30.0, "solver": 1500.0}
    assert [(one["rounds_done"], one["rate"], one["attempts"]) for one in found["heldout"]] == [
        (0, 0.2, 10),
        (2, 0.6, 10),
    ]
    assert found["heldout"][1]["kinds"]["sum"]["solved"] == 6
    (whole,) = summary(run, facts, most=1)["blocks"]
    assert (whole["proposed"], whole["admitted"], whole["tokens"]["proposer"]) == (8, 3, 80.0)


def test_blocks_hold_every_round():
    rounds = [0, 1, 2, 5, 6, 9, 10]
    found = blocks(rounds, 3)
    assert found == [(0, 2), (5, 9), (10, 10)]
    assert [block_of(round, found) for round in (0, 2, 3, 6, 9, 10, 11)] == [0, 0, None, 1, 1, 2, None]
    assert blocks(rounds, None) == [(round, round) for round in rounds]
    assert blocks([], 3) == []


def test_rates_and_bins():
    assert solve_rate(0, 0)["solve_rate"] is None
    # The 2.5 % and 97.5 % quantiles of Beta(2, 1) are the square roots of 0.025 and 0.975.
    assert solve_rate(1, 1)["interval"] == pytest.approx([0.025**0.5, 0.975**0.5])
    assert [rate_bin(solved, 4) for solved in range(5)] == [0, 1, 2, 3, 4]
    assert histogram([0.0, 0.5, 1.0, -1.0], 0.0, 1.0, 2) == [2, 2]
    assert histogram([0.0, 0.0], 0.0, 0.0, 3) == [2, 0, 0]
