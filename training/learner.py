"""The learner of one policy: rows in, one optimiser step a mini-batch, new weights out.

One forward a distinct input, one distribution a site, one loss term a row's own token (``training.sites``).
Denominators are fixed before the first forward (``training.normalisation``). A step whose loss or gradient is not
finite is skipped and counted; weights and moments stay as they were. Under an objective whose advantages are weights
(``accepts_replaced``) rows of weight 0 are left out first, and rows may come from earlier rounds (``training.replay``).
Shapes: R rows, N choice tokens, S sites.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import PreTrainedModel

from arena.errors import RunError
from training.config import PolicyConfig
from training.distributions import entropy, hidden_states, kl, pad_inputs, site_batch, site_logprobs
from training.normalisation import coefficients
from training.objectives.objective import Objective, Tokens
from training.reference import Reference
from training.replay import Replay
from training.rows import Row
from training.sites import SitePlan, micro_batches, plan_sites
from training.weight_average import WeightAverage

MOST_NONFINITE = 5
"""Skipped steps in a row after which a run stops."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Batch:
    """One mini-batch with everything that stays fixed during its epochs; arrays are ``[N]``.

    ``sampled`` says which tokens have a behaviour log-probability; the others hold 0.
    """

    plan: SitePlan
    advantages: NDArray[np.float32]
    behaviour: NDArray[np.float32]
    sampled: NDArray[np.bool_]
    coefficients: NDArray[np.float64]


