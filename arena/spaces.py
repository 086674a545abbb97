"""How texts and actions travel through PettingZoo's spaces.

Text travels in one uint8 box of fixed length: UTF-8, padded with zeros, cut at a character boundary when it is too
long. A finite game's actions are numbered in the order of its spec, and one more index says that an answer was not
understood. ``Text`` spaces and bare strings fail PettingZoo's own ``api_test``, hence the box; trailing NULs of a
text are lost in it. The exact text is always in ``infos``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from arena.errors import PlayError
from arena.types import Action, GameSpec, NotUnderstood, Observation

Shown = NDArray[np.uint8] | dict[str, NDArray[Any]]
"""An observation as its space has it: the text box, or a dict of it and the mask."""
NOT_UNDERSTOOD = NotUnderstood(reason="not_understood")
"""What the last index of a finite game's action space stands for."""
_ANSWERS = (Action, NotUnderstood)
_INTEGERS = (int, np.integer)


def encode_text(text: str, length: int) -> NDArray[np.uint8]:
    """Returns ``text`` as a box of ``length`` bytes, cut at a character boundary and zero padded."""
    data = text[:length].encode("utf-8", "surrogatepass")
    if len(data) > length:
        end = length
        while end and data[end] & 0xC0 == 0x80:
            end -= 1
        data = data[:end]
    # A bytearray, because the caller may write into its box.
    return np.frombuffer(bytearray(data.ljust(length, b"\0")), dtype=np.uint8)


def decode_text(box: NDArray[np.uint8]) -> str:
    """Returns the text in a box; bytes that are no UTF-8 become replacement characters, nothing raises."""
    data = np.asarray(box, dtype=np.uint8).tobytes().rstrip(b"\0")
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")


class Spaces:
    """The spaces of one environment, one pair a seat, and the way in and out of them.

    Args:
        spec: the game.

    Attributes:
        observation: by seat; ``Dict(observation, action_mask)`` for a finite game, else the text box.
        action: by seat; ``Discrete(len(actions) + 1)`` for a finite game, else the text box.
    """

    def __init__(self, spec: GameSpec) -> None:
        self._spec = spec
        self._actions: tuple[Action | NotUnderstood, ...] = (
            *(Action(value=name) for name in spec.actions or ()),
            NOT_UNDERSTOOD,
        )
        self._index = {name: index for index, name in enumerate(spec.actions or ())}
        self.observation: dict[str, spaces.Space[Any]] = {seat: self._observation_space() for seat in spec.seats}
        self.action: dict[str, spaces.Space[Any]] = {seat: self._action_space() for seat in spec.seats}

    def read(self, action: object) -> Action | NotUnderstood:
        """Returns the action that a caller of ``step`` means.

        Args:
            action: an index or a text box, as the action space has it; or, more directly, an ``Action``, a
                ``NotUnderstood`` with its own reason, or a ``str``.

        Raises:
            PlayError: the value is none of these, or the index is outside the space.
        """
        if isinstance(action, _ANSWERS):
            return action
        if isinstance(action, str):
            return Action(value=action)
        if self._spec.actions is not None and isinstance(action, _INTEGERS):
            if 0 <= action < len(self._actions):
                return self._actions[int(action)]
        elif self._spec.actions is None and isinstance(action, np.ndarray):
            text = decode_text(action)
            return Action(value=text) if text else NotUnderstood(reason="empty")
        wanted = "a text box" if self._spec.actions is None else f"an index from 0 to {len(self._actions) - 1}"
        raise PlayError(
            f"step of {self._spec.id}: expected {wanted}, an Action, a NotUnderstood or a str, got {action!r}; "
            "sample from action_space or parse the answer first"
        )

    def show(self, seen: Observation, idle: bool = False) -> Shown:
        """Returns an observation as its space has it.

        Args:
            seen: what the seat observes.
            idle: marks the last index as allowed: the no-op of a seat that is not to move (parallel play only).
        """
        box = encode_text(seen.text, self._spec.text_bytes)
        if self._spec.actions is None:
            return box
        mask = np.zeros(len(self._actions), dtype=np.int8)
        for name in () if idle else seen.legal_actions or ():
            mask[self._index[name]] = 1
        mask[-1] = idle
        return {"observation": box, "action_mask": mask}

    def _text_box(self) -> spaces.Box:
        return spaces.Box(low=0, high=255, shape=(self._spec.text_bytes,), dtype=np.uint8)

    def _observation_space(self) -> spaces.Space[Any]:
        if self._spec.actions is None:
            return self._text_box()
        mask = spaces.Box(low=0, high=1, shape=(len(self._actions),), dtype=np.int8)
        return spaces.Dict({"observation": self._text_box(), "action_mask": mask})

    def _action_space(self) -> spaces.Space[Any]:
        return self._text_box() if self._spec.actions is None else spaces.Discrete(len(self._actions))
