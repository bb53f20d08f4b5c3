"""One pass over the events of a PNML file: from bytes to places, transitions, arcs and references as written.

The XML parser is the standard library's expat, which keeps no tree, so that depth costs nothing. A document type
declaration is refused where it begins: without one there are no entities to expand and nothing to fetch.

Elements go by their local name, since many tools write the standard's elements in a namespace of their own or in none.
"""

from __future__ import annotations

from pyexpat import ExpatError, ParserCreate

from petri_cli.document.source import MAX_BYTES, SPLIT_IT, text_position, too_large
from petri_cli.errors import InputError, Position, Problem
from petri_cli.formats.pnml_elements import (
    CHILDREN,
    EXACT,
    HIGH_LEVEL,
    HIGH_LEVEL_HINT,
    FinalMarking,
    RawArc,
    RawNet,
    RawNode,
    Where,
)
from petri_cli.formats.pnml_labels import Labels

_SILENT = {"toolspecific", "graphics"}
_PAGE_NAME = {"name"}
_NAMED = {"net", "place", "transition"}


def scan(data: bytes, file: str) -> tuple[RawNet, list[Problem]]:
    """The elements of the PNML document ``data`` and what is wrong with them one by one.

    Raises InputError when the document is no readable XML or no PNML: PETRI_TOO_LARGE, PETRI_BAD_XML, PETRI_XML_DTD,
    PETRI_XML_ENCODING, PETRI_NOT_PNML.
    """
    if not fits(data):
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


def fits(data: bytes) -> bool:
    """Whether the document is not too large to be read."""
    return len(data) <= MAX_BYTES


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
    """The state between two events of the parser: the elements that are open."""

    def __init__(self, file: str, data: bytes) -> None:
        self.file = file
        self.data = data
        self.problems: list[Problem] = []
        self.net = RawNet()
        self.states = ["document"]
        self.skipped = 0
        """Depth inside an element that is passed over."""
        self.labels = Labels(self.net, self.problem, self.where)
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
        if state is None and name == "toolspecific" and attributes.get("tool") == EXACT and inside in _NAMED:
            self.labels.name_exactly(attributes.get("name", ""))
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
                self.labels.end_text()
                self.parser.CharacterDataHandler = None
            case "label":
                self.parser.CharacterDataHandler = None
                self.labels.close()

    def characters(self, text: str) -> None:
        if not self.skipped:
            self.labels.pieces.append(text)

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
                self.labels.open(name, inside, attributes)
                self.parser.CharacterDataHandler = self.characters
            case "text":
                self.labels.begin_text(name)
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
                marking = FinalMarking(self.where())
                self.net.final.append(marking)
                self.labels.belong_to(marking)
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
        self.labels.belong_to(self.net)
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
        self.labels.belong_to(node)
        self.net.nodes.append(node)

    def _arc(self, attributes: dict[str, str]) -> None:
        where = self.where()
        arc = RawArc(attributes.get("id", ""), attributes.get("source", ""), attributes.get("target", ""), where)
        self.labels.belong_to(arc)
        self.net.arcs.append(arc)
        if not (arc.source and arc.target):
            message = f"arc `{arc.id}` has no {'target' if arc.source else 'source'}"
            self.problem("PETRI_PNML_ARC", message, where, 'write source="…" target="…"', f"arc[{arc.id}]")
        if len(attributes) == 3:
            return
        if "type" in attributes:
            self.labels.arc_kind(arc, attributes["type"], where)
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
