"""What a campaign is between two rounds: captured into a checkpoint, restored from one, and announced at the start."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from training.checkpoints import Checkpoint

if TYPE_CHECKING:
    from training.campaign import Campaign


def capture(campaign: Campaign) -> Checkpoint:
    """Returns everything that a resumed run needs to go on after the rounds that are done."""
    tensors: dict[str, Any] = {}
    for name, policy in campaign.policies.items():
        tensors[f"{name}.weights"] = policy.weights()
        if policy.learner is not None:
            tensors[f"{name}.learner"] = policy.learner.tensors()
    learners = {name: policy.learner for name, policy in campaign.policies.items()}
    state = {
        "versions": {name: policy.version for name, policy in campaign.policies.items()},
        "learners": {name: one.state() for name, one in learners.items() if one is not None},
        "estimators": campaign.credit.state(),
        "curricula": {name: entry.curriculum.state() for name, entry in campaign.games.items()},
        "snapshots": campaign.snapshots.state(),
    }
    return Checkpoint(rounds_done=campaign.rounds_done, tensors=tensors, state=state)


def restore(campaign: Campaign, checkpoint: Checkpoint) -> None:
    """Makes a freshly assembled campaign continue where a checkpoint left off.

    Raises:
        CheckpointError: a snapshot is missing or altered, or the run was started with another model.
    """
    state = checkpoint.state
    campaign.snapshots.restore(state["snapshots"]["versions"], state["snapshots"]["sha256"])
    for name, policy in campaign.policies.items():
        policy.restore(checkpoint.tensors[f"{name}.weights"], state["versions"][name])
        if policy.learner is not None:
            policy.learner.restore(checkpoint.tensors[f"{name}.learner"], state["learners"][name])
    campaign.credit.restore(state["estimators"])
    for name, entry in campaign.games.items():
        entry.curriculum.restore(state["curricula"][name])
    campaign.rounds_done = checkpoint.rounds_done


def announced(campaign: Campaign) -> dict[str, Any]:
    """Returns the fields of the ``run_started`` event: what is played, by whom, from which weights."""
    games = {
        name: {
            "game": entry.game.spec.id,
            "seats": {seat.seat: {"role": seat.role, "policy": seat.policy} for seat in entry.seats},
        }
        for name, entry in campaign.games.items()
    }
    return {
        "campaign": campaign.config.name,
        "seed": campaign.config.seed,
        "rounds": campaign.config.rounds,
        "games": games,
        "policies": {name: policy.digest() for name, policy in campaign.policies.items()},
    }
