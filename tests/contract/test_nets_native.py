"""The compiled search and the one in Python on nets that nobody here wrote: the same states, the same answers."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from petri_cli.formats.pnml import read_pnml
from petri_cli.net.compiled import compile_net
from petri_cli.net.model import Net
from petri_cli.net.start import start_of
from petri_cli.soundness.deadlock import find_deadlock
from petri_cli.soundness.native import binding
from petri_cli.soundness.nets import judge_net
from petri_cli.soundness.result import Budget
from petri_cli.soundness.spaces import Space, with_space
from tests.corpus import read_net
from tests.property.test_nets_native import in_python

_DATA = os.environ.get("PETRI_TEST_DATA")
pytestmark = [
    pytest.mark.skipif(_DATA is None, reason="PETRI_TEST_DATA is not set: the nets are not at hand"),
    pytest.mark.skipif(binding.core is None, reason="the compiled core was not built"),
    pytest.mark.slow,
]
NETS = Path(_DATA or ".") / "nets"


def _workflow_nets() -> Iterator[Net]:
    for folder in ("ibm", "scalable"):
        for path in sorted((NETS / "workflow" / folder).glob("*.pnml")):
            yield start_of(read_pnml(path.read_bytes(), path.name)[0]).net


def _corpus() -> Iterator[Net]:
    for path in sorted((NETS / "corpus" / "nets").glob("*.json")):
        yield read_net(json.loads(path.read_text(encoding="utf-8")))


def _figures(net: Net, limit: int) -> tuple[object, ...]:
    """What a search of ``net`` comes to: its states, a run to the last of them, its rests and deadlocks."""

    def search(space: Space) -> tuple[object, ...]:
        space.advance(limit)
        last = space.size - 1
        marked = tuple(space.backwards(range(space.expanded, space.size)))
        return space.size, space.edges, space.rests, space.fired, space.state(last), space.run_to(last), marked

    compiled = compile_net(net)
    figures = with_space(compiled, search)
    if all(a.plain for a in compiled.actions):
        for shortest in (True, False):
            figures += (find_deadlock(compiled, final=compiled.final, max_states=200, shortest=shortest),)
        figures += with_space(compiled, search, reduced=True)
    return figures


@pytest.mark.parametrize("folder", ["workflow", "corpus"])
def test_nets_of_others_have_the_same_states_and_deadlocks(folder: str) -> None:
    count = 0
    for net in _workflow_nets() if folder == "workflow" else _corpus():
        figures = _figures(net, 400)
        with in_python():
            assert _figures(net, 400) == figures, net.id
        count += 1
    assert count > 50


def test_nets_of_others_get_the_same_answers() -> None:
    for net in _corpus():
        result = judge_net(net, Budget(2_000))
        with in_python():
            assert judge_net(net, Budget(2_000)) == result, net.id
