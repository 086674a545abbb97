"""What every test shares: one thread, no network, and markers for tests that need a system package.

On a bare machine a marked test is skipped and the closing summary names the package to install. Under
``LUDUS_REQUIRE_ALL=1`` (continuous integration) a missing package is a failure, so that nothing is left out unseen.
"""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Iterator

import pytest

# Set before any test imports torch or a tokenizer: one thread, and no attempt to reach a model hub.
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TRANSFORMERS_OFFLINE"] = "1"
# Rich asks the terminal for its width; the tests read what it prints.
os.environ["COLUMNS"] = "160"
os.environ.pop("FORCE_COLOR", None)

SYSTEM_PACKAGES = {
    "browser": {"chromium": "chromium", "chromedriver": "chromium-driver"},
    "bwrap": {"bwrap": "bubblewrap"},
    "metamath": {"metamath": "metamath"},
}
"""Marker -> {program: the Debian package that brings it}."""

LOCAL = ("127.", "::1", "localhost")


def missing_packages(marker: str) -> list[str]:
    """Returns the Debian packages that a marked test needs and this machine lacks."""
    return [package for program, package in SYSTEM_PACKAGES[marker].items() if shutil.which(program) is None]


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skips, or fails under ``LUDUS_REQUIRE_ALL=1``, a test whose system package is missing."""
    for marker in SYSTEM_PACKAGES:
        missing = missing_packages(marker) if item.get_closest_marker(marker) else []
        if not missing:
            continue
        reason = f"needs the system package {' and '.join(missing)}"
        if os.environ.get("LUDUS_REQUIRE_ALL") == "1":
            pytest.fail(f"{reason}, and LUDUS_REQUIRE_ALL=1 allows none to be missing", pytrace=False)
        pytest.skip(reason)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Names the system packages whose tests were left out."""
    skipped = {str(report.longrepr) for report in terminalreporter.stats.get("skipped", [])}
    for marker in SYSTEM_PACKAGES:
        missing = missing_packages(marker)
        if missing and any(f"needs the system package {' and '.join(missing)}" in text for text in skipped):
            terminalreporter.write_line(
                f"left out: tests marked {marker}; on Debian or Ubuntu: apt-get install {' '.join(missing)}"
            )


@pytest.fixture(autouse=True, scope="session")
def no_network() -> Iterator[None]:
    """Refuses every connection that leaves this machine."""
    connect = socket.socket.connect

    def local_connect(self: socket.socket, address: object) -> None:
        host = address[0] if isinstance(address, tuple) else ""
        if host and not str(host).startswith(LOCAL):
            raise OSError(f"tests: expected no network, got a connection to {address!r}; use local files")
        connect(self, address)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", local_connect)
        yield
