"""Measuring solvers on the sealed problems of a domain: how often the policy, as it samples, is right.

Every evaluation asks the same problems with the same draws, so that two versions differ by their weights alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arena.actions import parse_action
from arena.domains.domain import Problem
from arena.domains.sealed import Cell, sealed_cells, sealed_signatures
from arena.domains.verifier import check_call
from arena.game import Verifier
from arena.games.solve import Solve, posed
from arena.seeds import derive
from arena.types import Action, Outcome, Verdict
from training.config import GameConfig, HeldoutConfig
from training.players import ModelPlayer
from training.tally import wilson

DEEP = 4
"""Problems of at least this difficulty are also reported by themselves."""
_CHUNK = 256


def sealed_for(entry: GameConfig, heldout: HeldoutConfig) -> frozenset[str]:
    """Returns the signatures that the curriculum of a game must not pose; empty for games without a domain."""
    domain = entry.params.get("domain")
    if not domain or not heldout.per_cell:
        return frozenset()
    return sealed_signatures(domain, heldout.per_cell, heldout.most_difficulty, heldout.seed)


def heldout_rates(
    domain: str, heldout: HeldoutConfig, player: ModelPlayer, verifier: Verifier, seed: int
) -> dict[str, Any]:
    """Returns how a player does on the sealed problems.

    Returns:
        ``policy``, ``version``; ``cells``: for each kind and difficulty ``kind``, ``difficulty``, ``attempts``,
        ``solved`` and ``rate`` as (low, mid, high) by Wilson; ``undecided``, which no cell counts.
    """
    cells = sealed_cells(domain, heldout.per_cell, heldout.most_difficulty, heldout.seed)
    problems = [problem for cell in cells for problem in cell.problems]
    verdicts = iter(answered(domain, problems, player, verifier, derive("heldout", seed)))
    rows = [_cell(cell, [next(verdicts) for _ in cell.problems]) for cell in cells]
    return {
        "policy": player.policy.name,
        "version": player.policy.version,
        "domain": domain,
        "cells": rows,
        "undecided": len(problems) - sum(row["attempts"] for row in rows),
    }


def heldout_metrics(event: Mapping[str, Any]) -> dict[str, float]:
    """Returns the mean rates: over all cells, by kind, and over deep ones; every cell that was judged weighs the same.

    A rate of no cells is left out.
    """
    cells = [cell for cell in event["cells"] if cell["attempts"]]
    kinds = dict.fromkeys(cell["kind"] for cell in cells)
    groups = {"": cells, "_deep": [cell for cell in cells if cell["difficulty"] >= DEEP]}
    groups |= {f"_{kind}": [cell for cell in cells if cell["kind"] == kind] for kind in kinds}
    return {
        f"solve_rate_heldout{name}": sum(cell["rate"][1] for cell in members) / len(members)
        for name, members in groups.items()
        if members
    }


def answered(
    domain: str, problems: Sequence[Problem], player: ModelPlayer, verifier: Verifier, seed: int
) -> list[Verdict]:
    """Returns the verdict on one sampled answer to each problem, in order."""
    game = Solve()
    requests = []
    for index, problem in enumerate(problems):
        seen = posed(game, domain, problem)
        requests.append(player.request(game, seen, (), f"heldout-{index:06d}", derive("heldout", seed, index)))
    answers = []
    for start in range(0, len(requests), _CHUNK):
        for completion in player.engine.generate(requests[start : start + _CHUNK]):
            read = parse_action(completion.text, None)
            answers.append(read.value if isinstance(read, Action) else "")
    calls = [check_call(domain, problem, answer) for problem, answer in zip(problems, answers, strict=True)]
    return list(verifier.check(calls))


def _cell(cell: Cell, verdicts: Sequence[Verdict]) -> dict[str, Any]:
    judged = [verdict for verdict in verdicts if verdict.outcome is not Outcome.UNDECIDED]
    solved = sum(verdict.outcome is Outcome.CORRECT for verdict in judged)
    return {
        "kind": cell.kind,
        "difficulty": cell.difficulty,
        "attempts": len(judged),
        "solved": solved,
        "rate": list(wilson(solved, len(judged))),
    }
