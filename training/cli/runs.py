"""``ludus runs``: every run directory with its state, size and headline numbers; ``--prune`` removes what is spent.

A run is read from its files alone. It is *running* while a process holds its lock, *finished* once its summary says
that it is complete, and *interrupted* otherwise. Pruned are segments that a resume left behind (``abandoned/``), and
interrupted runs in which no round was ever committed.
"""

from __future__ import annotations

import fcntl
import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from arena.errors import InputError
from training.cli.printing import show, table

LOCK = "rounds/.writer.lock"
"""The file that the process which runs a campaign holds locked; the system frees it when that process ends."""

HEADLINES = ("nash_conv", "not_lost_rate_vs_", "return_vs_", "illegal_rate")
"""How the names of the headline metrics begin, the game's name left out, in order of interest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run directory.

    Attributes:
        path: where it is.
        campaign: the campaign's name.
        state: ``running``, ``finished`` or ``interrupted``.
        rounds: committed rounds.
        bytes: the size of everything in it.
        headlines: the last and the best value of the metrics that people compare.
        probes: held-out questions before and after, as the summary has them.
        note: what cannot be read in it.
    """

    path: str
    campaign: str
    state: str
    rounds: int
    bytes: int
    headlines: dict[str, dict[str, float]]
    probes: list[dict[str, Any]]
    note: str = ""


def command(
    root: Annotated[Path, typer.Option(help="Where runs are made.")] = Path("runs"),
    prune: Annotated[
        bool, typer.Option("--prune", help="Remove abandoned segments and empty interrupted runs.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before removing.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """List runs with state, size and headline numbers."""
    if not root.is_dir():
        if root != Path("runs"):
            raise InputError(f"--root: expected a folder of runs, got {root}, which does not exist; correct it")
        show([], as_json, ["no runs here yet; ludus train campaign=kuhn_selfplay makes one"])
        return
    if prune:
        remove(spent(root), yes, quiet=as_json)
    found = list(runs(root))
    show([asdict(run) for run in found], as_json, [_table(found)] if found else [f"no runs in {root}"])


def runs(root: Path) -> Iterator[Run]:
    """Yields the runs under ``root``, by campaign and time."""
    for folder in sorted(path for path in root.glob("*/*") if path.is_dir()):
        if (folder / "config.yaml").exists() or (folder / "rounds").is_dir():
            yield read(folder)


def read(folder: Path) -> Run:
    """Returns what the files of a run directory say."""
    summary, note = _summary(folder / "summary.json")
    return Run(
        path=str(folder),
        campaign=folder.parent.name,
        state=state(folder, bool(summary.get("complete"))),
        rounds=committed_rounds(folder),
        bytes=_size(folder),
        headlines=headlines(summary.get("metrics", {})),
        probes=summary.get("probes", []),
        note=note,
    )


def state(folder: Path, complete: bool) -> str:
    """Returns ``running``, ``finished`` or ``interrupted``."""
    if _locked(folder / LOCK):
        return "running"
    return "finished" if complete else "interrupted"


def committed_rounds(folder: Path) -> int:
    """Returns how many segments were committed; the open one does not count."""
    return sum(1 for path in (folder / "rounds").glob("*") if path.is_dir() and path.name.isdigit())


def headlines(metrics: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
    """Returns the last and the best value of the headline metrics that a summary holds."""
    return {
        name: {key: float(metrics[name][key]) for key in ("last", "best") if metrics[name].get(key) is not None}
        for beginning in HEADLINES
        for name in sorted(metrics)
        if name.rpartition("/")[2].startswith(beginning)
    }


def spent(root: Path) -> list[Path]:
    """Returns the folders that ``--prune`` removes; nothing of a running run."""
    folders: list[Path] = []
    for run in runs(root):
        folder = Path(run.path)
        if run.state == "running":
            continue
        if run.state == "interrupted" and run.rounds == 0:
            folders.append(folder)
        elif (folder / "abandoned").is_dir():
            folders.append(folder / "abandoned")
    return folders


def remove(folders: list[Path], yes: bool, quiet: bool) -> None:
    """Removes folders, after asking unless ``yes``.

    Raises:
        InputError: nobody can be asked, because the output is for a program.
    """
    if not folders:
        typer.echo("nothing to prune", err=True)
        return
    for folder in folders:
        typer.echo(f"{folder}  {_size(folder) / 1e6:.1f} MB", err=True)
    if quiet and not yes:
        raise InputError("--prune: expected --yes together with --json, got no way to ask; add --yes")
    if yes or typer.confirm(f"remove these {len(folders)}?", err=True):
        for folder in folders:
            shutil.rmtree(folder)
    else:
        typer.echo("nothing was removed", err=True)


def _table(found: list[Run]) -> Any:  # noqa: ANN401  (a rich table, imported late)
    rows = [(run.path, run.state, run.rounds, f"{run.bytes / 1e6:.1f}", run.note or headline(run)) for run in found]
    return table(("run", "state", "rounds", "MB", "last (best)"), rows, right=("rounds", "MB"))


def headline(run: Run) -> str:
    """Returns what a run has come to in one line: of each game its first headline, and its illegal answers if any."""
    shown: dict[str, str] = {}
    for name, value in run.headlines.items():
        game, _, metric = name.rpartition("/")
        if "last" in value and game not in shown and (game or value["last"]):
            best = "" if "best" not in value or value["best"] == value["last"] else f" ({value['best']:.3f})"
            shown[game] = f"{name if game else metric} {value['last']:.3f}{best}"
    asked = [f"{one['policy']} on {one['probe']} {_course(one)}" for one in run.probes]
    return ", ".join([*shown.values(), *asked])


def _course(probe: Mapping[str, Any]) -> str:
    return f"{probe['before'][1]:.1%} to {probe['after'][1]:.1%}"


def _summary(path: Path) -> tuple[dict[str, Any], str]:
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}, ""
    except (OSError, ValueError) as error:
        return {}, f"summary.json cannot be read: {error}"
    return (read, "") if isinstance(read, dict) else ({}, "summary.json holds no mapping")


def _locked(lock: Path) -> bool:
    try:
        with lock.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


def _size(folder: Path) -> int:
    total = 0
    for file in folder.rglob("*"):
        try:
            total += file.lstat().st_size if file.is_file() else 0
        except OSError:  # a running run renames its files
            continue
    return total
