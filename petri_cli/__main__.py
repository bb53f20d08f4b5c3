"""``python -m petri_cli`` is ``petri``."""

from __future__ import annotations

import sys

from petri_cli.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
