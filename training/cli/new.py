"""``ludus new``: writes a working item of one's own, with its test and the YAML of a campaign that uses it.

The templates are whole small items (a game, a domain, a role, a curriculum, an estimator), not skeletons: their test
passes before anything is changed. Nothing that exists is overwritten.
"""

from __future__ import annotations

import importlib.resources
import re
from pathlib import Path
from string import Template
from typing import Annotated

import typer

from arena.errors import ConfigError, InputError, unknown_name
from training.cli.printing import show

KINDS = ("game", "domain", "role", "curriculum", "estimator")
_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


def command(
    kind: Annotated[str, typer.Argument(help=f"One of: {', '.join(KINDS)}.", show_default=False)],
    name: Annotated[str, typer.Argument(help="snake_case, without a version.", show_default=False)],
    folder: Annotated[Path, typer.Option(help="Where to write.")] = Path("ludus_ext"),
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Write a working item of your own, its test and its YAML."""
    if kind not in KINDS:
        raise unknown_name("ludus new", kind, KINDS)
    require_free(kind, name)
    files = contents(kind, name, folder)
    write(files)
    item, test, yaml = files
    steps = [
        f"wrote {item}, {test}, {yaml}",
        "",
        f"  python -m pytest {test}",
        f"  ludus check {registered_name(kind, name)} --extend {item}",
        f"  ludus train --config-dir {folder} campaign={name}",
    ]
    show({"files": [str(path) for path in files]}, as_json, ["\n".join(steps)])


def registered_name(kind: str, name: str) -> str:
    """Returns the name under which the item registers itself; games carry a version."""
    return f"{name}-v0" if kind == "game" else name


def require_free(kind: str, name: str) -> None:
    """Refuses a name that cannot be an identifier, or that is registered already.

    Raises:
        InputError: the name is not snake_case, or taken.
    """
    from training.cli.checking import registries

    if not _NAME.fullmatch(name):
        raise InputError(f"ludus new {kind}: expected a snake_case name, got {name!r}; for example copper_coin")
    taken = [other for other in registries().items() if registered_name(kind, name) in other[1]]
    if taken:
        raise ConfigError(
            f"ludus new {kind}: expected a new name, got {name!r}, which is a {taken[0][0]}; choose another"
        )


def contents(kind: str, name: str, folder: Path) -> dict[Path, str]:
    """Returns path -> text of the three files: the item, its test, its campaign."""
    words = {"name": name, "Class": "".join(part.capitalize() for part in name.split("_")), "folder": str(folder)}
    return {
        folder / f"{name}.py": _template(f"{kind}.py.tmpl", words),
        folder / f"test_{name}.py": _template(f"test_{kind}.py.tmpl", words),
        folder / "campaign" / f"{name}.yaml": _template(f"{kind}.yaml.tmpl", words),
    }


def write(files: dict[Path, str]) -> None:
    """Writes files, all or none.

    Raises:
        InputError: one of them exists, or their folder cannot be made.
    """
    present = [str(path) for path in files if path.exists()]
    if present:
        raise InputError(f"ludus new: expected no such file, got {', '.join(present)}; choose another name or move it")
    try:
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"ludus new: expected a folder to write into, got {error}; choose another --folder") from error


def _template(file: str, words: dict[str, str]) -> str:
    text = importlib.resources.files("training.cli").joinpath("templates", file).read_text(encoding="utf-8")
    return Template(text).substitute(words)
