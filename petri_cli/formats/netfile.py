"""Net files: ``kind: net`` documents in YAML or JSON, and the one-line form of properties."""

from petri_cli.formats.net_read import parse_net
from petri_cli.formats.net_write import net_to_data, write_net
from petri_cli.formats.properties import parse_property, property_text

__all__ = ["net_to_data", "parse_net", "parse_property", "property_text", "write_net"]
