"""Resolving: what parts inherit, and every combination that cannot work, refused by name."""

from dataclasses import replace

import pytest

from arena.errors import CapabilityError, ConfigError, InputError, UnknownNameError
from arena.game import games
from arena.games.kuhn_poker import KuhnPoker
from arena.types import Capabilities, IllegalRule
from roles.player import Player
from roles.role import roles
from training.compose import compose_campaign
from training.config import (
    CampaignConfig,
    EvaluationConfig,
    GameConfig,
    OptimiserConfig,
    PolicyConfig,
    ReferenceConfig,
    ReplayConfig,
    RuntimeConfig,
    SamplingConfig,
    ScheduleConfig,
    SeatConfig,
)
from training.measurable import exact_games
from training.resolve import illegal_rule, resolve


@games.register("resolve_opaque-v0")
class Opaque(KuhnPoker):
    """Kuhn poker that does not offer to be enumerated or forked."""

    spec = replace(
        KuhnPoker.spec, name="resolve_opaque", capabilities=Capabilities(enumerate=False, fork=False), summary="opaque"
    )


@roles.register("resolve_rememberer")
class Rememberer(Player):
    """Reads its own earlier answers."""

    name = "resolve_rememberer"

    def __init__(self):
        super().__init__(history="own")


def campaign(game=None, seats=None, policies=None, **changes):
    """A campaign on Kuhn poker that resolves, with changes."""
    seats = seats or {"first": SeatConfig(policy="player"), "second": SeatConfig(policy="player")}
    entry = GameConfig(**{"game": "kuhn_poker-v0", "seats": seats, **(game or {})})
    return CampaignConfig(**{"policies": policies or {"player": PolicyConfig()}, "games": {"kuhn": entry}, **changes})


def with_policy(**changes):
    return campaign(policies={"player": PolicyConfig(**changes)})


def with_replay(objective=None, batch_rows=8, epochs=1, **changes):
    return with_policy(
        objective=objective or {"name": "nll"},
        optimiser=OptimiserConfig(batch_rows=batch_rows, epochs=epochs),
        replay=ReplayConfig(**{"rounds": 3, **changes}),
    )


def with_optimiser(**changes):
    return with_policy(optimiser=OptimiserConfig(**changes))


def with_first(**changes):
    return campaign(seats={"first": SeatConfig(**changes), "second": SeatConfig(policy="player")})


