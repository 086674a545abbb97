"""What a campaign may ask of domains: executors, sealed sets, hindsight, tiny models; refused before any work."""

import pytest

from arena.errors import CapabilityError, ConfigError, InputError, UnknownNameError
from training.compose import compose_campaign
from training.config import CampaignConfig, GameConfig, PolicyConfig
from training.verifiable import check_tiny_models, check_verifiers, taught_domain, used_domains

ZERO = ("campaign=absolute_zero",)
UNIFORM = ("campaign=uniform_tasks",)
KUHN = ("campaign=kuhn_selfplay",)
UNIFORM_CURRICULUM = ("games.programs.curriculum.name=uniform", "~games.programs.curriculum.most")
RATIOS = ("policies.solver.objective.name=ppo", "policies.solver.replay.rounds=0")
REFUSED = {
    "executor": ((*ZERO, "executor=montey"), UnknownNameError, "executor.*did you mean monty"),
    "executor of a game without programs": ((*KUHN, "executor=nonsense"), UnknownNameError, "executor"),
    "hindsight under ratios": (
        (*ZERO, "games.programs.hindsight.weight=0.5", *RATIOS),
        ConfigError,
        r"games\.programs\.hindsight\.weight: .*got ppo for policy solver; choose objective=nll",
    ),
    "negative hindsight": ((*UNIFORM, "games.programs.hindsight.weight=-1"), ConfigError, "hindsight.weight"),
    "endless hindsight": ((*UNIFORM, "games.programs.hindsight.weight=.inf"), ConfigError, "hindsight.weight"),
    "hindsight of nothing": (
        (*UNIFORM, "games.programs.hindsight.least_difficulty=0"),
        ConfigError,
        "least_difficulty: expected at least 1",
    ),
    "hindsight without a domain": (
        (*KUHN, "objective=nll", "games.kuhn.hindsight.weight=1.0"),
        ConfigError,
        "hindsight.weight: expected 0 for a game without a domain",
    ),
    "held-out count": ((*ZERO, "evaluation.heldout.per_cell=-1"), ConfigError, "heldout.per_cell"),
    "held-out difficulty": ((*ZERO, "evaluation.heldout.most_difficulty=0"), ConfigError, "heldout.most_difficulty"),
    "held-out seed": ((*ZERO, "evaluation.heldout.seed=-1"), ConfigError, "heldout.seed"),
    "a curriculum that would pose sealed problems": (
        (*UNIFORM, *UNIFORM_CURRICULUM),
        ConfigError,
        r"games\.programs\.curriculum: expected one that keeps sealed problems out",
    ),
    "domain": ((*ZERO, "games.programs.params.domain=python_trac"), InputError, "did you mean python_trace"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_work_is_refused_when_it_is_composed(what):
    overrides, kind, words = REFUSED[what]
    with pytest.raises(kind, match=words):
        compose_campaign(list(overrides))


ACCEPTED = {
    "hindsight without ratios": (*ZERO, "games.programs.hindsight.weight=0.5", "policies.solver.objective.name=nll"),
    "masks that no free text needs": (*ZERO, "sampling.masked=true"),
    "an executor that nobody needs": (*KUHN, "executor=cpython"),
    "nothing sealed": (
        *UNIFORM,
        "evaluation.heldout.per_cell=0",
        *UNIFORM_CURRICULUM,
    ),
    "hindsight of a frozen solver": (
        *UNIFORM,
        "policies.solver.trained=false",
        *RATIOS,
    ),
}


@pytest.mark.parametrize("what", ACCEPTED)
def test_what_can_work_is_accepted(what):
    assert compose_campaign(list(ACCEPTED[what])).games["programs" if "kuhn" not in ACCEPTED[what][0] else "kuhn"]


def asking(**domains):
    """A campaign whose games have these domains; an empty one is none."""
    games = {
        name: GameConfig(game="solve-v0", params={"domain": domain} if domain else {})
        for name, domain in domains.items()
    }
    return CampaignConfig(games=games)


def test_used_domains_are_named_once():
    assert used_domains(asking(a="python_trace", b="arithmetic", c="", d="arithmetic")) == [
        "arithmetic",
        "python_trace",
    ]
    assert used_domains(asking(a="")) == []


def test_one_domain_is_taught():
    assert taught_domain(asking(a="python_io", b="python_io", c="")) == "python_io"
    with pytest.raises(ConfigError, match="expected one domain for ludus-tiny-programs, got none"):
        taught_domain(asking(a=""))
    with pytest.raises(ConfigError, match="got arithmetic, python_io"):
        taught_domain(asking(a="python_io", b="arithmetic"))


def test_ludus_tiny_is_refused_for_free_text():
    config = asking(a="arithmetic")
    config.policies = {"solver": PolicyConfig(model="ludus-tiny")}
    with pytest.raises(CapabilityError, match="expected games with finite actions for ludus-tiny, got solve-v0"):
        check_tiny_models(config)
    config.policies = {"solver": PolicyConfig(model="somewhere/a_model")}
    check_tiny_models(config)
    config.policies["solver"].model = "ludus-tiny-programs"
    check_tiny_models(config)


def test_a_verifier_is_opened_for_each_domain_and_none_is_left_open(monkeypatch):
    opened, closed = [], []

    class Checker:
        def close(self):
            closed.append(self)

    def checker(self, executor):
        opened.append((self.name, executor))
        return Checker()

    monkeypatch.setattr("arena.domains.arithmetic.Arithmetic.checker", checker)
    config = asking(a="arithmetic", b="arithmetic", c="")
    config.executor = "cpython"
    check_verifiers(config)
    assert opened == [("arithmetic", "cpython")]
    assert len(closed) == 1


def test_a_missing_layer_is_the_users_to_mend(monkeypatch):
    def missing(self, executor):
        raise CapabilityError("executor cpython: expected bwrap, got none; apt-get install bubblewrap")

    monkeypatch.setattr("arena.domains.arithmetic.Arithmetic.checker", missing)
    with pytest.raises(CapabilityError, match="bubblewrap"):
        check_verifiers(asking(a="arithmetic"))
