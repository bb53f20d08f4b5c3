"""A net as conformance sees it: which transition stands for which activity, where it begins and where it may end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from petri_cli.net.model import Net


@dataclass(frozen=True, slots=True)
class LabelledNet:
    """An accepting net: ``net.initial`` to ``net.final``. labels: transition id → activity; silent ones are left out.

    Several transitions may have one label.
    """

    net: Net
    labels: Mapping[str, str]
