"""The uniform curriculum."""

from __future__ import annotations

from collections import Counter

import pytest

from arena.errors import ConfigError
from arena.seeds import generator, task_seed
from curricula.testing import check_curriculum
from curricula.uniform import Uniform


def propose(curriculum: Uniform, at: int, count: int) -> list[tuple[int, str]]:
    return [(task.seed, str(dict(task.params))) for task in curriculum.propose(generator("test", at), at, count)]


def test_seeds_come_from_seed_round_and_index() -> None:
    tasks = propose(Uniform("kuhn_poker-v0", seed=7), 4, 3)
    assert [seed for seed, _ in tasks] == [task_seed(7, 4, index) for index in range(3)]


def test_a_second_call_in_a_round_goes_on_and_a_new_round_starts_anew() -> None:
    curriculum = Uniform("kuhn_poker-v0", seed=7)
    assert propose(curriculum, 0, 2) + propose(curriculum, 0, 3) == propose(Uniform("kuhn_poker-v0", seed=7), 0, 5)
    assert propose(curriculum, 1, 1)[0][0] == task_seed(7, 1, 0)


def test_a_round_does_not_depend_on_the_rounds_before_it() -> None:
    played = Uniform("kuhn_poker-v0", seed=7)
    for at in range(3):
        propose(played, at, 5)
    assert propose(played, 3, 5) == propose(Uniform("kuhn_poker-v0", seed=7), 3, 5)


def test_parameter_sets_are_equally_likely() -> None:
    curriculum = Uniform("g-v0", params=({"size": 3}, {"size": 4}))
    counts = Counter(params for _, params in propose(curriculum, 0, 4000))
    assert counts["{'size': 3}"] / 4000 == pytest.approx(0.5, abs=0.032)  # 4 standard errors
    assert len(counts) == 2


def test_several_parameter_sets_pass_the_check() -> None:
    check_curriculum(lambda: Uniform("g-v0", seed=1, params=({"size": 3}, {"size": 4})))


def test_no_parameter_set_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"uniform\.params: expected at least one"):
        Uniform("g-v0", params=())


def test_it_pays_nothing() -> None:
    assert Uniform("g-v0").settle(()) == []