NAN = float("nan")
BAD = {
    "rounds": (campaign(rounds=0), "rounds: expected a number of at least 1, got 0"),
    "evaluate_every": (campaign(evaluate_every=0), "evaluate_every"),
    "checkpoint_every": (campaign(checkpoint_every=-1), "checkpoint_every"),
    "keep_checkpoints": (campaign(keep_checkpoints=0), "keep_checkpoints"),
    "seed": (campaign(seed=-1), "seed: expected a number of at least 0"),
    "name": (campaign(name="a/b"), "name: expected letters, digits.*'a/b'"),
    "name with a newline": (campaign(name="kuhn\n"), "name: expected letters"),
    "name that is no folder of its own": (campaign(name=".."), "name: expected"),
    "turns of nobody": (
        campaign(schedule=ScheduleConfig(kind="alternating", turns={"player": 1, "other": 1})),
        r"schedule\.turns",
    ),
    "a turn without rounds": (
        campaign(schedule=ScheduleConfig(kind="alternating", turns={"player": 0})),
        r"schedule\.turns\.player: expected at least 1 round, got 0",
    ),
    "turns where all learn at once": (
        campaign(schedule=ScheduleConfig(turns={"player": 1})),
        "set schedule.kind=alternating",
    ),
    "a vote of one": (
        campaign(
            game={
                "game": "solve-v0",
                "params": {"pay": "nothing", "domain": "arithmetic"},
                "curriculum": {"name": "majority_vote"},
            },
            seats={"solver": SeatConfig(policy="player", estimator={"name": "rae"})},
        ),
        r"majority_vote\.group_size: expected at least 2 for a vote, got 1",
    ),
    "no games": (campaign(games={}), "games: expected at least one game"),
    "threads": (campaign(runtime=RuntimeConfig(threads=0)), "runtime.threads"),
    "chunk": (campaign(runtime=RuntimeConfig(chunk_episodes=0)), "runtime.chunk_episodes"),
    "workers": (campaign(runtime=RuntimeConfig(workers=2)), "runtime.workers: expected 1"),
    "runtime kind": (campaign(runtime=RuntimeConfig(kind="locla")), "runtime.kind.*did you mean local"),
    "schedule kind": (campaign(schedule=ScheduleConfig(kind="simultan")), "schedule.kind.*did you mean simultaneous"),
    "no episodes": (campaign(schedule=ScheduleConfig(episodes_per_round=0)), "schedule.episodes_per_round"),
    "temperature": (campaign(sampling=SamplingConfig(temperature=0.7)), "sampling.temperature: expected 1.0, got 0.7"),
    "max_tokens": (campaign(sampling=SamplingConfig(max_tokens=0)), "sampling.max_tokens"),
    "evaluation games": (campaign(evaluation=EvaluationConfig(games=0)), "evaluation.games"),
    "opponent": (campaign(evaluation=EvaluationConfig(against={"unifrom": True})), "against.*did you mean uniform"),
    "reference": (
        campaign(evaluation=EvaluationConfig(references={"kuhn_equilibrum": True})),
        "references.*did you mean kuhn_equilibrium",
    ),
    "player that needs knobs": (campaign(evaluation=EvaluationConfig(against={"always": True})), "preference"),
    "game": (campaign({"game": "kuhn_poker-v1"}), r"games.kuhn.game.*did you mean kuhn_poker-v0"),
    "group_size": (campaign({"group_size": 0}), "games.kuhn.group_size"),
    "share": (campaign({"share": 0.0}), "games.kuhn.share: expected a number above 0"),
    "share nan": (campaign({"share": NAN}), "games.kuhn.share: expected a number above 0"),
    "illegal": (campaign({"illegal": "retry"}), "games.kuhn.illegal: expected forfeit, retry_K or penalise_X"),
    "big groups": (campaign({"group_size": 600}), "group_size: expected at most schedule.episodes_per_round"),
    "curriculum": (campaign(curriculum={"name": "unifrom"}), "games.kuhn.curriculum.name.*did you mean uniform"),
    "curriculum knob": (campaign(curriculum={"name": "uniform", "sed": 1}), "curriculum.sed"),
    "sampler": (campaign(sampler={"name": "independant"}), "sampler.name.*did you mean independent"),
    "opponents": (campaign(opponents={"name": "frozn"}), "opponents.name.*did you mean frozen"),
    "opponents share": (campaign(opponents={"name": "past", "share": 2.0}), r"share: expected a number in \(0, 1\]"),
    "opponents player": (campaign(opponents={"name": "scripted", "player": "unifrom"}), "did you mean uniform"),
    "missing seat": (campaign(seats={"first": SeatConfig(policy="player")}), "got none for second"),
    "unknown seat": (
        campaign(seats={"first": SeatConfig(policy="player"), "secnd": SeatConfig(policy="player")}),
        "secnd.*did you mean second",
    ),
    "role": (with_first(role="plyer", policy="player"), "seats.first.role.*did you mean player"),
    "policy": (with_first(policy="playr"), "seats.first.policy.*did you mean player"),
    "no policy": (with_first(), "seats.first.policy"),
    "script with policy": (
        with_first(role="uniform", policy="player"),
        "expected none for the scripted player uniform",
    ),
    "script that needs knobs": (with_first(role="always"), "seats.first.role.preference: expected a value"),
    "estimator": (campaign(estimator={"name": "infoset_baselin"}), "estimator.name.*did you mean infoset_baseline"),
    "estimator knob": (campaign(estimator={"name": "rae", "decy": 0.9}), "estimator.decy of rae.*did you mean decay"),
    "estimator type": (campaign(estimator={"name": "rae", "decay": "slow"}), "estimator.decay: expected float"),
    "estimator range": (campaign(estimator={"name": "rae", "decay": 2.0}), r"decay: expected a number in \[0, 1\]"),
    "group of one": (campaign(estimator={"name": "grpo"}), "expected a group_size of at least 2 for grpo, got 1"),
    "unused policy": (
        campaign(policies={"player": PolicyConfig(), "spare": PolicyConfig()}),
        "policies.spare: expected a seat that uses it",
    ),
    "objective": (campaign(objective={"name": "pppo"}), "policies.player.objective.name.*did you mean ppo"),
    "objective knob": (campaign(objective={"name": "ppo", "clip": 0.1}), "objective.clip of ppo.*clip_"),
    "objective range": (campaign(objective={"name": "ppo", "clip_low": 0.0}), "clip_low: expected a number above 0"),
    "aggregation": (with_policy(aggregation="turn_men"), "policies.player.aggregation.*did you mean turn_mean"),
    "reference kind": (with_policy(reference=ReferenceConfig(kind="emma")), "reference.kind.*did you mean ema"),
    "reference every": (with_policy(reference=ReferenceConfig(kind="ema", every=0)), "reference.every"),
    "reference weight": (with_policy(reference=ReferenceConfig(weight=-0.1)), "reference.weight"),
    "entropy weight": (with_policy(entropy_weight=-0.1), "entropy_weight"),
    "adapter": (with_policy(adapter="lora"), "policies.player.adapter: expected null, got 'lora'"),
    "learning rate": (with_optimiser(learning_rate=-1.0), "optimiser.learning_rate"),
    "learning rate nan": (with_optimiser(learning_rate=NAN), "optimiser.learning_rate: .*got nan"),
    "learning rate inf": (with_optimiser(learning_rate=float("inf")), "optimiser.learning_rate: .*got inf"),
    "beta2": (with_optimiser(beta2=1.0), r"optimiser.beta2: expected a number in \[0, 1\)"),
    "grad norm": (with_optimiser(max_grad_norm=0.0), "optimiser.max_grad_norm: expected a number above 0"),
    "epochs": (with_optimiser(epochs=0), "optimiser.epochs"),
    "minibatches": (with_optimiser(minibatches=0), "optimiser.minibatches"),
    "batch rows": (with_optimiser(batch_rows=-1), "optimiser.batch_rows"),
    "batch rows beside mini-batches": (
        with_optimiser(batch_rows=8, minibatches=2),
        "optimiser.minibatches: expected 1 beside batch_rows, got 2",
    ),
    "replay under ratios": (
        with_replay(objective={"name": "ppo"}),
        "replay.rounds: expected 0 for objective ppo.*objective=nll",
    ),
    "replay rounds": (with_policy(replay=ReplayConfig(rounds=-1)), "policies.player.replay.rounds"),
    "replay passes": (with_replay(passes=0.0), "replay.passes: expected a number above 0"),
    "replay capacity": (with_replay(capacity=0), "replay.capacity"),
    "replay without a batch": (with_replay(batch_rows=0), "optimiser.batch_rows: expected a number of at least 1"),
    "replay beside epochs": (with_replay(epochs=2), "optimiser.epochs: expected 1 beside replay.*replay.passes"),
    "average": (with_policy(evaluate_average=1.0), r"evaluate_average: expected a number in \[0, 1\)"),
    "micro batches": (with_optimiser(micro_batch_tokens=0), "optimiser.micro_batch_tokens"),
    "NashConv of an opaque game": (
        campaign({"game": "resolve_opaque-v0"}, evaluation=EvaluationConfig(nash_conv=True)),
        "nash_conv.*expected a game that can enumerate, got resolve_opaque-v0",
    ),
    "NashConv with a history": (
        campaign(
            seats={
                "first": SeatConfig(role="resolve_rememberer", policy="player"),
                "second": SeatConfig(policy="player"),
            },
            evaluation=EvaluationConfig(nash_conv=True),
        ),
        "nash_conv.*got resolve_rememberer with history 'own' in seat first",
    ),
    "one game twice, credited in two ways": (
        campaign(
            games={
                "a": GameConfig(game="kuhn_poker-v0", seats=campaign().games["kuhn"].seats),
                "b": GameConfig(
                    game="kuhn_poker-v0",
                    seats={s: SeatConfig(policy="player", estimator={"name": "rae"}) for s in ("first", "second")},
                ),
            }
        ),
        "games.b.seats.first.estimator: expected that of games.a, which plays kuhn_poker-v0",
    ),
}


