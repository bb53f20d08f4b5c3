"""``--certificate`` writes down why a verdict holds; ``--recheck`` looks at that again, and searches nothing."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from petri_cli.api import Analysis, analyze_data, load_data, refuse_properties
from petri_cli.certificate.claim import Unproved
from petri_cli.certificate.document import MOST_BYTES, Certificate, check, digest_of, read_certificate
from petri_cli.cli.exit import Exit
from petri_cli.cli.inputs import Source, read_source
from petri_cli.cli.judging import exit_code
from petri_cli.document import read_bytes
from petri_cli.errors import PetriError, Position
from petri_cli.evidence.listing import Written
from petri_cli.evidence.nets import evidence_of_net
from petri_cli.evidence.plans import evidence_of_plan
from petri_cli.evidence.properties import evidence_of_properties
from petri_cli.formats.netfile import parse_property
from petri_cli.net.model import Net, Property
from petri_cli.net.start import start_of
from petri_cli.plan.model import Plan
from petri_cli.render.page import Page
from petri_cli.soundness.restrictions import restrictions
from petri_cli.soundness.result import SOUND_ASSUMPTIONS, Budget, Verdict
from petri_cli.soundness.timer import Timer
from petri_cli.version import __version__

Report = Callable[[Iterable[Analysis], Page], None]


def write_certificate(
    source: Source, path: str, budget: Budget, report: Report, page: Page, properties: Sequence[str] = ()
) -> Exit:
    """Judge, report, and write what shows the verdict to ``path``; by gzip where that ends in ``.gz``.

    Raises PetriError: what reading raises, PETRI_NO_CERTIFICATE where there is no evidence that a checker could follow,
    PETRI_CANNOT_WRITE.
    """
    if source.path is not None and os.path.realpath(source.path) == os.path.realpath(path):
        raise PetriError("PETRI_CANNOT_WRITE", "this would write over an input", where=Position(path))
    data = read_source(source)
    analysis = analyze_data(data, source.name, budget=budget, properties=properties)
    report([analysis], page)
    if analysis.result is not None and analysis.result.verdict is not Verdict.UNKNOWN:
        _write(analysis, data, path, budget, properties)
    return exit_code(analysis)


def _write(analysis: Analysis, data: bytes, path: str, budget: Budget, properties: Sequence[str]) -> None:
    result, subject = analysis.result, analysis.subject
    assert result is not None and subject is not None  # noqa: S101 - there is a verdict
    timer = Timer(time.monotonic, budget.seconds)
    evidence: Written | None
    if isinstance(subject, Plan):
        evidence = evidence_of_plan(subject, result, timer)
    elif asked := tuple(dict.fromkeys((*subject.properties, *_asked(subject, properties)))):
        evidence = evidence_of_properties(subject, asked, result, timer)
    else:
        evidence = evidence_of_net(subject, result, timer)
    if evidence is None:
        message = f"what shows that this is {result.verdict.value} cannot be written as a certificate"
        hint = "docs/certificates.md says what can"
        raise PetriError("PETRI_NO_CERTIFICATE", message, where=Position(analysis.file), hint=hint)
    kind, content = evidence
    certificate = Certificate(result.verdict.value, kind, digest_of(data), analysis.file, __version__, content)
    try:
        Path(path).write_bytes(certificate.to_bytes(packed=path.endswith(".gz")))
    except OSError as error:
        message = f"cannot be written: {error.strerror or error}"
        raise PetriError("PETRI_CANNOT_WRITE", message, where=Position(path)) from None


def _asked(subject: Net, properties: Sequence[str]) -> list[Property]:
    return [parse_property(p, subject.place_ids()) for p in properties]


def recheck_file(source: Source, path: str, page: Page, properties: Sequence[str] = ()) -> Exit:
    """Say whether the certificate at ``path`` shows its verdict about ``source``: of a net the ``properties`` that are
    asked and those that it declares, where there are any. Raises PetriError: what reading the two raises, and
    PETRI_BAD_CERTIFICATE."""
    data = read_source(source)
    subject, warnings = load_data(data, source.name)
    asked: list[Property] = []
    if isinstance(subject, Plan):
        refuse_properties(subject, properties)
    else:
        asked = _asked(subject, properties)
    try:
        shown = check(read_certificate(read_bytes(path, MOST_BYTES)), subject, data, asked)
    except Unproved as error:
        hint = "write it anew: petri analyze --certificate"
        raise PetriError("PETRI_BAD_CERTIFICATE", str(error), where=Position(path), hint=hint) from None
    assumed = SOUND_ASSUMPTIONS if shown.verdict == "SOUND" else ()
    if isinstance(subject, Net):
        start = start_of(subject)
        about = (*start.warnings, *restrictions(start.net, Verdict(shown.verdict), ()))
        warnings = (*warnings, *(p if p.where.file else p.in_file(source.name) for p in about))
        assumed = (*assumed, *start.assumptions)
    page.errors(warnings)
    page.write(f"{shown.verdict}  {source.name}  by certificate: {shown.shown}\n")
    if assumed:
        page.write(f"{shown.verdict} assumes: {'; '.join(assumed)}.\n")
    return Exit.OK if shown.verdict == "SOUND" else Exit.UNSOUND
