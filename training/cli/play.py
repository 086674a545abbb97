"""``ludus play``: a person takes one seat of a game in the terminal; a script or a trained policy takes the others.

The game runs through ``arena.env``, like every other episode, so the environments of others are played too. Nothing is
shown but what the person's seat observes, and moves that it can tell from that; seats that move at once answer one
after another, unseen. At the end everything is laid open. Lines may also come from a pipe.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from arena.errors import GameError, InputError, LudusError, unknown_name
from arena.game import Game, games
from arena.seeds import derive
from arena.types import Observation, Status, Task
from training.cli.extension import load_all
from training.cli.opponents import opponents_of, require_knows, scripted, scripted_name
from training.cli.playing import Sitting, Table
from training.cli.printing import console, show
from training.cli.results import GameResult, in_words, score, score_in_words, verdict

if TYPE_CHECKING:
    from roles.human import Human
    from training.cli.playing import Env

_LEAST_SHARE = 0.005
"""What a hint leaves out: actions of smaller probability."""
_MOST_SHARES = 8
"""How many actions a hint names with their probabilities."""


def command(
    game: Annotated[
        str,
        typer.Argument(
            help="A registered game, or one of another library (openspiel/NAME-v0); its version may be left out.",
            show_default=False,
        ),
    ],
    seat: Annotated[str | None, typer.Option(help="Which seat you take; by default the first.")] = None,
    against: Annotated[
        str, typer.Option(help="Who takes the others: random, optimal, a scripted player, a run directory, or person.")
    ] = "random",
    param: Annotated[
        list[str] | None, typer.Option(help="NAME=VALUE, a parameter of the task; the value is JSON or a word.")
    ] = None,
    number: Annotated[int, typer.Option("--games", min=1, help="How many games in a row.")] = 1,
    seed: Annotated[
        int | None, typer.Option(help="Deals and opponents follow from it; by default a fresh one.")
    ] = None,
    extend: Annotated[
        list[Path] | None, typer.Option(help="A Python file or folder of your own to load first.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="End with one JSON document on standard output.")] = False,
) -> None:
    """Take a seat in a game, in the terminal."""
    load_all(extend or ())
    rules, params = games.make(game_id(game)), task_params(param or ())
    sitting = Sitting(
        rules=rules,
        params=params,
        mine=chosen_seat(rules, seat),
        against=against,
        seed=int(np.random.SeedSequence().generate_state(1)[0]) if seed is None else seed,
        person=_person(as_json, lambda game, seen: hint(game, seen, params)),
    )
    results = play_games(sitting, number)
    show(document(sitting, results), as_json, [])
    if results[-1].status is Status.FAILED:
        raise typer.Exit(1)


def play_games(sitting: Sitting, number: int) -> list[GameResult]:
    """Plays games in a row, telling the person all along; stops at a game that breaks.

    Raises:
        InputError: the task's parameters are wrong, or the opponent does not exist or does not know the game.
        PlayerQuit: the person left.
    """
    import arena
    from arena.domains.verifier import DomainVerifier

    rules, person, mine = sitting.rules, sitting.person, sitting.mine
    judge = DomainVerifier() if "domain" in rules.spec.params else None
    env = arena.env(rules, verifier=judge, render_mode="ansi")
    begin = opponents_of(sitting.against, rules, sitting.params, mine)
    results: list[GameResult] = []
    while len(results) < number and not (results and results[-1].status is Status.FAILED):
        _deal(env, sitting, len(results))
        if not results:
            _introduce(env, sitting, number)
        elif number > 1:
            person.tell(f"\nGame {len(results) + 1} of {number}.")
        result = Table(env, sitting, begin() if begin else None, len(results)).play()
        results.append(result)
        person.tell(ending(env, mine, result))
        if number > 1:
            person.tell(score_in_words(rules.spec, mine, results, number))
    return results


def game_id(name: str) -> str:
    """Returns the registered id for a name that may lack its version; the newest version is taken.

    Raises:
        UnknownNameError: no game is called so.
    """
    if name in games:
        return name
    known = games.names()
    versions = [one for one in known if one.rpartition("-v")[0] == name]
    if not versions:
        raise unknown_name("ludus play", name, known)
    return max(versions, key=lambda one: int(one.rpartition("-v")[2]))


def task_params(given: Iterable[str]) -> dict[str, Any]:
    """Returns the parameters of a task from ``NAME=VALUE``, each value JSON, or else the word that it is.

    Raises:
        InputError: one has no name or no value.
    """
    params: dict[str, Any] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not name or not equals:
            raise InputError(f"--param: expected NAME=VALUE, got {text!r}; for example --param faces=3")
        try:
            params[name] = json.loads(value)
        except ValueError:
            params[name] = value
    return params


def chosen_seat(rules: Game[Any], seat: str | None) -> str:
    """Returns the seat that the person takes: by name or by number from 1.

    Raises:
        UnknownNameError: the game has no such seat.
    """
    seats = rules.spec.seats
    if seat is None:
        return seats[0]
    if seat.isdigit() and 1 <= int(seat) <= len(seats) and seat not in seats:
        return seats[int(seat) - 1]
    if seat not in seats:
        raise unknown_name(f"--seat of {rules.spec.id}", seat, seats)
    return seat


def hint(game: Game[Any], seen: Observation, params: Mapping[str, Any]) -> str:
    """Returns what the optimal player would do at an observation, or why nobody can say."""
    try:
        strategy = scripted("optimal", game, params).strategy(game, seen)
    except LudusError as refusal:
        return f"No hint: {refusal}"
    ranked = sorted(strategy.items(), key=lambda item: -item[1])
    kept = [(action, share) for action, share in ranked if share >= _LEAST_SHARE]
    if len(kept) > 1 and kept[0][1] - kept[-1][1] < _LEAST_SHARE:
        shares = f"{', '.join(action for action, _ in kept[:-1])} and {kept[-1][0]} alike"
    else:
        rest = f" and {len(kept) - _MOST_SHARES} others" if len(kept) > _MOST_SHARES else ""
        shares = ", ".join(f"{action} {share:.0%}" for action, share in kept[:_MOST_SHARES]) + rest
    return f"{scripted_name('optimal', game)} plays {shares}."


def ending(env: Env, mine: str, result: GameResult) -> str:
    """Returns the end of an episode in words, what was hidden included."""
    lines = ["", *_laid_open(env, mine, result)]
    named = env.spec.actions is not None and len(env.spec.seats) > 1
    if named and result.moves:
        played = ", ".join(f"{move['seat']} {move['action'] or '-'}" for move in result.moves)
        lines.append(f"Played: {played}.")
    return "\n".join([*lines, in_words(env.spec, mine, result)])


def document(sitting: Sitting, results: list[GameResult]) -> dict[str, Any]:
    """Returns the sitting as JSON values; the fields of the last game stand at the top, too."""
    spec, mine = sitting.rules.spec, sitting.mine
    told = [
        {
            "result": verdict(spec, mine, result),
            "status": str(result.status),
            "reason": result.reason,
            "returns": dict(result.returns),
            "moves": list(result.moves),
        }
        for result in results
    ]
    head = {"game": spec.id, "params": dict(sitting.params), "seat": mine, "against": sitting.against}
    return {**head, "seed": sitting.seed, **told[-1], "games": told, "score": score(spec, mine, results)}


def _deal(env: Env, sitting: Sitting, index: int) -> None:
    """Resets the environment to the task of a game; the first is the one that a sitting of one game plays."""
    seed = derive("play", sitting.seed, *([index] if index else []))
    try:
        env.reset(options={"task": Task(game=sitting.rules.spec.id, params=sitting.params, seed=seed)})
    except GameError as error:
        if isinstance(error.__cause__, InputError):  # parameters that the game refuses
            raise error.__cause__ from None
        raise


def _introduce(env: Env, sitting: Sitting, number: int) -> None:
    """Says who plays what, once it is certain that the opponent can."""
    rules, against = sitting.rules, sitting.against
    seen = env.infos[env.agent_selection]["observation"]
    if env.pending_call is None and seen.legal_actions != ():
        with console(stderr=True).status("the opponent learns the game"):  # solving may take a while, the first time
            require_knows(against, rules, sitting.params, seen)
    alone = len(rules.spec.seats) == 1
    rivals = "" if alone else f", against {against}" if against != "person" else ", and everybody else"
    params = "".join(f", {name} {json.dumps(value)}" for name, value in sitting.params.items())
    games_ = f", {number} games" if number > 1 else ""
    sitting.person.tell(f"{rules.spec.id}{params}: you are {sitting.mine}{rivals}{games_} (seed {sitting.seed})")
    sitting.person.tell(rules.rules.strip() or rules.spec.summary)
    sitting.person.tell(sitting.person.commands(free_text=rules.spec.actions is None))


def _laid_open(env: Env, mine: str, result: GameResult) -> list[str]:
    """Returns the whole state in words; of a foreign environment what it renders or shows the person last."""
    if result.status is Status.FAILED:
        return []
    shown = env.render() if env.render_mode == "ansi" else None
    if not shown:
        shown = env.infos[mine]["observation"].text if mine in env.infos else None
    return [str(shown)] if shown else []


def _person(as_json: bool, told: Callable[[Game[Any], Observation], str]) -> Human:
    """Returns the person at the terminal; with ``--json`` everything for people goes to standard error."""
    from roles.human import Human

    return Human(read=_read_line, write=_to_stderr, hint=told) if as_json else Human(hint=told)


def _read_line(prompt: str) -> str:
    typer.echo(prompt, nl=False, err=True)
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    if not sys.stdin.isatty():  # nothing shows what came from a pipe
        typer.echo(line.rstrip("\n"), err=True)
    return line.rstrip("\n")


def _to_stderr(text: str) -> None:
    typer.echo(text, err=True)
