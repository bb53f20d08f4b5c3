"""A net as conformance sees it: which transition stands for which activity, where it begins and where it may end."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from petri_cli.net.model import Net, Transition

SILENT = "tau"
_SILENT = re.compile(rf"{SILENT}(\d*|[^A-Za-z].*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class LabelledNet:
    """An accepting net: ``net.initial`` to ``net.final``. labels: transition id → activity; silent ones are left out.

    Several transitions may have one label.
    """

    net: Net
    labels: Mapping[str, str]


def is_silent(t: Transition) -> bool:
    """Whether a transition of a file stands for no activity: it has no name, and an id such as ``tau``, ``tau3`` or
    ``tau.skip``."""
    return not t.name.strip() and _SILENT.fullmatch(t.id) is not None


def labels_of(net: Net) -> dict[str, str]:
    """The activities of a net from a file: names, else ids."""
    return {t.id: t.name or t.id for t in net.transitions if not is_silent(t)}


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
