"""A page of ``docs/codes``: as it is written, or rendered where there is a terminal with colour."""

from __future__ import annotations

from typing import TextIO

from petri_cli.render.look import ColourMode, look_at


def page(markdown: str, stream: TextIO | None, colour: ColourMode = "auto") -> str:
    """What to print of a page. Without colour that is the Markdown itself, which reads well."""
    if stream is None:
        return markdown
    look = look_at(stream, colour)
    if not look.colour or not look.signs:
        return markdown
    from io import StringIO

    from rich.console import Console
    from rich.markdown import Markdown
    from rich.theme import Theme

    drawn = StringIO()
    plain = Theme({"markdown.code": "cyan", "markdown.h1": "bold", "markdown.h2": "bold", "markdown.code_block": ""})
    console = Console(
        file=drawn, width=look.width, theme=plain, force_terminal=True, color_system="standard", legacy_windows=False
    )
    console.print(Markdown(markdown, code_theme="ansi_dark", hyperlinks=False))
    return "".join(f"{line.rstrip()}\n" for line in drawn.getvalue().splitlines())


def first_sentence(markdown: str) -> str:
    """The first sentence below the title."""
    body = [line for line in markdown.splitlines() if line and not line.startswith("#")]
    text = " ".join(body[:3])
    end = text.find(". ")
    return text if end < 0 else text[: end + 1]
