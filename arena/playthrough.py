"""A seeded random game as text, to be reviewed and compared like code: ``python -m arena.playthrough kuhn_poker-v0``.

Each step shows the whole state, what every seat that is to move sees, its legal actions, the moves and what they
paid. Calls are answered by the verifier that a playthrough is given.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from arena.domains.verifier import DomainVerifier
from arena.errors import PlayError
from arena.game import Game, Verifier, games
from arena.referee import Referee
from arena.seeds import generator
from arena.types import Action, Task


def playthrough(game: Game[Any], seed: int = 0, verifier: Verifier | None = None) -> str:
    """Returns one game of uniformly random legal actions, as text.

    Args:
        game: the game; a seat with free text says yes or no.
        seed: the seed of the task and of the players.
        verifier: answers the game's calls, if it makes any.

    Raises:
        GameError: the rules raised or broke their contract.
        PlayError: the game makes a call and there is no verifier.
    """
    referee = Referee(game, Task(game=game.spec.id, seed=seed))
    random = generator("playthrough", seed)
    lines = [f"game {game.spec.id}, seed {seed}", game.rules]
    while not referee.done:
        while referee.pending_call is not None:
            if verifier is None:
                raise PlayError(f"playthrough of {game.spec.id}: expected a verifier for its calls, got None; pass one")
            referee.resolve(verifier.check([referee.pending_call])[0])
        lines += ["", f"step {referee.env_step}", *_indented(game.state_text(referee.state))]
        for seat in referee.to_move:
            seen = referee.observe(seat)
            legal = seen.legal_actions or ("yes", "no")
            action = legal[int(random.integers(len(legal)))]
            lines += [f"{seat} in {seen.information_key!r} sees", *_indented(seen.text)]
            lines += [f"{seat} may {', '.join(legal)}", f"{seat} plays {action}"]
            referee.act(seat, Action(value=action))
        lines.append(f"rewards {_numbers(referee.collect())}")
    lines += ["", "end", *_indented(game.state_text(referee.state))]
    lines += [f"status {referee.status} {referee.reason}".rstrip(), f"returns {_numbers(referee.returns)}"]
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> None:
    """Writes the playthrough of a registered game to standard output."""
    parser = argparse.ArgumentParser(prog="python -m arena.playthrough", description="one seeded random game as text")
    parser.add_argument("game", help="a registered id, for example kuhn_poker-v0")
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args(arguments)
    sys.stdout.write(playthrough(games.make(chosen.game), chosen.seed, DomainVerifier()))


def _indented(text: str) -> list[str]:
    return [f"  {line}" for line in text.splitlines()]


def _numbers(by_seat: dict[str, float] | dict[str, float | None]) -> str:
    return " ".join(f"{seat} {'-' if value is None else format(value, 'g')}" for seat, value in by_seat.items())


if __name__ == "__main__":
    main()
