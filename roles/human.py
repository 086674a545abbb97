"""The human seat: a person reads the observation in a terminal and names an action.

Reading and writing are injected, so that anything with lines of text can be the terminal. Whatever is typed, the seat
asks again or leaves by ``PlayerQuit``; it never breaks the game. Text from the game is shown with its control
characters visible, because in some games other players wrote it.
"""

from __future__ import annotations

import sys
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

Hint = Callable[[Game[Any], Observation], str]
"""Returns what a good player would do, in words."""

WIDTH = 78
"""Columns that a menu may take."""

_SHORT = 20
"""Up to so many actions are shown again when a line was not understood."""

_QUIT = ("q", "quit", "exit")
_RULES = ("?", "help")
_HINT = ("h", "hint")
_PLAIN = "\\"


class Human:
    """A person at a terminal.

    Args:
        read: shows a prompt and returns a line; by default a rich console.
        write: shows text; by default the same console.
        hint: what ``h`` shows, where actions are listed; nothing by default.
    """

    name: str = "human"

    def __init__(self, read: Reader | None = None, write: Writer | None = None, hint: Hint | None = None) -> None:
        if read is None or write is None:
            console_read, console_write = _terminal()
            read, write = read or console_read, write or console_write
        self._read, self._write, self._hint = read, write, hint

    def tell(self, text: str) -> None:
        """Shows the person a text."""
        self._write(visible(text))

    def ask(self, game: Game[Any], observation: Observation) -> str:
        r"""Shows what the seat sees and returns the action that the person chose.

        In a finite game the answer is always legal: its number or its name, in any case. Elsewhere it is any non-empty
        line, and a line that would be a command is an answer behind a backslash (``\q``). ``?`` shows the rules, ``h``
        a hint and ``q`` leaves, unless the game has actions of these names.

        Raises:
            PlayerQuit: the person left, or the input ended.
        """
        self.tell(f"\n{observation.text}")
        legal = observation.legal_actions
        if legal is not None:
            self._write(menu(legal))
        while True:
            line = self._line(observation.seat)
            chosen = choice(line, legal)
            if chosen is not None:
                return chosen
            self._command(line.lower(), game, observation)

    def commands(self, free_text: bool) -> str:
        """Returns in one sentence what can be typed."""
        if free_text:
            return "Type your answer; ? shows the rules, q leaves, and \\q answers q."
        hint = ", h a hint" if self._hint else ""
        return f"Type a number or a name; ? shows the rules{hint}, q leaves."

    def _line(self, seat: str) -> str:
        try:
            return self._read(f"{visible(seat)}> ").strip()
        except EOFError as end:
            raise PlayerQuit(f"{seat}: expected an action, got the end of the input; the game stops here") from end
        except UnicodeError:
            return ""

    def _command(self, line: str, game: Game[Any], observation: Observation) -> None:
        legal = observation.legal_actions
        if line in _QUIT:
            raise PlayerQuit(f"{observation.seat}: expected an action, got {line!r}; the game stops here")
        if line in _RULES:
            self.tell(game.rules.strip() or game.spec.summary)
        elif line in _HINT and self._hint is not None and legal is not None:
            self.tell(self._hint(game, observation))
        else:
            shown = f"{line[:40]!r} is not one of these actions. " if line else ""
            self.tell(shown + self.commands(free_text=legal is None))
            if legal is not None and len(legal) <= _SHORT:
                self._write(menu(legal))


def menu(legal: tuple[str, ...]) -> str:
    """Returns the legal actions for people, in columns: numbered, unless some action is itself called by a number."""
    names = [visible(action) for action in legal]
    if _named_by_numbers(legal):
        return _columns(names, "  ")
    digits = len(str(len(names)))
    return _columns([f"{number:>{digits}}  {name}" for number, name in enumerate(names, 1)], "    ")


def choice(line: str, legal: tuple[str, ...] | None) -> str | None:
    """Returns the action that a typed line means, or ``None``; a name goes before a number, an exact one before others.

    Case and square brackets (``[4]``) need not be typed.

    Args:
        line: what was typed, without surrounding blanks.
        legal: the legal actions, or ``None`` where any text is an answer.
    """
    if legal is None:
        return _free(line)
    if line in legal:
        return line
    alike = [action for action in legal if _bare(action) == _bare(line)]
    if len(alike) == 1:
        return alike[0]
    numbered = line.isascii() and line.isdigit() and len(line) < 10 and not _named_by_numbers(legal)
    return legal[int(line) - 1] if numbered and 1 <= int(line) <= len(legal) else None


def _free(line: str) -> str | None:
    """Returns a line as an answer in free text, or ``None`` when it is empty or a command."""
    if line.startswith(_PLAIN) and line[1:].lower() in (*_QUIT, *_RULES):
        return line[1:]
    return line if line and line.lower() not in (*_QUIT, *_RULES) else None


def _columns(cells: list[str], gap: str) -> str:
    """Returns the cells in as few lines as fit, read down each column."""
    width = max(len(cell) for cell in cells)
    across = max(1, (WIDTH + len(gap)) // (width + len(gap)))
    rows = -(-len(cells) // across)
    lines = [[cell.ljust(width) for cell in cells[row::rows]] for row in range(rows)]
    if rows == 1:
        lines = [cells]
    return "\n".join(f"  {gap.join(line)}".rstrip() for line in lines)


def _named_by_numbers(legal: tuple[str, ...]) -> bool:
    return any(_bare(action).isdigit() for action in legal)


def _bare(action: str) -> str:
    return action.strip("[] ").lower()


def _terminal() -> tuple[Reader, Writer]:
    from rich.console import Console  # costs an import that only a seated person needs
    from rich.text import Text

    console = Console()

    def read(prompt: str) -> str:
        line = console.input(Text(prompt, style="bold cyan"))
        if not sys.stdin.isatty():  # nothing shows what came from a pipe
            console.print(Text(visible(line)))
        return line

    return read, lambda text: console.print(Text(text))
