"""Every registered curriculum passes its check."""

from __future__ import annotations

from typing import Any

import pytest

from curricula.curriculum import curricula
from curricula.testing import check_curriculum

KNOBS: dict[str, dict[str, Any]] = {"uniform": {"game": "kuhn_poker-v0", "seed": 3}}
"""Curriculum -> knobs without a default."""


@pytest.mark.parametrize("name", curricula.names())
def test_curriculum(name: str) -> None:
    check_curriculum(lambda: curricula.make(name, **KNOBS.get(name, {})))
