"""How a block-structured net stands in a state: what each block still costs, and which activities may come next.

One look at each entry of the state, from the last node to the first, so that what is below a node is known before it.
"""

from __future__ import annotations

from petri_cli.mining.alignments_block_shape import AFTER, DO, Shape, State
from petri_cli.mining.tree import Op


def costs_left(shape: Shape, state: State) -> dict[int, int]:
    """Node in progress, or done → the least cost from where it is to its end."""
    blocks, least, parent, width, done = shape.blocks, shape.least, shape.parent, shape.width, shape.done
    children, ops = blocks.children, blocks.op
    left: dict[int, int] = {}
    spared: dict[int, int] = {}
    """Parallel node → what its branches cost less than afresh."""
    for code in reversed(state):
        n, v = divmod(code, width)
        op = ops[n]
        if v == done:
            cost = 0
        elif op is Op.AND:
            cost = least[n] - spared.get(n, 0)
        elif op is Op.LOOP:
            do, redo = children[n]
            if v == AFTER:
                cost = 0
            elif v == DO:
                cost = left.get(do, least[do])
            else:
                cost = left.get(redo, least[redo]) + least[do]
        else:
            at = children[n][v]
            cost = left.get(at, least[at])
            if op is Op.SEQ:
                sums = shape.before[n]
                cost += sums[-1] - sums[v + 1]
        left[n] = cost
        if n:
            above = parent[n][0]
            if ops[above] is Op.AND:
                spared[above] = spared.get(above, 0) + least[n] - cost
    return left


def allowed(shape: Shape, state: State, left: dict[int, int]) -> int:
    """The labels that can come next with nothing but silent steps before them, as a bit mask. left: the costs left."""
    opening, least, width, done = shape.opening, shape.least, shape.width, shape.done
    blocks = shape.blocks
    if not state:
        return opening[0]
    found: dict[int, int] = {}
    for code in reversed(state):
        n, v = divmod(code, width)
        below, op = blocks.children[n], blocks.op[n]
        mask = 0
        if v == done:
            pass
        elif op is Op.AND:
            for c in below:
                mask |= found.get(c, opening[c])
        elif op is Op.LOOP:
            do, redo = below
            again, back = opening[do], opening[redo]
            if v == AFTER:
                mask = back | (0 if least[redo] else again)
            elif v == DO:
                mask = found.get(do, again)
                if not left.get(do, least[do]):
                    mask |= back | (0 if least[redo] else again)
            else:
                mask = found.get(redo, back)
                if not left.get(redo, least[redo]):
                    mask |= again | (0 if least[do] else back)
        else:
            at = below[v]
            mask = found.get(at, opening[at])
            if op is Op.SEQ and not left.get(at, least[at]):
                for c in below[v + 1 :]:
                    mask |= opening[c]
                    if least[c]:
                        break
        found[n] = mask
    return found[0]
