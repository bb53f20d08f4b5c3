"""The slips behind most YAML that does not parse, told by the lines around the place where the parser gave up.

The parser names the place where it could not go on; the slip is often on the line above.
"""

from __future__ import annotations

import re

from petri_cli.errors import Position, Problem

_COMMENT = re.compile(r"(?:^|\s)#.*$")
_DASHES = re.compile(r"(?:-\s+)*")
_KEY = re.compile(r"""(?:"[^"]*"|'[^']*'|[^\s"'#{\[][^#]*?):(?=\s|$)""")
_NO_SPACE = re.compile(r"([A-Za-z_][\w-]*):([^\s/:][^\s]*)")
_WORD = r"[A-Za-z_$][\w.$-]*"
_BARE = re.compile(rf"{_WORD}(?: +[^\s:]+)*")
_BEFORE_DOLLAR = re.compile(r"(?:[:,]\s+|[\[{]\s*)([^,:\[\]{}\"']*\$)$")
_BRACES = re.compile(r"\{[^}\n]*\}[^,\]}\n]*")

_MISFITS = ("did not find expected key", "expected <block end>", "did not find expected '-' indicator")
"""What the parser says of a line that fits no open block."""


def slip(said: str, text: str, where: Position, begin: Position) -> Problem | None:
    """The slip that made the parser say what it ``said`` at ``where``, if it is a known one.

    ``begin`` is where the thing begins that the parser was reading.
    """
    lines = text.splitlines()
    if where.line > len(lines):
        return _key_without_colon(lines, begin) if "could not find expected ':'" in said else None
    line = lines[where.line - 1]
    sign = line[where.column - 1 : where.column]
    misfit = any(part in said for part in _MISFITS)
    if sign in ("}", "]") and (misfit or "<document start>" in said):
        return _syntax(f"one `{sign}` too many", where, "remove it, or add what opens it")
    if sign == "{" and line[: where.column - 1].endswith("$"):
        return _unquoted(line, where)
    if "could not find expected ':'" in said:
        return _key_without_colon(lines, begin)
    first = len(line) - len(line.lstrip(" "))
    begun = _DASHES.match(line, first)
    if "mapping values" in said and not _KEY.match(line[: where.column - 1], begun.end() if begun else first):
        return _line_above(lines, where, first)
    if misfit and where.column == first + 1:
        return _line_above(lines, where, first) or _too_shallow(lines, where, first)
    return None


def _line_above(lines: list[str], where: Position, indentation: int) -> Problem | None:
    """A line that should have opened a block, or that did not ask for one: the next one is indented for nothing."""
    above = _whole_value(lines, _before(lines, where.line))
    if not above:
        return None
    content = _content(lines, above)
    if not _KEY.match(content) and _BARE.fullmatch(content):
        return _without_colon(lines, above, where.file)
    if (told := _without_space(lines, above, where.file)) is not None:
        return told
    if indentation <= _indentation(lines, above) or _opens(content):
        return None
    listed = lines[where.line - 1][indentation:].startswith("-")
    message = f"line {where.line} is indented deeper than line {above}, which already has a value"
    hint = (
        "items of one list stand exactly below each other"
        if listed
        else "keys of one map stand exactly below each other"
    )
    at = Position(where.file, where.line, indentation + 1)
    return _syntax(message, at, hint, Position(where.file, above, _column(lines, above)))


def _whole_value(lines: list[str], number: int) -> int:
    """The line where the value begins that a line is part of: text may go on over several lines, indented deeper."""
    while number:
        outer = _before(lines, number)
        while outer and _column(lines, outer) > _indentation(lines, number):
            outer = _before(lines, outer)
        if not outer or _opens(_content(lines, outer)):
            break
        number = outer
    return number


