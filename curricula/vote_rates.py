"""How good the labels of a round's votes were: measured on the side, never used."""

from __future__ import annotations

from collections.abc import Sequence

from arena.types import Verdict
from curricula.voting import Vote, label_right


class VoteRates:
    """Sums over the votes of one round."""

    def __init__(self) -> None:
        self._shares: list[float] = []
        self._right: list[bool] = []
        self._in_band: list[bool] = []
        self._tied = self._votes = 0

    def add(
        self,
        agreed: Vote | None,
        said: Sequence[str],
        verdicts: Sequence[Verdict],
        *,
        in_band: bool | None = None,
    ) -> None:
        """Adds one vote.

        Args:
            agreed: what the group agreed on; ``None`` when nobody said anything.
            said: the canonical answers.
            verdicts: on each of them.
            in_band: whether the agreement lay in the band that is paid; ``None`` where there is no band.
        """
        self._votes += 1
        if in_band is not None:
            self._in_band.append(in_band)
        if agreed is None:
            return
        self._shares.append(agreed.share)
        self._tied += agreed.tied
        right = label_right(agreed.label, said, verdicts)
        if right is not None:
            self._right.append(right)

    def rates(self) -> dict[str, float]:
        """Returns the rates of the round; each is left out where there is nothing to divide by.

        ``majority_rate``: mean share of the majority; ``label_accuracy``: the share of labels that are right, where
        the verifier could tell; ``tie_rate``, and ``in_band_rate``: the shares of votes that were tied, and that were
        paid for.
        """
        rates: dict[str, float] = {}
        if self._shares:
            rates["majority_rate"] = sum(self._shares) / len(self._shares)
        if self._right:
            rates["label_accuracy"] = sum(self._right) / len(self._right)
        if self._votes:
            rates["tie_rate"] = self._tied / self._votes
        if self._in_band:
            rates["in_band_rate"] = sum(self._in_band) / len(self._in_band)
        return rates
