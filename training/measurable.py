"""What a campaign may ask of its evaluation, and of scripted players, before anything is played."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.aec import env
from arena.errors import CapabilityError
from arena.game import Game, games
from arena.types import Observation, Task
from roles.role import Role, roles, scripted_players
from training.config import CampaignConfig, SeatConfig
from training.parts import build_part, check_part, one_of
from training.probe import probe_game


def check_evaluation(config: CampaignConfig) -> None:
    """Refuses opponents, references and probes that do not exist, and exact NashConv where it would not be exact.

    Raises:
        UnknownNameError: nobody is registered under a name.
        CapabilityError: a game or a role cannot be measured as asked.
    """
    against, references = config.evaluation.against, config.evaluation.references
    one_of(["initial", *scripted_players], **{f"evaluation.against.{name}": name for name in against})
    one_of(scripted_players, **{f"evaluation.references.{name}": name for name in references})
    for name in {**against, **references}:
        if name in scripted_players:
            check_part(scripted_players, {"name": name}, f"evaluation.{name}")
    for name in [name for name, on in config.evaluation.probes.items() if on]:
        probe_game(name, "evaluation.probes")
        _check_probed(config)
    for name, entry in config.games.items():
        if config.evaluation.nash_conv:
            require_exact(f"evaluation.nash_conv for games.{name}", games.make(entry.game), entry.seats)


def _check_probed(config: CampaignConfig) -> None:
    """A probe asks the role of a policy's first seat, whose prompt must be a function of the question alone."""
    for name in config.policies:
        seats = [seat for entry in config.games.values() for seat in entry.seats.values() if seat.policy == name]
        role = roles.make(seats[0].role)
        if role.history != "none":
            raise CapabilityError(
                f"evaluation.probes: expected a role without history for policy {name}, got {seats[0].role} with "
                f"{role.history!r}; switch the probes off"
            )


def check_scripted_players(config: CampaignConfig) -> None:
    """Refuses a scripted player that does not know a game in which it would sit."""
    for name, entry in config.games.items():
        seated = {place.role for place in entry.seats.values() if not place.policy}
        seated |= {other for other, on in config.evaluation.against.items() if on and other in scripted_players}
        opponents = entry.opponents or {}
        if opponents.get("name") == "scripted":
            seated.add(opponents.get("player", "uniform"))
        if not seated:
            continue
        sight = first_sight(games.make(entry.game), entry.params)
        if sight is None:
            continue
        for player in sorted(seated):
            try:
                script = build_part(scripted_players, {"name": player}, f"games.{name}", params=entry.params)
                script.strategy(*sight)
            except CapabilityError as error:
                raise CapabilityError(f"games.{name}: {error}") from error


def first_sight(game: Game[Any], params: Mapping[str, Any]) -> tuple[Game[Any], Observation] | None:
    """Returns a game and what its first seat to move sees; ``None`` where the game begins by a call."""
    world = env(game)
    world.reset(options={"task": Task(game=game.spec.id, params=params)})
    if world.pending_call is not None:
        return None
    return game, world.infos[world.agent_selection]["observation"]


def require_exact(where: str, game: Game[Any], seats: Mapping[str, SeatConfig]) -> None:
    """Refuses exact NashConv where it would not be exact.

    Raises:
        CapabilityError: the game cannot be enumerated, or a role's prompt holds its own sampled text.
    """
    if not game.spec.capabilities.enumerate:
        raise CapabilityError(
            f"{where}: expected a game that can enumerate, got {game.spec.id}; set evaluation.nash_conv=false"
        )
    for seat, place in seats.items():
        role = roles.make(place.role) if place.role in roles else None
        if isinstance(role, Role) and role.history != "none":
            raise CapabilityError(
                f"{where}: expected roles whose prompt is a function of the observation, got {place.role} with history "
                f"{role.history!r} in seat {seat}; choose a role without history or set evaluation.nash_conv=false"
            )


def exact_games(config: CampaignConfig) -> frozenset[str]:
    """Returns the games of the campaign for which exact NashConv is computed."""
    if config.evaluation.nash_conv is False:
        return frozenset()
    names = set()
    for name, entry in config.games.items():
        try:
            require_exact(name, games.make(entry.game), entry.seats)
        except CapabilityError:
            continue
        names.add(name)
    return frozenset(names)
