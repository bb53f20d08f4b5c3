"""``petri mcp``, talked to by the client of the protocol's own SDK: the server is a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import jsonschema
import pytest
from mcp import Client, MCPError, StdioServerParameters

from petri_cli.cli.main import COMMANDS
from petri_cli.data import names, read
from petri_cli.mcp.teaching import LANGUAGE, WORDS
from petri_cli.mcp.tools import TOOLS
from petri_cli.mcp.workspace import MAX_TEXT
from tests.e2e.petri import PETRI, SAMPLES, environment, petri

INVERTED = (SAMPLES / "lock-inversion.petri.yaml").read_text(encoding="utf-8")
PULLED = """\
name: pulled
objective: Ask twice
flow: {seq: [{task: {id: ask, verify: human}}, {task: {id: again, verify: human}}]}
"""


class Agent:
    """A client in a session with a server."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def call(self, name: str, /, **arguments: Any) -> Any:
        """The structured answer to a call that must succeed."""
        result = await self.client.call_tool(name, arguments)
        assert not result.is_error, result.content
        return result.structured_content

    async def error(self, name: str, /, **arguments: Any) -> Any:
        """What is said of a call that must not."""
        result = await self.client.call_tool(name, arguments)
        assert result.is_error
        error = result.structured_content["error"]
        [text] = result.content
        assert text.type == "text"
        assert text.text.startswith(f"{error['code']} "), "clients that read only text read it, too"
        return error


@asynccontextmanager
async def served(folder: Path) -> AsyncIterator[Agent]:
    command = StdioServerParameters(command=str(PETRI), args=["mcp"], cwd=folder, env=environment())
    async with Client(command) as client:
        yield Agent(client)


def talk(folder: Path, told: Callable[[Agent], Awaitable[None]]) -> None:
    """Start a server in ``folder`` and let an agent talk to it."""

    async def run() -> None:
        with anyio.fail_after(120):
            async with served(folder) as agent:
                await told(agent)

    anyio.run(run)


def test_the_server_says_what_it_is_and_lists_its_tools_with_schemas(tmp_path: Path) -> None:
    async def told(agent: Agent) -> None:
        assert agent.client.server_info is not None
        assert agent.client.server_info.name == "petri"
        tools = (await agent.client.list_tools()).tools
        assert [t.name for t in tools] == [
            f"petri_{n}" for n in ["create", "analyze", "plan", "status", "insights", "cancel", "claim", "report"]
        ]
        for tool in tools:
            assert tool.description and tool.title and tool.output_schema
            for schema in (tool.input_schema, tool.output_schema):
                jsonschema.Draft202012Validator.check_schema(schema)
            assert tool.input_schema["additionalProperties"] is False
            assert all(part["description"] for part in tool.input_schema["properties"].values())
        changing = {t.name for t in tools if t.annotations and not t.annotations.read_only_hint}
        assert changing == {"petri_create", "petri_plan", "petri_cancel", "petri_claim", "petri_report"}
        assert [t.name for t in tools if t.annotations and t.annotations.destructive_hint] == ["petri_cancel"]

    talk(tmp_path, told)


def test_a_plan_that_can_get_stuck_is_shown_with_the_run_and_with_fixes_that_help(tmp_path: Path) -> None:
    async def told(agent: Agent) -> None:
        found = await agent.call("petri_analyze", plan=INVERTED)
        assert found["verdict"] == "UNSOUND"
        assert found["sentence"] == "`train` holds db and waits for gpu; `export` holds gpu and waits for db."
        assert found["deadlockExample"] and found["fixes"]
        schema = {**json.loads(read("schemas", "report")), "required": []}
        jsonschema.validate({"schema": "petri.analysis/1", "results": [found]}, schema)
        as_data = {"flow": {"task": {"id": "a", "run": "true"}}}
        assert (await agent.call("petri_analyze", plan=as_data))["verdict"] == "SOUND", (
            "a plan may be the object itself"
        )
        (tmp_path / "sub").mkdir()
        (tmp_path / "sub" / "p.petri.yaml").write_text(INVERTED, encoding="utf-8")
        assert (await agent.call("petri_analyze", file="sub/p.petri.yaml", fixes=False))["fixes"] == []
        wrong = await agent.call("petri_analyze", plan="flow: {task: {idd: a}}")
        assert (wrong["verdict"], [p["code"] for p in wrong["problems"]]) == (
            None,
            ["PETRI_MISSING_KEY", "PETRI_UNKNOWN_KEY"],
        )
        assert not (tmp_path / ".petri").exists(), "nothing is written"

    talk(tmp_path, told)


