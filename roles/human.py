"""The human seat: a person reads the observation in a terminal and names an action.

Reading and writing are injected, so that anything with lines of text can be the terminal. Whatever is typed, the seat
asks again or leaves by ``PlayerQuit``; it never breaks the game. Text from the game is shown with its control
characters visible, because in some games other players wrote it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from arena.errors import PlayerQuit
from arena.game import Game
from arena.types import Observation
from arena.visible import visible

Reader = Callable[[str], str]
"""Shows a prompt and returns one line; raises EOFError when there will be no more."""

Writer = Callable[[str], None]
"""Shows one or more lines of plain text."""

_QUIT = ("q", "quit", "exit")
_HELP = ("?", "help")


class Human:
    """A person at a terminal.

    Args:
        read: shows a prompt and returns a line; by default a rich console.
        write: shows text; by default the same console.
    """

    name: str = "human"

    def __init__(self, read: Reader | None = None, write: Writer | None = None) -> None:
        if read is None or write is None:
            console_read, console_write = _terminal()
            read, write = read or console_read, write or console_write
        self._read, self._write = read, write

    def ask(self, game: Game[Any], observation: Observation) -> str:
        """Shows what the seat sees and returns the action that the person chose.

        In a finite game the answer is always legal: its number or its name, in any case. Elsewhere it is any
        non-empty line. ``?`` shows the rules and ``q`` leaves, unless the game has actions of these names.

        Raises:
            PlayerQuit: the person left, or the input ended.
        """
        self._write(f"\n{visible(observation.text)}")
        legal = observation.legal_actions
        if legal is not None:
            self._write(menu(legal))
        while True:
            line = self._line(observation.seat)
            chosen = choice(line, legal)
            if chosen is not None:
                return chosen
            self._command(line, game, observation)

    def _line(self, seat: str) -> str:
        try:
            return self._read(f"{seat}> ").strip()
        except EOFError as end:
            raise PlayerQuit(f"{seat}: expected an action, got the end of the input; the game stops here") from end
        except UnicodeError:
            return ""

    def _command(self, line: str, game: Game[Any], observation: Observation) -> None:
        if line.lower() in _QUIT:
            raise PlayerQuit(f"{observation.seat}: expected an action, got {line!r}; the game stops here")
        if line.lower() in _HELP:
            self._write(visible(game.rules.strip() or game.spec.summary))
        elif observation.legal_actions is None:
            self._write("Type your answer (? for the rules, q to leave).")
        else:
            shown = f"{visible(line[:40])!r} is not one of these actions. " if line else ""
            self._write(f"{shown}Type a number or a name (? for the rules, q to leave).")
            self._write(menu(observation.legal_actions))


def menu(legal: tuple[str, ...]) -> str:
    """Returns the legal actions for people: numbered, unless some action is itself called by a number."""
    if _named_by_numbers(legal):
        return "  ".join(visible(action) for action in legal)
    return "\n".join(f"  {number}  {visible(action)}" for number, action in enumerate(legal, 1))


def choice(line: str, legal: tuple[str, ...] | None) -> str | None:
    """Returns the action that a typed line means, or ``None``; a name goes before a number, an exact one before case.

    Args:
        line: what was typed, without surrounding blanks.
        legal: the legal actions, or ``None`` where any text is an answer.
    """
    if legal is None:
        return line if line and line.lower() not in (*_QUIT, *_HELP) else None
    if line in legal:
        return line
    alike = [action for action in legal if action.lower() == line.lower()]
    if len(alike) == 1:
        return alike[0]
    numbered = line.isascii() and line.isdigit() and len(line) < 10 and not _named_by_numbers(legal)
    return legal[int(line) - 1] if numbered and 1 <= int(line) <= len(legal) else None


def _named_by_numbers(legal: tuple[str, ...]) -> bool:
    return any(action.strip().isdigit() for action in legal)


def _terminal() -> tuple[Reader, Writer]:
    from rich.console import Console  # costs an import that only a seated person needs
    from rich.text import Text

    console = Console()
    return (
        lambda prompt: console.input(Text(prompt, style="bold cyan")),
        lambda text: console.print(Text(text)),
    )
