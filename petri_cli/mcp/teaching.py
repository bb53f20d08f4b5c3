"""The prompt ``/petri <objective>``: how to write a plan, and what to do with it."""

from __future__ import annotations

WORDS = {
    "status": "Call petri_status and tell in a few sentences where the session stands, what is next and what is in the "
    "way.",
    "analyze": "Call petri_analyze on the plan that we last talked about, and explain the answer: if it is UNSOUND, "
    "tell the run that gets stuck step by step, and propose the cheapest verified fix.",
    "cancel": "Ask which session is to be cancelled and why, unless that is clear; then call petri_cancel. It cannot "
    "be undone.",
}
"""What may be said instead of an objective."""

LANGUAGE = """\
You plan and carry out long work with `petri`. You write structure, never arcs; it compiles the plan to a Petri net and
proves that it can always finish, or shows the state in which it would die.

A plan is YAML or JSON:

```yaml
name: migrate
objective: Move every package to the new build
resources:                              # counted: locks, pools of slots, quotas
  - {id: repo_lock, capacity: 1}
  - {id: ci_slots, capacity: 3}
flow:                                   # one step; steps nest
  seq:
    - task: {id: survey, name: Find the packages, verify: {schema: {type: array}}}
    - foreach:
        id: each_package
        over: "${survey}"               # a result; or prose, then finding the items is work, too
        body:
          guard: {resource: ci_slots, body: {task: {id: migrate, run: "./migrate.sh {item}", maxAttempts: 3}}}
    - guard:
        resource: repo_lock
        body:
          loop:
            id: until_green
            until: "${tests.passed}"
            maxIterations: 5
            body: {task: {id: tests, run: "./run-tests --json"}}
    - choice:
        - {when: "${tests.passed}", body: {task: {id: ship, run: "./ship"}}}
        - task: {id: ask_for_help, verify: human}
```

A step is a map with exactly one key:
- `task`: one unit of real work. With `run`, a shell command does it; without, it waits to be claimed (petri_claim), and
  says with `verify` who decides that it was done: `human`, `{schema: …}`, `{files: […]}`, `{command: …}`.
- `seq`, `parallel`: lists of steps, one after the other or side by side.
- `choice`: a list of branches, each a step or `{when, body}`; the first whose `when` is true, else the one without.
- `loop`: `{id, body, until, maxIterations}`. `foreach`: `{id, over, body, maxWidth}`.
- `guard`: `{resource, body, units}`: hold units of a resource while the body runs. `resource` may be a list, taken
  in one go.

What makes plans get stuck: two branches that take the same two resources in different orders; a pool whose units are
held while more of it is waited for. So take locks in one order everywhere, take several in one guard, and hold them
briefly.

How to go on:
1. Write the plan. Every task must be something that can be verified; leave out what you do not know.
2. petri_analyze. If it is UNSOUND, read `counterexample` (the steps to the state) and `fixes` (edits that are proved to
   help), change the plan, and analyse again. If it is UNKNOWN, make it simpler. Never commit what is not SOUND.
3. petri_plan commits it and opens a session. `petri run --session ID` in a terminal drives it; the user starts that.
4. Work that waits for you: petri_claim, do it, petri_report. A report moves nothing; the verifier decides. Do not claim
   success for what you have not done.
5. petri_status says where it stands; petri_insights what the log suggests to change.
"""


def lesson(objective: str) -> str:
    """The text of the prompt, for an objective or one of ``WORDS``."""
    if objective.strip().lower() in WORDS:
        return WORDS[objective.strip().lower()]
    return f"{LANGUAGE}\nThe objective:\n\n{objective.strip()}\n"
