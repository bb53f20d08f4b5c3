"""The gate beside other checkers on the same PNML files: verdicts and times.

``python -m benchmarks.gate_peers FOLDER [--seconds N] [--first N] [--pm4py PYTHON]`` asks petri, and whatever of these
it finds: pm4py's Woflan (the Python of an environment that has it), LoLA 2 (``lola``), TAPAAL's verifypn
(``verifypn``) and its-reach of ITS-Tools (``its-reach``) on the PATH. LoLA is asked for option to complete, AGEF of the
final marking, of a net written in its own language; verifypn, and its-reach in the language GAL, for a deadlock in
which the end is not marked, which is only a part of soundness. A verdict that differs is printed and the exit code is
1: one of the two is wrong, and a replay settles which.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from shutil import which

from benchmarks.table import machine, print_table
from petri_cli.errors import PetriError
from petri_cli.formats.pnml import read_pnml
from petri_cli.net.compiled import CompiledNet, compile_net
from petri_cli.net.start import start_of
from petri_cli.soundness.nets import judge_net
from petri_cli.soundness.result import Budget
from petri_cli.soundness.shape import target_of


@dataclass(frozen=True)
class Answer:
    """SOUND, UNSOUND or UNKNOWN; seconds of wall time and of CPU."""

    verdict: str
    wall: float
    cpu: float


Answers = dict[Path, Answer]


def ours(files: Iterable[Path], seconds: int) -> Answers:
    answers = {}
    for file in files:
        began, used = time.perf_counter(), time.process_time()
        result = judge_net(read_pnml(file.read_bytes(), file.name)[0], Budget(10**9, seconds), clock=time.monotonic)
        spent = time.process_time() - used
        answers[file] = Answer(result.verdict.value, time.perf_counter() - began, spent)
    return answers


def woflan(python: str, files: list[Path], seconds: int) -> Answers:
    command = [python, "benchmarks/peers/woflan.py", str(seconds), *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True)
    rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"file"')]
    return {Path(r["file"]): Answer(r["verdict"], r["wall"], r["cpu"]) for r in rows}


def lola(files: Iterable[Path], seconds: int) -> Answers:
    """Option to complete. Proper completion and dead transitions are questions of their own, not asked here."""
    answers = {}
    for file in files:
        compiled = _compiled(file)
        if not compiled.plain:
            answers[file] = Answer("UNKNOWN", 0.0, 0.0)
            continue
        goal = " AND ".join(f"{_word(i)} = {n}" for i, n in enumerate(compiled.final or ()))
        with tempfile.TemporaryDirectory() as folder:
            net, report = Path(folder) / "net.lola", Path(folder) / "report.json"
            net.write_text(_in_lola(compiled), encoding="utf-8")
            command = ["lola", f"--formula=AGEF ({goal})", f"--timelimit={seconds}", f"--json={report}", str(net)]
            wall, cpu, _ = _run(command, seconds)
            said = json.loads(report.read_text()) if report.exists() else {}
        result = said.get("analysis", {}).get("result", said.get("result"))
        answers[file] = Answer({True: "SOUND", False: "UNSOUND"}.get(result, "UNKNOWN"), wall, cpu)
    return answers


def verifypn(files: Iterable[Path], seconds: int) -> Answers:
    """Whether a deadlock is reachable in which the end is not marked; a net without one may still be unsound."""
    answers = {}
    for file in files:
        target = target_of(start_of(read_pnml(file.read_bytes(), file.name)[0]).net)
        with tempfile.TemporaryDirectory() as folder:
            query = Path(folder) / "query.xml"
            query.write_text(_query(target.sink or ""), encoding="utf-8")
            wall, cpu, out = _run(["verifypn", str(file), str(query)], seconds)
        holds = "Query is satisfied." in out  # what it can't decide it also calls satisfied, «if»
        denied = "Query is NOT satisfied." in out
        answers[file] = Answer("UNSOUND" if holds else "no deadlock" if denied else "UNKNOWN", wall, cpu)
    return answers


def its_reach(files: Iterable[Path], seconds: int) -> Answers:
    """The same question as to verifypn. By decision diagrams of all reachable markings."""
    answers = {}
    for file in files:
        target = target_of(start_of(read_pnml(file.read_bytes(), file.name)[0]).net)
        compiled = compile_net(target.net)
        stuck = _stuck(compiled, target.sink or "")
        if not compiled.plain or len(stuck) > LONGEST:
            answers[file] = Answer("UNKNOWN", 0.0, 0.0)
            continue
        with tempfile.TemporaryDirectory() as folder:
            net = Path(folder) / "net.gal"
            net.write_text(_in_gal(compiled), encoding="utf-8")
            command = ["its-reach", "-i", str(net), "-t", "GAL", "--quiet", "--nowitness", "-reachable", stuck]
            wall, cpu, out = _run(command, seconds)
        said = [line for line in out.splitlines() if line.startswith("Reachability property ")]
        holds = any(line.rstrip().endswith(" is true.") for line in said)
        answers[file] = Answer("UNSOUND" if holds else "no deadlock" if said else "UNKNOWN", wall, cpu)
    return answers


LONGEST = 100_000
"""Characters of a question that still goes on a command line."""


def _in_gal(compiled: CompiledNet) -> str:
    lines = ["gal net {", *(f"  int {_word(p)} = {n} ;" for p, n in enumerate(compiled.initial))]
    for k, a in enumerate(compiled.actions):
        guard = " && ".join(f"{_word(p)} >= {n}" for p, n in a.needs) or "true"
        steps = [f"{_word(p)} = {_word(p)} - {n} ;" for p, n in a.needs]
        steps += [f"{_word(p)} = {_word(p)} + {n} ;" for p, n in a.produced]
        lines.append(f"  transition t{k} [{guard}] {{ {' '.join(steps)} }}")
    return "\n".join([*lines, "}", "main net ;"]) + "\n"


def _stuck(compiled: CompiledNet, sink: str) -> str:
    """That nothing is enabled and the end is not marked, without a blank: those would be part of names."""
    disabled = [f"({'||'.join(f'{_word(p)}<{n}' for p, n in a.needs)})" for a in compiled.actions]
    return "&&".join([*disabled, f"{_word(compiled.index[sink])}==0"])


def _run(command: list[str], seconds: int) -> tuple[float, float, str]:
    def spent() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    began, used = time.perf_counter(), spent()
    try:
        out = subprocess.run(command, capture_output=True, text=True, timeout=seconds + 5).stdout
    except subprocess.TimeoutExpired:
        out = ""
    return time.perf_counter() - began, spent() - used, out


def _compiled(file: Path) -> CompiledNet:
    return compile_net(target_of(start_of(read_pnml(file.read_bytes(), file.name)[0]).net).net)


def _word(place: int) -> str:
    return f"p{place}"


def _in_lola(compiled: CompiledNet) -> str:
    def listed(pairs: Iterable[tuple[int, int]]) -> str:
        return ", ".join(f"{_word(p)} : {n}" for p, n in pairs)

    lines = [f"PLACE {', '.join(map(_word, range(len(compiled.places))))};"]
    lines.append(f"MARKING {listed((p, n) for p, n in enumerate(compiled.initial) if n)};")
    for k, a in enumerate(compiled.actions):
        lines.append(f"TRANSITION t{k} CONSUME {listed(a.needs)}; PRODUCE {listed(a.produced)};")
    return "\n".join(lines) + "\n"


def _query(sink: str) -> str:
    return (
        '<?xml version="1.0"?><property-set xmlns="http://mcc.lip6.fr/"><property><id>stuck</id><description/>'
        "<formula><exists-path><finally><conjunction><deadlock/><integer-le>"
        f"<tokens-count><place>{sink}</place></tokens-count><integer-constant>0</integer-constant>"
        "</integer-le></conjunction></finally></exists-path></formula></property></property-set>\n"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--first", type=int, default=10**6)
    parser.add_argument("--pm4py", metavar="PYTHON")
    asked = parser.parse_args()
    files = [f for f in sorted(asked.folder.glob("*.pnml"))[: asked.first] if _is_asked(f)]
    peers: dict[str, Callable[[], Answers]] = {"petri": lambda: ours(files, asked.seconds)}
    if asked.pm4py:
        peers["pm4py, Woflan"] = lambda: woflan(asked.pm4py, files, asked.seconds)
    if which("lola"):
        peers["LoLA 2, option to complete"] = lambda: lola(files, asked.seconds)
    if which("verifypn"):
        peers["verifypn, deadlock"] = lambda: verifypn(files, asked.seconds)
    if which("its-reach"):
        peers["its-reach, deadlock"] = lambda: its_reach(files, asked.seconds)
    print(machine())
    found = {name: ask() for name, ask in peers.items()}
    rows = []
    for name, answers in found.items():
        cpu = sorted(1000 * a.cpu for a in answers.values())
        decided = sum(a.verdict in ("SOUND", "UNSOUND", "no deadlock") for a in answers.values())
        at = [statistics.median(cpu), cpu[int(0.95 * len(cpu))], cpu[-1]] if cpu else [0.0] * 3
        rows.append((name, f"{decided} of {len(files)}", *(f"{x:,.1f}" for x in at)))
    differ = differences(found)
    print_table("The same files, CPU in ms", ("", "decided", "median", "95 %", "slowest"), rows)
    print("\n" + ("\n".join(differ) if differ else "No verdict differs."))
    return 1 if differ else 0


def differences(found: Mapping[str, Answers]) -> list[str]:
    """The verdicts that contradict those of petri: a deadlock where it says SOUND, too."""
    differ = []
    for name, answers in found.items():
        for file, answer in answers.items():
            mine = found["petri"][file].verdict
            if answer.verdict in ("SOUND", "UNSOUND") and mine != "UNKNOWN" and mine != answer.verdict:
                differ.append(f"{file.name}: petri says {mine}, {name} says {answer.verdict}")
    return differ


def _is_asked(file: Path) -> bool:
    """Whether soundness can be asked of the net at all."""
    try:
        _compiled(file)
    except PetriError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
