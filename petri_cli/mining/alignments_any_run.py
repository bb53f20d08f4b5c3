"""Some complete run of a net, where there was no time for a shortest one: it says how much an alignment costs at most.

Whatever has fired least fires next, so that loops are left again and nothing waits for ever. That is no search: where a
walk ends elsewhere, another one begins that prefers other steps, and after a few it is given up.
"""

from __future__ import annotations

from collections.abc import Sequence

from petri_cli.soundness.packed import PackedNet

WALKS = 8
CHECKS = 400_000
"""Questions whether an action is enabled, over all walks: a tenth of a second or two."""


def some_run(packed: PackedNet, label_of: Sequence[int | None]) -> int | None:
    """Visible steps of a complete run; None where none was found. label_of: action → label, None for a silent one."""
    left = CHECKS
    actions = range(len(label_of))
    for walk in range(WALKS):
        first = walk * len(label_of) // WALKS
        fired = [0] * len(label_of)
        order = [*actions[first:], *actions[:first]]
        if walk % 2:
            order.reverse()
        marking, visible = packed.initial, 0
        while marking != packed.final:
            order.sort(key=fired.__getitem__)  # nearly sorted: that is quick
            chosen = None
            for a in order:
                left -= 1
                if packed.is_enabled(a, marking):
                    chosen = a
                    break
            if chosen is None or left < 0:
                break
            marking = packed.fire(chosen, marking)
            if marking & packed.guards != packed.guards:
                break
            fired[chosen] += 1
            visible += label_of[chosen] is not None
        else:
            return visible
        if left < 0:
            return None
    return None
