"""One pass over the events of a PNML file: from bytes to places, transitions, arcs and references as written.

The XML parser is the standard library's expat, which keeps no tree, so that depth costs nothing. A document type
declaration is refused where it begins: without one there are no entities to expand and nothing to fetch.

Elements go by their local name, since many tools write the standard's elements in a namespace of their own or in none.
"""

from __future__ import annotations

import re
from pyexpat import ExpatError, ParserCreate

from petri_cli.document import shorten
from petri_cli.document.fields import LARGEST
from petri_cli.document.source import MAX_BYTES, SPLIT_IT, text_position, too_large
from petri_cli.errors import InputError, Position, Problem
from petri_cli.formats.pnml_elements import (
    CHILDREN,
    HIGH_LEVEL,
    HIGH_LEVEL_HINT,
    FinalMarking,
    RawArc,
    RawNet,
    RawNode,
    Where,
)

_SILENT = {"toolspecific", "graphics"}
_PAGE_NAME = {"name"}
_ARC_KINDS = {"": "normal", "normal": "normal", "inhibitor": "inhibitor", "reset": "reset"} | dict.fromkeys(
    ("read", "test"), "read"
)
_COUNT = re.compile(r"\+?([0-9]{1,18})")
_COLOURED = re.compile(r"([A-Za-z_]\w*)\s*,\s*([0-9]{1,18})", re.ASCII)


def scan(data: bytes, file: str) -> tuple[RawNet, list[Problem]]:
    """The elements of the PNML document ``data`` and what is wrong with them one by one.

    Raises InputError when the document is no readable XML or no PNML: PETRI_TOO_LARGE, PETRI_BAD_XML, PETRI_XML_DTD,
    PETRI_XML_ENCODING, PETRI_NOT_PNML.
    """
    if len(data) > MAX_BYTES:
        code, message = too_large(MAX_BYTES)
        raise InputError([Problem(code, message, Position(file), SPLIT_IT)])
    scanner = _Scanner(file, data)
    try:
        scanner.parser.Parse(data, True)
    except ExpatError as error:
        raise InputError([*scanner.problems, _syntax(error, file)]) from None
    except (LookupError, ValueError) as error:
        message = f"the file's encoding cannot be read: {error}"
        raise InputError([Problem("PETRI_XML_ENCODING", message, Position(file, 1, 1), "save it as UTF-8")]) from None
    if not scanner.net.nets and not scanner.problems:
        where = Position(file, 1, 1, "pnml")
        raise InputError([Problem("PETRI_NOT_PNML", "the document holds no `<net>`", where, _NET_HINT)])
    return scanner.net, scanner.problems


_NET_HINT = "a PNML file is `<pnml>` with one `<net>` in it"


def _syntax(error: ExpatError, file: str) -> Problem:
    where = Position(file, error.lineno, error.offset + 1)
    what = str(error).rpartition(": line")[0]
    if error.code == _UNKNOWN_ENCODING:
        return Problem("PETRI_XML_ENCODING", f"the file's encoding cannot be read: {what}", where, "save it as UTF-8")
    hint = "the file may be cut off" if what in ("no element found", "unclosed token") else "look just before it"
    return Problem("PETRI_BAD_XML", f"the XML is broken here: {what}", where, hint)


_UNKNOWN_ENCODING = 18


