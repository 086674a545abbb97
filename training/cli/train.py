"""``ludus train``: checks the whole campaign first, then hands over to Hydra."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import typer

from training.cli.extras import require

if TYPE_CHECKING:
    from omegaconf import DictConfig


def command(context: typer.Context) -> None:
    """Run a campaign: campaign=NAME [key=value ...] [-m] [--cfg job] [--info ...]."""
    require("train", "train")
    words = list(context.args)
    overrides = [word for word in words if "=" in word and not word.startswith("--")]
    flags = [word for word in words if word.startswith("-")]
    multirun = any(flag in {"-m", "--multirun"} for flag in flags)
    if not flags or multirun:
        _check(overrides, multirun)
    _hand_over(words)


def _check(overrides: list[str], multirun: bool) -> None:
    from hydra._internal.core_plugins.basic_sweeper import BasicSweeper
    from hydra.core.override_parser.overrides_parser import OverridesParser

    from training.assembly import check_models
    from training.compose import compose_campaign

    jobs = [overrides]
    if multirun:
        jobs = BasicSweeper.split_arguments(OverridesParser.create().parse_overrides(overrides), None)[0]
    for job in jobs:
        check_models(compose_campaign(list(job)))


def _hand_over(words: list[str]) -> None:
    import hydra

    from training.compose import configs_directory, register_schema

    register_schema()

    def job(composed: DictConfig) -> None:
        from hydra.core.hydra_config import HydraConfig

        from training.compose import typed
        from training.resolve import resolve
        from training.running import start

        start(resolve(typed(composed)), list(HydraConfig.get().overrides.task))

    sys.argv = ["ludus train", *words]
    hydra.main(config_path=str(configs_directory()), config_name="config", version_base="1.3")(job)()
