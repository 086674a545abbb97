"""``ludus train``: checks the whole campaign first, then hands over to Hydra."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from training.cli.extras import require

if TYPE_CHECKING:
    from omegaconf import DictConfig


def command(context: typer.Context) -> None:
    """Run a campaign: campaign=NAME key=value ... (-m, --cfg job, --info as in Hydra)."""
    require("train", "train")
    words = list(context.args)
    overrides = [word for word in words if "=" in word and not word.startswith("--")]
    flags = [word for word in words if word.startswith("-")]
    multirun = any(flag in {"-m", "--multirun"} for flag in flags)
    own = _config_dir(words)
    if not [flag for flag in flags if not flag.startswith("--config-dir")] or multirun:
        _check(overrides, multirun, own)
    _hand_over(words, multirun)


def _config_dir(words: list[str]) -> Path | None:
    for index, word in enumerate(words):
        if word in {"--config-dir", "-cd"} and index + 1 < len(words):
            return Path(words[index + 1])
        if word.startswith("--config-dir="):
            return Path(word.partition("=")[2])
    return None


def _check(overrides: list[str], multirun: bool, config_dir: Path | None) -> None:
    from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
    from hydra.core.override_parser.overrides_parser import OverridesParser

    from training.assembly import check_models
    from training.compose import compose_campaign

    jobs = [overrides]
    if multirun:
        jobs = BasicSweeper.split_arguments(OverridesParser.create().parse_overrides(overrides), None)[0]
    for job in jobs:
        check_models(compose_campaign(list(job), config_dir))


def _hand_over(words: list[str], multirun: bool) -> None:
    import hydra

    from arena.errors import LudusError
    from training.compose import register_schema
    from training.shipped_configs import configs_folder

    register_schema()
    outcomes: list[tuple[str, Path | LudusError]] = []

    def job(composed: DictConfig) -> None:
        from hydra.core.hydra_config import HydraConfig

        from training.compose import complete
        from training.running import start

        overrides = list(HydraConfig.get().overrides.task)
        try:
            outcomes.append((" ".join(overrides), start(complete(composed), overrides)))
        except LudusError as error:
            outcomes.append((" ".join(overrides), error))
            if multirun:
                typer.echo(str(error), err=True)

    sys.argv = ["ludus train", *words]
    hydra.main(config_path=str(configs_folder()), config_name="config", version_base="1.3")(job)()
    if multirun:
        _conclude(outcomes)
    for _, outcome in outcomes:
        if isinstance(outcome, LudusError):
            raise outcome


def _conclude(outcomes: Sequence[tuple[str, Path | Exception]]) -> None:
    """Shows how every job of a sweep ended; one that failed stopped no other."""
    from training.cli.printing import show, table

    rows = [(words, f"failed: {end}" if isinstance(end, Exception) else str(end)) for words, end in outcomes]
    show([], False, [table(("job", "run"), rows)])
