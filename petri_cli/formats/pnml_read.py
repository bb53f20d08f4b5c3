"""From the elements of a PNML file to a net: types, ids, references, arcs, markings."""

from __future__ import annotations

from pathlib import PurePath

from petri_cli.document import collector_paused
from petri_cli.errors import InputError, Position, Problem
from petri_cli.formats.nearest import did_you_mean
from petri_cli.formats.pnml_elements import HIGH_LEVEL_HINT, NAMESPACE, RawArc, RawNet, RawNode, Where
from petri_cli.formats.pnml_plain import read_plain
from petri_cli.formats.pnml_scan import fits, scan
from petri_cli.net.model import AndOut, Cardinality, Input, Net, Output, Place, PlaceOut, Transition

MAX_GUESSES = 20
"""So many unknown ids get a «did you mean»; it compares with every id of the net."""

_PLAIN_TYPES = ("ptnet", "pnmlcoremodel", "p/t net", "epnml", "place/transition")
_HIGH_LEVEL_TYPES = ("symmetricnet", "symmetric", "highlevel", "hlpn", "hlnet", "colored", "coloured")


def read_pnml(data: bytes, file: str = "") -> tuple[Net, tuple[Problem, ...]]:
    """The place/transition net in the PNML document ``data``, and warnings about what was tolerated.

    ISO/IEC 15909-2 nets of the type ptnet, with nested pages and references resolved; inhibitor, reset and read arcs
    where the arc's type says so; the final marking of ``<finalmarkings>``. ``docs/net-files.md`` lists what else is
    tolerated and what is refused. Work is linear in the document.

    Raises InputError with every problem, sorted by position.
    """
    with collector_paused():
        plain = read_plain(data) if fits(data) else None
    return (plain, ()) if plain is not None else read_by_events(data, file)


def read_by_events(data: bytes, file: str = "") -> tuple[Net, tuple[Problem, ...]]:
    """The same as :func:`read_pnml`, without the short cut for the plainest documents."""
    with collector_paused():
        raw, problems = scan(data, file)
        builder = _Builder(raw, file, problems)
        net = builder.net()
    if builder.problems:
        raise InputError(builder.problems)
    return net, tuple(sorted(builder.warnings, key=lambda p: (p.where, p.code)))


