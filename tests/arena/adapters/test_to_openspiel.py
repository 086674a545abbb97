"""Our games as games of OpenSpiel: its own tests pass on them, and its algorithms find what ours find."""

import gc
import subprocess
import sys

import pyspiel
import pytest
from arena_sample_games import Asker, Coins, Count
from open_spiel.python import policy
from open_spiel.python.algorithms import cfr, expected_game_score, exploitability

from arena.adapters.openspiel import OpenSpielGame
from arena.adapters.to_openspiel import as_openspiel
from arena.errors import CapabilityError, UnknownNameError
from arena.foreign.game import ForeignGame
from arena.game import Call, Chance, games
from arena.game_tree import game_tree
from arena.games.kuhn_poker import CARDS, KuhnPoker
from arena.games.rock_paper_scissors import RockPaperScissors
from arena.seeds import generator
from arena.solutions import nash_conv, uniform_strategy
from arena.testing import check_game
from arena.types import GameSpec, Payoff, Task

SEQUENTIAL, SIMULTANEOUS = pyspiel.GameType.Dynamics.SEQUENTIAL, pyspiel.GameType.Dynamics.SIMULTANEOUS


def sequential(game):
    return pyspiel.convert_to_turn_based(game) if game.get_type().dynamics == SIMULTANEOUS else game


@pytest.mark.parametrize(
    "task",
    [
        Task(game="kuhn_poker-v0"),
        Task(game="kuhn_poker_three-v0"),
        Task(game="rock_paper_scissors-v0"),
        Task(game="stag_hunt-v0"),
        Task(game="liars_dice-v0", params={"faces": 2}),
        Task(game="nim-v0", params={"heaps": [1, 2]}),
    ],
    ids=lambda task: task.game,
)
def test_uniform_play_is_worth_what_our_solutions_say(task):
    game = games.make(task.game)
    tree = game_tree(game, task)
    ours = nash_conv(tree, uniform_strategy(tree))
    theirs = sequential(as_openspiel(game, task))
    uniform = policy.UniformRandomPolicy(theirs)
    assert exploitability.nash_conv(theirs, uniform) == pytest.approx(ours.value, abs=1e-9)
    expected = expected_game_score.policy_value(theirs.new_initial_state(), [uniform] * len(game.spec.seats))
    assert list(expected) == pytest.approx(list(ours.returns.values()), abs=1e-9)


@pytest.mark.parametrize(
    "name", ["kuhn_poker-v0", "leduc_poker-v0", "negotiation-v0", "rock_paper_scissors-v0", "tic_tac_toe-v0"]
)
def test_openspiels_own_tests_pass(name):
    """Legality, chance, clones, histories, returns and strings along random games, checked in C++."""
    pyspiel.random_sim_test(as_openspiel(games.make(name)), num_sims=5, serialize=False, verbose=False)


def test_its_algorithms_in_c_plus_plus_run_too():
    game = as_openspiel(KuhnPoker())
    uniform = pyspiel.UniformRandomPolicy(game)
    assert pyspiel.nash_conv(game, uniform, True) == pytest.approx(11 / 12, abs=1e-9)  # OpenSpiel 2.0.2, its kuhn_poker


def test_cfr_solves_our_kuhn_poker():
    game = as_openspiel(KuhnPoker())
    solver = cfr.CFRPlusSolver(game)
    for _ in range(100):
        solver.evaluate_and_update_policy()
    average = solver.average_policy()
    slack = exploitability.nash_conv(game, average)
    assert slack < 5e-3
    value = expected_game_score.policy_value(game.new_initial_state(), [average, average])
    assert value[0] == pytest.approx(-1 / 18, abs=slack)  # H. W. Kuhn 1950
    keys = {(player, key) for player, own in enumerate(average.states_per_player) for key in own}
    tree = game_tree(KuhnPoker(), Task(game="kuhn_poker-v0"))
    assert keys == {(tree.seats.index(info.seat), info.key) for info in tree.information_sets}


def test_tic_tac_toe_is_openspiels():
    """Legal cells, mover and returns agree along 40 random games; the whole tree has 549,946 histories."""
    ours, theirs = as_openspiel(games.make("tic_tac_toe-v0")), pyspiel.load_game("tic_tac_toe")
    results = set()
    for episode in range(40):
        random, mine, other = generator("game", episode), ours.new_initial_state(), theirs.new_initial_state()
        while not other.is_terminal():
            assert mine.legal_actions() == other.legal_actions()
            assert mine.current_player() == other.current_player()
            cell = mine.legal_actions()[int(random.integers(len(mine.legal_actions())))]
            mine, other = mine.child(cell), other.child(cell)
        assert mine.is_terminal() and mine.returns() == other.returns()
        results.add(mine.returns()[0])
    assert results == {-1.0, 0.0, 1.0}


def test_facts():
    kuhn = as_openspiel(KuhnPoker())
    kind = kuhn.get_type()
    assert (kind.short_name, kind.long_name, kind.dynamics) == ("ludus_kuhn_poker", "kuhn_poker-v0", SEQUENTIAL)
    assert kind.utility == pyspiel.GameType.Utility.ZERO_SUM
    assert (kuhn.num_players(), kuhn.num_distinct_actions(), kuhn.max_chance_outcomes()) == (2, 4, 6)
    assert (kuhn.min_utility(), kuhn.max_utility(), kuhn.max_game_length()) == (-2.0, 2.0, 3)
    throw = as_openspiel(RockPaperScissors())
    assert throw.get_type().dynamics == SIMULTANEOUS
    assert throw.get_type().chance_mode == pyspiel.GameType.ChanceMode.DETERMINISTIC
    assert as_openspiel(games.make("stag_hunt-v0")).get_type().utility == pyspiel.GameType.Utility.GENERAL_SUM


