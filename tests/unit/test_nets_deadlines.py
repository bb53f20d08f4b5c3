"""What the net provers answer when time runs out in the middle of something."""

from __future__ import annotations

import pytest

from petri_cli.net.compiled import compile_net
from petri_cli.net.firing import replay
from petri_cli.soundness.conditions import Watch, findings
from petri_cli.soundness.explore import grow
from petri_cli.soundness.packed import PackedNet, with_room
from petri_cli.soundness.reduced import reduced_space, reduction_decides
from petri_cli.soundness.shape import target_of
from petri_cli.soundness.timer import Timer, never
from tests.strategies.short_nets import short_net

ROUND = 1500
"""Steps of the livelock: more than a search takes between two looks at the deadline."""
LIVELOCK = "; ".join(
    (
        "split: i -> a b; a1: a -> a2; a3: a2 -> c; b1: b -> d; join: c d -> o; wrong: b -> e0",
        *(f"go{k}: e{k} -> e{(k + 1) % ROUND}" for k in range(ROUND)),
    )
)


@pytest.mark.parametrize("ticks", [0, 1, 3])
def test_a_livelock_is_shown_whenever_time_runs_out_while_its_run_is_shortened(ticks: int) -> None:
    target = target_of(short_net(LIVELOCK, i=1))
    compiled = compile_net(target.net)
    assert reduction_decides(target, compiled)

    def search(packed: PackedNet) -> Watch:
        watch = Watch(target, reduced_space(packed))
        grow(watch.space, watch, 10_000, never)
        return watch

    seconds = iter(range(1_000_000))
    timer = Timer(lambda: float(next(seconds)), ticks)
    found = findings(target, with_room(compiled, search), reduced=True, deadline=timer.expired)
    cx = found.counterexample
    assert cx is not None
    assert cx.kind == "cannotComplete"
    assert any(p.startswith("e") for p in cx.marking)
    assert replay(cx.net, cx.run)
