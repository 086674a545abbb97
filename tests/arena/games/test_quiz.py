"""The quiz as a game: one seat, one question, 1 for the right letter."""

import pytest

from arena.errors import ConfigError
from arena.game_tree import game_tree
from arena.games.quiz import Quiz, Quizzed
from arena.quiz_questions import FAMILIES, LETTERS, questions
from arena.solutions import best_response, expected_returns, uniform_strategy
from arena.testing import check_game
from arena.types import Task

GAME = Quiz()


def task(**params):
    return Task(game="quiz-v0", params=params)


def test_one_task_a_question():
    tasks = GAME.tasks()
    assert len(tasks) == 200 and len({one.id for one in tasks}) == 200
    assert [GAME.reset(one) for one in tasks] == [Quizzed(index) for index in range(200)]
    assert [GAME.family(one) for one in tasks] == [question.family for question in questions()]
    assert {GAME.family(one) for one in tasks} == set(FAMILIES)


def test_a_task_without_params_is_the_first_question():
    assert GAME.reset(task()) == GAME.reset(task(question=0))


@pytest.mark.parametrize("index", range(0, 200, 20))
def test_only_the_right_letter_pays(index):
    start = GAME.reset(task(question=index))
    ends = {letter: GAME.step(start, {"solver": letter}) for letter in LETTERS}
    assert all(GAME.to_move(end) == () for end in ends.values())
    assert {letter: GAME.returns(end)["solver"] for letter, end in ends.items()} == {
        letter: float(letter == questions()[index].right) for letter in LETTERS
    }


def test_texts():
    seen = GAME.observe(Quizzed(0), "solver")
    assert seen.text == "What is 44 + 21 - 3?\na: 62\nb: 50\nc: 52\nd: 57\nYou may answer a, b, c or d."
    assert seen.legal_actions == LETTERS
    after = GAME.observe(Quizzed(0, "b"), "solver")
    assert after.text.endswith("d: 57\nYou answered b.") and after.legal_actions == ()
    assert GAME.information_key(Quizzed(17), "solver") == "17"
    assert GAME.information_key(Quizzed(17, "b"), "solver") == "17 b"
    assert GAME.state_text(Quizzed(0)) == "question 0 | family arithmetic | right a | answer -"


def test_every_text_fits_its_box():
    for index in range(200):
        text = GAME.observe(Quizzed(index, "a"), "solver").text
        assert len(text.encode()) < GAME.spec.text_bytes // 2


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"question": 200}, r"task\.params\.question: expected a whole number from 0 to 199, got 200"),
        ({"question": -1}, r"task\.params\.question"),
        ({"question": "3"}, r"task\.params\.question: .*got '3'; change it"),
        ({"question": True}, r"task\.params\.question"),
    ],
)
def test_params_out_of_range_are_refused(params, message):
    with pytest.raises(ConfigError, match=message):
        GAME.reset(task(**params))


def test_guessing_scores_a_quarter_and_knowing_scores_one():
    tree = game_tree(GAME, task(question=63))
    guess = uniform_strategy(tree)
    assert (tree.nodes, len(tree.information_sets)) == (5, 1)
    assert expected_returns(tree, guess) == {"solver": 0.25}
    assert best_response(tree, guess, "solver") == (1.0, {"63": questions()[63].right})


def test_the_check_of_games_passes():
    assert check_game(GAME).game == "quiz-v0"
    report = check_game(GAME, episodes=2, tasks=GAME.tasks()[::20])
    assert report.information_sets == 10