def test_a_play():
    state = as_openspiel(KuhnPoker()).new_initial_state()
    assert state.is_chance_node() and state.information_state_string(0) == ""
    deals = state.chance_outcomes()
    assert [p for _, p in deals] == pytest.approx([1 / 6] * 6)
    names = [state.action_to_string(-1, number) for number, _ in deals]
    assert names == [str((a, b)) for a in CARDS for b in CARDS if a != b]
    state.apply_action(names.index("('K', 'J')"))
    before = state.clone()
    state.apply_action(1)
    assert [state.action_to_string(1, action) for action in state.legal_actions()] == ["fold", "call"]
    assert state.information_state_string(0) == "K bet" and state.information_state_string(1) == "J bet"
    assert state.observation_string(1) == "You hold the Jack. The opponent bet. Pot 3. You may fold or call."
    assert state.returns() == [0.0, 0.0]
    assert before.information_state_string(0) == "K" and before.point is not state.point
    state.apply_action(state.legal_actions()[1])
    assert state.is_terminal() and state.returns() == [2.0, -2.0]
    assert str(state) == "first K | second J | bet call | pot 4"


def test_a_simultaneous_play():
    state = as_openspiel(RockPaperScissors()).new_initial_state()
    assert state.is_simultaneous_node() and state.legal_actions(1) == [0, 1, 2]
    state.apply_actions([0, 1])
    assert state.is_terminal() and state.returns() == [-1.0, 1.0]


def test_a_game_without_named_sets_is_known_by_its_players_pasts():
    """The caller saw two tosses of three, so it has four information sets; chance is the same at each ply."""
    game = as_openspiel(Coins())
    keys = policy.TabularPolicy(game).states_per_player[0]
    assert len(keys) == len(set(keys)) == 4
    uniform = policy.UniformRandomPolicy(game)
    assert exploitability.nash_conv(game, uniform) == pytest.approx(0.75 - 0.5, abs=1e-12)  # tails is right 3 in 4


def test_a_converted_game_outlives_the_name_of_the_one_it_was_made_from():
    game = pyspiel.convert_to_turn_based(as_openspiel(RockPaperScissors()))
    gc.collect()
    state = game.new_initial_state()
    assert state.current_player() == 0
    state.apply_action(2)
    assert state.current_player() == 1 and state.legal_actions() == [0, 1, 2]


def test_there_and_back():
    """Our Kuhn poker as OpenSpiel's and as ours again keeps the contract and has the same solution."""
    back = OpenSpielGame(as_openspiel(KuhnPoker()), "kuhn_again")
    assert back.spec.actions == KuhnPoker.spec.actions
    assert check_game(back, episodes=3).information_sets == 12
    tree = game_tree(back, Task(game=back.spec.id))
    assert nash_conv(tree, uniform_strategy(tree)).value == pytest.approx(11 / 12, abs=1e-12)


class CallingKuhn(KuhnPoker):
    """Asks a tool for the deal."""

    def nature(self, state):
        return Call("dealer", "{}")


class DoublingKuhn(KuhnPoker):
    """Lists a deal twice."""

    def nature(self, state):
        return Chance(((("J", "Q"), 0.5), (("J", "Q"), 0.5)))


class EndlessSpecKuhn(KuhnPoker):
    """Lasts longer than it says."""

    spec = GameSpec(
        name="long",
        version=0,
        seats=("first", "second"),
        payoff=Payoff.ZERO_SUM,
        max_turns=1,
        returns_range=(-2.0, 2.0),
        actions=KuhnPoker.spec.actions,
    )


REFUSED = {
    "free text": (Asker(), "listed actions, got free text"),
    "calls": (CallingKuhn(), "got a call to 'dealer'"),
    "repeated outcomes": (DoublingKuhn(), "different chance outcomes, got one twice"),
    "too long": (EndlessSpecKuhn(), "an end within max_turns=1"),
    "endless": (Count(max_turns=3), "an end within max_turns=3"),
    "foreign": (ForeignGame(lambda: None, spec=KuhnPoker.spec), "got a foreign environment"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_openspiel_cannot_hold_is_refused_by_name(case):
    game, words = REFUSED[case]
    with pytest.raises(CapabilityError, match=words) as caught:
        as_openspiel(game)
    assert game.spec.id in str(caught.value)


def test_a_task_with_an_unknown_parameter_is_refused():
    with pytest.raises(UnknownNameError, match="heap"):
        as_openspiel(games.make("nim-v0"), Task(game="nim-v0", params={"heap": 3}))


def test_play_beyond_what_random_games_showed_is_refused():
    """Each state is told what random games showed; here it is told less."""
    deal = as_openspiel(KuhnPoker()).new_initial_state()
    deal.most_outcomes = 2
    with pytest.raises(CapabilityError, match="at most 2 chance outcomes"):
        deal.chance_outcomes()
    throw = as_openspiel(RockPaperScissors()).new_initial_state()
    throw.at_once = False
    with pytest.raises(CapabilityError, match="one player to move"):
        throw.current_player()


def test_without_openspiel_the_message_says_what_to_install():
    code = (
        "import sys; sys.modules['pyspiel'] = None\n"
        "from arena.adapters.to_openspiel import as_openspiel\n"
        "from arena.errors import InputError\n"
        "from arena.games.kuhn_poker import KuhnPoker\n"
        "try:\n    as_openspiel(KuhnPoker())\n"
        "except InputError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert "pip install 'ludus-arena[games]'" in done.stdout, done.stderr
