"""Evaluating a run from its checkpoints: its policies against anchored opponents, scripts, and other runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from arena.errors import CapabilityError, ConfigError, InputError, unknown_name
from arena.types import PolicyId, SeatPlan, Tag
from roles.role import scripted_players
from roles.scripted import optimal_player
from training.assembly import game_entries, load_policies
from training.campaign_game import CampaignGame
from training.checkpoints import Checkpoint, checkpoint_folders, load_checkpoint
from training.config import CampaignConfig
from training.evaluation import ExactEvaluation, live_players
from training.extensions import load_recorded_extensions
from training.learner import averaged_in
from training.measurable import exact_games, first_sight
from training.players import ModelPlayer
from training.policies import Snapshots
from training.run_directory import RunDirectory
from training.runtimes.local import LocalRuntime
from training.samplers.sampler import EpisodePlan
from training.tally import duplicates, tally
from training.watcher import Nobody


class EvaluatedRun:
    """A run's policies as one of its checkpoints left them.

    Args:
        path: the run's directory.
        checkpoint: which, by rounds done; ``None`` is the newest.
        trust: run extensions that are not the files the run was made with.

    Raises:
        InputError: there is no such run or checkpoint, or an extension changed.
        CheckpointError: the checkpoint was altered, or was made with another model (a changed game has other prompts,
            and so another warm start).
    """

    def __init__(self, path: Path, checkpoint: int | None = None, trust: bool = False) -> None:
        self.run = RunDirectory(path)
        self.config: CampaignConfig = self.run.config()
        load_recorded_extensions(self.run, self.config, trust)
        self.policies = policies = load_policies(self.config, Nobody())
        self.games: dict[str, CampaignGame] = game_entries(self.config, policies)
        saved = _checkpoint(self.run, checkpoint)
        self.rounds_done = saved.rounds_done
        snapshots = Snapshots(self.run, policies)
        for policy in policies.values():  # the policy before training: another model is refused below
            snapshots.add(policy)
        kept = saved.state["snapshots"]
        snapshots.restore(kept["versions"], kept["sha256"])
        for name, policy in policies.items():
            policy.restore(_measured(saved, name), saved.state["versions"][name])

    def entry_of(self, game: str, where: str) -> CampaignGame:
        """Returns the run's entry for a registered game.

        Raises:
            InputError: the run does not play it.
        """
        found = next((entry for entry in self.games.values() if entry.game.spec.id == game), None)
        if found is None:
            raise InputError(f"{where}: expected a run that plays {game}, got {self.run.path}; choose another run")
        return found

    def model_player(self, game: str, seat: str) -> ModelPlayer:
        """Returns the policy's player of a seat of a registered game.

        Raises:
            InputError: the run does not play the game, or seats a script there.
        """
        player = live_players(self.entry_of(game, "--against"))[seat]
        if not isinstance(player, ModelPlayer):
            raise InputError(f"--against: expected a policy in seat {seat}, got {player.name}; name that")
        return player


def evaluate_run(
    path: Path, against: Sequence[str], games: int, checkpoint: int | None, trust: bool = False
) -> dict[str, Any]:
    """Returns exact evaluations and tallies of a run.

    Args:
        path: the run's directory.
        against: ``random``, ``optimal``, ``initial``, a scripted player, or another run's directory.
        games: games a seat against each.
        checkpoint: which, by rounds done; ``None`` is the newest.
        trust: run extensions that are not the files the run was made with.

    Raises:
        InputError: there is no such run, checkpoint or opponent, or an extension changed.
    """
    evaluated = EvaluatedRun(path, checkpoint, trust)
    runtime = LocalRuntime(evaluated.games, evaluated.config.runtime.chunk_episodes)
    opponents = {name: _opponent(name) for name in against}
    document: dict[str, Any] = {"run": str(path), "rounds_done": evaluated.rounds_done, "exact": []}
    document |= {"opponents": [], "duplicates": []}
    for name, entry in evaluated.games.items():
        if name in exact_games(evaluated.config):
            document["exact"].append(_exact(name, entry, evaluated.config.evaluation.references))
        for opponent, other in opponents.items():
            meant = opponent if other is not None else scripted_name(entry, opponent)
            played = {
                place.seat: runtime.play(name, _plans(entry, place.seat, meant, other, games, evaluated.config.seed))
                for place in entry.seats
                if place.policy
            }
            document["opponents"] += [{"game": name, **tally(seat, opponent, them)} for seat, them in played.items()]
            document["duplicates"].append({"game": name, **duplicates(opponent, played)})
    return document


def _exact(name: str, entry: CampaignGame, references: Iterable[str]) -> dict[str, Any]:
    solver = ExactEvaluation(entry)
    solved = solver.evaluate(live_players(entry))
    return {
        "game": name,
        "nash_conv": solved.nash_conv,
        "illegal_mass": solved.illegal_mass,
        "expected_returns": dict(solved.returns),
        "references": solver.references([*references, optimal_player(entry.game.spec.id)]),
    }


def _opponent(name: str) -> EvaluatedRun | None:
    """Returns the other run that an opponent's name is, or nothing for the names that each game resolves itself."""
    if name in {"random", "optimal", "initial"} or name in scripted_players:
        return None
    if Path(name).is_dir():
        return EvaluatedRun(Path(name))
    raise unknown_name("eval --against", name, ["random", "optimal", "initial", *scripted_players])


