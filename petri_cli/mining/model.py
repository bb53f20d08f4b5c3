"""A net as conformance sees it: which transition stands for which activity, where it begins and where it may end."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from petri_cli.net.model import Net, Transition

SILENT = "tau"
_SILENT = re.compile(rf"{SILENT}(\d*|[^A-Za-z].*)", re.DOTALL)
_TASK = "t."
"""How the transition of a plan's task is called: this, its id, and the items of foreach blocks around it."""
_ITEMS = r"(\[\d+\])*"
_CONTROL = re.compile(rf"t\.((par|choice|loop|foreach|guard)\..+\.([a-z]+|\d+)|skip(_\d+)?){_ITEMS}", re.DOTALL)
"""A plan's transitions that stand for no task, or for one that does nothing."""


@dataclass(frozen=True, slots=True)
class LabelledNet:
    """An accepting net: ``net.initial`` to ``net.final``. labels: transition id → activity; silent ones are left out.

    Several transitions may have one label.
    """

    net: Net
    labels: Mapping[str, str]


def is_silent(t: Transition) -> bool:
    """Whether a transition of a file stands for no activity: it has no name, and an id such as ``tau``, ``tau3`` or
    ``tau.skip``, or that of a step of control in the net of a plan, such as ``t.par.1.split``."""
    return not t.name and any(p.fullmatch(t.id) for p in (_SILENT, _CONTROL))


def labels_of(net: Net, activities: Collection[str] = frozenset()) -> dict[str, str]:
    """The activities of a net from a file: names, else ids. activities: of a log; one that is the id of a task, and not
    the name, is meant where the net is that of a plan."""
    found: dict[str, str] = {}
    for t in net.transitions:
        task = _LAST_ITEMS.sub("", t.id.removeprefix(_TASK)) if t.id.startswith(_TASK) else None
        if task in activities and t.name not in activities:
            found[t.id] = task or ""
        elif not is_silent(t):
            found[t.id] = t.name or t.id
    return found


_LAST_ITEMS = re.compile(rf"{_ITEMS}\Z")


def net_to_write(model: LabelledNet) -> Net:
    """The net with activities as names and silent transitions called so: read back, :func:`labels_of` gives the same
    activities."""
    taken = {t.id for t in model.net.transitions}
    written = []
    for t in model.net.transitions:
        label = model.labels.get(t.id)
        if label is not None:
            written.append(replace(t, name=label))
            continue
        tid = t.id
        while not _SILENT.fullmatch(tid) or (tid != t.id and tid in taken):
            tid = f"{SILENT}.{tid}"
        taken.add(tid)
        written.append(replace(t, id=tid, name=""))
    return replace(model.net, transitions=tuple(written))
