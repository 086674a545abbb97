"""Where this installation lies, and whether a user's folder hides one of its packages.

``arena``, ``roles``, ``curricula`` and ``training`` are common names: a folder of that name beside a user's script goes
before the installed package on Python's path. The four belong together, so they must lie side by side. Only the
standard library is imported here, because the check runs before anything of Ludus is imported.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
from pathlib import Path

PACKAGES = ("arena", "roles", "curricula", "training")

HOME = Path(__file__).resolve().parents[2]
"""The folder that holds the four packages: a source tree or ``site-packages``."""


def shadowed(home: Path = HOME) -> str:
    """Returns why the four packages do not belong together, or an empty text when they do."""
    for package in PACKAGES:
        spec = importlib.util.find_spec(package)
        origin = spec.origin if spec is not None else None
        if origin is None or Path(origin).resolve() != home / package / "__init__.py":
            return (
                f"ludus: expected the package '{package}' from {home / package}, got {origin or 'none'}; "
                f"rename your own '{package}' or start from another folder (PYTHONPATH counts too)"
            )
    return ""


def version() -> str:
    """Returns the version of the installed distribution."""
    try:
        return importlib.metadata.version("ludus-arena")
    except importlib.metadata.PackageNotFoundError:
        return "0 (a source tree that is not installed)"
