"""From a resolved config to a campaign that can run: models, engines, learners, games, schedule, log."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path

import torch

from arena.domains.verifier import DomainVerifier
from arena.game import Verifier, games
from arena.log import RunLog
from arena.types import Sampling, Task
from curricula.curriculum import curricula
from roles.role import roles
from training.campaign import Campaign
from training.campaign_game import CampaignGame
from training.campaign_state import restore
from training.checkpoints import checkpoint_folders, load_checkpoint, torn_folders
from training.config import CampaignConfig, GameConfig, SeatConfig
from training.credit import CreditAssignment
from training.engines.engine import engines
from training.estimators.estimator import AdvantageEstimator, estimators
from training.evaluator import Evaluator
from training.heldout import sealed_for
from training.learner import Learner
from training.measurable import exact_games
from training.metrics import DerivedMetrics
from training.models.directory import LoadedModel, check_directory, load_directory
from training.models.tiny_programs import tiny_programs
from training.models.warm_start import warm_start
from training.objectives.objective import objectives
from training.opponents.matchmaking import SeatAssignment, matchmakers
from training.parts import build_part
from training.policies import Policy, Snapshots
from training.rendering import Renderer
from training.resolve import illegal_rule
from training.run_directory import RunDirectory
from training.runtimes.local import LocalRuntime
from training.samplers.sampler import samplers
from training.schedules.planned import planned
from training.verifiable import TINY, TINY_PROGRAMS, check_tiny_models, check_verifiers, taught_domain
from training.watcher import Watcher


def check_models(config: CampaignConfig) -> None:
    """Refuses models and verifiers that cannot be used, without loading weights and before a run directory exists.

    Raises:
        InputError: a directory is missing, incomplete or of an unknown architecture, a tiny model cannot be taught the
            games, or an extra or a layer of the sandbox is missing.
    """
    check_tiny_models(config)
    for policy in config.policies.values():
        if policy.model not in (TINY, TINY_PROGRAMS):
            check_directory(Path(str(policy.model)).expanduser())
    check_verifiers(config)


def assemble(
    config: CampaignConfig, run: RunDirectory, watcher: Watcher, stop_requested: Callable[[], bool] = lambda: False
) -> Campaign:
    """Returns a campaign at round 0, its first checkpoint not yet written.

    Args:
        config: a resolved config.
        run: its directory; the log keeps other writers out from here on.
        watcher: is told of the warm start now, and of rounds later.
        stop_requested: asked between rounds.

    Raises:
        InputError: a model cannot be used.
    """
    log = RunLog(run.path)
    torch.set_num_threads(config.runtime.threads)
    torch.manual_seed(config.seed)  # nothing draws from it; a library that did would at least repeat itself
    started = time.perf_counter()
    policies = load_policies(config, watcher)
    warm_start_s = time.perf_counter() - started
    entries = game_entries(config, policies)
    snapshots = Snapshots(run, policies)
    for policy in policies.values():
        snapshots.add(policy)
    runtime = LocalRuntime(entries, config.runtime.chunk_episodes)
    return Campaign(
        config=config,
        run=run,
        log=log,
        policies=policies,
        snapshots=snapshots,
        games=entries,
        schedule=planned(config),
        runtime=runtime,
        credit=_credit(config),
        evaluator=Evaluator(config.evaluation, config.seed, entries, exact_games(config), runtime),
        derived=DerivedMetrics(run.path),
        watcher=watcher,
        stop_requested=stop_requested,
        warm_start_s=warm_start_s,
    )


def restore_newest(campaign: Campaign) -> list[str]:
    """Continues a campaign from its newest whole checkpoint; returns what was set aside, in words.

    Segments committed after that checkpoint move to ``abandoned/``. Without a checkpoint the campaign starts again.

    Raises:
        CheckpointError: the newest checkpoint was altered.
    """
    notes = [f"ignored a torn checkpoint: {path.name}" for path in torn_folders(campaign.run.checkpoints)]
    folders = checkpoint_folders(campaign.run.checkpoints)
    if folders:
        restore(campaign, load_checkpoint(folders[-1]))
    campaign.log.abandon_after(campaign.rounds_done - 1)
    campaign.derived.close()
    campaign.derived = DerivedMetrics(campaign.run.path)
    return notes


def load_policies(config: CampaignConfig, watcher: Watcher) -> dict[str, Policy]:
    """Loads every policy's model into a policy of its own, at version 0, and into its engine."""
    policies: dict[str, Policy] = {}
    for name, policy in config.policies.items():
        loaded = _model(config, str(policy.model), watcher)
        renderer = Renderer(loaded.tokenizer)
        engine = build_part(engines, config.engine, "engine", config=loaded.model.config, reader=renderer)
        objective = build_part(objectives, policy.objective or {}, f"policies.{name}.objective")
        learner = Learner(policy, objective, loaded.model, config.rounds, config.seed) if policy.trained else None
        policies[name] = Policy(
            name=name, version=0, model=loaded.model, renderer=renderer, engine=engine, learner=learner
        )
        engine.load(policies[name].id, policies[name].weights())
    return policies


