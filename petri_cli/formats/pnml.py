"""PNML, the interchange format of Petri net tools (ISO/IEC 15909-2): reading and writing place/transition nets."""

from petri_cli.formats.pnml_read import read_pnml
from petri_cli.formats.pnml_write import write_pnml

__all__ = ["read_pnml", "write_pnml"]
