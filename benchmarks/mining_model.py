"""The net of the process that :mod:`benchmarks.mining_generator` plays, as PNML that process tools understand."""

from __future__ import annotations

import re
from pathlib import Path

from petri_cli.formats.pnml import write_pnml
from petri_cli.mining.tree import Op, TreeBuilder
from petri_cli.mining.tree_net import tree_net

Told = str | None | tuple[Op, list["Told"]]
"""An activity, a silent step, or an operator over parts."""

MODEL: Told = (
    Op.SEQ,
    [
        "register",
        (Op.XOR, ["check online", "check by phone", "check on site"]),
        (
            Op.AND,
            [
                (Op.SEQ, ["assess damage", (Op.AND, [(Op.XOR, [None, "take photos"]), "ask expert"])]),
                "verify policy",
            ],
        ),
        "compute",
        (Op.LOOP, ["decide", (Op.SEQ, ["ask for papers", "receive papers"])]),
        (Op.XOR, [(Op.SEQ, ["approve", "pay"]), "reject"]),
        (Op.XOR, [None, "notify"]),
        "archive",
    ],
)

_SILENT = re.compile(r'(<transition id="tau\.\d+">.*?)</transition>')
_INVISIBLE = '<toolspecific tool="ProM" version="6.4" activity="$invisible$"/></transition>'


def write_model(path: Path) -> None:
    """The model as a PNML file; its silent steps are marked the way process tools do."""
    builder = TreeBuilder()

    def made(told: Told) -> int:
        if isinstance(told, tuple):
            return builder.inner(told[0], [made(part) for part in told[1]])
        return builder.leaf(told)

    net = tree_net(builder.tree(made(MODEL)), "claims").net
    path.write_text(_SILENT.sub(lambda found: found[1] + _INVISIBLE, write_pnml(net)), encoding="utf-8")
