"""Every registered curriculum passes its check."""

from __future__ import annotations

import pytest

from curricula.curriculum import curricula
from curricula.testing import check_curriculum, setting_for


@pytest.mark.parametrize("name", curricula.names())
def test_curriculum(name: str) -> None:
    setting = setting_for(curricula.factory(name))
    check_curriculum(lambda: curricula.make(name, **setting, seed=3))
