"""Commands of work: values are words, never parts of what a shell reads; a worker is told all it needs."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path
from typing import Any

import pytest

from petri_cli.driver.commands import Command, Job, command_of, request
from petri_cli.driver.process import Ended, Programs
from petri_cli.driver.results import Results
from petri_cli.driver.settings import body_of, is_work, setting
from petri_cli.driver.substitution import shell_text
from petri_cli.driver.threads import Thread
from petri_cli.errors import PetriError
from petri_cli.plan.load import plan_from_data
from petri_cli.plan.model import Foreach, Task

RESULTS = {"survey": {"": {"host": "h1", "files": ["a b", "c"], "n": 2, "big": "x" * 200_000, "nul": "a\0b"}}}


def job(work: dict[str, Any], thread: Thread | None = None, results: Any = RESULTS, **plan: Any) -> Job:
    """Of the task ``t`` in a foreach, with the settings ``work``."""
    flow = {
        "seq": [
            {"task": {"id": "survey", "run": "true"}},
            {"foreach": {"id": "each", "over": "things", "body": {"task": {"id": "t", **work}}}},
        ]
    }
    loaded, _ = plan_from_data({"flow": flow, **plan})
    node = next(n for n in loaded.tasks() if n.id == "t")
    thread = thread or Thread("2", "the item", (3,))
    return Job(loaded, node, "session", "c7", 2, thread, Results(loaded, results).at(node, thread))


def run(command: Command, folder: Path) -> Ended:
    async def main() -> Ended:
        programs = Programs(grace=0.1)
        try:
            running = await programs.start(command, folder=folder / "out", cwd=folder)
            running.go()
            return await running.ended(20)
        finally:
            await programs.close()

    return asyncio.run(main())


# Values in shell commands

CONTEXTS = [
    "printf %s {item}",
    'printf %s "{item}"',
    "printf %s '{item}'",
    "printf %s \"$(printf %s '{item}')\"",
    'printf %s "$(printf %s "{item}")"',
    'printf %s "`printf %s {item}`"',
    "# don't mind the quote\nprintf %s {item}",
    'x=\\\'{item}; printf %s "${x#?}"',
    'printf %s "it\'s ok" >/dev/null; printf %s {item}',
    "if true; then printf %s {item}; fi # {item}",
]
NASTY = [
    "",
    "a b",
    "$(touch pwned)",
    "`touch pwned`",
    "'; touch pwned; '",
    '"; touch pwned; "',
    "$HOME *",
    "-n",
    "\\",
    "#x",
]


@pytest.mark.parametrize("text", CONTEXTS)
@pytest.mark.parametrize("value", NASTY)
def test_a_value_arrives_as_it_is_in_whatever_quotes_it_stands(text: str, value: str, tmp_path: Path) -> None:
    shell, values = shell_text(text, (), lambda _: value)
    done = subprocess.run(["/bin/sh", "-c", shell], env=values, capture_output=True, cwd=tmp_path, check=True)
    assert done.stdout.decode() == value
    assert list(tmp_path.iterdir()) == []


REFUSED = {
    "cat <<'E'\n{item}\nE": "line 2, character 1: it stands in a here-document whose `E` is quoted, where nothing is "
    "replaced",
    "cat <<\\E\n  {item}\nE": "line 2, character 3: it stands in a here-document whose `E` is quoted",
    "cat <<E\n{item}\n": "line 2, character 1: it stands in a here-document without a line `E` at its end",
    "cat <<E\n\\{item}\nE": "line 2, character 2: a backslash stands right before it",
    "cat <<E\n$(echo\n{item})\nE": "an expansion over several lines of a here-document",
    "cat <<E\na\\\n{item}\nE": "a line of a here-document that a backslash continues",
    "cat <<{item}\nE": "a here-document stands before it whose end is not told by a plain word",
    "echo \\{item}": "a backslash stands right before it",
    'echo "\\{item}"': "a backslash stands right before it",
    "echo $((1{item}))": "it is a part of a name or a number",
    "echo $((echo {item}; ls) | cat)": "it stands in `$((` with more than numbers, names and operators",
    "echo $((x[{item}]))": "`$((` stands before it, with more than numbers, names and operators in it",
    "((1)); echo {item}": "`((` stands before it, which shells read differently",
    "echo $'a' {item}": "`$'` stands before it, which shells read differently",
    "echo ${x//a/{item}}": "a `${x…}` that not every shell knows stands before it, or around it",
    'echo "${x:-"{item}"}"': "quotes within `${…}` within quotes stand before it, or around it",
    "echo ${x:={item}}": "it is assigned within `${…}` without quotes around",
    "[[ {item} -eq 1 ]]": "it stands in `[[ … ]]`, where bash may read it as arithmetic: write `[ … ]`",
    "a[{item}]=1": "it is a subscript, which bash reads as arithmetic",
    'eval "echo {item}"': "it is an argument of `eval`, which would read it as a part of the program",
    "trap 'echo {item}' EXIT": "it is an argument of `trap`, which would read it as a part of the program",
    "trap -- {item} EXIT": "it is an argument of `trap`, which would read it as a part of the program",
    "(trap echo\\ {item} EXIT)": "it is an argument of `trap`, which would read it as a part of the program",
    'command -p eval "echo {item}"': "it is an argument of `eval`, which would read it as a part of the program",
    "builtin eval {item}": "it is an argument of `eval`, which would read it as a part of the program",
    'ev""al "echo {item}"': "it is an argument of `eval`, which would read it as a part of the program",
    "'eval' {item}": "it is an argument of `eval`, which would read it as a part of the program",
    "\\eval {item}": "it is an argument of `eval`, which would read it as a part of the program",
    "A=1 eval {item}": "it is an argument of `eval`, which would read it as a part of the program",
    "read {item}": "it is an argument of `read`, which would read it as a part of the program",
    "unset {item}": "it is an argument of `unset`, which would read it as a part of the program",
    'export "{item}"': "it is an argument of `export`, which would read it as a part of the program",
    "2>/dev/null eval {item}": "it is an argument of `eval`",
    "if 2>/dev/null eval {item}; then :; fi": "it is an argument of `eval`",
    "command 2>&1 eval {item}": "it is an argument of `eval`",
    "2>&1 trap {item} EXIT": "it is an argument of `trap`",
    "time -p eval {item}": "`time` with an option stands before it",
    "coproc eval {item}": "`coproc` stands before it",
    "function f { eval {item}; }": "`function` stands before it",
    "{fd}>/dev/null eval {item}": "a `{…}` right before",
    "echo hi &> out {item}": "`&>` stands before it",
    "eval &>/dev/null {item}": "`&>` stands before it",
    "[ -v {item} ]": "it stands behind `[ -v`",
    "test -v {item}": "it stands behind `test -v`",
    "[ a = a -a -v {item} ]": "it stands behind `[ -v`",
    '[ -v "b[{item}]" ]': "it stands behind `[ -v`",
    "printf -v {item} x": "it stands behind `printf -v`",
    "compgen -W {item}": "it is an argument of `compgen`",
    "declare -i n={item}": "a variable for numbers stands before it",
    "local -i n\nn={item}": "a variable for numbers stands before it",
    "RANDOM={item}": "it is given to a variable whose value a shell works out",
    "export PS4={item}": "it is given to a variable",
    "a[x[1]+{item}]=5": "it is a subscript",
    "x=aXb; cat <<E\n${x#{item}}\nE": "it is a pattern in a here-document",
    "echo `echo \\`x\\`` {item}": "a backslash in backticks stands before it: write `$(…)`",
    "echo ) {item}": "a `)` that closes nothing stands before it",
    "alias x=y\necho {item}": "`alias` stands before it, behind which a shell may read otherwise",
}


@pytest.mark.parametrize(("text", "why"), REFUSED.items())
def test_where_no_way_of_writing_a_value_is_right_it_is_refused(text: str, why: str) -> None:
    with pytest.raises(PetriError, match="PETRI_BAD_SUBSTITUTION") as caught:
        shell_text(text, (), lambda _: "x")
    assert why in caught.value.message
    assert caught.value.where.column == text.index("{item}") + 1


@pytest.mark.parametrize("value", [4, -4, "12", 0])
def test_a_whole_number_takes_part_in_arithmetic(value: object) -> None:
    shell, values = shell_text("printf %s $((3 - {item} * 2))", (), lambda _: value)
    done = subprocess.run(["/bin/sh", "-c", shell], env=values, capture_output=True, check=True)
    assert done.stdout.decode() == str(3 - int(str(value)) * 2)


@pytest.mark.parametrize("value", ["a[$(touch pwned)]", "x", "010", "", 1.5, True, None, [1], "9" * 30, "1\n"])
def test_arithmetic_takes_nothing_but_whole_numbers(value: object) -> None:
    with pytest.raises(PetriError, match=r"PETRI_EXPRESSION_FAILED .* is no whole number"):
        shell_text("echo $((1 + {item}))", (), lambda _: value)


@pytest.mark.slow
@pytest.mark.parametrize("depth", [5_000])
def test_a_command_may_nest_as_deep_as_it_likes(depth: int) -> None:
    for opening, closing in (("(", "\n)"), ('"$(', ')"'), ("${x:-", "}"), ("{ case x in x) ", ";; esac; }")):
        text = "echo " * (opening[0] in '"$') + (opening + " ") * depth + "{item}" + closing * depth
        shell, _ = shell_text(text, (), lambda _: "x")
        assert "PETRI_VALUE_1" in shell


def test_a_value_that_comes_twice_is_one_variable() -> None:
    shell, values = shell_text("a {item} ${item} ${s.x}", ("s",), lambda r: 1 if r.head == "s" else [True, "x"])
    assert shell == 'a "${PETRI_VALUE_1}" "${PETRI_VALUE_1}" "${PETRI_VALUE_2}"'
    assert values == {"PETRI_VALUE_1": '[true, "x"]', "PETRI_VALUE_2": "1"}


# Commands


def test_a_shell_command_with_its_values_environment_and_request(tmp_path: Path) -> None:
    work = {"run": 'cat; echo ${survey.host} "{item}" $PETRI_SESSION/$PETRI_TASK/$PETRI_CLAIM/$PETRI_ATTEMPT >&2'}
    found = run(command_of(job({**work, "with": {"n": "${survey.n}"}}, objective="Go")), tmp_path)
    assert found.tail == "h1 the item session/t/c7/2"
    assert found.output == {
        "session": "session",
        "task": "t",
        "name": "",
        "claim": "c7",
        "attempt": 2,
        "rounds": [3],
        "with": {"n": 2},
        "objective": "Go",
        "item": "the item",
    }


def test_a_list_of_words_is_run_without_a_shell(tmp_path: Path) -> None:
    thread = Thread("1", {"name": "$(touch pwned)"})
    words = ["printf", "%s|", "{item.name}", "x${survey.files[0]}", "${HOME}", "{{item}}", "a;b"]
    found = run(command_of(job({"run": words}, thread)), tmp_path)
    assert found.output == "$(touch pwned)|xa b|${HOME}|{item}|a;b|"


@pytest.mark.parametrize("item", [None, 3, "a\nb", {"k": [1]}])
def test_the_item_is_in_the_environment_as_json(item: Any, tmp_path: Path) -> None:
    found = run(command_of(job({"run": 'printf %s "$PETRI_ITEM"'}, Thread("1", item))), tmp_path)
    assert found.output == item


def test_where_there_is_no_item_or_a_huge_one_the_variable_is_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    assert command_of(job({"run": "x"}, Thread())).environment["PETRI_ITEM"] is None
    assert command_of(job({"run": "x"}, Thread("1", "x" * 200_000))).environment["PETRI_ITEM"] is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("echo ${survey.hots}", "${survey} has no field `hots` (character 6)"),
        ("echo ${nobody.x}", "there is no task `nobody` (character 6)"),
        ("echo ${t.x}", "task `t` has no result yet (character 6)"),
        ("echo ${survey.big}", "${survey.big} has 200,000 bytes, a command takes 100,000 (character 6)"),
        ("echo ${survey.nul}", "${survey.nul} holds a character 0, which no command can (character 6)"),
    ],
)
def test_a_value_that_is_missing_or_does_not_fit_is_told(text: str, said: str) -> None:
    for command in (text, ["sh", text]):
        with pytest.raises(PetriError) as caught:
            command_of(job({"run": command}))
        assert (caught.value.code, caught.value.message) == ("PETRI_EXPRESSION_FAILED", said)


def test_inputs_are_values_texts_with_values_or_plain() -> None:
    given = {
        "files": "${survey.files}",
        "first": "${survey.files[0]}!",
        "count": "${len(survey.files) + 1}",
        "deep": [{"x": "${item}", "y": 1.5}, None, "{item} $${survey.n} ${HOME}"],
    }
    assert request(job({"with": given}))["with"] == {
        "files": ["a b", "c"],
        "first": "a b!",
        "count": 3,
        "deep": [{"x": "the item", "y": 1.5}, None, "{item} ${survey.n} ${HOME}"],
    }


def test_who_does_the_work() -> None:
    workers = {"workers": {"agent": {"command": "agent --json {item}"}}}

    def body(work: dict[str, Any], **plan: Any) -> str:
        j = job(work, **plan)
        return body_of(j.plan, j.node)

    assert body({"run": "x"}) == "run"
    assert body({"python": "m:f"}) == "python"
    assert body({}) == "pull"
    assert body({"worker": "agent"}, **workers) == "worker"
    assert body({"run": "x"}, **workers, defaults={"worker": "agent"}) == "worker"
    assert body({"run": "x", "worker": "somebody"}) == "pull"
    with pytest.raises(ValueError, match="claims it"):
        command_of(job({}))


def test_a_worker_gets_the_task_on_standard_input_and_the_text_of_run(tmp_path: Path) -> None:
    work = {"worker": "agent", "run": "migrate {item} to ${survey.host}", "name": "Migrate"}
    found = run(command_of(job(work, workers={"agent": {"command": "cat"}})), tmp_path)
    assert found.output["run"] == "migrate the item to h1"
    assert found.output["name"] == "Migrate"


def test_settings_come_from_the_work_the_plan_or_the_language() -> None:
    j = job({"timeout": 5}, defaults={"timeout": 7, "maxAttempts": 4})
    found = {name: setting(j.plan, j.node, name) for name in ("timeout", "maxAttempts", "verify", "retry")}
    assert found == {"timeout": 5.0, "maxAttempts": 4, "verify": "exit-code", "retry": None}


def test_only_tasks_and_discoveries_in_prose_are_work() -> None:
    def over(value: Any) -> Foreach:
        flow = {"foreach": {"id": "f", "over": value, "name": "Find", "body": {"task": {"id": "t"}}}}
        node = plan_from_data({"flow": {"seq": [{"task": {"id": "s"}}, flow]}})[0].nodes[2]
        assert isinstance(node, Foreach)
        return node

    assert is_work(over("the packages"))
    assert not is_work(over("${s.files}"))
    assert not is_work(over(["a"]))
    assert is_work(job({}).node)
    assert isinstance(job({}).node, Task)


def test_a_discovery_is_told_what_to_find() -> None:
    flow = {"foreach": {"id": "f", "over": "the packages", "name": "Find", "body": {"task": {"id": "t"}}}}
    plan, _ = plan_from_data({"flow": flow})
    node = plan.nodes[0]
    assert isinstance(node, Foreach)
    told = request(Job(plan, node, "s", "c", 1, Thread(), Results(plan, {}).at(node, Thread())))
    assert (told["over"], told["name"], told["task"]) == ("the packages", "Find", "f")


# Python functions

MODULE = """
import asyncio, os, sys

