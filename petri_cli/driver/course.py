"""A committed plan, made ready to be worked on: its execution net, compiled, and the work on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from petri_cli.driver.pieces import Piece, pieces
from petri_cli.engine.compiled import EngineNet, compile_engine_net
from petri_cli.plan.load import load_plan_text
from petri_cli.plan.lower import Lowered, lower_execution
from petri_cli.plan.model import Plan


@dataclass(frozen=True, slots=True)
class Course:
    """pieces: held transition → its work; waiting: place → the work whose tokens wait there."""

    plan: Plan
    lowered: Lowered
    compiled: EngineNet
    pieces: Mapping[str, Piece]
    waiting: Mapping[str, Piece]

    @classmethod
    def of(cls, text: str, file: str, kind: str) -> Course:
        """The plan in a document of the format ``kind`` that was committed as ``file``.

        Raises InputError when this program does not understand it (any more).
        """
        return _course(text, file, kind)


@lru_cache(maxsize=4)
def _course(text: str, file: str, kind: str) -> Course:
    named = file.lower().endswith((".json", ".yaml", ".yml"))  # the ending says how it is read
    plan, _ = load_plan_text(text.encode(), file if named else f"plan.{kind}")
    lowered = lower_execution(plan)
    work = {p.transition: p for p in pieces(plan, lowered)}
    return Course(plan, lowered, compile_engine_net(lowered.net), work, {p.entry: p for p in work.values()})
