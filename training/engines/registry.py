"""The registry of inference engines."""

from __future__ import annotations

from arena.registry import Registry
from training.engines.engine import Engine

engines: Registry[Engine] = Registry("engine", "training.engines")
"""Every registered engine, by name (``torch``, ``table``)."""
