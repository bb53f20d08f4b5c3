"""From a plain net to PNML: ISO/IEC 15909-2 place/transition nets, one page, deterministic to the byte."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from json import dumps

from petri_cli.errors import PetriError
from petri_cli.formats.pnml_elements import EXACT, NAMESPACE
from petri_cli.mining.model import is_silent
from petri_cli.net.model import IMMEDIATE, Net, Place, PlaceOut, Transition, leaves
from petri_cli.net.place_transition import pt_view

_INVISIBLE = '<toolspecific tool="ProM" version="6.4" activity="$invisible$"/>'
"""How process mining tools mark a transition that stands for no activity."""
_PTNET = "http://www.pnml.org/version-2009/grammar/ptnet"


def write_pnml(net: Net) -> str:
    """``net`` as PNML, with its initial marking and, as process mining tools write it, its final marking.

    An id that is no XML name (NCName), or that a place and a transition share, is replaced by one that is; the
    id it had becomes the name where the element has none. So reading it back gives an isomorphic net, and the
    same net where no id had to be replaced, names to the letter included. Left out, since no checker of P/T nets
    knows them: token values, actions, properties, and which places belong to the environment. Each outcome of a
    choice is a transition of its own, a read arc an arc each way
    (:func:`petri_cli.net.place_transition.pt_view`). Places that only a marking names are declared.

    Raises PetriError PETRI_NOT_PT_NET naming the transition and what it has that P/T nets lack.
    """
    for t in net.transitions:
        lacking = [what for has, what in ((t.timing != IMMEDIATE, "a timing"), (t.priority, "a priority")) if has]
        if lacking:
            message = f"transition `{t.id}` has {', '.join(lacking)}, which place/transition nets cannot express"
            raise PetriError("PETRI_NOT_PT_NET", message, hint="export the net as JSON, YAML, DOT or Mermaid")
    return "\n".join(_lines(pt_view(net))) + "\n"


def _lines(net: Net) -> Iterator[str]:
    """The document of a place/transition net."""
    places = net.all_places()
    ids = _Ids([*(p.id for p in places), *(t.id for t in net.transitions), net.id])
    net_id = ids.take(net.id)
    place_ids = {p.id: ids.take(p.id) for p in places}
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield f'<pnml xmlns="{NAMESPACE}">'
    yield f'  <net id="{net_id}" type="{_PTNET}">'
    yield f"    {_named(net, net_id)}"
    yield f'    <page id="{ids.fresh("page")}">'
    for p in places:
        yield from _place(p, place_ids[p.id], net.initial.get(p.id, 0))
    for t in net.transitions:
        tid = ids.take(t.id)
        silent = _INVISIBLE if is_silent(t) else ""
        yield f'      <transition id="{tid}">{_named(t, tid)}{silent}</transition>'
        for i in t.inputs:
            yield _arc(ids.fresh("arc"), place_ids[i.place], tid, i.count)
        for leaf in leaves(t.output):
            if isinstance(leaf, PlaceOut):  # the view has no other
                yield _arc(ids.fresh("arc"), tid, place_ids[leaf.place], leaf.count)
    yield "    </page>"
    if net.final is not None:
        yield "    <finalmarkings>"
        yield "      <marking>"
        for p in places:
            if n := net.final.get(p.id, 0):
                yield f'        <place idref="{place_ids[p.id]}"><text>{n}</text></place>'
        yield "      </marking>"
        yield "    </finalmarkings>"
    yield "  </net>"
    yield "</pnml>"


def _place(place: Place, xml_id: str, tokens: int) -> Iterator[str]:
    name = _named(place, xml_id)
    marking = f"<initialMarking><text>{tokens}</text></initialMarking>" if tokens else ""
    yield f'      <place id="{xml_id}">{name}{marking}</place>'


def _named(element: Net | Place | Transition, xml_id: str) -> str:
    """The label with the name, which is the id where there is none. What a label would not keep stands beside it, to
    the letter: blanks around a name, characters that XML lacks, a name without which a transition would be silent."""
    shown = element.name if element.name.strip() else element.id
    label = f"<name><text>{_text(shown)}</text></name>"
    name = element.name or ("" if xml_id == element.id else element.id)
    kept = name == name.strip() and _NOT_XML.search(name) is None
    if kept and not (isinstance(element, Transition) and name == xml_id and is_silent(replace(element, name=""))):
        return label
    exact = _text(dumps(name)).replace('"', "&quot;")
    return f'{label}<toolspecific tool="{EXACT}" version="1" name="{exact}"/>'


def _arc(xml_id: str, source: str, target: str, weight: int) -> str:
    start = f'      <arc id="{xml_id}" source="{source}" target="{target}"'
    return f"{start}/>" if weight == 1 else f"{start}><inscription><text>{weight}</text></inscription></arc>"


# names (XML 1.0, 5th edition, productions 4 and 4a; Namespaces in XML, production 4)

_START = (
    "A-Z_a-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c\u200d\u2070-\u218f"
    "\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_REST = _START + "\\-.0-9\u00b7\u0300-\u036f\u203f\u2040"
_NCNAME = re.compile(f"[{_START}][{_REST}]*")
_NO_NAME = re.compile(f"[^{_REST}]")


class _Ids:
    """XML ids, each given once; the names that elements already have are kept for the first that asks."""

    def __init__(self, wanted: Iterable[str]) -> None:
        self.reserved = {w for w in wanted if _NCNAME.fullmatch(w)}
        self.given: set[str] = set()
        self.last: dict[str, int] = {}

    def take(self, wanted: str) -> str:
        """``wanted`` itself, if it is a name that nobody has; else a new one like it."""
        if wanted in self.reserved and wanted not in self.given:
            self.given.add(wanted)
            return wanted
        like = _NO_NAME.sub("_", wanted)
        like = like if _NCNAME.fullmatch(like) else f"_{like}"
        if like in self.reserved or like in self.given:
            return self.fresh(f"{like}_")
        self.given.add(like)
        return like

    def fresh(self, base: str) -> str:
        """``base`` with the first number that makes it new."""
        n = self.last.get(base, 0) + 1
        while (name := f"{base}{n}") in self.reserved or name in self.given:
            n += 1
        self.last[base] = n
        self.given.add(name)
        return name


_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"}


def _text(text: str) -> str:
    """``text`` as character data. Characters that no XML document can hold become U+FFFD."""
    clean = _NOT_XML.sub("\ufffd", text)
    return re.sub("[&<>\r]", lambda m: _ESCAPES[m[0]], clean)
