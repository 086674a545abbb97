"""The experiments behind the README's figures: run, resumed, and collected by one command.

    python -m benchmarks.experiments [NAME ...] [--seeds 5] [--jobs 2]

Every run is an ordinary campaign with the fixed seed of its pair. A finished run is not run again; one that was
interrupted is resumed. Results are collected from the runs' own logs into ``docs/results/NAME.json``.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import mean, median
from typing import Any

from arena.log import read_events, read_metrics
from benchmarks.experiment_plans import EXPERIMENTS
from benchmarks.figures import draw
from training.heldout import heldout_metrics

RUNS = Path("runs/experiments")
RESULTS = Path("docs/results")
LAST = 10
"""Evaluations that the mean and the median of the end are taken over."""


def main(words: Sequence[str]) -> int:
    """Runs what is missing and collects all; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=list(EXPERIMENTS), metavar="NAME")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args(words)
    RESULTS.mkdir(parents=True, exist_ok=True)
    jobs = list(_jobs(asked.names, asked.seeds))
    with ThreadPoolExecutor(asked.jobs) as pool:
        codes = list(pool.map(lambda job: _run(*job), jobs))
    for name in asked.names:
        collect(name, asked.seeds)
    return max(codes, default=0)


def _jobs(names: Sequence[str], seeds: int) -> Iterator[tuple[str, str, int]]:
    for name in names:
        for seed in range(seeds):
            for arm in EXPERIMENTS[name].arms:
                yield name, arm, seed


def _run(name: str, arm: str, seed: int) -> int:
    root = _root(name, arm, seed)
    run = _newest(root)
    if (
        run is not None
        and (run / "summary.json").is_file()
        and json.loads((run / "summary.json").read_text())["complete"]
    ):
        return 0
    if run is not None and any((run / "checkpoints").glob("*/manifest.json")):
        command = ["resume", str(run)]
    else:
        command = ["train", *EXPERIMENTS[name].arms[arm], f"seed={seed}", f"output_root={root}"]
    root.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    with (root / "output.txt").open("a") as output:
        code = subprocess.run(
            [sys.executable, "-m", "training.cli", *command], stdout=output, stderr=output, env=environment, check=False
        ).returncode
    sys.stderr.write(
        f"{name} | {arm} | seed {seed}: {'done' if code == 0 else f'exit {code}, see {root}/output.txt'}\n"
    )
    return code


def _root(name: str, arm: str, seed: int) -> Path:
    label = "".join(letter if letter.isalnum() else "_" for letter in arm)
    return RUNS / name / label / f"seed{seed}"


def _newest(root: Path) -> Path | None:
    return max((path.parent for path in root.glob("*/*/config.yaml")), default=None)


def collect(name: str, seeds: int) -> dict[str, Any]:
    """Reads the finished runs of an experiment and writes its results and its figure."""
    experiment = EXPERIMENTS[name]
    arms = {}
    for arm in experiment.arms:
        runs = [_result(name, arm, seed) for seed in range(seeds)]
        arms[arm] = {"overrides": list(experiment.arms[arm]), "seeds": [one for one in runs if one is not None]}
    document = {"experiment": name, "title": experiment.title, "metric": experiment.metric}
    document |= {
        "label": experiment.label,
        "machine": machine(),
        "references": dict(experiment.references),
        "arms": arms,
    }
    (RESULTS / f"{name}.json").write_text(json.dumps(document, indent=1) + "\n")
    draw(document, RESULTS / f"{name}.svg")
    return document


def _result(name: str, arm: str, seed: int) -> dict[str, Any] | None:
    run = _newest(_root(name, arm, seed))
    if run is None or not (run / "summary.json").is_file():
        return None
    summary = json.loads((run / "summary.json").read_text())
    metric = EXPERIMENTS[name].metric
    curve = [(n + 1, metrics[metric]) for n, metrics in read_metrics(run).items() if metric in metrics]
    curve = [*_before_training(run, metric), *curve]
    last = [value for _, value in curve[-LAST:]]
    *_, measured = read_events(run, {"evaluated"})
    return {
        "seed": seed,
        "episodes": summary["episodes"],
        "wall_s": round(summary["wall_s"]["total"] + summary["wall_s"]["warm_start"], 1),
        "final": round(curve[-1][1], 4),
        "mean_of_last_10": round(mean(last), 4),
        "median_of_last_10": round(median(last), 4),
        "seats": {
            f"{one['seat']} against {one['opponent']}": {"games": one["games"], "not_lost_rate": one["not_lost_rate"]}
            for one in measured.fields["opponents"]
        },
        "also": {other: course for other in EXPERIMENTS[name].also if (course := _course(run, other))},
        "probes": [{key: one[key] for key in ("before", "after", "change")} for one in summary.get("probes", ())],
        "curve": [[n, round(value, 4)] for n, value in curve],
    }


def _course(run: Path, metric: str) -> dict[str, float]:
    """Returns where another metric began, the least it was, and where it ended; nothing where the run lacks it."""
    values = [value for _, value in _before_training(run, metric)]
    values += [metrics[metric] for metrics in read_metrics(run).values() if metric in metrics]
    if not values:
        return {}
    return {"first": round(values[0], 4), "least": round(min(values), 4), "last": round(values[-1], 4)}


def _before_training(run: Path, metric: str) -> Iterator[tuple[int, float]]:
    """Yields what the evaluation before the first round measured."""
    game = metric.partition("/")[0]
    first = next(event.fields for event in read_events(run, {"evaluated"}) if event.fields["game"] == game)
    if metric.endswith("nash_conv"):
        yield 0, first["nash_conv"]
    elif "not_lost_rate" in metric:
        yield 0, mean(one["not_lost_rate"][1] for one in first["opponents"])
    elif "solve_rate_heldout" in metric:
        (measured,) = first["heldout"]
        yield 0, heldout_metrics(measured)[metric.partition("/")[2]]


def machine() -> str:
    """Returns the machine in words."""
    return f"{platform.machine()}, {os.cpu_count()} cores, one thread a run, Python {platform.python_version()}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
