"""The experiments behind the README's figures: which campaigns are compared, on which metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """Arms that are compared on equal seeds.

    Attributes:
        title: for the figure.
        metric: what is compared, as the runs' metrics name it.
        label: what it is called in the figure.
        arms: by label, the overrides of each arm.
        references: horizontal lines of the figure.
        also: further metrics, of which the first, the least and the last value are kept.
    """

    title: str
    metric: str
    label: str
    arms: Mapping[str, tuple[str, ...]]
    references: Mapping[str, float]
    also: Sequence[str] = ()


SPIRAL = ("campaign=kuhn_spiral",)
MASK = (*SPIRAL, "sampling.masked=true")
INFOSET = (*MASK, "estimator=infoset_baseline")
NEAR = (
    *INFOSET,
    "policies.player.reference.kind=ema",
    "policies.player.reference.every=20",
    "policies.player.reference.weight=1.0",
)

HELDOUT = tuple(f"programs/solve_rate_heldout{name}" for name in ("_deduction", "_abduction", "_deep"))

EXPERIMENTS = {
    "kuhn_ladder": Experiment(
        title="Kuhn poker: from the plain recipe to the regularised one, one factor at a time",
        metric="kuhn/nash_conv",
        label="NashConv",
        arms={
            "plain (kuhn_spiral)": SPIRAL,
            "+ legal-action mask": MASK,
            "+ information-set baseline": INFOSET,
            "+ KL to a moving reference": NEAR,
            "+ learning-rate decay (kuhn_selfplay)": ("campaign=kuhn_selfplay",),
        },
        references={"uniform": 11 / 12, "always bet": 2 / 3, "equilibrium": 0.0},
    ),
    "rps": Experiment(
        title="Rock-paper-scissors: self-play cycles unless it is kept near its past",
        metric="rps/nash_conv",
        label="NashConv",
        arms={
            "no reference, constant rate": (
                "campaign=rps_selfplay",
                "policies.player.reference.kind=none",
                "policies.player.optimiser.learning_rate_end=1",
            ),
            "rps_selfplay": ("campaign=rps_selfplay",),
        },
        references={"pure against pure": 2.0, "equilibrium": 0.0},
    ),
    "tictactoe": Experiment(
        title="Tic-tac-toe: games not lost against the uniform player, mean of both seats",
        metric="tictactoe/not_lost_rate_vs_uniform",
        label="share of games not lost",
        arms={"tictactoe_selfplay": ("campaign=tictactoe_selfplay",)},
        references={"uniform against uniform": 0.5635},
    ),
    "leduc": Experiment(
        title="Leduc poker by self-play",
        metric="leduc/nash_conv",
        label="NashConv",
        arms={"leduc_selfplay": ("campaign=leduc_selfplay",)},
        references={"uniform": 4.7472, "half of it": 4.7472 / 2, "equilibrium": 0.0},
    ),
    "liars_dice": Experiment(
        title="Liar's dice by self-play, one die a seat",
        metric="dice/nash_conv",
        label="NashConv",
        arms={
            "2 faces": ("campaign=liars_dice_selfplay", "games.dice.params.faces=2"),
            "3 faces": ("campaign=liars_dice_selfplay",),
        },
        references={"equilibrium": 0.0},
    ),
    "negotiation": Experiment(
        title="Negotiation over private values: one policy a seat",
        metric="negotiation/nash_conv",
        label="NashConv",
        arms={"negotiation_selfplay": ("campaign=negotiation_selfplay",)},
        references={"uniform": 7.5340, "equilibrium": 0.0},
        also=("negotiation/return_first", "negotiation/return_second"),
    ),
    "connect_four": Experiment(
        title="Connect four: games not lost against the uniform player, mean of both seats",
        metric="connect_four/not_lost_rate_vs_uniform",
        label="share of games not lost",
        arms={"connect_four_selfplay": ("campaign=connect_four_selfplay",)},
        references={},
    ),
    "textarena": Experiment(
        title="TextArena's tic-tac-toe as it is: games not lost against the uniform player, mean of both seats",
        metric="ttt/not_lost_rate_vs_uniform",
        label="share of games not lost",
        arms={"textarena_selfplay": ("campaign=textarena_selfplay",)},
        references={},
    ),
    "multi_game": Experiment(
        title="One model, three games: Kuhn poker when all are played at once, and one after another",
        metric="kuhn/nash_conv",
        label="NashConv of Kuhn poker",
        arms={
            "at once (multi_game_selfplay)": ("campaign=multi_game_selfplay",),
            "one after another": ("campaign=multi_game_selfplay", "schedule.kind=sequential"),
        },
        references={"uniform": 11 / 12, "equilibrium": 0.0},
        also=("kuhn/nash_conv", "dice/nash_conv", "rps/nash_conv"),
    ),
    "proposers": Experiment(
        title="Programs: sealed problems solved, tasks from the generator, a frozen proposer and a trained one",
        metric="programs/solve_rate_heldout",
        label="solve rate on sealed problems",
        arms={
            "generator (uniform_tasks)": ("campaign=uniform_tasks",),
            "frozen proposer (proposer_frozen)": ("campaign=proposer_frozen",),
            "trained proposer (absolute_zero)": ("campaign=absolute_zero",),
        },
        references={},
        also=(*HELDOUT, "programs/proposal_valid_rate", "programs/duplicate_rate", "programs/mean_difficulty"),
    ),
}
"""By name; the files of the results are called so."""
