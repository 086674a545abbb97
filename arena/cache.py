"""Results that took long to compute, remembered on disk under ``$LUDUS_CACHE`` (default ``~/.cache/ludus``).

A result is named by the hash of everything that determines it, so nothing is ever out of date; it is written beside
its place and renamed, so two processes may compute the same one at once, and a killed one leaves nothing that looks
finished. A cache that cannot be read or written costs time, never a result.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any


def cache_root() -> Path:
    """Returns ``$LUDUS_CACHE``, or ``~/.cache/ludus`` when it is not set."""
    return Path(os.environ.get("LUDUS_CACHE") or Path.home() / ".cache" / "ludus")


def remembered(kind: str, key: object, make: Callable[[], Any]) -> Any:  # noqa: ANN401  (any JSON value)
    """Returns what ``make`` returns, from disk when it was made before.

    Args:
        kind: the folder under ``cache_root()``.
        key: everything that determines the result, as JSON values.
        make: computes the result, a JSON value.
    """
    name = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()[:16]
    place = cache_root() / kind / f"{name}.json"
    with suppress(OSError, ValueError):  # absent, unreadable or torn by a full disk: it is made again
        return json.loads(place.read_text(encoding="utf-8"))
    made = make()
    with suppress(OSError):
        _write(place, json.dumps(made))
    return made


def _write(place: Path, text: str) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    descriptor, draft = tempfile.mkstemp(prefix=f".{place.name}-", dir=place.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(draft, place)
    except OSError:
        with suppress(OSError):
            os.unlink(draft)
        raise
