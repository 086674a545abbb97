"""A user's files are loaded when they are named, once, and announced."""

import pytest

from arena.errors import InputError
from training.cli.extension import load, load_all


def test_a_folder_is_loaded_without_its_tests(tmp_path, capsys):
    (tmp_path / "b.py").write_text("VALUE = 2\n")
    (tmp_path / "a.py").write_text("VALUE = 1\n")
    (tmp_path / "test_a.py").write_text("raise RuntimeError\n")
    assert load_all([tmp_path]) == [tmp_path / "a.py", tmp_path / "b.py"]
    assert "a.py (sha256 " in capsys.readouterr().err
    assert load(tmp_path / "a.py").VALUE == 1
    assert load(tmp_path / "a.py") is load(tmp_path / "a.py")


def test_a_path_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InputError, match="does not exist"):
        load_all([tmp_path / "gone.py"])


@pytest.mark.parametrize("text", ["import a_module_that_nobody_has\n", "def (\n", "raise ValueError('no')\n"])
def test_a_file_that_cannot_be_imported_is_named(tmp_path, text):
    file = tmp_path / "broken.py"
    file.write_text(text)
    with pytest.raises(InputError, match=r"broken\.py: expected a file that can be imported"):
        load(file)


def test_a_file_of_another_kind_is_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("x")
    with pytest.raises(InputError, match=r"ends in \.py"):
        load(tmp_path / "notes.txt")
