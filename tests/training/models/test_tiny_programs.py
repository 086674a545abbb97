"""ludus-tiny-programs: what it is taught is right, its tokens are lines and digits, and its making is reproducible."""

import hashlib
import json
from collections import Counter
from dataclasses import asdict

import pytest

from arena.actions import parse_action
from arena.cache import cache_root
from arena.domains import digit_chains as chains
from arena.domains.domain import Attempt, domains
from arena.domains.python_source import INDENT
from arena.errors import UnknownNameError
from arena.types import Outcome
from training.models import tiny_programs as module
from training.models.directory import load_directory
from training.models.ludus_tiny import Shape
from training.models.tiny_programs import PIECE, TINY_PROGRAMS, Recipe, School, tiny_programs
from training.models.tokenizer import assemble_tokenizer
from training.rendering import Renderer

SMALL = Shape(width=16, layers=1, heads=2, intermediate=32, vocabulary=320, context=512)
SHORT = Recipe(batch=4, steps=3)
TRACE = domains.make("python_trace")


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LUDUS_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def made(seed=0, recipe=SHORT, domain="python_trace", progress=None):
    return tiny_programs(seed, domain=domain, shape=SMALL, recipe=recipe, progress=progress, shipped=False)


def sha(path):
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(path.iterdir())}


def lessons(recipe, steps, domain=TRACE):
    """The lessons of some steps, each with its problem, or with the empty kind for a proposal."""
    school = School(domain, recipe, seed=3)
    drawn = []
    generate = domain.generate

    class Watched(type(domain)):
        def generate(self, random, kind, difficulty):
            drawn.append(generate(random, kind, difficulty))
            return drawn[-1]

    school._domain = Watched()
    taught = []
    for step in range(steps):
        taught += school.lessons(step)
    return taught, drawn


def test_every_solution_is_right_by_the_checker():
    taught, problems = lessons(Recipe(depth=3, batch=50, proposals=0.0), 4)
    answers = [parse_action(lesson.answer, None).value for lesson in taught]
    attempts = [Attempt(problem=one, answer=said) for one, said in zip(problems, answers, strict=True)]
    checker = TRACE.checker("monty")
    try:
        verdicts = checker.check(attempts)
    finally:
        checker.close()
    assert {verdict.outcome for verdict in verdicts} == {Outcome.CORRECT}
    for lesson, problem in zip(taught, problems, strict=True):
        assert [who for who, _ in lesson.messages] == ["system", "user"]
        assert lesson.messages[1][1] == TRACE.statement(problem)
    depths = Counter(TRACE.difficulty(problem) for problem in problems)
    assert set(depths) == {1, 2, 3}
    assert {problem["kind"] for problem in problems} == {"deduction", "abduction"}


def test_every_proposal_is_a_problem_by_the_checker():
    taught, _ = lessons(Recipe(batch=50, proposals=1.0), 2)
    proposals = []
    for lesson in taught:
        kind = "abduction" if "abduction" in lesson.messages[1][1] else "deduction"
        assert lesson.messages[1][1].count("Example:\n") == 2
        proposals.append(TRACE.read_proposal(parse_action(lesson.answer, None).value, kind))
    assert all(isinstance(one, dict) for one in proposals)
    checker = TRACE.checker("monty")
    try:
        verdicts = checker.validate(proposals)
    finally:
        checker.close()
    # What the generator draws may be guessed too easily to be posed; nothing else is wrong with it.
    reasons = Counter(json.loads(one.detail).get("reason", "valid") for one in verdicts)
    assert set(reasons) <= {"valid", "low_entropy"}
    assert reasons["valid"] > 60


def test_the_share_of_proposals_is_that_of_the_recipe():
    taught, _ = lessons(Recipe(batch=400, proposals=0.2), 1)
    proposals = sum("new" in lesson.messages[1][1] for lesson in taught)
    assert 50 < proposals < 110


@pytest.fixture(scope="module")
def words():
    return Renderer(assemble_tokenizer(PIECE, School(TRACE, Recipe(), 0).pieces(), [], 512))


@pytest.mark.parametrize("step", chains.STEPS, ids=lambda step: step.name)
def test_each_line_is_one_token_in_a_program_and_in_a_trace(words, step):
    for text in (f"{INDENT}{step.line}\n", f"{step.line}\n"):
        assert len(words.answer(text)) == 2, text  # the end token is the other
        assert words.text(words.answer(text)) == text


def test_each_digit_is_one_token_and_a_value_is_read_digit_by_digit(words):
    assert len(words.answer("'0123'\n")) == 1 + 4 + 1 + 1
    tokens = [words.answer(f"'{digit}'")[1] for digit in range(10)]
    assert len(set(tokens)) == 10
    assert words.answer("'40'")[1:3] == (tokens[4], tokens[0])