def test_an_agent_plans_works_and_reports_and_the_command_line_sees_the_same_session(tmp_path: Path) -> None:
    async def told(agent: Agent) -> None:
        session = (await agent.call("petri_create", name="asked", objective="Ask twice"))["session"]
        refused = await agent.error("petri_plan", plan=INVERTED, session=session)
        assert refused["code"] == "PETRI_UNSOUND_PLAN" and refused["hint"]
        assert refused["analysis"]["sentence"].startswith("`train` holds db")
        committed = await agent.call("petri_plan", plan=PULLED, session=session, expectRevision=0)
        assert (committed["session"], committed["revision"], committed["analysis"]["verdict"]) == (session, 1, "SOUND")
        conflict = await agent.error("petri_plan", plan=PULLED + "#\n", session=session, expectRevision=0)
        assert conflict["code"] == "PETRI_REVISION_CONFLICT"
        taken = await agent.call("petri_claim", worker="agent one")
        assert (taken["work"]["task"], taken["attempt"]) == ("ask", 1)
        assert (await agent.call("petri_claim"))["claim"] is None, "the next is not due before this one is verified"
        recorded = await agent.call("petri_report", claim=taken["claim"], output={"answer": 42}, worker="agent one")
        assert recorded["recorded"] is True
        stands = await agent.call("petri_status", events=100)
        jsonschema.validate(stands, json.loads(read("schemas", "status")))
        assert stands["state"] == "waiting", "a report moves nothing"
        assert [r for r in stands["claims"] if r["id"] == taken["claim"]]
        late = await agent.error("petri_report", claim="c99")
        assert late["code"] == "PETRI_UNKNOWN_CLAIM"

    talk(tmp_path, told)
    shown = petri("status", "asked", "--format", "json", cwd=tmp_path).report
    assert (shown["objective"], shown["revision"]["number"]) == ("Ask twice", 1)
    assert petri("approve", "c1", cwd=tmp_path).code == 0
    assert petri("verify", "c1", cwd=tmp_path).code == 0

    async def later(agent: Agent) -> None:
        assert (await agent.call("petri_claim", task="again"))["work"]["task"] == "again"
        then = await agent.call("petri_status", at=2)
        assert then["seq"] == 2
        assert (await agent.error("petri_status", at=10**6))["code"] == "PETRI_BAD_TIME"
        found = await agent.call("petri_insights", candidate=PULLED)
        jsonschema.validate(found, json.loads(read("schemas", "insights")))
        ended = await agent.call("petri_cancel", session="asked", why="enough")
        assert ended == {"session": "asked", "state": "cancelled"}
        assert (await agent.call("petri_status", session="asked"))["state"] == "cancelled"

    talk(tmp_path, later)


