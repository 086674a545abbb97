"""The sentence names what moved most, in words."""

from training.cli.observation_in_words import sentence, situation


def event(king, jack, **more):
    return {"strategy": {"J": {"check": 1 - jack, "bet": jack}, "K": {"check": 1 - king, "bet": king}}, **more}


def test_what_moved_most_is_told_with_what_it_was_and_the_equilibrium():
    now = event(king=0.78, jack=0.5, equilibrium={"K": {"bet": [0.0, 1.0]}})
    assert sentence(now, event(king=0.5, jack=0.45)) == (
        "opening with a King it bets 78% of the time, 50% before (an equilibrium: 0% to 100%)"
    )


def test_a_point_equilibrium_reads_as_one_number():
    now = {
        "strategy": {"Q check bet": {"fold": 0.4, "call": 0.6}},
        "equilibrium": {"Q check bet": {"call": [0.667, 0.667]}},
    }
    assert sentence(now, None) == "with a Queen after check, bet it calls 60% of the time (an equilibrium: 67%)"


def test_a_game_that_was_not_solved_tells_its_results():
    played = [{"opponent": "random", "seat": "x", "win_rate": [0.5, 0.6, 0.7]}]
    assert sentence({"strategy": {}, "opponents": played}, None) == "as x it wins 60% against random"
    assert sentence({}, None) == ""


def test_other_keys_are_quoted():
    assert situation("x.o......") == "at 'x.o......'"
    assert (
        sentence({"strategy": {"throw": {"rock": 0.2, "paper": 0.8}}}, None)
        == "at 'throw' it plays paper 80% of the time"
    )
