"""Makes the attacks importable, and plants what they look for."""

import os
import secrets
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "attacks"))

from siege import Canary


@pytest.fixture(scope="module")
def canary(tmp_path_factory):
    """A secret in a file and in the environment; to be asked for before an executor starts."""
    folder = tmp_path_factory.mktemp("canary")
    planted = Canary(secret=f"canary-{secrets.token_hex(8)}", file=folder / "secret.txt", target=folder / "target")
    planted.file.write_text(planted.secret)
    os.environ["LUDUS_CANARY"] = planted.secret
    yield planted
    del os.environ["LUDUS_CANARY"]
