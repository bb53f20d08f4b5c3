"""Secrets do not reach a file or a log: what looks like one, or was named as one, is replaced by ``***``.

Named are the values of the environment variables that ``secrets:`` lists. What looks like a secret is a short list of
forms that hardly anything else has (``FORMS``); whatever a tool may print beyond them has to be named.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

MASK: Final = b"***"
SHORTEST: Final = 4
"""Shorter values are words of every output; to mask them would blank it, and say where they stand."""

MAX_LINE: Final = 65_536
"""Bytes of one line that are held back before some of it is let go."""
OVERLAP: Final = 4_096
"""Bytes of a long line that stay held back: no pattern but that of a private key is longer."""

_WORDS = (
    rb"(?i:password|passwd|passphrase|api_?key|secret_?key|(?:secret_)?access_?key"
    rb"|auth_?token|access_?token|client_?secret)"
)


def masks_more(before: str, after: str) -> bool:
    """Whether ``after`` has a mask where ``before`` has something else: whoever wrote it was not shown the secret."""
    mask = MASK.decode()
    return after.count(mask) > before.count(mask)


@dataclass(frozen=True, slots=True)
class Form:
    """What one kind of secret looks like.

    anchors: texts in lower case, one of which is in every data that has such a secret (most data has none, and a search
    for a text is a hundred times as fast as one for a pattern); pattern: its group ``keep``, where there is one, stays;
    whole_word: no letter or digit comes before it.
    """

    name: str
    anchors: tuple[bytes, ...]
    pattern: re.Pattern[bytes]
    whole_word: bool = False


def _form(name: str, anchors: bytes, pattern: bytes, whole_word: bool = False) -> Form:
    return Form(name, tuple(anchors.split()), re.compile(pattern, re.DOTALL), whole_word)


FORMS: Final = (
    _form("AWS access key", b"akia asia", rb"A(?:KIA|SIA)[A-Z0-9]{16}(?![A-Za-z0-9])", True),
    _form("GitHub token", b"ghp_ gho_ ghu_ ghs_ ghr_", rb"gh[pousr]_[A-Za-z0-9]{36,255}", True),
    _form("GitHub token", b"github_pat_", rb"github_pat_[A-Za-z0-9_]{22,255}", True),
    _form("GitLab token", b"glpat-", rb"glpat-[A-Za-z0-9_-]{20,255}", True),
    _form("Slack token", b"xox", rb"xox[abeoprs]-[A-Za-z0-9-]{10,255}", True),
    _form("model key", b"sk-", rb"sk-[A-Za-z0-9_-]{20,255}", True),
    _form("bearer token", b"bearer", rb"(?P<keep>[Bb]earer )[A-Za-z0-9._~+/-]{16,2048}=*", True),
    _form("password in a URL", b"://", rb"(?P<keep>://)[^\s/:@\"']{1,128}:[^\s/@\"']{1,255}(?=@)"),
    _form(
        "private key",
        b"-----begin",
        rb"-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----.*?(?:-----END [A-Z ]{0,32}PRIVATE KEY-----|\Z)",
    ),
    _form(
        "setting",
        b"passw passphrase key= key\" key' token= token\" token' secret= secret\" secret'",
        rb"(?P<keep>" + _WORDS + rb"(?:=|[\"']\s{0,8}:\s{0,8}[\"']))[^\s\"',;&]{4,1024}",
    ),
)
"""What looks like a secret."""

_KEY_BEGINS = re.compile(rb"-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----")
_KEY_ENDS = re.compile(rb"-----END [A-Z ]{0,32}PRIVATE KEY-----")
_SECRET_NAME = re.compile(
    r"(?i)^(?:.*[_-])?(?:password|passwd|passphrase|api[_-]?key|secret[_-]?key|access[_-]?key|auth[_-]?token"
    r"|access[_-]?token|client[_-]?secret)$"
)


class Redactor:
    """Masks secrets. values: the secrets themselves, also as they stand in JSON; each line of one that has several."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        self.too_short: tuple[str, ...] = ()
        """Names whose values are too short to be masked."""
        forms: set[bytes] = set()
        for value in values:
            for part in {value, *(line.strip() for line in value.splitlines())}:
                if len(part.strip()) >= SHORTEST:
                    forms.update(_encoded(form) for form in _forms(part))
        named = b"|".join(re.escape(form) for form in sorted(forms, key=lambda f: (-len(f), f)))
        self._named = re.compile(named) if named else None
        self.longest = max((len(form) for form in forms), default=0)

    @classmethod
    def of(cls, names: Iterable[str], environment: Mapping[str, str]) -> Redactor:
        """For the environment variables that are named in ``secrets:``; those that are not set hide nothing."""
        found = {name: environment[name] for name in names if environment.get(name)}
        redactor = cls(found.values())
        redactor.too_short = tuple(name for name, value in found.items() if len(value) < SHORTEST)
        return redactor

    @property
    def knows(self) -> bool:
        """Whether there is a value that was named, and not only what looks like a secret."""
        return self._named is not None

    def data(self, data: bytes) -> bytes:
        """``data``, masked."""
        return _without(data, self.spans(data))

    def spans(self, data: bytes) -> list[Span]:
        """Where the secrets of ``data`` are, in order; no two overlap."""
        found = [Span(m.start(), m.start(), m.end()) for m in self._named.finditer(data)] if self._named else []
        small = data.lower()
        for form in FORMS:
            if any(anchor in small for anchor in form.anchors):
                found += _spans(form, data)
        return _merged(found)

    def text(self, text: str) -> str:
        """``text``, masked."""
        data = _encoded(text)
        masked = self.data(data)
        return text if masked == data else masked.decode("utf-8", "replace")

    def value(self, value: Any) -> Any:
        """JSON data with every text in it masked, keys too, and whole the texts below keys such as ``password``.

        Made anew from the leaves up, without recursion.
        """
        done: list[Any] = []
        stack: list[tuple[Any, bool]] = [(value, False)]
        while stack:
            part, parts_done = stack.pop()
            if isinstance(part, str):
                done.append(self.text(part))
            elif not isinstance(part, Mapping | list | tuple):
                done.append(part)
            elif not parts_done:
                stack.append((part, True))
                stack.extend(
                    (child, False) for child in reversed(list(part.values() if isinstance(part, Mapping) else part))
                )
            elif isinstance(part, Mapping):
                first = len(done) - len(part)
                items = zip(part, done[first:], strict=True)
                done[first:] = [{self.text(str(k)): _hidden(str(k), v) for k, v in items}]
            else:
                first = len(done) - len(part)
                done[first:] = [done[first:]]
        return done[0]

    def stream(self) -> RedactedStream:
        """For a stream that comes in chunks."""
        return RedactedStream(self)


