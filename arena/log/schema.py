"""The names, the version and the column types of the episode log.

One row of ``episodes.parquet`` is one ``Episode``, its turns a list of structs, so that a query needs no join:
``select id, returns['first'], turns[1].action from 'rounds/*/episodes.parquet'``. Mappings by seat are Parquet maps in
the order of the seats. Log-probabilities are doubles: what the engine reported comes back exactly.

Any change that an older reader would misread raises ``SCHEMA_VERSION``; a reader refuses what is newer than itself.
"""

from __future__ import annotations

import pyarrow as pa

from arena.errors import LogError

SCHEMA_VERSION = 1
VERSION_KEY = b"ludus.schema_version"

ROUNDS = "rounds"
OPEN = "open"
ABANDONED = "abandoned"
EVENTS = "events.jsonl"
EPISODES = "episodes.parquet"
METRICS = "metrics.json"
TIMINGS = "timings.jsonl"

COMMITTED = "committed"
"""The event that ends a segment; it counts the segment's events and episodes, so that a loss is noticed."""

TEXT = pa.string()
INT = pa.int64()
FLOAT = pa.float64()
TOKENS = pa.list_(pa.int32())

POLICY = pa.struct([("name", TEXT), ("version", INT)])

TASK = pa.struct(
    [
        ("id", TEXT),
        ("game", TEXT),
        ("params", TEXT),
        ("seed", INT),
        ("author", TEXT),
        ("parents", pa.list_(TEXT)),
    ]
)

SEAT_PLAN = pa.struct([("policy", POLICY), ("role", TEXT), ("tag", TEXT)])

OBSERVATION = pa.struct(
    [
        ("seat", TEXT),
        ("text", TEXT),
        ("legal_actions", pa.list_(TEXT)),
        ("information_key", TEXT),
    ]
)

SAMPLING = pa.struct([("temperature", FLOAT), ("top_p", FLOAT), ("top_k", INT), ("max_tokens", INT)])

VERSION_SPAN = pa.struct([("first", INT), ("version", INT)])

COMPLETION = pa.struct(
    [
        ("id", TEXT),
        ("prompt_ids", TOKENS),
        ("token_ids", TOKENS),
        ("logprobs", pa.list_(FLOAT)),
        ("support", pa.list_(TOKENS)),
        ("text", TEXT),
        ("finish_reason", TEXT),
        ("policy", POLICY),
        ("sampling", SAMPLING),
        ("version_spans", pa.list_(VERSION_SPAN)),
    ]
)

TURN = pa.struct(
    [
        ("seat", TEXT),
        ("env_step", INT),
        ("ordinal", INT),
        ("observation", OBSERVATION),
        ("completion", COMPLETION),
        ("action", TEXT),
        ("reason", TEXT),
        ("legal", pa.bool_()),
        ("reward", FLOAT),
        ("node_id", TEXT),
        ("anchor_key", TEXT),
        ("produced_task", TEXT),
        ("attempted_task", TEXT),
    ]
)

CALL = pa.struct([("ply", INT), ("kind", TEXT), ("request", TEXT), ("answer", TEXT)])

EPISODE = pa.schema(
    [
        ("schema_version", pa.int32()),
        ("id", TEXT),
        ("round", INT),
        ("group_id", TEXT),
        ("task", TASK),
        ("lineup", pa.map_(TEXT, SEAT_PLAN)),
        ("returns", pa.map_(TEXT, FLOAT)),
        ("status", TEXT),
        ("reason", TEXT),
        ("parent", TEXT),
        ("fork_turn", INT),
        ("turns", pa.list_(TURN)),
        ("calls", pa.list_(CALL)),
        ("prompt_tokens", INT),
        ("completion_tokens", INT),
    ],
    metadata={VERSION_KEY: str(SCHEMA_VERSION).encode()},
)


def check_version(version: object, where: str) -> None:
    """Refuses a log that this version of Ludus cannot read.

    Raises:
        LogError: the version is newer than this reader, or is no version.
    """
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise LogError(f"{where}: expected a schema version, got {version!r}; this is no episode log of Ludus")
    if version > SCHEMA_VERSION:
        raise LogError(
            f"{where}: expected schema version {SCHEMA_VERSION} or older, got {version}; "
            "read it with the version of Ludus that wrote it, or a newer one"
        )
