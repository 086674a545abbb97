"""The tokenizer of ludus-tiny: byte-level, learned from the texts of the games it is to play.

Any text is representable, since every byte is a token. In a game the same clauses come back in every prompt ("You hold
the Jack."), so each frequent clause is one token: that keeps prompts short, and prompt length is what play and
training cost. Everything else is read by byte-pair encoding inside words. Every game weighs the same, however many
prompts it has. Learning is a pure function of the texts: ties go to what sorts first, so nothing depends on hashing
or threads.

Left out: normalisation, and merges across clauses (a whole prompt would become one token and share nothing).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

CLAUSE = r"[^\n.,:;!?]+[\n.,:;!?]*|[\n.,:;!?]+"
"""A clause with the punctuation that ends it; valid for Python and for the tokenizer library alike."""

PAD, END = "<|pad|>", "<|end|>"
CONTROL = (PAD, END, "<|system|>", "<|user|>", "<|assistant|>")
DELIMITERS = ("<action>", "</action>")
CHAT_TEMPLATE = (
    "{% for message in messages %}{{ '<|' + message['role'] + '|>' + message['content'] + '<|end|>' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}"
)

WORD = r" ?[^\s]+|\s+"
"""A word with the space before it: merges stay inside."""

FREQUENT = 0.05
"""A clause is one token when at least this share of a game's prompts holds it (averaged over the games)."""

Pair = tuple[str, str]


def clause_shares(texts_by_game: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """Returns how often each clause occurs per text, averaged over the games; the action delimiters are cut out."""
    shares: dict[str, float] = {}
    for texts in texts_by_game.values():
        counts = Counter(
            clause
            for text in texts
            for part in re.split("|".join(DELIMITERS), text)
            for clause in re.findall(CLAUSE, part)
        )
        for clause, n in counts.items():
            shares[clause] = shares.get(clause, 0.0) + n / len(texts) / len(texts_by_game)
    return shares


def frequent_clauses(shares: Mapping[str, float], most: int) -> list[str]:
    """Returns the clauses that become tokens, most frequent first.

    A clause without a word, such as a row of a board, never does: its cells have to be read one by one.
    """
    ranked = sorted(shares, key=lambda clause: (-shares[clause], clause))
    return [clause for clause in ranked if shares[clause] >= FREQUENT and re.search(r"[^\W\d]{2}", clause)][:most]


def word_shares(shares: Mapping[str, float]) -> dict[str, float]:
    """Returns how often each word occurs in the given clauses."""
    words: dict[str, float] = {}
    for clause in sorted(shares):
        for word in re.findall(WORD, clause):
            words[word] = words.get(word, 0.0) + shares[clause]
    return words


def learn_merges(shares: Mapping[str, float], most: int, alphabet: Mapping[int, str]) -> list[Pair]:
    """Returns the merges of byte-pair encoding (arXiv 1508.07909), most frequent pair first.

    Args:
        shares: how often each word occurs.
        most: the most merges.
        alphabet: the printable character that stands for each byte.
    """
    words = {tuple(alphabet[byte] for byte in word.encode("utf-8", "replace")): n for word, n in shares.items()}
    merges: list[Pair] = []
    while len(merges) < most:
        pairs: dict[Pair, float] = {}
        for word, n in words.items():
            for pair in pairwise(word):
                pairs[pair] = pairs.get(pair, 0.0) + n
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merges.append(best)
        words = {merged: n for word, n in words.items() if len(merged := _merged(word, best)) > 1}
    return merges


def _merged(word: tuple[str, ...], pair: Pair) -> tuple[str, ...]:
    out: list[str] = []
    for symbol in word:
        if out and (out[-1], symbol) == pair:
            out[-1] += symbol
        else:
            out.append(symbol)
    return tuple(out)


def byte_alphabet() -> dict[int, str]:
    """Returns the printable character that stands for each byte in byte-level vocabularies (GPT-2's table)."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    return {byte: chr(byte) for byte in printable} | {byte: chr(256 + n) for n, byte in enumerate(others)}


def build_tokenizer(texts_by_game: Mapping[str, Sequence[str]], vocabulary: int, context: int) -> Any:  # noqa: ANN401
    """Returns a Hugging Face tokenizer learned from what is read and said in each game.

    Args:
        texts_by_game: the texts of each game, with repetitions.
        vocabulary: the most tokens, bytes and control tokens included; at least 263.
        context: the most tokens of a prompt with its answer.
    """
    room = vocabulary - 256 - len(CONTROL) - len(DELIMITERS)
    shares = clause_shares(texts_by_game)
    whole = frequent_clauses(shares, room // 2)
    merges = learn_merges(word_shares(shares), room - len(whole), byte_alphabet())
    return assemble_tokenizer(CLAUSE, whole, merges, context)


def assemble_tokenizer(pattern: str, whole: Sequence[str], merges: Sequence[Pair], context: int) -> Any:  # noqa: ANN401
    """Returns a byte-level tokenizer.

    Args:
        pattern: splits a text into pieces; nothing is merged across them.
        whole: the pieces that are one token each.
        merges: the merges inside all other pieces.
        context: the most tokens of a prompt with its answer.
    """
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    alphabet = byte_alphabet()
    pieces = ["".join(alphabet[byte] for byte in piece.encode("utf-8", "replace")) for piece in whole]
    symbols = [*(alphabet[byte] for byte in range(256)), *(a + b for a, b in merges), *pieces]
    vocab = {symbol: id_ for id_, symbol in enumerate(dict.fromkeys(symbols))}
    tokenizer = Tokenizer(models.BPE(vocab=vocab, merges=list(merges), ignore_merges=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(pattern), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(text, special=True, normalized=False) for text in CONTROL])
    tokenizer.add_tokens([AddedToken(text, special=False, normalized=False) for text in DELIMITERS])
    factory: Any = PreTrainedTokenizerFast
    fast = factory(tokenizer_object=tokenizer, eos_token=END, pad_token=PAD, model_max_length=context)
    fast.chat_template = CHAT_TEMPLATE
    return fast
