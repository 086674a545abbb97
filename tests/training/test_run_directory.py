"""Run directories: exclusive, complete, without secrets, and read back as they were written."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from omegaconf import OmegaConf

from arena.errors import InputError, RunError
from training.compose import compose_campaign
from training.run_directory import RunDirectory, create_run, replace_config


@pytest.fixture
def config(tmp_path):
    return compose_campaign(["campaign=kuhn_selfplay", f"output_root={tmp_path}/runs"])


def test_starts_in_the_same_second_get_directories_of_their_own(config):
    with ThreadPoolExecutor(4) as pool:
        runs = list(pool.map(lambda _: create_run(config, []), range(12)))
    assert len({run.path for run in runs}) == 12
    assert {run.path.parent.name for run in runs} == {"kuhn_selfplay"}


def test_config_and_overrides_are_read_back(config):
    run = create_run(config, ["rounds=3", "name='a b'"])
    assert run.config() == config
    assert OmegaConf.to_container(OmegaConf.load(run.path / "overrides.yaml")) == ["rounds=3", "name='a b'"]
    assert compose_campaign(["campaign=kuhn_selfplay", f"output_root={config.output_root}"]) == run.config()


def test_the_environment_is_an_allowlist_without_secrets(config, monkeypatch):
    monkeypatch.setenv("SOME_TOKEN", "hunter2-very-secret")
    run = create_run(config, [])
    environment = json.loads((run.path / "environment.json").read_text())
    assert set(environment) == {"python", "machine", "system", "cores", "threads", "packages", "git_commit"}
    assert environment["packages"]["torch"]
    assert all("hunter2" not in file.read_text() for file in run.path.iterdir())


def test_a_changed_config_replaces_the_old_in_one_step(config):
    run = create_run(config, [])
    config.rounds = 7
    replace_config(run, config)
    assert run.config().rounds == 7
    assert sorted(file.name for file in run.path.iterdir()) == ["config.yaml", "environment.json", "overrides.yaml"]


def test_places(tmp_path):
    run = RunDirectory(tmp_path)
    assert run.snapshot("player", 12) == tmp_path / "snapshots" / "player" / "000012.safetensors"
    assert run.checkpoints == tmp_path / "checkpoints"
    assert run.summary == tmp_path / "summary.json"


def test_what_is_no_run_is_refused(tmp_path):
    with pytest.raises(InputError, match="expected a run directory, got none there"):
        RunDirectory(tmp_path).config()


@pytest.mark.parametrize("text", ["ronds: 3", "rounds: many", "[1, 2]", "a: [", "\x00"])
def test_a_config_of_another_schema_is_refused(tmp_path, text):
    (tmp_path / "config.yaml").write_text(text)
    with pytest.raises(InputError, match=r"config.yaml: expected a config of this version"):
        RunDirectory(tmp_path).config()


@pytest.mark.parametrize("kind", ["file", "dangling link", "file in the middle"])
def test_a_root_that_cannot_be_written_is_named(config, tmp_path, kind):
    root = tmp_path / "root"
    if kind == "dangling link":
        root.symlink_to(tmp_path / "nowhere")
    else:
        root.write_text("")
    config.output_root = str(root / "deeper" if kind == "file in the middle" else root)
    with pytest.raises(RunError, match=r"output_root .*root.*: expected a folder to write to"):
        create_run(config, [])
