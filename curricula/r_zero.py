"""R-Zero (arXiv 2508.05004): a challenger and its solvers, and no label but what the solvers agree on.

The answer that most solvers give is the label. Solvers are paid for agreeing with it, and only where the agreement lies
in a band: too much agreement teaches nothing, too little is no label. The challenger is paid by how far the agreement
is from certainty and from noise, minus the share of the round's problems that are like its own.

Differs from the paper in that the challenger sees references from a buffer of valid problems (the paper's sees a fixed
prompt), that a verifier must find the problem valid, and that the two sides train on the same episodes: with the
schedule ``alternating`` one of them learns at a time, as in the paper. The verifier also judges the answers; that is
measured as ``label_accuracy`` and never used.

Outside the band the solvers of a problem are paid alike. That is no learning signal where they are compared with each
other (estimator ``hierarchical``), and would be one under a baseline over the whole round.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from arena.errors import ConfigError
from arena.types import EpisodeGroup, Settlement
from curricula.absolute_zero import AbsoluteZero
from curricula.curriculum import Credit, curricula
from curricula.learnability import Evidence
from curricula.proposals import Valid
from curricula.vote_rates import VoteRates
from curricula.voting import Vote, vote


@curricula.register("r_zero")
class RZero(AbsoluteZero):
    """Proposer-driven tasks whose labels are the solvers' majority.

    ``metrics`` has the rates of the votes too (``VoteRates``).

    Args:
        game: ``propose_solve/N-v0`` with ``params.pay=nothing``.
        seed: the campaign's seed.
        base: the parameters that the campaign gives the game.
        sealed: signatures that are kept out of the buffers.
        rule: the learnability rule that pays the challenger: ``r_zero_paper`` or ``r_zero_code``.
        least_agreement: the least share of the majority for which solvers are paid; the paper's 0.5 - delta.
        most_agreement: the greatest such share; the paper's 0.5 + delta with delta 0.25.
        references: problems that the challenger is shown.
        seeds: problems of each kind with which the buffers begin.
        seed_difficulty: their greatest difficulty.
        cap: the most problems of a buffer; the oldest leaves.
        refuse_duplicates: pay a proposal that repeats any earlier one like an invalid one; the paper does not.
        kinds: which kinds are asked for, each on or off; default: all of the domain's.
        most_empty_rounds: the rounds in a row without a valid new proposal after which the run ends.

    Raises:
        ConfigError: the band is empty, or see ``AbsoluteZero``.
    """

    name: str = "r_zero"
    pay: str = "nothing"

    def __init__(
        self,
        game: str,
        seed: int = 0,
        base: Mapping[str, Any] = MappingProxyType({}),
        sealed: frozenset[str] = frozenset(),
        rule: str = "r_zero_paper",
        least_agreement: float = 0.25,
        most_agreement: float = 0.75,
        references: int = 2,
        seeds: int = 64,
        seed_difficulty: int = 3,
        cap: int = 4096,
        refuse_duplicates: bool = False,
        kinds: Mapping[str, bool] = MappingProxyType({}),
        most_empty_rounds: int = 5,
    ) -> None:
        super().__init__(
            game,
            seed,
            base,
            sealed,
            rule=rule,
            references=references,
            seeds=seeds,
            seed_difficulty=seed_difficulty,
            cap=cap,
            refuse_duplicates=refuse_duplicates,
            kinds=kinds,
            most_empty_rounds=most_empty_rounds,
        )
        if not 0 <= least_agreement <= most_agreement <= 1:
            raise ConfigError(
                f"r_zero.least_agreement, most_agreement: expected 0 <= least <= most <= 1, got {least_agreement} and "
                f"{most_agreement}; try 0.25 and 0.75"
            )
        self._band = (least_agreement, most_agreement)
        self._votes = VoteRates()

    def observe(self, groups: Sequence[EpisodeGroup], credits: Sequence[Credit]) -> None:
        """Ends the round.

        Raises:
            RunError: too many rounds in a row had no valid new proposal.
        """
        rates, self._votes = self._votes.rates(), VoteRates()
        closed = self.book.close_round(rates.get("majority_rate"), rates.get("label_accuracy"))
        self._metrics = {**self._paid, **rates, **closed}

    def _valid(self, one: Valid) -> list[Settlement]:
        said = [self._domain.canonical_answer(answer.text) for answer in one.found.answers]
        agreed = vote(said)
        in_band = agreed is not None and self._band[0] <= agreed.share <= self._band[1]
        self._votes.add(agreed, said, one.found.verdicts, in_band=in_band)
        # Agreement takes the place of success; without any answer nobody agrees.
        evidence = Evidence(
            successes=said.count(agreed.label) if agreed else 0,
            attempts=len(said),
            cluster_share=one.cluster_share,
            vote_share=agreed.share if agreed else 0.0,
        )
        paid = self._filed(replace(one, vote_shares=agreed.shares if agreed else ()), evidence)
        return paid + (self._agreement(one, said, agreed) if agreed and in_band else [])

    def _agreement(self, one: Valid, said: Sequence[str], agreed: Vote) -> list[Settlement]:
        return [
            Settlement(
                episode_id=one.episode.id,
                seat=answer.seat,
                turn=None,
                terms={"agreement": float(text == agreed.label)},
                formula=f"majority_vote-v1/n={len(said)}",
                round=one.episode.round,
            )
            for answer, text in zip(one.found.answers, said, strict=True)
        ]
