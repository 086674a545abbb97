"""The warm start teaches format and legality, and no strategy; it is reproducible and remembered."""

import hashlib
import math

import numpy as np
import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from arena.cache import cache_root
from arena.errors import RunError
from arena.game import games
from arena.game_tree import game_tree
from arena.solutions import nash_conv, uniform_strategy
from arena.types import PolicyId, Sampling, Task
from roles.role import roles
from training.engines.engine import Request, ScoreRequest, engines
from training.models import warm_start as module
from training.models.directory import load_directory
from training.models.warm_start import Recipe, warm_start
from training.rendering import Renderer

KUHN = "kuhn_poker-v0"
PLAYER = PolicyId(name="player")
SHORT = Recipe(plays=20, most_steps=3, check_every=1)


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LUDUS_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def directory(cache):
    return warm_start([Task(game=KUHN)])


@pytest.fixture(scope="module")
def kuhn(directory):
    """Every information set of Kuhn poker with the probabilities of its answers, unmasked."""
    loaded = load_directory(directory)
    renderer = Renderer(loaded.tokenizer)
    engine = engines.make("torch", config=loaded.model.config, reader=renderer)
    engine.load(PLAYER, loaded.model.state_dict())
    game, role = games.make(KUHN), roles.make("player")
    tree = game_tree(game, Task(game=KUHN))
    found = []
    for info in tree.information_sets:
        prompt = renderer.prompt(role.messages(game, info.observation, ()))
        answers = {action: renderer.answer(text) for action, text in role.answers(info.observation).items()}
        asked = [ScoreRequest(policy=PLAYER, prompt_ids=prompt, token_ids=ids) for ids in answers.values()]
        found.append((info, prompt, answers, [math.exp(scores.sum()) for scores in engine.score(asked)]))
    return tree, engine, found


def sha(path):
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(path.iterdir())}


def test_it_says_nearly_only_legal_answers(kuhn):
    _, _, found = kuhn
    assert len(found) == 12
    assert max(1 - sum(p) for *_, p in found) < 0.05


def test_it_has_learned_no_strategy(kuhn):
    tree, _, found = kuhn
    strategies = {seat: {} for seat in tree.seats}
    for info, _, answers, p in found:
        strategies[info.seat][info.key] = dict(zip(answers, np.array(p) / sum(p), strict=True))
    exploitability = nash_conv(tree, strategies).value
    uniform = nash_conv(tree, uniform_strategy(tree)).value
    assert uniform == pytest.approx(11 / 12)
    assert 0.85 <= exploitability <= 1.05


def test_prompts_are_short(kuhn):
    _, _, found = kuhn
    assert max(len(prompt) for _, prompt, _, _ in found) <= 40


def test_free_samples_are_answers(kuhn):
    _, engine, found = kuhn
    requests = [
        Request(id=f"{n}.{k}", policy=PLAYER, prompt_ids=prompt, seed=100 * n + k, sampling=Sampling(max_tokens=8))
        for n, (_, prompt, _, _) in enumerate(found)
        for k in range(40)
    ]
    completions = engine.generate(requests)
    legal = [completion.token_ids in found[n // 40][2].values() for n, completion in enumerate(completions)]
    assert np.mean(legal) > 0.93


def test_transformers_loads_the_directory_and_answers(directory):
    tokenizer = AutoTokenizer.from_pretrained(directory, local_files_only=True)
    model = AutoModelForCausalLM.from_pretrained(directory, local_files_only=True)
    game, role = games.make(KUHN), roles.make("player")
    seen = game_tree(game, Task(game=KUHN)).information_sets[0].observation
    ids = tokenizer.apply_chat_template(role.messages(game, seen, ()), add_generation_prompt=True, return_tensors="pt")
    out = model.generate(**ids, max_new_tokens=8, do_sample=False)
    answer = tokenizer.decode(out[0, ids["input_ids"].shape[1] :], skip_special_tokens=True)
    assert answer in role.answers(seen).values()


def test_an_equal_call_hits_the_cache(directory):
    def refuse(*_):
        raise AssertionError("trained again")

    assert warm_start([Task(game=KUHN)] * 2, progress=refuse) == directory


def test_equal_calls_give_equal_bytes(directory, monkeypatch, tmp_path):
    monkeypatch.setenv("LUDUS_CACHE", str(tmp_path))
    torch.manual_seed(123)
    torch.set_num_threads(1)
    again = warm_start([Task(game=KUHN)])
    assert again != directory
    assert again.name == directory.name
    assert sha(again) == sha(directory)


def test_what_determines_it_changes_its_name(cache):
    places = {
        warm_start([Task(game=KUHN)], seed=seed, recipe=recipe).name
        for seed in (0, 1)
        for recipe in (SHORT, Recipe(plays=20, most_steps=2, check_every=1))
    }
    assert len(places) == 4


def test_progress_is_told_and_ends_at_one(cache):
    told = []
    warm_start([Task(game=KUHN)], seed=7, recipe=SHORT, progress=lambda share, distance: told.append((share, distance)))
    assert [share for share, _ in told] == pytest.approx([1 / 3, 2 / 3, 1.0])
    assert all(distance > 0 for _, distance in told)


def test_another_process_may_be_faster(monkeypatch, tmp_path):
    monkeypatch.setenv("LUDUS_CACHE", str(tmp_path))
    commit = module.commit_model

    def twice(place, model, tokenizer, note):
        commit(place, model, tokenizer, note)
        commit(place, model, tokenizer, note)

    monkeypatch.setattr(module, "commit_model", twice)
    place = warm_start([Task(game=KUHN)], recipe=SHORT)
    assert [path.name for path in place.parent.iterdir()] == [place.name]
    load_directory(place)


def test_a_cache_below_a_file_is_named(monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("LUDUS_CACHE", str(tmp_path / "file"))
    with pytest.raises(RunError, match="LUDUS_CACHE"):
        warm_start([Task(game=KUHN)], recipe=SHORT)


def test_the_default_cache_is_in_the_home_directory(monkeypatch, tmp_path):
    monkeypatch.delenv("LUDUS_CACHE", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_root() == tmp_path / ".cache" / "ludus"


def test_global_settings_are_put_back(cache):
    torch.set_num_threads(1)
    state = torch.random.get_rng_state()
    warm_start([Task(game=KUHN)], seed=9, recipe=SHORT)
    assert torch.get_num_threads() == 1
    assert torch.equal(torch.random.get_rng_state(), state)
