"""What a campaign may ask of domains and their verifier, before anything is played."""

from __future__ import annotations

import inspect
from contextlib import closing

from arena.domains.verifier import DomainVerifier
from arena.errors import CapabilityError, ConfigError
from arena.executors.executor import executors
from arena.game import games
from arena.games.propose_solve import PROPOSER
from curricula.curriculum import curricula
from training.config import CampaignConfig, GameConfig, HeldoutConfig
from training.objectives.objective import objectives
from training.parts import build_part, one_of

TINY, TINY_PROGRAMS = "ludus-tiny", "ludus-tiny-programs"


def check_domains(config: CampaignConfig) -> None:
    """Refuses executors, held-out sets and hindsight that cannot work.

    Raises:
        UnknownNameError: nobody is registered under a name.
        ConfigError: a number is out of range, or an objective cannot train rows that nobody sampled.
    """
    one_of(executors.names(), executor=config.executor)
    _check_heldout(config.evaluation.heldout)
    for name, entry in config.games.items():
        _check_hindsight(config, f"games.{name}.hindsight", entry)
        if config.evaluation.heldout.per_cell and "domain" in entry.params:
            _check_curriculum(f"games.{name}.curriculum", entry)


def check_tiny_models(config: CampaignConfig) -> None:
    """Refuses the tiny models for games that they cannot be taught.

    Raises:
        ConfigError: ``ludus-tiny-programs`` without one domain.
        CapabilityError: ``ludus-tiny`` with a game of free text.
    """
    models = {str(policy.model) for policy in config.policies.values()}
    if TINY_PROGRAMS in models:
        taught_domain(config)
    free = [entry.game for entry in config.games.values() if games.make(entry.game).spec.actions is None]
    if TINY in models and free:
        raise CapabilityError(
            f"model: expected games with finite actions for {TINY}, got {free[0]} with free text; choose "
            f"{TINY_PROGRAMS} for a domain of programs, or a Hugging Face model directory"
        )


def taught_domain(config: CampaignConfig) -> str:
    """Returns the one domain of a campaign's games, whose problems ``ludus-tiny-programs`` is taught.

    Raises:
        ConfigError: there is none, or several.
    """
    names = used_domains(config)
    if len(names) != 1:
        raise ConfigError(
            f"model: expected one domain for {TINY_PROGRAMS}, got {', '.join(names) or 'none'}; "
            "set games.NAME.params.domain, for example to python_trace"
        )
    return names[0]


def used_domains(config: CampaignConfig) -> list[str]:
    """Returns the domains that the campaign's games name, sorted."""
    return sorted({str(entry.params["domain"]) for entry in config.games.values() if "domain" in entry.params})


def check_verifiers(config: CampaignConfig) -> None:
    """Opens and closes what judges each domain, so that a missing part shows before a run directory is made.

    Raises:
        CapabilityError: an extra or a layer of the sandbox is missing.
    """
    with closing(DomainVerifier(config.executor)) as verifier:
        for name in used_domains(config):
            verifier.open(name)


def _check_heldout(heldout: HeldoutConfig) -> None:
    least = {"per_cell": 0, "most_difficulty": 1, "seed": 0}
    for name, value in least.items():
        if getattr(heldout, name) < value:
            raise ConfigError(
                f"evaluation.heldout.{name}: expected a number of at least {value}, got {getattr(heldout, name)}; "
                "change it"
            )


def _check_curriculum(where: str, entry: GameConfig) -> None:
    """Refuses a curriculum that is not told which problems are sealed, and so might pose them."""
    name = str((entry.curriculum or {}).get("name"))
    if "sealed" not in inspect.signature(curricula.factory(name)).parameters:
        raise ConfigError(
            f"{where}: expected one that keeps sealed problems out (it takes `sealed`), got {name}; choose another, "
            "for example generated, or set evaluation.heldout.per_cell=0"
        )


def _check_hindsight(config: CampaignConfig, where: str, entry: GameConfig) -> None:
    """Refuses hindsight without a domain, and for policies whose objective needs the probability of sampling."""
    wanted = entry.hindsight
    if not 0 <= wanted.weight < float("inf"):
        raise ConfigError(f"{where}.weight: expected a number of at least 0, got {wanted.weight}; change it")
    if wanted.least_difficulty < 1:
        raise ConfigError(f"{where}.least_difficulty: expected at least 1, got {wanted.least_difficulty}; raise it")
    if not wanted.weight:
        return
    if "domain" not in entry.params:
        raise ConfigError(f"{where}.weight: expected 0 for a game without a domain, got {wanted.weight}; set it to 0")
    if entry.params.get("pay") == "nothing":
        raise ConfigError(
            f"{where}.weight: expected 0 where answers are paid by vote (params.pay=nothing), got {wanted.weight}: it "
            "learns from verdicts, which such a campaign must not see; set it to 0"
        )
    _check_hindsight_objectives(config, where, entry)


def _check_hindsight_objectives(config: CampaignConfig, where: str, entry: GameConfig) -> None:
    for seat, place in entry.seats.items():
        if seat == PROPOSER or not place.policy or not config.policies[place.policy].trained:
            continue
        objective = build_part(
            objectives, config.policies[place.policy].objective or {}, f"policies.{place.policy}.objective"
        )
        if not objective.accepts_replaced:
            raise ConfigError(
                f"{where}.weight: expected an objective that trains rows which nobody sampled, got {objective.name} "
                f"for policy {place.policy}; choose objective=nll or set the weight to 0"
            )
