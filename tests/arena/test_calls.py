"""Recorded answers: a replay needs no verifier, and notices when it leaves the path."""

import pytest
from arena_sample_games import Asker
from hypothesis import given
from hypothesis import strategies as st

import arena
from arena.calls import RecordedAnswers, decode_verdict, encode_verdict
from arena.errors import PlayError
from arena.types import Outcome, Verdict

TEXTS = st.text(st.characters(codec=None))


@given(st.builds(Verdict, outcome=st.sampled_from(Outcome), detail=TEXTS, verifier=TEXTS, version=TEXTS))
def test_verdicts_survive_the_log(verdict):
    assert decode_verdict(encode_verdict(verdict)) == verdict


def test_a_replay_feeds_the_answers_back():
    played = arena.env(Asker())
    played.reset(seed=0)
    played.step("4")
    played.resolve(Verdict(outcome=Outcome.CORRECT, detail="four"))
    replayed = arena.env(Asker(), verifier=RecordedAnswers(played.calls))
    replayed.reset(seed=0)
    replayed.step("4")
    assert (replayed.returns, replayed.calls, replayed.node_id) == (played.returns, played.calls, played.node_id)


@pytest.mark.parametrize("answer", ["5", "4"])
def test_another_path_is_noticed(answer):
    played = arena.env(Asker())
    played.reset(seed=0)
    played.step("4")
    played.resolve(Verdict(outcome=Outcome.WRONG))
    records = played.calls if answer == "5" else ()
    replayed = arena.env(Asker(), verifier=RecordedAnswers(records))
    replayed.reset(seed=0)
    with pytest.raises(
        PlayError, match=r"replay: expected exact '[45]' next in the log, got (exact '4'|no more calls)"
    ):
        replayed.step(answer)
