"""The parser of answers: the last delimited action counts, and no text breaks it."""

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from arena.actions import MOST_CHARACTERS, delimited, parse_action
from arena.types import Action, NotUnderstood

LEGAL = ("check", "bet", "go all in")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("<action>bet</action>", "bet"),
        ("I think. <action>check</action> No: <action>bet</action> it is.", "bet"),
        ("<action>  BET \n</action>", "bet"),
        ("<action>Go\t ALL   in</action>", "go all in"),
        ("<action>raise  HIGH</action>", "raise high"),
        ("<action>check <action>bet</action>", "bet"),
        ("<action>bet</action> and <action>che", "bet"),
        ("<action>bet</action> </action>", "bet"),
        ("\0<action>bet</action>\ud800", "bet"),
        ("\x1b[31m<action>bet</action>", "bet"),
    ],
)
def test_finite_games(text, value):
    assert parse_action(text, LEGAL) == Action(value=value)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        (" \n\t", "empty"),
        ("<action> </action>", "empty"),
        ("bet", "no_action"),
        ("bet</action>", "no_action"),
        ("<action>bet", "unclosed"),
        ("</action><action>bet", "unclosed"),
        ("x" * (MOST_CHARACTERS + 1), "too_long"),
    ],
)
def test_what_is_not_understood_says_why(text, reason):
    assert parse_action(text, LEGAL) == NotUnderstood(reason=reason)
    assert parse_action(text, None) == NotUnderstood(reason=reason)


def test_free_text_keeps_case_and_inner_whitespace():
    assert parse_action("so <action> def F():\n  return 1 </action>", None) == Action(value="def F():\n  return 1")


def test_the_spelling_is_the_games_own():
    assert parse_action("<action>ROOK</action>", ("Rook", "Knight")) == Action(value="Rook")


@given(st.text(st.characters(codec=None)), st.sampled_from([None, (), LEGAL]))
@example("\0\ud800\x1b[0m<action>\udfff</action>", LEGAL)
def test_never_raises(text, legal):
    for answer in (text, delimited(text), f"<action>{text}", f"{text}</action>", f"x{delimited(text)}{text}"):
        assert isinstance(parse_action(answer, legal), Action | NotUnderstood)


@given(st.sampled_from(LEGAL), st.text())
def test_a_delimited_action_is_read_back_whatever_stands_before_it(name, before):
    assert parse_action(before + delimited(name), LEGAL) == Action(value=name)


@pytest.mark.parametrize("piece", ["<action>", "</action>", "<", "<action", "<action></action>", "</action><action>"])
def test_hostile_texts_take_linear_time(piece):
    began = time.process_time()
    parse_action((piece * (1_000_000 // len(piece)))[:1_000_000], LEGAL)
    for _ in range(20):
        parse_action((piece * MOST_CHARACTERS)[:MOST_CHARACTERS], LEGAL)
    assert time.process_time() - began < 0.5