class _Builder:
    def __init__(self, raw: RawNet, file: str, problems: list[Problem]) -> None:
        self.raw = raw
        self.file = file
        self.problems = problems
        self.warnings: list[Problem] = []
        self.nodes: dict[str, RawNode] = {}
        self.resolved: dict[str, RawNode | None] = {}
        self.guesses = 0

    def net(self) -> Net:
        raw = self.raw
        self._check_type()
        self._collect_nodes()
        for node in raw.nodes:
            if node.ref is not None and node.id:
                self._resolve(node.id)
        transitions = self._transitions()
        places = [n for n in raw.nodes if n.kind == "place"]
        final = self._final()
        self._tell_tolerated()
        net_id = raw.id or PurePath(self.file).stem.removesuffix(".petri") or "net"
        return Net(
            net_id,
            tuple(Place(p.id, _own_name(p)) for p in places),
            transitions,
            initial={p.id: p.tokens for p in places if p.tokens},
            final=final,
            name=raw.exact if raw.exact is not None else "" if raw.name == net_id else raw.name,
        )

    def _problem(self, code: str, message: str, where: Where, hint: str, path: str) -> None:
        self.problems.append(Problem(code, message, Position(self.file, *where, path), hint))

    def _warn(self, code: str, message: str, where: Where, hint: str = "", path: str = "") -> None:
        self.warnings.append(Problem(code, message, Position(self.file, *where, path), hint, "warning"))

    # the net as a whole

    def _check_type(self) -> None:
        kind = self.raw.type
        folded = (kind or "").lower()
        if any(word in folded for word in _HIGH_LEVEL_TYPES):
            message = f"the net is a high-level net (type `{kind}`)"
            self._problem("PETRI_PNML_NET_TYPE", message, self.raw.where, HIGH_LEVEL_HINT, "net")
        elif kind is None:
            self.raw.lenient.setdefault("the net has no type", self.raw.where)
        elif not any(word in folded for word in _PLAIN_TYPES):
            self.raw.lenient.setdefault(f"the net type `{kind}` is not known", self.raw.where)

    def _tell_tolerated(self) -> None:
        raw = self.raw
        if raw.namespace != NAMESPACE:
            given = f"namespace `{raw.namespace}`" if raw.namespace else "no namespace"
            raw.lenient.setdefault(given, (1, 1))
        if not raw.pages and raw.nodes:
            raw.lenient.setdefault("no page", raw.where)
        if len(raw.colours) > 1:
            message = f"tokens of several kinds ({', '.join(sorted(raw.colours))}) are a coloured net"
            self._problem("PETRI_PNML_NET_TYPE", message, raw.where, HIGH_LEVEL_HINT, "net")
        if raw.lenient:
            message = f"read as a place/transition net, though not quite ISO 15909-2: {'; '.join(raw.lenient)}"
            self._warn("PETRI_PNML_LENIENT", message, min(raw.lenient.values()))
        if raw.unread:
            message = f"not part of a place/transition net, and not read: {', '.join(f'`<{n}>`' for n in raw.unread)}"
            self._warn("PETRI_PNML_NOT_READ", message, min(raw.unread.values()))

    # ids and references

    def _collect_nodes(self) -> None:
        for node in self.raw.nodes:
            first = self.nodes.setdefault(node.id, node) if node.id else node
            if first is not node:
                message = f"the id `{node.id}` stands on line {first.where[0]} and again on line {node.where[0]}"
                where = Position(self.file, *node.where, f"{node.kind}[{node.id}]")
                related = (Position(self.file, *first.where, f"{first.kind}[{node.id}]"),)
                hint = "ids are unique within a file"
                self.problems.append(Problem("PETRI_PNML_DUPLICATE_ID", message, where, hint, related=related))
        arcs: set[str] = set()
        for arc in self.raw.arcs:
            if arc.id and (arc.id in arcs or arc.id in self.nodes):
                self.raw.lenient.setdefault("ids of arcs that stand for something else too", arc.where)
            arcs.add(arc.id)

    def _resolve(self, node_id: str) -> RawNode | None:
        """The place or transition that ``node_id`` stands for, through references; None when it stands for nothing
        (which has been reported)."""
        chain: list[RawNode] = []
        node = self.nodes.get(node_id)
        while node is not None and node.ref is not None and node.id not in self.resolved:
            chain.append(node)
            self.resolved[node.id] = None
            node = self._target(node)
        end = self.resolved.get(node.id) if node is not None and node.ref is not None else node
        for link in chain:
            self.resolved[link.id] = end
        return end

    def _target(self, node: RawNode) -> RawNode | None:
        """What the reference ``node`` refers to; None, with a problem, when that cannot be."""
        ref = node.ref or ""
        path = f"{node.kind}[{node.id}]"
        wanted = node.kind.removeprefix("reference").lower()
        target = self.nodes.get(ref)
        if target is None:
            self._unknown(f"`{node.id}` refers to `{ref}`", ref, node.where, path)
        elif target.kind not in (wanted, node.kind):
            message = f"`{node.id}` is a {_words(node)} and refers to the {_words(target)} `{ref}`"
            self._problem("PETRI_PNML_REFERENCE", message, node.where, f"refer to a {wanted}", path)
            return None
        elif target.ref is not None and self.resolved.get(target.id, target) is None:
            message = f"`{node.id}` refers in the end to itself, or to nothing"
            hint = f"a chain of references ends at a {wanted}"
            self._problem("PETRI_PNML_REFERENCE", message, node.where, hint, path)
        return target

    def _unknown(self, who: str, ref: str, where: Where, path: str) -> None:
        hint = ""
        if self.guesses < MAX_GUESSES:
            self.guesses += 1
            hint = did_you_mean(ref, self.nodes)
        self._problem("PETRI_PNML_UNKNOWN_ID", f"{who}, which no place or transition has as its id", where, hint, path)

    # arcs

    def _transitions(self) -> tuple[Transition, ...]:
        raw_transitions = {n.id: _Arcs() for n in self.raw.nodes if n.kind == "transition"}
        for arc in self.raw.arcs:
            ends = self._ends(arc)
            if ends is not None:
                place, transition, incoming = ends
                self._add(raw_transitions[transition.id], arc, place, transition, incoming)
        names = {n.id: _own_name(n) for n in self.raw.nodes if n.kind == "transition"}
        return tuple(arcs.transition(tid, names[tid]) for tid, arcs in raw_transitions.items())

    def _ends(self, arc: RawArc) -> tuple[RawNode, RawNode, bool] | None:
        """(place, transition, whether the arc leads into the transition); None, with a problem, if it joins others."""
        source = self._end(arc, "source", arc.source)
        target = self._end(arc, "target", arc.target)
        if source is None or target is None:
            return None
        if source.kind == target.kind:
            path = f"arc[{arc.id}]"
            message = f"arc `{arc.id}` joins the {source.kind} `{source.id}` to the {target.kind} `{target.id}`"
            hint = "an arc joins a place and a transition"
            self._problem("PETRI_PNML_ARC", message, arc.where, hint, path)
            return None
        incoming = source.kind == "place"
        return (source, target, True) if incoming else (target, source, False)

    def _end(self, arc: RawArc, end: str, ref: str) -> RawNode | None:
        node = self.nodes.get(ref)
        if node is not None:
            return node if node.ref is None else self._resolve(ref)
        if ref:
            self._unknown(f"the {end} of arc `{arc.id}` is `{ref}`", ref, arc.where, f"arc[{arc.id}]")
        return None

    def _add(self, arcs: _Arcs, arc: RawArc, place: RawNode, transition: RawNode, incoming: bool) -> None:
        kind, weight = arc.kind, arc.weight
        group = arcs.group(kind, incoming)
        before = group.get(place.id)
        group[place.id] = weight if before is None else before + weight
        if kind != "normal" and (weight > 1 or not incoming):
            self._refuse_special(arc, incoming)
        if not arc.inscribed and arc.name.isdecimal() and arc.name != "1":
            message = f"arc `{arc.id}` is named `{arc.name[:20]}` and has no `<inscription>`: its weight is 1"
            hint = "if a weight is meant, write an inscription"
            self._warn("PETRI_PNML_LENIENT", message, arc.where, hint, f"arc[{arc.id}]")
        if before is not None:
            ends = (place.id, transition.id) if incoming else (transition.id, place.id)
            sum_of = f"their weights add up to {before + weight}" if kind == "normal" else "they count as one"
            message = f"a second {kind} arc from `{ends[0]}` to `{ends[1]}`: {sum_of}"
            self._warn("PETRI_PNML_DUPLICATE_ARC", message, arc.where, "", f"arc[{arc.id}]")

    def _refuse_special(self, arc: RawArc, incoming: bool) -> None:
        path = f"arc[{arc.id}]"
        if incoming:
            message = f"the {arc.kind} arc `{arc.id}` has the weight {arc.weight}; only 1 is read"
            self._problem("PETRI_PNML_UNSUPPORTED", message, arc.where, "leave the weight out", path)
        else:
            message = f"the {arc.kind} arc `{arc.id}` leads from a transition to a place"
            self._problem("PETRI_PNML_ARC", message, arc.where, "let it lead from the place", path)

    # the end

    def _final(self) -> dict[str, int] | None:
        """The final marking; of several, all must be equal."""
        markings: list[dict[str, int]] = []
        for final in self.raw.final:
            tokens: dict[str, int] = {}
            for ref, count, where in final.tokens:
                node = self._resolve(ref)
                if node is None or node.kind != "place":
                    if ref not in self.nodes or node is not None:
                        self._unknown_place(ref, node, where)
                elif count:
                    tokens[node.id] = tokens.get(node.id, 0) + count
            if markings and tokens != markings[0]:
                message = "the file has several final markings; a net is judged against one"
                hint = "keep the one that the net should end in"
                self._problem("PETRI_PNML_UNSUPPORTED", message, final.where, hint, "finalmarkings")
            markings.append(tokens)
        if markings and not markings[0]:
            message = "the final marking is empty: the net is to end without any token"
            self._warn("PETRI_PNML_LENIENT", message, self.raw.final[0].where, "if none is meant, remove it")
        return markings[0] if markings else None

    def _unknown_place(self, ref: str, node: RawNode | None, where: Where) -> None:
        if node is None:
            self._unknown(f"the final marking names `{ref}`", ref, where, "finalmarkings")
        else:
            message = f"the final marking names the transition `{ref}`"
            self._problem("PETRI_PNML_UNKNOWN_ID", message, where, "only places hold tokens", "finalmarkings")


