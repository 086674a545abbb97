"""``python -m training.cli`` is ``ludus``."""

from training.cli.app import main

main()
