"""One self-contained HTML document: data, style and script inside, and a policy that lets nothing else in.

The content security policy names the style and the script by their hashes: no text of a plan can become either, and
nothing is fetched, not even where the browser would like to.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any

ASSETS = Path(__file__).parent / "assets"
SCRIPTS = ("elements", "layout", "scene", "view", "steps", "circle", "verdict", "time", "session", "main")
"""In the order in which they are put together; what one defines, the later ones know."""

_IN_SCRIPT = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def document(title: str, data: Mapping[str, Any], fallback: str) -> str:
    """The page. data: what the script draws; fallback: the same in plain text, for a browser without scripts."""
    style = (ASSETS / "page.css").read_text(encoding="utf-8")
    parts = "\n".join((ASSETS / f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS)
    script = f'"use strict";\n(() => {{\n{parts}}})();\n'
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src '{_hash(script)}'",
            f"style-src '{_hash(style)}'",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    return (
        "<!doctype html>\n"
        '<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">\n'
        f"<title>{escape(shown(title))}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        f'<noscript><pre>{escape(shown(fallback))}</pre></noscript>\n<div id="page"></div>\n'
        f'<script type="application/json" id="data">{_json(data)}</script>\n'
        f"<script>{script}</script>\n</body>\n</html>\n"
    )


def shown(text: str) -> str:
    """``text`` as HTML may hold it: lines stay lines, other control characters are written out."""
    from petri_cli.render.look import visible

    return "\n".join(visible(line) for line in text.split("\n"))


def _hash(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()


def _json(data: Mapping[str, Any]) -> str:
    """JSON in which no character can end the element that it stands in. Half a surrogate pair stays an escape."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    text = re.sub("[<>&\u2028\u2029]", lambda m: _IN_SCRIPT[m[0]], text)
    return re.sub("[\ud800-\udfff]", lambda m: f"\\u{ord(m[0]):04x}", text)
