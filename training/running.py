"""Starting and resuming a run from outside: directory, lock, signals, loop, summary, report."""

from __future__ import annotations

import gc
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from arena.errors import ConfigError
from training.assembly import assemble, check_models, restore_newest
from training.campaign import Campaign
from training.config import CampaignConfig
from training.display import Display
from training.extensions import load_extensions, load_recorded_extensions, record_extensions
from training.interrupts import StopSignal, stop_on_signals
from training.run_directory import RunDirectory, create_run, replace_config
from training.summary import write_summary


def start(config: CampaignConfig, overrides: Sequence[str] = ()) -> Path:
    """Runs a new campaign and returns its directory.

    Args:
        config: a resolved config.
        overrides: what the user changed, for the record.

    Raises:
        InputError: a model cannot be used; no directory was made.
        RunError: the run failed after work had begun.
        KeyboardInterrupt: it was interrupted, after a checkpoint.
    """
    check_models(config)
    hashes = load_extensions(config)
    run = create_run(config, overrides)
    record_extensions(run, hashes)
    with (
        stop_on_signals() as stop,
        Display(config, run.path) as display,
        closing(assemble(config, run, display, stop)) as campaign,
    ):
        campaign.checkpoint()
        _play(campaign, display, stop)
    return run.path


def resume(path: Path, rounds: int | None = None, accept_change: bool = False, trust: bool = False) -> Path:
    """Continues a run exactly where it stopped.

    Args:
        path: its directory.
        rounds: a new total number of rounds.
        accept_change: allow the new total to change the learning rates of a schedule that decays.
        trust: run extensions that are not the files the run was made with.

    Raises:
        InputError: there is no run, or the change was not accepted.
        CheckpointError: the newest checkpoint was altered.
        KeyboardInterrupt: it was interrupted, after a checkpoint.
    """
    run = RunDirectory(path)
    config = run.config()
    load_recorded_extensions(run, config, trust)
    if rounds is not None and rounds != config.rounds:
        config = _extended(config, rounds, accept_change)
    with (
        stop_on_signals() as stop,
        Display(config, run.path) as display,
        closing(assemble(config, run, display, stop)) as campaign,
    ):
        for note in restore_newest(campaign):
            display.note(note)
        replace_config(run, config)
        if campaign.schedule.next(campaign.rounds_done) is None:
            display.note(f"already complete: {campaign.rounds_done} of {config.rounds} rounds are done")
        else:
            display.resumed(campaign.rounds_done)
            campaign.resumed = True
        _play(campaign, display, stop)
    return run.path


def _extended(config: CampaignConfig, rounds: int, accept_change: bool) -> CampaignConfig:
    decays = any(policy.optimiser.learning_rate_end != 1.0 for policy in config.policies.values())
    if rounds < config.rounds:
        raise ConfigError(f"resume --rounds: expected at least {config.rounds}, got {rounds}; rounds are never undone")
    if decays and not accept_change:
        raise ConfigError(
            f"resume --rounds: expected --accept-change, got {config.rounds} -> {rounds} without it: the learning rate "
            "decays over the rounds, so a new total changes it"
        )
    config.rounds = rounds
    return config


def _play(campaign: Campaign, display: Display, stop: StopSignal) -> None:
    started = time.perf_counter()
    # A round makes and drops some 100,000 values without cycles: looking for cycles among them is a tenth of its time.
    gc.freeze()
    gc.set_threshold(200_000, 20, 100)
    complete = campaign.play()
    write_summary(campaign, time.perf_counter() - started, complete)
    from curricula.report.report import write_report

    write_report(campaign.run.path)
    display.finished(complete)
    if stop.requested and not complete:
        raise KeyboardInterrupt
