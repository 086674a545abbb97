"""Makes the samples of this folder importable (test files are imported one by one, without packages)."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
