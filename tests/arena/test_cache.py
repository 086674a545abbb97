"""Results remembered on disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.cache import cache_root, remembered


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LUDUS_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def made_by(calls: list[int], value: object) -> object:
    def make() -> object:
        calls.append(1)
        return value

    return make


def test_the_place_is_the_users_unless_the_environment_names_one(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cache_root() == root
    monkeypatch.delenv("LUDUS_CACHE")
    monkeypatch.setenv("HOME", "/somewhere")
    assert cache_root() == Path("/somewhere/.cache/ludus")


def test_a_result_is_made_once_and_comes_back_bit_for_bit(root: Path) -> None:
    calls: list[int] = []
    value = {"p": [1 / 3, 5e-324]}
    assert remembered("things", ["a", 1], made_by(calls, value)) == value
    assert remembered("things", ["a", 1], made_by(calls, value)) == value
    assert calls == [1]
    assert [place.suffix for place in (root / "things").iterdir()] == [".json"]


def test_another_key_is_another_result(root: Path) -> None:
    calls: list[int] = []
    for key in (["a", 1], ["a", 2], ["b", 1]):
        remembered("things", key, made_by(calls, key))
    assert len(calls) == 3
    assert remembered("things", ["a", 2], made_by(calls, None)) == ["a", 2]


def test_a_torn_file_is_made_again(root: Path) -> None:
    remembered("things", "k", lambda: 1)
    (place,) = (root / "things").iterdir()
    place.write_text('{"torn')
    assert remembered("things", "k", lambda: 2) == 2
    assert remembered("things", "k", lambda: 3) == 2


def test_a_folder_that_cannot_be_written_costs_time_only(root: Path) -> None:
    root.write_text("a file where the folder should be")
    assert remembered("things", "k", lambda: 4) == 4
