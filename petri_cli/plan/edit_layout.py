"""How a piece is written into a document so that it looks like what stands around it: block style, flow style, JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from petri_cli.document.spans import LIST, SCALAR, Span
from petri_cli.errors import PetriError
from petri_cli.plan.edit_text import Sheet, TextEdit

WIDTH = 100
"""A block on one line stays on it up to this width."""
STEP = 2


class Layout:
    """Collects edits of a sheet. Lines are shifted in the end, so that blocks in one another add up."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self._edits: list[TextEdit] = []
        self._shifted: dict[int, str] = {}
        self._pulled: dict[int, int] = {}

    def finished(self) -> list[TextEdit]:
        """All edits."""
        sheet, edits = self.sheet, list(self._edits)
        for n in sorted(self._shifted.keys() | self._pulled.keys()):
            start, text = sheet.starts[n], sheet.text[sheet.starts[n] : sheet.ends[n]]
            blanks = len(text) - len(text.lstrip(" \t"))
            more, less = self._shifted.get(n, ""), min(self._pulled.get(n, 0), blanks)
            if text and (more or less):
                edits.append(TextEdit(start, start + less, more))
        return edits

    def edit(self, start: int, end: int, replacement: str) -> None:
        self._edits.append(TextEdit(start, end, replacement))

    # Values

    def replace_scalar(self, written: Span, text: str) -> None:
        if written.kind != SCALAR or written.marked:
            raise PetriError(
                "PETRI_CANNOT_EDIT", "a number comes out of an alias, or has an anchor or a tag", hint=HAND
            )
        self.edit(written.start, written.end, text)

    def insert_before(self, key: Span, name: str, text: str) -> None:
        """``name: text`` as an entry of its own before another key of the same map."""
        sheet = self.sheet
        entry = f'"{name}": {text}' if sheet.json else f"{name}: {text}"
        alone = sheet.begins_line(key.start)
        if key.flow:
            between = f",{sheet.newline}{sheet.indentation(key.start)}" if alone else ", "
        else:
            between = sheet.newline + " " * sheet.column(key.start)
        self.edit(key.start, key.start, entry + between)

    def with_comments(self, values: Sequence[Span]) -> bool:
        """Whether each value is the last on its line but for a comment, so that comments can move along with them."""
        return all(
            not v.flow and v.kind == SCALAR and self.sheet.line(v.start) == self.sheet.line(v.end) and self._tail(v)
            for v in values
        )

    def _tail(self, value: Span) -> bool:
        rest = self.sheet.text[value.end : self.sheet.line_end(value.end)]
        return not rest.strip() or (rest[0] in " \t" and rest.lstrip()[0] == "#")

    def replace_value(self, owner: Span, value: Span, by: Span, tails: bool) -> None:
        """A name, or a list of names, becomes another one of the same document; ``tails``: with its comment."""
        text, end = self.sheet.text, value.end
        if tails:
            end = self.sheet.line_end(value.end)
            self.edit(value.start, end, text[by.start : self.sheet.line_end(by.end)])
            return
        self._write_names(owner, value, self._names(by))

    def extend_names(self, owner: Span, value: Span, more: Sequence[str]) -> None:
        """One name, or a list of names, gets more of them."""
        quoted = [f'"{name}"' if self.sheet.json else name for name in more]
        names = value.parts if value.kind == LIST else [value]
        written = [self.sheet.text[n.start : n.end] for n in names]
        self._write_names(owner, value, f"[{', '.join([*written, *quoted])}]")

    def _names(self, value: Span) -> str:
        if value.kind == SCALAR:
            return self.sheet.text[value.start : value.end]
        return f"[{', '.join(self.sheet.text[n.start : n.end] for n in value.parts)}]"

    def _write_names(self, owner: Span, value: Span, names: str) -> None:
        if value.kind == LIST and not value.flow:  # it stands below its key, where nothing else may
            key = owner.key("resource")
            assert key is not None  # noqa: S101
            start = self.sheet.text.index(":", key.end) + 1
            self._keep_comments(start, value.end)
            self.edit(start, value.end, f" {names}")
        else:
            self._keep_comments(value.start, value.end)
            self.edit(value.start, value.end, names)

    def _keep_comments(self, start: int, end: int) -> None:
        if "#" in self.sheet.text[start:end]:
            raise PetriError("PETRI_CANNOT_EDIT", "a comment stands between the names of resources", hint=HAND)

    # Lists

    def append_item(self, listed: Span, item: Mapping[str, str]) -> None:
        """A map as one more item of a list that is not empty."""
        sheet, last = self.sheet, listed.parts[-1]
        if not listed.flow:
            at = sheet.line_end(last.end)
            dash = " " * sheet.column(listed.start)
            self.edit(at, at, f"{sheet.newline}{dash}- {_flow(item, json=False)}")
            return
        text = _flow(item, json=sheet.json)
        between = ", "
        if sheet.begins_line(last.start):
            between = f",{sheet.newline}{sheet.indentation(last.start)}"
            if sheet.json and last.parts and sheet.begins_line(last.parts[0].start):
                inner, outer = sheet.indentation(last.parts[0].start), sheet.indentation(last.start)
                lines = f",{sheet.newline}{inner}".join(_entries(item, json=True))
                text = f"{{{sheet.newline}{inner}{lines}{sheet.newline}{outer}}}"
        end = sheet.line_end(last.end)
        behind = sheet.text[last.end : end].strip()
        if sheet.begins_line(last.start) and "#" in behind:  # the comment stays behind the item that it is about
            comma = behind.startswith(",")
            self.edit(last.end, last.end, "" if comma else ",")
            self.edit(end, end, between.removeprefix(",") + text + ("," if comma else ""))
        else:
            self.edit(last.end, last.end, between + text)

    # Blocks

    def wrap(self, node: Span, resource: str) -> None:
        """The block stands in a guard that takes one unit of the resource."""
        sheet = self.sheet
        one_line = sheet.line(node.start) == sheet.line(node.end)
        if node.flow:
            if sheet.json and not one_line and sheet.begins_line(node.parts[0].start):
                self._wrap_json(node, resource)
                return
            braces = sheet.text[node.start] == "{"  # a map of one pair in a list needs none
            q = '"' if sheet.json else ""
            inner, close = ("", "") if braces else ("{", "}")
            self.edit(node.start, node.start, f"{{{q}guard{q}: {{{q}resource{q}: {q}{resource}{q}, {q}body{q}: {inner}")
            self.edit(node.end, node.end, f"{close}}}}}")
            return
        lead = f"guard: {{resource: {resource}, body: {{"
        length = sheet.line_end(node.start) - sheet.starts[sheet.line(node.start)]
        if one_line and node.parts[1].flow and length + len(lead) + 2 <= WIDTH:
            self.edit(node.start, node.start, lead)
            self.edit(node.end, node.end, "}}")
            return
        self._wrap_block(node, resource)

    def _wrap_block(self, node: Span, resource: str) -> None:
        sheet = self.sheet
        column = sheet.column(node.start)
        value = node.parts[1]
        step = sheet.column(value.start) - column if not value.flow and sheet.begins_line(value.start) else STEP
        step = step if 0 < step <= 8 else STEP
        pad = [" " * (column + k * step) for k in range(3)]
        lines = ("guard:", f"{pad[1]}resource: {resource}", f"{pad[1]}body:", pad[2])
        self.edit(node.start, node.start, sheet.newline.join(lines))
        self._shift(node, " " * (2 * step))

    def _wrap_json(self, node: Span, resource: str) -> None:
        sheet = self.sheet
        outer, inner = sheet.indentation(node.start), sheet.indentation(node.parts[0].start)
        unit = inner.removeprefix(outer) if inner.startswith(outer) and inner != outer else " " * STEP
        line = sheet.newline + outer
        lines = (
            f'{{{line}{unit}"guard": {{',
            f'{line}{unit * 2}"resource": "{resource}",',
            f'{line}{unit * 2}"body": ',
        )
        self.edit(node.start, node.start, "".join(lines))
        self.edit(node.end, node.end, f"{line}{unit}}}{line}}}")
        self._shift(node, unit * 2)

    def _shift(self, node: Span, blanks: str) -> None:
        for n in range(self.sheet.line(node.start) + 1, self.sheet.line(node.end) + 1):
            self._shifted[n] = blanks + self._shifted.get(n, "")

    def unwrap(self, node: Span, body: Span) -> bool:
        """The block is its body. False, and nothing done, where that would lose a comment."""
        sheet = self.sheet
        value = node.parts[1]
        written = [*node.parts[:1], *(p for part in value.parts[:-1] for p in (part.parts or [part]))]
        at = node.start
        for part in [*written, body]:
            if "#" in sheet.text[at : part.start]:
                return False
            at = part.end
        if "#" in sheet.text[body.end : node.end]:
            return False
        if node.flow or not body.flow or (key := self._key_above(node)) is None:
            self.edit(node.start, body.start, "")
        else:
            self.edit(key, body.start, " ")
        self.edit(body.end, node.end, "")
        if not body.flow:
            less = sheet.column(body.start) - sheet.column(node.start)
        elif sheet.json:
            less = len(sheet.indentation(body.start)) - len(sheet.indentation(node.start))
        else:
            less = 0
        for n in range(sheet.line(body.start) + 1, sheet.line(body.end) + 1):
            self._pulled[n] = self._pulled.get(n, 0) + max(0, less)
        return True

    def _key_above(self, node: Span) -> int | None:
        """Where the line above a block ends, if a key stands there that has nothing beside it."""
        n = self.sheet.line(node.start)
        if n == 0 or not self.sheet.begins_line(node.start):
            return None
        above = self.sheet.text[self.sheet.starts[n - 1] : self.sheet.ends[n - 1]]
        return self.sheet.ends[n - 1] if above.endswith(":") and "#" not in above else None


HAND = "change the file by hand"


def _entries(item: Mapping[str, str], *, json: bool) -> list[str]:
    if not json:
        return [f"{key}: {value}" for key, value in item.items()]
    return [f'"{key}": {value if value.isdecimal() else f"{chr(34)}{value}{chr(34)}"}' for key, value in item.items()]


def _flow(item: Mapping[str, str], *, json: bool) -> str:
    return f"{{{', '.join(_entries(item, json=json))}}}"
