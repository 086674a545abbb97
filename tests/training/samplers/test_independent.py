"""The independent sampler: whole episodes, exact returns, failures that stay alone, calls in batches."""

import pytest
from sampler_samples import GAMES, Even, Guess, RaisingKuhn, RaisingReset, Ticking, plans, play

from arena.errors import CapabilityError
from arena.types import Status
from roles.scripted import Always
from training.samplers.independent import IndependentSampler
from training.samplers.sampler import Sampler, samplers


@pytest.mark.parametrize("name", GAMES)
def test_returns_are_the_sums_of_rewards_and_zero_in_total(name):
    game = GAMES[name]()
    episodes = play(game, plans(game, 40))
    assert [e.id for e in episodes] == [f"r000000-e{i:06d}" for i in range(40)]
    for episode in episodes:
        assert episode.status is Status.COMPLETED
        assert sum(episode.returns.values()) == pytest.approx(0.0, abs=1e-12)
        for seat in game.spec.seats:
            own = [turn for turn in episode.turns if turn.seat == seat]
            assert sum(turn.reward for turn in own) == pytest.approx(episode.returns[seat])
            assert [turn.ordinal for turn in own] == list(range(len(own)))
        assert all(turn.legal and turn.completion is None and turn.action for turn in episode.turns)
        assert all(turn.anchor_key == turn.observation.information_key for turn in episode.turns)
    assert len({tuple(e.returns.values()) for e in episodes}) > 1


def test_a_turn_is_paid_for_all_that_comes_before_the_seat_moves_again():
    """What the other seat's move pays belongs to the own move before it; ``b`` is paid 10 before its first one."""
    (episode,) = play(Ticking(), plans(Ticking(), 1))
    assert [(turn.seat, turn.reward) for turn in episode.turns] == [("a", 11.0), ("b", 11.0), ("a", 11.0), ("b", 1.0)]
    assert episode.returns == {"a": 22.0, "b": 22.0}


def test_simultaneous_seats_share_a_step_and_do_not_see_each_other():
    game = GAMES["rock_paper_scissors"]()
    for episode in play(game, plans(game, 10)):
        by_step = {}
        for turn in episode.turns:
            by_step.setdefault(turn.env_step, []).append(turn)
        assert all([turn.seat for turn in turns] == list(game.spec.seats) for turns in by_step.values())
        assert all(len({turn.node_id for turn in turns}) == 1 for turns in by_step.values())


def test_equal_histories_have_equal_node_ids():
    game = GAMES["kuhn"]()
    seen = {}
    for episode in play(game, plans(game, 60)):
        for index, turn in enumerate(episode.turns):
            past = tuple(t.action for t in episode.turns[:index])
            seen.setdefault((episode.task.seed, past), set()).add(turn.node_id)
    assert all(len(names) == 1 for names in seen.values())
    assert len({name for names in seen.values() for name in names}) > 6


@pytest.mark.parametrize("chunk", [1, 3, 8, 40])
@pytest.mark.parametrize("name", GAMES)
def test_the_same_plans_give_the_same_episodes_however_they_are_cut(name, chunk):
    game = GAMES[name]()
    assert play(game, plans(game, 24), chunk=chunk) == play(game, plans(game, 24))


def test_the_deal_follows_the_task_and_the_play_the_seat():
    game = GAMES["kuhn"]()
    episodes = play(game, plans(game, 40))
    cards = [[t.anchor_key[0] for t in e.turns[:2]] for e in episodes]
    assert all(cards[i] == cards[i + 1] for i in range(0, 40, 2))
    assert any(
        [t.action for t in episodes[i].turns] != [t.action for t in episodes[i + 1].turns] for i in range(0, 40, 2)
    )


def test_a_game_that_raises_in_step_fails_alone():
    game = RaisingKuhn()
    episodes = play(game, plans(game, 40))
    failed = [e for e in episodes if e.status is Status.FAILED]
    done = [e for e in episodes if e.status is Status.COMPLETED]
    assert len(failed) + len(done) == 40 and failed and done
    for episode in failed:
        assert "the chips are gone" in episode.reason
        assert episode.reason.startswith("raised:")
        assert episode.returns == {"first": None, "second": None}
        assert episode.turns[-1].action == "bet" and not episode.turns[-1].legal
        assert "the chips are gone" in episode.turns[-1].reason
    healthy = {e.id: e for e in play(GAMES["kuhn"](), plans(GAMES["kuhn"](), 40))}
    assert all(e == healthy[e.id] for e in done)


@pytest.mark.parametrize("first", [0, 3])
def test_a_game_that_raises_at_its_reset_fails_alone(first):
    """Index 0 is an environment that never held a task, index 3 (chunks of 2) one that held another episode's."""
    game = RaisingReset()
    episodes = play(game, plans(game, 6, params={first: {"table": 9}}), chunk=2)
    assert [e.status is Status.FAILED for e in episodes] == [i == first for i in range(6)]
    broken = episodes[first]
    assert "no such table" in broken.reason
    assert (broken.turns, broken.calls) == ((), ())
    assert broken.returns == {"first": None, "second": None}


def test_calls_are_answered_in_one_batch_and_recorded():
    game, verifier = Guess(), Even()
    episodes = play(game, plans(game, 12), verifier)
    assert verifier.batches == [12]
    for episode in episodes:
        solver, doubter = episode.turns
        (call,) = episode.calls
        assert (call.kind, call.request) == ("even", solver.action)
        expected = {"0": (None, 0.0), "1": (0.0, 1.0), "2": (1.0, 0.0)}[solver.action]
        assert (episode.returns["solver"], episode.returns["doubter"]) == expected
        assert doubter.reward == expected[1]
    assert {e.turns[0].action for e in episodes} == {"0", "1", "2"}


def test_a_broken_table_does_not_disturb_the_calls_of_the_others():
    class Sometimes(Guess):
        def step(self, state, moves):
            if moves.get("solver") == "1":
                raise ValueError("not odd")
            return super().step(state, moves)

    verifier = Even()
    episodes = play(Sometimes(), plans(Guess(), 12), verifier)
    broken = sum(e.status is Status.FAILED for e in episodes)
    assert 0 < broken < 12
    assert verifier.batches == [12 - broken]


def test_a_call_without_a_verifier_is_refused_by_name():
    with pytest.raises(CapabilityError, match="expected a verifier for guess-v0"):
        play(Guess(), plans(Guess(), 2))


def test_a_scripted_player_that_does_not_know_the_game_is_no_failure_of_the_game():
    with pytest.raises(CapabilityError, match="always_bet"):
        game = GAMES["tic_tac_toe"]()
        play(game, plans(game, 1, Always(("bet", "call"), "always_bet")))


def test_it_is_registered_and_does_not_fork():
    sampler = samplers.make("independent")
    assert isinstance(sampler, IndependentSampler) and isinstance(sampler, Sampler)
    assert sampler.forks is False


def test_no_plans_no_episodes():
    assert play(GAMES["kuhn"](), [], chunk=1) == []
