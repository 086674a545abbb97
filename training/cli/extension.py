"""Items of a user's own: Python files that are loaded because somebody named them, and only then.

Each loaded file is announced with the hash of its content, so that nobody runs code unseen.
"""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType

import typer

from arena.errors import InputError


def load_all(paths: Iterable[Path]) -> list[Path]:
    """Loads Python files, and those directly in folders (tests left out), in sorted order; returns what was loaded.

    Raises:
        InputError: a path does not exist, or a file raises while it is imported.
    """
    files = [file for path in paths for file in _files(path)]
    for file in files:
        if _module_name(file) not in sys.modules:
            digest = hashlib.sha256(file.read_bytes()).hexdigest()[:12]
            typer.echo(f"loading {file} (sha256 {digest})", err=True)
        load(file)
    return files


def load(file: Path) -> ModuleType:
    """Imports one file under a name of its own, once, and returns its module.

    Raises:
        InputError: the file raises while it is imported.
    """
    name = _module_name(file)
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise InputError(f"{file}: expected a Python file, got {file.name!r}; name a file that ends in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise InputError(
            f"{file}: expected a file that can be imported, got {type(error).__name__}: {error}; correct the file"
        ) from error
    return module


def _module_name(file: Path) -> str:
    return f"ludus_extension_{hashlib.sha256(str(file.resolve()).encode()).hexdigest()[:8]}_{file.stem}"


def _files(path: Path) -> Iterator[Path]:
    if path.is_dir():
        yield from sorted(file for file in path.glob("*.py") if not file.name.startswith(("test_", "conftest")))
    elif path.is_file():
        yield path
    else:
        raise InputError(f"extend: expected a Python file or a folder, got {path}, which does not exist; correct it")
