"""Text boxes and action spaces: what goes in comes out."""

import numpy as np
import pytest
from arena_sample_games import Asker
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import PlayError
from arena.games.kuhn_poker import KuhnPoker
from arena.spaces import NOT_UNDERSTOOD, Spaces, decode_text, encode_text
from arena.types import Action, NotUnderstood, Observation


@given(st.text(st.characters(codec=None), max_size=60), st.integers(2, 80))
def test_a_box_holds_the_longest_prefix_that_fits(text, length):
    text = text.rstrip("\0")
    box = encode_text(text, length)
    back = decode_text(box)
    assert box.shape == (length,) and box.dtype == np.uint8
    assert text.startswith(back)
    size = len(text.encode("utf-8", "surrogatepass"))
    if size <= length:
        assert back == text
    else:
        longer = text[: len(back) + 1]
        assert len(longer.encode("utf-8", "surrogatepass")) > length or longer.endswith("\0") or back == longer


def test_a_long_text_is_cut_between_characters():
    assert decode_text(encode_text("aé€", 3)) == "aé"
    assert decode_text(encode_text("aé€", 2)) == "a"


@given(st.binary(min_size=8, max_size=8))
def test_any_box_decodes(data):
    assert isinstance(decode_text(np.frombuffer(data, dtype=np.uint8)), str)


def test_the_indices_of_a_finite_game():
    spaces = Spaces(KuhnPoker.spec)
    assert spaces.action["first"].n == 5
    assert [spaces.read(index) for index in (0, np.int32(1), np.int64(4))] == [
        Action(value="check"),
        Action(value="bet"),
        NOT_UNDERSTOOD,
    ]
    assert spaces.read(NotUnderstood(reason="unclosed")) == NotUnderstood(reason="unclosed")
    assert spaces.read("raise") == Action(value="raise")
    for wrong in (5, -1, 1.0, None, np.zeros(3, dtype=np.uint8)):
        with pytest.raises(PlayError, match="step of kuhn_poker-v0: expected an index from 0 to 4"):
            spaces.read(wrong)


def test_observations_and_masks():
    spaces = Spaces(KuhnPoker.spec)
    seen = Observation(seat="first", text="Hi", legal_actions=("fold", "call"))
    shown = spaces.show(seen)
    assert spaces.observation["first"].contains(shown)
    assert shown["action_mask"].tolist() == [0, 0, 1, 1, 0]
    assert spaces.show(seen, idle=True)["action_mask"].tolist() == [0, 0, 0, 0, 1]


def test_free_text_travels_in_the_plain_box():
    spaces = Spaces(Asker.spec)
    shown = spaces.show(Observation(seat="solver", text="2 + 2 = ?", legal_actions=None))
    assert spaces.observation["solver"].contains(shown)
    assert decode_text(shown) == "2 + 2 = ?"
    assert spaces.read(encode_text("4", 32)) == Action(value="4")
    assert spaces.read(np.zeros(32, dtype=np.uint8)) == NotUnderstood(reason="empty")
    with pytest.raises(PlayError, match="expected a text box"):
        spaces.read(3)
