"""Composing a campaign from YAML and overrides, with every mistake named.

Hydra composes, the typed schema is merged over what it composed (so that a key nobody knows is an error even behind
``+``), and ``resolve`` checks the rest. ``ludus train`` does this before it hands over to Hydra.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

from hydra import compose, initialize_config_dir
from hydra.core.config_store import ConfigStore
from hydra.core.global_hydra import GlobalHydra
from hydra.errors import HydraException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from arena.errors import ConfigError, InputError, LudusError, unknown_name
from training.config import CampaignConfig
from training.extensions import load_extensions
from training.resolve import resolve
from training.shipped_configs import configs_folder

SHOW_ALL = "`ludus train campaign=NAME --cfg job` shows all keys"


def register_schema() -> None:
    """Makes the typed schema known to Hydra, under the name that ``config.yaml`` starts from."""
    ConfigStore.instance().store(name="campaign_schema", node=CampaignConfig)


def compose_campaign(overrides: Sequence[str], config_dir: Path | None = None) -> CampaignConfig:
    """Returns the resolved config of ``campaign=NAME`` with its overrides; loads what it extends.

    Args:
        overrides: in Hydra's words.
        config_dir: a folder with campaigns of the user's own, in ``campaign/``.

    Raises:
        InputError: anything that is wrong with it; nothing was done.
    """
    _check_campaign_is_named(overrides, config_dir)
    register_schema()
    own = [] if config_dir is None else [f"hydra.searchpath=[file://{config_dir.resolve()}]"]
    GlobalHydra.instance().clear()
    try:
        with initialize_config_dir(str(configs_folder()), version_base="1.3"):
            composed = compose("config", overrides=[*own, *overrides])
    except (HydraException, OmegaConfBaseException) as error:
        raise _explained(f"{error}\n{error.__cause__ or ''}") from error
    return complete(composed)


def complete(composed: DictConfig) -> CampaignConfig:
    """Returns the typed, resolved config of what Hydra composed; loads what it extends.

    Raises:
        InputError: anything that is wrong with it.
    """
    config = typed(composed)
    load_extensions(config)
    return resolve(config)


def typed(composed: DictConfig) -> CampaignConfig:
    """Returns what Hydra composed as the typed schema.

    Raises:
        InputError: a key is unknown (the nearest known ones are listed) or a value is of the wrong type.
    """
    try:
        plain = OmegaConf.to_container(composed, resolve=True)
    except OmegaConfBaseException as error:
        raise _explained(str(error)) from error
    if not isinstance(plain, dict):
        raise ConfigError(f"config: expected a mapping, got {type(plain).__name__}; correct the file")
    plain.pop("hydra", None)
    refuse_targets(plain, "")
    refuse_unknown_keys(plain, CampaignConfig, "")
    try:
        config = OmegaConf.to_object(OmegaConf.merge(OmegaConf.structured(CampaignConfig), plain))
    except LudusError:
        raise
    except (OmegaConfBaseException, ValueError, TypeError) as error:
        raise _explained(str(error)) from error
    if not isinstance(config, CampaignConfig):
        raise ConfigError(f"config: expected a campaign, got {type(config).__name__}; correct the file")
    return config


def refuse_unknown_keys(value: Any, schema: Any, where: str) -> None:  # noqa: ANN401 - any YAML value and annotation
    """Raises for the first key that the schema does not know, with the nearest ones."""
    schema = next((arg for arg in get_args(schema) if arg is not type(None)), schema) if _optional(schema) else schema
    if not isinstance(value, dict):
        return
    if is_dataclass(schema):
        known = {field.name for field in fields(schema)}
        hints = get_type_hints(schema)
        for key, inner in value.items():
            if key not in known:
                raise unknown_name(f"config key {where}{key}", str(key), known)
            refuse_unknown_keys(inner, hints[key], f"{where}{key}.")
    elif get_origin(schema) is dict:
        for key, inner in value.items():
            refuse_unknown_keys(inner, get_args(schema)[1], f"{where}{key}.")


def refuse_targets(value: Any, where: str) -> None:  # noqa: ANN401 - any YAML value
    """Raises for ``_target_``: parts are named, and custom Python enters through ``extend`` only.

    Raises:
        ConfigError: a key ``_target_`` stands anywhere.
    """
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "_target_":
                raise ConfigError(
                    f"config key {where}_target_: expected the name of a registered part, got {inner!r}; write "
                    "{name: ...} and load your own code with extend"
                )
            refuse_targets(inner, f"{where}{key}.")
    if isinstance(value, list):
        for index, inner in enumerate(value):
            refuse_targets(inner, f"{where}{index}.")


def _optional(schema: Any) -> bool:  # noqa: ANN401 - any annotation
    return type(None) in get_args(schema)


def _check_campaign_is_named(overrides: Sequence[str], config_dir: Path | None) -> None:
    folders = [configs_folder(), *([] if config_dir is None else [config_dir])]
    known = [path.stem for folder in folders for path in (folder / "campaign").glob("*.yaml")]
    named = [match[1] for word in overrides if (match := re.fullmatch(r"campaign=(.*)", word))]
    if not named:
        raise ConfigError(f"campaign: expected campaign=NAME, got none; known: {', '.join(sorted(known))}")
    if named[-1] not in known:
        raise unknown_name("campaign", named[-1], known)


def _explained(message: str) -> InputError:
    """Returns a one-line error in our words for what Hydra or OmegaConf said."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    if match := re.search(r"Key '([^']+)' (?:is not in struct|not in '(\w+)')", message):
        full_key = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("full_key")), match[1])
        return _unknown_override(full_key)
    if match := re.search(r"Could not override '([^']+)'", message):
        return _unknown_override(match[1])
    if match := re.search(r"Could not find '(\w+)/([^']*)'", message):
        return unknown_name(match[1], match[2], [path.stem for path in (configs_folder() / match[1]).glob("*.yaml")])
    head = next((line for line in lines if not line.startswith("Error merging")), "nothing")
    place = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("full_key")), "config")
    return ConfigError(
        f"{place}: expected a value that fits, got: {head}; `ludus train campaign=... --cfg job` shows all"
    )


def _unknown_override(full_key: str) -> InputError:
    key, known = full_key.rsplit(".", 1)[-1], _known_keys(full_key)
    if not known or key in known:
        return ConfigError(f"config key {full_key}: expected a key that the campaign has, got a new one; {SHOW_ALL}")
    return unknown_name(f"config key {full_key}", key, known)


def _known_keys(full_key: str) -> list[str]:
    schema: Any = CampaignConfig
    for part in full_key.split(".")[:-1]:
        if is_dataclass(schema):
            schema = get_type_hints(schema).get(part, Any)
        elif get_origin(schema) is dict:
            schema = get_args(schema)[1]
    return [field.name for field in fields(schema)] if is_dataclass(schema) else []