def scripted_name(entry: CampaignGame, name: str) -> str:
    """Returns the registered scripted player that ``random`` or ``optimal`` means in a game.

    Raises:
        ConfigError: nobody is known to play the game perfectly.
    """
    if name == "random":
        return "uniform"
    if name != "optimal":
        return name
    candidate = optimal_player(entry.game.spec.id)
    sight = first_sight(entry.game, entry.params)
    try:
        if sight is not None:
            entry.scripted(candidate).strategy(*sight)
    except CapabilityError as error:
        raise ConfigError(f"eval --against optimal: {error}") from error
    return candidate


def _plans(
    entry: CampaignGame, seat: str, opponent: str, other: EvaluatedRun | None, games: int, seed: int
) -> list[EpisodePlan]:
    if other is None:
        return entry.versus(seat, opponent, games, seed)
    plans = entry.versus(seat, "initial", games, seed)
    theirs = other.entry_of(entry.game.spec.id, "eval --against")
    return [_seat_other(plan, seat, theirs) for plan in plans]


def _seat_other(plan: EpisodePlan, seat: str, theirs: CampaignGame) -> EpisodePlan:
    players = dict(plan.players)
    lineup = dict(plan.lineup)
    for name, player in live_players(theirs).items():
        if name != seat:
            players[name] = player
            policy = player.policy if isinstance(player, ModelPlayer) else PolicyId(name=player.name)
            lineup[name] = SeatPlan(policy=policy, role=lineup[name].role, tag=Tag.FROZEN)
    return replace(plan, lineup=lineup, players=players)


def _checkpoint(run: RunDirectory, rounds_done: int | None) -> Checkpoint:
    folders = checkpoint_folders(run.checkpoints)
    known = [int(folder.name) for folder in folders]
    if not folders:
        raise InputError(f"run {run.path}: expected a checkpoint, got none; train it first")
    if rounds_done is None:
        return load_checkpoint(folders[-1])
    if rounds_done not in known:
        listed = ", ".join(map(str, known))
        raise InputError(f"--checkpoint: expected one of {listed}, got {rounds_done}; see {run.checkpoints}")
    return load_checkpoint(folders[known.index(rounds_done)])


def _measured(saved: Checkpoint, name: str) -> dict[str, Any]:
    """Returns the weights that evaluation measures: their moving average where the run kept one, else the live ones."""
    return averaged_in(saved.tensors.get(f"{name}.learner", {})) or dict(saved.tensors[f"{name}.weights"])
