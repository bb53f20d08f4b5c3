"""Where the compiled scanners are, if they are.

``PETRI_PURE=1`` in the environment switches them off. Scanners that were built from other sources than these are not
used when the two no longer understand each other.
"""

from __future__ import annotations

import os

from petri_cli.compiled_part import load

INTERFACE = 1
"""The same number as in module.c."""
SECRET = os.urandom(16)
"""Key of the hash tables. What they hold is numbered as it comes, so nothing that anybody sees depends on it."""
MOST_CELLS = 100_000
"""Cells of a row; wider tables are left to Python."""

core = load("petri_cli.formats.native._scan", INTERFACE)
"""The compiled scanners; None where there are none. Tests set it to None to compare."""