def game_entries(config: CampaignConfig, policies: Mapping[str, Policy]) -> dict[str, CampaignGame]:
    """Returns the games of a campaign, with everything that it chose for them."""
    sealed = {name: sealed_for(entry, config.evaluation.heldout) for name, entry in config.games.items()}
    played = {name: entry.params["domain"] for name, entry in config.games.items() if "domain" in entry.params}
    by_domain = {str(domain): sealed[name] for name, domain in played.items()}
    verifier = DomainVerifier(config.executor, sealed=by_domain)
    return {name: _game(config, name, entry, policies, verifier, sealed[name]) for name, entry in config.games.items()}


def _model(config: CampaignConfig, model: str, watcher: Watcher) -> LoadedModel:
    seed = config.seed if config.warm_start_seed is None else config.warm_start_seed
    if model == TINY_PROGRAMS:
        return load_directory(_programs(config, seed, watcher))
    if model != TINY:
        return load_directory(Path(model).expanduser())
    tasks = [Task(game=entry.game, params=entry.params) for entry in config.games.values()]
    names = sorted({task.game for task in tasks})

    def tell(fraction: float, distance: float) -> None:
        watcher.warm_start(fraction, f"teaching {TINY} the format of {', '.join(names)} (KL to uniform {distance:.3f})")

    return load_directory(warm_start(tasks, seed, progress=tell))


def _programs(config: CampaignConfig, seed: int, watcher: Watcher) -> Path:
    def tell(fraction: float, loss: float) -> None:
        watcher.warm_start(fraction, f"teaching {TINY_PROGRAMS} to read programs (loss {loss:.3f} nats)")

    return tiny_programs(seed, domain=taught_domain(config), progress=tell)


def _game(
    config: CampaignConfig,
    name: str,
    entry: GameConfig,
    policies: Mapping[str, Policy],
    verifier: Verifier,
    sealed: frozenset[str],
) -> CampaignGame:
    game = games.make(entry.game)
    where = f"games.{name}"
    seats = [_assignment(seat, entry.seats[seat], policies) for seat in game.spec.seats]
    return CampaignGame(
        name=name,
        game=game,
        params=entry.params,
        seats=seats,
        roles={seat: roles.make(place.role) for seat, place in entry.seats.items() if place.policy},
        group_size=entry.group_size,
        curriculum=build_part(
            curricula,
            entry.curriculum or {},
            f"{where}.curriculum",
            game=entry.game,
            seed=config.seed,
            base=entry.params,
            sealed=sealed,
            group_size=entry.group_size,
        ),
        matchmaking=build_part(matchmakers, entry.opponents or {}, f"{where}.opponents"),
        sampler=build_part(samplers, entry.sampler or {}, f"{where}.sampler"),
        illegal=illegal_rule(entry.illegal, f"{where}.illegal"),
        policies=policies,
        sampling=Sampling(max_tokens=config.sampling.max_tokens, temperature=config.sampling.temperature),
        masked=config.sampling.masked,
        verifier=verifier,
        sealed=sealed,
        hindsight=entry.hindsight,
    )


def _assignment(seat: str, place: SeatConfig, policies: Mapping[str, Policy]) -> SeatAssignment:
    trained = bool(place.policy) and policies[place.policy].learner is not None
    return SeatAssignment(seat=seat, role=place.role, policy=place.policy, trained=trained)


def _credit(config: CampaignConfig) -> CreditAssignment:
    built: dict[tuple[str, str], AdvantageEstimator] = {}
    names: dict[tuple[str, str], Mapping[str, object]] = {}
    for name, entry in config.games.items():
        for seat, place in entry.seats.items():
            if place.policy:
                part = place.estimator or {}
                names[entry.game, seat] = part
                built[entry.game, seat] = build_part(estimators, part, f"games.{name}.seats.{seat}.estimator")
    return CreditAssignment(built, names)
