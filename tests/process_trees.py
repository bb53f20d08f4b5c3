"""Process trees for tests: random ones, their language by its definition, and traces drawn from it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from random import Random

from petri_cli.mining.tree import Inner, Leaf, Op, Tree, TreeBuilder

Word = tuple[str, ...]


def parse(text: str) -> Tree:
    """``->( 'a', X( tau, 'b' ) )``, as ``str`` of a tree has it."""
    builder = TreeBuilder()
    tokens = text.replace("(", " ( ").replace(")", " ) ").replace(",", " ").split()
    stack: list[tuple[Op, list[int]]] = []
    done: list[int] = []
    ops = {op.value: op for op in Op}
    for k, word in enumerate(tokens):
        if word in ops and k + 1 < len(tokens) and tokens[k + 1] == "(":
            stack.append((ops[word], []))
        elif word == ")":
            op, children = stack.pop()
            (stack[-1][1] if stack else done).append(builder.inner(op, children))
        elif word != "(":
            leaf = builder.leaf(None if word == "tau" else word.strip("'"))
            (stack[-1][1] if stack else done).append(leaf)
    return builder.tree(done[0])


def language(tree: Tree, longest: int) -> frozenset[Word]:
    """All words of at most ``longest`` activities."""
    words: dict[int, frozenset[Word]] = {}
    nothing: frozenset[Word] = frozenset({()})
    found: frozenset[Word]
    for index in tree.bottom_up():
        node = tree.nodes[index]
        if isinstance(node, Leaf):
            words[index] = frozenset({() if node.activity is None else (node.activity,)})
            continue
        parts = [words[c] for c in node.children]
        match node.op:
            case Op.SEQ:
                found = nothing
                for part in parts:
                    found = _behind(found, part, longest)
            case Op.XOR:
                found = parts[0].union(*parts)
            case Op.AND:
                found = nothing
                for part in parts:
                    both = ((u, v) for u in found for v in part if len(u) + len(v) <= longest)
                    found = frozenset(w for u, v in both for w in _shuffles(u, v))
            case Op.LOOP:
                body, redo = parts
                found = new = frozenset(w for w in body if len(w) <= longest)
                while new:
                    new = _behind(_behind(new, redo, longest), body, longest) - found
                    found |= new
        words[index] = frozenset(w for w in found if len(w) <= longest)
    return words[tree.root]


def _behind(first: frozenset[Word], second: frozenset[Word], longest: int) -> frozenset[Word]:
    return frozenset(u + v for u in first for v in second if len(u) + len(v) <= longest)


@lru_cache(maxsize=100_000)
def _shuffles(u: Word, v: Word) -> frozenset[Word]:
    if not u or not v:
        return frozenset({u + v})
    begun = {(u[0], *w) for w in _shuffles(u[1:], v)}
    return frozenset(begun | {(v[0], *w) for w in _shuffles(u, v[1:])})


def accepts(tree: Tree, word: Sequence[str]) -> bool:
    """Whether ``word`` is a trace of a tree in which every activity stands once."""
    alphabet: dict[int, frozenset[str]] = {}
    for index in tree.bottom_up():
        node = tree.nodes[index]
        if isinstance(node, Leaf):
            alphabet[index] = frozenset() if node.activity is None else frozenset({node.activity})
        else:
            alphabet[index] = frozenset().union(*(alphabet[c] for c in node.children))
            assert len(alphabet[index]) == sum(len(alphabet[c]) for c in node.children), "an activity stands twice"
    known: dict[tuple[int, Word], bool] = {}

    def takes(index: int, w: Word) -> bool:
        if (index, w) not in known:
            known[index, w] = fits(index, w)
        return known[index, w]

    def fits(index: int, w: Word) -> bool:
        node = tree.nodes[index]
        if any(a not in alphabet[index] for a in w):
            return False
        if isinstance(node, Leaf):
            return w == (() if node.activity is None else (node.activity,))
        pieces = {c: tuple(a for a in w if a in alphabet[c]) for c in node.children}
        match node.op:
            case Op.XOR:
                return any(takes(c, w) for c in node.children)
            case Op.AND:
                return all(takes(c, piece) for c, piece in pieces.items())
            case Op.SEQ:
                return sum(pieces.values(), ()) == w and all(takes(c, piece) for c, piece in pieces.items())
            case Op.LOOP:
                return loops(node, w)

    def loops(node: Inner, w: Word) -> bool:
        body, redo = node.children
        behind_body: set[int] = set()
        todo = [0]
        begun: set[int] = set()
        while todo:
            k = todo.pop()
            if k in begun:
                continue
            begun.add(k)
            for m in range(k, len(w) + 1):
                if m not in behind_body and takes(body, w[k:m]):
                    behind_body.add(m)
                    todo += [n for n in range(m, len(w) + 1) if n not in begun and takes(redo, w[m:n])]
        return len(w) in behind_body

    return takes(tree.root, tuple(word))


def draw_word(tree: Tree, rng: Random, again: float = 0.4) -> Word:
    """A trace of ``tree``; a loop goes round again with probability ``again``."""

    def word(index: int) -> Word:
        node = tree.nodes[index]
        if isinstance(node, Leaf):
            return () if node.activity is None else (node.activity,)
        match node.op:
            case Op.SEQ:
                return sum((word(c) for c in node.children), ())
            case Op.XOR:
                return word(rng.choice(node.children))
            case Op.AND:
                queues = [list(word(c)) for c in node.children]
                found = []
                while any(queues):
                    found.append(rng.choice([q for q in queues if q]).pop(0))
                return tuple(found)
            case Op.LOOP:
                body, redo = node.children
                found = list(word(body))
                while rng.random() < again:
                    found += [*word(redo), *word(body)]
                return tuple(found)

    return word(tree.root)


def random_tree(rng: Random, labels: int, *, silent: float = 0.0, clear_loops: bool = True) -> Tree:
    """A tree in which each of ``labels`` activities stands once.

    silent: how often a part may also be left out; clear_loops: the body of a loop is a sequence, so that no activity
    both begins and ends it.
    """
    builder = TreeBuilder()
    names = [chr(ord("a") + k) for k in range(labels)]
    rng.shuffle(names)

    def node(mine: list[str], above: Op | None) -> int:
        made = plain(mine, above)
        return builder.inner(Op.XOR, [builder.leaf(None), made]) if rng.random() < silent else made

    def plain(mine: list[str], above: Op | None) -> int:
        if len(mine) == 1:
            return builder.leaf(mine[0])
        op = rng.choice([o for o in Op if o is not above])
        if op is Op.LOOP:
            if clear_loops and len(mine) < 3:
                op = Op.SEQ
            else:
                cut = rng.randint(2 if clear_loops else 1, len(mine) - 1)
                body = children(Op.SEQ, mine[:cut]) if clear_loops else node(mine[:cut], Op.LOOP)
                return builder.inner(Op.LOOP, [body, node(mine[cut:], Op.LOOP)])
        return children(op, mine)

    def children(op: Op, mine: list[str]) -> int:
        cuts = sorted(rng.sample(range(1, len(mine)), min(len(mine) - 1, rng.randint(1, 2))))
        parts = [mine[a:b] for a, b in zip([0, *cuts], [*cuts, len(mine)], strict=True)]
        return builder.inner(op, [node(part, op) for part in parts])

    return builder.tree(node(names, None))
