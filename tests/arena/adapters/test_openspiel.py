"""OpenSpiel's games through the adapter: solved as OpenSpiel solves them, checked like ours, refused by name."""

import subprocess
import sys
from functools import cache

import pyspiel
import pytest
from open_spiel.python import policy
from open_spiel.python.algorithms import expected_game_score, exploitability

import arena
from arena.adapters.openspiel import OpenSpielGame
from arena.errors import CapabilityError, InputError, UnknownNameError
from arena.game import games
from arena.game_tree import game_tree
from arena.seeds import generator
from arena.solutions import minimax, nash_conv, uniform_strategy
from arena.testing import check_game
from arena.types import NATURE, Payoff, Task


@cache
def opened(name):
    return games.make(f"openspiel/{name}-v0")


def tree_of(name):
    return game_tree(opened(name), Task(game=f"openspiel/{name}-v0"))


def state_after(game, *moves):
    """Returns the state after moves by name, and nature's outcomes by number."""
    state = game.reset(Task(game=game.spec.id))
    for move in moves:
        (mover,) = game.to_move(state)
        state = game.step(state, {mover: move})
    return state


@pytest.mark.parametrize(
    "name",
    [
        "kuhn_poker",
        "kuhn_poker(players=3)",
        "leduc_poker",
        "liars_dice(numdice=1,dice_sides=2)",
        "liars_dice(numdice=1,dice_sides=3)",
        "goofspiel(num_cards=3,imp_info=True,points_order=descending)",
        "matrix_mp",
        "matrix_brps",
        "matrix_pd",
    ],
)
def test_uniform_play_is_worth_what_openspiel_says(name):
    """Two implementations of NashConv on two enumerations of the game; OpenSpiel's serialises simultaneous moves."""
    found = nash_conv(tree := tree_of(name), uniform_strategy(tree))
    oracle = pyspiel.load_game(name)
    if oracle.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        oracle = pyspiel.convert_to_turn_based(oracle)
    uniform = policy.UniformRandomPolicy(oracle)
    assert found.value == pytest.approx(exploitability.nash_conv(oracle, uniform), abs=1e-9)
    players = [uniform] * oracle.num_players()
    expected = expected_game_score.policy_value(oracle.new_initial_state(), players)
    assert list(found.returns.values()) == pytest.approx(list(expected), abs=1e-9)


@pytest.mark.parametrize("name", ["leduc_poker", "liars_dice(numdice=1,dice_sides=3)"])
def test_information_sets_are_openspiels(name):
    keys = {(info.seat, info.key) for info in tree_of(name).information_sets}
    states = policy.TabularPolicy(pyspiel.load_game(name)).states_per_player
    assert keys == {(f"player_{player}", key) for player, own in enumerate(states) for key in own}


def test_our_leduc_poker_is_openspiels():
    ours = game_tree(games.make("leduc_poker-v0"), Task(game="leduc_poker-v0"))
    theirs = tree_of("leduc_poker")
    assert len(ours.information_sets) == len(theirs.information_sets) == 936  # arXiv 1207.1411, suits told apart
    assert ours.terminals == theirs.terminals == 5520
    first, second = (nash_conv(tree, uniform_strategy(tree)) for tree in (ours, theirs))
    assert first.value == pytest.approx(second.value, abs=1e-9)
    assert list(first.gains.values()) == pytest.approx(list(second.gains.values()), abs=1e-9)


def test_tic_tac_toe_is_a_draw():
    """Value 0, by backward induction over the 5,478 boards (each is searched once)."""
    game = opened("tic_tac_toe")

    @cache
    def value(board):
        state = met[board]
        movers = game.to_move(state)
        if not movers:
            return game.returns(state)["player_0"]
        best = max if movers == ("player_0",) else min
        return best(value(after(state, movers[0], action)) for action in game.observe(state, *movers).legal_actions)

    def after(state, seat, action):
        reached = game.step(state, {seat: action})
        board = game.state_text(reached)
        met.setdefault(board, reached)
        return board

    start = game.reset(Task(game=game.spec.id))
    met = {game.state_text(start): start}
    assert value(game.state_text(start)) == 0
    assert len(met) == 5478


def test_tic_tac_toe_from_a_lost_position_is_solved_by_our_minimax():
    tree = tree_of("start_at(game=tic_tac_toe(),history=0;1;4)")
    assert tree.perfect_information
    assert minimax(tree)[0] == pytest.approx(
        1, abs=1e-12
    )  # x holds the corner and the centre: it threatens 8 and forks if that is stopped


def test_perfect_information_names_sets_by_the_whole_history():
    game = opened("tic_tac_toe")
    state = state_after(game, "x(0,0)", "o(1,1)")
    assert game.information_key(state, "player_0") == game.information_key(state, "player_1") == "0 4"
    assert game.information_key(game.reset(Task(game=game.spec.id)), "player_0") == "start"
    assert state == state_after(game, "x(0,0)", "o(1,1)") and hash(state) == hash(state_after(game, "x(0,0)", "o(1,1)"))
    assert state != state_after(game, "x(1,1)", "o(0,0)")
    assert state.inner.history() == [0, 4]


