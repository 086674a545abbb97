"""Games over domains as a campaign holds them, played by an engine that says what a test wants it to say."""

from __future__ import annotations

from functools import cache

from arena.domains.domain import domains
from arena.domains.verifier import DomainVerifier
from arena.game import games
from arena.types import Completion, PolicyId, Sampling, Task
from roles.role import roles
from training.campaign_game import CampaignGame
from training.config import HindsightConfig
from training.engines.engine import EngineSupport
from training.models.ludus_tiny import Shape, build_model
from training.models.tiny_programs import PIECE, Recipe, School
from training.models.tokenizer import assemble_tokenizer
from training.opponents.matchmaking import Population, SeatAssignment
from training.opponents.self_play import SelfPlay
from training.policies import Policy
from training.rendering import Renderer
from training.runtimes.local import LocalRuntime
from training.samplers.independent import IndependentSampler

SHAPE = Shape(width=16, layers=1, heads=2, intermediate=32, vocabulary=320, context=512)


@cache
def renderer(domain="python_trace"):
    """A renderer that knows the words of a domain."""
    pieces = School(domains.make(domain), Recipe(), 0).pieces()
    return Renderer(assemble_tokenizer(PIECE, pieces, [], SHAPE.context))


def model(words):
    """A random model for a renderer."""
    tokenizer = words.tokenizer
    return build_model(SHAPE, len(tokenizer), tokenizer.eos_token_id, tokenizer.pad_token_id, 0).eval()


class Speaker:
    """An engine that answers each prompt by a function of its text, and remembers what it was asked."""

    supports = EngineSupport(masked=False, score=False, exact=True)

    def __init__(self, say, words):
        self.say, self.words, self.asked, self.batches = say, words, [], []

    def load(self, policy, weights):
        pass

    def unload(self, policy):
        pass

    def loaded(self):
        return frozenset()

    def score(self, requests):
        raise NotImplementedError

    def generate(self, requests):
        self.asked += requests
        self.batches.append(len(requests))
        return [self._completion(request) for request in requests]

    def _completion(self, request):
        text = self.say(self.words.tokenizer.decode(list(request.prompt_ids)))
        ids = self.words.answer(text)
        return Completion(
            id=request.id,
            prompt_ids=request.prompt_ids,
            token_ids=ids,
            logprobs=(-1.0,) * len(ids),
            support=None,
            text=text,
            finish_reason="stop",
            policy=request.policy,
            sampling=request.sampling,
            version_spans=((0, request.policy.version),),
        )


def speaking(name, say, domain="python_trace"):
    """A policy that says what ``say`` returns for the text of a prompt."""
    words = renderer(domain)
    engine = Speaker(say, words)
    return Policy(name=name, version=0, model=model(words), renderer=words, engine=engine, learner=None)


class Posed:
    """A curriculum that poses the same tasks in every round."""

    name = "posed"

    def __init__(self, game, params):
        self.tasks = [Task(game=game, params=one, seed=index) for index, one in enumerate(params)]

    def propose(self, generator, round_index, count):
        return self.tasks[:count]


def domain_entry(game, params, policies, domain="python_trace", weight=0.5, least=1, verifier=None):
    """A game over a domain whose proposer and solvers are the policies of these names."""
    made = games.make(game)
    seats = []
    for seat in made.spec.seats:
        name = "proposer" if seat == "proposer" else "solver"
        seats.append(SeatAssignment(seat=seat, role=name, policy=name, trained=True))
    return CampaignGame(
        name="programs",
        game=made,
        params={"domain": domain},
        seats=seats,
        roles={place.seat: roles.make(place.role) for place in seats},
        group_size=1,
        curriculum=Posed(game, [{"domain": domain, **one} for one in params]),
        matchmaking=SelfPlay(),
        sampler=IndependentSampler(),
        illegal=None,
        policies=policies,
        sampling=Sampling(max_tokens=96),
        masked=False,
        verifier=verifier or DomainVerifier("monty"),
        hindsight=HindsightConfig(weight=weight, least_difficulty=least),
    )


def played(entry):
    """The groups of one round of a game, one episode a task."""
    live = {name: PolicyId(name=name, version=0) for name in entry.policies}
    population = Population(live=live, snapshots={name: [] for name in live})
    plans = entry.plan(0, 0, len(entry.curriculum.tasks), population, 0)
    (batch,) = LocalRuntime({"programs": entry}, 64).batches({"programs": plans})
    return batch.groups["programs"]
