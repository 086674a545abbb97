"""Text of unknown origin made safe to show: nothing invisible, nothing that steers a terminal or a page.

Assumption: whoever shows the text also escapes it for its own medium (HTML, rich markup). Here only characters change.
Left out: homoglyphs and combining marks; they mislead a reader but steer nothing.
"""

from __future__ import annotations

import re

_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 and C1 controls; tab and line feed stay
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e"  # soft hyphen, joiners and fillers of no width
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f"  # zero width, separators, bidirectional overrides and isolates
    "\u3164\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff"  # fillers, byte-order mark, interlinear marks, lone surrogates
    "\U000e0000-\U000e0fff]"  # tags and variation selectors
)


def visible(text: str) -> str:
    r"""Returns ``text`` with every invisible or steering character replaced by a symbol that names it.

    Control characters become their pictures (``\x1b`` becomes ``␛``), the rest their code points (``⟦U+202E⟧``). Line
    feeds and tabs stay. The result holds no lone surrogate, so it always encodes as UTF-8.
    """
    return _UNSAFE.sub(_symbol, text)


def _symbol(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else f"\u27e6U+{code:04X}\u27e7"
