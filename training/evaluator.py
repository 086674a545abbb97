"""The campaign's evaluations: what is measured, against whom, and the event that goes into the log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arena.games.solve import SEAT as SOLVER
from arena.types import Episode
from training.campaign_game import CampaignGame
from training.config import EvaluationConfig
from training.evaluation import ExactEvaluation, live_players
from training.heldout import heldout_metrics, heldout_rates
from training.players import ModelPlayer
from training.probe import probe_game, probed
from training.runtimes.local import LocalRuntime
from training.tally import duplicates, tally


class Evaluator:
    """Measures the live policies of a campaign.

    Args:
        config: against whom, and how many games.
        seed: the campaign's.
        games: the games.
        exact: those that are solved exactly.
        runtime: plays evaluation games through the sampler that also plays training games.
    """

    def __init__(
        self,
        config: EvaluationConfig,
        seed: int,
        games: Mapping[str, CampaignGame],
        exact: frozenset[str],
        runtime: LocalRuntime,
    ) -> None:
        self._config = config
        self._seed = seed
        self._games = games
        self._runtime = runtime
        self._exact = {name: ExactEvaluation(games[name]) for name in games if name in exact}
        self._probes = [probe_game(name, "evaluation.probes") for name, on in config.probes.items() if on]
        names = [name for name, on in config.references.items() if on]
        self._references = {name: solver.references(names) for name, solver in self._exact.items()}
        self._equilibria = {name: solver.equilibrium(names) for name, solver in self._exact.items()}

    def evaluate(self) -> list[dict[str, Any]]:
        """Returns one event a game and trained policy."""
        return [self._event(name, entry) for name, entry in self._games.items()]

    def probe(self) -> list[dict[str, Any]]:
        """Returns one event a probe and trained policy, asked in the role of the policy's first seat."""
        players: dict[str, ModelPlayer] = {}
        for entry in self._games.values():
            for seat, player in live_players(entry).items():
                place = next(one for one in entry.seats if one.seat == seat)
                if isinstance(player, ModelPlayer) and place.trained:
                    players.setdefault(place.policy, player)
        return [probed(game, player) for game in self._probes for player in players.values()]

    def headline(self, event: Mapping[str, Any]) -> dict[str, float]:
        """Returns the numbers of an evaluation event that belong into the metrics."""
        game = event["game"]
        metrics: dict[str, float] = {}
        if event["nash_conv"] is not None:
            metrics |= {f"{game}/nash_conv": event["nash_conv"], f"{game}/illegal_mass": event["illegal_mass"]}
        for name in {played["opponent"] for played in event["opponents"]}:
            rates = [one for one in event["opponents"] if one["opponent"] == name]
            for key in ("win_rate", "not_lost_rate"):
                metrics[f"{game}/{key}_vs_{name}"] = sum(rate[key][1] for rate in rates) / len(rates)
        for one in event["duplicates"]:
            if one["return"] is not None:
                metrics[f"{game}/return_vs_{one['opponent']}"] = one["return"][1]
        for one in event["heldout"]:
            name = f"{game}/{one['policy']}/" if len(event["heldout"]) > 1 else f"{game}/"
            metrics |= {f"{name}{key}": value for key, value in heldout_metrics(one).items()}
        return dict(sorted(metrics.items()))

    def versus(self, name: str, opponent: str, games: int) -> dict[str, list[Episode]]:
        """Returns the games of the live policy against one opponent, by the seat that a policy plays."""
        entry = self._games[name]
        seats = [seat.seat for seat in entry.seats if seat.policy]
        return {s: self._runtime.play(name, entry.versus(s, opponent, games, self._seed)) for s in seats}

    def opponents(self) -> Sequence[str]:
        """Returns the opponents that are switched on."""
        return [name for name, on in self._config.against.items() if on]

    def _event(self, name: str, entry: CampaignGame) -> dict[str, Any]:
        policies = sorted({seat.policy for seat in entry.seats if seat.policy})
        live = [entry.policies[policy] for policy in policies]
        event: dict[str, Any] = {
            "game": name,
            "policy": "+".join(policies),
            "version": max((policy.version for policy in live), default=0),
            "nash_conv": None,
            "illegal_mass": None,
            "opponents": [],
            "duplicates": [],
            "heldout": self._heldout(entry),
        }
        if name in self._exact:
            event |= self._solved(name, entry)
        for opponent in self.opponents():
            played = self.versus(name, opponent, self._config.games)
            event["opponents"] += [tally(seat, opponent, episodes) for seat, episodes in played.items()]
            event["duplicates"].append(duplicates(opponent, played))
        return event

    def _heldout(self, entry: CampaignGame) -> list[dict[str, Any]]:
        """Returns how every policy in a solver's seat does on the sealed problems."""
        domain, config = entry.params.get("domain"), self._config.heldout
        if domain is None or not config.per_cell or entry.verifier is None:
            return []
        players: dict[str, ModelPlayer] = {}
        live = live_players(entry)
        for place in entry.seats:
            player = live[place.seat]
            if place.seat.startswith(SOLVER) and isinstance(player, ModelPlayer):
                players.setdefault(place.policy, player)
        return [heldout_rates(domain, config, player, entry.verifier, self._seed) for player in players.values()]

    def _solved(self, name: str, entry: CampaignGame) -> dict[str, Any]:
        solved = self._exact[name].evaluate(live_players(entry))
        strategy = {key: actions for seat in solved.strategies.values() for key, actions in seat.items()}
        return {
            "nash_conv": solved.nash_conv,
            "illegal_mass": solved.illegal_mass,
            "expected_returns": dict(solved.returns),
            "references": self._references[name],
            "strategy": strategy if len(strategy) <= MOST_LOGGED_SETS else {},
            "equilibrium": self._equilibria[name],
        }


MOST_LOGGED_SETS = 500
"""Strategies with more information sets are not written into events."""
