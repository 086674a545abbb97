"""Small things that the tests of the training core share: a tiny model, completions, units, episodes, tables."""

from __future__ import annotations

import numpy as np
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from arena.types import (
    Completion,
    Episode,
    EpisodeGroup,
    Observation,
    PolicyId,
    Sampling,
    SeatPlan,
    Status,
    Tag,
    Task,
    Turn,
)
from training.config import OptimiserConfig, PolicyConfig, ReferenceConfig
from training.rows import Row
from training.units import Unit

VOCABULARY = 24
PLAYER = PolicyId(name="player", version=3)


def tiny_model(seed=0, dropout=0.0):
    """A one-layer Llama with random weights, large enough that its distributions are far from uniform."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        config = LlamaConfig(
            vocab_size=VOCABULARY,
            hidden_size=16,
            intermediate_size=32,
            num_hidden_layers=1,
            num_attention_heads=2,
            num_key_value_heads=2,
            max_position_embeddings=32,
            initializer_range=0.5,
            attention_dropout=dropout,
        )
        return LlamaForCausalLM(config).eval()


def policy_config(**changes):
    """A policy's config; optimiser and reference knobs are given by name, ``reference`` as its kind."""
    optimiser = {name: changes.pop(name) for name in list(changes) if name in OptimiserConfig.__dataclass_fields__}
    kind, every, weight = changes.pop("reference", "none"), changes.pop("every", 1), changes.pop("weight", 0.3)
    return PolicyConfig(
        optimiser=OptimiserConfig(**{"max_grad_norm": 1e9, **optimiser}),
        reference=ReferenceConfig(kind=kind, every=every, weight=weight),
        **changes,
    )


def completion(token_ids=(1, 2), prompt_ids=(5, 6, 7), support=None, logprobs=None, name="c", policy=PLAYER):
    return Completion(
        id=name,
        prompt_ids=tuple(prompt_ids),
        token_ids=tuple(token_ids),
        logprobs=tuple(logprobs or (-1.0,) * len(token_ids)),
        support=support,
        text="text that says nothing about tokens",
        finish_reason="stop",
        policy=policy,
        sampling=Sampling(),
        version_spans=((0, policy.version),),
    )


def unit(episode=0, seat="first", value=0.0, **changes):
    """A unit whose return-to-go and episode return are both ``value`` unless they are given."""
    fields = {
        "episode_id": f"e{episode:03d}",
        "group_id": "g",
        "task_id": "t",
        "game": "kuhn_poker-v0",
        "seat": seat,
        "role": "player",
        "policy": PLAYER,
        "ordinal": 0,
        "env_step": 0,
        "node_id": "n",
        "anchor_key": "K",
        "return_to_go": value,
        "episode_return": value,
        "completion": completion(),
    }
    return Unit(**{**fields, **changes})


def turn(seat="first", ordinal=0, reward=0.0, said=None, key="K", legal=True):
    return Turn(
        seat=seat,
        env_step=ordinal,
        ordinal=ordinal,
        observation=Observation(seat=seat, text="Go.", legal_actions=("a", "b"), information_key=key),
        completion=said,
        action="a",
        reason="",
        legal=legal,
        reward=reward,
        node_id=f"n{ordinal}",
        anchor_key=key,
    )


def plan(policy="player", tag=Tag.LIVE, version=3):
    return SeatPlan(policy=PolicyId(name=policy, version=version), role="player", tag=tag)


def episode(
    turns, index=0, lineup=None, returns=None, status=Status.COMPLETED, group="g", reason="", game="kuhn_poker-v0"
):
    """An episode whose returns are the sums of its turns' rewards unless they are given."""
    lineup = lineup or {"first": plan(), "second": plan()}
    sums = {seat: sum(t.reward for t in turns if t.seat == seat) for seat in lineup}
    said = [t.completion for t in turns if t.completion is not None]
    return Episode(
        id=f"r000000-e{index:06d}",
        task=Task(game=game, seed=index),
        group_id=group,
        round=0,
        lineup=lineup,
        turns=tuple(turns),
        returns=sums if returns is None else returns,
        status=status,
        reason=reason,
        prompt_tokens=sum(len(c.prompt_ids) for c in said),
        completion_tokens=sum(len(c.token_ids) for c in said),
    )


def group(*episodes, name="g"):
    return EpisodeGroup(group_id=name, episodes=tuple(episodes))


def row(prompt=(5, 6, 7), said=(1, 2), support=None, behaviour=None, advantage=1.0, group_id="g", weight=1.0):
    return Row(
        ids=tuple(prompt) + tuple(said),
        mask=(False,) * len(prompt) + (True,) * len(said),
        support=support,
        behaviour_logprobs=tuple(behaviour) if behaviour is not None else (-1.0,) * len(said),
        unit=0,
        group_id=group_id,
        advantage=advantage,
        weight=weight,
    )


def true_logprobs(model, ids, start, support):
    """Log-probabilities ``[C]`` of the tokens from ``start`` on, in float64, one forward, masked by ``support``."""
    logits = model(input_ids=torch.tensor([ids])).logits[0].double()
    picked = []
    for offset, token in enumerate(ids[start:]):
        at = logits[start + offset - 1]
        allowed = list(range(len(at))) if support is None else list(support[offset])
        picked.append(torch.log_softmax(at[allowed], -1)[allowed.index(token)])
    return torch.stack(picked)


def random_rows(model, count, seed=0, shift=0.0):
    """Rows as a small game makes them: few prompts, few answers, masked and free ones, advantages of both signs.

    Behaviour log-probabilities are the model's own, moved at random by up to ``shift``, so that ratios lie inside and
    outside of a clip.
    """
    random = np.random.default_rng(seed)
    prompts = [(5, 6, 7), (5, 6), (8, 9, 10, 11)]
    answers = [(1, 2, 0), (1, 3, 0), (4, 2, 0)]
    support = {1: (1, 4), 4: (1, 4), 2: (2, 3), 3: (2, 3), 0: (0,)}
    rows = []
    for index in range(count):
        prompt, said = prompts[random.integers(3)], answers[random.integers(3)]
        masks = tuple(support[token] for token in said) if random.random() < 0.6 else None
        with torch.no_grad():
            exact = true_logprobs(model, prompt + said, len(prompt), masks).numpy()
        moved = exact + shift * random.uniform(-1, 1, len(said))
        if masks is not None:
            moved[-1] = 0.0  # the end token was forced
        rows.append(
            row(
                prompt,
                said,
                masks,
                [float(np.float32(value)) for value in moved],
                float(np.float32(random.normal())),
                group_id=f"g{index // 2}",
                weight=float(random.choice([1.0, 0.5])),
            )
        )
    return rows
