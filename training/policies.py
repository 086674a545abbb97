"""Policies and snapshots: who can be seated, in which version, and where their weights are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors import SafetensorError
from transformers import PreTrainedModel

from arena.errors import CheckpointError
from arena.types import PolicyId
from training.checkpoints import Tensors, load_tensors, save_tensors, weights_digest
from training.engines.engine import Engine
from training.learner import Learner
from training.opponents.matchmaking import Population
from training.rendering import Renderer
from training.run_directory import RunDirectory


@dataclass(slots=True, kw_only=True)
class Policy:
    """One set of weights with everything that speaks, samples and trains with it.

    Attributes:
        name: as the config names it.
        version: counts the rounds in which it was updated.
        model: the live weights.
        renderer: its tokenizer's.
        engine: samples from every loaded version of it.
        learner: trains it, or ``None`` when it is frozen.
    """

    name: str
    version: int
    model: PreTrainedModel
    renderer: Renderer
    engine: Engine
    learner: Learner | None

    @property
    def id(self) -> PolicyId:
        """The live version."""
        return PolicyId(name=self.name, version=self.version)

    def weights(self) -> dict[str, torch.Tensor]:
        """Returns the live weights by name."""
        return dict(self.model.state_dict())

    def digest(self) -> str:
        """Returns the sha256 of the live weights."""
        return weights_digest(self.weights())

    def publish(self) -> None:
        """Makes the live weights a new version that the engine samples from; the one before goes."""
        old = self.id
        self.version += 1
        self.engine.load(self.id, self.weights())
        if old in self.engine.loaded():
            self.engine.unload(old)

    @contextmanager
    def averaged(self) -> Iterator[None]:
        """Lets the engine answer with the averaged weights under the live id, for an evaluation."""
        if self.learner is None or self.learner.average is None:
            yield
            return
        self._reload(self.learner.averaged_weights())
        try:
            yield
        finally:
            self._reload(self.weights())

    def _reload(self, weights: Tensors) -> None:
        self.engine.unload(self.id)
        self.engine.load(self.id, weights)

    def restore(self, weights: Tensors, version: int) -> None:
        """Takes up weights and version where a checkpoint left them."""
        self.model.load_state_dict(dict(weights))
        stale, self.version = self.id, version
        if stale in self.engine.loaded():
            self.engine.unload(stale)
        self.engine.load(self.id, self.weights())


class Snapshots:
    """Immutable earlier versions of policies, on disk and in the engines.

    A snapshot has a name of its own in the engine (``player.past``), so that unloading a live version never takes a
    snapshot away.

    Args:
        run: where the files are.
        policies: the live policies.
    """

    def __init__(self, run: RunDirectory, policies: Mapping[str, Policy]) -> None:
        self._run = run
        self._policies = policies
        self.versions: dict[str, list[int]] = {name: [] for name in policies}
        self._digests: dict[str, str] = {}

    def add(self, policy: Policy) -> PolicyId:
        """Writes and loads a snapshot of the live weights; one that exists already stays as it is."""
        file = self._run.snapshot(policy.name, policy.version)
        if policy.version not in self.versions[policy.name]:
            if not file.is_file():
                self._write(file, policy.weights())
            self._digests[f"{policy.name}@{policy.version}"] = policy.digest()
            self._load(policy.name, policy.version, policy.weights())
        return past_id(policy.name, policy.version)

    def population(self) -> Population:
        """Returns everybody that can be seated now."""
        return Population(
            live={name: policy.id for name, policy in self._policies.items()},
            snapshots={name: [past_id(name, v) for v in versions] for name, versions in self.versions.items()},
        )

    def state(self) -> dict[str, object]:
        """Returns which snapshots there are, with the hash of each."""
        return {"versions": self.versions, "sha256": self._digests}

    def restore(self, versions: Mapping[str, list[int]], digests: Mapping[str, str]) -> None:
        """Loads the snapshots that a checkpoint knew.

        Raises:
            CheckpointError: a snapshot's file is missing or altered, or the run was started with another model.
        """
        for name, numbers in versions.items():
            for version in numbers:
                key = f"{name}@{version}"
                file = self._run.snapshot(name, version)
                if version not in self.versions[name]:
                    self._load(name, version, self._read(file, digests[key]))
                elif self._digests.get(key) != digests[key]:
                    raise _other_weights(file, digests[key])
        self._digests = dict(digests)

    def _load(self, name: str, version: int, weights: Tensors) -> None:
        self.versions[name].append(version)
        self._policies[name].engine.load(past_id(name, version), weights)

    def _write(self, file: Path, weights: Tensors) -> None:
        fresh = file.with_suffix(".new")
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            save_tensors(fresh, weights)
            fresh.replace(file)
        except (OSError, SafetensorError) as error:
            raise CheckpointError(f"snapshot {file}: expected to write it, got {error}; free some space") from error

    def _read(self, file: Path, digest: str) -> Tensors:
        if not file.is_file():
            raise CheckpointError(f"snapshot {file}: expected the file, got none; restore it from a backup")
        try:
            weights = load_tensors(file)
        except SafetensorError as error:
            raise CheckpointError(f"snapshot {file}: expected whole weights, got {error}; restore the file") from error
        if weights_digest(weights) != digest:
            raise _other_weights(file, digest)
        return weights


def _other_weights(file: Path, digest: str) -> CheckpointError:
    return CheckpointError(
        f"snapshot {file}: expected weights with sha256 {digest[:12]}..., got others; restore the file, or the model "
        "that the run was started with"
    )


def past_id(policy: str, version: int) -> PolicyId:
    """Returns the id under which a snapshot of a policy is loaded."""
    return PolicyId(name=f"{policy}.past", version=version)


def policy_name(policy: PolicyId) -> str:
    """Returns the name of the policy that an id, live or past, belongs to."""
    return policy.name.removesuffix(".past")