def test_schemas_codes_and_sessions_can_be_read(tmp_path: Path) -> None:
    (tmp_path / "pulled.petri.yaml").write_text(PULLED, encoding="utf-8")
    petri("plan", "pulled.petri.yaml", cwd=tmp_path)

    async def told(agent: Agent) -> None:
        listed = {str(r.uri): r for r in (await agent.client.list_resources()).resources}
        assert {f"petri://schema/{n}" for n in names("schemas")} < set(listed)
        assert listed["petri://session/pulled"].description == "Ask twice"
        [schema] = (await agent.client.read_resource("petri://schema/plan")).contents
        assert schema.text == read("schemas", "plan")  # type: ignore[union-attr]
        [stands] = (await agent.client.read_resource("petri://session/pulled")).contents
        assert json.loads(stands.text)["session"] == "pulled"  # type: ignore[union-attr]
        [page] = (await agent.client.read_resource("petri://code/PETRI_UNSOUND_PLAN")).contents
        assert page.text.startswith("# PETRI_UNSOUND_PLAN")  # type: ignore[union-attr]
        for address in ("petri://session/nobody", "petri://schema/../plan", "petri://code/nope", "file:///etc/passwd"):
            with pytest.raises(MCPError):
                await agent.client.read_resource(address)

    talk(tmp_path, told)


def test_the_prompt_teaches_the_language_and_names_the_objective(tmp_path: Path) -> None:
    async def told(agent: Agent) -> None:
        [prompt] = (await agent.client.list_prompts()).prompts
        assert prompt.name == "petri" and prompt.arguments and prompt.arguments[0].required
        taught = (await agent.client.get_prompt("petri", {"objective": "Ship it"})).messages[0].content
        assert "The objective:\n\nShip it\n" in taught.text  # type: ignore[union-attr]
        for word in WORDS:
            asked = (await agent.client.get_prompt("petri", {"objective": word})).messages[0].content
            assert asked.text == WORDS[word]  # type: ignore[union-attr]
        with pytest.raises(MCPError):
            await agent.client.get_prompt("petri", {"objective": " "})

    talk(tmp_path, told)


def test_the_plan_that_the_prompt_teaches_with_is_sound(tmp_path: Path) -> None:
    text = LANGUAGE.partition("```yaml\n")[2].partition("```")[0]
    done = petri("analyze", "-", cwd=tmp_path, stdin=text)
    assert (done.code, done.err) == (0, "")


def test_files_outside_the_folder_are_not_read_by_any_way(tmp_path: Path) -> None:
    (tmp_path / "secret.petri.yaml").write_text(INVERTED, encoding="utf-8")
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "link.petri.yaml").symlink_to(tmp_path / "secret.petri.yaml")
    (inside / "up").symlink_to(tmp_path)
    (inside / "loop").symlink_to("loop")
    os.mkfifo(inside / "fifo.petri.yaml")
    outside = [
        *("../secret.petri.yaml", str(tmp_path / "secret.petri.yaml"), "link.petri.yaml", "up/secret.petri.yaml"),
        *("/etc/passwd", "up/../../etc/passwd", "./../inside/../secret.petri.yaml"),
    ]
    missing = ["loop", "fifo.petri.yaml", ".", "", "a\0b", "x" * 4000, "~/.bashrc", "nope.petri.yaml"]

    async def told(agent: Agent) -> None:
        for file in outside:
            for tool in ("petri_analyze", "petri_plan"):
                assert (await agent.error(tool, file=file))["code"] == "PETRI_OUTSIDE_FOLDER", file
        for file in missing:
            assert (await agent.error("petri_analyze", file=file))["code"] == "PETRI_UNREADABLE_FILE", file

    talk(inside, told)