class Learner:
    """Trains one policy.

    Args:
        config: the policy's part of the campaign.
        objective: the policy's objective.
        model: the weights, changed in place.
        rounds: the length of the campaign, for the decay of the learning rate.
        seed: the campaign's, for the draws of replay.
    """

    def __init__(
        self, config: PolicyConfig, objective: Objective, model: PreTrainedModel, rounds: int, seed: int = 0
    ) -> None:
        self.config = config
        self.objective = objective
        # Dropout would train another policy than the one that sampled.
        self.model = model.eval()
        self.rounds = rounds
        self.reference = Reference(config.reference, model)
        self.replay = Replay(config.replay, seed) if config.replay.rounds else None
        self.average = WeightAverage(model, config.evaluate_average) if config.evaluate_average else None
        self.nonfinite_steps = 0
        self._nonfinite_in_a_row = 0
        optimiser = config.optimiser
        self.optimiser = torch.optim.AdamW(
            model.parameters(),
            lr=optimiser.learning_rate,
            betas=(0.9, optimiser.beta2),
            weight_decay=optimiser.weight_decay,
        )

    def update(self, rows: Sequence[Row], round_index: int) -> dict[str, float]:
        """Trains on the rows of one round and returns what to log.

        Raises:
            RunError: too many steps in a row were not finite, or a row was not sampled from its own prompt and the
                objective needs that.
        """
        rate = self._set_learning_rate(round_index)
        trained = self._trainable(rows)
        batches = [self._prepare(part) for part in self._minibatches(trained, round_index)]
        steps: list[dict[str, float]] = []
        for _ in range(self.config.optimiser.epochs):
            steps.extend(self._step(batch) for batch in batches if len(batch.plan.sites))
        self.reference.after_round(self.model, round_index + 1, rate / (self.config.optimiser.learning_rate or 1.0))
        metrics = {name: float(np.mean([step[name] for step in steps])) for name in (steps[0] if steps else {})}
        if steps:
            metrics["logprob_gap"] = steps[0]["logprob_gap"]
        return metrics | {
            "steps": float(len(steps)),
            "learning_rate": rate,
            "rows": float(len(trained)),
            "distinct_inputs": float(sum(len(batch.plan.inputs) for batch in batches)),
            "nonfinite_steps": float(self.nonfinite_steps),
        }

    def _trainable(self, rows: Sequence[Row]) -> list[Row]:
        """Leaves out rows of weight 0 where advantages are weights; elsewhere refuses rows that nobody sampled."""
        if self.objective.accepts_replaced:
            return [row for row in rows if row.weight * row.advantage != 0]
        for row in rows:
            if row.behaviour_logprobs is None:
                raise RunError(
                    f"learner: expected rows with behaviour log-probabilities, got one with context {row.context}; "
                    "train it with an objective for replaced contexts"
                )
        return list(rows)

    def _minibatches(self, rows: Sequence[Row], round_index: int) -> list[list[Row]]:
        optimiser = self.config.optimiser
        if self.replay is not None:
            return self.replay.draw(rows, round_index, optimiser.batch_rows)
        if optimiser.batch_rows:
            return minibatches(rows, math.ceil(len(rows) / optimiser.batch_rows))
        return minibatches(rows, optimiser.minibatches)

    def _set_learning_rate(self, round_index: int) -> float:
        optimiser = self.config.optimiser
        done = min(1.0, round_index / max(1, self.rounds - 1))
        share = 0.5 * (1.0 + math.cos(math.pi * done))
        rate = optimiser.learning_rate * (optimiser.learning_rate_end + (1.0 - optimiser.learning_rate_end) * share)
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        return rate

    def _prepare(self, rows: Sequence[Row]) -> _Batch:
        plan = plan_sites(rows)
        sampled_R = np.array([row.behaviour_logprobs is not None for row in rows], dtype=np.bool_)
        behaviour = [
            np.asarray((0.0,) * said if row.behaviour_logprobs is None else row.behaviour_logprobs, dtype=np.float32)
            for row, said in zip(rows, plan.tokens_R, strict=True)
        ]
        starts_R = np.concatenate([[0], np.cumsum([len(b) for b in behaviour])])[:-1].astype(np.int64)
        flat = np.concatenate(behaviour) if behaviour else np.zeros(0, np.float32)
        weights_R = np.array([row.weight for row in rows])
        return _Batch(
            plan=plan,
            advantages=np.array([row.advantage for row in rows], dtype=np.float32)[plan.row_N],
            behaviour=flat[starts_R[plan.row_N] + plan.offset_N],
            sampled=sampled_R[plan.row_N],
            coefficients=coefficients(self.config.aggregation, plan.row_N, plan.tokens_R, weights_R),
        )

    def _step(self, batch: _Batch) -> dict[str, float]:
        self.optimiser.zero_grad(set_to_none=True)
        totals: dict[str, float] = {}
        for inputs in micro_batches(batch.plan, self.config.optimiser.micro_batch_tokens):
            loss, metrics = self._loss(batch, inputs)
            loss.backward()
            for name, value in metrics.items():
                totals[name] = (
                    max(totals.get(name, 0.0), value) if name == "logprob_gap" else totals.get(name, 0) + value
                )
        norm = float(torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.config.optimiser.max_grad_norm))
        self._apply(np.isfinite(norm) and np.isfinite(totals["loss"]))
        tokens = max(1, len(batch.plan.site_N))
        means = {name: totals[name] / tokens for name in ("kl", "entropy", "clip_rate")}
        return means | {"loss": totals["loss"], "logprob_gap": totals["logprob_gap"], "grad_norm": norm}

    def _apply(self, finite: bool) -> None:
        if finite:
            self._nonfinite_in_a_row = 0
            self.optimiser.step()
            if self.average is not None:
                self.average.after_step(self.model)
            return
        self.nonfinite_steps += 1
        self._nonfinite_in_a_row += 1
        if self._nonfinite_in_a_row >= MOST_NONFINITE:
            raise RunError(
                f"learner: expected finite losses and gradients, got {MOST_NONFINITE} that were not, in a row; "
                "lower the learning rate, or look at the advantages in the last round's log"
            )

    def _loss(self, batch: _Batch, inputs: NDArray[np.int64]) -> tuple[torch.Tensor, dict[str, float]]:
        plan = batch.plan
        ids = pad_inputs([plan.inputs[i] for i in inputs])
        row_of = {int(index): row for row, index in enumerate(inputs)}
        first = min(site.position for site in plan.sites if site.input in row_of)
        hidden = hidden_states(self.model, ids, first)
        with torch.no_grad():
            other = None if self.reference.model is None else hidden_states(self.reference.model, ids, first)
        total = hidden.states_DLE.new_zeros(())
        metrics = {"loss": 0.0, "kl": 0.0, "entropy": 0.0, "clip_rate": 0.0, "logprob_gap": 0.0}
        for sites_S, tokens_N in _kinds(plan, row_of):
            packed = site_batch([plan.sites[s] for s in sites_S], row_of)
            logprobs = site_logprobs(self.model, hidden, packed)
            local = torch.from_numpy(np.searchsorted(sites_S, plan.site_N[tokens_N]))
            tokens = Tokens(
                logprobs=logprobs[local, torch.from_numpy(plan.choice_N[tokens_N])],
                behaviour_logprobs=torch.from_numpy(batch.behaviour[tokens_N]),
                advantages=torch.from_numpy(batch.advantages[tokens_N]),
            )
            sampled_N = torch.from_numpy(batch.sampled[tokens_N])
            losses = self.objective.token_losses(tokens)
            with torch.set_grad_enabled(self.config.entropy_weight > 0):
                entropy_S = entropy(logprobs)
            kl_S = torch.zeros_like(entropy_S)
            if self.reference.model is not None and other is not None:
                with torch.no_grad():
                    reference_logprobs = site_logprobs(self.reference.model, other, packed)
                kl_S = kl(logprobs, reference_logprobs)
            near = self.reference.weight * kl_S - self.config.entropy_weight * entropy_S
            weights = torch.from_numpy(batch.coefficients[tokens_N].astype(np.float32))
            loss = (weights * (losses.losses + near[local])).sum()
            total = total + loss
            gap_N = (tokens.logprobs - tokens.behaviour_logprobs).detach().abs()
            metrics["loss"] += float(loss.detach())
            metrics["kl"] += float(kl_S.detach()[local].sum())
            metrics["entropy"] += float(entropy_S.detach()[local].sum())
            metrics["clip_rate"] += float(losses.clipped.sum())
            metrics["logprob_gap"] = max(metrics["logprob_gap"], float(gap_N.where(sampled_N, 0.0).max()))
        return total, metrics

    def averaged_weights(self) -> dict[str, torch.Tensor]:
        """Returns the weights to evaluate: their moving average, or the live ones where none is kept."""
        return dict(self.model.state_dict()) if self.average is None else self.average.weights()

    def tensors(self) -> dict[str, torch.Tensor]:
        """Returns the optimiser's moments, the reference's and the averaged weights, for a checkpoint."""
        moments = self.optimiser.state_dict()["state"]
        saved = {f"optimiser.{i}.{name}": value for i, entry in moments.items() for name, value in entry.items()}
        if self.reference.model is not None:
            saved |= {f"reference.{name}": value for name, value in self.reference.model.state_dict().items()}
        if self.average is not None:
            saved |= {f"average.{name}": value for name, value in self.average.tensors().items()}
        return saved

    def state(self) -> dict[str, Any]:
        """Returns what else a checkpoint needs, as JSON values: counts and the replay buffer."""
        return {
            "nonfinite_steps": self.nonfinite_steps,
            "nonfinite_in_a_row": self._nonfinite_in_a_row,
            "replay": [] if self.replay is None else self.replay.state(),
        }

    def restore(self, tensors: Mapping[str, torch.Tensor], state: Mapping[str, Any]) -> None:
        """Takes up what ``tensors`` and ``state`` returned."""
        moments: dict[int, dict[str, torch.Tensor]] = {}
        for key, value in _under("optimiser.", tensors).items():
            index, name = key.split(".", 1)
            moments.setdefault(int(index), {})[name] = value
        self.optimiser.load_state_dict(self.optimiser.state_dict() | {"state": moments})
        self.reference.load(_under("reference.", tensors))
        if self.average is not None:
            self.average.load(_under("average.", tensors))
        if self.replay is not None:
            self.replay.restore(state["replay"])
        self.nonfinite_steps = state["nonfinite_steps"]
        self._nonfinite_in_a_row = state["nonfinite_in_a_row"]


def averaged_in(tensors: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Returns the averaged weights among what ``Learner.tensors`` returned; empty where no average was kept."""
    return _under("average.weights.", tensors)


def _under(prefix: str, tensors: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return {name.removeprefix(prefix): value for name, value in tensors.items() if name.startswith(prefix)}


def minibatches(rows: Sequence[Row], count: int) -> list[list[Row]]:
    """Returns ``count`` mini-batches of whole groups, or one a group if there are fewer."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row.group_id, []).append(row)
    parts: list[list[Row]] = [[] for _ in range(count)]
    for index, members in enumerate(groups.values()):
        parts[index * count // max(1, len(groups))].extend(members)
    return [part for part in parts if part]


def _kinds(plan: SitePlan, row_of: Mapping[int, int]) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yields the sites on these inputs, masked ones and whole-vocabulary ones apart, with the tokens on them."""
    here = [index for index, site in enumerate(plan.sites) if site.input in row_of]
    for masked in (True, False):
        sites_S = np.array([s for s in here if (plan.sites[s].support is not None) is masked], dtype=np.int64)
        if len(sites_S):
            yield sites_S, np.flatnonzero(np.isin(plan.site_N, sites_S))
