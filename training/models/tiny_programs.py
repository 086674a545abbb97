"""ludus-tiny-programs: a small Llama that has begun to read programs, and still has most of it to learn.

Its warm start shows right traces, mostly of shallow programs (each line more is half as likely), and random proposals
of all depths (``arena.domains.digit_chains``), and is stopped early: a solver that is right a third of the time, better
the shallower the program, still explores, and writes proposals that can be read.

Each line of the program family is one token and each digit another, so a deduction of depth 3 takes about 40 tokens.
The model of seed 0 travels with the package; ``python -m training.models.tiny_programs FOLDER`` makes it anew, in
four to five minutes of one core, with the same bytes on the same type of machine. Others are remembered under
``$LUDUS_CACHE`` by the hash of everything that determines them.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from arena.actions import delimited
from arena.cache import cache_root
from arena.domains.domain import Domain, Problem, domains
from arena.games.propose_solve import PROPOSER, ProposeSolve
from arena.games.solve import Solve, posed
from arena.params import reset
from arena.seeds import generator
from arena.types import Observation, Task
from roles.role import Role, roles
from training.models.ludus_tiny import Shape, build_model
from training.models.tokenizer import DELIMITERS, assemble_tokenizer
from training.models.warm_start import commit_model, one_thread
from training.rendering import Renderer

TINY_PROGRAMS = Shape(width=96, layers=4, heads=4, intermediate=256, vocabulary=512, context=512)
"""The shape that ``ludus-tiny-programs`` names."""

CODE_VERSION = 1
"""Raised by any change of the code that changes the resulting weights."""

PIECE = r"'\n|'|[0-9]|\n|[^'0-9\n][^\n]*\n?"
"""A piece of a text: a quote, a digit, or a line without either at its head."""

FREQUENT = 0.02
"""A piece is one token when at least this share of lessons holds it: text that never comes back is read as bytes."""
_SAMPLED = 2000

SHIPPED = Path(__file__).parent / "ludus_tiny_programs"
"""The model of seed 0, as ``python -m training.models.tiny_programs`` makes it."""

Progress = Callable[[float, float], None]
"""Called with the share of the steps done and the loss (nats a token)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How the warm start is learned.

    Attributes:
        depth: the deepest program; each line more makes a trace half as likely to be shown.
        proposals: the share of examples that are proposals.
        references: earlier problems in the prompt of a proposal.
        batch: examples a step.
        steps: how many; few, so that the solver stays under-trained rather than certain.
        learning_rate: AdamW's, after a linear rise over 20 steps; then constant.
    """

    depth: int = 6
    proposals: float = 0.2
    references: int = 2
    batch: int = 64
    steps: int = 900
    learning_rate: float = 2e-3


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """A prompt and one right answer, in words."""

    messages: tuple[tuple[str, str], ...]
    answer: str


def tiny_programs(
    seed: int = 0,
    *,
    domain: str = "python_trace",
    shape: Shape = TINY_PROGRAMS,
    recipe: Recipe = Recipe(),
    progress: Progress | None = None,
    shipped: bool = True,
) -> Path:
    """Returns the directory of the model; makes it unless it is remembered.

    Args:
        seed: the root of lessons, initial weights and batches.
        domain: whose problems are taught.
        shape: the model's size.
        recipe: how it is learned.
        progress: told how far it is; not called when the directory is remembered.
        shipped: take the model that travels with the package where it is the one asked for.

    Raises:
        UnknownNameError: no such domain.
        RunError: the cache cannot be written.
    """
    asked = _asked(seed, domain, shape, recipe)
    if shipped and _shipped() == asked:
        return SHIPPED
    school = School(domains.make(domain), recipe, seed)
    pieces = school.pieces()
    place = cache_root() / "ludus-tiny-programs" / _key(asked, school, pieces)
    if place.is_dir():
        return place
    tokenizer = assemble_tokenizer(PIECE, pieces, [], shape.context)
    model = build_model(shape, len(tokenizer), tokenizer.eos_token_id, tokenizer.pad_token_id, seed)
    with one_thread():
        loss = _learn(model, Renderer(tokenizer), school, progress)
    note = {**asked, "loss_nats": loss}
    commit_model(place, model, tokenizer, note)
    return place


def _asked(seed: int, domain: str, shape: Shape, recipe: Recipe) -> dict[str, Any]:
    """Returns what determines a model, as it stands in its note."""
    named = {"model": "ludus-tiny-programs", "code_version": CODE_VERSION, "domain": domain, "seed": seed}
    return {**named, "shape": asdict(shape), "recipe": asdict(recipe)}


def _shipped() -> dict[str, Any]:
    """Returns what the shipped model was made from."""
    note: dict[str, Any] = json.loads((SHIPPED / "ludus.json").read_text(encoding="utf-8"))
    return {name: value for name, value in note.items() if name != "loss_nats"}


class School:
    """Draws lessons.

    Args:
        domain: whose problems are taught.
        recipe: depth, share of proposals, references.
        seed: the root of all lessons.
    """

    def __init__(self, domain: Domain, recipe: Recipe, seed: int) -> None:
        self.recipe = recipe
        self._domain, self._seed = domain, seed
        self._solve, self._propose = Solve(), ProposeSolve(1)
        self._solver, self._proposer = roles.make("solver"), roles.make("proposer")

    def lessons(self, step: int) -> list[Lesson]:
        """Returns the lessons of one step."""
        random = generator("tiny-programs", self._seed, step)
        return [self._lesson(random) for _ in range(self.recipe.batch)]

    def pieces(self) -> list[str]:
        """Returns the pieces that come back in prompts and answers and are longer than a character, sorted."""
        random = generator("tiny-programs-pieces")
        seen: Counter[str] = Counter()
        for _ in range(_SAMPLED):
            lesson = self._lesson(random)
            texts = (*(content for _, content in lesson.messages), lesson.answer)
            parts = [part for text in texts for part in re.split("|".join(DELIMITERS), text)]
            seen.update({piece for part in parts for piece in re.findall(PIECE, part)})
        return sorted(piece for piece, lessons in seen.items() if len(piece) > 1 and lessons >= FREQUENT * _SAMPLED)

    def _lesson(self, random: np.random.Generator) -> Lesson:
        if self._domain.proposable and random.random() < self.recipe.proposals:
            return self._proposal(random)
        problem = self._problem(random, self._kind(random), halving=True)
        observation = posed(self._solve, self._domain.name, problem)
        return _written(self._solver, self._solve, observation, self._domain.solution(problem))

    def _proposal(self, random: np.random.Generator) -> Lesson:
        kind = self._kind(random)
        references = [self._problem(random, kind) for _ in range(self.recipe.references)]
        params = {"domain": self._domain.name, "kind": kind, "references": references}
        text = self._domain.proposal_text(self._problem(random, kind))
        request = Task(game=self._propose.spec.id, params=params)
        observation = self._propose.observe(reset(self._propose, request), PROPOSER)
        return _written(self._proposer, self._propose, observation, text)

    def _problem(self, random: np.random.Generator, kind: str, halving: bool = False) -> Problem:
        most = min(self.recipe.depth, self._domain.most_difficulty)
        weights = np.array([0.5**depth if halving else 1.0 for depth in range(most)])
        depth = 1 + int(random.choice(most, p=weights / weights.sum()))
        return self._domain.generate(random, kind, depth)

    def _kind(self, random: np.random.Generator) -> str:
        return self._domain.kinds[int(random.integers(len(self._domain.kinds)))]


def _written(role: Role, game: Any, observation: Observation, answer: str) -> Lesson:  # noqa: ANN401
    messages = role.messages(game, observation, ())
    told = tuple((message["role"], message["content"]) for message in messages)
    return Lesson(messages=told, answer=delimited(answer))


def _key(asked: Mapping[str, Any], school: School, pieces: Sequence[str]) -> str:
    import torch
    import transformers

    shown = [asdict(lesson) for lesson in school.lessons(0)[:16]]
    parts = [dict(asked), torch.__version__, transformers.__version__, pieces, shown]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


def _learn(model: Any, renderer: Renderer, school: School, progress: Progress | None) -> float:  # noqa: ANN401
    """Trains in place; returns the mean loss of the last 20 steps."""
    import torch

    recipe = school.recipe
    optimiser = torch.optim.AdamW(model.parameters(), lr=recipe.learning_rate, betas=(0.9, 0.95), weight_decay=0.0)
    model.train()
    losses: list[float] = []
    for step in range(recipe.steps):
        for group in optimiser.param_groups:
            group["lr"] = recipe.learning_rate * min(1.0, (step + 1) / 20)
        rows = [_ids(lesson, renderer) for lesson in school.lessons(step)]
        loss = _answer_loss(model, rows)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        losses.append(float(loss.detach()))
        if progress is not None and step % 10 == 9:
            progress((step + 1) / recipe.steps, losses[-1])
    model.eval()
    return float(np.mean(losses[-20:]))


def _ids(lesson: Lesson, renderer: Renderer) -> tuple[tuple[int, ...], tuple[int, ...]]:
    prompt = renderer.prompt([{"role": role, "content": content} for role, content in lesson.messages])
    return prompt, renderer.answer(lesson.answer)


def _answer_loss(model: Any, rows: Sequence[tuple[tuple[int, ...], tuple[int, ...]]]) -> Any:  # noqa: ANN401
    """Returns the mean cross entropy of the answers' tokens, the end token included."""
    import torch

    longest = max(len(prompt) + len(answer) for prompt, answer in rows)
    ids = torch.zeros((len(rows), longest), dtype=torch.long)
    targets = torch.full((len(rows), longest), -100)
    for row, (prompt, answer) in enumerate(rows):
        whole = torch.tensor(prompt + answer)
        ids[row, : len(whole)] = whole
        targets[row, len(prompt) - 1 : len(whole) - 1] = whole[len(prompt) :]
    hidden = model.model(input_ids=ids, use_cache=False).last_hidden_state
    told = targets >= 0
    return torch.nn.functional.cross_entropy(model.lm_head(hidden[told]), targets[told])


def main(arguments: Sequence[str]) -> None:
    """Makes the shipped model anew in a folder that does not exist yet."""
    from shutil import copytree

    def tell(fraction: float, loss: float) -> None:
        sys.stderr.write(f"{fraction:.0%} of the steps, {loss:.3f} nats a token\n")

    copytree(tiny_programs(progress=tell, shipped=False), arguments[0])


if __name__ == "__main__":
    main(sys.argv[1:])
