"""Every speed table, one after another: ``python -m benchmarks [NAME ...]``."""

from __future__ import annotations

import runpy
import sys

NAMES = ("environment_steps", "log_throughput", "engine_throughput", "executor_throughput")

if __name__ == "__main__":
    wanted = sys.argv[1:] or list(NAMES)
    unknown = [name for name in wanted if name not in NAMES]
    if unknown:
        sys.stderr.write(f"benchmarks: expected {', '.join(NAMES)}, got {', '.join(unknown)}; choose among them\n")
        sys.exit(2)
    for name in wanted:
        sys.argv = [name]
        runpy.run_module(f"benchmarks.{name}", run_name="__main__")
