"""Which cache row each request reads while a batch is decoded: rows split, and rows leave.

Requests with the same prompt and the same tokens so far share one row. When their samples differ the row splits: the
first continuation stays, the others are copied to free rows. Rows whose requests have all finished become free;
they are dropped when a quarter of the batch is idle, since copying costs more than a few idle rows.

Shapes: L live requests, R rows, C continuations (distinct row and token).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
_BUSY = 0.75
"""Idle rows are kept while at least this share of the rows is in use."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Plan:
    """What the next step reads.

    Attributes:
        row_L: the row of each live request.
        token_R: the token that each row reads next; 0 where idle.
        sources: rows to copy, before reading.
        targets: where to.
        shared: whether some row still serves several requests.
    """

    row_L: Ints
    token_R: Ints
    sources: Ints
    targets: Ints
    shared: bool


def regroup(row_L: Ints, token_L: Ints, rows: int, vocabulary: int, *, shared: bool) -> Plan:
    """Returns the plan of the next step.

    Args:
        row_L: the row that each request, still live, was sampled from.
        token_L: what it sampled.
        rows: R, how many rows there were.
        vocabulary: greater than any token.
        shared: whether requests may share a row; once they do not, they never will again.
    """
    parent_C, token_C, child_L, first_C = row_L, token_L, None, np.ones(len(row_L), dtype=bool)
    if shared:
        keys, child_L = np.unique(row_L * vocabulary + token_L, return_inverse=True)
        parent_C, token_C = keys // vocabulary, keys % vocabulary
        first_C = np.diff(parent_C, prepend=-1) != 0
    count = len(parent_C)
    bound = rows if _BUSY * rows < count <= rows else count
    stay_C = first_C & (parent_C < bound)
    slot_C = parent_C.copy()
    free = np.ones(bound, dtype=bool)
    free[parent_C[stay_C]] = False
    moved_C = ~stay_C
    slot_C[moved_C] = np.flatnonzero(free)[: int(moved_C.sum())]
    token_R = np.zeros(bound, dtype=np.int64)
    token_R[slot_C] = token_C
    return Plan(
        row_L=slot_C if child_L is None else slot_C[child_L],
        token_R=token_R,
        sources=parent_C[moved_C],
        targets=slot_C[moved_C],
        shared=shared and count < len(row_L),
    )
