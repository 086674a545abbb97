"""What is written works before anything is changed: its test passes, it can be checked, played and composed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from training.cli.new import KINDS, registered_name

ROOT = Path(__file__).parents[3]


def run_python(*arguments, cwd):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=100)


@pytest.mark.parametrize("kind", KINDS)
def test_the_generated_test_and_check_pass(ludus, tmp_path, kind):
    name = f"copper_{kind}"
    answer = ludus("new", kind, name)
    assert answer.code == 0, answer.err
    done = run_python("-m", "pytest", "-q", f"ludus_ext/test_{name}.py", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout
    item = tmp_path / "ludus_ext" / f"{name}.py"
    done = run_python("-m", "training.cli", "check", registered_name(kind, name), "--extend", item, cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    assert "1 ok" in done.stdout


@pytest.mark.parametrize("kind", KINDS)
def test_generated_code_reads_like_the_house(ludus, tmp_path, kind):
    ludus("new", kind, "copper_item")
    for words in (["check"], ["format", "--check"]):
        done = run_python(
            "-m", "ruff", *words, "--config", ROOT / "pyproject.toml", "ludus_ext/copper_item.py", cwd=tmp_path
        )
        assert done.returncode == 0, done.stdout


def test_a_generated_game_can_be_played(ludus, tmp_path):
    ludus("new", "game", "silver_coin")
    answer = ludus("play", "silver_coin", "--extend", tmp_path / "ludus_ext", "--json", "--seed", 1, typed="heads\n")
    assert answer.code == 0, answer.err
    assert [move["seat"] for move in answer.json["moves"]] == ["even", "odd"]
    assert sum(answer.json["returns"].values()) == 0


def test_a_generated_domain_can_be_proposed_to_and_solved(ludus, tmp_path):
    ludus("new", "domain", "zinc_word")
    assert len((tmp_path / "ludus_ext" / "zinc_word.py").read_text().splitlines()) <= 80
    text = (tmp_path / "ludus_ext" / "campaign" / "zinc_word.yaml").read_text()
    assert "game: propose_solve/4-v0\n    params: {domain: zinc_word}" in text
    names = ludus("list", "domains", "--extend", tmp_path / "ludus_ext", "--json").json
    assert "zinc_word" in [entry["name"] for entry in names]


def test_the_yaml_names_its_own_command_and_file(ludus, tmp_path):
    ludus("new", "role", "tin_role")
    text = (tmp_path / "ludus_ext" / "campaign" / "tin_role.yaml").read_text()
    assert text.startswith("# @package _global_\n# ludus train --config-dir ludus_ext campaign=tin_role\n")
    assert "extend: {tin_role: ludus_ext/tin_role.py}" in text
    assert "$" not in text


def test_nothing_is_overwritten(ludus, tmp_path):
    assert ludus("new", "game", "gold_coin").code == 0
    item = tmp_path / "ludus_ext" / "gold_coin.py"
    item.write_text("# mine\n")
    (tmp_path / "ludus_ext" / "test_gold_coin.py").unlink()
    answer = ludus("new", "game", "gold_coin")
    assert answer.code == 2
    assert "gold_coin.py" in answer.err
    assert item.read_text() == "# mine\n"
    assert not (tmp_path / "ludus_ext" / "test_gold_coin.py").exists()


@pytest.mark.parametrize("name", ["Coin", "two words", "../escape", "9lives", "kuhn_poker", "a__b", ""])
def test_impossible_and_taken_names_are_refused(ludus, tmp_path, name):
    assert ludus("new", "game", name).code == 2
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_kind_is_refused(ludus):
    answer = ludus("new", "games", "coin")
    assert answer.code == 2
    assert "did you mean game" in answer.err
