"""What a scalar of YAML is worth: plain ones by the core schema, tagged ones by their tag.

Tags of the core schema are honoured, all others refused: a document constructs no objects.
"""

from __future__ import annotations

from collections.abc import Callable

from petri_cli.document.core_schema import MAX_DIGITS, NumberTooLongError, resolve
from petri_cli.document.nodes import Value, shorten

CORE = "tag:yaml.org,2002:"

Note = Callable[[str, str, str], None]
"""Takes the code, the message and the hint of a problem with the scalar."""


def plain_value(text: str, note: Note) -> Value:
    """The value of a scalar without quotes and tag."""
    try:
        return resolve(text)
    except NumberTooLongError:
        note("PETRI_BAD_NUMBER", f"a number of more than {MAX_DIGITS} characters", "put it in quotes if it is text")
        return 1  # told already: any number will do for the checks to come


def tagged_value(text: str, tag: str, note: Note) -> Value:
    """The value of a scalar with a tag; its text where the two do not fit each other."""
    if tag in ("!", CORE + "str"):
        return text
    value = plain_value(text, note)
    match tag.removeprefix(CORE):
        case "null" if value is None:
            return value
        case "bool" if isinstance(value, bool):
            return value
        case "int" if isinstance(value, int) and not isinstance(value, bool):
            return value
        case "float" if isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
        case "null" | "bool" | "int" | "float" as name:
            note("PETRI_YAML_TAG", f'"{shorten(text)}" is no !!{name} of the core schema', "leave the tag out")
        case _:
            refuse_tag(tag, note)
    return text


def check_collection_tag(tag: str | None, is_map: bool, note: Note) -> None:
    """A collection may be tagged as what it is."""
    if tag is not None and tag != "!" and tag != CORE + ("map" if is_map else "seq"):
        refuse_tag(tag, note)


def refuse_tag(tag: str, note: Note) -> None:
    hint = "leave the tag out: a document holds text, numbers, lists and maps, and makes no objects"
    note("PETRI_YAML_TAG", f"the tag `{shorten(tag.replace(CORE, '!!'))}` is not allowed", hint)
