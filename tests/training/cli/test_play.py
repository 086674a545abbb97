"""A person takes a seat; lines come from a pipe."""

import random
import re
from itertools import chain

import pytest

from arena.errors import UnknownNameError
from arena.game import games
from training.cli.play import game_id, task_params


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("LUDUS_CACHE", str(tmp_path / "cache"))


def numbers(seed=0, most=9, count=3000):
    """Returns lines of random numbers; those that are not legal are asked again."""
    draw = random.Random(seed)
    return "".join(f"{draw.randint(0, most)}\n" for _ in range(count))


def test_a_whole_game_against_a_script(ludus):
    # The second seat calls every bet, so betting twice the same deal pays plus or minus 2.
    answer = ludus("play", "kuhn_poker", "--against", "always_bet", "--seed", 5, "--json", typed="bet\n")
    assert answer.code == 0, answer.err
    assert [move["action"] for move in answer.json["moves"]] == ["bet", "call"]
    assert sorted(answer.json["returns"].values()) == [-2.0, 2.0]
    assert answer.json["status"] == "completed"
    assert answer.json["result"] == ("won" if answer.json["returns"]["first"] > 0 else "lost")


@pytest.mark.parametrize("game", games.names())
def test_every_registered_game_can_be_played_to_its_end_in_every_seat(ludus, game):
    for seat in range(1, len(games.make(game).spec.seats) + 1):
        answer = ludus("play", game, "--seat", seat, "--seed", 7, "--json", typed=numbers(seat))
        assert answer.code == 0, answer.err
        document = answer.json
        assert document["status"] == "completed"
        assert document["reason"] == ""
        spec = games.make(game).spec
        assert {move["seat"] for move in document["moves"]} <= set(spec.seats)
        assert all(spec.actions is None or move["action"] in spec.actions for move in document["moves"])
        low, high = spec.returns_range
        assert all(low <= value <= high for value in document["returns"].values())


def test_the_same_seed_deals_and_answers_alike(ludus):
    plays = [ludus("play", "kuhn_poker", "--seat", 2, "--seed", 8, "--json", typed="1\n1\n").json for _ in range(2)]
    assert plays[0] == plays[1]
    others = {
        str(ludus("play", "kuhn_poker", "--seat", 2, "--seed", s, "--json", typed="1\n1\n").json["moves"])
        for s in range(8)
    }
    assert len(others) > 1


def test_people_see_rules_board_moves_and_end(ludus):
    answer = ludus("play", "tic_tac_toe", "--against", "optimal", "--seed", 0, typed=numbers())
    assert answer.code == 0, answer.err
    assert "tic_tac_toe-v0: you are x, against optimal (seed 0)" in answer.out
    assert "Three own marks in a row" in answer.out
    assert re.search(r"x> \d\no plays \d\.\n\nYou are x\.", answer.out)
    assert re.search(r"\nPlayed: x \d, o \d", answer.out)
    assert "You lose: x -1, o +1." in answer.out or "A draw: x 0, o 0." in answer.out  # minimax never loses


def test_a_hidden_card_is_not_shown_before_the_end(ludus):
    answer = ludus("play", "kuhn_poker", "--seed", 3, typed="check\nfold\n")
    before, _, after = answer.out.partition("first> ")
    shown = before.partition("q leaves.")[2]  # after the rules, which name every card
    assert len(re.findall("King|Queen|Jack", shown)) == 1
    assert re.search(r"first [JQK] \| second [JQK] \| check", after)


def test_a_simultaneous_choice_is_not_revealed_early(ludus):
    for seat in (1, 2):
        answer = ludus("play", "rock_paper_scissors", "--seat", seat, "--seed", 3, typed="rock\n")
        before, _, after = answer.out.partition("> rock\n")
        assert "second " not in before.replace("you are second", "")
        assert "plays" not in answer.out
        assert re.search(r"Played: first \w+, second \w+\.", after)


def test_a_round_of_simultaneous_moves_is_told_before_the_next(ludus):
    answer = ludus("play", "prisoners_dilemma", "--param", "rounds=2", "--seed", 1, typed="cooperate\ndefect\n")
    assert answer.code == 0, answer.err
    assert "prisoners_dilemma-v0, rounds 2: you are first" in answer.out
    assert re.search(r"Round 2 of 2\. You played c\. The opponent played [cd]\.", answer.out)
    assert re.search(r"You get \d+: first \+\d+, second", answer.out)


