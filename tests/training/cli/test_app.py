"""Verbs load on demand, help is quick and needs no extra, errors become exit codes."""

import inspect
import resource
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from arena.errors import CheckError, ConfigError, RunError
from training.cli.app import exit_code, guarded
from training.cli.verbs import VERBS

ROOT = Path(__file__).parents[3]

HELP = """
import sys
sys.argv = ["ludus", *{arguments!r}]
from training.cli.app import main
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
heavy = {{"torch", "transformers", "hydra", "pettingzoo", "gymnasium", "pyarrow", "networkx"}} & set(sys.modules)
assert not heavy, heavy
"""


def run_help(*arguments):
    code = HELP.format(arguments=[*arguments, "--help"])
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("verb", ["", *VERBS])
def test_help_loads_nothing_heavy(verb):
    done = run_help(*([verb] if verb else []))
    assert done.returncode == 0, done.stderr
    assert "Usage: ludus" in done.stdout


def test_help_takes_less_than_a_second_of_processor_time():
    run_help()  # compiles the byte code
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert run_help().returncode == 0
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime) < 1.0


@pytest.mark.parametrize("name", VERBS)
def test_a_verbs_summary_is_the_first_line_of_its_docstring(name):
    doc = inspect.getdoc(VERBS[name].load())
    assert doc.splitlines()[0] == VERBS[name].summary


def test_an_unknown_verb_is_refused_with_the_nearest(ludus):
    answer = ludus("chek")
    assert answer.code == 2
    assert "'check'" in answer.err


def test_no_verb_shows_the_verbs(ludus):
    answer = ludus()
    assert all(name in answer.out + answer.err for name in VERBS)


def test_version(ludus):
    answer = ludus("--version")
    assert answer.code == 0
    assert answer.out.startswith("ludus ")


@pytest.mark.parametrize(("error", "code"), [(ConfigError("x"), 2), (RunError("x"), 1), (CheckError("x"), 1)])
def test_errors_become_exit_codes(error, code, capsys):
    def fail():
        raise error

    assert exit_code(error) == code
    with pytest.raises(typer.Exit) as end:
        guarded(fail)()
    assert end.value.exit_code == code
    assert capsys.readouterr().err == "x\n"


def test_an_interrupt_exits_with_130():
    def interrupted():
        raise KeyboardInterrupt

    with pytest.raises(typer.Exit) as end:
        guarded(interrupted)()
    assert end.value.exit_code == 130


def test_a_missing_extra_exits_with_2_and_names_the_pip_command(capsys):
    def needs_torch():
        raise ModuleNotFoundError("No module named 'torch'", name="torch.nn")

    with pytest.raises(typer.Exit) as end:
        guarded(needs_torch)()
    assert end.value.exit_code == 2
    assert "pip install 'ludus-arena[train]'" in capsys.readouterr().err


def test_a_missing_module_of_our_own_keeps_its_traceback():
    def broken():
        raise ModuleNotFoundError("No module named 'arena.gone'", name="arena.gone")

    with pytest.raises(ModuleNotFoundError):
        guarded(broken)()
