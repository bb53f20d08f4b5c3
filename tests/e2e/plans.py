"""Small inputs for the tests of the command line."""

from __future__ import annotations

from pathlib import Path

SOUND = "flow: {seq: [{task: {id: a}}, {task: {id: b}}]}\n"

INVERSION = """\
{
  "resources": [{ "id": "A", "capacity": 1 }, { "id": "B", "capacity": 1 }],
  "flow": { "parallel": [
    { "guard": { "resource": "A", "body": { "guard": { "resource": "B", "body": { "task": { "id": "w1" } } } } } },
    { "guard": { "resource": "B", "body": { "guard": { "resource": "A", "body": { "task": { "id": "w2" } } } } } }
  ] }
}
"""

WRONG = 'flow: {task: {id: a, maxAttempts: "3"}}\n'

NET = """\
kind: net
id: ring
places: [{id: start, tokens: 1}, left, right, end]
transitions:
  - {id: split, inputs: [start], output: [left, right]}
  - {id: finish_left, inputs: [left], output: end}
  - {id: finish_right, inputs: [right], output: end}
final: {end: 1}
"""


def ring(n: int) -> str:
    """A net file with 2^n reachable markings and one end: more than a small budget can enumerate. Each step can be
    taken back and needs the next one not yet taken, so that no rule reduces the net."""
    lines = ["kind: net", "id: many", "places: [{id: start, tokens: 1}, end"]
    lines[2] += "".join(f", a{k}, b{k}" for k in range(n)) + "]"
    lines += ["transitions:", f"  - {{id: split, inputs: [start], output: [{', '.join(f'a{k}' for k in range(n))}]}}"]
    lines += [f"  - {{id: t{k}, inputs: [a{k}, a{k + 1}], output: [b{k}, a{k + 1}]}}" for k in range(n - 1)]
    lines += [f"  - {{id: t{n - 1}, inputs: [a{n - 1}], output: b{n - 1}}}"]
    lines += [f"  - {{id: u{k}, inputs: [b{k}], output: a{k}}}" for k in range(n)]
    lines += [f"  - {{id: join, inputs: [{', '.join(f'b{k}' for k in range(n))}], output: end}}", "final: {end: 1}"]
    return "\n".join(lines) + "\n"


def write(folder: Path, **files: str) -> None:
    """Write plans: ``sound=SOUND`` becomes ``sound.petri.yaml``; the folder is made."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.petri.yaml").write_text(text, encoding="utf-8")
