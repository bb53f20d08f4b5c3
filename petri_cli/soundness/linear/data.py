"""Linear certificates as JSON values and back. ``docs/certificates-linear.md`` tells the format.

Proof trees are written flat, children before parents, so that deep ones cost no recursion.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, assert_never

from petri_cli.soundness.linear.proof import Leaf, Lemma, Literal, Proof, Ranking, Refutation, Row, Split

Json = dict[str, Any]


def refutation_to_data(refutation: Refutation) -> Json:
    """Places and columns are numbers: places in declared order, columns as the state equation has them."""
    nodes: list[Any] = []
    return {
        "goal": [list(x) for x in refutation.goal],
        "differs": [list(x) for x in refutation.differs],
        "stuck": list(refutation.stuck),
        "rows": [_row_to_data(row) for row in refutation.rows],
        "lemmas": [{"literal": list(x.literal), "proof": _proof_to_data(x.proof, nodes)} for x in refutation.lemmas],
        "proof": _proof_to_data(refutation.proof, nodes),
        "nodes": nodes,
    }


def refutation_from_data(data: Json) -> Refutation:
    """Raises KeyError, IndexError, TypeError or ValueError for data that has not the form; what it says is for the
    checker to judge."""
    proofs: list[Proof] = []
    for node in data["nodes"]:
        if "leaf" in node:
            proofs.append(Leaf(tuple((_literal(x), _whole(k)) for x, k in node["leaf"])))
        else:
            cases = tuple((_literal(x), proofs[_whole(child)]) for x, child in node["cases"])
            proofs.append(Split(str(node["split"]), _whole(node.get("action", -1)), cases))
    rows = (Row(_weights(r["weights"]), _literal(r["literal"]), str(r["reason"])) for r in data["rows"])
    return Refutation(
        tuple(map(_literal, data["goal"])),
        tuple(map(_literal, data["differs"])),
        tuple(map(_whole, data["stuck"])),
        tuple(rows),
        tuple(Lemma(_literal(x["literal"]), proofs[_whole(x["proof"])]) for x in data["lemmas"]),
        proofs[_whole(data["proof"])],
    )


def ranking_to_data(ranking: Ranking) -> Json:
    return {"weights": _weights_to_data(ranking.weights), "actions": list(ranking.actions)}


def ranking_from_data(data: Json) -> Ranking:
    return Ranking(_weights(data["weights"]), tuple(map(_whole, data["actions"])))


def _proof_to_data(proof: Proof, nodes: list[Any]) -> int:
    """Append ``proof`` to ``nodes``; where it stands there."""
    order: list[Proof] = []
    todo = [proof]
    while todo:
        node = todo.pop()
        order.append(node)
        if isinstance(node, Split):
            todo += [child for _, child in node.cases]
    place: dict[int, int] = {}
    for node in reversed(order):
        if id(node) in place:
            continue
        place[id(node)] = len(nodes)
        match node:
            case Leaf(terms):
                nodes.append({"leaf": [[list(literal), k] for literal, k in terms]})
            case Split(reason, action, cases):
                said: Json = {"split": reason, "cases": [[list(x), place[id(child)]] for x, child in cases]}
                nodes.append(said if action < 0 else {**said, "action": action})
            case other:
                assert_never(other)
    return place[id(proof)]


def _row_to_data(row: Row) -> Json:
    return {"weights": _weights_to_data(row.weights), "literal": list(row.literal), "reason": row.reason}


def _weights_to_data(weights: Mapping[int, int]) -> list[list[int]]:
    return [[p, k] for p, k in sorted(weights.items())]


def _weights(pairs: Any) -> dict[int, int]:
    return {_whole(p): _whole(k) for p, k in pairs}


def _literal(data: Any) -> Literal:
    kind, of, side, bound = data
    if kind not in ("place", "count", "row") or side not in (1, -1) or _whole(of) < 0:
        raise ValueError(f"no literal: {data!r}")
    return Literal(kind, of, side, _whole(bound))


def _whole(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"no whole number: {value!r}")
    return value
