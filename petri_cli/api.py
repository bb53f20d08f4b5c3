"""The public functions: load, analyze, export. The command line is a thin client of them.

Whatever a function does not need it does not import: reading a plan loads no XML parser, and a sound plan no search.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeGuard, cast

from petri_cli.errors import InputError, PetriError, Position, Problem
from petri_cli.soundness.result import Budget, Result, Verdict

if TYPE_CHECKING:
    from petri_cli.net.model import Net, Property
    from petri_cli.plan.model import Plan
    from petri_cli.soundness.fixes import Fix, Fixes, FixKind

Path = str | os.PathLike[str]
ExportFormat = Literal["json", "yaml", "pnml", "dot", "mermaid", "svg"]
PlanFormat = Literal["yaml", "json"]

EXPORT_WIDTH = 2
"""Items of a foreach that an exported net shows where nothing else is said: enough to see them run side by side."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """The answer about one file: a result, or the problems that kept it from being judged."""

    file: str
    kind: str = ""
    """``plan``, ``net``, or empty when the file could not be read."""
    result: Result | None = None
    problems: tuple[Problem, ...] = ()
    source: tuple[str, ...] = ()
    """The lines of the file, where there is something to point at."""
    scope: str = ""
    """What the verdict on a plan covers beside what is written: every foreach width, every loop count."""
    subject: Plan | Net | None = field(default=None, compare=False, repr=False)
    """What was judged, so that nobody reads the document again; None where there is no result."""
    fixes: Fixes | None = field(default=None, compare=False)
    """The ways out of an unsound plan; None where nobody asked."""
    fixed: Fix | None = field(default=None, compare=False)
    """The fix with which the file was judged, where it was edited before."""

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """The warnings of the result, each told about this file."""
        found = self.result.warnings if self.result is not None else ()
        return tuple(p if p.where.file else p.in_file(self.file) for p in found)


def load(path: Path) -> Plan | Net:
    """The plan or net in a file. Raises PetriError, InputError with every problem of its content."""
    from petri_cli.document import read_bytes

    name = os.fspath(path)
    return load_data(read_bytes(name), name)[0]


def load_plan(path: Path) -> Plan:
    """The plan in a file. Raises as :func:`load`, and ``PETRI_NOT_A_PLAN`` when the file holds a net."""
    from petri_cli.plan.model import Plan

    subject = load(path)
    if not isinstance(subject, Plan):
        raise not_a_plan(os.fspath(path))
    return subject


def not_a_plan(file: str) -> PetriError:
    """What to raise where a plan is wanted, and ``file`` holds a net."""
    return PetriError("PETRI_NOT_A_PLAN", "the file holds a net, not a plan", where=Position(file))


def load_net(path: Path) -> Net:
    """The net in a file. Raises as :func:`load`, and ``PETRI_NOT_A_NET`` when the file holds a plan."""
    from petri_cli.net.model import Net

    subject = load(path)
    if not isinstance(subject, Net):
        raise PetriError("PETRI_NOT_A_NET", "the file holds a plan, not a net", where=Position(os.fspath(path)))
    return subject


def load_data(data: bytes, file: str) -> tuple[Plan | Net, tuple[Problem, ...]]:
    """The plan or net in ``data``, told about as ``file``, and what there is to warn of. Raises InputError."""
    from petri_cli.formats.detect import kind_of

    match kind_of(file, data):
        case "pnml":
            from petri_cli.formats.pnml import read_pnml

            return read_pnml(data, file)
        case "net":
            from petri_cli.document import read_document
            from petri_cli.formats.netfile import parse_net

            return parse_net(read_document(data, file), file)
        case _:
            from petri_cli.plan.load import load_plan_text

            return load_plan_text(data, file)


def analyze(
    subject: Plan | Net | Path, *, budget: Budget | None = None, properties: Sequence[Property | str] = ()
) -> Result:
    """Judge a plan, a net, or the file that holds one.

    properties: asked of a net besides soundness, as in ``--property``. Raises PetriError when there is nothing to
    judge, and ``PETRI_BAD_NET`` for a net that breaks a rule of nets; an unsound plan is an answer, not an error.
    """
    if isinstance(subject, (str, os.PathLike)):
        subject = load(subject)
    return _judge(subject, budget or Budget(), properties)


def analyze_data(
    data: bytes,
    file: str,
    *,
    budget: Budget | None = None,
    properties: Sequence[str] = (),
    fixes: Sequence[FixKind] = (),
    loaded: tuple[Plan | Net, tuple[Problem, ...]] | None = None,
) -> Analysis:
    """Judge the document in ``data``; what is wrong with it is part of the answer. Raises nothing a user can cause.

    fixes: kinds of edits that are looked for where a plan is unsound, each verified; loaded: what :func:`load_data`
    made of ``data``, where that is known already.
    """
    kind = ""
    warnings: tuple[Problem, ...] = ()
    try:
        subject, warnings = loaded or load_data(data, file)
        kind = "plan" if _is_plan(subject) else "net"
        result = _judge(subject, budget or Budget(), properties)
        warnings = (*warnings, *_foretold(subject))
    except PetriError as error:
        problems = tuple(p if p.where.file else p.in_file(file) for p in (*_problems(error), *warnings))
        return Analysis(file, kind, None, problems, _lines(data, file))
    if warnings:
        from dataclasses import replace

        result = replace(result, warnings=tuple(dict.fromkeys((*warnings, *result.warnings))))
    unsound = result.verdict is Verdict.UNSOUND
    lines = _lines(data, file) if unsound or result.warnings else ()
    found = None
    if unsound and fixes and _is_plan(subject):
        try:
            found = _ways_out(subject, result, data, file, budget, fixes)
        except KeyboardInterrupt:  # the verdict is there, and is told first
            found = _interrupted(file)
    return Analysis(file, kind, result, (), lines, _scope(subject), subject, found)


def _interrupted(file: str) -> Fixes:
    from petri_cli.soundness.fixes import Fixes

    message = "the search for fixes was interrupted"
    note = Problem("PETRI_INTERRUPTED", message, Position(file), severity="warning")
    return Fixes(notes=(note,), interrupted=True)


def _foretold(subject: Plan | Net) -> tuple[Problem, ...]:
    """What ``petri run`` would refuse a plan for, though it may be sound."""
    if not _is_plan(subject):
        return ()
    from petri_cli.driver.workability import foretold

    return foretold(subject)


def find_fixes(path: Path, *, kinds: Sequence[FixKind] = (), budget: Budget | None = None) -> Fixes:
    """Edits of a plan's file with which it is SOUND, each verified, cheapest first; none for a file that is sound, or
    a net. kinds: of which kinds (none given: all). Raises as :func:`load`."""
    from petri_cli.document import read_bytes
    from petri_cli.soundness.fixes import KINDS, Fixes

    name = os.fspath(path)
    data = read_bytes(name)
    subject, _ = load_data(data, name)
    if not _is_plan(subject):
        return Fixes()
    result = _judge(subject, budget or Budget(), ())
    if result.verdict is not Verdict.UNSOUND:
        return Fixes()
    return _ways_out(subject, result, data, name, budget, kinds or KINDS)


def _ways_out(
    plan: Plan, result: Result, data: bytes, file: str, budget: Budget | None, kinds: Sequence[FixKind]
) -> Fixes:
    from petri_cli.document.collector import collector_paused
    from petri_cli.soundness import fixes

    known = result.smallest_capacity
    with collector_paused():
        return fixes.find_fixes(plan, data, file, kinds=kinds, known=known, budget=budget, clock=time.monotonic)


def export(subject: Plan | Net, to: ExportFormat, *, widths: Mapping[str, int] | None = None) -> str:
    """``subject`` as a net in the text format ``to``; a plan is lowered with each foreach unfolded to ``widths``.

    A net is written with the marking that it is judged with, so that the run of a verdict replays on it.

    Raises PetriError: ``PETRI_UNKNOWN_FOREACH`` for a width of something that is none, ``PETRI_NET_TOO_LARGE``, and
    what the format cannot say.
    """
    net = _as_net(subject, widths or {}, labels=to in ("json", "yaml", "pnml"))
    match to:
        case "json":
            from petri_cli.document.write import indented_json
            from petri_cli.formats.netfile import net_to_data

            return indented_json(net_to_data(net)) + "\n"
        case "yaml":
            from petri_cli.formats.netfile import write_net

            return write_net(net)
        case "pnml":
            from petri_cli.formats.pnml import write_pnml

            return write_pnml(net)
        case "dot":
            from petri_cli.formats.dot import write_dot

            return write_dot(net)
        case "mermaid":
            from petri_cli.formats.mermaid import write_mermaid

            return write_mermaid(net)
        case "svg":
            from petri_cli.formats.svg import write_svg

            return write_svg(net)


def export_plan(plan: Plan, to: PlanFormat = "yaml") -> str:
    """``plan`` itself, in its normal form: loading it gives the same plan. Comments and anchors are not kept.

    Raises PetriError ``PETRI_BAD_DATA`` for a plan made by hand that no document can say.
    """
    from petri_cli.plan.printer import print_plan, print_plan_json

    try:
        return print_plan(plan) if to == "yaml" else print_plan_json(plan)
    except ValueError as error:
        raise PetriError("PETRI_BAD_DATA", str(error), where=Position(plan.file)) from None


def _is_plan(subject: Plan | Net) -> TypeGuard[Plan]:
    """Whether ``subject`` is a plan, without importing what nets are made of."""
    from petri_cli.plan.model import Plan

    return isinstance(subject, Plan)


def refuse_properties(plan: Plan, properties: Sequence[Property | str]) -> None:
    """Raises PetriError ``PETRI_PROPERTY_OF_A_PLAN`` where some are asked."""
    if properties:
        raise PetriError(
            "PETRI_PROPERTY_OF_A_PLAN",
            "a property can be asked of a net, not of a plan",
            where=Position(plan.file),
            hint="export the plan (petri export --format json) and ask it of the net",
        )


def _judge(subject: Plan | Net, budget: Budget, properties: Sequence[Property | str]) -> Result:
    if _is_plan(subject):
        refuse_properties(subject, properties)
        from petri_cli.document.collector import collector_paused
        from petri_cli.soundness.plans import judge_plan

        with collector_paused():
            return judge_plan(subject, budget, time.monotonic)
    return _judge_net(cast("Net", subject), budget, properties)


def _judge_net(net: Net, budget: Budget, properties: Sequence[Property | str]) -> Result:
    from petri_cli.formats.netfile import parse_property
    from petri_cli.net.rules import check_net
    from petri_cli.soundness.nets import judge_net

    check_net(net)
    places = net.place_ids()
    _check_markings(net, set(places))
    asked = [parse_property(p, places) if isinstance(p, str) else p for p in properties]
    return _with_priorities(judge_net(net, budget, asked, time.monotonic))


def _with_priorities(result: Result) -> Result:
    """``result`` with a warning for each counterexample whose run execution may refuse, since it obeys priorities."""
    from dataclasses import replace

    from petri_cli.net.priority import passed_over

    warnings: list[Problem] = []
    for c in result.conditions:
        cx = c.counterexample
        found = next(passed_over(cx.net, (*cx.run, *cx.pump)), None) if cx is not None else None
        if found is not None:
            message = (
                f"{c.name}: step {found.step} fires `{found.fired}` while `{found.ready}`, of higher priority, could "
                "fire; when the net runs, it may never go this way"
            )
            hint = "if this must never happen, rule it out by an input or an inhibitor, not by priority"
            warnings.append(Problem("PETRI_PRIORITY_IGNORED", message, hint=hint, severity="warning"))
    return replace(result, warnings=(*result.warnings, *warnings)) if warnings else result


def _check_markings(net: Net, places: set[str]) -> None:
    """Refuse markings that are none of this net. Readers do so with a position; a net made by hand has none."""
    for what, marking in (("initial", net.initial), ("final", net.final or {})):
        for place, tokens in marking.items():
            if place not in places:
                message = f"the {what} marking names the place `{place}`, which the net does not declare"
                raise PetriError("PETRI_BAD_NET", message)
            if tokens < 0:
                raise PetriError("PETRI_BAD_NET", f"the {what} marking puts {tokens} tokens on `{place}`")


def _problems(error: PetriError) -> tuple[Problem, ...]:
    return error.problems if isinstance(error, InputError) else (error.problem,)


def _scope(subject: Plan | Net) -> str:
    from petri_cli.plan.model import Foreach, Loop, Plan

    nodes = subject.nodes if isinstance(subject, Plan) else ()
    widths = "foreach width" if any(isinstance(n, Foreach) and n.items is None for n in nodes) else ""
    counts = "loop count" if any(isinstance(n, Loop) for n in nodes) else ""
    return f"every {' and '.join(filter(None, (widths, counts)))}" if widths or counts else ""


def _lines(data: bytes, file: str) -> tuple[str, ...]:
    """The lines of a document as its reader counts them; what cannot be decoded is shown as it can be."""
    import re

    from petri_cli.formats.detect import kind_of

    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    text = data.decode(encoding, "replace")
    if kind_of(file, data) == "pnml":
        breaks = "\r\n|\r|\n"  # XML 1.0, §2.11
    elif file.lower().endswith(".json") or text.lstrip()[:1] in ("{", "["):
        breaks = "\r?\n"  # JSON has the others inside strings
    else:
        breaks = "\r\n|[\r\n\x85\u2028\u2029]"  # YAML 1.1, §4.1.4
    return tuple(re.split(breaks, text))


def check_widths(subject: Plan | Net, widths: Mapping[str, int]) -> None:
    """Raises PetriError ``PETRI_UNKNOWN_FOREACH`` for a width of something that is no foreach of ``subject``."""
    from petri_cli.plan.model import Foreach, Plan

    known = [n.id for n in subject.nodes if isinstance(n, Foreach)] if isinstance(subject, Plan) else []
    for fid in widths:
        if fid not in known:
            from petri_cli.formats.nearest import did_you_mean

            hint = did_you_mean(fid, known) or "widths belong to the ids of foreach blocks"
            raise PetriError("PETRI_UNKNOWN_FOREACH", f"there is no foreach `{fid}`", hint=hint)


def _as_net(subject: Plan | Net, widths: Mapping[str, int], *, labels: bool) -> Net:
    """labels: of a plan, name each task's transition, for tools that know no plans."""
    from petri_cli.plan.model import Plan

    check_widths(subject, widths)
    if not isinstance(subject, Plan):
        from petri_cli.net.start import start_of

        return start_of(subject).net
    from petri_cli.plan.lower import lower_workflow

    lowered = lower_workflow(subject, widths, default_width=EXPORT_WIDTH)
    if not labels:
        return lowered.net
    from petri_cli.mining.plan_model import net_of_plan

    return net_of_plan(subject, lowered)
