"""A resolved campaign in words: who sits where, what is trained and frozen, in which order, on what signal."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from arena.domains.verifier import domain_of
from arena.game import games
from curricula.curriculum import curricula
from curricula.learnability import rules
from training.config import CampaignConfig, GameConfig, PolicyConfig, SeatConfig
from training.estimators.estimator import estimators
from training.measurable import exact_games
from training.objectives.objective import objectives
from training.schedules.schedule import schedules


def explained(config: CampaignConfig) -> dict[str, list[str]]:
    """Returns sentences by heading, in the order in which a person wants them."""
    schedule = config.schedule
    return {
        "Campaign": [
            f"{config.name}: {config.rounds} rounds of {schedule.episodes_per_round} episodes, seed {config.seed}.",
            f"Schedule {schedule.kind}: {_first_line(schedules.factory(schedule.kind))} Games: {_list(config.games)}. "
            + _trained(config),
            f"Play and updates run in this process, {config.runtime.threads} thread(s), "
            f"{config.runtime.chunk_episodes} episodes side by side.",
        ],
        "Games": [line for name, entry in config.games.items() for line in _game(name, entry, config)],
        "Policies": [line for name, policy in config.policies.items() for line in _policy(name, policy, config)],
        "Credit": [line for name, entry in config.games.items() for line in _credit(name, entry, config)],
        "Sampling": [_sampling(config)],
        "Evaluation": _evaluation(config),
    }


def _list(names: Mapping[str, object]) -> str:
    return ", ".join(names)


def _trained(config: CampaignConfig) -> str:
    names = [name for name, policy in config.policies.items() if policy.trained]
    turns = [f"{name} for {length} round{'s' * (length > 1)}" for name, length in config.schedule.turns.items()]
    if turns:
        return f"They take turns at learning, over and over: {', then '.join(turns)}; the others play and stand still."
    return f"Each round then updates {' then '.join(names) if names else 'nothing (every policy is frozen)'}."


def _knobs(part: Mapping[str, Any] | None) -> str:
    knobs = {name: value for name, value in (part or {}).items() if name != "name"}
    inside = ", ".join(f"{name} {value}" for name, value in knobs.items())
    return f"{(part or {}).get('name')}" + (f" ({inside})" if inside else "")


def _first_line(factory: Callable[..., Any]) -> str:
    return (inspect.getdoc(factory) or "").split("\n\n", 1)[0].replace("\n", " ")


def _game(name: str, entry: GameConfig, config: CampaignConfig) -> list[str]:
    spec = games.make(entry.game).spec
    lines = [
        f"{name} is {entry.game} ({spec.payoff.value}, returns in {list(spec.returns_range)}): {spec.summary}",
        f"{name}: tasks by {_knobs(entry.curriculum)}, {entry.group_size} episode(s) a task, sampler "
        f"{_knobs(entry.sampler)}, opponents {_knobs(entry.opponents)}, illegal actions: "
        f"{entry.illegal or spec.illegal.kind}.",
        *_tasks(name, entry),
        *_domain(name, entry, config),
    ]
    for seat, place in entry.seats.items():
        who = f"policy {place.policy}" if place.policy else "a script"
        lines.append(f"{name}: seat {seat} is played by role {place.role} on {who}.")
    return lines


def _tasks(name: str, entry: GameConfig) -> list[str]:
    """Says what the curriculum does, and the rule by which it pays a proposer."""
    part = entry.curriculum or {}
    factory = curricula.factory(str(part.get("name")))
    lines = [f"{name}: curriculum {part.get('name')}: {_first_line(factory)}"]
    known = inspect.signature(factory).parameters
    if "rule" in known:
        rule = str(part.get("rule", known["rule"].default))
        lines.append(f"{name}: a proposal is paid by the learnability rule {rule}: {_first_line(rules.factory(rule))}")
    return lines


def _domain(name: str, entry: GameConfig, config: CampaignConfig) -> list[str]:
    """Says whose problems are posed, what judges them, which are kept apart, and what becomes of wrong answers."""
    if "domain" not in entry.params:
        return []
    domain, heldout, hindsight = domain_of(entry.params["domain"]), config.evaluation.heldout, entry.hindsight
    sealed = (
        f"{heldout.per_cell} sealed problems of each kind at each difficulty from 1 to {heldout.most_difficulty} "
        "measure the solvers; they are never posed, accepted as proposals, or trained"
    )
    wrong = (
        "verified stretches of wrong answers are trained as answers to what they do solve, "
        f"weight {hindsight.weight:g}, from difficulty {hindsight.least_difficulty} on"
    )
    return [
        f"{name}: problems are of the domain {domain.name} ({', '.join(domain.kinds)}), judged by its own verifier; "
        f"programs, where there are any, run in the executor {config.executor}.",
        f"{name}: {sealed if heldout.per_cell else 'no problems are sealed for measuring'}.",
        f"{name}: hindsight: {wrong if hindsight.weight else 'wrong answers are trained as nothing else'}.",
    ]


def _policy(name: str, policy: PolicyConfig, config: CampaignConfig) -> list[str]:
    if not policy.trained:
        return [f"{name}: {policy.model}, frozen."]
    optimiser, reference = policy.optimiser, policy.reference
    objective = objectives.factory(str((policy.objective or {}).get("name")))
    decay = (
        "constant"
        if optimiser.learning_rate_end == 1
        else f"falling along half a cosine to {optimiser.learning_rate_end:g} of it at round {config.rounds}"
    )
    near = {
        "none": "no reference policy",
        "initial": f"KL weight {reference.weight:g} to the policy before training",
        "moving": f"KL weight {reference.weight:g} to a copy of itself taken every {reference.every} rounds",
        "magnet": f"KL weight {reference.weight:g} to its own moving average over about {reference.every} rounds, "
        "which slows down with the learning rate",
        "ema": f"KL weight {reference.weight:g} to its own moving average over about {reference.every} rounds",
    }[reference.kind]
    lines = [
        f"{name}: {policy.model}, trained by AdamW, learning rate {optimiser.learning_rate:g}, {decay}.",
        f"{name}: objective {_knobs(policy.objective)}: {_first_line(objective)}",
        f"{name}: {_passes(policy)}, loss averaged by {policy.aggregation}, {near}, entropy weight "
        f"{policy.entropy_weight:g}.",
    ]
    if policy.evaluate_average:
        lines.append(f"{name}: a moving average of its weights is evaluated, decay {policy.evaluate_average:g} a step.")
    return lines


def _passes(policy: PolicyConfig) -> str:
    optimiser, replay = policy.optimiser, policy.replay
    if replay.rounds:
        return (
            f"each row is trained about {replay.passes:g} time(s) over {replay.rounds} round(s), "
            f"{optimiser.batch_rows} rows a step"
        )
    steps = f"steps of {optimiser.batch_rows} rows" if optimiser.batch_rows else f"{optimiser.minibatches} step(s)"
    return f"{optimiser.epochs} pass(es) of {steps} a round"


def _credit(name: str, entry: GameConfig, config: CampaignConfig) -> list[str]:
    return [_seat_credit(name, seat, place, config) for seat, place in entry.seats.items() if place.policy]


def _seat_credit(name: str, seat: str, place: SeatConfig, config: CampaignConfig) -> str:
    if not config.policies[place.policy].trained:
        return f"{name}: seat {seat} is not trained."
    factory = estimators.factory(str((place.estimator or {}).get("name")))
    return f"{name}: seat {seat} is credited by {_knobs(place.estimator)}: {_first_line(factory)}"


def _sampling(config: CampaignConfig) -> str:
    if config.sampling.masked:
        return "Answers are drawn among the legal ones, and trained under the same mask."
    return (
        f"Answers are free text of at most {config.sampling.max_tokens} tokens; an illegal one meets the game's rule."
    )


def _evaluation(config: CampaignConfig) -> list[str]:
    exact = sorted(exact_games(config))
    against = [name for name, on in config.evaluation.against.items() if on]
    lines = [f"Every {config.evaluate_every} rounds and at the end."]
    lines.append(f"Exact NashConv: {', '.join(exact) if exact else 'no game'}.")
    games_played = f"{config.evaluation.games} games a seat against {', '.join(against)}"
    lines.append(f"Win rates: {games_played if against else 'nobody'}.")
    probes = [name for name, on in config.evaluation.probes.items() if on]
    if probes:
        lines.append(f"Held-out questions before and after, never trained: {', '.join(probes)}.")
    return lines
