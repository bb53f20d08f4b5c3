"""What is drawn while work goes on follows the terminal when that is given another size."""

from __future__ import annotations

import asyncio
import io
from contextlib import closing
from dataclasses import dataclass, field

import pytest

from petri_cli.render.look import Line, Look, fitted
from petri_cli.render.session_live import LiveSession
from petri_cli.session.state import State
from tests.virtual_time import VirtualLoop, run_virtually


@dataclass
class Terminal:
    """Rows of a screen that reflows what was written when it is made narrower, as most do; a cursor below them."""

    width: int
    rows: list[str] = field(default_factory=list)

    def look(self) -> Look:
        return Look(self.width, prose=self.width)

    def resize(self, width: int) -> None:
        self.rows = [row[k : k + width] for row in self.rows for k in range(0, max(1, len(row)), width)]
        self.width = width

    def write(self, text: str) -> None:
        if text.startswith("\x1b["):
            up, _, _ = text.removeprefix("\x1b[").partition("F")
            self.rows = self.rows[: -int(up)]
        else:
            assert text.endswith("\n")
            self.rows += text.splitlines()


def drawn(state: State, look: Look) -> list[Line]:
    return [[("", "=" * (look.width - 1))], [("", f"{look.width} columns")]]


@pytest.mark.parametrize(("before", "after"), [(80, 120), (120, 80), (100, 45)])
def test_a_session_at_work_is_drawn_anew_at_once_when_the_terminal_has_another_width(before: int, after: int) -> None:
    terminal = Terminal(before)
    live = LiveSession(drawn, terminal.look, terminal.write, lambda: None)

    async def watch() -> None:
        drawing = asyncio.create_task(live.keep_drawing())
        live.line([("", "a line that stays")])
        live.committed([], State())
        await shown(before)
        terminal.resize(after)
        await shown(after)
        drawing.cancel()
        await drawing

    async def shown(width: int) -> None:
        while terminal.rows != ["a line that stays", "=" * (width - 1), f"{width} columns"]:
            await asyncio.sleep(0.01)

    with closing(VirtualLoop()) as loop:
        run_virtually(asyncio.wait_for(watch(), 20), loop)
    assert terminal.rows == ["a line that stays"]


def test_a_look_has_the_width_that_its_terminal_has_by_now() -> None:
    terminal = Look(80, prose=80)
    assert fitted(terminal, io.StringIO(), {"COLUMNS": "100"}) == Look(100, prose=100)
    assert fitted(terminal, io.StringIO(), {"COLUMNS": "20"}) == Look(40, prose=40)
    assert fitted(terminal, io.StringIO(), {"COLUMNS": "80"}) is terminal


def test_what_is_no_terminal_stays_as_wide_as_it_is() -> None:
    pipe = Look()
    assert fitted(pipe, io.StringIO(), {"COLUMNS": "100"}) is pipe
