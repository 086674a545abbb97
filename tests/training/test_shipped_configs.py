"""The shipped YAML is found wherever the packages are."""

from training.shipped_configs import configs_folder


def test_configs_are_found_in_a_source_tree_and_in_an_installation(tmp_path):
    assert configs_folder(tmp_path) == tmp_path / "configs"
    (tmp_path / "training" / "configs").mkdir(parents=True)
    assert configs_folder(tmp_path) == tmp_path / "training" / "configs"
    assert (configs_folder() / "campaign").is_dir()
