"""Model-written Python as text: read, measured and rewritten, never run and never evaluated here.

Literals are read with ``ast.literal_eval`` under caps of length and depth, and every failure of the reader, running
out of stack or memory included, is a reason. Values are compared as text: two values are equal when their canonical
``repr`` is. Values without one (sets, infinities, complex numbers) are no literals here.
"""

from __future__ import annotations

import ast
import builtins
import math
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import EllipsisType

HEAD, TAIL, INDENT = "def f(x):", "    return x", "    "
"""How a straight program begins and ends, and what its lines begin with."""
MOST_SOURCE = 4000
MOST_LITERAL = 1000
MOST_NESTING = 20
_SIGNS = re.compile(r"[-+~(\s]+")
_FAULTS = (SyntaxError, ValueError, TypeError, MemoryError, RecursionError, OverflowError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A program that was read.

    Attributes:
        source: as written.
        steps: the statements of ``f`` as written when it is straight: ``HEAD``, lines that assign to ``x``, ``TAIL``;
            otherwise empty.
        names: the names of functions and methods that it calls, sorted.
        size: nodes of its syntax tree.
        key: its syntax tree without names of variables and comments, for finding duplicates.
    """

    source: str
    steps: tuple[str, ...]
    names: tuple[str, ...]
    size: int
    key: str


@lru_cache(maxsize=1 << 11)
def read_program(text: str) -> Program | str:
    """Returns the program in a text that defines ``f`` with one parameter, or a slug that says why there is none."""
    if len(text) > MOST_SOURCE:
        return "too_long"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
            found = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "f"]
            if len(found) != 1:
                return "no_function"
            if _parameters(found[0]) != 1:
                return "parameters"
            nodes = list(ast.walk(tree))
            key = ast.dump(_Renamed().visit(ast.parse(text)))
    except _FAULTS:
        return "syntax"
    names = sorted({name for node in nodes if isinstance(node, ast.Call) and (name := _called(node))})
    return Program(source=text, steps=_steps(tree, found[0], text), names=tuple(names), size=len(nodes), key=key)


def canonical(text: str) -> str | None:
    """Returns the ``repr`` of the literal that a text holds, or ``None`` when it holds none within the caps."""
    return _remembered(text) if len(text) <= _SHORT else _canonical(text)


def _canonical(text: str) -> str | None:
    value = _literal(text)
    if value is None:
        return None
    try:
        shown = repr(value[0])
    except _FAULTS:
        return None
    return shown if len(shown) <= MOST_LITERAL else None


_SHORT = 64
_remembered = lru_cache(maxsize=1 << 15)(_canonical)
"""Short values come back thousands of times in a round."""


def answer_bits(text: str) -> float:
    """Returns about how many bits it takes to guess a canonical value: log2 of the alphabet for each character.

    Digits come from 10 and letters from 26 characters; truth values and ``None`` are one bit; brackets, commas and
    quotes are form and count nothing.
    """
    if text in ("True", "False", "None"):
        return 1.0
    sizes = [10 if c.isdigit() else 26 if c.isalpha() else 0 if c in " ,'\"[](){}:.-" else 30 for c in text]
    return sum(math.log2(size) for size in sizes if size)


def written_trace(lines: Sequence[str], values: Sequence[str]) -> str:
    """Returns each line of a program with its value below it, the form that ``read_trace`` reads."""
    return "\n".join(part for pair in zip(lines, values, strict=True) for part in pair)


def read_trace(text: str, lines: Sequence[str]) -> list[str] | None:
    """Returns the canonical values under ``lines``, or ``None`` when the text is no trace of exactly these lines."""
    parts = [part.strip() for part in text.strip().split("\n")] if len(text) <= MOST_SOURCE else []
    if parts[::2] != list(lines) or len(parts) != 2 * len(lines):
        return None
    values = [value for part in parts[1::2] if (value := canonical(part)) is not None]
    return values if len(values) == len(lines) else None


def _literal(text: str) -> tuple[object] | None:
    """Returns the literal in a 1-tuple, so that ``None`` can be one."""
    if len(text) > MOST_LITERAL * 4 or _nesting(text) > MOST_NESTING:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text.strip(), mode="eval")
            return (ast.literal_eval(tree),) if all(map(_plain, ast.walk(tree))) else None
    except _FAULTS:
        return None


def _plain(node: ast.AST) -> bool:
    """Whether a node belongs to a literal whose ``repr`` is one text, and reads back as the same value.

    Sets have no order of their own, infinities and ``...`` no literal ``repr``, complex numbers lose signed zeros.
    """
    if isinstance(node, ast.Constant):
        value = node.value
        return not isinstance(value, complex | EllipsisType) and not (isinstance(value, float) and math.isinf(value))
    return not isinstance(node, ast.Set | ast.Call | ast.BinOp)


def _nesting(text: str) -> int:
    """Returns the deepest nesting of brackets, or run of unary signs, that a text could have."""
    depth = deepest = 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        deepest = max(deepest, depth)
    signs = [sum(run.count(sign) for sign in "-+~") for run in map(str, _SIGNS.findall(text))]
    return max([deepest, *signs])


def _parameters(function: ast.FunctionDef) -> int:
    arguments = function.args
    if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.posonlyargs:
        return -1
    return len(arguments.args)


def _called(node: ast.Call) -> str:
    if isinstance(node.func, ast.Name):
        return node.func.id
    return node.func.attr if isinstance(node.func, ast.Attribute) else ""


def _steps(tree: ast.Module, function: ast.FunctionDef, text: str) -> tuple[str, ...]:
    lines = text.split("\n")
    statements = function.body[:-1]
    if (lines[0], lines[-1], len(tree.body), len(lines)) != (HEAD, TAIL, 1, len(statements) + 2):
        return ()
    # A statement over two lines and two statements on one would make up for each other in the count.
    written = all(_is_line(one, place) for place, one in enumerate(statements, 2))
    if not written or not all(_assigns(statement, "x") for statement in statements):
        return ()
    return tuple(line[len(INDENT) :] for line in lines[1:-1])


def _is_line(statement: ast.stmt, line: int) -> bool:
    return (statement.lineno, statement.end_lineno, statement.col_offset) == (line, line, len(INDENT))


def straight(steps: Sequence[str]) -> str:
    """Returns the straight program of some statements."""
    return "\n".join([HEAD, *(INDENT + step for step in steps), TAIL])


def _assigns(statement: ast.stmt, parameter: str) -> bool:
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return False
    target = statement.targets[0]
    return isinstance(target, ast.Name) and target.id == parameter


class _Renamed(ast.NodeTransformer):
    """Replaces names of variables by the order of their first appearance."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in _KEPT:
            return node
        return ast.Name(id=self._known.setdefault(node.id, f"v{len(self._known)}"), ctx=node.ctx)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return ast.arg(arg=self._known.setdefault(node.arg, f"v{len(self._known)}"))


_KEPT = frozenset(dir(builtins))
"""Built-in names mean something; they are never renamed."""
