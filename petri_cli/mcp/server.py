"""The server: tools, resources and a prompt, told in the words of the protocol's official SDK.

The SDK and what it needs (pydantic, jsonschema, …) are imported when the server starts, and by nothing else of ours.
Whatever is wrong with a call comes back as an error of the tool, with a code and a hint: the server goes on.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from petri_cli.errors import InputError, PetriError
from petri_cli.mcp.calls import Refused
from petri_cli.mcp.teaching import WORDS, lesson
from petri_cli.mcp.tools import TOOLS, Tool
from petri_cli.mcp.workspace import Workspace

if TYPE_CHECKING:
    from mcp import types
    from mcp.server.context import ServerRequestContext
    from mcp.server.lowlevel import Server

    from petri_cli.session.store import EventStore

INSTRUCTIONS = (
    "Plans for long work, proved before they run. Write a plan, petri_analyze it until it is SOUND, petri_plan it. The "
    "prompt `petri` teaches the language; petri://schema/plan is its schema; petri://code/CODE explains an error."
)
MOST = 100
"""Sessions that are listed, the latest."""
SESSIONS, SCHEMAS, CODES = "petri://session/", "petri://schema/", "petri://code/"


def call(at: Workspace, name: str, arguments: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
    """What a tool answers to a call, and whether that is an error."""
    tool = next((t for t in TOOLS if t.name == name), None)
    try:
        if tool is None:
            known = ", ".join(t.name for t in TOOLS)
            raise PetriError("PETRI_BAD_CALL", f"there is no tool {name[:80]!r}", hint=f"known: {known}")
        _check(tool, arguments)
        return tool.run(at, arguments), False
    except PetriError as error:
        return _told(error), True
    except Exception as error:
        from petri_cli.cli.streams import say_fault

        say_fault(error, f"the tool {name[:80]}")
        message = f"internal fault: {type(error).__name__}. This is a bug in petri, not in the call."
        return _told(PetriError("PETRI_INTERNAL_FAULT", message)), True


def _check(tool: Tool, arguments: Mapping[str, Any]) -> None:
    """Raise PetriError ``PETRI_BAD_CALL`` for arguments that the tool does not take."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    wrong = best_match(Draft202012Validator(tool.takes).iter_errors(dict(arguments)))
    if wrong is not None:
        at = ".".join(str(step) for step in wrong.absolute_path)
        message = wrong.message if len(wrong.message) <= 300 else f"{wrong.message[:300]}…"
        raise PetriError("PETRI_BAD_CALL", f"{tool.name}: {f'{at}: ' if at else ''}{message}")


def _told(error: PetriError) -> dict[str, Any]:
    from petri_cli.render.json_report import problem_data

    problems = error.problems if isinstance(error, InputError) else (error.problem,)
    told = {"code": error.code, "message": error.message, "hint": error.hint or None}
    told["problems"] = [problem_data(p) for p in problems]  # type: ignore[assignment]
    if isinstance(error, Refused):
        told["analysis"] = error.analysis  # type: ignore[assignment]
    return {"error": told}


def in_short(answer: Mapping[str, Any]) -> str:
    """An answer as text, for clients that read nothing else: the error in a line, or all of it."""
    error = answer.get("error")
    if isinstance(error, dict) and set(answer) == {"error"}:
        first = f"{error['code']} {error['message']}" + (f" ({error['hint']})" if error["hint"] else "")
        analysis = error.get("analysis")
        sentence = (analysis or {}).get("sentence")
        return "\n".join([first, *([sentence] if sentence else []), json.dumps(answer, ensure_ascii=False)])
    return json.dumps(answer, ensure_ascii=False)


def resources(at: Workspace) -> list[tuple[str, str, str, str]]:
    """(address, name, what it is, type) of the schemas and the latest sessions."""
    from petri_cli.data import names

    about = {"plan": "The language of plans.", "net": "The language of nets.", "report": "What petri_analyze answers."}
    found = [
        (f"{SCHEMAS}{name}", f"schema of a {name}", about.get(name, "A JSON Schema."), "application/schema+json")
        for name in ("plan", *(n for n in names("schemas") if n != "plan"))
    ]
    try:
        with at.sessions() as store:
            sessions = [(s, _objective(store, s)) for s in store.sessions()[-MOST:]]
    except PetriError:
        sessions = []
    return found + [(f"{SESSIONS}{s}", s, told or "A session.", "application/json") for s, told in reversed(sessions)]


