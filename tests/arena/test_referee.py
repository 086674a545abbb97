"""The referee: chance, legality, pay, calls, truncation and faults of one task."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from arena_sample_games import Asker, Coins, Count, GenerousKuhn, LopsidedKuhn, RefusingKuhn, WrongRewardsKuhn

from arena.calls import encode_verdict
from arena.errors import ConfigError, GameError, PlayError
from arena.game import Chance, default_information_key
from arena.games.kuhn_poker import KuhnPoker
from arena.games.rock_paper_scissors import RockPaperScissors
from arena.referee import Referee, draw
from arena.types import (
    Action,
    CallRecord,
    IllegalRule,
    NotUnderstood,
    Observation,
    Outcome,
    Payoff,
    Status,
    Task,
    Verdict,
)

BET, CALL, CHECK = Action(value="bet"), Action(value="call"), Action(value="check")
SILENCE = NotUnderstood(reason="no_action")


def kuhn(seed=0, **illegal):
    return Referee(KuhnPoker(), Task(game="kuhn_poker-v0", seed=seed), IllegalRule(**illegal) if illegal else None)


def test_a_whole_game():
    referee = kuhn()
    assert (referee.to_move, referee.done, referee.status) == (("first",), False, None)
    assert referee.act("first", BET) == ""
    assert (referee.to_move, referee.env_step, referee.turns, referee.ply) == (("second",), 1, 1, 2)
    assert referee.act("second", CALL) == ""
    cards = referee.state.cards
    gain = 2.0 if "JQK".index(cards[0]) > "JQK".index(cards[1]) else -2.0
    assert (referee.done, referee.status, referee.reason) == (True, Status.COMPLETED, "")
    assert referee.returns == {"first": gain, "second": -gain}
    assert referee.collect() == referee.returns
    assert referee.collect() == {"first": 0.0, "second": 0.0}


def test_chance_is_a_function_of_seed_and_ply():
    deals = [kuhn(seed).state.cards for seed in range(600)]
    assert deals == [kuhn(seed).state.cards for seed in range(600)]
    counts = Counter(deals)
    # 600 deals, six outcomes: 100 each, standard deviation 9.1.
    assert len(counts) == 6 and all(60 < count < 140 for count in counts.values())
    tosses = [Referee(Coins(), Task(game="coins-v0", seed=seed)).state for seed in range(200)]
    heads = [sum(toss[ply] == "heads" for toss in tosses) for ply in range(3)]
    # 200 tosses at 1/4: 50, standard deviation 6.1; the plies are independent.
    assert all(25 < count < 75 for count in heads)
    assert len({toss[0] == toss[1] for toss in tosses}) == 2


def test_draw_never_picks_an_impossible_outcome():
    chance = Chance((("never", 0.0), ("a", 0.5), ("b", 0.5), ("not", 0.0)))
    picks = {draw(chance, np.random.default_rng(seed)) for seed in range(100)}
    assert picks == {1, 2}


def test_node_ids_name_joint_histories():
    def path(seed, *actions):
        referee = kuhn(seed)
        for action in actions:
            referee.act(referee.to_move[0], Action(value=action))
        return referee

    same = [seed for seed in range(1, 40) if kuhn(seed).state == kuhn(0).state]
    other = next(seed for seed in range(1, 40) if kuhn(seed).state != kuhn(0).state)
    assert kuhn(0).node_id == kuhn(same[0]).node_id != kuhn(other).node_id
    assert path(0, "check", "bet").node_id == path(same[0], "check", "bet").node_id
    ids = [path(0, *actions).node_id for actions in ([], ["check"], ["bet"], ["check", "bet"], ["check", "check"])]
    assert len(set(ids)) == 5
    assert len(ids[0]) == 16
    retried = kuhn(kind="retry", retries=1)
    retried.act("first", SILENCE)
    assert retried.node_id != kuhn().node_id


def test_node_ids_do_not_depend_on_when_they_are_asked():
    asked, silent = kuhn(), kuhn()
    for action in (CHECK, BET, CALL):
        assert asked.node_id == asked.node_id
        asked.act(asked.to_move[0], action)
        silent.act(silent.to_move[0], action)
    # Written down once; a change here changes every recorded episode.
    assert asked.node_id == silent.node_id == "4db5bd6105ece414"


def test_the_default_information_key_holds_the_seats_own_history():
    referee = Referee(Count(max_turns=8), Task(game="count-v0"))
    first = referee.observe("a")
    assert first.information_key == default_information_key([first.text])
    referee.act("a", Action(value="one"))
    referee.act("b", Action(value="two"))
    second = referee.observe("a")
    assert second.information_key == default_information_key([first.text, "one", second.text])
    assert referee.observe("b").information_key == default_information_key([first.text, "two", second.text])


def test_simultaneous_seats_share_a_step_and_their_order_does_not_matter():
    nodes = set()
    for order in (("first", "second"), ("second", "first")):
        referee = Referee(RockPaperScissors(), Task(game="rock_paper_scissors-v0"))
        throws = {"first": Action(value="paper"), "second": Action(value="rock")}
        before = referee.node_id
        referee.act(order[0], throws[order[0]])
        assert (referee.env_step, referee.to_move, referee.node_id) == (0, (order[1],), before)
        referee.act(order[1], throws[order[1]])
        assert referee.returns == {"first": 1.0, "second": -1.0}
        nodes.add(referee.node_id)
    assert len(nodes) == 1


def test_forfeit_pays_the_opponent_the_low_end():
    referee = kuhn()
    assert referee.act("first", Action(value="raise")) == "illegal:raise"
    assert referee.returns == {"first": -2.0, "second": 2.0}
    assert (referee.status, referee.reason, referee.to_move) == (Status.COMPLETED, "forfeit:first", ())
    assert referee.collect() == {"first": -2.0, "second": 2.0}


def test_simultaneous_forfeits_are_settled_together():
    referee = Referee(RockPaperScissors(), Task(game="rock_paper_scissors-v0"))
    assert referee.act("second", SILENCE) == "no_action"
    assert not referee.done
    referee.act("first", Action(value="lizard"))
    assert (referee.reason, referee.returns) == ("forfeit:first,second", {"first": 0.0, "second": 0.0})


def test_retries_are_counted_within_one_turn():
    referee = kuhn(kind="retry", retries=1, penalty=0.5)
    assert referee.act("first", SILENCE) == "no_action"
    assert (referee.to_move, referee.turns) == (("first",), 0)
    assert referee.collect() == {"first": -0.5, "second": 0.5}
    assert referee.act("first", CHECK) == ""
    assert referee.act("second", SILENCE) == "no_action"
    assert referee.act("second", BET) == ""
    assert referee.act("first", SILENCE) == "no_action"
    assert referee.act("first", SILENCE) == "no_action"
    assert referee.reason == "forfeit:first"
    # Three fines of the first seat, one of the second, and the forfeit.
    assert referee.returns == {"first": -2.0 - 1.5 + 0.5, "second": 2.0 + 1.5 - 0.5}


def test_penalise_plays_a_legal_action_from_the_tasks_own_randomness():
    played = []
    for _ in range(2):
        referees = [kuhn(seed, kind="penalise", penalty=0.25) for seed in range(20)]
        for referee in referees:
            assert referee.act("first", Action(value="fold")) == "illegal:fold"
            assert referee.collect() == {"first": -0.25, "second": 0.25}
        played.append([referee.state.history for referee in referees])
    assert played[0] == played[1]
    assert set(played[0]) == {("check",), ("bet",)}
    referee = referees[0]
    while not referee.done:
        referee.act(referee.to_move[0], Action(value=referee.observe(referee.to_move[0]).legal_actions[0]))
    assert sum(referee.returns.values()) == 0


def test_a_blank_is_played_for_what_was_not_understood():
    referee = Referee(Asker(), Task(game="asker-v0"), IllegalRule(kind="blank", penalty=0.25))
    assert referee.act("solver", SILENCE) == "no_action"
    assert (referee.pending_call.request, referee.turns, referee.done) == ("", 1, False)
    assert referee.collect() == {"solver": -0.25}
    referee.resolve(Verdict(outcome=Outcome.WRONG))
    assert (referee.status, referee.reason, referee.returns) == (Status.COMPLETED, "", {"solver": -0.25})


def test_a_blank_of_one_seat_leaves_the_others_their_moves():
    class Pair(Asker):
        """Two seats answer at once; each is paid for saying 4."""

        spec = replace(Asker.spec, seats=("a", "b"), max_turns=2, illegal=IllegalRule(kind="blank"))

        def to_move(self, state):
            return () if state else self.spec.seats

        def observe(self, state, seat):
            return Observation(seat=seat, text="2 + 2?", legal_actions=() if state else None)

        def step(self, state, moves):
            return (moves["a"], moves["b"])

        def returns(self, state):
            return {seat: float(said == "4") for seat, said in zip(self.spec.seats, state, strict=True)}

    for order in (("a", "b"), ("b", "a")):
        referee = Referee(Pair(), Task(game="asker-v0"))
        for seat in order:
            assert referee.act(seat, SILENCE if seat == "a" else Action(value="4")) == (
                "no_action" if seat == "a" else ""
            )
        assert (referee.state, referee.returns) == (("", "4"), {"a": 0.0, "b": 1.0})


def test_a_rule_that_does_not_fit_is_refused():
    with pytest.raises(ConfigError, match=r"illegal\.kind"):
        kuhn(kind="shrug")


def test_truncation_after_max_turns_keeps_what_was_earned():
    referee = Referee(Count(max_turns=6), Task(game="count-v0"))
    for _ in range(3):
        referee.act("a", Action(value="one"))
        referee.act("b", Action(value="one"))
    assert (referee.status, referee.reason, referee.env_step) == (Status.TRUNCATED, "max_turns", 3)
    assert referee.returns == {"a": 3.0, "b": 3.0}


def test_calls_pause_until_they_are_resolved():
    referee = Referee(Asker(), Task(game="asker-v0"))
    with pytest.raises(PlayError, match="expected a pending call to resolve, got none"):
        referee.resolve(Verdict(outcome=Outcome.CORRECT))
    referee.act("solver", Action(value="4"))
    assert referee.pending_call.request == "4"
    assert not referee.done and referee.to_move == ()
    with pytest.raises(PlayError, match="expected the verdict of the pending call"):
        referee.act("solver", Action(value="5"))
    with pytest.raises(PlayError, match="pending call"):
        referee.observe("solver")
    verdict = Verdict(outcome=Outcome.CORRECT, detail="4", verifier="exact", version="1")
    referee.resolve(verdict)
    assert referee.calls == (CallRecord(ply=1, kind="exact", request="4", answer=encode_verdict(verdict)),)
    assert referee.returns == {"solver": 1.0}


def test_an_undecided_seat_is_left_unjudged():
    referee = Referee(Asker(), Task(game="asker-v0"))
    referee.act("solver", Action(value="4"))
    referee.resolve(Verdict(outcome=Outcome.UNDECIDED))
    assert referee.returns == {"solver": None}
    assert referee.undecided == {"solver"}
    assert referee.collect() == {"solver": 0.0}


@pytest.mark.parametrize(
    ("game", "actions", "message"),
    [
        (GenerousKuhn(), (BET, CALL), r"ply 3, returns: expected returns that sum to 0"),
        (LopsidedKuhn(), (), r"ply 0, nature: expected probabilities that sum to 1, got 0\.8333"),
        (RefusingKuhn(), (BET,), r"ply 1: expected step to return, got ValueError: no bets today"),
        (WrongRewardsKuhn(), (CHECK, CHECK), r"ply 3, rewards: expected rewards of 'first' that sum to its return"),
        (Count(payoff=Payoff.ZERO_SUM), (), ""),
    ],
)
def test_a_game_that_breaks_its_contract_is_named(game, actions, message):
    task = Task(game=game.spec.id, seed=3)
    if not message:
        assert Referee(game, task).to_move == ("a", "b")
        return
    with pytest.raises(GameError, match=rf"game {game.spec.id}, task {task.id}, {message}"):
        referee = Referee(game, task)
        for action in actions:
            referee.act(referee.to_move[0], action)


def test_a_game_that_raises_fails_its_task_and_keeps_the_cause():
    referee = Referee(RefusingKuhn(), Task(game="kuhn_poker-v0"))
    with pytest.raises(GameError) as caught:
        referee.act("first", BET)
    assert isinstance(caught.value.__cause__, ValueError)
    assert (referee.status, referee.reason, referee.to_move) == (Status.FAILED, "raised:ValueError", ())


def test_nature_that_never_stops_is_stopped():
    class Endless(Coins):
        def to_move(self, state):
            return ("nature",)

        def step(self, state, moves):
            return state

    with pytest.raises(GameError, match="to_move: expected a seat within 10000 moves of nature"):
        Referee(Endless(), Task(game="coins-v0"))


@pytest.mark.parametrize("movers", ["caller", ("nobody",), ["caller"], ("caller", "nature")])
def test_to_move_must_name_seats(movers):
    class Odd(Coins):
        def to_move(self, state):
            return ("nature",) if len(state) < 3 else movers

    with pytest.raises(GameError, match="to_move: expected a tuple of seats among"):
        Referee(Odd(), Task(game="coins-v0"))


@pytest.mark.parametrize("legal", [(), None])
def test_a_seat_to_move_needs_a_legal_action(legal):
    class Stuck(Coins):
        def observe(self, state, seat):
            return replace(super().observe(state, seat), legal_actions=legal)

    with pytest.raises(GameError, match="observe: expected at least one legal action for 'caller'"):
        Referee(Stuck(), Task(game="coins-v0")).act("caller", Action(value="heads"))


def test_moves_out_of_turn_are_refused_and_change_nothing():
    referee = kuhn()
    node = referee.node_id
    with pytest.raises(PlayError, match="expected a move of first, got a move of 'second'"):
        referee.act("second", BET)
    assert (referee.node_id, referee.to_move) == (node, ("first",))
    referee.act("first", SILENCE)
    with pytest.raises(PlayError, match="the task is over"):
        referee.act("second", BET)