def test_a_step_leaves_the_state_before_it_alone():
    game = opened("goofspiel(num_cards=3,points_order=descending)")
    state = game.reset(Task(game=game.spec.id))
    assert game.to_move(state) == ("player_0", "player_1")
    after = game.step(state, {"player_0": "[P0]Bid: 1", "player_1": "[P1]Bid: 3"})
    assert (state.inner.history(), after.inner.history()) == ([], [0, 2])
    assert after.actions == (0, 2)


def test_texts():
    kuhn = opened("kuhn_poker")
    state = state_after(kuhn, 2, 0, "Pass", "Bet")
    assert kuhn.observe(state, "player_0").text == "You are player_0.\n2pb\nYou may Pass or Bet."
    assert kuhn.observe(state, "player_0").legal_actions == ("Pass", "Bet")
    assert kuhn.observe(state, "player_1").text == "You are player_1.\n0pb"
    assert kuhn.observe(state, "player_1").legal_actions == ()
    assert kuhn.information_key(state, "player_0") == "2pb"
    assert kuhn.information_key(state, "player_1") == "0pb (waiting)"
    over = state_after(kuhn, 2, 0, "Pass", "Bet", "Bet")
    assert kuhn.observe(over, "player_1").text == "You are player_1.\n0pbb\nThe game is over."
    assert kuhn.returns(over) == {"player_0": 2.0, "player_1": -2.0}
    assert kuhn.rules == (
        "Kuhn Poker, as the OpenSpiel library plays it. Settings: players 2. The players are player_0, player_1. "
        "What one player wins the others lose. Each observation ends with your legal actions."
    )
    board = opened("tic_tac_toe").observe(state_after(opened("tic_tac_toe"), "x(0,0)"), "player_1").text
    assert board.startswith("You are player_1.\nx..\n...\n...\nYou may o(0,1); o(0,2); ")


def test_a_name_is_a_number_where_words_depend_on_the_position():
    chess = opened("chess")
    seen = chess.observe(chess.reset(Task(game="openspiel/chess-v0")), "player_1")  # OpenSpiel's player 1 is white
    assert set(seen.legal_actions) <= set(chess.spec.actions)
    assert seen.legal_actions[0] == "89" and " 89 (a3), 90 (a4), " in seen.text
    assert "answer with the number" in chess.rules


@pytest.mark.parametrize(
    ("name", "actions"),
    [
        ("kuhn_poker", ("Pass", "Bet")),
        ("leduc_poker", ("Fold", "Call", "Raise")),
        ("matrix_rps", ("Rock", "Paper", "Scissors")),
        ("tic_tac_toe", tuple(f"{who}({row},{column})" for row in range(3) for column in range(3) for who in "xo")),
        ("liars_dice(numdice=1,dice_sides=2)", ("1-1", "1-2", "2-1", "2-2", "Liar")),
    ],
)
def test_actions_are_called_what_openspiel_calls_them(name, actions):
    assert opened(name).spec.actions == actions


def test_spec():
    spec = opened("kuhn_poker(players=3)").spec
    assert spec.id == "openspiel/kuhn_poker(players=3)-v0"
    assert spec.seats == ("player_0", "player_1", "player_2")
    assert spec.payoff is Payoff.ZERO_SUM and spec.returns_range == (-2.0, 4.0)
    goofspiel = opened("goofspiel(num_cards=3,points_order=descending)").spec
    assert goofspiel.max_turns == 2 * pyspiel.load_game("goofspiel(num_cards=3)").max_game_length()
    assert opened("tiny_hanabi").spec.payoff is Payoff.COMMON
    assert opened("matrix_pd").spec.payoff is Payoff.GENERAL_SUM


def test_a_game_that_pays_as_it_goes_pays_its_returns():
    env = arena.env("openspiel/cliff_walking(horizon=5)-v0")
    env.reset(seed=3)
    rewards = []
    for _ in env.agent_iter():
        _, reward, termination, truncation, _ = env.last()
        rewards.append(reward)
        env.step(None if termination or truncation else "UP")
    assert rewards == [0, -1, -1, -1, -1, -1]  # each step costs 1, and what it paid is told with the next observation
    assert env.unwrapped.returns == {"player_0": -5.0}


@pytest.mark.parametrize(
    "name",
    [
        "kuhn_poker",
        "leduc_poker",
        "tic_tac_toe",
        "matrix_rps",
        "goofspiel(num_cards=3,points_order=descending)",
        "tiny_hanabi",
        "phantom_ttt",
        "repeated_leduc_poker",
        "coin_game",
        "turn_based_simultaneous_game(game=goofspiel(num_cards=3))",
    ],
)
def test_check(name):
    report = check_game(opened(name), episodes=4, most_states=400)
    assert report.game == f"openspiel/{name}-v0" and report.information_sets > 0


