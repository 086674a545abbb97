"""The warm start of ludus-tiny: what an answer looks like and which actions are legal, and nothing about playing well.

Supervised learning on the uniform player's transcripts (``training.models.transcripts``). The target at each token of
an answer is the exact distribution of the uniform player over the legal answers, which is the expectation of the
transcripts; the loss covers answer tokens only. Training stops as soon as the model is that close to uniform, or
after ``most_steps``.

The result is an ordinary Hugging Face directory, remembered under ``$LUDUS_CACHE`` (default ``~/.cache/ludus``) by the
hash of everything that determines it. It is written beside its place and renamed, so two processes may make the
same one at once, and a killed one leaves nothing that looks finished.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from arena.cache import cache_root
from arena.errors import RunError
from arena.seeds import generator
from arena.types import Task
from roles.role import Role
from training.engines.answers import Trie, trie_of
from training.models.directory import save_directory
from training.models.ludus_tiny import LUDUS_TINY, Shape, build_model
from training.models.tokenizer import DELIMITERS, build_tokenizer
from training.models.transcripts import Sight, sights
from training.rendering import Renderer

CODE_VERSION = 4
"""Raised by any change of the code that changes the resulting weights."""

Progress = Callable[[float, float], None]
"""Called with the share of the steps done and the distance from the uniform player (nats an answer)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How the warm start is learned.

    Attributes:
        plays: random plays of each game that the transcripts come from.
        batch: prompts a step.
        most_steps: when to stop at the latest.
        learning_rate: AdamW's, after a linear rise over 20 steps; falls linearly to a tenth at ``most_steps``.
        close: stop when KL(uniform player, model) of an answer, in nats, is at most this on every game.
        check_every: steps between two looks at that.
    """

    plays: int = 1000
    batch: int = 64
    most_steps: int = 500
    learning_rate: float = 3e-3
    close: float = 0.02
    check_every: int = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A sight in tokens: prompt ``[P]`` and the trie of its legal answers."""

    game: str
    prompt_ids: tuple[int, ...]
    answers: tuple[tuple[int, ...], ...]
    trie: Trie


def warm_start(
    tasks: Sequence[Task],
    seed: int = 0,
    *,
    role: Role | None = None,
    shape: Shape = LUDUS_TINY,
    recipe: Recipe = Recipe(),
    progress: Progress | None = None,
) -> Path:
    """Returns the directory of a ludus-tiny that can read and answer some tasks; makes it unless it is remembered.

    Args:
        tasks: games with their parameters; their finite actions are what the model learns to name. Their seeds are not
            read.
        seed: the root of transcripts, initial weights and batches.
        role: whose prompts and answers are learned; default: the registered ``player``.
        shape: the model's size.
        recipe: how it is learned.
        progress: told how far it is; not called when the directory is remembered.

    Raises:
        UnknownNameError: a game is not registered.
        CapabilityError: a game has free-text actions or calls a verifier.
        RunError: the cache cannot be written.
    """
    if role is None:
        from roles.role import roles

        role = roles.make("player")
    wanted = list({task.id: task for task in sorted((replace(task, seed=0) for task in tasks), key=_order)}.values())
    names = sorted({task.game for task in wanted})
    seen = sights(wanted, role, recipe.plays, seed)
    place = cache_root() / "ludus-tiny" / _key(names, seen, seed, shape, recipe)
    if place.is_dir():
        return place
    tokenizer = build_tokenizer(_texts(seen), shape.vocabulary, shape.context)
    examples = _examples(seen, Renderer(tokenizer))
    model = build_model(shape, len(tokenizer), tokenizer.eos_token_id, tokenizer.pad_token_id, seed)
    with one_thread():
        steps, distance = _learn(model, examples, recipe, seed, progress)
    note = {
        "model": "ludus-tiny",
        "code_version": CODE_VERSION,
        "games": names,
        "seed": seed,
        "shape": asdict(shape),
        "recipe": asdict(recipe),
        "steps": steps,
        "kl_to_uniform_nats": distance,
    }
    commit_model(place, model, tokenizer, note)
    return place


def _order(task: Task) -> tuple[str, str]:
    return task.game, task.id


