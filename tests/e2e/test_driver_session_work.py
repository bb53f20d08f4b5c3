"""Plans done by real processes: shell, functions, a worker, results that decide, large ones, people."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from petri_cli.driver import external
from petri_cli.session.events import Claimed, Reported
from tests.e2e.session_world import World, wait

FUNCTION = """
def double(item, factor=2):
    return {"value": item * factor}

def is_even(report):
    return report["output"]["value"] % 2 == 0
"""


def test_results_decide_and_every_kind_of_body_does_its_part(tmp_path: Path) -> None:
    (tmp_path / "jobs.py").write_text(FUNCTION)
    (tmp_path / "agent.sh").write_text('#!/bin/sh\nread request\necho "{\\"asked\\": $request}"\n')
    (tmp_path / "agent.sh").chmod(0o700)
    flow = {
        "seq": [
            {"task": {"id": "survey", "run": 'echo \'{"items": [1, 2, 3], "name": "x; touch pwned"}\''}},
            {
                "foreach": {
                    "id": "each",
                    "over": "${survey.items}",
                    "body": {
                        "task": {
                            "id": "double",
                            "python": "jobs:double",
                            "with": {"factor": 4},
                            "verify": {"all": ["exit-code", {"python": "jobs:is_even"}]},
                        }
                    },
                }
            },
            {"task": {"id": "ask", "worker": "agent", "with": {"sum": "${double[2].value}"}}},
            {"task": {"id": "echo", "run": "echo ${survey.name} > echoed"}},
            {
                "choice": [
                    {"when": "${double[0].value} == 4", "body": {"task": {"id": "four", "run": "echo yes"}}},
                    {"task": {"id": "other", "run": "echo no"}},
                ]
            },
            {
                "loop": {
                    "id": "green",
                    "until": "${tests.ok}",
                    "maxIterations": 5,
                    "body": {"task": {"id": "tests", "run": TESTS}},
                }
            },
            {
                "foreach": {
                    "id": "found",
                    "over": "whatever is large",
                    "run": 'echo "[$(seq -s, 1 20000)]"',
                    "maxAttempts": 2,
                    "body": {"task": {"id": "never", "run": "true"}},
                    "maxWidth": 20,
                }
            },
        ]
    }
    world = World(tmp_path, {"workers": {"agent": {"command": ["./agent.sh"]}}, "flow": flow})
    assert world.run() == 1
    state = world.state
    assert [state.results["double"][str(n)] for n in (1, 2, 3)] == [{"value": 4}, {"value": 8}, {"value": 12}]
    asked = state.results["ask"][""]["asked"]
    assert (asked["task"], asked["with"]) == ("ask", {"sum": 12})
    assert (tmp_path / "echoed").read_text() == "x; touch pwned\n"
    assert not (tmp_path / "pwned").exists()
    assert state.results["four"] == {"": "yes"}
    assert "other" not in state.results
    assert state.results["tests"] == {"": {"ok": True}}
    workers = {e.task: e.worker for e in world.events if isinstance(e, Claimed)}
    assert (workers["survey"], workers["double"], workers["ask"]) == ("shell", "python", "agent")
    large = [e for e in world.events if isinstance(e, Reported) and "output" in e.files]
    assert len(large) == 2
    assert "found 20000 items; maxWidth is 20" in state.missing[0]
    world.check()


TESTS = "echo x >> rounds; if [ $(wc -l < rounds) -ge 3 ]; then echo '{\"ok\": true}'; else echo '{\"ok\": false}'; fi"


@pytest.mark.parametrize("word", [True, False])
def test_a_person_decides_while_the_driver_waits(tmp_path: Path, word: bool) -> None:
    human: dict[str, Any] = {"id": "a", "run": "echo look", "verify": {"all": ["exit-code", "human"]}}
    world = World(tmp_path, {"flow": {"task": human}})
    driver = world.fork()
    end = time.monotonic() + 20
    while not any(isinstance(e, Reported) for e in world.events):
        assert time.monotonic() < end
        time.sleep(0.02)
    store = world.store()
    external.approve(store, world.session, "c1", approved=word, by="me", note="seen")
    store.close()
    assert wait(driver) == (0 if word else 1)
    world.check()
    if not word:
        assert "me" in world.state.missing[0] or "seen" in world.state.missing[0]


def test_without_a_driver_somebody_verifies(tmp_path: Path) -> None:
    from petri_cli.driver.local import local_judge

    world = World(tmp_path, {"flow": {"task": {"id": "a", "verify": {"schema": {"type": "object"}}}}})
    store = world.store()

    async def verify() -> list[Any]:
        async with local_judge(store, world.session, tmp_path / "work") as judge:
            return await external.verify(store, world.session, judge)

    for output in ("text", {"fine": True}):
        taken = external.claim(store, world.session, "w")
        if taken is None:
            break
        external.report(store, world.session, taken.claim, output=output)
        asyncio.run(verify())
    store.close()
    assert world.state.ended == "deadlocked", "the one attempt was a text"
