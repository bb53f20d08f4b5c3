"""Precision by escaping edges: how much of what the net allows after a prefix was never seen there."""

from __future__ import annotations

from dataclasses import dataclass

from petri_cli.mining.alignments import Alignments


@dataclass(frozen=True, slots=True)
class Precision:
    """allowed: activities the net allowed, summed over events; escaping: those of them that the log never took there;
    cases: whose alignment was exact and which are counted."""

    allowed: int
    escaping: int
    cases: int

    @property
    def value(self) -> float:
        return 1 - self.escaping / self.allowed if self.allowed else 1.0


def precision(aligned: Alignments) -> Precision:
    """Escaping-edges precision along the optimal alignments (Adriansyah et al. 2015)."""
    raise NotImplementedError
