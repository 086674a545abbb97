"""From a composed config to one in which every part says all that it needs, or a clear refusal.

Everything that can be wrong with a campaign without playing it is found here: unknown names, wrong types, ranges,
and combinations that cannot work. Nothing has been created on disk yet.
"""

from __future__ import annotations

import copy
import math
import re
from typing import Any

from arena.errors import CapabilityError, ConfigError, InputError, unknown_name
from arena.foreign.game import ForeignGame
from arena.game import Game, games
from arena.params import reset
from arena.types import IllegalRule, Task
from curricula.curriculum import curricula
from roles.role import roles, scripted_players
from training.config import CampaignConfig, GameConfig, OptimiserConfig, PolicyConfig, SeatConfig
from training.estimators.estimator import estimators
from training.measurable import check_evaluation, check_scripted_players
from training.normalisation import AGGREGATIONS
from training.objectives.objective import Objective, objectives
from training.opponents.matchmaking import matchmakers
from training.parts import build_part, check_part, one_of
from training.samplers.sampler import samplers
from training.schedules.planned import planned
from training.schedules.schedule import schedules
from training.verifiable import check_domains

ALL_SEATS = "all"
"""The name under which a config seats everybody whom it does not name."""
REFERENCES = ("none", "initial", "moving", "ema", "magnet")


def resolve(config: CampaignConfig) -> CampaignConfig:
    """Returns a copy of ``config`` in which parts have inherited what they did not say.

    Raises:
        ConfigError: something cannot work; the message names the key and what to do.
        UnknownNameError: a name is not registered; the message lists the nearest ones.
        CapabilityError: a part asks a game for what it does not offer.
    """
    config = copy.deepcopy(config)
    _check_ranges(config)
    for name, policy in config.policies.items():
        _resolve_policy(config, f"policies.{name}", policy)
    for name, entry in config.games.items():
        _resolve_game(config, f"games.{name}", entry)
    _check_credit(config)
    _check_policies_are_used(config)
    planned(config)
    check_domains(config)
    check_evaluation(config)
    check_scripted_players(config)
    return config


def illegal_rule(text: str | None, where: str) -> IllegalRule | None:
    """Returns the rule that ``forfeit``, ``retry_K`` or ``penalise_X`` names; ``None`` keeps the game's own.

    Raises:
        ConfigError: the text is none of the three.
    """
    if text is None:
        return None
    if text == "forfeit":
        return IllegalRule(kind="forfeit")
    if match := re.fullmatch(r"retry_(\d+)", text):
        return IllegalRule(kind="retry", retries=int(match[1]))
    if match := re.fullmatch(r"penalise_(\d+(?:\.\d+)?)", text):
        return IllegalRule(kind="penalise", penalty=float(match[1]))
    raise ConfigError(f"{where}: expected forfeit, retry_K or penalise_X, got {text!r}; for example retry_2")


def _check_ranges(config: CampaignConfig) -> None:
    runtime, sampling = config.runtime, config.sampling
    _at_least(1, rounds=config.rounds, evaluate_every=config.evaluate_every, checkpoint_every=config.checkpoint_every)
    _at_least(0, seed=config.seed, warm_start_seed=config.warm_start_seed or 0, snapshot_every=config.snapshot_every)
    _at_least(1, keep_checkpoints=config.keep_checkpoints)
    _at_least(1, **{"runtime.threads": runtime.threads, "runtime.chunk_episodes": runtime.chunk_episodes})
    _at_least(1, **{"sampling.max_tokens": sampling.max_tokens, "evaluation.games": config.evaluation.games})
    _at_least(1, **{"schedule.episodes_per_round": config.schedule.episodes_per_round})
    one_of(("local",), **{"runtime.kind": runtime.kind})
    one_of(schedules.names(), **{"schedule.kind": config.schedule.kind})
    if runtime.workers != 1:
        raise ConfigError(f"runtime.workers: expected 1 for the local runtime, got {runtime.workers}; leave it out")
    if sampling.temperature != 1.0:
        raise ConfigError(
            f"sampling.temperature: expected 1.0, got {sampling.temperature}; another one samples from a policy that "
            "is not the one being trained"
        )
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]*", config.name):
        raise ConfigError(
            f"name: expected letters, digits, '_', '.' or '-', none of the last two first, got {config.name!r}; "
            "it names a folder"
        )
    if not config.games:
        raise ConfigError("games: expected at least one game, got none; add games.NAME.game=...")


