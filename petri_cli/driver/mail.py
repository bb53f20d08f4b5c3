"""What happened in the crew becomes events."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import assert_never

from petri_cli.driver.crew import Begun, Finished, Judged, Message, NotBegun
from petri_cli.driver.replica import Replica
from petri_cli.driver.takeover import report_on
from petri_cli.driver.verify import Verdict, word_of
from petri_cli.errors import PetriError
from petri_cli.session import events as ev
from petri_cli.session.payload import encode
from petri_cli.session.state import Claim


def read_mail(replica: Replica, mail: Iterable[Message], now: int, by: str) -> list[asyncio.Future[None]]:
    """Write down what ``mail`` says. Returns whom to let go once that is committed."""
    going = []
    for message in mail:
        claim = replica.state.claims.get(message.claim)
        match message:
            case Begun():
                if claim is not None:
                    replica.emit(ev.WorkStarted(now, claim.id, message.process))
                    going.append(message.go)
            case NotBegun(why=why):
                if claim is not None:
                    replica.revoked(now, claim, f"{why}; it is begun again later")
            case Finished():
                _finished(replica, now, message, claim, by)
            case Judged(verdict=verdict):
                if claim is not None:
                    adjudicate(replica, now, claim, verdict)
            case other:
                assert_never(other)
    return going


def _finished(replica: Replica, now: int, message: Finished, claim: Claim | None, by: str) -> None:
    ended = message.ended
    if claim is None:
        replica.emit(ev.ReportRefused(now, message.claim, "the claim had ended before", ended.output, by))
        return
    if claim.stage == "reported":  # what failed was the verification
        replica.refused(now, claim, ended.error)
        return
    said = ev.Reported(now, claim.id, ended.output, ended.status, ended.files, ended.error, by)
    verdict = message.verdict
    try:
        encode(said)
    except PetriError as error:  # not JSON
        said = ev.Reported(now, claim.id, None, ended.status, ended.files, error.message, by)
        verdict = Verdict(False, "report", error.message)
    replica.emit(said)
    if verdict is not None:
        adjudicate(replica, now, claim, verdict)


def adjudicate(replica: Replica, now: int, claim: Claim, verdict: Verdict) -> None:
    """Move the tokens of a claim as its verifier says; nowhere while a person's word is waited for.

    What a person has rejected since the verifier was asked is not passed.
    """
    if verdict.passed and claim.approval is False:
        verdict = word_of(report_on(claim))
    if verdict.passed:
        replica.verified(now, claim, verdict.verifier, verdict.evidence)
    elif verdict.passed is not None:
        replica.refused(now, claim, verdict.reason, verdict.verifier, verdict.evidence)
