"""petri: long plans, safe to run.

Public names are imported when they are first used, so that ``import petri_cli`` costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from petri_cli.version import __version__

if TYPE_CHECKING:
    from petri_cli.api import (
        Analysis,
        analyze,
        analyze_data,
        export,
        export_plan,
        find_fixes,
        load,
        load_net,
        load_plan,
    )
    from petri_cli.driver.simulate import Simulation, simulate
    from petri_cli.errors import InputError, PetriError, Position, Problem
    from petri_cli.net.model import Net
    from petri_cli.plan.model import Plan
    from petri_cli.soundness.result import Budget, Counterexample, Result, Verdict

_HOME = {
    **dict.fromkeys(
        ("Analysis", "analyze", "analyze_data", "export", "export_plan", "find_fixes", "load", "load_net", "load_plan"),
        "petri_cli.api",
    ),
    **dict.fromkeys(("Simulation", "simulate"), "petri_cli.driver.simulate"),
    **dict.fromkeys(("InputError", "PetriError", "Position", "Problem"), "petri_cli.errors"),
    "Net": "petri_cli.net.model",
    "Plan": "petri_cli.plan.model",
    **dict.fromkeys(("Budget", "Counterexample", "Result", "Verdict"), "petri_cli.soundness.result"),
}

__all__ = [
    "Analysis",
    "Budget",
    "Counterexample",
    "InputError",
    "Net",
    "PetriError",
    "Plan",
    "Position",
    "Problem",
    "Result",
    "Simulation",
    "Verdict",
    "__version__",
    "analyze",
    "analyze_data",
    "export",
    "export_plan",
    "find_fixes",
    "load",
    "load_net",
    "load_plan",
    "simulate",
]


def __getattr__(name: str) -> object:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
