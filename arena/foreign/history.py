"""The information key of a growing history, in time that does not grow with it."""

from __future__ import annotations

import hashlib
import json


class History:
    """A seat's own observations and actions, as far as ``arena.game.default_information_key`` needs them."""

    def __init__(self) -> None:
        self._hash = hashlib.blake2b(b"[", digest_size=8)
        self._separator = ""

    def extend(self, *texts: str) -> None:
        """Adds observations and actions."""
        for text in texts:
            self._hash.update(self._item(text))
            self._separator = ", "

    def key(self, text: str) -> str:
        """Returns ``default_information_key([*history, text])``."""
        whole = self._hash.copy()
        whole.update(self._item(text) + b"]")
        return whole.hexdigest()

    def _item(self, text: str) -> bytes:
        return f"{self._separator}{json.dumps(text)}".encode()