class Span(NamedTuple):
    """A secret is ``data[secret:end]``; it was told by what begins at ``start``."""

    start: int
    secret: int
    end: int


def _spans(form: Form, data: bytes) -> list[Span]:
    found = []
    for m in form.pattern.finditer(data):
        if form.whole_word and m.start() and data[m.start() - 1 : m.start()].isalnum():
            continue
        found.append(Span(m.start(), m.end("keep") if form.pattern.groups else m.start(), m.end()))
    return found


def _merged(spans: list[Span]) -> list[Span]:
    merged: list[Span] = []
    for span in sorted(spans, key=lambda s: (s.secret, -s.end)):
        if merged and span.secret < merged[-1].end:
            last = merged[-1]
            merged[-1] = Span(min(last.start, span.start), last.secret, max(last.end, span.end))
        else:
            merged.append(span)
    return merged


def _without(data: bytes, spans: list[Span]) -> bytes:
    out, at = bytearray(), 0
    for span in spans:
        out += data[at : span.secret] + MASK
        at = span.end
    return bytes(out + data[at:])


class RedactedStream:
    """A stream that is masked as it comes, across the borders of its chunks.

    Whole lines are let go, a long one in parts. A private key is masked from its first line on until its last one has
    come, however long that takes.
    """

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._held = bytearray()
        self._in_key = False

    def feed(self, chunk: bytes) -> bytes:
        """What may be written now."""
        self._held += chunk
        if b"\n" not in chunk and len(self._held) <= MAX_LINE:
            return b""
        return self._let_go(self._border(), False)

    def flush(self) -> bytes:
        """The rest, at the end of the stream."""
        return self._let_go(len(self._held), True)

    def _border(self) -> int:
        """Up to where the secrets in what is held are known to be whole."""
        held = self._held
        border = held.rfind(b"\n") + 1
        if len(held) - border > MAX_LINE:
            border = len(held) - max(OVERLAP, self._redactor.longest)
        return border

    def _let_go(self, border: int, final: bool) -> bytes:
        if self._in_key:
            end = _KEY_ENDS.search(self._held)
            if end is None:
                del self._held[: max(0, len(self._held) - 64)]  # its last line may have begun
                return b""
            self._in_key = False
            del self._held[: end.end()]
            border = max(0, border - end.end())
        held = bytes(self._held)
        spans = self._redactor.spans(held)
        for k, span in enumerate(spans):
            if span.end > border or (span.end == len(held) and not final):
                border = min(border, span.start)
                spans = [s for s in spans[:k] if s.end <= border]
                break
        ready = _without(held[:border], spans)
        del self._held[:border]
        begins = _KEY_BEGINS.match(self._held)
        if begins and not _KEY_ENDS.search(self._held):
            self._in_key = True
            return ready + MASK
        return ready


def _hidden(key: str, value: Any) -> Any:
    return MASK.decode() if isinstance(value, str) and value and _SECRET_NAME.match(key) else value


def _forms(secret: str) -> set[str]:
    """How a secret may stand in one line of an output: as it is, and as in JSON."""
    written = {secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]}
    return {form for form in written if "\n" not in form}


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
