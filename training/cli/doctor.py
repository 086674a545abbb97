"""``ludus doctor``: what this machine and this installation offer, and how to get what they do not."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from training.cli.extras import EXTRAS, missing, pip_command
from training.cli.installation import HOME, version
from training.cli.printing import show, table

if TYPE_CHECKING:
    from rich.table import Table

DISTRIBUTIONS = (
    "numpy",
    "gymnasium",
    "pettingzoo",
    "networkx",
    "pyarrow",
    "typer",
    "rich",
    "torch",
    "transformers",
    "tokenizers",
    "safetensors",
    "hydra-core",
    "omegaconf",
    "ray",
    "vllm",
)
"""Whose versions are shown."""

GIB = 1 << 30


def command(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Say what this machine and this installation offer."""
    document = survey()
    show(document, as_json, pages(document))


def survey() -> dict[str, Any]:
    """Returns everything that ``ludus doctor`` reports, as JSON values; sizes in bytes."""
    return {
        "ludus": {"version": version(), "home": str(HOME)},
        "python": {"version": platform.python_version(), "executable": sys.executable},
        "platform": platform.platform(),
        "versions": {name: _version(name) for name in DISTRIBUTIONS},
        "accelerators": accelerators(),
        "extras": {name: {"missing": missing(name), "command": pip_command(name)} for name in EXTRAS},
        "cpu": {
            "cores": os.cpu_count(),
            "usable": _usable_cores(),
            "omp_num_threads": os.environ.get("OMP_NUM_THREADS"),
        },
        "memory": memory(),
        "disk": _disk(Path.cwd()),
        "cache": cache(),
        "sandbox": sandbox(),
    }


def accelerators() -> dict[str, Any]:
    """Returns what torch can compute on besides the processor; ``torch`` is None where it is not installed."""
    if importlib.util.find_spec("torch") is None:
        return {"torch": None, "devices": []}
    import torch

    devices = [torch.cuda.get_device_name(index) for index in range(torch.cuda.device_count())]
    if torch.backends.mps.is_available():
        devices.append("Apple MPS")
    return {"torch": torch.__version__, "cuda": torch.version.cuda, "devices": devices}


def memory() -> dict[str, int | None]:
    """Returns the machine's memory in bytes, total and available, where the system tells it."""
    names = {"total": "SC_PHYS_PAGES", "available": "SC_AVPHYS_PAGES"}
    known = os.sysconf_names
    return {
        key: os.sysconf(name) * os.sysconf("SC_PAGE_SIZE") if name in known else None for key, name in names.items()
    }


def cache() -> dict[str, Any]:
    """Returns where warm-started models are kept and how much lies there."""
    folder = Path(os.environ.get("LUDUS_CACHE") or Path.home() / ".cache" / "ludus")
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) if folder.is_dir() else 0
    return {"folder": str(folder), "exists": folder.is_dir(), "bytes": size}


def sandbox() -> dict[str, Any]:
    """Returns how well model-written programs can be confined here; the sandbox is really started to know."""
    from arena.errors import CapabilityError
    from arena.executors.cpython import CPythonExecutor

    bwrap = shutil.which("bwrap")
    monty = not missing("code")
    refused = ""
    try:
        CPythonExecutor().close()
    except CapabilityError as error:
        refused = str(error)
    if not refused:
        level = "process"
        meaning = "full CPython runs in a confined process (bubblewrap, seccomp, limits)"
    elif monty:
        level = "interpreter"
        meaning = f"Monty is there: a restricted interpreter; full CPython is not: {refused}"
    else:
        level = "none"
        meaning = f"no program written by a model can run; {pip_command('code')}; full CPython: {refused}"
    return {"level": level, "bwrap": bwrap, "monty": monty, "refused": refused, "meaning": meaning}


def pages(document: dict[str, Any]) -> list[Table | str]:
    """Returns the survey as people read it."""
    machine = document["accelerators"]
    devices = ", ".join(machine["devices"]) or "none" + ("" if machine["torch"] else " (torch is not installed)")
    cpu, ram, disk, kept = document["cpu"], document["memory"], document["disk"], document["cache"]
    lines = [
        ("ludus", f"{document['ludus']['version']} in {document['ludus']['home']}"),
        ("python", f"{document['python']['version']} ({document['python']['executable']})"),
        ("platform", document["platform"]),
        ("accelerators", devices),
        (
            "processor",
            f"{cpu['usable']} of {cpu['cores']} cores usable, OMP_NUM_THREADS={cpu['omp_num_threads'] or '-'}",
        ),
        ("memory", f"{_gib(ram['available'])} of {_gib(ram['total'])} free"),
        ("disk", f"{_gib(disk['free'])} of {_gib(disk['total'])} free here"),
        ("cache", f"{kept['folder']} ({kept['bytes'] / 1e6:.1f} MB)"),
        ("sandbox", f"{document['sandbox']['level']}: {document['sandbox']['meaning']}"),
    ]
    versions = [(name, found or "-") for name, found in document["versions"].items()]
    extras = [
        (name, "present" if not found["missing"] else f"no {', '.join(found['missing'])}", _remedy(found))
        for name, found in document["extras"].items()
    ]
    return [
        table(("what", "here"), lines),
        table(("package", "version"), versions),
        table(("extra", "state", "to get it"), extras),
    ]


def _remedy(found: dict[str, Any]) -> str:
    return str(found["command"]) if found["missing"] else ""


def _version(distribution: str) -> str | None:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


def _usable_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _disk(folder: Path) -> dict[str, int]:
    usage = shutil.disk_usage(folder)
    return {"total": usage.total, "free": usage.free}


def _gib(size: int | None) -> str:
    return "?" if size is None else f"{size / GIB:.1f} GiB"
