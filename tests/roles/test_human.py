"""The human seat, driven by scripted lines instead of a terminal."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import PlayerQuit
from arena.game import games
from arena.types import Observation
from roles.human import Human, choice, menu

KUHN = games.make("kuhn_poker-v0")
OPEN = Observation(seat="first", text="You hold the King.", legal_actions=("check", "bet"))
SQUARES = Observation(seat="x", text="board", legal_actions=("2", "5", "9"))
FREE = Observation(seat="a", text="Prove it.", legal_actions=None)


def ask(lines: Iterable[str], seen: Observation) -> tuple[str, str]:
    given_lines, shown = iter(lines), []

    def read(prompt: str) -> str:
        try:
            return next(given_lines)
        except StopIteration:
            raise EOFError from None

    chosen = Human(read=read, write=shown.append).ask(KUHN, seen)
    return chosen, "\n".join(shown)


@pytest.mark.parametrize(("line", "action"), [("2", "bet"), ("bet", "bet"), (" BET \t", "bet"), ("1", "check")])
def test_a_number_or_a_name_is_an_action(line: str, action: str) -> None:
    chosen, shown = ask([line], OPEN)
    assert chosen == action
    assert "You hold the King." in shown
    assert "2  bet" in shown


def test_actions_that_are_numbers_go_by_name() -> None:
    assert ask(["1", "3", "5"], SQUARES)[0] == "5"


@pytest.mark.parametrize(("line", "action"), [("4", "[4]"), ("[0]", "[0]"), ("cooperate", "[Cooperate]")])
def test_brackets_need_not_be_typed(line: str, action: str) -> None:
    seen = Observation(seat="a", text="", legal_actions=("[0]", "[4]", "[Cooperate]"))
    assert ask(["1", line], seen)[0] == action


def test_many_actions_stand_in_columns_that_are_read_downwards() -> None:
    legal = tuple(f"bid {number}" for number in range(1, 41))
    lines = menu(legal).splitlines()
    assert all(len(line) <= 80 for line in lines)
    assert len(lines) == 8
    assert re.findall(r"(\d+)  bid \1", lines[0]) == ["1", "9", "17", "25", "33"]
    assert [action for action in legal if action not in menu(legal)] == []


def test_an_action_wider_than_the_screen_has_a_line_of_its_own() -> None:
    assert len(menu(("a" * 100, "b")).splitlines()) == 2


def test_odd_input_is_asked_again() -> None:
    odd = ["", "0", "3", "-1", "raise", "²", "1" * 400, "\x00", "\ud800", "\x1b[A", "٢", "be t"]
    chosen, shown = ask([*odd, "check"], OPEN)
    assert chosen == "check"
    assert "\x1b" not in shown
    assert "\x00" not in shown
    shown.encode("utf-8")


def test_a_question_mark_shows_the_rules() -> None:
    assert KUHN.rules in ask(["?", "bet"], OPEN)[1]


@pytest.mark.parametrize("lines", [["q"], ["Quit"], ["nonsense", "exit"], []])
def test_leaving_and_the_end_of_input_raise_one_error(lines: list[str]) -> None:
    with pytest.raises(PlayerQuit, match="first: expected an action"):
        ask(lines, OPEN)


def test_undecodable_bytes_are_asked_again() -> None:
    calls: list[str] = []

    def read(prompt: str) -> str:
        calls.append(prompt)
        if len(calls) == 1:
            raise UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte")
        return "bet"

    assert Human(read=read, write=lambda text: None).ask(KUHN, OPEN) == "bet"


def test_a_hint_is_shown_where_there_is_one() -> None:
    lines, shown = iter(["h", "1"]), []
    person = Human(read=lambda _: next(lines), write=shown.append, hint=lambda game, seen: f"bet in {game.spec.name}")
    assert person.ask(KUHN, OPEN) == "check"
    assert "bet in kuhn_poker" in shown
    assert "h a hint" in person.commands(free_text=False)
    assert "not one of these actions" in ask(["h", "1"], OPEN)[1]
    named = Observation(seat="a", text="", legal_actions=("h", "j"))
    lines = iter(["h"])
    assert person.ask(KUHN, named) == "h"


@pytest.mark.parametrize(("line", "answer"), [("\\q", "q"), ("\\?", "?"), ("\\n", "\\n"), ("h", "h")])
def test_a_command_can_be_an_answer_in_free_text(line: str, answer: str) -> None:
    assert ask([line], FREE)[0] == answer


def test_free_text_takes_any_line_but_commands() -> None:
    assert ask(["", "?", "by induction on n"], FREE)[0] == "by induction on n"


def test_text_of_other_players_cannot_steer_the_terminal() -> None:
    hostile = Observation(seat="a", text="\x1b]0;owned\x07[bold red]hi[/]", legal_actions=("ok",))
    shown = ask(["ok"], hostile)[1]
    assert "␛]0;owned␇[bold red]hi[/]" in shown


def test_the_default_terminal_reads_and_writes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("builtins.input", _lines("2"))
    assert Human().ask(KUHN, OPEN) == "bet"
    assert "You hold the King." in capsys.readouterr().out


def _lines(*lines: str) -> Callable[..., str]:
    rest = iter(lines)
    return lambda *_: next(rest)


@given(st.text(alphabet=st.characters(codec=None)))
def test_a_choice_is_legal_or_nothing(line: str) -> None:
    assert choice(line, OPEN.legal_actions) in (None, "check", "bet")
