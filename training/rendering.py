"""From chat messages to token ids, so that no content can ever become a control token.

The chat template is rendered with an unguessable mark in place of each content and split at the marks. The scaffolding
between them is encoded with the tokenizer's special tokens; contents are encoded as plain text, so a literal
``<|im_end|>`` inside an observation stays nine characters and cannot end a turn. A mark is a hash over all contents: no
content can hold the hash of itself, and equal messages give equal prompts in every process.

Assumed: the template prints contents unchanged. One that trims or rewrites them sees only the mark, so contents
arrive exactly as the role wrote them. Left out: templates with tools, images or other parts that are not text, and
merges of a content's first character with the scaffolding before it.

In small games the same messages come back thousands of times, so renderings are remembered.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

from arena.errors import InputError
from roles.role import Message

_REMEMBERED = 65536
Messages = Sequence[Message]


class Renderer:
    """Renders prompts and answers with one tokenizer, and reads sampled tokens back.

    Args:
        tokenizer: a Hugging Face tokenizer with a chat template and an end-of-sequence token.

    Raises:
        InputError: the tokenizer lacks either.
    """

    def __init__(self, tokenizer: Any) -> None:  # noqa: ANN401 (transformers has no common typed tokenizer)
        _check(tokenizer)
        self.tokenizer = tokenizer
        self.end_id: int = tokenizer.eos_token_id
        self._control = _control_tokens(tokenizer)
        self._prompt = lru_cache(maxsize=_REMEMBERED)(self._render)
        self._plain = lru_cache(maxsize=_REMEMBERED)(self._encode_plain)
        self._text = lru_cache(maxsize=_REMEMBERED)(self._decode)

    def prompt(self, messages: Messages) -> tuple[int, ...]:
        """Returns the token ids ``[P]`` of the messages, opened for the assistant's answer.

        Raises:
            InputError: the template refuses these messages or drops one of them.
        """
        return self._prompt(tuple((message["role"], message["content"]) for message in messages))

    def answer(self, text: str) -> tuple[int, ...]:
        """Returns the token ids ``[C]`` of an answer, the end token included."""
        return (*self._plain(text), self.end_id)

    def text(self, token_ids: Sequence[int]) -> str:
        """Returns sampled tokens as text, up to the end token, control tokens shown as they are written."""
        return self._text(tuple(token_ids))

    def _render(self, messages: tuple[tuple[str, str], ...]) -> tuple[int, ...]:
        marks = _marks([content for _, content in messages])
        marked = [{"role": role, "content": mark} for (role, _), mark in zip(messages, marks, strict=True)]
        try:
            page = str(self.tokenizer.apply_chat_template(marked, tokenize=False, add_generation_prompt=True))
        except Exception as error:  # templates raise whatever their author chose
            raise InputError(
                f"rendering: expected the chat template to accept the roles {[role for role, _ in messages]}, got "
                f"{type(error).__name__}: {error}; choose a model whose template has these roles"
            ) from error
        missing = [role for (role, _), mark in zip(messages, marks, strict=True) if mark not in page]
        if missing:
            raise InputError(
                f"rendering: expected the chat template to print every message, got none of {missing}; choose a model "
                "whose template has these roles"
            )
        contents = dict(zip(marks, [content for _, content in messages], strict=True))
        ids: list[int] = []
        for piece in re.split(f"({'|'.join(marks)})", page) if marks else [page]:
            ids += self._plain(contents[piece]) if piece in contents else self._encode(piece, plain=False)
        return tuple(ids)

    def _encode_plain(self, text: str) -> tuple[int, ...]:
        whole = text.encode("utf-8", "replace").decode("utf-8")  # a lone surrogate has no bytes
        ids = self._encode(whole, plain=True)
        if self._control.keys().isdisjoint(ids):
            return tuple(ids)
        # An added token that the tokenizer does not count as special: written in two parts it is text again.
        literal = "|".join(re.escape(token) for token in self._control.values())
        cuts = [0, *(match.start() + 1 for match in re.finditer(literal, whole)), len(whole)]
        pieces = [whole[a:b] for a, b in pairwise(cuts)]
        return tuple(token for piece in pieces for token in self._encode(piece, plain=True))

    def _encode(self, text: str, *, plain: bool) -> list[int]:
        if not text:
            return []
        return list(self.tokenizer.encode(text, add_special_tokens=False, split_special_tokens=plain))

    def _decode(self, token_ids: tuple[int, ...]) -> str:
        end = token_ids.index(self.end_id) if self.end_id in token_ids else len(token_ids)
        return str(
            self.tokenizer.decode(list(token_ids[:end]), skip_special_tokens=False, clean_up_tokenization_spaces=False)
        )


def _check(tokenizer: Any) -> None:  # noqa: ANN401
    name = getattr(tokenizer, "name_or_path", "") or type(tokenizer).__name__
    if not getattr(tokenizer, "chat_template", None):
        raise InputError(
            f"rendering: expected a tokenizer with a chat template, got {name} without one; "
            "use an instruction-tuned model or put a chat_template.jinja into its directory"
        )
    if getattr(tokenizer, "eos_token_id", None) is None:
        raise InputError(
            f"rendering: expected a tokenizer with an end token, got {name} without one; "
            "set eos_token in its tokenizer_config.json"
        )


def _control_tokens(tokenizer: Any) -> dict[int, str]:  # noqa: ANN401
    """Returns id and spelling of every token that steers a conversation: the special ones and those of the template."""
    special = set(tokenizer.all_special_ids)
    added = {int(id_): str(token.content) for id_, token in tokenizer.added_tokens_decoder.items()}
    return {
        id_: text
        for id_, text in sorted(added.items())
        if id_ in special or tokenizer.added_tokens_decoder[id_].special or text in tokenizer.chat_template
    }


def _marks(contents: Sequence[str]) -> list[str]:
    digest = hashlib.blake2b(repr(list(contents)).encode(), digest_size=16).hexdigest()
    return [f"mark{digest}n{index}e" for index in range(len(contents))]