@pytest.mark.parametrize("what", BAD)
def test_what_cannot_work_is_refused_by_name(what):
    config, words = BAD[what]
    with pytest.raises(InputError, match=words):
        resolve(config)


def test_the_sample_itself_resolves_and_is_left_alone():
    config = campaign()
    resolved = resolve(config)
    assert config.policies["player"].model is None
    assert resolved.policies["player"].model == "ludus-tiny"
    assert resolved.policies["player"].objective == {"name": "ppo"}
    assert resolved.games["kuhn"].seats["first"].estimator == {"name": "infoset_baseline"}
    assert resolved.games["kuhn"].sampler == {"name": "independent"}
    assert resolve(resolved) == resolved


def test_kinds_of_errors():
    for what, kind in (("game", UnknownNameError), ("temperature", ConfigError)):
        with pytest.raises(kind):
            resolve(BAD[what][0])
    with pytest.raises(CapabilityError):
        resolve(BAD["NashConv of an opaque game"][0])


def test_a_part_without_a_name_inherits_the_knobs_of_the_default():
    seats = {
        "first": SeatConfig(policy="player", estimator={"decay": 0.5}),
        "second": SeatConfig(policy="player", estimator={"name": "reinforce"}),
    }
    resolved = resolve(campaign(seats=seats, estimator={"name": "rae", "decay": 0.9}))
    assert resolved.games["kuhn"].seats["first"].estimator == {"name": "rae", "decay": 0.5}
    assert resolved.games["kuhn"].seats["second"].estimator == {"name": "reinforce"}


