"""Text of unknown origin, made safe to show."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from arena.visible import visible


def test_terminal_escapes_become_pictures() -> None:
    assert visible("\x1b[31mred\x00\x7f") == "␛[31mred␀␡"


def test_c1_controls_bidi_overrides_and_surrogates_are_named() -> None:
    assert visible("\x9b31m \u202eabc \ud800") == "⟦U+009B⟧31m ⟦U+202E⟧abc ⟦U+D800⟧"


def test_ordinary_text_of_any_script_stays() -> None:
    text = "bet\tcheck\n日本語 العربية עברית é 🂡 <b>&amp;"
    assert visible(text) == text


def test_carriage_return_cannot_overwrite_a_line() -> None:
    assert "\r" not in visible("fold\rcall")


@given(st.text(alphabet=st.characters(codec=None)))
def test_result_encodes_holds_no_control_and_is_stable(text: str) -> None:
    shown = visible(text)
    shown.encode("utf-8")
    assert all(unicodedata.category(char) not in ("Cc", "Cs") or char in "\n\t" for char in shown)
    assert visible(shown) == shown
