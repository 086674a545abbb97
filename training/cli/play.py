"""``ludus play``: a person takes one seat of a game in the terminal; a script or a trained policy takes the others.

The game runs through ``arena.env``, like every other episode. Lines may also come from a pipe.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from arena.errors import CapabilityError, InputError, nearest, unknown_name
from arena.game import Game, games
from arena.seeds import derive, generator
from arena.types import Action, NotUnderstood, Observation
from training.cli.extension import load_all
from training.cli.printing import show

if TYPE_CHECKING:
    from arena.aec import GameEnv
    from roles.human import Human

Opponent = Callable[[Game[Any], Observation, int], Action | NotUnderstood]
"""(game, observation, seed of this decision) -> the answer."""


def command(
    game: Annotated[str, typer.Argument(help="A registered game; its version may be left out.", show_default=False)],
    seat: Annotated[str | None, typer.Option(help="Which seat you take; by default the first.")] = None,
    against: Annotated[
        str, typer.Option(help="Who takes the others: random, optimal, a scripted player, or a run directory.")
    ] = "random",
    seed: Annotated[
        int | None, typer.Option(help="Deals and opponents follow from it; by default a fresh one.")
    ] = None,
    extend: Annotated[
        list[Path] | None, typer.Option(help="A Python file or folder of your own to load first.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="End with one JSON document on standard output.")] = False,
) -> None:
    """Take a seat in a game, in the terminal."""
    import arena

    load_all(extend or ())
    rules = games.make(game_id(game))
    mine = chosen_seat(rules, seat)
    used = int(np.random.SeedSequence().generate_state(1)[0]) if seed is None else seed
    opponent = None if rules.spec.seats == (mine,) else opponent_of(against, rules)
    out = typer.echo if not as_json else _to_stderr
    out(f"{rules.spec.id}: you are {mine}, against {against} (seed {used})\n{rules.rules.strip()}")
    env = arena.env(rules, render_mode="ansi")
    env.reset(seed=derive("play", used))
    played = play(env, mine, _person(as_json), opponent, used)
    document = {"game": rules.spec.id, "seat": mine, "against": against, "seed": used, **outcome(env, played)}
    show(document, as_json, [ending(env, mine)])


def play(env: GameEnv, mine: str, person: Human, opponent: Opponent | None, seed: int) -> list[dict[str, str]]:
    """Plays an episode to its end and returns its moves.

    Raises:
        CapabilityError: the game asks a verifier, which nobody offers here.
        PlayerQuit: the person left.
    """
    moves: list[dict[str, str]] = []
    while env.status is None:
        if env.pending_call is not None:
            raise CapabilityError(
                f"ludus play: expected a game of seats alone, got {env.spec.id}, which asks a verifier of kind "
                f"{env.pending_call.kind!r}; play it in a campaign"
            )
        agent = env.agent_selection
        observation = env.infos[agent]["observation"]
        if agent == mine or opponent is None:
            answer: Action | NotUnderstood = Action(value=person.ask(env.game, observation))
        else:
            answer = opponent(env.game, observation, derive("play", seed, len(moves)))
        env.step(answer)
        moves.append({"seat": agent, "action": answer.value if isinstance(answer, Action) else ""})
    return moves


def game_id(name: str) -> str:
    """Returns the registered id for a name that may lack its version; the newest version is taken.

    Raises:
        UnknownNameError: no game is called so.
    """
    known = games.names()
    if name in known:
        return name
    versions = [one for one in known if one.rpartition("-v")[0] == name]
    if not versions:
        raise unknown_name("ludus play", name, known)
    return max(versions, key=lambda one: int(one.rpartition("-v")[2]))


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


def opponent_of(against: str, rules: Game[Any]) -> Opponent:
    """Returns who takes the other seats.

    Raises:
        InputError: ``against`` is neither a scripted player nor a run directory.
    """
    from roles.role import scripted_players
    from roles.scripted import act, optimal_player

    name = {"random": "uniform", "optimal": optimal_player(rules.spec.id)}.get(against, against)
    if name in scripted_players:
        script = scripted_players.make(name)
        return lambda game, observation, seed: Action(value=act(script, game, observation, generator("play", seed)))
    if Path(against).is_dir():
        return trained_opponent(Path(against))
    known = ["random", "optimal", *scripted_players.names()]
    close = nearest(against, known) or known
    raise InputError(
        f"--against: expected random, optimal, a scripted player or a run directory, got {against!r}; "
        f"did you mean {' or '.join(close)}?"
    )


def trained_opponent(run: Path) -> Opponent:
    """Returns the policy of a run's latest checkpoint as an opponent."""
    from training.cli.extras import require

    require("train", f"ludus play --against {run}")
    from training.run_evaluation import EvaluatedRun

    evaluated = EvaluatedRun(run)

    def answer(game: Game[Any], observation: Observation, seed: int) -> Action | NotUnderstood:
        player = evaluated.model_player(game.spec.id, observation.seat)
        request = player.request(game, observation, (), f"play-{seed}", seed)
        (completion,) = player.engine.generate([request])
        return player.read(completion, observation)

    return answer


def outcome(env: GameEnv, moves: Sequence[dict[str, str]]) -> dict[str, Any]:
    """Returns how an episode ended, as JSON values."""
    return {"status": str(env.status), "reason": env.reason, "returns": env.returns, "moves": list(moves)}


def ending(env: GameEnv, mine: str) -> str:
    """Returns the end of an episode in words, what was hidden included."""
    from arena.visible import visible

    got = env.returns[mine]
    verdict = "unjudged" if got is None else "you win" if got > 0 else "you lose" if got < 0 else "even"
    shares = ", ".join(f"{seat} {'-' if value is None else f'{value:+g}'}" for seat, value in env.returns.items())
    why = f" ({env.reason})" if env.reason else ""
    return f"\n{visible(env.render() or '')}\n{verdict}{why}: {shares}"


def _person(as_json: bool) -> Human:
    """Returns the person at the terminal; with ``--json`` everything for people goes to standard error."""
    from roles.human import Human

    return Human(read=_read_line, write=_to_stderr) if as_json else Human()


def _read_line(prompt: str) -> str:
    typer.echo(prompt, nl=False, err=True)
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line.rstrip("\n")


def _to_stderr(text: str) -> None:
    typer.echo(text, err=True)
