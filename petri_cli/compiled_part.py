"""Parts of the package that are compiled where there is a C compiler; all else works without them."""

from __future__ import annotations

import os
from importlib import import_module
from types import ModuleType


def load(name: str, interface: int) -> ModuleType | None:
    """The compiled module ``name``; None where it was not built, is of another ``interface`` (the number in its
    module.c: it was built from other sources than these), or ``PETRI_PURE=1`` in the environment switches it off."""
    if os.environ.get("PETRI_PURE", "") not in ("", "0"):
        return None
    try:
        found = import_module(name)
    except ImportError:
        return None
    return found if interface == found.INTERFACE else None
