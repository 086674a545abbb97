"""Who takes the other seats of ``ludus play``: a scripted player, the policy of a run, or the person as well."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from arena.errors import CapabilityError, InputError, nearest
from arena.game import Game
from arena.seeds import generator
from arena.types import Action, Completion, NotUnderstood, Observation, Turn
from roles.role import ScriptedPlayer

Opponent = Callable[[Game[Any], Observation, int], Action | NotUnderstood]
"""(game, observation, seed of this decision) -> the answer; made anew for each game."""

PERSON = "person"
"""The opponent that is nobody else: the person takes every seat."""


def opponents_of(against: str, rules: Game[Any], params: Mapping[str, Any], mine: str) -> Callable[[], Opponent] | None:
    """Returns what makes the players of the other seats, once a game; ``None`` when the person takes them.

    Args:
        against: ``random``, ``optimal``, ``person``, a scripted player, or a run directory.
        rules: the game.
        params: of its tasks.
        mine: the person's seat.

    Raises:
        InputError: ``against`` is none of them, or a run that does not play the game.
    """
    from roles.role import scripted_players

    if against == PERSON or len(rules.spec.seats) == 1:
        return None
    if scripted_name(against, rules) in scripted_players:
        script = scripted(against, rules, params)
        return lambda: _scripted(script)
    if Path(against).is_dir():
        return trained(Path(against), rules, params, mine)
    known = ["random", "optimal", PERSON, *scripted_players.names()]
    close = nearest(against, known) or known
    raise InputError(
        f"--against: expected random, optimal, person, a scripted player or a run directory, got {against!r}; "
        f"did you mean {' or '.join(close)}?"
    )


def scripted_name(against: str, rules: Game[Any]) -> str:
    """Returns the registered name that ``random`` or ``optimal`` means in a game; any other name as it is."""
    from roles.scripted import optimal_player

    if against == "optimal":
        return optimal_player(rules.spec.id)
    return {"random": "uniform"}.get(against, against)


def scripted(against: str, rules: Game[Any], params: Mapping[str, Any]) -> ScriptedPlayer:
    """Returns a scripted player; one that asks for the parameters of the tasks gets them.

    Raises:
        ConfigError: the player cannot be made without knobs of its own.
    """
    from roles.role import scripted_players
    from training.parts import build_part

    return build_part(scripted_players, {"name": scripted_name(against, rules)}, "--against", params=params)


def require_knows(against: str, rules: Game[Any], params: Mapping[str, Any], seen: Observation) -> None:
    """Refuses a scripted opponent that does not know the game, before anything is played.

    Args:
        against: what the person asked for.
        rules: the game.
        params: of its tasks.
        seen: what the first seat to move sees.

    Raises:
        CapabilityError: it does not; the message says why.
    """
    from roles.role import scripted_players

    if against == PERSON or len(rules.spec.seats) == 1 or scripted_name(against, rules) not in scripted_players:
        return
    try:
        scripted(against, rules, params).strategy(rules, seen)
    except (CapabilityError, InputError) as error:
        other = "person, who takes every seat, or a run directory" if seen.legal_actions is None else "random"
        raise CapabilityError(
            f"--against {against}: expected a player that knows {rules.spec.id}, got a refusal ({error}); "
            f"choose {other}"
        ) from error


def _scripted(script: ScriptedPlayer) -> Opponent:
    from roles.scripted import act

    return lambda game, observation, seed: Action(value=act(script, game, observation, generator("play", seed)))


def trained(run: Path, rules: Game[Any], params: Mapping[str, Any], mine: str) -> Callable[[], Opponent]:
    """Returns what seats the policies of a run's latest checkpoint everywhere but in ``mine``, once a game.

    Raises:
        InputError: the training extra is missing, or the run has no checkpoint, no policy for a seat of the game, or
            plays the game with other parameters.
    """
    from training.cli.extras import require

    require("train", f"ludus play --against {run}")
    from training.run_evaluation import EvaluatedRun

    evaluated = EvaluatedRun(run)
    played = evaluated.entry_of(rules.spec.id, "--against").params
    if {**rules.spec.params, **played} != {**rules.spec.params, **params}:
        wanted = " ".join(f"--param {name}={json.dumps(value)}" for name, value in played.items())
        remedy = f"add {wanted}" if wanted else "leave it out"
        raise InputError(f"--param: expected the parameters that {run} plays, got {dict(params)}; {remedy}")
    players = {seat: evaluated.model_player(rules.spec.id, seat) for seat in rules.spec.seats if seat != mine}

    def begin() -> Opponent:
        past: dict[str, list[Turn]] = {}

        def answer(game: Game[Any], observation: Observation, seed: int) -> Action | NotUnderstood:
            own = past.setdefault(observation.seat, [])
            player = players[observation.seat]
            request = player.request(game, observation, own, f"play-{seed}", seed)
            (completion,) = player.engine.generate([request])
            said = player.read(completion, observation)
            own.append(_turn(observation, completion, said, len(own)))
            return said

        return answer

    return begin


def _turn(observation: Observation, completion: Completion, said: Action | NotUnderstood, ordinal: int) -> Turn:
    """Returns a turn as roles read their own past; nobody is paid by it and nobody logs it."""
    return Turn(
        seat=observation.seat,
        env_step=0,
        ordinal=ordinal,
        observation=observation,
        completion=completion,
        action=said.value if isinstance(said, Action) else None,
        reason=said.reason if isinstance(said, NotUnderstood) else "",
        legal=isinstance(said, Action),
        reward=0.0,
        node_id="",
        anchor_key=observation.information_key,
    )
