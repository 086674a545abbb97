"""The audit of payoff tables: exact values against a linear-programming library, and known tables."""

import numpy as np
import pytest
from scipy.optimize import linprog

from arena.errors import ConfigError
from arena.game_tree import game_tree
from arena.games.matrix_game import MatrixGame
from arena.matrix_audit import audit
from arena.solutions import nash_conv
from arena.types import Task

CYCLE = [[0, -1, 1], [1, 0, -1], [-1, 1, 0]]


def zero_sum(matrix):
    return [[[pay, -pay] for pay in row] for row in matrix]


def linear_program(matrix):
    """Returns the value of a zero-sum matrix for its rows: max v with x >= 0, sum x = 1, x A >= v."""
    rows, columns = matrix.shape
    cost = np.append(np.zeros(rows), -1.0)
    found = linprog(
        cost,
        A_ub=np.hstack([-matrix.T, np.ones((columns, 1))]),
        b_ub=np.zeros(columns),
        A_eq=[np.append(np.ones(rows), 0.0)],
        b_eq=[1.0],
        bounds=[(0, None)] * rows + [(None, None)],
    )
    assert found.status == 0
    return -found.fun


@pytest.mark.parametrize("seed", range(200))
def test_value_and_strategies_agree_with_linprog(seed):
    random = np.random.default_rng(seed)
    shape = random.integers(1, 9, size=2)
    # Small whole numbers make ties and degenerate pivots; the others are decimals of both signs.
    matrix = random.integers(-2, 3, size=shape) if seed % 2 else random.uniform(-100, 100, size=shape).round(3)
    found = audit(zero_sum(matrix.tolist()))
    assert found.zero_sum
    assert found.value == pytest.approx(linear_program(matrix.astype(float)), abs=1e-9)
    row, column = np.array(found.row_strategy), np.array(found.column_strategy)
    for mix in (row, column):
        assert mix.min() >= 0 and mix.sum() == pytest.approx(1.0)
    # What row guarantees and what column concedes meet in the value.
    assert (row @ matrix).min() == pytest.approx(found.value, abs=1e-9)
    assert (matrix @ column).max() == pytest.approx(found.value, abs=1e-9)
    assert found.fair == (abs(found.value) < 1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_dominance_agrees_with_linprog(seed):
    random = np.random.default_rng(1000 + seed)
    matrix = random.integers(0, 6, size=(5, 3))
    column = random.integers(0, 6, size=(5, 3))
    found = audit(np.stack([matrix, column], axis=2).tolist())
    # Row i is strictly dominated exactly when the game of the differences to it is worth more than 0.
    worse = [i for i in range(5) if linear_program((matrix - matrix[i]).astype(float)) > 1e-9]
    assert found.dominated_rows == tuple(worse)
    worse = [j for j in range(3) if linear_program((column.T - column.T[j]).astype(float)) > 1e-9]
    assert found.dominated_columns == tuple(worse)


def test_rock_paper_scissors():
    found = audit(zero_sum(CYCLE))
    assert found.zero_sum and found.symmetric and found.fair and not found.degenerate
    assert found.value == 0.0
    assert found.row_strategy == found.column_strategy == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    assert found.pure_equilibria == found.dominated_rows == found.dominated_columns == ()
    assert found.actions == (3, 3)


def test_odd_or_even():
    # T. S. Ferguson, Game Theory, part II: value 1/12, both say one with probability 7/12.
    found = audit(zero_sum([[-2, 3], [3, -4]]))
    assert found.value == 1 / 12
    assert found.row_strategy == found.column_strategy == (7 / 12, 5 / 12)
    assert found.fair is False and not found.symmetric and not found.degenerate


def test_a_saddle_point():
    # The middle row guarantees 2 and the first column concedes it: least of its row, greatest of its column.
    found = audit(zero_sum([[1, 4, 0], [2, 3, 5], [0, 6, 1]]))
    assert found.pure_equilibria == ((1, 0),)
    assert found.value == 2.0


def test_the_prisoners_dilemma_has_nothing_to_decide():
    found = audit([[[3, 3], [0, 5]], [[5, 0], [1, 1]]])
    assert found.symmetric and not found.zero_sum
    assert found.constant_sum is found.value is found.fair is None
    assert found.pure_equilibria == ((1, 1),)
    assert found.dominated_rows == found.dominated_columns == (0,)
    assert found.degenerate and found.reason == "row has one action that is not dominated, number 1"


def test_the_stag_hunt():
    found = audit([[[4, 4], [0, 3]], [[3, 0], [3, 3]]])
    assert found.pure_equilibria == ((0, 0), (1, 1))
    assert found.row_strategy == (0.0, 1.0)  # the hare guarantees 3
    assert found.symmetric and not found.degenerate


def test_a_mix_can_dominate():
    # Half of each extreme pays 1.5 against either column; the third row pays 1, and no single row beats it.
    found = audit([[[3, 0], [0, 1]], [[0, 1], [3, 0]], [[1, 0], [1, 0]]])
    assert found.dominated_rows == (2,)
    assert not found.degenerate


def test_constant_sum():
    found = audit([[[0.7, 0.3], [0.1, 0.9]], [[0.1, 0.9], [0.7, 0.3]]])
    assert found.constant_sum == 1.0 and not found.zero_sum
    assert found.value == 0.4 and found.fair is False
    even = audit([[[0.9, 0.1], [0.1, 0.9]], [[0.1, 0.9], [0.9, 0.1]]])
    assert even.value == 0.5 and even.fair is True


def test_decimals_are_what_they_look_like():
    # 0.1 + 0.2 is not 0.3 in binary; the table is zero-sum and fair all the same.
    found = audit([[[0.1 + 0.2, -0.3], [-0.3, 0.3]], [[-0.3, 0.1 + 0.2], [0.3, -0.3]]])
    assert found.zero_sum and found.fair


@pytest.mark.parametrize(
    ("payoffs", "reason"),
    [
        ([[[1, 2], [1, 2]], [[1, 2], [1, 2]]], "row is paid the same whatever it does"),
        ([[[1, 2], [3, 1]], [[2, 0], [1, 0]]], ""),
        ([[[1, 2], [3, 2]], [[2, 0], [1, 0]]], "column is paid the same whatever it does"),
        ([[[1, 2], [3, 1]]], "row has one action"),
        ([[[1, 2]], [[1, 1]], [[0, 0]]], "column has one action"),
        ([[[1, 2], [0, 1]], [[2, 0], [3, 0]]], "row has one action that is not dominated, number 1"),
        ([[[1, 2], [0, 1]], [[0, 3], [3, 0]]], "column has one action that is not dominated, number 0"),
    ],
)
def test_degenerate(payoffs, reason):
    found = audit(payoffs)
    assert found.reason == reason
    assert found.degenerate == bool(reason)


def test_what_it_finds_is_an_equilibrium_of_the_game():
    payoffs = zero_sum([[2, -1, 3], [-1, 1, -2], [0, 0.5, -1]])
    found = audit(payoffs)
    tree = game_tree(MatrixGame(), Task(game="matrix_game-v0", params={"payoffs": payoffs}))
    strategies = {}
    for seat, mix in (("row", found.row_strategy), ("column", found.column_strategy)):
        (info,) = tree.sets_of(seat)
        strategies[seat] = {info.key: dict(zip(info.actions, mix, strict=True))}
    result = nash_conv(tree, strategies)
    assert result.value == pytest.approx(0.0, abs=1e-12)
    assert result.returns["row"] == pytest.approx(found.value)


@pytest.mark.parametrize(
    ("payoffs", "message"),
    [
        ([], r"payoffs: expected a list of 1 to 8 rows, got \[\]"),
        ([[]], r"payoffs\[0\]: expected a list of 1 to 8 pairs, got \[\]"),
        ([[[1, 1]], [[1, 1], [2, 2]]], r"payoffs\[1\]: expected a list of 1 pairs"),
        ([[[1, 1, 1]]], r"payoffs\[0\]\[0\]: expected a list of 2 numbers, got \[1, 1, 1\]"),
        ([[[1, float("inf")]]], r"payoffs\[0\]\[0\]\[1\]: expected a number from -1e\+09 to 1e\+09, got inf"),
        ([[[None, 1]]], r"payoffs\[0\]\[0\]\[0\]: expected a number .* got None"),
        ([[[10**400, 1]]], r"payoffs\[0\]\[0\]\[0\]: expected a number "),
        ([[[float("nan"), 1]]], r"payoffs\[0\]\[0\]\[0\]: .* got nan"),
    ],
)
def test_no_table(payoffs, message):
    with pytest.raises(ConfigError, match=message):
        audit(payoffs)