def _at_least(least: float, **values: float) -> None:
    for name, value in values.items():
        if not least <= value < math.inf:  # refuses nan too
            raise ConfigError(f"{name}: expected a number of at least {least}, got {value}; change it")


def _inherit(part: dict[str, Any] | None, default: dict[str, Any]) -> dict[str, Any]:
    """A part that says another name than the default inherits no knobs of it; one without a name inherits all."""
    if part is None:
        return dict(default)
    if part.get("name", default.get("name")) == default.get("name"):
        return {**default, **part}
    return dict(part)


def _resolve_policy(config: CampaignConfig, where: str, policy: PolicyConfig) -> None:
    policy.model = policy.model or config.model
    policy.objective = _inherit(policy.objective, config.objective)
    objective = build_part(objectives, policy.objective, f"{where}.objective")
    one_of(AGGREGATIONS, **{f"{where}.aggregation": policy.aggregation})
    one_of(REFERENCES, **{f"{where}.reference.kind": policy.reference.kind})
    _at_least(1, **{f"{where}.reference.every": policy.reference.every})
    _at_least(0, **{f"{where}.reference.weight": policy.reference.weight})
    _at_least(0, **{f"{where}.entropy_weight": policy.entropy_weight})
    _check_optimiser(f"{where}.optimiser", policy.optimiser)
    _check_replay(where, policy, objective)
    if not 0 <= policy.evaluate_average < 1:
        raise ConfigError(
            f"{where}.evaluate_average: expected a number in [0, 1), got {policy.evaluate_average}; try 0.99"
        )
    if policy.adapter is not None:
        raise ConfigError(f"{where}.adapter: expected null, got {policy.adapter!r}; whole models are trained")


def _check_optimiser(where: str, optimiser: OptimiserConfig) -> None:
    for name in ("epochs", "minibatches", "micro_batch_tokens"):
        _at_least(1, **{f"{where}.{name}": getattr(optimiser, name)})
    for name in ("learning_rate", "learning_rate_end", "weight_decay", "batch_rows"):
        _at_least(0, **{f"{where}.{name}": getattr(optimiser, name)})
    if not optimiser.max_grad_norm > 0:
        raise ConfigError(f"{where}.max_grad_norm: expected a number above 0, got {optimiser.max_grad_norm}; try 1.0")
    if not 0 <= optimiser.beta2 < 1:
        raise ConfigError(f"{where}.beta2: expected a number in [0, 1), got {optimiser.beta2}; try 0.95")
    if optimiser.batch_rows and optimiser.minibatches != 1:
        raise ConfigError(
            f"{where}.minibatches: expected 1 beside batch_rows, got {optimiser.minibatches}; set one of the two"
        )


def _check_replay(where: str, policy: PolicyConfig, objective: Objective) -> None:
    """Refuses replay under importance ratios, which would be stale, and knobs that replay would ignore."""
    replay, optimiser = policy.replay, policy.optimiser
    _at_least(0, **{f"{where}.replay.rounds": replay.rounds})
    if not replay.rounds:
        return
    _at_least(1, **{f"{where}.replay.capacity": replay.capacity, f"{where}.optimiser.batch_rows": optimiser.batch_rows})
    if not 0 < replay.passes < math.inf:
        raise ConfigError(f"{where}.replay.passes: expected a number above 0, got {replay.passes}; try 1.0")
    if not objective.accepts_replaced:
        raise ConfigError(
            f"{where}.replay.rounds: expected 0 for objective {objective.name}, whose ratios to the sampling policy "
            f"would be stale, got {replay.rounds}; choose objective=nll"
        )
    if optimiser.epochs != 1:
        raise ConfigError(
            f"{where}.optimiser.epochs: expected 1 beside replay, got {optimiser.epochs}; set replay.passes instead"
        )


