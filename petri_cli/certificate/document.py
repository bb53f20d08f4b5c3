"""The document of a certificate: what it is about, what it claims, and the evidence."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from petri_cli.certificate.claim import Unproved, demand, field, named
from petri_cli.certificate.linear import check_linear
from petri_cli.certificate.plans import check_deadlock, check_parts, check_plan_run, check_request, check_unneeded_waits
from petri_cli.certificate.properties import check_properties, check_violation
from petri_cli.certificate.question import question_of
from petri_cli.certificate.rank import check_free_choice
from petri_cli.certificate.runs import check_run
from petri_cli.certificate.spaces import check_states, check_stubborn
from petri_cli.net.model import Net, Property
from petri_cli.plan.model import Plan

FORMAT = "petri-certificate/1"
MOST_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Certificate:
    """verdict: ``SOUND`` or ``UNSOUND``; kind: what the evidence is; digest: SHA-256 of the document judged, in hex."""

    verdict: str
    kind: str
    digest: str
    file: str
    version: str
    evidence: Any

    def to_bytes(self, *, packed: bool = False) -> bytes:
        """JSON with one marking a line at most; packed: by gzip, without a time in it."""
        data = {
            "format": FORMAT,
            "file": self.file,
            "sha256": self.digest,
            "petri": self.version,
            "verdict": self.verdict,
            "kind": self.kind,
            "evidence": self.evidence,
        }
        text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        return gzip.compress(text, mtime=0) if packed else text


@dataclass(frozen=True, slots=True)
class Checked:
    """What a valid certificate shows."""

    verdict: str
    kind: str
    shown: str


def read_certificate(data: bytes) -> Certificate:
    """Raises Unproved for what is no certificate."""
    if data[:2] == b"\x1f\x8b":
        data = _unpacked(data)
    demand(len(data) <= MOST_BYTES, f"the certificate is larger than {MOST_BYTES // 2**20} MiB")
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        raise Unproved("the certificate is no JSON") from None
    demand(field(document, "format") == FORMAT, f"the format is not {FORMAT}")
    verdict, kind, digest, file, version = (
        named(field(document, k), f"`{k}`") for k in ("verdict", "kind", "sha256", "file", "petri")
    )
    return Certificate(verdict, kind, digest, file, version, field(document, "evidence"))


def _unpacked(data: bytes) -> bytes:
    import io
    import zlib

    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            return stream.read(MOST_BYTES + 1)
    except (OSError, EOFError, zlib.error):
        raise Unproved("the certificate is damaged: it can't be unpacked") from None


def digest_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


NET_KINDS: dict[str, tuple[str, Callable[..., str]]] = {
    "run": ("UNSOUND", check_run),
    "states": ("SOUND", check_states),
    "stubborn": ("SOUND", check_stubborn),
    "linear": ("SOUND", check_linear),
    "free-choice": ("SOUND", check_free_choice),
}
PROPERTY_KINDS: dict[str, tuple[str, Callable[..., str]]] = {
    "violation": ("UNSOUND", check_violation),
    "properties": ("SOUND", check_properties),
}
PLAN_KINDS: dict[str, tuple[str, Callable[..., str]]] = {
    "plan-run": ("UNSOUND", check_plan_run),
    "plan-request": ("UNSOUND", check_request),
    "plan-deadlock": ("UNSOUND", check_deadlock),
    "plan-waits": ("SOUND", check_unneeded_waits),
    "plan-parts": ("SOUND", check_parts),
}


def check(certificate: Certificate, subject: Net | Plan, data: bytes, properties: Sequence[Property] = ()) -> Checked:
    """Look at the evidence again. subject: what is in the document, data: its bytes; properties: what is asked of a net
    beside those it declares. Raises Unproved."""
    demand(certificate.digest == digest_of(data), "the certificate is about another document, or an older one")
    about: tuple[object, ...]
    if isinstance(subject, Plan):
        what, kinds, about = "a plan", PLAN_KINDS, (subject,)
    elif asked := tuple(dict.fromkeys((*subject.properties, *properties))):
        what, kinds, about = "properties of a net", PROPERTY_KINDS, (subject, asked)
    else:
        what, kinds, about = "the soundness of a net", NET_KINDS, (question_of(subject),)
    demand(certificate.kind in kinds, f"there is no evidence `{certificate.kind}` about {what}")
    verdict, look = kinds[certificate.kind]
    demand(certificate.verdict == verdict, f"evidence `{certificate.kind}` shows {verdict}")
    return Checked(verdict, certificate.kind, look(*about, certificate.evidence))
