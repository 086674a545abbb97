"""The command line in this process: what it prints and the code it exits with."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from typing import Any

import pytest

from training.cli.app import application


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a call of the command line left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def ludus(capsys, monkeypatch, tmp_path):
    """Runs the command line in an empty folder; ``typed`` is what a person types."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments, typed=""):
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        words = [str(argument) for argument in arguments]
        capsys.readouterr()
        try:
            application(words)(words, prog_name="ludus")
            code = 0
        except SystemExit as end:
            code = end.code or 0
        said = capsys.readouterr()
        return Answer(code=code, out=said.out, err=said.err)

    return call
