"""The plain player's prompt and its reading of answers."""

from __future__ import annotations

import pytest

from arena.errors import ConfigError
from arena.game import games
from arena.types import Action, Completion, NotUnderstood, Observation, PolicyId, Sampling, Turn
from roles.player import INSTRUCTION, Player

KUHN = games.make("kuhn_poker-v0")
SEEN = Observation(seat="first", text="You hold the King.", legal_actions=("check", "bet"), information_key="K")


def turn(seat: str, said: str | None, action: str | None, saw: str = "You hold the Jack.") -> Turn:
    completion = None
    if said is not None:
        completion = Completion(
            id="c", prompt_ids=(1,), token_ids=(2,), logprobs=(-0.1,), support=None, text=said, finish_reason="stop",
            policy=PolicyId(name="p"), sampling=Sampling(), version_spans=((0, 0),),
        )  # fmt: skip
    return Turn(
        seat=seat, env_step=0, ordinal=0, observation=Observation(seat=seat, text=saw, legal_actions=("check", "bet")),
        completion=completion, action=action, reason="", legal=True, reward=0.0, node_id="", anchor_key="",
    )  # fmt: skip


def test_prompt_is_rules_then_instruction_then_observation() -> None:
    messages = Player().messages(KUHN, SEEN, ())
    assert [message["role"] for message in messages] == ["system", "user"]
    assert messages[0]["content"] == f"{KUHN.rules}\n{INSTRUCTION}"
    assert messages[1]["content"] == SEEN.text


def test_the_role_adds_few_words_to_the_rules() -> None:
    assert len(INSTRUCTION.split()) <= 5


def test_history_none_forgets_everything() -> None:
    past = (turn("first", "secret thought <action>check</action>", "check"),)
    assert Player().messages(KUHN, SEEN, past) == Player().messages(KUHN, SEEN, ())


def test_history_own_keeps_actions_but_not_thoughts() -> None:
    past = (turn("first", "secret thought <action>check</action>", "check"), turn("first", "hm", None))
    contents = [message["content"] for message in Player(history="own").messages(KUHN, SEEN, past)]
    assert contents[1:5] == [
        "You hold the Jack.",
        "<action>check</action>",
        "You hold the Jack.",
        "(not understood)",
    ]


def test_history_full_keeps_what_was_said() -> None:
    past = (turn("first", "secret thought <action>check</action>", "check"), turn("first", None, "bet"))
    contents = [message["content"] for message in Player(history="full").messages(KUHN, SEEN, past)]
    assert contents[2] == "secret thought <action>check</action>"
    assert contents[4] == "<action>bet</action>"  # a script played this turn: there is no text


@pytest.mark.parametrize("history", ["own", "full"])
def test_another_seats_card_and_thoughts_never_enter_the_prompt(history: str) -> None:
    past = (turn("second", "I hold the Queen, I bluff <action>bet</action>", "bet", "You hold the Queen."),)
    prompt = str(Player(history=history).messages(KUHN, SEEN, past))  # type: ignore[arg-type]
    assert "I hold the Queen" not in prompt
    assert "You hold the Queen" not in prompt


def test_answers_read_back() -> None:
    player = Player()
    answers = player.answers(SEEN)
    assert answers == {"check": "<action>check</action>", "bet": "<action>bet</action>"}
    assert [player.parse(text, SEEN) for text in answers.values()] == [Action(value="check"), Action(value="bet")]


def test_free_text_has_no_list_of_answers() -> None:
    assert Player().answers(Observation(seat="a", text="Say it.", legal_actions=None)) is None


def test_the_last_delimited_action_counts_and_prose_does_not() -> None:
    text = "Maybe <action>check</action>? No: <action>bet</action>."
    assert Player().parse(text, SEEN) == Action(value="bet")
    assert isinstance(Player().parse("I bet", SEEN), NotUnderstood)


def test_unknown_history_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"player\.history: expected one of none, own, full, got 'all'"):
        Player(history="all")  # type: ignore[arg-type]
