"""The words of a small labelled net, by playing its tokens."""

from __future__ import annotations

from petri_cli.mining.model import LabelledNet
from petri_cli.net.model import leaves

Word = tuple[str, ...]


def net_words(model: LabelledNet, longest: int) -> frozenset[Word]:
    """The activities of all complete runs with at most ``longest`` of them. For nets with arcs of weight one."""
    net = model.net
    steps = [
        (
            [i.place for i in t.inputs],
            [p.place for p in leaves(t.output)],  # type: ignore[union-attr]
            (model.labels[t.id],) if t.id in model.labels else (),
        )
        for t in net.transitions
    ]
    assert net.final is not None
    final = tuple(sorted(net.final))
    first: tuple[tuple[str, ...], Word] = (tuple(sorted(net.initial)), ())
    seen = {first}
    todo = [first]
    while todo:
        marking, word = todo.pop()
        for needs, gives, label in steps:
            if all(p in marking for p in needs) and len(word) + len(label) <= longest:
                held = list(marking)
                for p in needs:
                    held.remove(p)
                after = (tuple(sorted([*held, *gives])), word + label)
                if after not in seen:
                    seen.add(after)
                    todo.append(after)
    return frozenset(word for marking, word in seen if marking == final)
