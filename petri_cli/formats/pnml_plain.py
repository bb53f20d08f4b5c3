"""A short cut for the plainest PNML: a net of places, transitions and arcs, each with the labels of the standard and
nothing else, as programs write it. Such a document is told by patterns in a third of the time that events take.

The patterns cover the document without a gap, or it is not this kind: then :mod:`petri_cli.formats.pnml_read` reads it,
as it does whenever there is anything to say about it. So nothing is ever refused or warned of here. What the patterns
cover is well-formed XML: names and texts hold no ``<``, ``&``, ``>``, quote or control character. What ends a part
never occurs in it, and the body is never gone back into, so the time is linear in the document, whatever it holds.
"""

from __future__ import annotations

import re

from petri_cli.net.model import AndOut, Cardinality, Input, Net, Output, Place, PlaceOut, Transition

_SPACE = "[ \t\r\n]*+"
_VALUE = '[^"<>&\\x00-\\x1f\\x7f-\\x9f\ufffe\uffff]+'
_TEXT = "[^<>&\\x00-\\x1f\\x7f-\\x9f\ufffe\uffff]*"
_NUMBER = "[0-9]{1,9}"


def _label(name: str, text: str) -> str:
    return f"(?:<{name}>{_SPACE}<text>{text}</text>{_SPACE}</{name}>{_SPACE})?"


def _element(begin: str, end: str) -> str:
    """A place, a transition or an arc; begin, end: around what is to be kept."""
    value, text, number = (f"{begin}{what}{end}" for what in (_VALUE, _TEXT, _NUMBER))
    name, marking = _label("name", text), _label("initialMarking", number)
    arc = f'<arc id="{value}" source="{value}" target="{value}"'
    return (
        f'(?:<place id="{value}"(?:/>|>{_SPACE}{name}{marking}</place>)'
        f'|<transition id="{value}"(?:/>|>{_SPACE}{name}</transition>)'
        f"|{arc}(?:/>|>{_SPACE}{_label('inscription', number)}</arc>)){_SPACE}"
    )


_HEAD = re.compile(
    f'(?:<\\?xml version="1.0" encoding="(?:UTF-8|utf-8)"\\?>)?{_SPACE}'
    f'<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">{_SPACE}'
    f'<net id="({_VALUE})" type="http://www.pnml.org/version-2009/grammar/ptnet">{_SPACE}'
    f'{_label("name", f"({_TEXT})")}<page id="{_VALUE}">{_SPACE}'
)
_BODY = re.compile(f"(?:{_element('(?:', ')')})*+")
_ELEMENT = re.compile(_element("(", ")"))
_TAIL = re.compile(f"</page>{_SPACE}</net>{_SPACE}</pnml>{_SPACE}")


def read_plain(data: bytes) -> Net | None:
    """The net in ``data`` if it is of the plainest kind and nothing about it is doubtful; None otherwise."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    head = _HEAD.match(text)
    if head is None:
        return None
    body = _BODY.match(text, head.end())
    if body is None or not _TAIL.fullmatch(text, body.end()):
        return None
    return _net(head[1], (head[2] or "").strip(), _ELEMENT.findall(text, head.end(), body.end()))


def _net(net_id: str, name: str, elements: list[tuple[str, ...]]) -> Net | None:
    """The net that ``elements`` make: each a place (id, name, tokens), a transition (id, name), or an arc (id, source,
    target, weight), the others empty."""
    places: dict[str, Place] = {}
    names: dict[str, str] = {}
    initial: dict[str, int] = {}
    arcs: list[tuple[str, str, int]] = []
    for place, shown, tokens, transition, own, arc, source, target, weight in elements:
        if arc:
            arcs.append((source, target, int(weight) if weight else 1))
        elif place:
            shown = shown.strip()
            places[place] = Place(place, "" if shown == place else shown)
            if tokens and int(tokens):
                initial[place] = int(tokens)
        else:
            own = own.strip()
            names[transition] = "" if own == transition else own
    ids = {*places, *names, *(e[5] for e in elements if e[5])}
    if len(ids) < len(elements) or len({(source, target) for source, target, _ in arcs}) < len(arcs):
        return None
    inputs: dict[str, list[Input]] = {t: [] for t in names}
    outputs: dict[str, list[Output]] = {t: [] for t in names}
    one_of: dict[str, Input] = {}
    one_to: dict[str, PlaceOut] = {}
    for source, target, k in arcs:
        if source in places and target in names and k:
            if k > 1:
                inputs[target].append(Input(source, Cardinality.EXACTLY, k))
            else:
                inputs[target].append(one_of.get(source) or one_of.setdefault(source, Input(source)))
        elif source in names and target in places and k:
            if k > 1:
                outputs[source].append(PlaceOut(target, k))
            else:
                outputs[source].append(one_to.get(target) or one_to.setdefault(target, PlaceOut(target)))
        else:
            return None
    transitions = tuple([Transition(t, tuple(inputs[t]), _tree(outputs[t]), name=own) for t, own in names.items()])
    return Net(net_id, tuple(places.values()), transitions, initial, name="" if name == net_id else name)


def _tree(outputs: list[Output]) -> Output | None:
    if len(outputs) > 1:
        return AndOut(tuple(outputs))
    return outputs[0] if outputs else None
