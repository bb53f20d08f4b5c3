"""What a file holds, by a look at its first sign and at its top-level keys, without reading the whole of it twice."""

from __future__ import annotations

import re
from typing import Literal

Kind = Literal["plan", "net", "pnml"]

_BLANK = b" \t\r\n"
_XML = (b"<", b"\xef\xbb\xbf<", b"\xff\xfe<\x00", b"\xfe\xff\x00<")

_BLOCK_KEY = re.compile(rb"""^([ ]*)(?:-{3}[ ]+)?(?:!!map[ ]+)?(["']?)[A-Za-z]\w*\2[ ]*:(?:\s|$)""", re.MULTILINE)
_NET = re.compile(rb"""^([ ]*)(["']?)kind\2[ ]*:[ ]+(["']?)net\3[ \t]*(?:#.*)?\r?$""", re.MULTILINE)

_FLOW_TOKEN = re.compile(
    rb""""[^"\\]*(?:\\.[^"\\]*)*(?:"|\Z)|'[^']*(?:'|\Z)|[{}\[\],:]|#[^\n]*|[^\s"'{}\[\],:#]+""", re.DOTALL
)


def kind_of(name: str, data: bytes) -> Kind:
    """``pnml`` for XML, ``net`` for a document whose top level says ``kind: net``, else ``plan``.

    ``name`` counts only for an ending that says XML. What cannot be read is a plan: its loader says what is wrong.
    """
    if name.lower().endswith((".pnml", ".xml")) or data.lstrip(_BLANK).startswith(_XML):
        return "pnml"
    text = _narrow(data)
    if b"kind" not in text:
        return "plan"
    if text.lstrip(_BLANK)[:1] == b"{":
        return "net" if _flow_says_net(text) else "plan"
    return "net" if _block_says_net(text) else "plan"


def _narrow(data: bytes) -> bytes:
    """``data`` as UTF-8 without a byte order mark, as far as the keys are concerned."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace").encode("utf-8", "replace")
    return data.removeprefix(b"\xef\xbb\xbf")


def _block_says_net(text: bytes) -> bool:
    """Whether a line as far left as the first key says ``kind: net``."""
    first = _BLOCK_KEY.search(text)
    indent = len(first[1]) if first else 0
    return any(len(m[1]) == indent for m in _NET.finditer(text))


def _flow_says_net(text: bytes) -> bool:
    """Whether the braces that open the document hold ``kind: net`` at their own level."""
    depth = 0
    last = (b"", b"", b"")
    for match in _FLOW_TOKEN.finditer(text):
        token = match[0]
        if token.startswith(b"#"):
            continue
        if depth == 1 and last[0] in (b"{", b",") and last[1].strip(b"\"'") == b"kind" and last[2] == b":":
            return token.strip(b"\"'") == b"net"
        depth += (token in (b"{", b"[")) - (token in (b"}", b"]"))
        last = (last[1], last[2], token)
    return False
