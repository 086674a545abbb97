"""The survey tells what is here, and how to get what is not."""

import os

import numpy
import pytest
import torch

from training.cli.doctor import accelerators, cache, memory, sandbox


def test_the_document(ludus):
    answer = ludus("doctor", "--json")
    assert answer.code == 0
    assert answer.json["versions"]["numpy"] == numpy.__version__
    assert answer.json["accelerators"]["torch"] == torch.__version__
    assert answer.json["extras"]["train"]["missing"] == []
    assert answer.json["extras"]["ray"]["command"] == "pip install 'ludus-arena[ray]'"


def test_people_get_tables(ludus):
    out = ludus("doctor").out
    assert "sandbox" in out
    assert "pip install 'ludus-arena[" in out


def test_devices_are_those_of_torch():
    assert len(accelerators()["devices"]) >= torch.cuda.device_count()


def test_memory_is_what_the_system_says():
    assert memory()["total"] == os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def test_the_cache_is_measured_where_the_variable_says(monkeypatch, tmp_path):
    monkeypatch.setenv("LUDUS_CACHE", str(tmp_path / "cache"))
    assert cache() == {"folder": str(tmp_path / "cache"), "exists": False, "bytes": 0}
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "weights").write_bytes(b"12345")
    assert cache()["bytes"] == 5


@pytest.mark.bwrap
def test_the_sandbox_is_really_started_to_know_its_level():
    assert sandbox() | {"bwrap": "", "meaning": "", "monty": True} == {
        "level": "process",
        "bwrap": "",
        "monty": True,
        "refused": "",
        "meaning": "",
    }


def test_without_bubblewrap_the_level_follows_from_what_is_installed(monkeypatch):
    monkeypatch.setattr("shutil.which", lambda program, **_: None)
    monkeypatch.setattr("training.cli.doctor.missing", lambda extra: [])
    assert sandbox()["level"] == "interpreter"
    assert "bubblewrap" in sandbox()["refused"]
    monkeypatch.setattr("training.cli.doctor.missing", lambda extra: ["pydantic_monty"])
    assert sandbox()["level"] == "none"