@pytest.mark.parametrize(
    "name",
    [
        "backgammon",
        "bargaining",
        "blotto",
        "chess",
        "connect_four",
        "go(board_size=5)",
        "hanabi",
        "hearts",
        "markov_soccer",
        "matching_pennies_3p",
        "python_iterated_prisoners_dilemma",
        "universal_poker",
    ],
)
def test_a_random_episode_is_played_and_played_again(name):
    """To its own end within max_turns, each text within its box; the same seed gives the same turns and returns."""
    game, played = opened(name), []
    for _ in range(2):
        env, random = arena.env(game), generator("episode")
        env.reset(seed=7)
        turns = []
        while env.unwrapped.status is None:
            seen = env.infos[env.agent_selection]["observation"]
            turns.append(seen.legal_actions[int(random.integers(len(seen.legal_actions)))])
            assert len(seen.text.encode()) <= game.spec.text_bytes
            env.step(turns[-1])
        played.append((turns, env.unwrapped.returns, env.unwrapped.node_id))
    assert env.unwrapped.status == "completed" and env.unwrapped.reason == ""
    assert played[0] == played[1]


def test_deep_copies_and_branches():
    """Both branches of one state go on, as tree samplers need."""
    game = opened("leduc_poker")
    state = state_after(game, 0, 3, "Raise")
    called, raised = (game.step(state, {"player_1": action}) for action in ("Call", "Raise"))
    assert game.to_move(called) == (NATURE,) and game.to_move(raised) == ("player_0",)
    assert sum(p for _, p in game.nature(called).outcomes) == pytest.approx(1)
    assert {outcome for outcome, _ in game.nature(called).outcomes} == {1, 2, 4, 5}


@pytest.mark.parametrize(
    ("name", "error", "words"),
    [
        ("openspiel/kuhn_pokr-v0", UnknownNameError, "did you mean .*kuhn_poker"),
        ("openspiel/kuhn_poker", UnknownNameError, "write 'openspiel/kuhn_poker-v0'"),
        ("openspiel/kuhn_poker-v7", UnknownNameError, "write 'openspiel/kuhn_poker-v0'"),
        ("openspiel/-v0", UnknownNameError, "expected openspiel/NAME-v0"),
        ("openspiel/kuhn_poker(players=1)-v0", InputError, "expected parameters that OpenSpiel takes, got"),
        ("openspiel/kuhn_poker(players=two)-v0", InputError, "Wrong type for parameter players"),
        ("openspiel/kuhn_poker(cards=4)-v0", InputError, "Unknown parameter 'cards'"),
        ("openspiel/kuhn_poker(-v0", InputError, "Missing closing bracket"),
        ("openspiel/misere-v0", InputError, "Missing parameter game"),
        ("openspiel/liars_dice(numdice=0)-v0", CapabilityError, "random legal actions can play"),
        ("openspiel/connect_four(rows=-2)-v0", CapabilityError, "random legal actions can play"),
        ("openspiel/hex(board_size=2000)-v0", CapabilityError, "1 to 5,000 different actions, got 4,000,000"),
        ("openspiel/mfg_garnet-v0", CapabilityError, "got a mean-field game"),
        ("openspiel/tarok-v0", CapabilityError, "could not be replayed"),
        ("openspiel/morpion_solitaire-v0", CapabilityError, "copies are unsafe"),
    ],
)
def test_refusals(name, error, words):
    with pytest.raises(error, match=words):
        games.make(name)


def test_a_task_with_params_is_refused():
    with pytest.raises(InputError, match="players"):
        game_tree(opened("kuhn_poker"), Task(game="openspiel/kuhn_poker-v0", params={"players": 3}))


def test_a_game_without_texts_of_what_players_know_is_refused():
    class Kind:
        provides_information_state_string = provides_observation_string = False
        information = pyspiel.GameType.Information.IMPERFECT_INFORMATION
        dynamics, chance_mode = pyspiel.GameType.Dynamics.SEQUENTIAL, pyspiel.GameType.ChanceMode.DETERMINISTIC
        short_name = "silent"

    class Silent:
        def get_type(self):
            return Kind

        def num_distinct_actions(self):
            return 2

    with pytest.raises(CapabilityError, match="silent-v0: expected a text of what each player knows"):
        OpenSpielGame(Silent(), "silent")


def test_without_openspiel_the_message_says_what_to_install():
    code = (
        "import sys; sys.modules['pyspiel'] = None\n"
        "from arena.errors import InputError\n"
        "from arena.game import games\n"
        "assert 'kuhn_poker-v0' in games.names() and 'openspiel' in games.families()\n"
        "try:\n    games.make('openspiel/kuhn_poker-v0')\n"
        "except InputError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert "pip install 'ludus-arena[games]'" in done.stdout, done.stderr