def test_a_deduction_of_depth_three_is_short(words):
    taught, problems = lessons(Recipe(batch=64, proposals=0.0), 1)
    lengths = [
        len(words.answer(lesson.answer))
        for lesson, problem in zip(taught, problems, strict=True)
        if TRACE.difficulty(problem) == 3
    ]
    assert max(lengths) <= 3 + 3 * 8 + 3
    assert len(words.tokenizer) < TINY_PROGRAMS.vocabulary


def test_the_same_recipe_gives_the_same_bytes(cache, tmp_path, monkeypatch):
    first = made()
    monkeypatch.setenv("LUDUS_CACHE", str(tmp_path))
    second = made()
    assert second != first
    assert second.name == first.name
    assert sha(second) == sha(first)
    assert len(sha(first)) >= 4


def test_what_determines_the_weights_determines_the_name(cache):
    places = [
        made(),
        made(seed=1),
        made(recipe=Recipe(batch=4, steps=2)),
        made(domain="python_io"),
    ]
    assert len({place.name for place in places}) == len(places)
    assert len({sha(place)["model.safetensors"] for place in places}) == len(places)


def test_a_second_call_is_remembered(cache, monkeypatch):
    told = []
    recipe = Recipe(batch=2, steps=10)
    place = made(recipe=recipe, progress=lambda share, loss: told.append((share, loss)))
    assert place.parent == cache_root() / "ludus-tiny-programs"
    assert [share for share, _ in told] == [1.0]
    assert told[0][1] > 0
    monkeypatch.setattr(module, "_learn", lambda *_: pytest.fail("learned again"))
    assert made(recipe=recipe, progress=lambda *_: pytest.fail("told again")) == place
    note = json.loads((place / "ludus.json").read_text())
    assert (note["model"], note["domain"], note["seed"]) == ("ludus-tiny-programs", "python_trace", 0)
    assert note["recipe"]["steps"] == 10
    assert note["loss_nats"] > 0


def test_lessons_lower_the_loss(cache):
    losses = []
    made(recipe=Recipe(batch=8, steps=40), progress=lambda share, loss: losses.append(loss))
    assert losses[-1] < losses[0] - 0.5


def test_the_directory_loads_and_knows_the_lines(cache):
    loaded = load_directory(made())
    words = Renderer(loaded.tokenizer)
    assert len(words.answer(f"{chains.STEPS[0].line}\n")) == 2
    assert loaded.model.config.vocab_size == len(loaded.tokenizer)


def test_a_domain_of_numbers_is_taught_too_and_its_problems_are_no_tokens(cache):
    sums = domains.make("arithmetic")
    taught, _ = lessons(Recipe(batch=20), 1, sums)
    assert any("Write a new" in lesson.messages[1][1] for lesson in taught)
    pieces = School(sums, Recipe(), 0).pieces()
    assert not [piece for piece in pieces if piece.startswith("Work out")]
    assert "Example:\n" in pieces
    loaded = load_directory(made(domain="arithmetic"))
    assert len(loaded.tokenizer) < SMALL.vocabulary
    prompt = "Work out 12 + 30."
    assert Renderer(loaded.tokenizer).text(Renderer(loaded.tokenizer).answer(prompt)) == prompt


class Asked(type(domains.make("arithmetic"))):
    """Sums that only their own generator makes, none of more than two digits."""

    proposable = False
    most_difficulty = 2


def test_a_domain_that_cannot_be_proposed_to_is_taught_without_proposals():
    taught, problems = lessons(Recipe(batch=200, proposals=0.5), 1, Asked())
    assert len(taught) == len(problems) == 200
    assert all(lesson.messages[1][1].startswith("Work out") for lesson in taught)
    assert {Asked().difficulty(problem) for problem in problems} == {1, 2}


def test_the_shipped_model_is_the_one_that_seed_0_names(cache, monkeypatch):
    note = json.loads((module.SHIPPED / "ludus.json").read_text())
    assert note["recipe"] == asdict(Recipe()), "make it anew: python -m training.models.tiny_programs FOLDER"
    assert note["shape"] == asdict(TINY_PROGRAMS)
    monkeypatch.setattr(module, "_learn", lambda *_: pytest.fail("learned"))
    assert tiny_programs() == module.SHIPPED
    assert load_directory(module.SHIPPED).tokenizer.eos_token == "<|end|>"


def test_an_unknown_domain_is_named(cache):
    with pytest.raises(UnknownNameError, match="did you mean python_trace"):
        made(domain="python_trac")
