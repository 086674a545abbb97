"""The conformance check of a game: spec, rules, hidden information, PettingZoo's suite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from arena.errors import CheckError, ConfigError
from arena.game import Game, Verifier
from arena.legality import check_rule
from arena.testing.information import check_information
from arena.testing.rules import RuleCheck
from arena.testing.suite import check_pettingzoo
from arena.testing.walks import AnyVerdict, Ply, Say, sweep
from arena.types import NATURE, Observation, Task


@dataclass(frozen=True, slots=True, kw_only=True)
class GameReport:
    """What a passed check has covered.

    Attributes:
        game: the id.
        episodes: random episodes played and replayed.
        states: states looked at.
        information_sets: information sets in which a seat decides.
        hidden_information: whether the game names its information sets, so that a leak could be seen.
    """

    game: str
    episodes: int
    states: int
    information_sets: int
    hidden_information: bool


def check_game(
    game: Game[Any],
    *,
    episodes: int = 20,
    tasks: Sequence[Task] = (),
    verifier: Verifier | None = None,
    say: Say | None = None,
    most_states: int = 3000,
) -> GameReport:
    """Checks that a game keeps its contract, and reports what was covered.

    Purity, determinism over the whole length, legality, chance, payoff type and range, texts that fit the box,
    hidden information and recall, and PettingZoo's own suite.

    Args:
        game: the game.
        episodes: random episodes per task.
        tasks: what to play; one task without params when empty.
        verifier: answers the game's calls; when ``None`` an arbitrary verdict per request stands in.
        say: what may be said at an observation of a free-text game; a few short texts when ``None``.
        most_states: how many histories are listed breadth first for the check of hidden information.

    Raises:
        CheckError: the first thing that is not as the contract says, with episode, ply, seat and field.
    """
    _check_spec(game)
    judge = verifier or AnyVerdict()
    speak = say or _anything
    played = tasks or (Task(game=game.spec.id),)
    checks = [RuleCheck(game, task, episode, speak, judge) for task in played for episode in range(episodes)]
    plies = [ply for check in checks for ply in check.run()]
    for check in checks:
        check.replay()
    try:
        enumerated = played if game.spec.capabilities.enumerate else ()
        listed = [ply for task in enumerated for ply in sweep(game, task, most_states, speak, judge)]
        information_sets = check_information(game, chain(plies, listed))
    except CheckError:
        raise
    except Exception as error:
        raise CheckError(
            f"check_game({game.spec.id}): listing every history: expected the rules to answer, got "
            f"{type(error).__name__}: {error}; mend the rules"
        ) from error
    check_pettingzoo(game, judge)
    return GameReport(
        game=game.spec.id,
        episodes=len(checks),
        states=len(plies) + len(listed),
        information_sets=information_sets,
        hidden_information=any(_names_sets(game, ply) for ply in plies),
    )


def _check_spec(game: Game[Any]) -> None:
    spec = game.spec
    low, high = spec.returns_range
    faults = {
        "rules": "" if game.rules.strip() else "rules in words, got none",
        "spec.seats": ""
        if spec.seats and len(set(spec.seats)) == len(spec.seats)
        else f"different seats, got {spec.seats}",
        "spec.max_turns": "" if spec.max_turns > 0 else f"at least 1, got {spec.max_turns}",
        "spec.returns_range": "" if low <= high else f"the least return first, got {spec.returns_range}",
        "spec.text_bytes": "" if spec.text_bytes > 1 else f"at least 2, got {spec.text_bytes}",
        "spec.actions": ""
        if spec.actions is None or _distinct(spec.actions)
        else f"distinct names, got {spec.actions}",
    }
    if NATURE in spec.seats:
        faults["spec.seats"] = f"seats not named {NATURE!r}, got {spec.seats}"
    for field, fault in faults.items():
        if fault:
            raise CheckError(f"check_game({spec.id}), {field}: expected {fault}; mend the spec")
    try:
        check_rule(spec.illegal, spec)
    except ConfigError as error:
        raise CheckError(f"check_game({spec.id}), spec.illegal: {error}") from error


def _distinct(actions: Sequence[str]) -> bool:
    """Whether the parser can tell the actions apart: it ignores case and inner whitespace."""
    return bool(actions) and len({" ".join(name.casefold().split()) for name in actions}) == len(actions)


def _names_sets(game: Game[Any], ply: Ply) -> bool:
    if game.to_move(ply.state) in ((), (NATURE,)):
        return False
    return game.information_key(ply.state, game.spec.seats[0]) is not None


def _anything(seen: Observation) -> tuple[str, ...]:
    return ("yes", "no", "0", "two words")
