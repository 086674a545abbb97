"""Curricula over the generator: draws, votes, the bandit, the target, and what of it stands in the log."""

import json
import math
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from played_episodes import ARITHMETIC, Undecided, answered

from arena.errors import ConfigError, InputError, RunError
from arena.seeds import generator
from curricula.adarft import AdaRFT
from curricula.curriculum import Credit, Measured, Recorded
from curricula.ensemble_vote import EnsembleVote
from curricula.generated import Generated
from curricula.ledger import TaskLedger
from curricula.majority_vote import MajorityVote
from curricula.self_evolving import SelfEvolving
from curricula.testing import check_curriculum

BASE = {"domain": "arithmetic"}
UNPAID = {**BASE, "pay": "nothing"}
MAKES = {
    "generated": lambda **knobs: Generated("solve-v0", 1, BASE, most=3, **knobs),
    "majority_vote": lambda **knobs: MajorityVote("solve-v0", 1, UNPAID, most=3, **knobs),
    "ensemble_vote": lambda **knobs: EnsembleVote("solve/2-v0", 1, UNPAID, most=3, **knobs),
    "self_evolving": lambda **knobs: SelfEvolving("solve-v0", 1, BASE, most=3, **knobs),
    "adarft": lambda **knobs: AdaRFT("solve-v0", 1, BASE, most=3, **knobs),
}


def one_round(curriculum, answers, at=0, count=4, **options):
    tasks = curriculum.propose(generator("test", at), at, count)
    groups = answered(tasks, answers, at, **options)
    settlements = curriculum.settle(groups)
    curriculum.observe(groups, [])
    return groups, settlements


def seats(name):
    return 2 if name == "ensemble_vote" else 1


@pytest.mark.parametrize("name", MAKES)
def test_a_played_round_passes_the_check(name):
    tasks = MAKES[name]().propose(generator("other"), 9, 3)
    groups = answered(tasks, [[None] * seats(name), ["0"] * seats(name)], 9)
    credits = [Credit(episode_id=groups[0].episodes[0].id, seat="solver", ordinal=0, advantage=-0.5)]
    check_curriculum(MAKES[name], groups, credits)


@pytest.mark.parametrize("name", MAKES)
def test_the_events_of_a_round_give_its_ledger(name):
    curriculum = MAKES[name]()
    assert isinstance(curriculum, Recorded)
    assert isinstance(curriculum, Measured)
    for at in range(3):
        one_round(curriculum, [[None] * seats(name), ["0"] * seats(name)], at)
        events = json.loads(json.dumps(curriculum.drain()))
        rebuilt = TaskLedger(curriculum.log.ledger.game)
        rebuilt.replay((kind, fields) for kind, fields in events)
        assert rebuilt.state() == curriculum.log.ledger.state()
        assert {record.attempts for record in rebuilt.records.values()} == {2 * seats(name)}
    assert len(curriculum.state()["log"]["ledger"]["records"]) == 4  # the live state does not grow with the run


def test_events_that_nobody_drained_survive_rounds_and_restarts():
    one, other = MAKES["generated"](), MAKES["generated"]()
    for at in range(2):
        one_round(one, [[None]], at)
    other.restore(json.loads(json.dumps(one.state())))
    assert other.drain() == one.drain()
    assert one.drain() == []


def test_metrics_of_a_round():
    curriculum = MAKES["generated"]()
    one_round(curriculum, [[None], ["no number"]])
    records = curriculum.log.ledger.records.values()
    depth = sum(record.checks["difficulty"] for record in records) / 4
    assert curriculum.metrics() == {"sealed_refused": 0.0, "mean_difficulty": depth, "live_rate": 1.0}
    one_round(curriculum, [[None], [None]], 1)
    assert curriculum.metrics()["live_rate"] == 0.0


@given(st.sets(st.integers(0, 3), max_size=3))
def test_an_undecided_attempt_leaves_all_statistics(calls):
    curriculum = MAKES["generated"]()
    one_round(curriculum, [[None]] * 4, count=1, verifier=Undecided(*calls))
    (record,) = curriculum.log.ledger.records.values()
    assert (record.attempts, record.undecided, record.successes) == (4 - len(calls), len(calls), 4 - len(calls))


def sealed_sums():
    return frozenset(ARITHMETIC.signature({"kind": "sum", "left": a, "right": b}) for a in range(10) for b in range(10))


def test_sealed_problems_are_never_posed_and_counted():
    curriculum = Generated("solve-v0", 1, BASE, sealed_sums(), most=1)
    tasks = curriculum.propose(generator("test"), 0, 64)
    assert not any(task.params["kind"] == "sum" for task in tasks)
    curriculum.observe([], [])
    assert curriculum.metrics()["sealed_refused"] > 0


