"""TextArena's games by name: variants, players, rules, refusals."""

import subprocess
import sys

import pytest

import arena
from arena.adapters.textarena import textarena_ids
from arena.errors import InputError, UnknownNameError
from arena.game import games
from arena.testing import check_foreign
from arena.types import Payoff, Status


@pytest.mark.parametrize(
    "name", ["TicTacToe", "KuhnPoker", "ConnectFour", "Nim-medium", "IteratedMatchingPennies", "Blackjack"]
)
def test_finite_games_conform(name):
    report = check_foreign(f"textarena/{name}-v0", episodes=2)
    assert report.finished == 4
    assert games.make(f"textarena/{name}-v0").spec.actions


def test_free_text_games_conform():
    def offer(seen):
        return ("I offer [Offer: 1 Wheat -> 1 Wood]", "[Accept]", "[Deny]", "let us talk")

    assert check_foreign("textarena/SimpleNegotiation-short-v0", episodes=3, say=offer).finished == 6
    assert check_foreign("textarena/SecretMafia-v0", episodes=2).finished == 4


def test_a_variant_stands_before_the_version():
    ids = textarena_ids()
    assert (ids["Nim-medium-v0"], ids["2048-3x3-v0"], ids["TicTacToe-v0"]) == (
        "Nim-v0-medium",
        "2048-v0-3x3",
        "TicTacToe-v0",
    )
    assert not any(inner.endswith(("-raw", "-train")) for inner in ids.values())
    game = games.make("textarena/Nim-medium-v0")
    assert game.spec.id == "textarena/Nim-medium-v0" and games.make("textarena/Nim-medium-v0") is game
    for theirs in ("Nim-v0-medium", "Nim-v0-medium-train"):
        with pytest.raises(UnknownNameError, match="write 'textarena/Nim-medium-v0'"):
            games.make(f"textarena/{theirs}")
    with pytest.raises(UnknownNameError, match=r"did you mean .*TicTacToe-v0"):
        games.make("textarena/TicTacTo-v0")


@pytest.mark.parametrize(
    ("name", "players", "payoff"),
    [
        ("Blackjack", 1, Payoff.GENERAL_SUM),
        ("TicTacToe", 2, Payoff.ZERO_SUM),
        ("ThreePlayerTicTacToe", 3, Payoff.GENERAL_SUM),
        ("Taboo", 4, Payoff.GENERAL_SUM),
    ],
)
def test_there_is_a_seat_for_each_player(name, players, payoff):
    spec = games.make(f"textarena/{name}-v0").spec
    assert (len(spec.seats), spec.payoff, spec.returns_range) == (players, payoff, (-1.0, 1.0))


def test_rules_are_what_all_seats_are_told_and_texts_hold_the_rest():
    game = games.make("textarena/TicTacToe-v0")
    assert "win three in a row" in game.rules and "Player 0" not in game.rules
    env = arena.env(game)
    env.reset(seed=0)
    text = env.infos["player_0"]["text"]
    assert text.startswith("You are Player 0 in Tic Tac Toe.\nAs Player 0, you will be 'O'")
    assert not any(line in text for line in game.rules.splitlines())


def test_an_illegal_answer_is_forgiven_once():
    env = arena.env("textarena/ConnectFour-v0")
    env.reset(seed=0)
    env.step("[col 9]")
    assert env.status is None and env.agent_selection == "player_0"
    env.step("[col 9]")
    assert (env.status, env.reason) == (Status.COMPLETED, "forfeit:player_0")
    assert env.returns == {"player_0": -1.0, "player_1": 1.0}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Debate-v0", "which asks a language model over the network"),
        ("TwentyQuestions-hardcore-v0", "which asks a language model over the network"),
        ("UsedCar-balanced-v0", "to open offline, got ImportError: .*No module named 'textarena.envs.UsedCar'"),
    ],
)
def test_what_cannot_be_played_offline_is_refused(name, message):
    with pytest.raises(InputError, match=message):
        games.make(f"textarena/{name}")


def test_missing_word_lists_are_named(monkeypatch):
    monkeypatch.setattr("arena.adapters.textarena._has_nltk", lambda path: "words" not in path)
    with pytest.raises(InputError, match=r"nltk's data words .*python -m nltk.downloader words"):
        games.make("textarena/Wordle-long-v0")


def test_word_lists_are_looked_for_where_nltk_looks(tmp_path, monkeypatch):
    import nltk

    from arena.adapters.textarena import _has_nltk

    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    assert not _has_nltk("corpora/words")
    (tmp_path / "corpora" / "words").mkdir(parents=True)
    assert _has_nltk("corpora/words")


def test_without_textarena_the_family_says_what_to_install():
    code = (
        "import sys; sys.modules['textarena'] = None\n"
        "from arena.game import games\n"
        "assert 'textarena/TicTacToe-v0' in games\n"
        "games.make('textarena/TicTacToe-v0')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert "pip install 'ludus-arena[textarena]'" in done.stderr


def test_the_registry_imports_no_library_of_others():
    code = (
        "import sys\n"
        "from arena.game import games\n"
        "assert {'pettingzoo', 'textarena'} <= set(games.families())\n"
        "print(*sorted({'textarena', 'pettingzoo', 'pygame', 'pyspiel'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "", done.stdout + done.stderr