def _objective(store: EventStore, session: str) -> str:
    """What a session is for: its first event says it, so that no log has to be folded."""
    return next((str(getattr(e.event, "objective", "")) for e in store.read(session, 0, 1)), "")


def resource(at: Workspace, address: str) -> tuple[str, str]:
    """The text of a resource, and its type. Raises PetriError."""
    from petri_cli.data import names, read

    for prefix, kind, form in ((SCHEMAS, "schemas", "application/schema+json"), (CODES, "codes", "text/markdown")):
        name = address.removeprefix(prefix)
        if address.startswith(prefix) and name in names(kind):  # type: ignore[arg-type]
            return read(kind, name), form  # type: ignore[arg-type]
    if address.startswith(SESSIONS):
        from petri_cli.mcp.calls import status

        answer = status(at, {"session": address.removeprefix(SESSIONS)})
        return json.dumps(answer, indent=2, ensure_ascii=False), "application/json"
    raise PetriError("PETRI_BAD_CALL", f"there is no resource {address[:200]!r}")


def make(at: Workspace) -> Server[Any]:
    """The server, not yet started."""
    import anyio.to_thread
    from mcp import MCPError, types
    from mcp.server.lowlevel import Server

    from petri_cli.version import __version__

    async def list_tools(
        ctx: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(
            tools=[
                types.Tool(
                    name=t.name,
                    title=t.title,
                    description=t.description,
                    input_schema=t.takes,
                    output_schema=t.gives(),
                    annotations=types.ToolAnnotations(
                        read_only_hint=t.reads,
                        destructive_hint=t.destroys,
                        idempotent_hint=t.reads,
                        open_world_hint=False,
                    ),
                )
                for t in TOOLS
            ]
        )

    async def call_tool(ctx: ServerRequestContext[Any], params: types.CallToolRequestParams) -> types.CallToolResult:
        answer, wrong = await anyio.to_thread.run_sync(call, at, params.name, params.arguments or {})
        text = types.TextContent(type="text", text=in_short(answer))
        return types.CallToolResult(content=[text], structured_content=answer, is_error=wrong)

    async def list_resources(
        ctx: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        found = await anyio.to_thread.run_sync(resources, at)
        return types.ListResourcesResult(
            resources=[types.Resource(uri=u, name=n, description=d, mime_type=m) for u, n, d, m in found]
        )

    async def list_templates(
        ctx: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        rows = (
            (f"{SESSIONS}{{session}}", "session", "Where a session stands.", "application/json"),
            (f"{CODES}{{code}}", "code", "What an error means, and the way out.", "text/markdown"),
        )
        return types.ListResourceTemplatesResult(
            resource_templates=[
                types.ResourceTemplate(uri_template=u, name=n, description=d, mime_type=m) for u, n, d, m in rows
            ]
        )

    async def read_resource(
        ctx: ServerRequestContext[Any], params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        try:
            text, form = await anyio.to_thread.run_sync(resource, at, str(params.uri))
        except PetriError as error:
            raise MCPError(types.INVALID_PARAMS, str(error), {"code": error.code, "hint": error.hint or None}) from None
        content = types.TextResourceContents(uri=params.uri, text=text, mime_type=form)
        return types.ReadResourceResult(contents=[content])

    async def list_prompts(
        ctx: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        told = f"What is to be achieved; or one of: {', '.join(WORDS)}."
        argument = types.PromptArgument(name="objective", description=told, required=True)
        about = "Plan long work, prove the plan, and carry it out."
        return types.ListPromptsResult(prompts=[types.Prompt(name="petri", description=about, arguments=[argument])])

    async def get_prompt(ctx: ServerRequestContext[Any], params: types.GetPromptRequestParams) -> types.GetPromptResult:
        objective = (params.arguments or {}).get("objective", "")
        if params.name != "petri" or not objective.strip():
            raise MCPError(types.INVALID_PARAMS, "the prompt is `petri`, and it needs an `objective`")
        message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=lesson(objective)))
        return types.GetPromptResult(description="Plan with petri", messages=[message])

    return Server(
        "petri",
        version=__version__,
        title="petri",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
    )


def serve(at: Workspace) -> None:
    """Serve on standard input and output until the client has gone."""
    import anyio
    from mcp.server.stdio import stdio_server

    async def run() -> None:
        server = make(at)
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    anyio.run(run)
