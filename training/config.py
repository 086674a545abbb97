"""The typed schema of a campaign, and what it takes for one to make sense.

Hydra composes the YAML, OmegaConf checks types against these dataclasses, ``resolve`` fills what a part inherits from
the top level and refuses ranges and combinations that cannot work. Nothing downstream sees a ``DictConfig``.

Every selectable part (estimator, objective, curriculum, sampler, ...) is a mapping ``{name: ..., knob: ...}`` whose
knobs are checked against the registered factory, so a new estimator needs no edit here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Part = dict[str, Any]
"""``{name: NAME, ...knobs}``: a registered item and its own knobs."""


@dataclass(slots=True, kw_only=True)
class RuntimeConfig:
    """Where play and updates run.

    Attributes:
        kind: ``local``: this process.
        workers: rollout workers; the local runtime has one.
        threads: threads of the tensor library. Bit-equality is promised for a fixed number.
        chunk_episodes: episodes played side by side. Fixed, so that no batch depends on the number of workers.
    """

    kind: str = "local"
    workers: int = 1
    threads: int = 1
    chunk_episodes: int = 256


@dataclass(slots=True, kw_only=True)
class ReferenceConfig:
    """A policy that the trained one is kept near (magnetic mirror descent, arXiv 2206.05825).

    Attributes:
        kind: ``none``, ``initial`` (the policy before training), ``moving`` (a copy taken every ``every``
            rounds), ``ema`` (weights that move by 1/``every`` of the way each round) or ``magnet`` (an ``ema`` that
            slows down as the learning rate does, so that it never catches up).
        every: how slowly it moves, in rounds.
        weight: weight of KL(policy, reference) in the loss.
    """

    kind: str = "none"
    every: int = 25
    weight: float = 0.1


@dataclass(slots=True, kw_only=True)
class OptimiserConfig:
    """How weights move.

    Attributes:
        learning_rate: AdamW's step at the first round.
        learning_rate_end: the share of it left at the last round; in between it falls along half a cosine. 1 keeps it.
        beta2: AdamW's second-moment decay.
        weight_decay: AdamW's.
        max_grad_norm: gradients are scaled down to this norm.
        epochs: passes over a round's rows.
        minibatches: optimiser steps a pass; groups are never split.
        batch_rows: about how many rows an optimiser step takes, so that the number of steps follows the number of
            rows; 0: ``minibatches`` says.
        micro_batch_tokens: padded tokens a forward; changes memory and speed, never a gradient.
    """

    learning_rate: float = 1e-3
    learning_rate_end: float = 1.0
    beta2: float = 0.999
    weight_decay: float = 0.0
    max_grad_norm: float = 1.0
    epochs: int = 1
    minibatches: int = 1
    batch_rows: int = 0
    micro_batch_tokens: int = 16384


@dataclass(slots=True, kw_only=True)
class ReplayConfig:
    """Rows of earlier rounds that are trained again (``training.replay``); for objectives without ratios.

    Attributes:
        rounds: how many rounds a row stays, its own included; 0: no replay. STP (arXiv 2502.00212) keeps 3.
        passes: how often a row is trained in all that time, on average.
        capacity: the most rows kept; beyond it the oldest go.
    """

    rounds: int = 0
    passes: float = 1.0
    capacity: int = 16384


@dataclass(slots=True, kw_only=True)
class PolicyConfig:
    """One set of weights.

    Attributes:
        model: ``ludus-tiny`` or a Hugging Face model directory; default: the campaign's ``model``.
        adapter: reserved for adapters on a shared base; only ``null`` is known.
        trained: whether its seats are trained.
        objective: default: the campaign's.
        aggregation: how the loss is averaged (``training.normalisation``).
        entropy_weight: weight of the entropy bonus.
        reference: the policy that it is kept near.
        optimiser: how its weights move.
        replay: the rows of earlier rounds that are trained again.
        evaluate_average: decay a step of a moving average of the weights, which is what evaluation then measures; 0:
            none.
    """

    model: str | None = None
    adapter: str | None = None
    trained: bool = True
    objective: dict[str, Any] | None = None
    aggregation: str = "turn_sum"
    entropy_weight: float = 0.0
    reference: ReferenceConfig = field(default_factory=ReferenceConfig)
    optimiser: OptimiserConfig = field(default_factory=OptimiserConfig)
    replay: ReplayConfig = field(default_factory=ReplayConfig)
    evaluate_average: float = 0.0


@dataclass(slots=True, kw_only=True)
class SeatConfig:
    """Who sits in a seat.

    Attributes:
        role: a registered role, or a registered scripted player.
        policy: the policy behind a role; empty for a scripted player.
        estimator: default: the campaign's.
    """

    role: str = "player"
    policy: str = ""
    estimator: dict[str, Any] | None = None


@dataclass(slots=True, kw_only=True)
class HindsightConfig:
    """Wrong answers trained as right answers to what they do solve (``training.hindsight``).

    Attributes:
        weight: of such a row beside a verified success; 0: none are made.
        least_difficulty: of the problem that a verified stretch solves.
    """

    weight: float = 0.0
    least_difficulty: int = 3


@dataclass(slots=True, kw_only=True)
class GameConfig:
    """One game of the campaign.

    Attributes:
        game: its registered id.
        params: the parameters of its tasks; a curriculum may vary them, evaluation takes them as they are.
        share: its share of each round's episodes.
        group_size: episodes that share a task (and so the deal).
        curriculum: default: the campaign's.
        sampler: default: the campaign's.
        opponents: default: the campaign's.
        illegal: ``forfeit``, ``retry_K`` or ``penalise_X``; default: the game's own rule.
        hindsight: whether wrong answers are trained as right answers to something else.
        seats: who sits where, by seat; under ``all`` whoever sits in the seats that are not named.
    """

    game: str = ""
    params: dict[str, Any] = field(default_factory=dict)
    share: float = 1.0
    group_size: int = 1
    curriculum: dict[str, Any] | None = None
    sampler: dict[str, Any] | None = None
    opponents: dict[str, Any] | None = None
    illegal: str | None = None
    hindsight: HindsightConfig = field(default_factory=HindsightConfig)
    seats: dict[str, SeatConfig] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class SamplingConfig:
    """How tokens are drawn in training.

    Attributes:
        masked: draw among the legal answers only, and train under the same mask. Off: free text, any answer.
        max_tokens: the most tokens of an answer in free text.
        temperature: 1 is the policy itself; anything else is refused for trained seats.
    """

    masked: bool = True
    max_tokens: int = 16
    temperature: float = 1.0


@dataclass(slots=True, kw_only=True)
class ScheduleConfig:
    """Which games and policies take part in which round.

    Attributes:
        kind: ``simultaneous``: every game and every trained policy in every round; ``sequential``: one game after
            another, each for its share of the rounds; ``alternating``: every game in every round, but one policy
            learns at a time.
        episodes_per_round: episodes of a round, over all games.
        turns: for ``alternating``: the rounds of each trained policy's turn, in order.
    """

    kind: str = "simultaneous"
    episodes_per_round: int = 512
    turns: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class HeldoutConfig:
    """The sealed problems by which solvers are measured (``arena.domains.sealed``).

    Attributes:
        per_cell: problems of each kind and difficulty; 0: none.
        most_difficulty: the greatest difficulty.
        seed: of the set; the same for every seed of a campaign.
    """

    per_cell: int = 0
    most_difficulty: int = 6
    seed: int = 0


@dataclass(slots=True, kw_only=True)
class EvaluationConfig:
    """How progress is measured: never by self-play reward, which is 0 by symmetry.

    Attributes:
        nash_conv: compute NashConv for every game that can be enumerated; ``null``: where possible.
        games: games a seat against each opponent.
        against: opponents by name, each on or off: scripted players, or ``initial``.
        probes: fixed sets of questions that are answered before and after the campaign, each on or off (``quiz``).
        references: scripted players whose NashConv stands beside the curve, each on or off.
        heldout: the sealed problems of games over domains; no curriculum may pose them.
    """

    nash_conv: bool | None = None
    games: int = 200
    against: dict[str, bool] = field(default_factory=dict)
    references: dict[str, bool] = field(default_factory=dict)
    probes: dict[str, bool] = field(default_factory=dict)
    heldout: HeldoutConfig = field(default_factory=HeldoutConfig)


@dataclass(slots=True, kw_only=True)
class CampaignConfig:
    """A whole campaign: what the parts do not say themselves they inherit from here.

    Attributes:
        name: the campaign's name; the first folder of its runs.
        seed: the root of all randomness.
        rounds: turns of the campaign loop.
        model: the default model of a policy.
        warm_start_seed: the seed of the tiny model's warm start; default: the campaign's seed.
        engine: ``{name: torch}`` or another registered engine.
        estimator: the default of seats.
        objective: the default of policies.
        curriculum: the default of games.
        sampler: the default of games.
        opponents: the default of games: ``{name: self}``, or the share of frozen, past and scripted opponents.
        sampling: how tokens are drawn.
        executor: what runs model-written programs: ``monty`` or ``cpython``.
        policies: every set of weights.
        games: every game.
        schedule: what happens in a round.
        runtime: where it happens.
        evaluation: how progress is measured.
        evaluate_every: rounds between evaluations.
        checkpoint_every: rounds between checkpoints.
        snapshot_every: rounds between immutable snapshots for past opponents; 0: none.
        keep_checkpoints: how many checkpoints stay on disk.
        output_root: where runs are made.
        extend: Python files to load first, by a name of your own.
    """

    name: str = "campaign"
    seed: int = 0
    rounds: int = 100
    model: str = "ludus-tiny"
    warm_start_seed: int | None = None
    engine: dict[str, Any] = field(default_factory=lambda: {"name": "torch"})
    estimator: dict[str, Any] = field(default_factory=lambda: {"name": "infoset_baseline"})
    objective: dict[str, Any] = field(default_factory=lambda: {"name": "ppo"})
    curriculum: dict[str, Any] = field(default_factory=lambda: {"name": "uniform"})
    sampler: dict[str, Any] = field(default_factory=lambda: {"name": "independent"})
    opponents: dict[str, Any] = field(default_factory=lambda: {"name": "self"})
    sampling: SamplingConfig = field(default_factory=SamplingConfig)
    executor: str = "monty"
    policies: dict[str, PolicyConfig] = field(default_factory=dict)
    games: dict[str, GameConfig] = field(default_factory=dict)
    schedule: ScheduleConfig = field(default_factory=ScheduleConfig)
    runtime: RuntimeConfig = field(default_factory=RuntimeConfig)
    evaluation: EvaluationConfig = field(default_factory=EvaluationConfig)
    evaluate_every: int = 10
    checkpoint_every: int = 25
    snapshot_every: int = 0
    keep_checkpoints: int = 3
    output_root: str = "runs"
    extend: dict[str, str] = field(default_factory=dict)
