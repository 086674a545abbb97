"""Random play in moves per second of one core: our environments beside TextArena, PettingZoo and OpenSpiel.

Run: ``python -m benchmarks.environment_steps [--games NAME ...] [--seconds 0.5] [--json FILE]``.

``benchmarks.environment_peers`` says how each is driven. All are measured in the same run, in turns, on CPU time, and
the best of three rounds counts, so that a busy machine disturbs all alike. What the games came to is counted too:
where a player's wins, losses or moves differ from what they must be, the run fails, since figures of another game say
nothing. Ratios are to TextArena and PettingZoo as their users get them, wrapped; PettingZoo has no Kuhn poker, so
there the ratio is to the bare one.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.environment_peers import GAMES, LIBRARIES, Stream

ROUNDS = 3
BETWEEN_LOOKS = 20
"""How many games are played between two looks at the clock."""
RATIOS = {"textarena": ("TextArena",), "pettingzoo": ("PettingZoo", "PettingZoo, bare Kuhn")}

# How often uniform play wins and loses for who moves first, exactly. Tic-tac-toe: 737/1260 and 121/420, draws 8/63.
# Kuhn poker: a bet (1/2) wins with 3/4; after a check a check (1/2) wins with 1/2, a bet with 1/4.
KNOWN = {"tic_tac_toe": (737 / 1260, 121 / 420), "kuhn_poker": (9 / 16, 7 / 16)}
WIDE = 5.0
"""How many standard errors a share may be off."""


@dataclass(slots=True)
class Tally:
    """What one player has played so far, and its best speed.

    Attributes:
        moves_per_s: the best round's moves per second of CPU time.
        moves: all moves.
        ends: how many games the first to move won (1), lost (-1) and drew (0).
    """

    moves_per_s: float = 0.0
    moves: int = 0
    ends: Counter[int] = field(default_factory=Counter)

    def play(self, stream: Stream, seconds: float) -> None:
        """Plays one round of about so many seconds of CPU time."""
        moves, spent, began = 0, 0.0, time.process_time()
        while spent < seconds:
            for made, got in islice(stream, BETWEEN_LOOKS):
                moves += made
                self.ends[(got > 0) - (got < 0)] += 1
            spent = time.process_time() - began
        self.moves += moves
        self.moves_per_s = max(self.moves_per_s, moves / spent)

    @property
    def games(self) -> int:
        """How many games were played."""
        return self.ends.total()

    def share(self, end: int) -> float:
        """Returns how often a game ended so."""
        return self.ends[end] / self.games


def measure(game: str, seconds: float) -> dict[str, Tally]:
    """Returns the tally of every player of a game; says which libraries are left out."""
    streams: dict[str, Stream] = {}
    for library, players in LIBRARIES.items():
        try:
            streams |= players(game)
        except ImportError as error:
            print(f"{library} is not installed ({error}); left out")
    tallies = {name: Tally() for name in streams}
    for _ in range(ROUNDS):
        for name, stream in streams.items():
            tallies[name].play(stream, seconds)
    return tallies


def faults(game: str, tallies: dict[str, Tally]) -> list[str]:
    """Returns which players did not play this game to its ends: their wins or losses are off by five standard errors.

    They are held against the exact shares, or, where none are known, against those of our pure rules.
    """
    rules = tallies["pure rules"]
    wanted = KNOWN.get(game, (rules.share(1), rules.share(-1)))
    found = []
    for name, tally in tallies.items():
        for end, share in zip((1, -1), wanted, strict=True):
            weight = 1 / tally.games + (0 if game in KNOWN else 1 / rules.games)
            if abs(tally.share(end) - share) > WIDE * (share * (1 - share) * weight) ** 0.5:
                found.append(f"{game}, {name}: expected a share of {share:.4f}, got {tally.share(end):.4f}")
    return found


def rows(game: str, tallies: dict[str, Tally]) -> list[dict[str, Any]]:
    """Returns the lines of the table."""
    base = {
        library: next((tallies[name].moves_per_s for name in names if name in tallies), None)
        for library, names in RATIOS.items()
    }
    return [
        {
            "game": game,
            "player": name,
            "moves_per_s": tally.moves_per_s,
            **{f"of_{library}": tally.moves_per_s / speed if speed else None for library, speed in base.items()},
            "games": tally.games,
            "moves_per_game": tally.moves / tally.games,
            "won_drawn_lost": [tally.share(end) for end in (1, 0, -1)],
        }
        for name, tally in tallies.items()
    ]


def machine() -> str:
    """Returns one line that says what the figures were measured on."""
    described = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    models = [line.partition(": ")[2] for line in described if line.startswith("model name")]
    packages = ("textarena", "pettingzoo", "open-spiel")
    return ", ".join(
        [
            f"{platform.system()} {platform.machine()}",
            f"{os.cpu_count()} cores of {models[0] if models else 'an unnamed processor'}",
            f"Python {platform.python_version()}",
            *(f"{package} {_version(package)}" for package in packages),
        ]
    )


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "(none)"


def _table(lines: list[dict[str, Any]]) -> str:
    head = "| player | moves/s | of TextArena | of PettingZoo | moves per game | first won, drew, lost |"
    table = [head, "|---|---|---|---|---|---|"]
    for line in lines:
        ratios = [f"{line[f'of_{library}']:.2f}" if line[f"of_{library}"] else "-" for library in RATIOS]
        shares = " ".join(f"{share:.3f}" for share in line["won_drawn_lost"])
        cells = [line["player"], f"{line['moves_per_s']:,.0f}", *ratios, f"{line['moves_per_game']:.2f}", shares]
        table.append(f"| {' | '.join(cells)} |")
    return "\n".join(table)


def main() -> None:
    """Measures every player of every game and prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--games", nargs="+", choices=GAMES, default=GAMES, help="which games; all unless named")
    parser.add_argument("--seconds", type=float, default=0.5, help="CPU seconds a player, game and round")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    options = parser.parse_args()
    print(f"{machine()}; uniform play, moves per second of CPU time, best of {ROUNDS}")
    figures: list[dict[str, Any]] = []
    wrong: list[str] = []
    for game in options.games:
        tallies = measure(game, options.seconds)
        lines = rows(game, tallies)
        print(f"\n{game}\n\n{_table(lines)}")
        figures += lines
        wrong += faults(game, tallies)
    if options.json is not None:
        written = {"machine": machine(), "rounds": ROUNDS, "seconds": options.seconds, "rows": figures}
        options.json.write_text(json.dumps(written, indent=2) + "\n", encoding="utf-8")
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