def test_groups_large_enough_are_accepted():
    assert resolve(campaign({"group_size": 2}, estimator={"name": "grpo"})).games["kuhn"].group_size == 2


def test_scripted_seats_need_no_policy():
    resolved = resolve(with_first(role="uniform"))
    assert resolved.games["kuhn"].seats["first"].policy == ""


def test_replay_under_an_objective_without_ratios_is_accepted():
    assert resolve(with_replay()).policies["player"].replay == ReplayConfig(rounds=3)


def test_exact_games():
    assert exact_games(resolve(campaign())) == {"kuhn"}
    assert exact_games(resolve(campaign({"game": "resolve_opaque-v0"}))) == frozenset()
    assert exact_games(resolve(campaign(evaluation=EvaluationConfig(nash_conv=False)))) == frozenset()
    assert exact_games(resolve(with_first(role="resolve_rememberer", policy="player"))) == frozenset()


def test_illegal_rules():
    assert illegal_rule(None, "x") is None
    assert illegal_rule("forfeit", "x") == IllegalRule(kind="forfeit")
    assert illegal_rule("retry_2", "x") == IllegalRule(kind="retry", retries=2)
    assert illegal_rule("penalise_0.5", "x") == IllegalRule(kind="penalise", penalty=0.5)
    for text in ("retry_", "retry_-1", "penalise_x", "Forfeit", "retry_1 "):
        with pytest.raises(ConfigError, match="x: expected forfeit, retry_K or penalise_X"):
            illegal_rule(text, "x")


@pytest.mark.parametrize(
    "overrides",
    [
        ["+evaluation.against.kuhn_equilibrium=true"],
        ["opponents=scripted", "opponents.player=always_bet"],
        ["games.tictactoe.seats.o.role=kuhn_equilibrium", "games.tictactoe.seats.o.policy=''"],
    ],
)
def test_a_scripted_player_that_does_not_know_the_game_is_refused(overrides):
    with pytest.raises(CapabilityError, match=r"games\.tictactoe: (kuhn_equilibrium|always_bet): expected"):
        compose_campaign(["campaign=tictactoe_selfplay", *overrides])


def test_a_scripted_player_that_knows_the_game_is_seated():
    config = compose_campaign(["campaign=tictactoe_selfplay", "+evaluation.against.minimax=true"])
    assert config.evaluation.against == {"uniform": True, "minimax": True}
