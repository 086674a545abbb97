"""check_game catches every broken game, and names what is broken."""

from dataclasses import replace

import pytest
from arena_sample_games import (
    Asker,
    Coins,
    Count,
    CountingKuhn,
    DriftingKuhn,
    ForgetfulKuhn,
    GenerousKuhn,
    LeakyKuhn,
    LopsidedKuhn,
    RefusingKuhn,
    RichKuhn,
    ScatteredKuhn,
    SeedReadingKuhn,
    UnruledKuhn,
    WordyKuhn,
    WrongRewardsKuhn,
)

from arena.errors import CheckError
from arena.games.kuhn_poker import KuhnPoker
from arena.games.tic_tac_toe import TicTacToe
from arena.testing import check_game
from arena.types import IllegalRule, Observation, Task

PLACE = r"check_game\(kuhn_poker-v0\): episode \d+, ply \d+"


@pytest.mark.parametrize(
    ("game", "message"),
    [
        (
            LeakyKuhn(),
            r"hidden information, ply \d, seat 'first', observe\.text in the set 'Q': expected .*Q K.* got .*Q J",
        ),
        (ForgetfulKuhn(), r"hidden information, ply \d, seat '\w+', observe.legal_actions"),
        (
            CountingKuhn(),
            rf"{PLACE}, seat 'first', observe: expected the same answer when asked twice, got .*Question 1",
        ),
        (GenerousKuhn(), rf"{PLACE}, returns: expected returns that sum to 0"),
        (RichKuhn(), rf"{PLACE}, seat 'first', returns: expected a return in returns_range \[-2.0, 2.0\]"),
        (RefusingKuhn(), rf"{PLACE}, seat 'first', step\('bet'\): expected an answer, got ValueError: no bets today"),
        (DriftingKuhn(), rf"{PLACE}.*: expected the same"),
        (LopsidedKuhn(), rf"{PLACE}, nature: expected probabilities that sum to 1, got 0\.8333"),
        (SeedReadingKuhn(), rf"{PLACE}, reset: expected the same first state for every task\.seed"),
        (WordyKuhn(), rf"{PLACE}, seat 'first', observe\.text: expected at most 1024 bytes .* got 1500 bytes"),
        (UnruledKuhn(), r"check_game\(kuhn_poker-v0\), rules: expected rules in words"),
        (WrongRewardsKuhn(), rf"{PLACE}, seat 'first', rewards: expected rewards that sum to the return"),
        (
            ScatteredKuhn(),
            rf"{PLACE}, seat 'first', observe\.legal_actions: expected actions of spec\.actions, in its order",
        ),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, KuhnPoker) else "",
)
def test_a_broken_game_is_named(game, message):
    with pytest.raises(CheckError, match=message):
        check_game(game)


@pytest.mark.parametrize("after", range(15, 200, 7))
def test_a_game_that_drifts_is_caught_whenever_it_does(after):
    with pytest.raises(CheckError, match=r"expected the same"):
        check_game(DriftingKuhn(after), episodes=10)


def test_states_that_are_changed_in_place_are_caught():
    class Board(list):
        __hash__ = object.__hash__

    class Mutable(Coins):
        def reset(self, task):
            return Board()

        def step(self, state, moves):
            state.extend(moves.values())
            return state

    with pytest.raises(CheckError, match="check_game"):
        check_game(Mutable())


def test_information_must_be_recalled():
    class Blur(KuhnPoker):
        """Forgets, at its last decision, which card it holds, in text and key alike."""

        def observe(self, state, seat):
            seen = super().observe(state, seat)
            text = "?" if len(state.history) == 2 else seen.text
            return Observation(seat=seat, text=text, legal_actions=seen.legal_actions)

        def information_key(self, state, seat):
            return "?" if len(state.history) == 2 else super().information_key(state, seat)

    with pytest.raises(CheckError, match=r"information_key in the set '\?': expected one own past \(perfect recall\)"):
        check_game(Blur())


def test_rare_faults_are_found_by_listing_every_history():
    class Trap(KuhnPoker):
        def __init__(self):
            self.armed = False

        def observe(self, state, seat):
            if state.history == ("bet",) and state.cards == ("J", "Q"):
                raise LookupError("trap")
            return super().observe(state, seat)

    with pytest.raises(CheckError, match="listing every history: expected the rules to answer, got LookupError: trap"):
        check_game(Trap(), episodes=1)


def test_a_rule_for_illegal_answers_must_fit():
    class Free(Asker):
        spec = replace(Asker.spec, illegal=IllegalRule(kind="penalise"))

    with pytest.raises(CheckError, match=r"check_game\(asker-v0\), spec\.illegal: .*actions are free text"):
        check_game(Free())


def test_pettingzoos_suite_is_part_of_it(monkeypatch):
    monkeypatch.setattr("arena.aec.GameEnv.close", lambda self: 1 / 0)
    with pytest.raises(CheckError, match="PettingZoo seed_test: expected it to pass, got ZeroDivisionError"):
        check_game(KuhnPoker())


def test_what_a_passed_check_has_covered():
    report = check_game(KuhnPoker())
    assert (report.game, report.episodes, report.information_sets, report.hidden_information) == (
        "kuhn_poker-v0",
        20,
        12,
        True,
    )
    # One state before the deal, 6 deals, 9 histories after each.
    assert report.states > 1 + 6 * 9


class Endless(TicTacToe):
    """Promises to end sooner than it does."""

    spec = replace(TicTacToe.spec, max_turns=4)


class Restless(KuhnPoker):
    """Offers actions to a seat that is not to move."""

    def observe(self, state, seat):
        return replace(super().observe(state, seat), legal_actions=("check", "bet"))


def test_an_enumerable_game_must_end_within_its_turns():
    with pytest.raises(CheckError, match=r"to_move: expected the end within spec\.max_turns=4 moves of seats"):
        check_game(Endless())


def test_a_seat_that_is_not_to_move_has_nothing_to_choose():
    with pytest.raises(CheckError, match=r"legal_actions: expected \(\) for a seat that is not to move, got .*check"):
        check_game(Restless())


def test_chance_calls_truncation_and_free_text_are_covered(capsys):
    assert check_game(Coins()).hidden_information is False
    assert check_game(Asker(), say=lambda seen: ("4", "5")).information_sets == 1
    tasks = [Task(game="count-v0", seed=seed) for seed in (1, 2)]
    assert check_game(Count(max_turns=6), episodes=3, tasks=tasks).episodes == 6
    assert capsys.readouterr().out == ""