def add(a, b=2, item=None, claim=None):
    print("noise")
    return {"sum": a + b, "item": item, "claim": claim}

async def later(**inputs):
    await asyncio.sleep(0)
    return inputs

def nothing():
    pass

def odd():
    return {1, 2}

def leaves():
    sys.exit(0)

def breaks():
    raise ValueError("broken")

def closes():
    os.write(1, b"noise")
    return "said"
"""


@pytest.mark.parametrize(
    ("name", "given", "status", "output", "tail"),
    [
        ("add", {"a": 1}, 0, {"sum": 3, "item": "the item", "claim": "c7"}, "noise"),
        ("add", {"a": 1, "b": 1, "item": "mine"}, 0, {"sum": 2, "item": "mine", "claim": "c7"}, "noise"),
        ("later", {"x": [1]}, 0, {"x": [1]}, '{"x": [1]}'),
        ("nothing", {}, 0, None, "null"),
        ("closes", {}, 0, "said", "noise"),
        ("odd", {}, 1, "", "it returned something that JSON cannot carry: Object of type set is not JSON serializable"),
        ("leaves", {}, 1, "", "it ended the program (0)"),
        ("breaks", {}, 1, "", "ValueError: broken"),
        ("none_such", {}, 1, "", "`jobs:none_such`: module 'jobs' has no attribute 'none_such'"),
        ("__doc__", {}, 1, "", "`jobs:__doc__` is not a function"),
    ],
)
def test_a_python_function_runs_in_a_process_of_its_own(
    name: str, given: dict[str, Any], status: int, output: Any, tail: str, tmp_path: Path
) -> None:
    (tmp_path / "jobs.py").write_text(MODULE, encoding="utf-8")
    found = run(command_of(job({"python": f"jobs:{name}", "with": given})), tmp_path)
    assert (found.status, found.output) == (status, output)
    assert (found.tail.splitlines() or [""])[-1] == tail


def test_a_module_that_is_not_there_is_told(tmp_path: Path) -> None:
    assert (
        run(command_of(job({"python": "nowhere.at.all:f"})), tmp_path).tail
        == "there is no module `nowhere.at.all` here"
    )


@pytest.mark.parametrize("safe", ["", "1"])
def test_modules_are_those_of_the_working_directory(safe: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONSAFEPATH", safe)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "more"))
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "more.py").write_text("word = 'mine'\n", encoding="utf-8")
    # There is a module of this name beside the runner, too.
    (tmp_path / "verify.py").write_text("import more\ndef f():\n    return more.word\n", encoding="utf-8")
    assert run(command_of(job({"python": "verify:f"})), tmp_path).output == "mine"
