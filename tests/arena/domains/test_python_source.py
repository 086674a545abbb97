"""Reading programs and literals as text: known values, and nothing that a text can do to the reader."""

import ast
import time
import warnings

import pytest
from answer_attacks import LITERALS, PROGRAMS
from hypothesis import example, given
from hypothesis import strategies as st

from arena.domains.python_source import (
    MOST_LITERAL,
    MOST_SOURCE,
    Program,
    answer_bits,
    canonical,
    read_program,
    straight,
)

PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
    | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner, inner),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (" 1 ", "1"),
        ("1_000", "1000"),
        ("0x10", "16"),
        ("+1", "1"),
        ("-0", "0"),
        ("-0.0", "-0.0"),
        ("1.50", "1.5"),
        ("1e3", "1000.0"),
        ('"a"', "'a'"),
        ("'a' 'b'", "'ab'"),
        ("u'a'", "'a'"),
        ("1, 2", "(1, 2)"),
        ("[1,2,]", "[1, 2]"),
        ("{'b':1,'a':2}", "{'b': 1, 'a': 2}"),
        ("(((1)))", "1"),
        ("1 # no more", "1"),
        ("None", "None"),
        (str([-1] * 30), str([-1] * 30)),
    ],
)
def test_literals(text, value):
    assert canonical(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "1 +",
        "{1, 2}",
        "set()",
        "1e999",
        "-1e999",
        "[1e999]",
        "nan",
        "...",
        "1+2j",
        "2j",
        "f'a'",
        "[*[1]]",
        "1 if 1 else 2",
    ],
)
def test_what_has_no_single_text_is_no_literal(text):
    assert canonical(text) is None


@given(PLAIN)
def test_a_canonical_text_is_the_repr_and_its_own_canonical_text(value):
    text = canonical(repr(value))
    if text is None:
        assert len(repr(value)) > MOST_LITERAL or repr(value).count("[") + repr(value).count("(") > 4
    else:
        assert text == repr(value) and canonical(text) == text


@given(st.text(max_size=200) | st.text(alphabet="([{-~+,: '\"\\01ex#\n", max_size=400))
@example("'\\d'")
@example("1if 1else 1")
@example("0_")
def test_canonical_never_raises_warns_or_drifts(text):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        value = canonical(text)
        read_program(text)
    assert value is None or (canonical(value) == value and repr(ast.literal_eval(value)) == value)


@pytest.mark.parametrize("text", [*LITERALS.values(), *PROGRAMS.values()], ids=[*LITERALS, *PROGRAMS])
def test_hostile_texts_are_read_in_bounded_time(text):
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        value, program = canonical(text), read_program(text)
    assert time.perf_counter() - start < 1
    assert value is None or len(value) <= MOST_LITERAL
    assert isinstance(program, str) or len(program.source) <= MOST_SOURCE


def test_lengths_have_caps():
    assert canonical(repr("0" * (MOST_LITERAL - 2))) is not None
    assert canonical(repr("0" * (MOST_LITERAL - 1))) is None
    assert canonical("[" * 20 + "]" * 20) is not None
    assert canonical("[" * 21 + "]" * 21) is None


def test_a_straight_program():
    text = "def f(x):\n    x = x[::-1]\n    x = ''.join(sorted(x))\n    return x"
    program = read_program(text)
    assert program.steps == ("x = x[::-1]", "x = ''.join(sorted(x))")
    assert program.names == ("join", "sorted")
    assert straight(program.steps) == program.source == text


@pytest.mark.parametrize(
    "text",
    [
        "def f(x): return x",
        "def f(x):\n    return x + 1",
        "def f(x):\n    y = x\n    return x",
        "def f(x):\n    x += 1\n    return x",
        "def f(x):\n    x = y = 1\n    return x",
        "def f(x):\n    x = 1; x = 2\n    return x",
        "def f(x):\n    x = '''a\n    b'''\n    return x",
        # Two statements on one line make up for one over two lines: the lines are no steps.
        "def f(x):\n    x = 1; x = 2\n    x = '''a\n    b'''\n    return x",
        "def f(x):\n    x = 1; x = 2\n    x = [\n    1]\n    return x",
        "def f(x):\n    x = 1\r    x = 2\n    return x",
        "def f(x):\n  x = 1\n  return x",
        "import os\ndef f(x):\n    x = 1\n    return x",
    ],
)
def test_other_programs_have_no_steps(text):
    program = read_program(text)
    assert isinstance(program, Program) and program.steps == ()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no_function"),
        ("f = 1", "no_function"),
        ("def g(x):\n    return x", "no_function"),
        (PROGRAMS["two functions"], "no_function"),
        ("def f():\n    return 1", "parameters"),
        (PROGRAMS["two parameters"], "parameters"),
        (PROGRAMS["any parameters"], "parameters"),
        ("def f(x, /):\n    return x", "parameters"),
        ("def f(x, *, y):\n    return x", "parameters"),
        ("def f(x):\n    return (", "syntax"),
        ("\x00", "syntax"),
        ("\ud800", "syntax"),
        ("#" * (MOST_SOURCE + 1), "too_long"),
    ],
)
def test_why_a_text_is_no_program(text, why):
    assert read_program(text) == why


def test_the_key_forgets_names_of_variables_and_comments_only():
    def key(text):
        return read_program(text).key

    plain = key("def f(x):\n    y = x + 1\n    return len(y)")
    assert plain == key("def f(a):\n    b = a + 1  # more\n    return len(b)")
    assert plain != key("def f(x):\n    y = x + 2\n    return len(y)")
    assert plain != key("def f(x):\n    y = x + 1\n    return abs(y)")
    assert plain != key("def f(x):\n    y = x + 1\n    return len(x)")


@pytest.mark.parametrize(
    ("text", "bits"),
    # log2(10) = 3.32 a digit, log2(26) = 4.70 a letter, log2(30) = 4.91 any other sign.
    [("True", 1.0), ("None", 1.0), ("'12'", 6.644), ("[1, 2]", 6.644), ("'ab'", 9.401), ("'_'", 4.907), ("[]", 0.0)],
)
def test_bits(text, bits):
    assert answer_bits(text) == pytest.approx(bits, abs=1e-3)
