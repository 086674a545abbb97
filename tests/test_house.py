"""The house rules that no other tool holds: imports, what needs torch, what the wheel holds, how long files are."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("arena", "roles", "curricula", "training")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
SHARED = {"training/display.py", "training/extensions.py"}
"""The modules that campaigns and the command line share: they speak on the user's terminal."""
MOST_LINES = 350
MOST_FUNCTION_LINES = 60

# What each room may import at the head of a module besides the standard library and the rooms below it.
ALLOWED = {
    "arena": {"arena", "numpy", "gymnasium", "pettingzoo", "networkx", "pyarrow"},
    "roles": {"roles", "arena", "numpy"},
    "curricula": {"curricula", "arena", "numpy", "networkx", "pyarrow"},
}

WITHOUT = """
import importlib.machinery, sys
class Without(importlib.machinery.PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name.partition(".")[0] in {heavy!r} else super().find_spec(name, path, target)
sys.meta_path[:] = [Without if finder is importlib.machinery.PathFinder else finder for finder in sys.meta_path]
"""
HEAVY = ["torch", "transformers", "tokenizers", "safetensors", "hydra", "omegaconf", "ray", "duckdb", "plotly"]


def sources(*folders):
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def identify(path):
    return str(path.relative_to(ROOT))


def run(code, *, cwd=ROOT):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, "-c", code], cwd=cwd, env=environment, capture_output=True, text=True, timeout=100
    )


def imported_at_head(path):
    """Returns the top names that importing a module imports; those under TYPE_CHECKING or in functions are left out."""
    tops = set()
    for node in ast.parse(path.read_text()).body:
        for statement in [node, *(node.body if isinstance(node, ast.Try) else [])]:
            if isinstance(statement, ast.Import):
                tops |= {alias.name.partition(".")[0] for alias in statement.names}
            elif isinstance(statement, ast.ImportFrom) and not statement.level:
                tops.add((statement.module or "").partition(".")[0])
    return tops


def docstring_lines(tree):
    """Returns how many lines are docstrings, those below attributes included."""
    texts = [node for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)]
    return sum((node.end_lineno or 0) - node.lineno + 1 for node in texts)