def _too_shallow(lines: list[str], where: Position, indentation: int) -> Problem | None:
    """A line that stands between two levels of indentation."""
    above = _before(lines, where.line)
    if not above or _indentation(lines, above) <= indentation:
        return None
    outer, inner = -1, _column(lines, above) - 1
    while above and outer < 0:
        for level in (_column(lines, above) - 1, _indentation(lines, above)):
            if level == indentation:
                return _item_among_keys(lines, where, above)
            if level > indentation:
                inner = min(inner, level)
            elif outer < 0:
                outer = level
        above = _before(lines, above)
    if outer < 0:
        return None
    message = (
        f"line {where.line} is indented by {indentation} space{'s' if indentation != 1 else ''}, like no line above"
    )
    return _syntax(message, where, f"indent it by {outer} or by {inner}")


def _item_among_keys(lines: list[str], where: Position, number: int) -> Problem | None:
    """A `- ` below the first key of a list's item instead of below its dash."""
    dash = _indentation(lines, number) + 1
    if lines[where.line - 1][where.column - 1] != "-" or dash == where.column:
        return None
    message = f"line {where.line} begins an item of a list, but stands below the keys of an item"
    hint = f"indent it by {dash - 1}, as the `-` on line {number}"
    return _syntax(message, where, hint, Position(where.file, number, dash))


def _key_without_colon(lines: list[str], begin: Position) -> Problem | None:
    if begin.line > len(lines) or lines[begin.line - 1][begin.column - 1 : begin.column] in ("'", '"'):
        return None
    return _without_space(lines, begin.line, begin.file) or _without_colon(lines, begin.line, begin.file)


def _without_colon(lines: list[str], number: int, file: str) -> Problem:
    words = _content(lines, number).split()
    hint = "write `key: value`, with a space after the colon"
    if len(words) <= 2 and re.fullmatch(_WORD, words[0]):
        hint = f"write `{': '.join(words)}`" if len(words) == 2 else f"write `{words[0]}:`"
    return _syntax(f"line {number} has no `:`", Position(file, number, _column(lines, number)), hint)


def _without_space(lines: list[str], number: int, file: str) -> Problem | None:
    found = _NO_SPACE.match(_content(lines, number))
    if found is None:
        return None
    where = Position(file, number, _column(lines, number))
    hint = f"write `{found[1]}: {found[2]}`" if len(found[0]) <= 60 else "write a space after the colon"
    return _syntax(f"line {number} has no space after its `:`", where, hint)


def _unquoted(line: str, where: Position) -> Problem | None:
    """``${…}`` as a plain value inside braces or brackets, where the brace begins a map."""
    before = _BEFORE_DOLLAR.search(line[max(0, where.column - 200) : where.column - 1])
    rest = _BRACES.match(line, where.column - 1)
    if before is None or rest is None:
        return None
    value = before[1] + rest[0].rstrip()
    quote = "'" if '"' in value else '"'
    at = Position(where.file, where.line, where.column - len(before[1]))
    message = "inside brackets and braces a value with `{` needs quotes"
    return _syntax(message, at, f"quote it: {quote}{value}{quote}" if len(value) <= 60 else "put it in quotes")


def _before(lines: list[str], number: int) -> int:
    """The number of the last line above ``number`` that holds more than a comment; 0 when there is none."""
    for n in range(number - 1, 0, -1):
        if _COMMENT.sub("", lines[n - 1]).strip():
            return n
    return 0


def _indentation(lines: list[str], number: int) -> int:
    line = lines[number - 1]
    return len(line) - len(line.lstrip(" "))


def _column(lines: list[str], number: int) -> int:
    """Where the content of a line begins, behind its dashes; from 1."""
    found = _DASHES.match(lines[number - 1], _indentation(lines, number))
    return found.end() + 1 if found else 1


def _content(lines: list[str], number: int) -> str:
    return _COMMENT.sub("", lines[number - 1][_column(lines, number) - 1 :]).strip()


def _opens(content: str) -> bool:
    """Whether a line says that what belongs to it follows, indented."""
    return content.endswith(":") or content in ("", "-")


def _syntax(message: str, where: Position, hint: str, *related: Position) -> Problem:
    return Problem("PETRI_YAML_SYNTAX", message, where, hint, related=related)
