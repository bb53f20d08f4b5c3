"""The tools, as an agent is told of them: what each is for, what it takes, and what it gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from petri_cli.mcp import calls, schemas
from petri_cli.mcp.calls import Arguments
from petri_cli.mcp.schemas import FILE, PLAN, SECONDS, SESSION, Schema, inputs, outputs
from petri_cli.mcp.workspace import Workspace

NO_TEXT: Schema = {"type": "string", "default": "", "maxLength": 10_000}


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool. takes, gives: JSON Schemas of its arguments and of its answer."""

    name: str
    title: str
    description: str
    takes: Schema
    gives: Callable[[], Schema]
    run: Callable[[Workspace, Arguments], dict[str, Any]]
    reads: bool = False
    """Nothing is changed by it."""
    destroys: bool = False
    """What it does cannot be undone."""


TEXT: Schema = {"type": "string"}
MAYBE_TEXT: Schema = {"type": ["string", "null"]}
TOOLS = (
    Tool(
        "petri_create",
        "Open a session",
        "Open a session for a long objective and get its id. A plan comes later, with petri_plan.",
        inputs(
            name={"type": "string", "description": "What to call it.", "default": "session", "maxLength": 100},
            objective={**NO_TEXT, "description": "What it is for."},
        ),
        lambda: outputs(session=TEXT),
        calls.create,
    ),
    Tool(
        "petri_analyze",
        "Prove a plan sound, or see how it would get stuck",
        "Compile a plan to a Petri net and prove that it can always finish; nothing is committed or started. "
        "UNSOUND comes with the shortest run to the state in which it would have died, and with verified fixes. "
        "Call it before petri_plan, as often as need be: it turns a deadlock into a correction.",
        inputs(
            plan=PLAN,
            file=FILE,
            timeoutSeconds=SECONDS,
            fixes={"type": "boolean", "description": "Look for edits that make it sound.", "default": True},
        ),
        schemas.analysis,
        calls.analyze,
        reads=True,
    ),
    Tool(
        "petri_plan",
        "Commit a plan",
        "Commit a plan as the next revision of a session, if it is sound; else it is refused as petri_analyze shows "
        "it, and nothing is written. Without a session one is opened that is called like the plan. Work that is done "
        "stays done where its task is unchanged.",
        inputs(
            plan=PLAN,
            file=FILE,
            session=SESSION,
            expectRevision={
                "type": "integer",
                "minimum": 0,
                "description": "Refuse unless the session is at this revision (0: none yet).",
            },
            acceptUnknown={"type": "boolean", "default": False, "description": "Commit it though it was not decided."},
            revoke={"type": "boolean", "default": False, "description": "Take back claims that are in the way."},
            timeoutSeconds=SECONDS,
        ),
        lambda: {
            **outputs(
                session=TEXT,
                revision={"type": "integer"},
                unchanged={"type": "boolean"},
                kept={"type": "integer"},
                claimsGoOn={"type": "integer"},
                takenBack={"type": "array", "items": TEXT},
                analysis={"type": "object"},
            )
        },
        calls.plan,
    ),
    Tool(
        "petri_status",
        "Where a session stands",
        "The marking, what is done, claimed, enabled and waiting, who holds which resource, and what is missing. With "
        "`at`, as it was after that event of the log.",
        inputs(
            session=SESSION,
            at={"type": "integer", "minimum": 1, "description": "Number of an event of the log."},
            events={
                "type": "integer",
                "minimum": 0,
                "maximum": 1000,
                "default": 0,
                "description": "How many of the latest events to show as well.",
            },
        ),
        lambda: schemas.shipped("status"),
        calls.status,
        reads=True,
    ),
    Tool(
        "petri_insights",
        "What the log suggests",
        "How well the plan tells what its sessions did, and which numbers their logs suggest to change, each with its "
        "counts. With `candidate`, how well another plan would have told the same history.",
        inputs(
            session=SESSION,
            allSessions={"type": "boolean", "default": False, "description": "Look at every session of the store."},
            candidate={**PLAN, "description": "Another plan, to be scored against the same history."},
            timeoutSeconds=SECONDS,
        ),
        lambda: schemas.shipped("insights"),
        calls.insights,
        reads=True,
    ),
    Tool(
        "petri_cancel",
        "End a session for good",
        "Claims are taken back, processes ended, units of resources returned. It never goes on.",
        inputs(
            ("session",),
            session={**SESSION, "description": "Id of the session."},
            why={**NO_TEXT, "description": "A word for the log."},
        ),
        lambda: outputs(session=TEXT, state={"const": "cancelled"}),
        calls.cancel,
        destroys=True,
    ),
    Tool(
        "petri_claim",
        "Take a piece of work",
        "Take work whose turn has come and that waits for whoever comes. `claim` is null when there is none now. Do "
        "the work before the lease ends, then say what came of it with petri_report.",
        inputs(
            session=SESSION,
            task={"type": "string", "description": "Id of the task wanted.", "maxLength": 1000},
            worker={"type": "string", "description": "Who you are.", "maxLength": 200, "minLength": 1},
            leaseSeconds={
                "type": "number",
                "minimum": 0.1,
                "maximum": 1_000_000_000,
                "description": "How long without a report; as the plan says where it is not said.",
            },
        ),
        lambda: outputs(
            session=TEXT,
            claim=MAYBE_TEXT,
            attempt={"type": ["integer", "null"]},
            leaseSeconds={"type": ["number", "null"]},
            work={"type": ["object", "null"], "description": "All there is to know of the work."},
        ),
        calls.claim,
    ),
    Tool(
        "petri_report",
        "Say what came of a claim",
        "Declare the result of claimed work, or with `error` that it did not work out. It moves nothing: the "
        "verifier of the task decides whether it counts.",
        inputs(
            ("claim",),
            claim={"type": "string", "description": "The claim, as petri_claim gave it.", "maxLength": 200},
            session=SESSION,
            output={"description": "The result: any JSON."},
            error={**NO_TEXT, "description": "It did not work out, and why."},
            worker={"type": "string", "description": "Who you are, to be checked.", "maxLength": 200, "default": ""},
        ),
        lambda: outputs(session=TEXT, claim=TEXT, recorded={"const": True}),
        calls.report,
    ),
)
"""All tools, in the order in which they are listed."""