def test_import_contracts_hold():
    done = subprocess.run(
        [Path(sys.executable).parent / "lint-imports", "--no-logo"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout
    assert "2 kept, 0 broken" in done.stdout


@pytest.mark.parametrize("package", ALLOWED)
def test_each_room_imports_what_it_may(package):
    for path in sources(package):
        foreign = imported_at_head(path) - ALLOWED[package] - set(sys.stdlib_module_names)
        assert not foreign, f"{identify(path)} imports {sorted(foreign)} at its head; import it where it is needed"


def test_nothing_but_the_command_line_imports_the_command_line():
    for path in sources(*PACKAGES):
        if (ROOT / "training" / "cli") not in path.parents and identify(path) not in SHARED:
            assert "training.cli" not in path.read_text(), identify(path)


def test_the_core_imports_and_plays_without_torch(tmp_path):
    code = WITHOUT.format(heavy=HEAVY) + (
        "import arena, roles, curricula\n"
        "from arena.game import games\n"
        "from roles.role import roles as known, scripted_players\n"
        "from curricula.curriculum import curricula as chosen\n"
        "assert games.names() and known.names() and scripted_players.names() and chosen.names()\n"
        "env = arena.env('kuhn_poker-v0'); env.reset(seed=1)\n"
        "while env.status is None:\n"
        "    env.step(env.infos[env.agent_selection]['observation'].legal_actions[0])\n"
        "assert sum(env.returns.values()) == 0\n"
        "import sys; assert 'torch' not in sys.modules\n"
        "print('played')\n"
    )
    done = run(code, cwd=tmp_path)
    assert done.stdout == "played\n", done.stderr


@pytest.mark.parametrize(
    "arguments", [["list", "games"], ["list", "estimators"], ["check", "uniform"], ["runs"], ["doctor"]]
)
def test_verbs_without_training_work_without_torch(arguments, tmp_path):
    code = WITHOUT.format(heavy=HEAVY) + f"import sys\nsys.argv = ['ludus', *{arguments!r}]\n"
    done = run(code + "from training.cli.app import main\nmain()\n", cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_a_verb_whose_extra_is_missing_exits_with_2_and_the_pip_command(tmp_path):
    code = WITHOUT.format(heavy=HEAVY) + "import sys\nsys.argv = ['ludus', 'list', 'objectives']\n"
    done = run(code + "from training.cli.app import main\nmain()\n", cwd=tmp_path)
    assert done.returncode == 2
    assert "pip install 'ludus-arena[train]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_torch_has_one_thread_in_tests():
    import torch

    assert torch.get_num_threads() == 1


def test_tests_cannot_reach_the_network():
    import socket

    with socket.socket() as outside, pytest.raises(OSError, match="expected no network"):
        outside.connect(("192.0.2.1", 80))  # an address that RFC 5737 keeps for documentation


@pytest.mark.parametrize("path", sources(*PACKAGES), ids=identify)
def test_files_and_functions_stay_short_and_documented(path):
    text = path.read_text()
    tree = ast.parse(text)
    lines = text.count("\n") - docstring_lines(tree)
    assert lines <= MOST_LINES, f"{identify(path)} has {lines} lines besides docstrings; one idea, one file"
    assert ast.get_docstring(tree), f"{identify(path)} has no docstring"
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            lines = (node.end_lineno or 0) - node.lineno + 1
            assert lines <= MOST_FUNCTION_LINES, f"{identify(path)}: {node.name} has {lines} lines"


def test_no_module_has_a_name_that_says_nothing():
    empty = {"utils", "util", "helpers", "helper", "base", "common", "manager", "handler", "misc"}
    named = {path.stem for path in sources(*PACKAGES)} | {part for p in sources(*PACKAGES) for part in p.parts}
    assert not named & empty


def test_every_test_mirrors_a_source_or_a_folder_of_its_own():
    free = {"contracts", "integration", "golden"}
    for path in sources("tests"):
        relative = path.relative_to(ROOT / "tests")
        if not path.name.startswith("test_") or relative.parts[0] in free or len(relative.parts) == 1:
            continue
        source = ROOT / relative.parent / path.name.removeprefix("test_")
        folder = ROOT / relative.parent / path.stem.removeprefix("test_")
        whole = ROOT / relative.parent
        assert source.exists() or folder.is_dir() or (whole.is_dir() and relative.parent.parts), identify(path)


def test_constraints_pin_everything_but_torch():
    lines = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    pinned = {line.partition("==")[0].lower().replace("_", "-") for line in lines}
    assert all("==" in line for line in lines)
    assert not {name for name in pinned if name.startswith(("torch", "nvidia", "triton", "cuda"))}
    asked = [*PROJECT["project"]["dependencies"], *PROJECT["project"]["optional-dependencies"]["train"]]
    names = {requirement.split(">")[0].split("=")[0].split("[")[0].strip().lower() for requirement in asked}
    assert names - {"torch"} <= pinned


def test_the_train_extra_holds_the_inspect_extra():
    extras = PROJECT["project"]["optional-dependencies"]
    assert set(extras["inspect"]) <= set(extras["train"])


def test_every_campaign_file_opens_with_its_command_and_stays_short():
    for path in sorted((ROOT / "configs" / "campaign").glob("*.yaml")):
        lines = [line for line in path.read_text().splitlines() if not line.startswith("# @package")]
        assert lines[0].startswith(f"# ludus train campaign={path.stem}"), path.name
        assert len(lines) <= 25, path.name


def test_the_wheel_holds_the_packages_the_configs_and_nothing_else(tmp_path):
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = tmp_path.glob("ludus_arena-*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == set(PACKAGES)
    configs = {f"training/{path.relative_to(ROOT)}" for path in (ROOT / "configs").rglob("*.yaml")}
    templates = {str(path.relative_to(ROOT)) for path in (ROOT / "training/cli/templates").iterdir()}
    modules = {identify(path) for path in sources(*PACKAGES)}
    assert configs | templates | modules <= names
    assert not {name for name in names if "__pycache__" in name or name.endswith(".pyc")}
    assert any(name.endswith("licenses/LICENSE") for name in names)
