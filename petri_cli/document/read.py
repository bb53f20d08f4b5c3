"""Reading a document: JSON where it is JSON, YAML otherwise."""

from __future__ import annotations

import re

from petri_cli.document.collector import collector_paused
from petri_cli.document.nodes import Node
from petri_cli.document.source import MAX_BYTES, text_of, text_position
from petri_cli.errors import InputError, Problem

_LOOKS_LIKE_JSON = re.compile(r"\s*[{\[]")

_CONFLICT = re.compile(r"^(?:<{7}|={7}|>{7})(?=\s|\Z)", re.MULTILINE)
"""What version control leaves in a file that two people changed in one place."""


def read_document(data: bytes | str, file: str = "", *, json: bool | None = None, max_bytes: int = MAX_BYTES) -> Node:
    """The document as a tree of nodes.

    ``json``: True reads JSON only, False YAML only; None goes by the name's ending and, failing that, by the first
    character (YAML is a superset of JSON, but its parsers refuse deep nesting that JSON allows).

    Raises InputError with every problem, sorted by position.
    """
    root, problems = scan_document(data, file, json=json, max_bytes=max_bytes)
    if root is None or problems:
        raise InputError(problems)
    return root


def scan_document(
    data: bytes | str, file: str = "", *, json: bool | None = None, max_bytes: int = MAX_BYTES
) -> tuple[Node | None, tuple[Problem, ...]]:
    """As :func:`read_document`, but hands back what could be read along with the problems, so that a caller can report
    its own together with them. Without a node there is at least one problem."""
    try:
        text = text_of(data, file, max_bytes)
    except InputError as error:
        return None, error.problems
    root, problems = _scan(text, file, json)
    if root is None and (conflict := _conflict(text, file, problems)) is not None:
        return None, (conflict,)
    return root, problems


def _scan(text: str, file: str, json: bool | None) -> tuple[Node | None, tuple[Problem, ...]]:
    if json is None and file.lower().endswith(".json"):
        json = True
    if json:
        return _json(text, file)
    if json is None and _LOOKS_LIKE_JSON.match(text):
        root, problems = _json(text, file)
        if root is not None:
            return root, problems
        return _yaml_after_json(text, file, problems)
    return _yaml(text, file)


def _conflict(text: str, file: str, problems: tuple[Problem, ...]) -> Problem | None:
    """The conflict of a merge that keeps the document from being read."""
    if "\n<<<<<<<" not in "\n" + text and "\n>>>>>>>" not in text:
        return None
    found = _CONFLICT.search(text)
    if found is None:
        return None
    code = "PETRI_JSON_SYNTAX" if "JSON" in problems[-1].code else "PETRI_YAML_SYNTAX"
    message = f"the file has an unresolved merge conflict: `{found[0]}`"
    hint = "keep one side, or parts of both, and remove the lines with <<<<<<<, ======= and >>>>>>>"
    return Problem(code, message, text_position(text, found.start(), file), hint)


def _json(text: str, file: str) -> tuple[Node | None, tuple[Problem, ...]]:
    from petri_cli.document.json_reader import read_json

    with collector_paused():
        return read_json(text, file)


def _yaml(text: str, file: str) -> tuple[Node | None, tuple[Problem, ...]]:
    from petri_cli.document.yaml_reader import read_yaml

    with collector_paused():
        return read_yaml(text, file)


def _yaml_after_json(
    text: str, file: str, json_problems: tuple[Problem, ...]
) -> tuple[Node | None, tuple[Problem, ...]]:
    """The document is no JSON. It may be YAML's flow style; if it is neither, the reader that came further is right."""
    fatal = json_problems[-1]
    if fatal.code == "PETRI_JSON_COMMENT" and not _is_yaml_comment(text, fatal):
        return None, json_problems
    root, problems = _yaml(text, file)
    if root is not None:
        return root, problems
    too_deep = problems[-1].code == "PETRI_TOO_DEEP"  # only JSON nests so deep: say also why it is none
    end = text_position(text, len(text), file)
    cut_off = file.lower().endswith((".yaml", ".yml")) and _reach(fatal) == (end.line, end.column)
    if too_deep and (cut_off or _reach(fatal) < _reach(problems[-1])):
        return None, (*json_problems, *problems)
    if _reach(fatal) >= _reach(problems[-1]):
        return None, json_problems
    return None, problems


def _is_yaml_comment(text: str, problem: Problem) -> bool:
    line = text.split("\n")[problem.where.line - 1]
    return line[problem.where.column - 1] == "#"


def _reach(problem: Problem) -> tuple[int, int]:
    return problem.where.line, problem.where.column
