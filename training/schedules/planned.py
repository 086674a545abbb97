"""From a resolved config to its schedule; what a schedule does not take is refused instead of being ignored."""

from __future__ import annotations

import inspect

from arena.errors import ConfigError
from training.config import CampaignConfig
from training.schedules.schedule import Schedule, schedules


def planned(config: CampaignConfig) -> Schedule:
    """Returns the schedule of a campaign.

    Raises:
        ConfigError: ``turns`` are set for a schedule without turns, or do not fit the policies.
        UnknownNameError: there is no such schedule, or a turn belongs to nobody.
    """
    factory = schedules.factory(config.schedule.kind, "schedule.kind")
    knobs: dict[str, object] = {}
    if "turns" in inspect.signature(factory).parameters:
        knobs["turns"] = config.schedule.turns
    elif config.schedule.turns:
        raise ConfigError(
            f"schedule.turns: expected none for schedule {config.schedule.kind}, got {config.schedule.turns}; set "
            "schedule.kind=alternating"
        )
    return schedules.make(
        config.schedule.kind,
        rounds=config.rounds,
        episodes_per_round=config.schedule.episodes_per_round,
        shares={name: entry.share for name, entry in config.games.items()},
        trained=frozenset(name for name, policy in config.policies.items() if policy.trained),
        **knobs,
    )
