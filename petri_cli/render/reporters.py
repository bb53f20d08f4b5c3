"""Reporters by the name of their format. A reporter's module is imported when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Literal, cast, get_args

from petri_cli.api import Analysis
from petri_cli.render.page import Page

Format = Literal["text", "concise", "json", "github", "sarif", "junit", "html"]
FORMATS: tuple[Format, ...] = get_args(Format)

Reporter = Callable[[Iterable[Analysis], Page], None]
"""Writes what there is to say about each file, in the order given; may write before the last one is judged."""

_MODULES: dict[Format, str] = {
    "text": "text",
    "concise": "concise",
    "json": "json_report",
    "github": "github",
    "sarif": "sarif",
    "junit": "junit",
    "html": "html.verdict",
}
_ENDINGS: dict[str, Format] = {".json": "json", ".sarif": "sarif", ".xml": "junit", ".html": "html", ".htm": "html"}


def reporter(name: Format) -> Reporter:
    """The reporter for a format."""
    return cast(Reporter, import_module(f"petri_cli.render.{_MODULES[name]}").report)


def format_of(output: str | None) -> Format:
    """What the ending of a file says, such as ``petri.sarif`` or ``petri.sarif.json``; text where it says nothing."""
    name = (output or "").lower()
    if name.endswith(".sarif.json"):
        return "sarif"
    return next((form for ending, form in _ENDINGS.items() if name.endswith(ending)), "text")
