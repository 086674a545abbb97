"""Checkpoints: there whole or not at all, whatever happens to the files or to the process."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest
import torch

from arena.errors import CheckpointError
from training import checkpoints
from training.checkpoints import (
    MANIFEST,
    Checkpoint,
    checkpoint_folders,
    file_digest,
    load_checkpoint,
    load_tensors,
    save_checkpoint,
    save_tensors,
    torn_folders,
    weights_digest,
)


def made(rounds=3, seed=0):
    random = torch.Generator().manual_seed(seed)
    weights = {"a": torch.randn(5, 7, generator=random), "b": torch.arange(3), "c": torch.randn((), generator=random)}
    return Checkpoint(
        rounds_done=rounds,
        tensors={"player.weights": weights, "player.learner": {"optimiser.0.step": torch.tensor(2.0)}},
        state={"versions": {"player": rounds}, "estimators": {"{}": {"kuhn/first": -0.1 - seed}}, "none": None},
    )


def assert_equal(one, other):
    assert (one.rounds_done, one.state) == (other.rounds_done, other.state)
    assert one.tensors.keys() == other.tensors.keys()
    for stem, tensors in one.tensors.items():
        assert tensors.keys() == other.tensors[stem].keys()
        assert all(torch.equal(value, other.tensors[stem][name]) for name, value in tensors.items())


def test_what_is_written_is_read_back_bit_for_bit(tmp_path):
    path = save_checkpoint(tmp_path / "checkpoints", made(), keep=3)
    assert path.name == "000003"
    assert_equal(load_checkpoint(path), made())


def test_tied_tensors_are_written_under_both_names(tmp_path):
    shared = torch.randn(4, 4)
    save_tensors(tmp_path / "t.safetensors", {"a": shared, "b": shared, "view": shared[:, 1]})
    read = load_tensors(tmp_path / "t.safetensors")
    assert torch.equal(read["a"], read["b"]) and torch.equal(read["view"], shared[:, 1])


def test_no_file_is_a_pickle(tmp_path):
    path = save_checkpoint(tmp_path, made(), keep=3)
    assert {file.suffix for file in path.iterdir()} == {".safetensors", ".json"}
    for file in path.iterdir():
        head = file.read_bytes()
        assert head[:2] not in {b"\x80\x02", b"\x80\x04", b"\x80\x05", b"PK"}
    assert "pickle" not in Path(checkpoints.__file__).read_text().replace("never a pickle", "")


def test_only_the_newest_are_kept(tmp_path):
    for rounds in (1, 2, 10, 11):
        save_checkpoint(tmp_path, made(rounds), keep=2)
    assert [path.name for path in checkpoint_folders(tmp_path)] == ["000010", "000011"]
    assert sorted(os.listdir(tmp_path)) == ["000010", "000011"]


def test_saving_the_same_round_again_replaces_it(tmp_path):
    save_checkpoint(tmp_path, made(3, seed=0), keep=1)
    save_checkpoint(tmp_path, made(3, seed=0), keep=1)
    assert_equal(load_checkpoint(tmp_path / "000003"), made(3, seed=0))
    save_checkpoint(tmp_path, made(3, seed=1), keep=1)
    assert_equal(load_checkpoint(tmp_path / "000003"), made(3, seed=1))
    assert os.listdir(tmp_path) == ["000003"]


def test_without_a_manifest_it_is_torn_and_no_checkpoint(tmp_path):
    save_checkpoint(tmp_path, made(1), keep=3)
    newest = save_checkpoint(tmp_path, made(2), keep=3)
    (newest / MANIFEST).unlink()
    (tmp_path / "open-000003").mkdir()
    assert [path.name for path in checkpoint_folders(tmp_path)] == ["000001"]
    assert [path.name for path in torn_folders(tmp_path)] == ["000002", "open-000003"]
    with pytest.raises(CheckpointError, match=r"manifest.json: expected a manifest"):
        load_checkpoint(newest)


def test_a_folder_that_is_not_there_has_no_checkpoints(tmp_path):
    assert checkpoint_folders(tmp_path / "none") == torn_folders(tmp_path / "none") == []


def test_another_schema_is_named(tmp_path):
    path = save_checkpoint(tmp_path, made(), keep=3)
    manifest = json.loads((path / MANIFEST).read_text()) | {"schema": 1}
    (path / MANIFEST).write_text(json.dumps(manifest))
    with pytest.raises(CheckpointError, match="expected schema 2, got 1"):
        load_checkpoint(path)


def test_a_file_that_was_added_is_not_read(tmp_path):
    path = save_checkpoint(tmp_path, made(), keep=3)
    save_tensors(path / "stray.safetensors", {"a": torch.zeros(1)})
    assert_equal(load_checkpoint(path), made())


def damage(file, kind, random):
    data = bytearray(file.read_bytes())
    if kind == "flip":
        data[random.integers(len(data))] ^= 1 << random.integers(8)
    elif kind == "cut":
        del data[random.integers(len(data)) :]
    elif kind == "grow":
        data += b"\x00"
    if kind == "delete":
        file.unlink()
    else:
        file.write_bytes(bytes(data))
    return kind


def test_every_damage_is_found(tmp_path):
    path = save_checkpoint(tmp_path, made(), keep=3)
    good = {file: file.read_bytes() for file in sorted(path.iterdir())}
    assert len(good) == 4
    found, random = 0, np.random.default_rng(0)
    for index in range(240):
        kind = ("flip", "flip", "flip", "cut", "grow", "delete")[index % 6]
        damaged = list(good)[random.integers(len(good))]
        damage(damaged, kind, random)
        if kind == "grow" and damaged.name == MANIFEST:
            damage(damaged, "cut", random)
        with pytest.raises(CheckpointError, match=r"checkpoint .*: expected"):
            load_checkpoint(path)
        found += 1
        for file, data in good.items():
            file.write_bytes(data)
    assert found == 240
    assert_equal(load_checkpoint(path), made())


def save_for_ever(folder, rounds):
    """Saves one checkpoint after another, each keeping no older one."""
    while True:
        rounds += 1
        tensors = {"player.weights": {str(i): torch.full((64, 64), float(rounds)) for i in range(20)}}
        save_checkpoint(folder, Checkpoint(rounds_done=rounds, tensors=tensors, state={"r": rounds}), keep=1)


def test_killed_at_any_moment_the_newest_checkpoint_loads(tmp_path):
    rounds, random = 0, np.random.default_rng(0)
    for _ in range(12):
        child = os.fork()
        if child == 0:
            try:
                save_for_ever(tmp_path, rounds)
            finally:
                os._exit(1)
        deadline = time.monotonic() + 10
        while not checkpoint_folders(tmp_path) and time.monotonic() < deadline:
            time.sleep(0.002)
        time.sleep(random.uniform(0.0, 0.08))
        os.kill(child, signal.SIGKILL)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
        newest = load_checkpoint(checkpoint_folders(tmp_path)[-1])
        assert newest.rounds_done >= max(1, rounds)
        assert newest.state == {"r": newest.rounds_done}
        assert newest.tensors["player.weights"]["7"].unique().tolist() == [float(newest.rounds_done)]
        rounds = newest.rounds_done
    save_checkpoint(tmp_path, made(rounds + 1), keep=1)
    assert [path.name for path in checkpoint_folders(tmp_path)] == [f"{rounds + 1:06d}"]


def small_disk(folder):
    """Mounts a file system of 64 KiB, or skips where that is not allowed."""
    folder.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("mounting a small file system needs root")


def test_a_full_disk_is_named_and_the_older_checkpoint_is_intact(tmp_path):
    disk = tmp_path / "disk"
    small_disk(disk)
    try:
        save_checkpoint(disk / "checkpoints", made(1), keep=1)
        huge = Checkpoint(rounds_done=2, tensors={"w": {"w": torch.zeros(100_000)}}, state={})
        with pytest.raises(CheckpointError, match=r"000002: expected to write it, got .*space.*older checkpoints are"):
            save_checkpoint(disk / "checkpoints", huge, keep=1)
        assert [path.name for path in checkpoint_folders(disk / "checkpoints")] == ["000001"]
        assert torn_folders(disk / "checkpoints") == []
        assert_equal(load_checkpoint(disk / "checkpoints" / "000001"), made(1))
    finally:
        subprocess.run(["umount", disk], check=True)


@pytest.mark.parametrize("step", ["_write", "save_tensors", "_replace"])
def test_a_disk_that_refuses_at_any_step_leaves_the_older_checkpoint(tmp_path, monkeypatch, step):
    save_checkpoint(tmp_path, made(1), keep=1)

    def refuse(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(checkpoints, step, refuse)
        with pytest.raises(CheckpointError, match="No space left on device"):
            save_checkpoint(tmp_path, made(2), keep=1)
    assert os.listdir(tmp_path) == ["000001"]
    assert_equal(load_checkpoint(tmp_path / "000001"), made(1))


def test_digests_depend_on_names_and_values_only(tmp_path):
    one = {"a": torch.tensor([1.0]), "b": torch.tensor([2.0])}
    assert weights_digest(one) == weights_digest(dict(reversed(one.items())))
    assert weights_digest(one) != weights_digest({"a": one["b"], "b": one["a"]})
    assert weights_digest({"a": one["a"].clone()}) == weights_digest({"a": one["a"]})
    (tmp_path / "f").write_bytes(b"abc")
    # FIPS 180-2, appendix B.1
    assert file_digest(tmp_path / "f") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_mappings_come_back_in_their_order(tmp_path):
    state = {"b": {"z": 1, "a": 2}, "a": [{"y": 1, "x": 2}]}
    folder = save_checkpoint(tmp_path, Checkpoint(rounds_done=1, tensors={}, state=state), keep=1)
    back = load_checkpoint(folder).state
    assert json.dumps(back) == json.dumps(state)  # a curriculum that walks a mapping resumes as it would have gone on
