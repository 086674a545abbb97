"""PettingZoo's own conformance suite, run quietly on both environments of a game."""

from __future__ import annotations

import contextlib
import io
import warnings
from typing import Any

from arena.errors import CheckError
from arena.game import Game, Verifier

_CYCLES = 50


def check_pettingzoo(game: Game[Any], verifier: Verifier) -> None:
    """Runs PettingZoo's API and seed tests on the AEC and on the Parallel environment, and renders once.

    Raises:
        CheckError: a test failed; the message names it.
    """
    from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

    from arena.aec import env
    from arena.parallel import parallel_env

    def render() -> None:
        shown = env(game, verifier=verifier, render_mode="ansi")
        shown.reset(seed=0)
        if not isinstance(shown.render(), str):
            raise CheckError("expected a str from state_text")

    suite = {
        "api_test": lambda: api_test(env(game, verifier=verifier), num_cycles=_CYCLES),
        "seed_test": lambda: seed_test(lambda: env(game, verifier=verifier), num_cycles=_CYCLES),
        "parallel_api_test": lambda: parallel_api_test(parallel_env(game, verifier=verifier), num_cycles=_CYCLES),
        "parallel_seed_test": lambda: parallel_seed_test(lambda: parallel_env(game, verifier=verifier), _CYCLES),
        "render": render,
    }
    for name, test in suite.items():
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            try:
                test()
            except Exception as error:
                raise CheckError(
                    f"check_game({game.spec.id}): PettingZoo {name}: expected it to pass, got {type(error).__name__}: "
                    f"{error}; mend the rules"
                ) from error