class _Arcs:
    """The arcs of one transition: weights by place, in document order."""

    def __init__(self) -> None:
        self.inputs: dict[str, int] = {}
        self.outputs: dict[str, int] = {}
        self.special: dict[str, dict[str, int]] = {}

    def group(self, kind: str, incoming: bool) -> dict[str, int]:
        if kind != "normal":
            return self.special.setdefault(kind, {})
        return self.inputs if incoming else self.outputs

    def transition(self, tid: str, name: str) -> Transition:
        return Transition(
            tid,
            tuple(Input(p) if k == 1 else Input(p, Cardinality.EXACTLY, k) for p, k in self.inputs.items()),
            self._output(),
            inhibitors=tuple(self.special.get("inhibitor", ())),
            reads=tuple(self.special.get("read", ())),
            resets=tuple(self.special.get("reset", ())),
            name=name,
        )

    def _output(self) -> Output | None:
        leaves = tuple(PlaceOut(p, k) for p, k in self.outputs.items())
        if not leaves:
            return None
        return leaves[0] if len(leaves) == 1 else AndOut(leaves)


def _own_name(node: RawNode) -> str:
    """The name, where it says more than the id, or was written to the letter."""
    if node.exact is not None:
        return node.exact
    return "" if node.name == node.id else node.name


def _words(node: RawNode) -> str:
    return {"referencePlace": "reference place", "referenceTransition": "reference transition"}.get(
        node.kind, node.kind
    )