def _key(names: Sequence[str], seen: Sequence[Sight], seed: int, shape: Shape, recipe: Recipe) -> str:
    import torch
    import transformers

    parts = [
        CODE_VERSION,
        torch.__version__,
        transformers.__version__,
        list(names),
        seed,
        asdict(shape),
        asdict(recipe),
        [[sight.game, sight.messages, sight.answers] for sight in seen],
    ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


def _texts(seen: Sequence[Sight]) -> dict[str, list[str]]:
    """Returns one text a prompt: its messages and answers."""
    texts: dict[str, list[str]] = {}
    for sight in seen:
        parts = (*(content for _, content in sight.messages), *sight.answers)
        texts.setdefault(sight.game, []).append(DELIMITERS[0].join(parts))
    return texts


def _examples(seen: Sequence[Sight], renderer: Renderer) -> list[Example]:
    out = []
    for sight in seen:
        prompt = renderer.prompt([{"role": role, "content": content} for role, content in sight.messages])
        answers = tuple(renderer.answer(text) for text in sight.answers)
        out.append(Example(game=sight.game, prompt_ids=prompt, answers=answers, trie=trie_of(answers)))
    return out


def _learn(
    model: Any,  # noqa: ANN401
    examples: Sequence[Example],
    recipe: Recipe,
    seed: int,
    progress: Progress | None,
) -> tuple[int, float]:
    """Trains in place; returns the steps made and the last distance from the uniform player."""
    import torch

    random = generator("warm-start", seed)
    optimiser = torch.optim.AdamW(model.parameters(), lr=recipe.learning_rate, betas=(0.9, 0.95), weight_decay=0.0)
    by_game = [[e for e in examples if e.game == game] for game in sorted({e.game for e in examples})]
    model.train()
    distance, step = float("inf"), 0
    while step < recipe.most_steps and distance > recipe.close:
        for group in optimiser.param_groups:
            group["lr"] = recipe.learning_rate * min(1.0, (step + 1) / 20) * (1 - 0.9 * step / recipe.most_steps)
        batch = [_pick(by_game[i % len(by_game)], random) for i in range(recipe.batch)]
        loss = _distance(model, batch, random)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        step += 1
        if step % recipe.check_every == 0:
            distance = _measure(model, by_game)
            if progress is not None:
                progress(1.0 if distance <= recipe.close else step / recipe.most_steps, distance)
    model.eval()
    return step, distance


def _pick(examples: Sequence[Example], random: np.random.Generator) -> Example:
    return examples[int(random.integers(len(examples)))]


def _measure(model: Any, by_game: Sequence[Sequence[Example]]) -> float:  # noqa: ANN401
    """Returns the greatest distance over the games, each on at most 256 prompts, the same at every call."""
    import torch

    worst = 0.0
    with torch.no_grad():
        for examples in by_game:
            random = generator("warm-start-measure")
            batch = [_pick(examples, random) for _ in range(256)] if len(examples) > 256 else examples
            worst = max(worst, float(_distance(model, batch, random)))
    return worst


def _distance(model: Any, batch: Sequence[Example], random: np.random.Generator) -> Any:  # noqa: ANN401
    """Returns KL(uniform player, model) of an answer in nats, mean over the batch, along one drawn answer each.

    At each token of the drawn answer the whole target distribution is used, so only which branch is followed is
    random. Rows are padded on the right: under a causal mask, padding is seen by padding only.
    """
    import torch

    rows, sources, slots, tokens, targets = [], [], [], [], []
    for row, example in enumerate(batch):
        answer = example.answers[int(random.integers(len(example.answers)))]
        rows.append(example.prompt_ids + answer[:-1])
        for offset, law in enumerate(_laws(example.trie, answer)):
            for token, p_token in law:
                sources.append((row, len(example.prompt_ids) + offset - 1))
                tokens.append(token)
                targets.append(p_token)
    slots = sorted(set(sources))
    place = {source: index for index, source in enumerate(slots)}
    longest = max(len(row) for row in rows)
    ids = torch.tensor([row + (0,) * (longest - len(row)) for row in rows])
    hidden = model.model(input_ids=ids, use_cache=False).last_hidden_state
    at = torch.tensor(slots)
    logprobs = torch.log_softmax(model.lm_head(hidden[at[:, 0], at[:, 1]]), dim=-1)
    chosen = logprobs[torch.tensor([place[source] for source in sources]), torch.tensor(tokens)]
    p_target = torch.tensor(targets)
    return (p_target * (p_target.log() - chosen)).sum() / len(batch)


def _laws(trie: Trie, answer: Sequence[int]) -> Iterator[list[tuple[int, float]]]:
    """Yields at each token of ``answer`` the uniform player's distribution: ``(token, probability)`` of each child."""
    node = trie.nodes[0]
    for token in answer:
        yield [(child, trie.nodes[i].answers / node.answers) for child, i in zip(node.children, node.next, strict=True)]
        node = trie.nodes[node.next[node.children.index(token)]]


@contextmanager
def one_thread() -> Iterator[None]:
    """One thread and no denormals: the same bytes whatever the process is set to, and no slow tail of tiny numbers."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(False)
        torch.set_num_threads(threads)


def commit_model(place: Path, model: Any, tokenizer: Any, note: dict[str, Any]) -> None:  # noqa: ANN401
    """Writes a model beside its place in the cache and renames it there.

    Raises:
        RunError: the cache cannot be written.
    """
    draft: Path | None = None
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=f".{place.name}-", dir=place.parent))
        save_directory(model, tokenizer, draft)
        (draft / "ludus.json").write_text(json.dumps(note, indent=2, sort_keys=True) + "\n", encoding="utf-8")
        try:
            draft.rename(place)
        except OSError:
            if not place.is_dir():  # otherwise another process was faster, with the same bytes
                raise
    except OSError as error:
        raise RunError(
            f"warm start: expected to write {place}, got {error}; free space there or set LUDUS_CACHE"
        ) from error
    finally:
        if draft is not None:
            shutil.rmtree(draft, ignore_errors=True)
