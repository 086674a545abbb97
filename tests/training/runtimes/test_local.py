"""The local runtime: chunks change nothing, groups come in canonical order, masked play is legal play."""

import pytest
from kuhn_world import kuhn_entry, policy

from arena.types import PolicyId, Status
from training.config import PolicyConfig
from training.credit import CreditAssignment
from training.estimators.reinforce import Reinforce
from training.learner import Learner
from training.objectives.ppo import ClippedPolicyGradient
from training.opponents.matchmaking import Population, SeatAssignment
from training.runtimes.local import LocalRuntime
from training.units import units_of

POPULATION = Population(live={"player": PolicyId(name="player", version=0)}, snapshots={"player": []})


@pytest.fixture(scope="module")
def entry():
    return kuhn_entry({"player": policy()}, group_size=3)


def test_a_round_is_one_batch_of_whole_groups_in_order(entry):
    plans = entry.plan(5, 0, 12, POPULATION, 0)
    (batch,) = LocalRuntime({"kuhn": entry}, chunk_episodes=5).batches({"kuhn": plans})
    groups = batch.groups["kuhn"]
    assert [group.group_id for group in groups] == [f"r000000-g{n:06d}" for n in (0, 3, 6, 9)]
    assert all(len(group.episodes) == 3 for group in groups)
    assert [e.id for g in groups for e in g.episodes] == [plan.id for plan in plans]
    for episode in (e for g in groups for e in g.episodes):
        assert episode.status is Status.COMPLETED
        assert all(turn.legal and turn.completion is not None for turn in episode.turns)
        assert sum(episode.returns.values()) == 0.0
        assert episode.completion_tokens == sum(len(t.completion.token_ids) for t in episode.turns)
        assert len({t.completion.id for t in episode.turns}) == len(episode.turns)
    units = units_of(groups)
    assert len(units) == sum(len(e.turns) for g in groups for e in g.episodes)
    assert all(u.episode_return == u.return_to_go for u in units)  # Kuhn poker pays at the end


def test_the_same_chunks_give_the_same_episodes(entry):
    plans = entry.plan(5, 0, 12, POPULATION, 0)
    one, other = (LocalRuntime({"kuhn": entry}, chunk_episodes=4).play("kuhn", plans) for _ in range(2))
    assert one == other
    assert len({tuple(t.action for t in e.turns) for e in one}) > 1


def test_the_chunk_changes_no_choice(entry):
    plans = entry.plan(5, 0, 12, POPULATION, 0)
    whole = LocalRuntime({"kuhn": entry}, chunk_episodes=100).play("kuhn", plans)
    single = LocalRuntime({"kuhn": entry}, chunk_episodes=1).play("kuhn", plans)
    assert [[t.action for t in e.turns] for e in whole] == [[t.action for t in e.turns] for e in single]


@pytest.mark.parametrize("masked", [True, False])
def test_from_play_to_rows_every_sampled_token_of_a_trained_seat_counts_once(masked):
    seats = [
        SeatAssignment(seat="first", role="player", policy="player", trained=True),
        SeatAssignment(seat="second", role="player", policy="rival", trained=False),
    ]
    policies = {"player": policy(), "rival": policy("rival", seed=1)}
    entry = kuhn_entry(policies, seats, masked=masked)
    live = {name: one.id for name, one in policies.items()}
    plans = entry.plan(5, 0, 30, Population(live=live, snapshots={}), 0)
    (batch,) = LocalRuntime({"kuhn": entry}, chunk_episodes=16).batches({"kuhn": plans})
    part = {"name": "reinforce"}
    credit = CreditAssignment({("kuhn_poker-v0", "first"): Reinforce()}, {("kuhn_poker-v0", "first"): part})
    rows, credits = credit.assign(units_of(batch.groups["kuhn"]))
    turns = [t for g in batch.groups["kuhn"] for e in g.episodes for t in e.turns]
    sampled = [t.completion for t in turns if t.seat == "first"]
    assert any(t.seat == "second" and t.completion is not None for t in turns) or not masked
    assert list(rows) == ["player"] and len(credits) == len(sampled)
    assert sum(sum(row.mask) for row in rows["player"]) == sum(len(c.token_ids) for c in sampled)
    assert [row.ids for row in rows["player"]] == [c.prompt_ids + c.token_ids for c in sampled]

    # The learner's log-probabilities before its first step are those that the engine sampled with.
    learner = Learner(PolicyConfig(), ClippedPolicyGradient(), policies["player"].model, rounds=1)
    report = learner.update(rows["player"], 0)
    assert report["logprob_gap"] < 1e-5
    assert report["clip_rate"] == 0.0
    assert report["distinct_inputs"] < len(sampled) or not masked
