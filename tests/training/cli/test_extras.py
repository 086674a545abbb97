"""Every extra of the distribution is known, and a missing one is refused with its pip command."""

import tomllib
from pathlib import Path

import pytest

from arena.errors import InputError
from training.cli.extras import EXTRAS, extra_of, missing, require

PROJECT = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())["project"]


def test_the_table_holds_exactly_the_declared_extras():
    assert set(EXTRAS) == set(PROJECT["optional-dependencies"]) - {"dev"}


def test_what_is_installed_is_not_missing():
    assert missing("train") == []
    require("train", "here")


def test_a_missing_extra_is_refused(monkeypatch):
    monkeypatch.setitem(EXTRAS, "lora", ("a_module_that_nobody_has",))
    with pytest.raises(InputError, match=r"here: expected the extra \[lora\], got no module a_module.*pip install"):
        require("lora", "here")


def test_a_module_leads_to_its_extra():
    assert extra_of("torch.nn") == "train"
    assert extra_of("numpy") == ""
