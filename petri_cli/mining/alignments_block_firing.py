"""The actions that take a block-structured net from one state to the next, in an order in which they can fire."""

from __future__ import annotations

from petri_cli.mining.alignments_block_shape import AFTER, DO, REDO, Shape, State
from petri_cli.mining.alignments_blocks import SILENT
from petri_cli.mining.tree import Op


def actions_to(shape: Shape, state: State, leaf: int, depth: int) -> list[int]:
    """What runs before ``leaf``, and it: its path begins anew from ``depth`` on."""
    blocks = shape.blocks
    path = shape.way(leaf).path
    values = {code // shape.width: code % shape.width for code in state}
    tasks: list[int] = []
    for at in range(depth, len(path)):
        node, k = path[at]
        below = blocks.children[node]
        op = blocks.op[node]
        v = values.get(node) if at == depth else None
        if op is Op.SEQ:
            if v is not None:
                tasks.append(below[v])
            tasks.extend(~c for c in below[0 if v is None else v + 1 : k])
        elif op is Op.LOOP:
            if v == DO:
                tasks.append(below[0])
            elif v == REDO:
                tasks.append(below[1])
            if v is None:
                tasks.extend([~below[0]] if k else [])
            elif (v == k == DO) or (v == AFTER and k == 0):
                tasks.append(~below[1])
            elif v == REDO and k == 1:
                tasks.append(~below[0])
    return [*actions_of(shape, state, tasks), blocks.action[leaf]]


def actions_of(shape: Shape, state: State, tasks: list[int]) -> list[int]:
    """What runs ``tasks`` at the least cost. A task is a node: n ≥ 0 to finish as it stands, ~n afresh."""
    blocks, done, least = shape.blocks, shape.done, shape.least
    values = {code // shape.width: code % shape.width for code in state}
    actions: list[int] = []
    stack = tasks[::-1]
    while stack:
        task = stack.pop()
        n = task if task >= 0 else ~task
        v = values.get(n) if task >= 0 else None
        below = blocks.children[n]
        op = blocks.op[n]
        if v == done:
            continue
        if op is None:
            if blocks.action[n] != SILENT:
                actions.append(blocks.action[n])
        elif op is Op.SEQ:
            at = 0 if v is None else v
            stack.extend(~c for c in reversed(below[at if v is None else at + 1 :]))
            if v is not None:
                stack.append(below[at])
        elif op is Op.AND:
            stack.extend(~c if v is None else c for c in reversed(below))
        elif op is Op.XOR:
            stack.append(~min(below, key=least.__getitem__) if v is None else below[v])
        elif v is None:
            stack.append(~below[0])
        elif v == DO:
            stack.append(below[0])
        elif v == REDO:
            stack.extend((~below[0], below[1]))
    return actions
