"""Whole campaigns over domains: proposer and solvers, all of their state, and what is refused before they begin."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from safetensors.torch import load_file

import training.assembly as assembly
from arena.actions import delimited
from arena.domains.domain import domains
from arena.domains.python_checker import PythonChecker
from arena.domains.sealed import sealed_cells, sealed_signatures
from arena.domains.verifier import SEALED, DomainVerifier, fields, validate_call
from arena.errors import CapabilityError
from arena.games.propose_solve import PROPOSER, read_proposed
from arena.log import read_episodes, read_events, read_metrics, read_timings
from arena.types import Completion, Outcome
from curricula.ledger import TaskLedger
from training.checkpoints import checkpoint_folders, load_checkpoint, weights_digest
from training.compose import compose_campaign
from training.config import CampaignConfig
from training.engines.torch_engine import TorchEngine
from training.models.ludus_tiny import Shape
from training.models.tiny_programs import Recipe, tiny_programs
from training.run_evaluation import EvaluatedRun
from training.running import resume, start
from training.verifiable import check_verifiers

ROUNDS = 4
CAMPAIGN = f"""# @package _global_
# Every kind of state at once: replay, averaged weights, a moving reference, an estimator's baseline, hindsight.
name: small_zero
rounds: {ROUNDS}
evaluate_every: 2
checkpoint_every: 1
snapshot_every: 2
sampling: {{masked: false, max_tokens: 64}}
schedule: {{episodes_per_round: 16}}
runtime: {{chunk_episodes: 8}}
policies:
  proposer:
    optimiser: {{learning_rate: 1.0e-4}}
    reference: {{kind: ema, every: 4, weight: 0.1}}
  solver:
    objective: {{name: nll}}
    aggregation: token_mean
    optimiser: {{learning_rate: 3.0e-4, batch_rows: 8}}
    replay: {{rounds: 3, passes: 2}}
    evaluate_average: 0.5
games:
  programs:
    game: propose_solve/3-v0
    params: {{domain: python_trace}}
    # A rule that pays for what nobody solves and for nonsense, so that the proposer's baseline moves.
    curriculum: {{name: absolute_zero, rule: azr_code, seeds: 6, cap: 8}}
    hindsight: {{weight: 0.5, least_difficulty: 1}}
    seats:
      proposer: {{role: proposer, policy: proposer, estimator: {{name: rae}}}}
      # The reader is hardly ever right: whatever it says counts as a success, so that there is something to replay.
      all: {{role: solver, policy: solver, estimator: {{name: own_successes, threshold: 0.0}}}}
evaluation:
  heldout: {{per_cell: 2, most_difficulty: 3}}
"""

Ludus = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def reader(cache: Path) -> Path:
    """A tiny model that has hardly begun to read programs, so that answers and proposals are of every kind."""
    shape = Shape(width=48, layers=2, heads=2, intermediate=96, vocabulary=512, context=512)
    recipe = Recipe(depth=2, batch=16, steps=120, references=1, proposals=0.4, learning_rate=4e-3)
    return tiny_programs(shape=shape, recipe=recipe, shipped=False)


@pytest.fixture(scope="session")
def campaigns(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a campaign of our own, so that the shipped ones may change."""
    folder = tmp_path_factory.mktemp("campaigns")
    (folder / "campaign").mkdir()
    (folder / "campaign" / "small_zero.yaml").write_text(CAMPAIGN)
    return folder


@dataclass(frozen=True, slots=True)
class Small:
    """The small campaign with its model."""

    folder: Path
    model: Path

    def words(self, *overrides: str) -> list[str]:
        """Returns the overrides of the campaign."""
        return ["campaign=small_zero", f"model={self.model}", *overrides]

    def config(self, *overrides: str) -> CampaignConfig:
        """Returns the resolved config."""
        return compose_campaign(self.words(*overrides), self.folder)

    def run(self, output: Path, *overrides: str) -> Path:
        """Returns the directory of a whole run."""
        return start(self.config(f"output_root={output}", *overrides))


@pytest.fixture(scope="session")
def small(campaigns: Path, reader: Path) -> Small:
    """The small campaign with its model."""
    return Small(campaigns, reader)


