"""TextArena's games as AEC environments: seeds, texts, refusals, ends."""

import gc
import random

import numpy as np
import pytest

import arena
from arena.foreign.textarena_actions import VOCABULARIES
from arena.foreign.textarena_env import Show, Stream, TextArenaEnv, lines, randomness
from arena.spaces import encode_text
from arena.types import Action, Status


def kuhn():
    return TextArenaEnv("KuhnPoker-v0", 2, vocabulary=VOCABULARIES["KuhnPoker"])


def said(words):
    return encode_text(words, 100)


def first_legal(env):
    return int(np.flatnonzero(env.infos[env.agent_selection]["action_mask"])[0])


def transcript(env, seed, bystander=None):
    env.reset(seed=seed)
    texts = []
    while not env.terminations[env.agent_selection]:
        texts.append(env.text(env.agent_selection))
        env.step(first_legal(env))
        if bystander is not None:
            bystander.reset(seed=len(texts))
    return [*texts, *map(env.text, env.possible_agents)]


def test_a_seed_decides_the_deal_whatever_was_played_before_or_beside_it():
    # TextArena's own environment shuffles a deck that it keeps, and draws from the global generator.
    env = kuhn()
    first = transcript(env, 7)
    assert transcript(env, 7) == first
    assert transcript(kuhn(), 7, bystander=kuhn()) == first
    assert len({tuple(transcript(env, seed)) for seed in range(12)}) > 3


def test_the_global_generators_are_left_alone():
    random.seed(1)
    np.random.seed(1)
    expected = random.random(), np.random.random()
    random.seed(1)
    np.random.seed(1)
    transcript(kuhn(), 3)
    with Stream(5).drawing():
        inside = random.random(), np.random.random()
    assert (random.random(), np.random.random()) == expected
    assert inside == (random.Random(5).random(), np.random.RandomState(5).random_sample())
    with pytest.raises(ZeroDivisionError), Stream(5).drawing():
        random.random()
        raise ZeroDivisionError
    with Stream(5).drawing():
        assert random.random() == inside[0]


def test_games_that_never_draw_are_known():
    kuhn(), TextArenaEnv("Nim-v0", 2)
    assert randomness("textarena.envs.KuhnPoker.env") == {"random"}
    assert randomness("textarena.envs.Nim.env") == frozenset()


def test_each_seat_is_told_its_own_card_only():
    env = kuhn()
    env.reset(seed=0)
    cards = [env.text(agent).split("Your card is: '")[1][0] for agent in env.possible_agents]
    assert cards[0] != cards[1]
    for agent, other in zip(env.possible_agents, reversed(cards), strict=True):
        assert f"Your card is: '{other}'" not in env.text(agent)


def test_a_text_holds_the_prompt_the_events_and_the_latest_board():
    env = TextArenaEnv(
        "TicTacToe-v0", 2, rules=frozenset({"For example, '[4]' places your mark in the center cell of the board."})
    )
    env.reset(seed=0)
    env.step(said("[4]"))
    text = env.text("player_1")
    assert text.startswith("You are Player 1 in Tic Tac Toe.")
    assert "For example" not in text
    assert "Player 0 placed their symbol (O) in cell 4." in text
    assert text.count("Current Board:") == 1 and " 3 | O | 5" in text
    silent = TextArenaEnv("TicTacToe-v0", 2, show=Show(events=False))
    silent.reset(seed=0)
    silent.step(said("[4]"))
    assert "placed" not in silent.text("player_1") and " 3 | O | 5" in silent.text("player_1")
    assert "Player 0 placed their symbol" in silent.render()


def test_what_players_say_is_shown_where_talk_is_the_game():
    env = TextArenaEnv("TicTacToe-v0", 2, show=Show(answers=True))
    env.reset(seed=0)
    env.step(said("I take the middle [4]"))
    assert "Player 0: I take the middle [4]" in env.text("player_1")


def test_a_refused_answer_is_told_once_to_the_seat_that_is_asked_again():
    env = TextArenaEnv("TicTacToe-v0", 2)
    env.reset(seed=0)
    env.step(said("[9]"))
    assert env.agent_selection == "player_0"
    assert "Must be between 0 and 8" in env.infos["player_0"]["illegal"]
    assert "Must be between 0 and 8" in env.text("player_0") and "Must be" not in env.text("player_1")
    env.step(said("[4]"))
    assert env.infos["player_0"]["illegal"] == "" and "Must be" not in env.text("player_0")


def test_a_second_refusal_loses_and_is_a_forfeit():
    env = arena.env("textarena/SimpleTak-v0")
    env.reset(seed=0)
    env.step(Action(value="nonsense"))
    assert env.infos["player_0"]["legal"] is False and env.infos["player_0"]["reason"] == "illegal:nonsense"
    assert env.agent_selection == "player_0" and env.status is None
    env.step(Action(value="again"))
    assert (env.status, env.reason) == (Status.COMPLETED, "forfeit:player_0")
    assert env.returns == {"player_0": -1.0, "player_1": 1.0}
    assert env.infos["player_1"]["text"].endswith("The game is over. Invalid move format")


def test_a_win_and_a_draw_are_paid():
    env = arena.env("textarena/TicTacToe-v0")
    for cells, returns in (("03142", (1, -1)), ("012435768", (0, 0)), ("401326", (-1, 1))):
        env.reset(seed=0)
        for cell in cells:
            env.step(f"[{cell}]")
        assert tuple(env.returns.values()) == returns and env.reason == ""


def test_a_reward_that_textarena_mixes_up_with_its_reason_is_a_loss():
    # Cryptarithm calls set_invalid_move(reward, reason), which takes (reason, reward).
    env = TextArenaEnv("Cryptarithm-v0", 1)
    env.reset(seed=0)
    env.step(said("nonsense"))
    env.step(said("nonsense"))
    assert env.rewards == {"player_0": -1.0}


def test_thousands_of_episodes_leave_nothing_behind():
    env = arena.env("textarena/TicTacToe-v0")

    def play(episodes):
        for seed in range(episodes):
            env.reset(seed=seed)
            while env.status is None:
                env.step(env.infos[env.agent_selection]["observation"].legal_actions[0])
        gc.collect()
        return len(gc.get_objects())

    before = play(20)
    assert play(300) - before < 50


def test_lines_that_say_nothing_are_dropped():
    assert lines("a\n\n  b \n") == ["a", "b"]
