"""``summary.json``: the run on one page, derived from the log alone so that a resumed run has the whole of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from arena.log import read_events, read_metrics, read_timings
from training.campaign import Campaign
from training.probe import change

SCHEMA_VERSION = 1
WALL = {
    "rollout_s": "rollout",
    "update_s": "update",
    "verify_s": "verify",
    "evaluate_s": "evaluate",
    "round_s": "total",
}
"""Clock times of a round by their short names; verification is a part of rollout and of evaluation."""

MORE_IS_BETTER = ("rate_vs", "return_vs", "solve_rate", "valid_rate", "label_accuracy")
"""What the names of metrics hold whose best value is their greatest; the best of any other is its least."""


def write_summary(campaign: Campaign, seconds: float, complete: bool) -> dict[str, Any]:
    """Writes and returns the summary of a run.

    Args:
        campaign: after its last round.
        seconds: wall-clock time of this process's rounds.
        complete: whether the schedule has ended.
    """
    path = campaign.run.path
    rounds = list(read_metrics(path).values())
    totals = {
        name: sum(m.get(name, 0.0) for m in rounds) for name in ("episodes", "prompt_tokens", "completion_tokens")
    }
    wall = _wall(read_timings(path))
    summary = {
        "schema_version": SCHEMA_VERSION,
        "campaign": campaign.config.name,
        "seed": campaign.config.seed,
        "rounds": campaign.rounds_done,
        "complete": complete,
        "episodes": int(totals["episodes"]),
        "tokens": {"prompt": int(totals["prompt_tokens"]), "completion": int(totals["completion_tokens"])},
        "wall_s": wall | {"this_process": seconds, "warm_start": campaign.warm_start_s},
        "policies": {n: {"version": p.version, "sha256": p.digest()} for n, p in campaign.policies.items()},
        "metrics": first_last_best(rounds),
        "ends": _ends(rounds),
        "probes": probe_changes(path),
        "rates": _rates(rounds, totals, wall),
        "cost": _cost(rounds, wall),
        "alarms": [{"round": event.round, **event.fields} for event in read_events(path, {"alarm"})],
    }
    campaign.run.summary.write_text(json.dumps(summary, indent=1))
    return summary


def _ends(rounds: Iterable[Mapping[str, float]]) -> dict[str, int]:
    """Returns how many episodes of the whole run ended how; the rest was played out."""
    counts = {end: 0.0 for end in ("forfeit", "truncated", "failed")}
    total = 0.0
    for metrics in rounds:
        total += metrics.get("episodes", 0.0)
        for end in counts:
            counts[end] += metrics.get(f"{end}_rate", 0.0) * metrics.get("episodes", 0.0)
    whole = {end: round(count) for end, count in counts.items()}
    return {"played_out": round(total) - sum(whole.values()), **whole}


def probe_changes(run: Path) -> list[dict[str, Any]]:
    """Returns for each probe and policy its accuracy before and after, and the change, each as (low, mid, high)."""
    asked: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for event in read_events(run, {"probed"}):
        asked.setdefault((event.fields["probe"], event.fields["policy"]), []).append(event.fields)
    return [
        {
            "probe": probe,
            "policy": policy,
            "questions": events[0]["questions"],
            "before": events[0]["accuracy"],
            "after": events[-1]["accuracy"],
            "change": list(change(events[0]["p_right"], events[-1]["p_right"])),
        }
        for (probe, policy), events in asked.items()
        if len(events) > 1
    ]


def _wall(timings: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    wall = dict.fromkeys(WALL.values(), 0.0) | {"sync": 0.0}
    for timing in timings:
        for name, short in WALL.items():
            wall[short] += float(timing.get(name, 0.0))
    return wall


def _cost(rounds: Iterable[Mapping[str, float]], wall: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """Returns tokens by role, and rollout seconds shared out by tokens."""
    tokens: dict[str, float] = {}
    for metrics in rounds:
        for name, value in metrics.items():
            if name.startswith("role_tokens/"):
                role = name.removeprefix("role_tokens/")
                tokens[role] = tokens.get(role, 0.0) + value
    whole = sum(tokens.values())
    return {role: {"tokens": n, "seconds": wall["rollout"] * n / whole} for role, n in tokens.items()}


def _rates(
    rounds: Iterable[Mapping[str, float]], totals: Mapping[str, float], wall: Mapping[str, float]
) -> dict[str, float]:
    tokens = totals["prompt_tokens"] + totals["completion_tokens"]
    rows = sum(value for metrics in rounds for name, value in metrics.items() if name.endswith("/rows"))
    return {
        "update_samples_per_s": rows / wall["update"] if wall["update"] else 0.0,
        "episodes_per_s": totals["episodes"] / wall["total"] if wall["total"] else 0.0,
        "rollout_tokens_per_s": tokens / wall["rollout"] if wall["rollout"] else 0.0,
    }


def first_last_best(rounds: Iterable[Mapping[str, float]]) -> dict[str, dict[str, float]]:
    """Returns where each metric began and ended, its best value, and the upper median of its last ten values."""
    values: dict[str, list[float]] = {}
    for metrics in rounds:
        for name, value in metrics.items():
            values.setdefault(name, []).append(value)
    return {
        name: {
            "first": series[0],
            "last": series[-1],
            "best": max(series) if any(part in name for part in MORE_IS_BETTER) else min(series),
            "median_of_last_10": sorted(series[-10:])[len(series[-10:]) // 2],
        }
        for name, series in sorted(values.items())
    }
