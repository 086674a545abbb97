"""The conformance check of advantage estimators: for the shipped ones and for anybody's own.

Rounds are made up from a fixed seed: two seats, two turns each, information sets that episodes share, groups of four
episodes. What is checked is what the campaign relies on: purity, a state that fits into a checkpoint, one finite
advantage a unit whatever order groups arrived in, and 0 where nothing can be compared. Whether the advantages are
*good* is no matter of conformance.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.errors import CheckError
from arena.seeds import generator
from arena.types import Completion, PolicyId, Sampling
from training.estimators.estimator import AdvantageEstimator, Estimate, State
from training.units import Unit

TOLERANCE = 1e-9
"""How far advantages may move when only the order of summation changes."""

SEATS = ("first", "second")


def check_estimator(estimator: AdvantageEstimator) -> None:
    """Checks an advantage estimator.

    Args:
        estimator: the estimator, as a campaign would build it.

    Raises:
        CheckError: names what differs from the contract of ``AdvantageEstimator``.
    """
    _check_attributes(estimator)
    rounds = [sample_units(index) for index in range(3)]
    _check_key(estimator, rounds[0])
    _check_states(estimator, rounds)
    _check_shapes(estimator, rounds[0])
    _check_arrival(estimator, rounds)
    if estimator.min_group > 1:
        _check_nothing_to_compare(estimator)


def sample_units(round_index: int, groups: int = 3, episodes: int = 4) -> list[Unit]:
    """Returns the units of a made-up round in canonical order; the same ones each time.

    Args:
        round_index: another index, another round.
        groups: groups of the round.
        episodes: episodes of each group.
    """
    draw = generator("check_estimator", round_index)
    units: list[Unit] = []
    for number in range(groups * episodes):
        rewards = draw.normal(size=(len(SEATS), 2)).round(3)
        for place, seat in enumerate(SEATS):
            for ordinal in range(2):
                key = f"{seat}/{ordinal}/{draw.integers(2)}"
                units.append(_unit(round_index, number, number // episodes, seat, ordinal, key, rewards[place]))
    return units


def _unit(
    round_index: int, episode: int, group: int, seat: str, ordinal: int, key: str, rewards: NDArray[np.float64]
) -> Unit:
    name = f"r{round_index:06d}-e{episode:06d}"
    return Unit(
        episode_id=name,
        group_id=f"r{round_index:06d}-g{group:06d}",
        task_id=f"task{group}",
        game="check-v0",
        seat=seat,
        role="player",
        policy=PolicyId(name="player", version=round_index),
        ordinal=ordinal,
        env_step=ordinal,
        node_id=f"{name}/{ordinal}",
        anchor_key=key,
        return_to_go=float(rewards[ordinal:].sum()),
        episode_return=float(rewards.sum()),
        completion=_completion(f"{name}/{seat}/{ordinal}", round_index),
    )


def _completion(name: str, version: int) -> Completion:
    return Completion(
        id=name,
        prompt_ids=(1, 2, 3),
        token_ids=(4, 5),
        logprobs=(-0.5, -0.25),
        support=None,
        text="an answer",
        finish_reason="stop",
        policy=PolicyId(name="player", version=version),
        sampling=Sampling(),
        version_spans=((0, version),),
    )


def _check_attributes(estimator: AdvantageEstimator) -> None:
    kinds: Mapping[str, type] = {"name": str, "requires": frozenset, "min_group": int, "sequential": bool}
    for attribute, kind in kinds.items():
        value = getattr(estimator, attribute, None)
        if not isinstance(value, kind) or value == "":
            raise _error(estimator, attribute, f"a {kind.__name__}", repr(value))
    if estimator.min_group < 1:
        raise _error(estimator, "min_group", "at least 1", str(estimator.min_group))


def _check_key(estimator: AdvantageEstimator, units: Sequence[Unit]) -> None:
    for unit in units:
        once: object = estimator.key(unit)
        if not isinstance(once, Hashable) or once != estimator.key(unit):
            raise _error(estimator, f"key of {unit.episode_id}/{unit.seat}", "one hashable value", repr(once))


def _check_states(estimator: AdvantageEstimator, rounds: Sequence[Sequence[Unit]]) -> None:
    """Plays rounds in a row, twice, the second time with states that went through JSON."""
    plain = _row_of_rounds(estimator, rounds, lambda state: state)
    stored = _row_of_rounds(estimator, rounds, lambda state: json.loads(_stored(estimator, state)))
    for index, (one, other) in enumerate(zip(plain, stored, strict=True)):
        if not np.array_equal(one.advantages, other.advantages):
            raise _differs(estimator, rounds[index], one.advantages, other.advantages, f"round {index} after JSON")
        if _stored(estimator, one.state) != _stored(estimator, other.state):
            raise _error(estimator, f"state of round {index}", "the same after JSON", "another")


def _row_of_rounds(
    estimator: AdvantageEstimator, rounds: Sequence[Sequence[Unit]], through: Callable[[State], State]
) -> list[Estimate]:
    state: State = {}
    made: list[Estimate] = []
    for units in rounds:
        kept_units, kept_state = copy.deepcopy(list(units)), _stored(estimator, state)
        once, again = estimator.estimate(units, state), estimator.estimate(units, state)
        same_state = _stored(estimator, once.state) == _stored(estimator, again.state)
        if not same_state or not np.array_equal(once.advantages, again.advantages):
            raise _error(estimator, "estimate", "the same result twice", "another the second time")
        if list(units) != kept_units or _stored(estimator, state) != kept_state:
            raise _error(estimator, "estimate", "units and state left as they were", "changed ones")
        made.append(once)
        state = through(once.state)
    return made


def _stored(estimator: AdvantageEstimator, state: Any) -> str:  # noqa: ANN401 - whatever an estimator returns
    try:
        return json.dumps(dict(state), sort_keys=True, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise _error(estimator, "state", "a mapping of JSON values", f"{state!r} ({error})") from error


def _check_shapes(estimator: AdvantageEstimator, units: Sequence[Unit]) -> None:
    for part in (units, units[:1], []):
        found = estimator.estimate(part, {}).advantages
        if not isinstance(found, np.ndarray) or found.dtype != np.float64 or found.shape != (len(part),):
            got = f"{getattr(found, 'dtype', type(found).__name__)} {getattr(found, 'shape', '')}"
            raise _error(estimator, "advantages", f"a float64 array of shape ({len(part)},)", got)
        if not np.isfinite(found).all():
            raise _error(estimator, "advantages", "finite numbers", f"{found[~np.isfinite(found)][0]}")


def _check_arrival(estimator: AdvantageEstimator, rounds: Sequence[Sequence[Unit]]) -> None:
    """Groups in another order: the same advantage for every unit, unless the estimator says that it is sequential."""
    if estimator.sequential:
        return
    units = rounds[0]
    start = estimator.estimate(rounds[1], {}).state
    order = sorted(range(len(units)), key=lambda i: (-int(units[i].group_id[-6:]), i))
    straight = estimator.estimate(units, start).advantages
    turned = estimator.estimate([units[i] for i in order], start).advantages
    back = np.empty_like(turned)
    back[order] = turned
    if not np.allclose(straight, back, rtol=0.0, atol=TOLERANCE):
        raise _differs(estimator, units, straight, back, "groups in another order (declare sequential = True)")


def _check_nothing_to_compare(estimator: AdvantageEstimator) -> None:
    """Groups of one, and groups whose returns are equal up to float residue, have advantage 0."""
    alone = sample_units(0, groups=4, episodes=1)
    residue = [0.35 * 7, sum([0.35] * 7)]
    flat = [
        replace(unit, return_to_go=residue[i // 4 % 2], episode_return=residue[i // 4 % 2])
        for i, unit in enumerate(sample_units(0))
    ]
    for words, units in (("a group of one", alone), ("a group of equal returns", flat)):
        found = estimator.estimate(units, {}).advantages
        if np.any(found != 0.0):
            raise _differs(estimator, units, np.zeros(len(units)), found, words)


def _differs(
    estimator: AdvantageEstimator,
    units: Sequence[Unit],
    expected_U: NDArray[np.float64],
    got_U: NDArray[np.float64],
    words: str,
) -> CheckError:
    index = int(np.argmax(np.abs(expected_U - got_U)))
    unit = units[index]
    where = f"advantage of {unit.episode_id}/{unit.seat}/{unit.ordinal}, {words}"
    return _error(estimator, where, f"{expected_U[index]}", f"{got_U[index]}")


def _error(estimator: AdvantageEstimator, where: str, expected: str, got: str) -> CheckError:
    name = getattr(estimator, "name", type(estimator).__name__)
    return CheckError(f"estimator {name}, {where}: expected {expected}, got {got}; correct the estimator")
