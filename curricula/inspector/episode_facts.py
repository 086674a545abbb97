"""What the views need of the episodes themselves, read column by column: returns by role, and who was understood.

Only committed rounds hold episodes; a round that is open, or was when a run was killed, tells events alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from arena.domains.domain import VALIDATE
from arena.errors import LogError
from arena.log import schema
from arena.log.reader import segment_path
from arena.types import Status

_COLUMNS = ["id", "round", "status", "lineup", "returns", "calls.list.element.kind"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeFacts:
    """One episode in short.

    Attributes:
        id: the episode.
        round: its round.
        returns: (role, seat, return) by seat; ``None`` where nobody could judge. Empty for a failed episode.
        validated: whether a proposal was understood so far that a verifier was asked about it.
    """

    id: str
    round: int
    returns: tuple[tuple[str, str, float | None], ...]
    validated: bool


def episode_facts(run_dir: Path, rounds: Sequence[int]) -> Iterator[EpisodeFacts]:
    """Yields the episodes of committed rounds.

    Raises:
        LogError: a file is unreadable.
    """
    for number in rounds:
        path = segment_path(run_dir, number) / schema.EPISODES
        try:
            with pq.ParquetFile(path) as file:
                table = file.read(columns=_COLUMNS, use_threads=False)
        except (OSError, pa.ArrowException) as error:
            raise LogError(
                f"{path}: expected the episodes of a committed round, got an unreadable file ({error}); restore it"
            ) from error
        for row in table.to_pylist():
            roles = {seat: plan["role"] for seat, plan in row["lineup"]}
            judged = row["returns"] if row["status"] != Status.FAILED else []
            yield EpisodeFacts(
                id=row["id"],
                round=row["round"],
                returns=tuple((roles.get(seat, seat), seat, value) for seat, value in judged),
                validated=any(call["kind"] == VALIDATE for call in row["calls"]),
            )
