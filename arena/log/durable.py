"""What a log asks of the file system: whole writes, data that survives a power cut, one rename, one lock."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path


def create(path: Path) -> int:
    """Returns the descriptor of a new file, open for appending; it must not exist."""
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC, 0o644)


def write_all(descriptor: int, data: bytes) -> None:
    """Writes all of ``data``, unbuffered: readers see it at once, and a failure shows here."""
    while data:
        data = data[os.write(descriptor, data) :]


def sync(path: Path) -> None:
    """Makes the content of a file, or the names in a folder, survive a power cut."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def rename_folder(source: Path, target: Path) -> None:
    """Renames a folder durably: what it lists first, then its name in both parents."""
    sync(source)
    source.rename(target)
    for parent in dict.fromkeys((target.parent, source.parent)):
        sync(parent)


def lock(path: Path) -> int:
    """Returns a descriptor that holds the exclusive lock on ``path`` until it is closed or the process ends.

    Raises:
        BlockingIOError: another descriptor holds it.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor
