"""The four packages must lie side by side; a user's folder that hides one is named."""

import os
import subprocess
import sys
from pathlib import Path

import arena
from training.cli.installation import HOME, shadowed, version

ROOT = Path(__file__).parents[3]


def test_here_nothing_is_hidden():
    assert shadowed() == ""
    assert Path(arena.__file__).resolve() == HOME / "arena" / "__init__.py"


def test_a_users_folder_of_the_same_name_is_named(tmp_path):
    (tmp_path / "arena").mkdir()
    (tmp_path / "arena" / "__init__.py").write_text("")
    path = os.pathsep.join([str(tmp_path), str(ROOT)])
    done = subprocess.run(
        [sys.executable, "-m", "training.cli", "list", "games"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 2
    assert f"expected the package 'arena' from {ROOT / 'arena'}" in done.stderr
    assert "Traceback" not in done.stderr


def test_version_begins_with_a_digit():
    assert version()[0].isdigit()
