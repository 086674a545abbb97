"""Any text survives, and ordinary text stays readable."""

from __future__ import annotations

import json
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from arena.errors import LogError
from arena.log.text_codec import MARK, decode_text, dump_json, encode_text, load_json
from arena.types import Status

SURROGATES = [chr(code) for code in (0xD800, 0xDBFF, 0xDC00, 0xDFFF, 0xD83D, 0xDE00)]
any_character = st.one_of(st.characters(exclude_categories=()), st.sampled_from([*SURROGATES, MARK, "\\", "\x00"]))
any_text = st.text(alphabet=any_character, max_size=12)
any_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | any_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(any_text, inner, max_size=3),
    max_leaves=8,
)

ORDINARY = [
    "",
    "King",
    "a\nb\tc",
    "\x00",
    "\x1b[31mred\x1b[0m",
    "a\u2028b\u2029c",
    "\U0001f600",
    "e\u0301",
    "\ufeff",
    "\uffff",
]


@given(any_text)
@example("\ud83d\ude00")
@example("\ud83d")
@example(MARK)
@example(MARK + "\\ud83d")
def test_every_text_survives_as_utf8(text: str) -> None:
    stored = encode_text(text)
    assert decode_text(stored.encode("utf-8").decode("utf-8")) == text


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_is_stored_as_it_is(text: str) -> None:
    assert encode_text(text) == text


@given(any_json)
@example("\ud83d\ude00")
@example({"\ud83d\ude00": ["\ud83d", "\ude00"]})
@example([MARK])
def test_every_json_value_survives_on_one_ascii_line(value: Any) -> None:
    line = dump_json(value, "test")
    assert line.isascii()
    assert "\n" not in line
    assert load_json(line, "test") == value


def test_other_tools_read_ordinary_json() -> None:
    assert json.loads(dump_json({"text": "né \U0001f600", "p": 0.1, "n": None}, "test")) == {
        "text": "né \U0001f600",
        "p": 0.1,
        "n": None,
    }


def test_mappings_tuples_and_numpy_values_become_plain() -> None:
    value = {
        "mapping": MappingProxyType({"a": 1}),
        "tuple": (1, 2),
        "half": np.float32(0.5),
        "count": np.int64(3),
        "yes": np.bool_(True),
        "row": np.array([1.5, 2.5]),
        "status": Status.COMPLETED,
    }
    assert json.loads(dump_json(value, "test")) == {
        "mapping": {"a": 1},
        "tuple": [1, 2],
        "half": 0.5,
        "count": 3,
        "yes": True,
        "row": [1.5, 2.5],
        "status": "completed",
    }


def test_keys_keep_their_order() -> None:
    assert dump_json({"z": 1, "a": 2}, "test") == '{"z":1,"a":2}'


@pytest.mark.parametrize("value", [float("nan"), float("inf"), np.float32("nan"), {1: 2}, {1, 2}, object(), b"bytes"])
def test_what_json_lacks_is_refused_with_its_place(value: object) -> None:
    with pytest.raises(LogError, match="metrics: expected finite numbers"):
        dump_json({"value": value}, "metrics")


def test_altered_files_are_refused() -> None:
    with pytest.raises(LogError, match=r"events.jsonl:3: expected JSON"):
        load_json('{"a":', "events.jsonl:3")
    with pytest.raises(LogError, match="altered"):
        decode_text(MARK + "\\x")
    with pytest.raises(LogError, match="altered"):
        decode_text(MARK + "é")
