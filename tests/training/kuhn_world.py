"""A whole game of a campaign around a random tiny model that really reads and answers Kuhn poker."""

from __future__ import annotations

from functools import cache

from arena.game_tree import game_tree
from arena.games.kuhn_poker import KuhnPoker
from arena.types import Sampling, Task
from curricula.uniform import Uniform
from roles.player import Player
from training.campaign_game import CampaignGame
from training.engines.torch_engine import TorchEngine
from training.models.ludus_tiny import Shape, build_model
from training.models.tokenizer import build_tokenizer
from training.opponents.matchmaking import SeatAssignment
from training.opponents.self_play import SelfPlay
from training.policies import Policy
from training.rendering import Renderer
from training.samplers.independent import IndependentSampler

SHAPE = Shape(width=16, layers=1, heads=2, intermediate=32, vocabulary=320, context=512)


@cache
def tokenizer():
    """A tokenizer that knows the words of Kuhn poker."""
    game, role = KuhnPoker(), Player()
    sets = game_tree(game, Task(game=game.spec.id)).information_sets
    said = [m["content"] for info in sets for m in role.messages(game, info.observation, ())]
    return build_tokenizer({"kuhn": said}, SHAPE.vocabulary, SHAPE.context)


def policy(name="player", version=0, seed=0, learner=None):
    """A policy whose version is loaded into an engine of its own."""
    words = tokenizer()
    model = build_model(SHAPE, len(words), words.eos_token_id, words.pad_token_id, seed).eval()
    for parameter in model.parameters():  # far from uniform, so that a wrong strategy would show
        parameter.data *= 1.5
    renderer = Renderer(words)
    engine = TorchEngine(config=model.config, reader=renderer)
    made = Policy(name=name, version=version, model=model, renderer=renderer, engine=engine, learner=learner)
    engine.load(made.id, made.weights())
    return made


def kuhn_entry(policies=None, seats=None, masked=True, group_size=1, matchmaking=None):
    """Kuhn poker as a campaign holds it; both seats are played by ``player`` unless ``seats`` says otherwise."""
    policies = policies or {"player": policy()}
    seats = seats or [
        SeatAssignment(seat=seat, role="player", policy="player", trained=True) for seat in ("first", "second")
    ]
    game = KuhnPoker()
    return CampaignGame(
        name="kuhn",
        game=game,
        params={},
        seats=seats,
        roles={seat.seat: Player() for seat in seats if seat.policy},
        group_size=group_size,
        curriculum=Uniform(game=game.spec.id, seed=5),
        matchmaking=matchmaking or SelfPlay(),
        sampler=IndependentSampler(),
        illegal=None,
        policies=policies,
        sampling=Sampling(max_tokens=16),
        masked=masked,
    )
