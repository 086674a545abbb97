"""``ludus check``: the conformance checks, for the shipped items, for those of other distributions, and for one's own.

A role or scripted player is checked on every registered game that it is made for, and must be made for at least one.
Games and domains of other libraries are checked when they are named (``openspiel/kuhn_poker-v0``,
``reasoning_gym/chain_sum``); a game that is a foreign environment is checked as such, since it has no pure rules.
A domain whose extra or sandbox is missing here is left out.
"""

from __future__ import annotations

import inspect
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.errors import CapabilityError, CheckError, unknown_name
from arena.game import games
from arena.registry import Registry
from training.cli.extension import load_all
from training.cli.printing import show, table

if TYPE_CHECKING:
    from rich.table import Table

Factory = Callable[..., Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What one check found; ``result`` is ok, failed or left out, ``covered`` says what a passed check looked at."""

    name: str
    kind: str
    result: str
    seconds: float
    message: str
    covered: str = ""


def command(
    names: Annotated[list[str] | None, typer.Argument(help="Registered names; all when none is given.")] = None,
    extend: Annotated[
        list[Path] | None, typer.Option(help="A Python file or folder of your own to load first.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Run the conformance checks of registered items."""
    load_all(extend or ())
    results = [run(kind, name) for kind, name in chosen(names or [])]
    rows = [(one.name, one.kind, one.result, f"{one.seconds:.2f}", one.covered) for one in results]
    failed = [one for one in results if one.result == "failed"]
    notes = [f"{one.kind} {one.name} {one.result}: {one.message}" for one in results if one.message]
    counts = Counter(one.result for one in results)
    verdict = ", ".join(f"{counts[result]} {result}" for result in ("ok", "failed", "left out") if counts[result])
    people: list[Table | str] = [
        table(("name", "kind", "result", "seconds", "covered"), rows, right=("seconds",)),
        *notes,
        verdict,
    ]
    show([asdict(one) for one in results], as_json, people)
    if failed:
        raise typer.Exit(1)


def chosen(names: list[str]) -> list[tuple[str, str]]:
    """Returns (kind, name) of what is to be checked, each kind in turn; a name that two kinds share counts for both.

    Raises:
        InputError: a name is registered nowhere, or its library cannot make it.
    """
    known = [(kind, name) for kind, registry in registries().items() for name in registry]
    everything = {name for _, name in known}
    others = [name for name in dict.fromkeys(names) if name not in everything]
    named = [(_family_of(name, everything), name) for name in others]
    for kind, name in named:
        registries()[kind].make(name)
    return [*((kind, name) for kind, name in known if not names or name in names), *named]


def _family_of(name: str, everything: set[str]) -> str:
    """Returns the kind of a name that belongs to a family.

    Raises:
        UnknownNameError: it belongs to none.
    """
    for kind, registry in registries().items():
        if name in registry:
            return kind
    prefixes = [f"{prefix}/NAME" for registry in registries().values() for prefix in registry.families()]
    raise unknown_name("ludus check", name, [*everything, *prefixes])


def registries() -> dict[str, Registry[Any]]:
    """Returns the registries whose items have a conformance check."""
    from arena.domains.domain import domains
    from curricula.curriculum import curricula
    from roles.role import roles, scripted_players
    from training.estimators.estimator import estimators

    return {
        "game": games,
        "domain": domains,
        "role": roles,
        "player": scripted_players,
        "curriculum": curricula,
        "estimator": estimators,
    }


def run(kind: str, name: str) -> Result:
    """Checks one item; whatever it raises is its failure."""
    factory = registries()[kind].factory(name)
    start = time.perf_counter()
    needed = knobs_needed(factory, offered=("game", "seed"))
    result, message, covered = "ok", "", ""
    if needed:
        result, message = "left out", f"it cannot be built without {', '.join(needed)}"
    else:
        try:
            covered = CHECKS[kind](factory)
        except Exception as error:  # the item under test may raise anything
            plain = isinstance(error, CheckError | CapabilityError)
            result = "left out" if kind == "domain" and isinstance(error, CapabilityError) else "failed"
            message = str(error) if plain else f"{type(error).__name__}: {error}"
    seconds = time.perf_counter() - start
    return Result(name=name, kind=kind, result=result, seconds=seconds, message=message, covered=covered)


def knobs_needed(factory: Factory, offered: tuple[str, ...]) -> list[str]:
    """Returns the arguments without which a factory cannot be called, those that every caller offers left out."""
    parameters = inspect.signature(factory).parameters.values()
    required = (p for p in parameters if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD))
    return [p.name for p in required if p.name not in offered]


def made(factory: Factory, offered: Mapping[str, object]) -> Any:  # noqa: ANN401  (an item of any kind)
    """Builds an item with those of the offered knobs that it takes."""
    parameters = inspect.signature(factory).parameters
    return factory(**{name: value for name, value in offered.items() if name in parameters})


def _check_game(factory: Factory) -> str:
    from arena.foreign.game import ForeignGame
    from arena.testing import check_foreign, check_game

    game = factory()
    if isinstance(game, ForeignGame):
        foreign = check_foreign(game)
        return f"{foreign.episodes} episodes, {foreign.steps} steps, {' and '.join(foreign.layers)}"
    report = check_game(game)
    hidden = f", {report.information_sets} information sets" if report.hidden_information else ""
    return f"{report.episodes} episodes, {report.states} states{hidden}"


def _check_domain(factory: Factory) -> str:
    from arena.testing import check_domain

    report = check_domain(factory())
    return f"{report.problems} problems, {report.attempts} answers, {report.proposals} proposals"


def _check_role(factory: Factory) -> str:
    from roles.testing import check_role

    fitting = 0
    for game in _small_games():
        try:
            check_role(factory(), game)
            fitting += 1
        except CapabilityError:
            continue  # made for other games
    if not fitting:
        raise CheckError("expected a registered game that it can play, got none; name the game it is made for")
    return f"{fitting} game{'s' * (fitting > 1)}"


def _check_curriculum(factory: Factory) -> str:
    from curricula.testing import check_curriculum, setting_for

    setting = setting_for(factory)
    check_curriculum(lambda: made(factory, {**setting, "seed": 0}))
    return f"with {setting['game']}" if "game" in setting else ""


def _check_estimator(factory: Factory) -> str:
    from training.testing import check_estimator

    check_estimator(factory())
    return ""


def _small_games() -> Iterator[Any]:
    for name in games:
        if not knobs_needed(games.factory(name), offered=()):
            yield games.make(name)


CHECKS: dict[str, Callable[[Factory], str]] = {
    "game": _check_game,
    "domain": _check_domain,
    "role": _check_role,
    "player": _check_role,
    "curriculum": _check_curriculum,
    "estimator": _check_estimator,
}
"""Kind -> its conformance check, which says what it has covered."""
