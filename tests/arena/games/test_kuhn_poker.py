"""Kuhn poker against known values (H. W. Kuhn 1950; OpenSpiel's kuhn_poker has the same counts)."""

import pytest

from arena.games.kuhn_poker import CARDS, KuhnPoker, KuhnState
from arena.types import NATURE, Task

GAME = KuhnPoker()
TASK = Task(game="kuhn_poker-v0")


def histories(state=None):
    """Yields every state of the game, the deal included."""
    state = GAME.reset(TASK) if state is None else state
    yield state
    movers = GAME.to_move(state)
    if movers == (NATURE,):
        branches = [{NATURE: outcome} for outcome, _ in GAME.nature(state).outcomes]
    else:
        branches = [{seat: action} for seat in movers for action in GAME.observe(state, seat).legal_actions]
    for moves in branches:
        yield from histories(GAME.step(state, moves))


def value(state):
    """Returns the first seat's expected return when everybody plays uniformly."""
    movers = GAME.to_move(state)
    if not movers:
        return GAME.returns(state)["first"]
    if movers == (NATURE,):
        return sum(p * value(GAME.step(state, {NATURE: outcome})) for outcome, p in GAME.nature(state).outcomes)
    legal = GAME.observe(state, movers[0]).legal_actions
    return sum(value(GAME.step(state, {movers[0]: action})) for action in legal) / len(legal)


def test_counts():
    states = list(histories())
    ends = [state for state in states if not GAME.to_move(state)]
    assert len(ends) == 30
    decisions = [(GAME.to_move(state)[0], state) for state in states if GAME.to_move(state) not in ((), (NATURE,))]
    keys = {(seat, GAME.information_key(state, seat)) for seat, state in decisions}
    assert len(keys) == 12
    assert len({GAME.observe(state, seat).text for seat, state in decisions}) == 12


def test_uniform_play_pays_the_first_seat_an_eighth():
    assert value(GAME.reset(TASK)) == pytest.approx(1 / 8)


@pytest.mark.parametrize(
    ("cards", "history", "gain"),
    [
        ("KQ", "check check", 1),
        ("JQ", "check check", -1),
        ("JK", "bet fold", 1),
        ("JK", "bet call", -2),
        ("KJ", "check bet fold", -1),
        ("KJ", "check bet call", 2),
    ],
)
def test_pay(cards, history, gain):
    state = KuhnState(tuple(cards), tuple(history.split()))
    assert GAME.to_move(state) == ()
    assert GAME.returns(state) == {"first": gain, "second": -gain}


def test_texts():
    state = KuhnState(("K", "J"), ("check", "bet"))
    seen = GAME.observe(state, "first")
    assert seen.text == "You hold the King. You checked. The opponent bet. Pot 3. You may fold or call."
    assert seen.legal_actions == ("fold", "call")
    assert GAME.observe(state, "second").text == "You hold the Jack. The opponent checked. You bet. Pot 3."
    assert GAME.observe(state, "second").legal_actions == ()
    assert GAME.information_key(KuhnState(("J", "K")), "first") == "J"
    assert GAME.state_text(state) == "first K | second J | check bet | pot 3"
    assert GAME.state_text(KuhnState()) == "The cards are not dealt."
    assert all(name in GAME.rules for name in ("Jack", "Queen", "King", "fold"))


def test_each_seat_gets_each_card_equally_often():
    deals = GAME.nature(KuhnState()).outcomes
    assert sum(p for _, p in deals) == pytest.approx(1)
    for seat in (0, 1):
        for card in CARDS:
            assert sum(p for cards, p in deals if cards[seat] == card) == pytest.approx(1 / 3)
