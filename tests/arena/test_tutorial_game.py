"""The tutorial's promise: a game of one's own in at most 40 lines of code that passes its check the first time."""

from arena import env
from arena.game import games
from arena.testing import check_game

STICKS = '''
from arena import Game, GameSpec, Observation, Payoff
from arena.game import games


@games.register("sticks-v0")
class Sticks(Game):
    """Take one to three sticks in turn; whoever takes the last stick wins."""

    spec = GameSpec(
        name="sticks",
        version=0,
        seats=("first", "second"),
        payoff=Payoff.ZERO_SUM,
        max_turns=21,
        returns_range=(-1.0, 1.0),
        actions=("1", "2", "3"),
        params={"sticks": 10},
    )
    rules = "Sticks. Take 1, 2 or 3 sticks in turn. Whoever takes the last stick wins."

    def reset(self, task):
        return (task.params["sticks"], 0)  # how many are left, how many moves were made

    def to_move(self, state):
        return (self.spec.seats[state[1] % 2],) if state[0] else ()

    def observe(self, state, seat):
        legal = tuple(action for action in self.spec.actions if int(action) <= state[0])
        mine = seat in self.to_move(state)
        return Observation(seat=seat, text=f"{state[0]} sticks are left.", legal_actions=legal if mine else ())

    def step(self, state, moves):
        return (state[0] - int(*moves.values()), state[1] + 1)

    def returns(self, state):
        won = self.spec.seats[(state[1] - 1) % 2]
        return {seat: 1.0 if seat == won else -1.0 for seat in self.spec.seats}
'''


def test_a_game_of_ones_own():
    code = [line for line in STICKS.splitlines() if line.strip() and not line.strip().startswith(('"""', "#"))]
    assert len(code) <= 40
    exec(compile(STICKS, "sticks.py", "exec"), {"__name__": "sticks"})
    report = check_game(games.make("sticks-v0"))
    assert report.information_sets > 20
    play = env("sticks-v0")
    play.reset(seed=0)
    for action in ("3", "3", "3", "1"):
        assert play.status is None
        play.step(action)
    assert play.returns == {"first": -1.0, "second": 1.0}
