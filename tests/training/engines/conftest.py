"""Makes the tiny models of the folder below importable."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "static_kv"))
