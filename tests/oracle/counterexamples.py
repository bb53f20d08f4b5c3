"""What a counterexample claims, checked by the definitions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from petri_cli.net.firing import is_dead, replay
from petri_cli.net.model import Net
from petri_cli.soundness.result import Counterexample
from tests.oracle.statespace import explore, freeze


def shows_what_it_says(net: Net, final: Mapping[str, int], sink: str | None, cx: Counterexample) -> None:
    """Fails unless ``cx`` replays on ``net`` and its last marking is what its kind says, by full enumeration."""
    path = replay(net, [*cx.run, *cx.pump])
    marking = path[len(cx.run)]
    assert marking == cx.marking
    end = freeze(final)
    match cx.kind:
        case "deadlock":
            assert is_dead(net, marking) and freeze(marking) != end
        case "cannotComplete":
            space = explore(replace(net, initial=marking), 5000)
            assert end not in space.successors and not is_dead(net, marking)
        case "improperCompletion":
            assert freeze(marking) != end
            assert marking.get(sink, 0) if sink else all(marking.get(p, 0) >= n for p, n in final.items())
        case "unbounded":
            after = path[-1]
            assert all(after.get(p, 0) >= n for p, n in marking.items()) and after != marking
            replay(net, [*cx.run, *cx.pump, *cx.pump, *cx.pump])
        case "deadTransition":
            assert cx.subject in {t.id for t in net.transitions} and not cx.run
        case other:
            raise AssertionError(other)
