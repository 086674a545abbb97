"""Playthroughs: the golden files are what the games do; ``python -m arena.playthrough ID --seed 1`` writes them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from arena_sample_games import Asker

from arena.domains.verifier import DomainVerifier
from arena.errors import PlayError
from arena.game import games
from arena.playthrough import main, playthrough
from arena.testing.walks import AnyVerdict

GOLDEN = Path(__file__).parent.parent / "golden"
BUILT_IN = [name.rpartition("-v")[0] for name in games.names()]


@pytest.mark.parametrize("name", BUILT_IN)
def test_golden_playthrough(name):
    assert (
        playthrough(games.make(f"{name}-v0"), seed=1, verifier=DomainVerifier()) == (GOLDEN / f"{name}.txt").read_text()
    )


def test_a_fresh_process_with_another_hash_seed_plays_the_same():
    code = (
        "import sys\n"
        "from arena.domains.verifier import DomainVerifier\n"
        "from arena.game import games\n"
        "from arena.playthrough import playthrough\n"
        "for name in sys.argv[1:]: sys.stdout.write(playthrough(games.make(name), 1, DomainVerifier()))\n"
    )
    names = [f"{name}-v0" for name in BUILT_IN]
    environment = {**os.environ, "PYTHONHASHSEED": "12345", "PYTHONPATH": str(GOLDEN.parents[1])}
    said = subprocess.run([sys.executable, "-c", code, *names], capture_output=True, text=True, env=environment)
    assert said.stdout == "".join((GOLDEN / f"{name}.txt").read_text() for name in BUILT_IN), said.stderr


def test_the_command_writes_it(capsys):
    main(["kuhn_poker-v0", "--seed", "1"])
    assert capsys.readouterr().out == (GOLDEN / "kuhn_poker.txt").read_text()


def test_calls_need_a_verifier():
    assert "status completed" in playthrough(Asker(), verifier=AnyVerdict())
    with pytest.raises(PlayError, match="expected a verifier"):
        playthrough(Asker())
