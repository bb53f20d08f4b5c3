"""From a log to a model and a plan in one go."""

from __future__ import annotations

from petri_cli.mining.inductive import inductive
from petri_cli.mining.log import Log
from petri_cli.mining.model import LabelledNet
from petri_cli.mining.raise_plan import plan_text
from petri_cli.mining.sweep import most_frequent
from petri_cli.mining.tree import Tree
from petri_cli.mining.tree_net import tree_net


def inductive_model(log: Log, coverage: float = 100) -> tuple[Tree, LabelledNet, str]:
    """The tree of the most frequent variants (``coverage`` per cent of the cases), its net, and its plan as YAML."""
    part = most_frequent(log, coverage)
    tree = inductive(part)
    return tree, tree_net(tree), plan_text(tree, part)
