"""The tree of the answers that a policy may give: where it has a choice, among which tokens.

Masked sampling draws among given token strings by walking their trie. A node with one child is forced (log-probability
0); only at a node with several children does the policy choose, renormalised over them. The law of the drawn answer is
therefore the product of the choices, exactly what a decoder with the same masks would sample.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from arena.errors import EngineError

Answers = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One prefix that several answers may share.

    Attributes:
        token: the last token of the prefix; -1 at the root.
        parent: index of the node of the prefix without it; -1 at the root.
        depth: tokens in the prefix.
        children: tokens that may follow, ascending; empty where an answer ends.
        next: the node of each child.
        answers: how many answers begin with the prefix.
    """

    token: int
    parent: int
    depth: int
    children: tuple[int, ...]
    next: tuple[int, ...]
    answers: int

    @property
    def is_choice(self) -> bool:
        """Whether the policy chooses here."""
        return len(self.children) > 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Trie:
    """The nodes of a set of answers, parents before children, the root first.

    Attributes:
        nodes: every prefix.
        choices: indices of the nodes where the policy chooses.
        read: indices of the nodes whose token a model must read to know the distribution at every choice: the
            choices and their ancestors, without the root.
    """

    nodes: tuple[Node, ...]
    choices: tuple[int, ...]
    read: tuple[int, ...]

    @property
    def is_chain(self) -> bool:
        """Whether the nodes to read form one path, so that a plain causal mask is right."""
        return all(self.nodes[index].depth == place + 1 for place, index in enumerate(self.read))


@lru_cache(maxsize=65536)
def trie_of(answers: Answers) -> Trie:
    """Returns the trie of ``answers``.

    Raises:
        EngineError: there are no answers, one is empty, or one is the beginning of another.
    """
    if not answers or not all(answers):
        raise EngineError(f"engine.answers: expected at least one token string, none empty, got {answers!r}; name them")
    nodes: list[Node] = []
    _grow(nodes, sorted(set(answers)), depth=0, token=-1, parent=-1)
    choices = tuple(index for index, node in enumerate(nodes) if node.is_choice)
    read: set[int] = set()
    for index in choices:
        while index > 0:
            read.add(index)
            index = nodes[index].parent
    return Trie(nodes=tuple(nodes), choices=choices, read=tuple(sorted(read)))


def _grow(nodes: list[Node], answers: Sequence[tuple[int, ...]], *, depth: int, token: int, parent: int) -> int:
    """Appends the node of the prefix that ``answers`` share, and all below it; returns its index."""
    if len(answers) > 1 and len(answers[0]) == depth:
        raise EngineError(
            f"engine.answers: expected no answer that begins another, got {answers[0]} and {answers[1]}; "
            "end each with the end token"
        )
    index = len(nodes)
    nodes.append(Node(token=token, parent=parent, depth=depth, children=(), next=(), answers=len(answers)))
    groups: dict[int, list[tuple[int, ...]]] = {}
    for answer in answers:
        if len(answer) > depth:
            groups.setdefault(answer[depth], []).append(answer)
    below = tuple(_grow(nodes, group, depth=depth + 1, token=child, parent=index) for child, group in groups.items())
    nodes[index] = Node(
        token=token, parent=parent, depth=depth, children=tuple(groups), next=below, answers=len(answers)
    )
    return index