def test_a_cell_of_which_all_is_sealed_says_so():
    curriculum = SelfEvolving("solve-v0", 1, BASE, sealed_sums(), most=1)
    with pytest.raises(RunError, match=r"self_evolving: expected a problem .*sum, difficulty 1"):
        curriculum.propose(generator("test"), 0, 64)


@pytest.mark.parametrize("make", [MajorityVote, AdaRFT])
def test_the_wrong_pay_is_refused(make):
    with pytest.raises(ConfigError, match=r"set params\.pay="):
        make("solve-v0", 1, BASE if make is MajorityVote else UNPAID)


def pay(settlements):
    return {(one.episode_id, one.seat): one.terms["agreement"] for one in settlements}


def test_majority_vote_pays_agreement_and_not_truth():
    curriculum = MAKES["majority_vote"]()
    groups, settlements = one_round(curriculum, [["wrong"], ["wrong"], [None]], count=1)
    assert list(pay(settlements).values()) == [1.0, 1.0, 0.0]
    assert {one.formula for one in settlements} == {"majority_vote-v1/n=3"}
    assert all(value == 0.0 for episode in groups[0].episodes for value in episode.returns.values())
    rates = curriculum.metrics()
    assert (rates["label_accuracy"], rates["majority_rate"], rates["tie_rate"]) == (0.0, pytest.approx(2 / 3), 0.0)


def test_majority_vote_counts_what_answers_say_and_records_ties():
    _, settlements = one_round(MAKES["majority_vote"](), [["007"], ["7"], ["8"]], count=1)
    assert list(pay(settlements).values()) == [1.0, 1.0, 0.0]
    _, settlements = one_round(MAKES["majority_vote"](), [["8"], ["7"]], count=1)
    assert list(pay(settlements).values()) == [0.0, 1.0]
    assert settlements[0].formula == "majority_vote-v1/n=2/tie"


def test_majority_vote_pays_nobody_when_nobody_said_anything():
    assert one_round(MAKES["majority_vote"](), [[""], [""]])[1] == []


def test_majority_vote_needs_a_group():
    with pytest.raises(ConfigError, match=r"majority_vote\.group_size: expected at least 2"):
        MAKES["majority_vote"](group_size=1)
    with pytest.raises(InputError, match="raise group_size"):
        one_round(MAKES["majority_vote"](), [[None]])


def test_a_consistent_policy_outvotes_an_inconsistent_one():
    policies = {"solver_0": "sure", "solver_1": "unsure"}
    rounds = [["1", "2"], ["1", "2"], ["3", "2"], ["1", "5"]]  # sure says 1, 1, 3, 1; unsure says 2, 2, 2, 5: equal
    _, settlements = one_round(MAKES["ensemble_vote"](), rounds, count=1, policies=policies)
    assert settlements[0].formula.endswith("/tie")
    rounds = [["1", "2"], ["1", "2"], ["1", "3"], ["1", "2"]]
    _, settlements = one_round(MAKES["ensemble_vote"](), rounds, count=1, policies=policies)
    assert [one.terms["agreement"] for one in settlements] == [1.0, 0.0] * 4
    rounds = [["1", "2"], ["1", "3"], ["4", "2"], ["5", "2"]]  # 2 of 4 at weight 1/2 against 3 of 4 at weight 3/4
    _, settlements = one_round(MAKES["ensemble_vote"](), rounds, count=1, policies=policies)
    assert [one.terms["agreement"] for one in settlements] == [0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0]


def test_an_ensemble_needs_a_seat_for_each_policy():
    with pytest.raises(ConfigError, match="ensemble_vote: expected a game with a seat for each policy, got solve-v0"):
        EnsembleVote("solve-v0", 1, UNPAID)


def taught(curriculum, at, size):
    """Plays a round in which every turn on an arm has the advantage ``size`` of that arm."""
    tasks = curriculum.propose(generator("test", at), at, 12)
    groups = answered(tasks, [[None]], at)
    credits = [
        Credit(episode_id=episode.id, seat="solver", ordinal=0, advantage=size(group.episodes[0].task.params))
        for group in groups
        for episode in group.episodes
    ]
    curriculum.observe(groups, credits)
    return tasks


