"""What ``petri run`` does with a plan and with a net, and where the events of a run go."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack, nullcontext, redirect_stdout
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING

from petri_cli.cli.exit import Exit
from petri_cli.cli.inputs import Source, one_source, read_source
from petri_cli.cli.overwriting import refuse_inputs, refuse_overwriting
from petri_cli.cli.streams import Output, page_on, say
from petri_cli.driver.report import Failure, RunReport, report_on_net, report_on_plan
from petri_cli.engine.events import Event, TransitionFailed
from petri_cli.engine.json_lines import event_line
from petri_cli.engine.stores import MemoryStore
from petri_cli.engine.virtual_executor import Duration
from petri_cli.errors import PetriError, Position, Problem
from petri_cli.net.model import Net
from petri_cli.plan.model import Plan
from petri_cli.render.look import ColourMode
from petri_cli.render.page import one_line
from petri_cli.render.run_lines import Narrator
from petri_cli.render.run_report import GOOD, draw_end, run_json, word_of

if TYPE_CHECKING:
    from petri_cli.render.run_live import LiveRun

Sink = Callable[[Event], object]


class Running:
    """One call of ``petri run``: its streams, open while the block runs.

    form: ``text``, ``json`` or ``jsonl``; events: the file that gets the events; verbosity: −1, 0 or 1; later: work is
    done, which goes on where what is said of it cannot be written.
    """

    def __init__(
        self,
        source: Source,
        form: str,
        events: str | None,
        colour: ColourMode,
        verbosity: int,
        max_concurrency: int | None,
        *,
        later: bool = False,
    ) -> None:
        self.source = source
        self.form = form
        self.verbosity = verbosity
        self.max_concurrency = max_concurrency
        self.prompt = False
        """Let each line be seen at once."""
        self._files = ExitStack()
        self.out = self._files.enter_context(Output(later=later))
        self.page = page_on(self.out, colour, verbosity=verbosity)
        refuse_inputs(events, [source.path])
        refuse_overwriting(events, "log", force=False)
        self.events = self._files.enter_context(Output(events, spare=[source.path])) if events is not None else None
        self.terminal = bool(self.out.stream is not None and self.out.stream.isatty() and form == "text")

    def warn(self, problems: Iterable[Problem]) -> None:
        if self.verbosity >= 0:
            for p in problems:
                self.page.complain(one_line(p))

    def sinks(self, narrator: Narrator, *, lines: bool) -> list[Sink]:
        """Whoever wants the events: the file, standard output as JSON, or (``lines``) standard output as text."""
        found: list[Sink] = []
        if self.events is not None:
            write = self.events.write
            found.append(lambda e: write(event_line(e) + "\n"))
        if self.form == "jsonl":
            found.append(lambda e: self.out.write(event_line(e) + "\n"))
        if self.form == "text" and lines and self.verbosity >= 0:
            found.append(lambda e: self._tell(narrator, e))
        return found

    def _tell(self, narrator: Narrator, event: Event) -> None:
        line = narrator.tell(event)
        if line is not None:
            self.page.line(line)
            if self.prompt:
                self.out.flush()

    def end(self, report: RunReport, *, blank: bool) -> Exit:
        """Tell how it ended; the exit code says the same."""
        if self.form == "json":
            self.out.write(run_json(report))
        elif self.form == "text":
            self.page.lines([[], *draw_end(report, self.page.look)] if blank else draw_end(report, self.page.look))
        if report.outcome == "closed" and report.simulated:
            return Exit.UNKNOWN
        return Exit.OK if report.outcome in GOOD else Exit.UNSOUND

    def __enter__(self) -> Running:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        self._files.close()


@dataclass(frozen=True, slots=True)
class Game:
    """What a simulation is told: the seed of its chances, widths, the file of the durations, when to stop."""

    seed: int
    widths: Mapping[str, int]
    durations: str | None
    max_firings: int


def simulate_plan(plan: Plan, running: Running, game: Game) -> Exit:
    """Judge ``plan``, warn if need be, and play it in simulated time."""
    from petri_cli.driver.simulate import simulate as play
    from petri_cli.render.run_gantt import draw_gantt

    _warn_of_verdict(plan, running)
    run = play(
        plan,
        seed=game.seed,
        widths=game.widths,
        durations=_durations(game.durations, [t.id for t in plan.tasks()]),
        max_concurrency=running.max_concurrency,
        max_firings=game.max_firings,
    )
    narrator = Narrator(run.lowered.net, plan=plan, lowered=run.lowered)
    drawn = running.terminal and running.verbosity <= 0
    _replay(run.events, running.sinks(narrator, lines=not drawn))
    if drawn and running.verbosity >= 0:
        running.page.lines(draw_gantt(run.tasks, run.seconds, running.page.look))
    return running.end(report_on_plan(running.source.name, run, game.seed), blank=running.verbosity >= 0)


def _warn_of_verdict(plan: Plan, running: Running) -> None:
    from petri_cli.api import analyze
    from petri_cli.soundness.result import Verdict

    result = analyze(plan)
    if result.verdict is not Verdict.SOUND:
        hint = f"petri analyze {running.source.name} shows it"
        message = result.message.removeprefix(f"{result.code}: ")
        running.warn([Problem(result.code, message, Position(running.source.name), hint, "warning")])


def play_net(net: Net, running: Running, game: Game) -> Exit:
    """Play a net in simulated time: no action of it is called."""
    from petri_cli.driver.nets import simulate_net

    if game.widths:
        raise PetriError("PETRI_UNKNOWN_FOREACH", "a net has no foreach", where=Position(running.source.name))
    store = MemoryStore()
    result = simulate_net(
        net,
        seed=game.seed,
        max_firings=game.max_firings,
        durations=_durations(game.durations, [t.id for t in net.transitions]),
        store=store,
        max_concurrency=running.max_concurrency,
    )
    _replay(store.events, running.sinks(Narrator(net), lines=True))
    failures = [Failure.of(e) for e in store.events if isinstance(e, TransitionFailed)]
    return running.end(
        report_on_net(running.source.name, net, result, failures, seed=game.seed), blank=running.verbosity >= 0
    )


def _replay(events: Iterable[Event], sinks: Iterable[Sink]) -> None:
    sinks = list(sinks)
    for event in events:
        for sink in sinks:
            sink(event)


class _Store:
    """Hands each event on; the run makes events only where somebody wants them."""

    def __init__(self, sinks: list[Sink]) -> None:
        self.failures: list[Failure] = []
        self._sinks = sinks
        self.keeps = True

    def append(self, event: Event, /) -> None:
        if isinstance(event, TransitionFailed):
            self.failures.append(Failure.of(event))
        for sink in self._sinks:
            sink(event)

    def flush(self) -> None:
        pass


def run_net(net: Net, running: Running) -> Exit:
    """Run a net in real time, with the actions that it names."""
    from petri_cli.driver.nets import Run

    running.prompt = True
    sys.path.insert(0, os.getcwd())  # noqa: PTH109 - where `module:function` is looked for, as `python -m` does
    slow = frozenset(t.id for t in net.transitions if t.action and next(iter(t.action)) in ("shell", "python"))
    live = _live(net, running)
    with live or nullcontext():
        sinks = running.sinks(Narrator(net, slow=slow), lines=live is None)
        store = _Store([*sinks, live.append] if live is not None else sinks)
        try:
            run = Run(net, store=store, say=say, max_concurrency=running.max_concurrency)
        except PetriError as e:  # a net knows no lines, but it comes from a file
            raise PetriError(e.code, e.message, where=Position(running.source.name), hint=e.hint) from None
        with redirect_stdout(sys.stderr):  # what an action prints is no part of the answer
            result = run.run()
    if result.store_error is not None:
        raise result.store_error
    report = report_on_net(running.source.name, net, result, store.failures)
    running.out.done = f"the run went on without it, and is {word_of(report)}"
    code = running.end(report, blank=running.verbosity >= 0)
    return running.out.ended(code if run.signal is None else Exit(128 + run.signal))


def _live(net: Net, running: Running) -> LiveRun | None:
    """The live display, on a terminal that can show one."""
    if not running.terminal or running.verbosity or os.environ.get("TERM") == "dumb":
        return None
    from rich.console import Console

    from petri_cli.render.run_live import LiveRun

    return LiveRun(net, Console(no_color=not running.page.look.colour))


def _durations(path: str | None, known: list[str]) -> dict[str, Duration]:
    if path is None:
        return {}
    from petri_cli.driver.durations import read_durations

    source = one_source(path)
    return read_durations(read_source(source), source.name, known)
