"""Fetch the tools; those that cannot be had are named, and are no error: their tests will say so."""

from __future__ import annotations

import sys

from tests.tools import fetch

for line in fetch():
    sys.stderr.write(f"tests.tools: {line}\n")