class _Scanner:
    """The state between two events of the parser: the open elements, and the label whose text is being read."""

    def __init__(self, file: str, data: bytes) -> None:
        self.file = file
        self.data = data
        self.problems: list[Problem] = []
        self.net = RawNet()
        self.states = ["document"]
        self.skipped = 0
        """Depth inside an element that is passed over."""
        self.owner: RawNode | RawArc | RawNet | FinalMarking = self.net
        self.labels: list[str] = []
        """Labels of ``owner`` that are complete."""
        self.label = ""
        self.label_where: Where = (1, 1)
        self.place = ""
        self.pieces: list[str] = []
        self.text: str | None = None
        self.local: dict[str, str] = {}
        parser = ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.StartDoctypeDeclHandler = self.doctype
        self.parser = parser

    def where(self) -> Where:
        return self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1

    def problem(self, code: str, message: str, where: Where, hint: str = "", path: str = "") -> None:
        self.problems.append(Problem(code, message, Position(self.file, *where, path), hint))

    # events

    def doctype(self, *_: object) -> None:
        start = self.data.rfind(b"<!DOCTYPE", 0, self.parser.CurrentByteIndex + 1)
        before = self.data[: max(start, 0)].decode("utf-8", "replace")
        where = text_position(before, len(before), self.file)
        message = "document type declarations are not read: they can define entities"
        raise InputError([*self.problems, Problem("PETRI_XML_DTD", message, where, "remove the `<!DOCTYPE …>`")])

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if self.skipped:
            self.skipped += 1
            return
        name = self.local.get(tag)
        if name is None:
            name = self.local[tag] = self._local_name(tag)
        inside = self.states[-1]
        state = CHILDREN[inside].get(name)
        if state is None or not self._opened(name, state, inside, attributes):
            if name not in _SILENT:
                self._passed_over(name, inside)
            self.skipped = 1
        else:
            self.states.append(state)

    def end(self, tag: str) -> None:
        if self.skipped:
            self.skipped -= 1
            return
        match self.states.pop():
            case "text":
                text = "".join(self.pieces)
                if self.text is not None and self.text != text:
                    self.problem("PETRI_PNML_NUMBER", f"`<{self.label}>` holds two texts", self.label_where)
                self.text = text
                self.parser.CharacterDataHandler = None
            case "label":
                self.parser.CharacterDataHandler = None
                self._labelled()

    def characters(self, text: str) -> None:
        if not self.skipped:
            self.pieces.append(text)

    # elements

    def _local_name(self, tag: str) -> str:
        """The element's name without its namespace; a foreign namespace is kept, so that no rule knows the name."""
        namespace, _, name = tag.rpartition(" ")
        if len(self.states) == 1:
            self.net.namespace = namespace
        ours = namespace in ("", self.net.namespace) or "pnml" in namespace.lower()
        return name if ours else tag

    def _opened(self, name: str, state: str, inside: str, attributes: dict[str, str]) -> bool:
        """Take note of an element that the reader knows; False to pass over it."""
        match state:
            case "label":
                return self._label(name, inside, attributes)
            case "text":
                self.pieces = []
                if name == "value":
                    self._lenient("`<value>` where `<text>` is meant")
                self.parser.CharacterDataHandler = self.characters
            case "place" | "transition" | "reference":
                self._node(name, attributes)
            case "arc":
                self._arc(attributes)
            case "net":
                return self._net(attributes)
            case "page":
                self.net.pages += 1
            case "marking":
                self.owner = FinalMarking(self.where())
                self.net.final.append(self.owner)
        return True

    def _net(self, attributes: dict[str, str]) -> bool:
        self.net.nets += 1
        where = self.where()
        if self.net.nets > 1:
            first = Position(self.file, *self.net.where, "net")
            message = f"the file holds a second net, `{attributes.get('id', '')}`; one file is one net"
            place = Position(self.file, *where, "net")
            hint = "split the file, one net each"
            self.problems.append(Problem("PETRI_PNML_SEVERAL_NETS", message, place, hint, related=(first,)))
            return False
        self.net.id = attributes.get("id", "")
        self.net.type = attributes.get("type")
        self.net.where = where
        self.owner = self.net
        return True

    def _node(self, name: str, attributes: dict[str, str]) -> None:
        where = self.where()
        node = RawNode(name, attributes.get("id", ""), where)
        if not node.id:
            self.problem("PETRI_PNML_MISSING_ID", f"the `<{name}>` has no id", where, 'write id="…"', name)
        if name.startswith("reference"):
            node.ref = attributes.get("ref", "")
        elif "initialMarking" in attributes:
            message = f"the marking of place `{node.id}` is an attribute; PNML has it as `<initialMarking>`"
            self.problem("PETRI_PNML_UNSUPPORTED", message, where, "export the net as PNML from its editor")
        self.owner, self.labels = node, []
        self.net.nodes.append(node)

    def _arc(self, attributes: dict[str, str]) -> None:
        where = self.where()
        arc = RawArc(attributes.get("id", ""), attributes.get("source", ""), attributes.get("target", ""), where)
        self.owner, self.labels = arc, []
        self.net.arcs.append(arc)
        if not (arc.source and arc.target):
            message = f"arc `{arc.id}` has no {'target' if arc.source else 'source'}"
            self.problem("PETRI_PNML_ARC", message, where, 'write source="…" target="…"', f"arc[{arc.id}]")
        if len(attributes) == 3:
            return
        if "type" in attributes:
            self._arc_kind(arc, attributes["type"], where)
        for foreign in ("inscription", "weight"):
            if foreign in attributes:
                message = f"arc `{arc.id}` has its {foreign} as an attribute; PNML has it as `<inscription>`"
                self.problem("PETRI_PNML_UNSUPPORTED", message, where, "export the net as PNML from its editor")

    def _passed_over(self, name: str, inside: str) -> None:
        where = self.where()
        if inside == "document":
            message = f"the document is `<{name}>`, not `<pnml>`"
            problem = Problem("PETRI_NOT_PNML", message, Position(self.file, *where), _NET_HINT)
            raise InputError([problem])
        if name == "net" and inside in ("page", "net"):
            message = "the page holds a net of its own (a sub-process); nets within nets are not read"
            hint = "flatten the sub-process in its editor, or judge it as a file of its own"
            self.problem("PETRI_PNML_UNSUPPORTED", message, where, hint, inside)
        elif name in HIGH_LEVEL:
            self.problem("PETRI_PNML_NET_TYPE", f"`<{name}>` belongs to high-level nets", where, HIGH_LEVEL_HINT, name)
        elif not (name in _PAGE_NAME and inside == "page") and inside not in ("label", "text") and name != "net":
            self.net.unread.setdefault(name, where)

    # labels

    def _label(self, name: str, inside: str, attributes: dict[str, str]) -> bool:
        where = self.where()
        self.label, self.label_where, self.text, self.pieces = name, where, None, []
        if inside == "net":
            self.owner = self.net
        elif inside == "marking":
            self.label = "final"
            self.place = attributes.get("idref", "")
        elif name == "type" and inside == "arc" and "value" in attributes:
            self.text = attributes["value"]
        self.parser.CharacterDataHandler = self.characters
        return True

    def _labelled(self) -> None:
        """The label is complete: give its text to the element it belongs to."""
        text = ("".join(self.pieces) if self.text is None else self.text).strip()
        if text and self.text is None:
            self._lenient(f"text of `<{self.label}>` without `<text>` around it")
        owner, label, where = self.owner, self.label, self.label_where
        if label == "final":
            if isinstance(owner, FinalMarking):
                owner.tokens.append((self.place, self._count(text, 1, where, "a final marking", 0), where))
            return
        if isinstance(owner, FinalMarking):
            return
        if label in self.labels and label != "name":
            self.problem("PETRI_PNML_NUMBER", f"`{owner.id}` has two labels `<{label}>`", where, "keep one", label)
        self.labels.append(label)
        match owner, label:
            case _, "name":
                owner.name = text
            case RawNode(), "initialMarking":
                owner.tokens = self._count(text, 0, where, f"the initial marking of `{owner.id}`", 0)
            case RawNode(), "capacity":
                if self._count(text, 0, where, f"the capacity of `{owner.id}`", 0):
                    message = f"place `{owner.id}` has a capacity of {text}; places of P/T nets have none"
                    hint = f"model the free room as a place of its own with {text} tokens"
                    self.problem("PETRI_PNML_UNSUPPORTED", message, where, hint, f"place[{owner.id}]")
            case RawArc(), "inscription":
                owner.weight = self._count(text, 1, where, f"the weight of arc `{owner.id}`", 1)
                owner.inscribed = True
            case RawArc(), _:
                self._arc_kind(owner, text, where)

    def _arc_kind(self, arc: RawArc, text: str, where: Where) -> None:
        kind = _ARC_KINDS.get(text.strip().lower())
        if kind is None:
            message = f"arc `{arc.id}` is of the type `{text.strip()}`, which is not read"
            hint = "normal, inhibitor, reset and read (test) arcs are"
            self.problem("PETRI_PNML_UNSUPPORTED", message, where, hint, f"arc[{arc.id}]")
        else:
            arc.kind = kind

    def _count(self, text: str, absent: int, where: Where, what: str, least: int) -> int:
        """The number that ``text`` writes; ``absent`` when it is empty or no number (then a problem is noted)."""
        if match := _COUNT.fullmatch(text):
            number = int(match[1])
        elif match := _COLOURED.fullmatch(text):
            self._lenient(f"`{match[1]},n` where `n` is meant")
            self.net.colours.add(match[1])
            number = int(match[2])
        elif not text:
            return absent
        else:
            number = -1
        if not least <= number <= LARGEST:
            hint = f"write a whole number from {least} to {LARGEST}"
            self.problem("PETRI_PNML_NUMBER", f"{what} is `{shorten(text)}`", where, hint, self.label)
            return absent
        return number

    def _lenient(self, what: str) -> None:
        self.net.lenient.setdefault(what, self.where())
