"""Simplicity of a net by the degree of its nodes."""

from __future__ import annotations

from petri_cli.net.model import Net


def simplicity(net: Net) -> float:
    """1 / (1 + max(mean degree − 2, 0)): 1 for a sequence, less the more arcs a place or transition has."""
    raise NotImplementedError