def test_the_bandit_follows_the_mean_absolute_advantage():
    curriculum = MAKES["self_evolving"]()
    tasks = taught(curriculum, 0, lambda params: -1.0 if params["kind"] == "sum" else 0.0)
    played = {f"{task.params['kind']}/{ARITHMETIC.difficulty(task.params['problem'])}" for task in tasks}
    expected = {arm: 0.5 * (arm in played and arm.startswith("sum")) for arm in curriculum.values}
    assert curriculum.values == expected  # Q <- Q + 0.5 (1 - Q) from 0
    likely = curriculum.chances()
    arm, rest = next(arm for arm in played if arm.startswith("sum")), "product/1"
    assert likely[arm] / likely[rest] == pytest.approx(math.exp(0.5))  # tau 1


def test_the_bandit_leaves_alone_what_has_no_advantages():
    curriculum = MAKES["self_evolving"]()
    one_round(curriculum, [[None]])
    assert set(curriculum.values.values()) == {0.0}
    assert curriculum.metrics()["arms"] == pytest.approx(9)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(["sum", "difference", "product", "none"]), min_size=1, max_size=6))
def test_no_arm_starves(movers):
    curriculum = MAKES["self_evolving"]()
    for at, mover in enumerate(movers):
        taught(curriculum, at, lambda params, mover=mover: float(params["kind"] == mover))
    # Advantages of at most 1 keep every value in [0, 1], so a chance is at least 1 / (e k).
    assert min(curriculum.chances().values()) >= 1 / (math.e * 9) - 1e-12


def test_a_mastered_arm_that_moves_again_comes_back():
    curriculum = SelfEvolving("solve-v0", 1, BASE, most=3, tau=0.1)
    for at in range(6):
        taught(curriculum, at, lambda params: float(params["kind"] != "sum"))
    before = sum(p for arm, p in curriculum.chances().items() if arm.startswith("sum"))
    for at in range(6, 60):
        taught(curriculum, at, lambda params: float(params["kind"] == "sum"))
    after = sum(p for arm, p in curriculum.chances().items() if arm.startswith("sum"))
    assert (before, after) == (pytest.approx(0, abs=0.05), pytest.approx(1, abs=0.05))


def test_the_target_follows_the_reward():
    curriculum = MAKES["adarft"]()
    assert {ARITHMETIC.difficulty(t.params["problem"]) for t in curriculum.propose(generator("t"), 0, 8)} == {1}
    one_round(curriculum, [[None]])  # mean reward 1: T = 1 + 0.5 * 2 * tanh(2 * 0.5)
    assert curriculum.target == pytest.approx(1 + math.tanh(1))
    assert curriculum.metrics()["target_difficulty"] == curriculum.target
    one_round(curriculum, [["wrong"]], 1)
    assert curriculum.target == pytest.approx(1)
    one_round(curriculum, [[None], ["wrong"]], 2)
    assert curriculum.target == pytest.approx(1)


@given(st.lists(st.sampled_from([None, "wrong"]), min_size=1, max_size=12))
@settings(max_examples=20, deadline=None)
def test_the_target_stays_in_range_and_every_difficulty_comes_back(answers):
    curriculum = MAKES["adarft"]()
    for at, answer in enumerate(answers):
        one_round(curriculum, [[answer]], at, count=2)
        assert 1 <= curriculum.target <= 3
    seen = Counter()
    for at in range(len(answers), len(answers) + 4):
        tasks = curriculum.propose(generator("t", at), at, 2)
        seen += Counter(ARITHMETIC.difficulty(task.params["problem"]) for task in tasks)
        one_round(curriculum, [[None if at % 2 else "wrong"]], at, count=2)
    assert len(seen) > 1


def test_undecided_seats_do_not_move_the_target():
    curriculum = MAKES["adarft"]()
    one_round(curriculum, [["wrong"], [None]], count=1, verifier=Undecided(0))
    assert curriculum.target == pytest.approx(1 + math.tanh(1))
    one_round(curriculum, [[None]], 1, count=1, verifier=Undecided(0))
    assert curriculum.target == pytest.approx(1 + math.tanh(1))


@pytest.mark.parametrize(
    ("make", "knobs"),
    [
        (SelfEvolving, {"alpha": 0.0}),
        (SelfEvolving, {"tau": 0.0}),
        (AdaRFT, {"eta": 0.0}),
        (AdaRFT, {"beta": 1.0}),
        (Generated, {"least": 4, "most": 3}),
    ],
)
def test_numbers_out_of_range_are_refused(make, knobs):
    with pytest.raises(ConfigError, match=rf"{make.name}\.{next(iter(knobs))}|{make.name}\..*{next(iter(knobs))}"):
        make("solve-v0", 1, BASE, **knobs)