def test_three_seats(ludus):
    answer = ludus("play", "kuhn_poker_three", "--seat", "third", "--seed", 2, "--json", typed=numbers())
    assert answer.code == 0, answer.err
    assert {move["seat"] for move in answer.json["moves"]} == {"first", "second", "third"}
    assert sum(answer.json["returns"].values()) == pytest.approx(0)


def test_parameters_reach_the_task_and_the_optimal_opponent(ludus):
    arguments = ["play", "liars_dice", "--param", "faces=2", "--against", "optimal", "--seed", 4]
    answer = ludus(*arguments, "--json", typed=numbers())
    assert answer.code == 0, answer.err
    assert answer.json["params"] == {"faces": 2}
    assert all(re.fullmatch(r"[12]-[12]|liar", move["action"]) for move in answer.json["moves"])
    hinted = ludus(*arguments, typed=f"h\n{numbers()}")
    assert re.search(r"equilibrium plays (\S+ \d+%(, )?)+\.", hinted.out)


def test_a_hint_names_the_optimal_player_or_why_there_is_none(ludus):
    known = ludus("play", "nim", "--param", "heaps=[1,2]", "--seed", 1, typed=f"h\n{numbers()}")
    assert "minimax plays b1 100%." in known.out  # Bouton 1901: leave equal heaps
    several = ludus("play", "tic_tac_toe", "--seed", 1, typed=f"h\n{numbers()}")
    assert "minimax plays 1, 2, 3, 4, 5, 6, 7, 8 and 9 alike." in several.out  # every opening draws
    unknown = ludus("play", "stag_hunt", "--seed", 1, typed="h\nstag\n")
    assert "No hint: equilibrium: expected a zero-sum game" in unknown.out


def test_several_games_and_their_score(ludus):
    typed = "rock\n" * 5
    answer = ludus("play", "rock_paper_scissors", "--games", 5, "--seed", 3, "--json", typed=typed)
    assert answer.code == 0, answer.err
    played = answer.json["games"]
    assert len(played) == 5
    assert len({str(game["moves"]) for game in played}) > 1
    score = answer.json["score"]
    assert score["games"] == 5
    assert sum(score.get(end, 0) for end in ("won", "drawn", "lost")) == 5
    assert score.get("won", 0) - score.get("lost", 0) == score["returns"]["first"]
    shown = ludus("play", "rock_paper_scissors", "--games", 5, "--seed", 3, typed=typed).out
    assert shown.count("After ") == 5
    assert "Game 5 of 5." in shown
    assert re.search(r"After 5 of 5 games: .*in all first", shown)


def test_a_person_may_take_every_seat(ludus):
    answer = ludus("play", "kuhn_poker", "--against", "person", "--seed", 1, "--json", typed="check\nbet\nfold\n")
    assert answer.code == 0, answer.err
    assert [(move["seat"], move["action"]) for move in answer.json["moves"]] == [
        ("first", "check"), ("second", "bet"), ("first", "fold"),
    ]  # fmt: skip


def test_a_game_of_one_seat(ludus):
    answer = ludus("play", "quiz", "--param", "question=3", "--seed", 1, typed="a\n")
    assert answer.code == 0, answer.err
    assert "quiz-v0, question 3: you are solver (seed 1)" in answer.out
    assert re.search(r"\nYou get [01]\.\n", answer.out)


def test_a_long_list_of_actions_stands_in_columns(ludus):
    answer = ludus("play", "blotto", "--param", "coins=6", "--param", "fields=4", "--seed", 1, typed="84\n")
    menu = [line for line in answer.out.splitlines() if re.match(r" +\d+  \d \d \d \d    ", line)]
    assert 10 < len(menu) < 30
    assert sorted(int(n) for n in chain(*(re.findall(r"(\d+)  \d \d", line) for line in menu))) == list(range(1, 85))
    assert "Played: first 6 0 0 0, second" in answer.out


