"""The player that nobody can exploit in zero-sum games of two seats with hidden information or simultaneous moves.

It plays the average strategy of CFR+ (``arena.regret_matching``), whose NashConv is proved to be as small as asked;
where nothing is hidden it plays minimax. It guarantees the game's value from each seat and sets no traps: against a
weak opponent a best response earns more, and where it never lets play come it may play at random.

The game is solved on the first move and remembered on disk, under the hash of the game's id, spec and source, the
parameters, and how close the solution is. A game whose source cannot be read is solved anew in each process.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from arena.cache import remembered
from arena.errors import CapabilityError, ConfigError, InputError
from arena.game import Game
from arena.game_tree import game_tree
from arena.referee import Referee
from arena.regret_matching import game_value
from arena.seeds import generator
from arena.types import Action, Observation, Payoff, Status, Task
from roles.role import scripted_players
from roles.scripted import legal_actions

CODE_VERSION = 1
"""Raised by any change of the code that changes the strategies."""

WITHIN = 2e-4
"""How much NashConv may remain, as a share of the span of the game's returns (Kuhn: 0.0008, Leduc: 0.0052)."""

MOST_NODES = 500_000
"""Past so many nodes a game is refused (liar's dice with one die of six faces has 294,883)."""

MOST_ITERATIONS = 20_000
PROBES = 20
"""Random plays that look for returns which do not cancel, before a game that is not declared zero-sum is enumerated."""

Strategies = dict[str, dict[str, dict[str, float]]]


@scripted_players.register("equilibrium")
class Equilibrium:
    """Plays an approximate equilibrium with a proved bound on what anybody can gain against it.

    Args:
        params: the parameters of the tasks that will be played; an observation does not tell them.
        within: the NashConv that may remain, as a share of the span of the game's returns.

    Raises:
        ConfigError: ``within`` is not above 0.
    """

    name: str = "equilibrium"

    def __init__(self, params: Mapping[str, Any] = MappingProxyType({}), within: float = WITHIN) -> None:
        if not within > 0:
            raise ConfigError(f"equilibrium.within: expected a number above 0, got {within}; choose {WITHIN}")
        self._params = dict(params)
        self._within = within
        self._solved: dict[str, Strategies] = {}

    def strategy(self, game: Game[Any], observation: Observation) -> dict[str, float]:
        """Returns the equilibrium's probability of each legal action.

        Raises:
            CapabilityError: the game has other than two seats, is not zero-sum, lacks perfect recall, cannot be
                enumerated, or cannot be solved as closely as asked.
            InputError: the position does not occur under these ``params``.
        """
        legal = legal_actions(self.name, game, observation)
        if game.spec.id not in self._solved:
            self._solved[game.spec.id] = self._solution(game)
        known = self._solved[game.spec.id].get(observation.seat, {}).get(observation.information_key, {})
        if set(known) != set(legal):
            raise InputError(
                f"equilibrium: expected a position of {game.spec.id} with params {self._params}, got "
                f"{observation.information_key!r} of {observation.seat!r}; give the params of the tasks that are played"
            )
        return {action: known[action] for action in legal}

    def _solution(self, game: Game[Any]) -> Strategies:
        _require_two_rivals(game, self._params)
        source = _source(game)
        if source is None:
            return _solve(game, self._params, self._within)
        key = [CODE_VERSION, game.spec.id, repr(game.spec), source, self._params, self._within]
        solved: Strategies = remembered("equilibria", key, lambda: _solve(game, self._params, self._within))
        return solved


def _solve(game: Game[Any], params: Mapping[str, Any], within: float) -> Strategies:
    tree = game_tree(game, Task(game=game.spec.id, params=params), most_nodes=MOST_NODES)
    span = float(tree.returns_NS.max() - tree.returns_NS.min())
    found = game_value(tree, within=within * span, most_iterations=MOST_ITERATIONS)
    if found.high - found.low > within * span:
        raise CapabilityError(
            f"equilibrium.within of {game.spec.id}: expected a NashConv of at most {within * span:g} after "
            f"{found.iterations:,} iterations of CFR+, got {found.high - found.low:g}; raise within "
            f"above {(found.high - found.low) / span:.2g}"
        )
    return {seat: {key: dict(p) for key, p in sets.items()} for seat, sets in found.strategies.items()}


def _require_two_rivals(game: Game[Any], params: Mapping[str, Any]) -> None:
    """Refuses, before anything is enumerated, a game in which an equilibrium's strategy guarantees nothing.

    Raises:
        CapabilityError: it has other than two seats, or two plays show that it is not zero-sum.
    """
    spec = game.spec
    if len(spec.seats) != 2:
        raise CapabilityError(
            f"equilibrium: expected a game of two seats, got {spec.id} with {len(spec.seats)}, where an equilibrium "
            "strategy guarantees nothing; choose another player, for example uniform"
        )
    if spec.payoff is Payoff.ZERO_SUM or not spec.capabilities.enumerate:  # the tree refuses the latter by name
        return
    for probe in range(PROBES):
        returns = _random_play(game, params, probe)
        if abs(sum(returns)) > 1e-9:
            raise CapabilityError(
                f"equilibrium: expected a zero-sum game, got {spec.id} ({spec.payoff}), which can end with "
                f"{' and '.join(f'{value:g}' for value in returns)}, so that no strategy is best whatever the other "
                "does; choose another player, for example uniform"
            )


def _random_play(game: Game[Any], params: Mapping[str, Any], seed: int) -> list[float]:
    """Returns the returns of one play at random; nothing when it did not end by the rules of the game alone."""
    referee, draw = Referee(game, Task(game=game.spec.id, params=params, seed=seed)), generator("equilibrium", seed)
    while referee.to_move:
        seat = referee.to_move[0]
        legal = referee.observe(seat).legal_actions
        if not legal:
            return []
        referee.act(seat, Action(value=legal[int(draw.integers(len(legal)))]))
    ended = referee.status is Status.COMPLETED
    return [value for value in referee.returns.values() if value is not None] if ended else []


def _source(game: Game[Any]) -> str | None:
    """Returns the hash of the files in which the game and what it inherits from are written, or ``None``."""
    digest = hashlib.sha256()
    for kind in type(game).__mro__:
        if kind is Game:
            return digest.hexdigest()
        try:
            digest.update(Path(inspect.getfile(kind)).read_bytes())
        except (OSError, TypeError):
            return None
    return None
