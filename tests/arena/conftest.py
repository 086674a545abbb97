"""Makes the sample games of this folder importable (test files are imported one by one, without packages)."""

import sys
from pathlib import Path

from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))

# Wall time on a loaded machine says nothing about the code.
settings.register_profile("arena", deadline=None)
settings.load_profile("arena")