@pytest.mark.parametrize(
    "game", ["openspiel/leduc_poker-v0", "openspiel/matrix_pd-v0", "pettingzoo/tictactoe-v3", "pettingzoo/rps-v2"]
)
def test_games_of_other_libraries(ludus, game):
    answer = ludus("play", game, "--seed", 1, typed=numbers())
    assert answer.code == 0, answer.err
    assert "Played: player_" in answer.out


BROKEN = """
from arena.game import Game, games
from arena.types import GameSpec, IllegalRule, Observation, Payoff

@games.register("breaks-v0")
class Breaks(Game):
    spec = GameSpec(name="breaks", version=0, seats=("a", "b"), payoff=Payoff.ZERO_SUM, max_turns=3,
                    returns_range=(-1.0, 1.0), actions=("go", "break"))
    def reset(self, task): return 0
    def to_move(self, state): return ("a",)
    def observe(self, state, seat): return Observation(seat=seat, text="go?", legal_actions=("go", "break"))
    def step(self, state, moves):
        if moves["a"] == "break":
            raise ValueError("oh")
        return state + 1
    def returns(self, state): return {"a": 0.0, "b": 0.0}
"""


def test_truncated_and_failed_games_are_told_apart(ludus, tmp_path, monkeypatch):
    monkeypatch.setattr(games, "_factories", {name: games.factory(name) for name in games})  # forgets it afterwards
    (tmp_path / "breaks.py").write_text(BROKEN)
    endless = ludus("play", "breaks", "--extend", tmp_path / "breaks.py", "--games", 2, typed="go\n" * 6)
    assert endless.code == 0, endless.err
    assert endless.out.count("Stopped by the game's limit of 3 turns: a 0, b 0.") == 2
    assert "After 2 of 2 games: 2 truncated" in endless.out
    broken = ludus("play", "breaks", "--extend", tmp_path / "breaks.py", "--games", 2, typed="go\nbreak\ngo\n")
    assert broken.code == 1
    assert "The game broke, and nobody is paid: game breaks-v0" in broken.out
    assert "ValueError: oh" in broken.out
    assert "Game 2" not in broken.out


@pytest.mark.parametrize("typed", ["", "q\n"])
def test_leaving_ends_the_game(ludus, typed):
    answer = ludus("play", "kuhn_poker", typed=typed)
    assert answer.code == 1
    assert "the game stops here" in answer.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["kuhn_pokr"], "kuhn_poker-v0"),
        (["kuhn_poker", "--seat", "third"], "first"),
        (["kuhn_poker", "--against", "unifrom"], "did you mean uniform"),
        (["kuhn_poker", "--against", "nowhere/at/all"], "run directory"),
        (["kuhn_poker", "--against", "always"], "always needs it"),
        (["liars_dice", "--param", "faces"], "--param: expected NAME=VALUE, got 'faces'"),
        (["liars_dice", "--param", "faces=99"], "task.params.faces: expected a whole number"),
        (["liars_dice", "--param", "face=3"], "did you mean faces"),
        (["kuhn_poker_three", "--against", "optimal"], "expected a game of two seats, got kuhn_poker_three-v0 with 3"),
        (["prisoners_dilemma", "--against", "optimal"], "which can end with"),
        (["connect_four", "--against", "optimal"], "expected the capability 'enumerate'"),
        (["tic_tac_toe", "--against", "kuhn_equilibrium"], "--against kuhn_equilibrium: expected a player that knows"),
    ],
)
def test_bad_input_is_refused_before_play(ludus, arguments, words):
    answer = ludus("play", *arguments, typed="1\n")
    assert answer.code == 2
    assert words in answer.err
    assert "you are" not in answer.out


def test_the_version_may_be_left_out():
    assert game_id("kuhn_poker") == game_id("kuhn_poker-v0") == "kuhn_poker-v0"
    with pytest.raises(UnknownNameError):
        game_id("kuhn_poker-v9")


def test_values_of_parameters_are_json_or_words():
    assert task_params(["faces=3", "heaps=[1,2]", "misere=true", "name=plain word", "sum=a=b"]) == {
        "faces": 3, "heaps": [1, 2], "misere": True, "name": "plain word", "sum": "a=b",
    }  # fmt: skip