def test_hostile_and_clumsy_calls_are_answered_with_a_code_and_the_server_goes_on(tmp_path: Path) -> None:
    bomb = "x-0: &a0 [1, 2]\n" + "".join(f"x-{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 40))
    deep = "[" * 100_000
    calls: list[tuple[str, dict[str, Any], str]] = [
        ("petri_nope", {}, "PETRI_BAD_CALL"),
        ("petri_analyze", {}, "PETRI_BAD_CALL"),
        ("petri_analyze", {"plan": "flow: {}", "file": "x"}, "PETRI_BAD_CALL"),
        ("petri_analyze", {"plan": 7}, "PETRI_BAD_CALL"),
        ("petri_analyze", {"plan": "flow: {}", "timeoutSeconds": 10**9}, "PETRI_BAD_CALL"),
        ("petri_analyze", {"plan": "x", "nope": 1}, "PETRI_BAD_CALL"),
        ("petri_analyze", {"plan": "x" * (MAX_TEXT + 1)}, "PETRI_TOO_LARGE"),
        ("petri_create", {"name": "n" * 1000}, "PETRI_BAD_CALL"),
        ("petri_status", {}, "PETRI_NO_SESSIONS"),
        ("petri_status", {"session": "../../etc"}, "PETRI_NO_SESSIONS"),
        ("petri_plan", {"plan": bomb + "flow: {task: {id: a}}\n"}, ""),
        ("petri_plan", {"plan": deep}, ""),
        ("petri_plan", {"plan": "\ud800".encode("utf-8", "surrogatepass").decode("utf-8", "replace")}, ""),
        ("petri_cancel", {}, "PETRI_BAD_CALL"),
        ("petri_report", {"claim": "c1"}, "PETRI_NO_SESSIONS"),
    ]

    async def told(agent: Agent) -> None:
        for name, arguments, code in calls:
            error = await agent.error(name, **arguments)
            assert error["code"] == code or (not code and error["code"].startswith("PETRI_")), (name, error["code"])
            assert error["code"] != "PETRI_INTERNAL_FAULT", error
        nested: Any = {"task": {"id": "a", "run": "true"}}
        for k in range(60):
            nested = {"loop": {"id": f"l{k}", "maxIterations": 2, "body": nested}}
        assert (await agent.call("petri_analyze", plan={"flow": nested}))["verdict"] == "SOUND"

    talk(tmp_path, told)
    assert not (tmp_path / ".petri").exists(), "what was refused has opened no session"


def test_lines_that_are_no_messages_do_not_end_the_server(tmp_path: Path) -> None:
    hello = {
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}},
    }  # fmt: skip
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    asked = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    lines = [
        "no json",
        "{}",
        '{"jsonrpc": "2.0"}',
        "[" * 5000,
        json.dumps(hello),
        json.dumps(ready),
        "\x00\xff",
        json.dumps(asked),
    ]
    process = subprocess.Popen(
        [PETRI, "mcp"], cwd=tmp_path, env=environment(),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write("".join(f"{line}\n" for line in lines).encode("utf-8", "replace"))
    process.stdin.flush()
    answers: dict[Any, Any] = {}
    while 2 not in answers:
        message = json.loads(process.stdout.readline())
        answers[message.get("id")] = message
    assert len(answers[2]["result"]["tools"]) == len(TOOLS)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 0, "the client has gone"
    assert b"Traceback" not in errors


def test_no_other_command_imports_the_sdk_or_what_it_needs(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom petri_cli.cli.main import main, COMMANDS\n"
        "from importlib import import_module\n"
        "[import_module(f'petri_cli.cli.{n}') for n in COMMANDS]\n"
        "import petri_cli.mcp.server\n"
        "main(['analyze', '--help'])\n"
        "print('\\n'.join(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment(), check=True)
    assert "mcp" in COMMANDS
    assert not {"mcp", "pydantic", "anyio", "starlette", "httpx2", "jsonschema"} & {
        m.split(".")[0] for m in done.stderr.split()
    }


def test_without_the_extra_it_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import importlib.util\nfind = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, *more: None if name == 'mcp' else find(name, *more)\n",
        encoding="utf-8",
    )
    done = subprocess.run(
        [PETRI, "mcp"], cwd=tmp_path, env=environment({"PYTHONPATH": str(tmp_path)}),
        capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert (done.returncode, "PETRI_NO_MCP" in done.stderr, "petri-cli[mcp]" in done.stderr) == (2, True, True)
