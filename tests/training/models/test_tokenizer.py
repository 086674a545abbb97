"""The tokenizer of ludus-tiny: clauses are tokens, everything else is bytes, and nothing depends on chance."""

import subprocess
import sys

from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import pre_tokenizers
from transformers import AutoTokenizer

from training.models.tokenizer import (
    build_tokenizer,
    byte_alphabet,
    clause_shares,
    frequent_clauses,
    learn_merges,
    word_shares,
)

TEXTS = {
    "cards": ["You hold the Jack. Pot 2.", "You hold the King. Pot 2.", "You hold the King. Pot 3."],
    "board": ["1 x 3\n4 5 6\nYour move.", "o x 3\n4 5 6\nYour move."] * 40,
}


def tokenizer():
    return build_tokenizer(TEXTS, vocabulary=350, context=128)


def test_every_game_weighs_the_same():
    shares = clause_shares(TEXTS)
    assert shares["4 5 6\n"] == 0.5
    assert abs(shares["You hold the King."] - 1 / 3) < 1e-12


def test_frequent_clauses_are_ranked_and_rare_ones_left_out():
    shares = {"You bet.": 0.5, "You act.": 0.5, "Pot 2.": 0.7, "You may go.": 0.001}
    assert frequent_clauses(shares, most=10) == ["Pot 2.", "You act.", "You bet."]
    assert frequent_clauses(shares, most=2) == ["Pot 2.", "You act."]


def test_rows_of_a_board_are_read_cell_by_cell():
    assert frequent_clauses({"1 x 3\n": 1.0, "4 5 6\n": 1.0, "You are x.\n": 1.0}, most=10) == ["You are x.\n"]
    pieces = [tokenizer().decode([i]) for i in tokenizer().encode("1 x 3\n", add_special_tokens=False)]
    assert pieces == ["1", " x", " 3", "\n"]


def test_merges_are_the_textbook_ones():
    # arXiv 1508.07909, the toy dictionary of section 3.2: e s, es t, est </w> (a dot here), l o, lo w
    words = {"low.": 5, "lower.": 2, "newest.": 6, "widest.": 3}
    assert learn_merges(words, 5, byte_alphabet()) == [("e", "s"), ("es", "t"), ("est", "."), ("l", "o"), ("lo", "w")]


def test_words_keep_the_space_before_them():
    assert word_shares({"Your move.": 0.5, "Your": 0.25}) == {"Your": 0.75, " move.": 0.5}


def test_the_byte_table_is_the_library_s():
    assert sorted(byte_alphabet().values()) == sorted(pre_tokenizers.ByteLevel.alphabet())


def test_a_frequent_clause_is_one_token():
    pieces = [
        tokenizer().decode([i]) for i in tokenizer().encode("You hold the King. Pot 2.", add_special_tokens=False)
    ]
    assert pieces == ["You hold the King.", " Pot 2."]


def test_delimiters_are_single_tokens_and_are_shown():
    t = tokenizer()
    ids = t.encode("<action>x</action>", add_special_tokens=False)
    assert len(ids) == 3
    assert t.decode(ids, skip_special_tokens=True) == "<action>x</action>"


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=40))
def test_any_text_comes_back(text):
    t = test_any_text_comes_back.tokenizer
    assert t.decode(t.encode(text, add_special_tokens=False, split_special_tokens=True)) == text


test_any_text_comes_back.tokenizer = tokenizer()


def test_the_saved_directory_loads_as_any_tokenizer(tmp_path):
    tokenizer().save_pretrained(tmp_path)
    loaded = AutoTokenizer.from_pretrained(tmp_path, local_files_only=True)
    text = "You hold the Jack. Something else: 17\n"
    assert loaded.encode(text) == tokenizer().encode(text)
    assert loaded.chat_template == tokenizer().chat_template
    assert loaded.eos_token == "<|end|>"


def test_learning_does_not_depend_on_the_hash_seed():
    code = (
        "import sys; sys.path[:0] = ['.', 'tests/training/models']\n"
        "from training.models.tokenizer import *\n"
        f"texts = {TEXTS!r}\n"
        "shares = clause_shares(texts)\n"
        "print(frequent_clauses(shares, 40), learn_merges(word_shares(shares), 60, byte_alphabet()))\n"
    )
    outs = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outs) == 1 and len(outs.pop()) > 500