def _resolve_game(config: CampaignConfig, where: str, entry: GameConfig) -> None:
    game = games.factory(entry.game, f"{where}.game")()
    _check_params(where, game, entry)
    _at_least(1, **{f"{where}.group_size": entry.group_size})
    if not 0 < entry.share < math.inf:
        raise ConfigError(f"{where}.share: expected a number above 0, got {entry.share}; remove the game instead")
    entry.curriculum = _inherit(entry.curriculum, config.curriculum)
    entry.sampler = _inherit(entry.sampler, config.sampler)
    entry.opponents = _inherit(entry.opponents, config.opponents)
    build_part(
        curricula,
        entry.curriculum,
        f"{where}.curriculum",
        game=entry.game,
        seed=config.seed,
        base=entry.params,
        sealed=frozenset[str](),
        group_size=entry.group_size,
    )
    build_part(matchmakers, entry.opponents, f"{where}.opponents")
    illegal_rule(entry.illegal, f"{where}.illegal")
    if config.schedule.episodes_per_round < entry.group_size:
        raise ConfigError(
            f"{where}.group_size: expected at most schedule.episodes_per_round, got {entry.group_size}; lower it"
        )
    if build_part(samplers, entry.sampler, f"{where}.sampler").forks and not game.spec.capabilities.fork:
        raise CapabilityError(f"{where}.sampler: expected a game that can fork, got {entry.game}; use independent")
    _seat_all(game, entry)
    _check_seats(where, game, entry)
    for seat, place in entry.seats.items():
        _resolve_seat(config, f"{where}.seats.{seat}", entry, place)


def _check_params(where: str, game: Game[Any], entry: GameConfig) -> None:
    """Refuses parameters that the game's rules refuse; a foreign environment judges them when it is reset."""
    try:
        if not isinstance(game, ForeignGame):
            reset(game, Task(game=entry.game, params=entry.params))
    except InputError as error:
        raise ConfigError(f"{where}.params: {error}") from error


def _seat_all(game: Game[Any], entry: GameConfig) -> None:
    """Gives every seat that is not named the assignment under ``all``, so that one campaign plays any game."""
    shared = entry.seats.pop(ALL_SEATS, None)
    if shared is not None:
        entry.seats = {seat: copy.deepcopy(shared) for seat in game.spec.seats} | entry.seats


def _check_seats(where: str, game: Game[Any], entry: GameConfig) -> None:
    for seat in entry.seats:
        if seat not in game.spec.seats:
            raise unknown_name(f"{where}.seats of {entry.game}", seat, game.spec.seats)
    missing = [seat for seat in game.spec.seats if seat not in entry.seats]
    if missing:
        raise ConfigError(
            f"{where}.seats: expected every seat of {entry.game}, got none for {', '.join(missing)}; add it"
        )


def _resolve_seat(config: CampaignConfig, where: str, entry: GameConfig, seat: SeatConfig) -> None:
    seat.estimator = _inherit(seat.estimator, config.estimator)
    if seat.role in scripted_players:
        if seat.policy:
            raise ConfigError(
                f"{where}.policy: expected none for the scripted player {seat.role}, got {seat.policy!r}; "
                "remove it or choose a role that speaks through a policy"
            )
        check_part(scripted_players, {"name": seat.role}, f"{where}.role")
        return
    if seat.role not in roles:
        raise unknown_name(f"{where}.role", seat.role, [*roles, *scripted_players])
    if seat.policy not in config.policies:
        raise unknown_name(f"{where}.policy", seat.policy, config.policies)
    estimator = build_part(estimators, seat.estimator, f"{where}.estimator")
    if entry.group_size < estimator.min_group:
        raise ConfigError(
            f"{where}.estimator: expected a group_size of at least {estimator.min_group} for {estimator.name}, got "
            f"{entry.group_size}; raise it or choose estimator=rae"
        )


def _check_credit(config: CampaignConfig) -> None:
    """Refuses two entries of one game whose seats are credited differently: units are told apart by game and seat."""
    credited: dict[tuple[str, str], tuple[str, dict[str, Any] | None]] = {}
    for name, entry in config.games.items():
        for seat, place in entry.seats.items():
            if place.policy:
                other, part = credited.setdefault((entry.game, seat), (name, place.estimator))
                if part != place.estimator:
                    raise ConfigError(
                        f"games.{name}.seats.{seat}.estimator: expected that of games.{other}, which plays "
                        f"{entry.game} too, got {place.estimator}; give both the same"
                    )


def _check_policies_are_used(config: CampaignConfig) -> None:
    used = {seat.policy for entry in config.games.values() for seat in entry.seats.values()}
    for name in config.policies:
        if name not in used:
            raise ConfigError(f"policies.{name}: expected a seat that uses it, got none; seat it or remove it")