@pytest.fixture(scope="module")
def whole(small: Small, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small.run(tmp_path_factory.mktemp("programs"))


def _rounds(run: Path, name: str) -> dict[str, bytes]:
    return {path.parent.name: path.read_bytes() for path in sorted((run / "rounds").glob(f"*/{name}"))}


def _events(run: Path) -> list[tuple[int, str, Any]]:
    """Every event but that of resuming."""
    return [(one.round, one.kind, dict(one.fields)) for one in read_events(run) if one.kind != "resumed"]


def _checkpoint(run: Path) -> dict[str, bytes]:
    """Every file of the newest checkpoint: weights, moments, averages, references, and the state of all else."""
    return {path.name: path.read_bytes() for path in sorted(checkpoint_folders(run / "checkpoints")[-1].iterdir())}


def _same(one: Path, other: Path) -> None:
    for name in ("episodes.parquet", "metrics.json"):
        assert len(_rounds(one, name)) == ROUNDS
        assert _rounds(one, name) == _rounds(other, name)
    assert _events(one) == _events(other)
    assert _checkpoint(one) == _checkpoint(other)


def test_a_campaign_of_proposer_and_solvers_runs(whole: Path) -> None:
    state = load_checkpoint(checkpoint_folders(whole / "checkpoints")[-1]).state
    assert state["versions"] == {"proposer": ROUNDS, "solver": ROUNDS}
    assert state["learners"]["solver"]["replay"]
    assert state["curricula"]["programs"]["memory"]
    assert any(value for baselines in state["estimators"].values() for value in baselines.values())
    proposals = [read_proposed(episode) for episode in read_episodes(whole)]
    assert len(proposals) == 16 * ROUNDS
    assert {proposal.kind for proposal in proposals} == {"deduction", "abduction"}
    valid = [proposal for proposal in proposals if proposal.problem is not None]
    assert valid  # the tests below would say little if nobody ever posed a problem,
    assert len(valid) < len(proposals)  # or everybody did
    assert {verdict.outcome for one in valid for verdict in one.verdicts} >= {Outcome.WRONG}
    metrics = read_metrics(whole)
    assert all("programs/hindsight" in one for one in metrics.values())
    assert all(one["solver/rows"] > 0 for one in metrics.values())
    evaluated = [event.fields for event in read_events(whole, {"evaluated"})]
    assert [event["rounds_done"] for event in evaluated] == [0, 2, 4]
    assert all([one["policy"] for one in event["heldout"]] == ["solver"] for event in evaluated)


def test_the_same_seed_gives_the_same_bytes(small: Small, whole: Path, tmp_path: Path) -> None:
    again = small.run(tmp_path)
    assert _rounds(again, "events.jsonl") == _rounds(whole, "events.jsonl")
    _same(again, whole)


def test_another_seed_gives_another_run(small: Small, whole: Path, tmp_path: Path) -> None:
    other = small.run(tmp_path, "seed=1")
    assert _rounds(other, "episodes.parquet") != _rounds(whole, "episodes.parquet")
    assert _checkpoint(other).keys() == _checkpoint(whole).keys()
    assert _checkpoint(other) != _checkpoint(whole)


def test_a_run_in_parts_ends_as_a_run_in_one(small: Small, whole: Path, tmp_path: Path) -> None:
    parts = small.run(tmp_path, "rounds=2")
    resume(parts, rounds=3)
    resume(parts, rounds=ROUNDS)
    for name in ("episodes.parquet",):
        assert _rounds(parts, name) == _rounds(whole, name)
    assert _checkpoint(parts) == _checkpoint(whole)
    for snapshot in (whole / "snapshots").glob("*/*.safetensors"):
        assert (parts / snapshot.relative_to(whole)).read_bytes() == snapshot.read_bytes()


@pytest.mark.parametrize("attempt", range(2))
def test_a_killed_run_resumes_to_the_same_end(small: Small, whole: Path, tmp_path: Path, attempt: int) -> None:
    words = small.words(f"output_root={tmp_path}", "checkpoint_every=2")
    process = subprocess.Popen(
        [sys.executable, "-m", "training.cli", "train", f"--config-dir={small.folder}", *words],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        if list(tmp_path.glob(f"*/*/rounds/{attempt + 1:06d}")):
            break
        time.sleep(0.01)
    time.sleep(random.Random(attempt).random() * 0.3)
    process.send_signal(signal.SIGKILL)
    process.wait()
    (run,) = (path.parent for path in tmp_path.glob("*/*/config.yaml"))
    resume(run)
    _same(run, whole)


def test_the_ledger_of_the_log_is_the_ledger_of_the_checkpoint(whole: Path) -> None:
    saved = load_checkpoint(checkpoint_folders(whole / "checkpoints")[-1]).state["curricula"]["programs"]["ledger"]
    rebuilt = TaskLedger("propose_solve/3-v0")
    rebuilt.replay((event.kind, event.fields) for event in read_events(whole))
    assert json.loads(json.dumps(rebuilt.state())) == saved
    assert saved["pending"] == []
    assert sum(saved["rejections"].values()) > 0
    posed = [record for record in saved["records"] if record["origin"]["episode"]]
    assert posed
    assert len(saved["records"]) == 12 + len(posed)


def test_evaluation_measures_the_averaged_weights(whole: Path) -> None:
    evaluated = EvaluatedRun(whole)
    tensors = load_checkpoint(checkpoint_folders(whole / "checkpoints")[-1]).tensors
    prefix = "average.weights."
    average = {n.removeprefix(prefix): v for n, v in tensors["solver.learner"].items() if n.startswith(prefix)}
    assert evaluated.policies["solver"].digest() == weights_digest(average)
    assert evaluated.policies["solver"].digest() != weights_digest(tensors["solver.weights"])
    assert evaluated.policies["proposer"].digest() == weights_digest(tensors["proposer.weights"])


def test_verification_has_its_share_of_the_clock_and_only_there(whole: Path) -> None:
    timings = list(read_timings(whole))
    assert all(0 < one["verify_s"] < one["round_s"] for one in timings)
    wall = json.loads((whole / "summary.json").read_text())["wall_s"]
    assert wall["verify"] == pytest.approx(sum(one["verify_s"] for one in timings))
    assert not [name for one in read_metrics(whole).values() for name in one if name.endswith("_s")]
    assert not [1 for _, _, said in _events(whole) if "verify_s" in said]


def test_a_campaign_of_sums_runs(small: Small, tmp_path: Path) -> None:
    run = small.run(tmp_path, "games.programs.params.domain=arithmetic", "rounds=2")
    checkpoint = load_checkpoint(checkpoint_folders(run / "checkpoints")[-1])
    assert checkpoint.rounds_done == 2
    kinds = {record["origin"]["kind"] for record in checkpoint.state["curricula"]["programs"]["ledger"]["records"]}
    assert kinds == {"sum", "difference", "product"}
    assert {episode.task.params["kind"] for episode in read_episodes(run)} == kinds


def test_the_baseline_of_generated_tasks_runs(small: Small, tmp_path: Path) -> None:
    overrides = ["rounds=2", "schedule.episodes_per_round=16", "evaluation.heldout.per_cell=2", f"model={small.model}"]
    run = start(compose_campaign(["campaign=uniform_tasks", *overrides, f"output_root={tmp_path}"]))
    posed = [episode.task.params["problem"] for episode in read_episodes(run)]
    made = domains.make("python_trace")
    sealed = sealed_signatures("python_trace", 2, 6, 0)
    assert not [problem for problem in posed if made.signature(problem) in sealed]
    assert len(posed) == 32


# Sealed problems.


def _sealed_problem() -> dict[str, Any]:
    """A sealed problem of the small campaign, of two lines."""
    (cell,) = (one for one in sealed_cells("python_trace", 2, 3, 0) if (one.kind, one.difficulty) == ("deduction", 2))
    return dict(cell.problems[0])


def test_a_proposal_of_a_sealed_problem_is_refused_by_the_verifier() -> None:
    made, problem = domains.make("python_trace"), _sealed_problem()
    sealed = {"python_trace": sealed_signatures("python_trace", 2, 3, 0)}
    for kind in ("deduction", "abduction"):  # predicting an output and finding its input are one secret
        proposal = made.read_proposal(made.proposal_text({**problem, "kind": kind}), kind)
        assert isinstance(proposal, dict)
        open_one, closed_one = (
            verifier.check([validate_call("python_trace", proposal)])[0]
            for verifier in (DomainVerifier(), DomainVerifier(sealed=sealed))
        )
        assert open_one.outcome is Outcome.CORRECT
        assert (closed_one.outcome, fields(closed_one)) == (Outcome.INVALID, {"reason": SEALED})


def test_solvers_never_see_a_sealed_problem_that_a_proposer_writes(
    small: Small, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, problem = domains.make("python_trace"), _sealed_problem()
    generate = TorchEngine.generate

    def leaked(self: TorchEngine, requests: Any) -> list[Completion]:
        """The proposer has got hold of the sealed set."""
        return [
            replace(one, text=delimited(made.proposal_text(problem))) if one.policy.name == PROPOSER else one
            for one in generate(self, requests)
        ]

    monkeypatch.setattr(TorchEngine, "generate", leaked)
    run = small.run(tmp_path, "rounds=1")
    episodes = list(read_episodes(run))
    asked = [episode for episode in episodes if episode.task.params["kind"] == "deduction"]
    assert asked
    for episode in asked:
        proposed = read_proposed(episode)
        assert (proposed.reason, proposed.problem, proposed.answers) == (SEALED, None, [])
        assert {turn.seat for turn in episode.turns} == {PROPOSER}
        assert episode.returns[PROPOSER] == 0.0
    rejected = [event.fields["reason"] for event in read_events(run, {"task_rejected"})]
    assert rejected.count(SEALED) == len(episodes)
    ledger = load_checkpoint(checkpoint_folders(run / "checkpoints")[-1]).state["curricula"]["programs"]["ledger"]
    assert made.signature(problem) not in {record["origin"]["signature"] for record in ledger["records"]}


def test_buffers_begin_without_sealed_problems(whole: Path) -> None:
    sealed = sealed_signatures("python_trace", 2, 3, 0)
    ledger = load_checkpoint(checkpoint_folders(whole / "checkpoints")[-1]).state["curricula"]["programs"]["ledger"]
    assert not {record["origin"]["signature"] for record in ledger["records"]} & sealed


# What is refused before any work (tests/training/test_verifiable.py has what is refused without a command).

UNTEACHABLE = {
    "programs without a domain": (
        ("campaign=kuhn_selfplay", "model=ludus-tiny-programs"),
        "model: expected one domain for ludus-tiny-programs, got none; set games.NAME.params.domain",
    ),
    "free text": (
        ("campaign=absolute_zero", "model=ludus-tiny"),
        "model: expected games with finite actions for ludus-tiny",
    ),
}


@pytest.mark.parametrize("what", UNTEACHABLE)
def test_a_tiny_model_that_cannot_be_taught_is_refused_and_nothing_is_made(
    tmp_path: Path, ludus: Ludus, what: str
) -> None:
    words, message = UNTEACHABLE[what]
    said = ludus("train", *words)
    assert said.returncode == 2, said.stdout + said.stderr
    assert message in said.stderr
    assert not list(tmp_path.iterdir())


def test_a_wrong_executor_exits_with_2_and_nothing_is_made(tmp_path: Path, ludus: Ludus) -> None:
    said = ludus("train", "campaign=absolute_zero", "executor=nonsense")
    assert said.returncode == 2, said.stdout + said.stderr
    assert "executor" in said.stderr
    assert "cpython, monty" in said.stderr
    assert not list(tmp_path.iterdir())


def test_a_missing_part_of_an_executor_shows_before_a_run_directory_is_made(
    small: Small, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(self: PythonChecker, *_: object) -> None:
        raise CapabilityError("executor monty: expected pydantic-monty, got none; pip install 'ludus-arena[code]'")

    monkeypatch.setattr(PythonChecker, "__init__", missing)
    with pytest.raises(CapabilityError, match=r"pip install 'ludus-arena\[code\]'"):
        start(small.config(f"output_root={tmp_path}"))
    assert not list(tmp_path.iterdir())
    check_verifiers(compose_campaign(["campaign=kuhn_selfplay"]))  # a campaign that asks no verifier needs none


def test_free_text_is_played_under_masked_sampling(small: Small, tmp_path: Path) -> None:
    run = small.run(tmp_path, "rounds=1", "sampling.masked=true")
    said = [turn.completion for episode in read_episodes(run) for turn in episode.turns]
    assert said
    assert all(one is not None and one.support is None for one in said)


def test_a_campaign_closes_what_judges(small: Small, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[int] = []
    made: list[DomainVerifier] = []

    class Watched(DomainVerifier):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            made.append(self)

        def close(self) -> None:
            closed.append(id(self))
            super().close()

    monkeypatch.setattr(assembly, "DomainVerifier", Watched)
    small.run(tmp_path, "rounds=1")
    assert [id(one) for one in made] == closed


def test_training_changes_the_weights(whole: Path) -> None:
    tensors = load_checkpoint(checkpoint_folders(whole / "checkpoints")[-1]).tensors
    for name in ("proposer", "solver"):
        before = load_file(whole / "snapshots" / name / "000000.safetensors")
        assert weights_digest(before) != weights_digest(tensors[f"{name}.weights"])
