"""Text and data as trees of nodes with positions: the one place that knows YAML and JSON.

Everything that a file can do wrong before anybody asks what it means is found here: encodings, syntax, duplicate keys,
aliases, tags, depth, size.
"""

from petri_cli.document.collector import collector_paused
from petri_cli.document.data import from_data
from petri_cli.document.nodes import (
    ListNode,
    MapNode,
    Node,
    Path,
    ScalarNode,
    Value,
    describe,
    file_of,
    path_text,
    plain,
    position,
    shorten,
)
from petri_cli.document.read import read_document, scan_document
from petri_cli.document.source import MAX_BYTES, is_given, open_file, read_bytes

__all__ = [
    "MAX_BYTES",
    "ListNode",
    "MapNode",
    "Node",
    "Path",
    "ScalarNode",
    "Value",
    "collector_paused",
    "describe",
    "file_of",
    "from_data",
    "is_given",
    "open_file",
    "path_text",
    "plain",
    "position",
    "read_bytes",
    "read_document",
    "scan_document",
    "shorten",
]
