"""Certificates of linear evidence, as plain data. The format is told in ``docs/certificates-linear.md``.

Everything is stated about a solution of the state equation (:mod:`petri_cli.soundness.linear.equation`): m = m₀ + C·x
with m ≥ 0, x ≥ 0, all whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple


class Literal(NamedTuple):
    """A bound on one quantity: ``side`` +1 says ≤ ``bound``, -1 says ≥ ``bound``.

    kind: ``place`` (tokens on place ``of``), ``count`` (how often column ``of`` occurs) or ``row`` (the value of row
    ``of`` of the certificate).
    """

    kind: str
    of: int
    side: int
    bound: int


@dataclass(frozen=True, slots=True)
class Row:
    """A weighted sum of tokens, Σ weights[p]·m(p), and why it is bounded at all.

    reason: ``trap`` (the places of ``weights`` are a trap that is marked at the start: never empty) or ``goal`` (the
    question asks for a bound).
    """

    weights: Mapping[int, int]
    literal: Literal
    reason: str


@dataclass(frozen=True, slots=True)
class Leaf:
    """Literals with multipliers > 0: added up, they contradict m = m₀ + C·x, x ≥ 0, m ≥ 0 (Farkas' lemma)."""

    terms: tuple[tuple[Literal, int], ...]


@dataclass(frozen=True, slots=True)
class Split:
    """One of several literals has to hold; each is refuted.

    reason: ``disabled`` (those that disable action ``action``), ``differs`` (those of the question) or ``whole`` (a
    quantity is ≤ k or ≥ k + 1).
    """

    reason: str
    action: int
    cases: tuple[tuple[Literal, Proof], ...]


Proof = Leaf | Split


@dataclass(frozen=True, slots=True)
class Lemma:
    """``literal`` holds for every solution that the question describes: ``proof`` refutes its opposite, with the help
    of the lemmas before it."""

    literal: Literal
    proof: Proof


@dataclass(frozen=True, slots=True)
class Refutation:
    """No solution of the state equation satisfies ``goal``, one of ``differs`` (if there are any), and disables each of
    ``stuck``.

    goal: literals that the question assumes; stuck: actions taken to be disabled (none: the question is not about a
    dead marking); rows, lemmas: what the proof may use beside.
    """

    goal: tuple[Literal, ...]
    differs: tuple[Literal, ...]
    stuck: tuple[int, ...]
    rows: tuple[Row, ...]
    lemmas: tuple[Lemma, ...]
    proof: Proof


@dataclass(frozen=True, slots=True)
class Ranking:
    """Weights w ≥ 0 on places such that each of ``actions`` lowers w·m, and a loss never raises it: no run of these
    actions alone is infinite, and none from m is longer than w·m."""

    weights: Mapping[int, int]
    actions: tuple[int, ...]
