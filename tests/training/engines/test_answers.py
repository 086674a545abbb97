"""The trie of answers: choices, forced tokens, and what a model must read."""

import pytest

from arena.errors import EngineError
from training.engines.answers import trie_of


def test_a_shared_prefix_is_forced_and_the_branch_is_a_choice():
    trie = trie_of(((1, 5, 9), (1, 6, 9)))
    assert [node.children for node in trie.nodes[:2]] == [(1,), (5, 6)]
    assert trie.choices == (1,)
    assert trie.read == (1,)
    assert trie.is_chain
    assert trie.nodes[0].answers == 2


def test_order_and_repetition_of_answers_do_not_matter():
    assert trie_of(((2, 3), (1, 3), (2, 3))) == trie_of(((1, 3), (2, 3)))


def test_one_answer_needs_no_model():
    trie = trie_of(((4, 5, 6),))
    assert trie.choices == ()
    assert trie.read == ()


def test_two_branches_that_branch_again_are_no_chain():
    trie = trie_of(((1, 2), (1, 3), (4, 2), (4, 3)))
    assert len(trie.choices) == 3
    assert [trie.nodes[index].token for index in trie.read] == [1, 4]
    assert not trie.is_chain


def test_an_answer_that_begins_another_is_refused():
    with pytest.raises(EngineError, match="begins another"):
        trie_of(((1, 2), (1, 2, 3)))


@pytest.mark.parametrize("answers", [(), ((),), ((1,), ())])
def test_no_answer_and_the_empty_answer_are_refused(answers):
    with pytest.raises(EngineError, match="at least one token string"):
        trie_of(answers)
